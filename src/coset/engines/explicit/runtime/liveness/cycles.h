/* The search for accepting cycles: its interface. */
#ifndef CYCLES_H
#define CYCLES_H

#include "search.h"

#define FAIR_SHIFT 32 /* the first bit of the fairness marks, one for each process */

struct cycles;

struct cycles *cycles_new(const struct request *request, struct result *result, int fair);
void cycles_run(struct cycles *c, int initial); /* from one initial state of the automaton; call it for each of them */
void cycles_free(struct cycles *c);

/* If there is a cycle: the path of the search to its component, as indices of states, and the marks to take. */
u64 cycles_depth(struct cycles *c);
u64 cycles_path(struct cycles *c, u64 k);
u64 cycles_required(struct cycles *c);

int cycles_member(struct cycles *c, u64 index); /* whether a state is in the component */
void cycles_state(struct cycles *c, u64 index, u8 *out);
/* The steps from a state, for a walk through the component: targets and marks of the first `room`; returns how many
   exist. */
u64 cycles_steps(struct cycles *c, u64 index, u64 *targets, u64 *marks, u64 room);

#endif
