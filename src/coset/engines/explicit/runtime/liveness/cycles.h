/* The search for accepting cycles: its interface. */
#ifndef CYCLES_H
#define CYCLES_H

#include "search.h"

struct cycles;

struct cycles *cycles_new(const struct request *request, struct result *result);
void cycles_run(struct cycles *c, int initial); /* from one initial state of the automaton; call it for each of them */
void cycles_free(struct cycles *c);

/* If there is a cycle: the path of the search to it and a way around that takes every mark, as indices of states; the path ends and
   the cycle begins at the same state, which is written once.  Returns how many states there are, 0 without memory; they are
   written if there is room for them.  `stem` is set to the number of states on the path. */
u64 cycles_lasso(struct cycles *c, u64 *out, u64 room, u64 *stem);
void cycles_state(struct cycles *c, u64 index, u8 *out);

#endif
