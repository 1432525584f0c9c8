/* A shortest lasso of the product of the model and a property's automaton: its interface. */
#ifndef SHORTEST_H
#define SHORTEST_H

#include "search.h"

#define FAIR_SHIFT 32 /* the first bit of the marks of weak fairness, one for each process */

struct shortest;

struct shortest *shortest_new(const struct request *request, struct result *result, int fair);
/* From the state of the request and these locations of the automaton, within the allowance of the request; `result->stopped` is
   STOP_ERROR if a lasso was found. */
void shortest_run(struct shortest *s, const int *initial, int count);
u64 shortest_lasso(struct shortest *s, u64 *out, u64 room, u64 *stem); /* as cycles_lasso (cycles.h) */
void shortest_state(struct shortest *s, u64 index, u8 *out);
void shortest_free(struct shortest *s);

int claim_location(const u8 *state); /* the location of the automaton in a state of the product */

#endif
