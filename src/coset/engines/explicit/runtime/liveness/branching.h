/* The graph of all states, and computation tree logic on it. A set has a byte for each state. */
#ifndef BRANCHING_H
#define BRANCHING_H

#include "search.h"

struct branching;

struct branching *branching_new(const struct request *request, struct result *result);
void branching_run(struct branching *b);
void branching_free(struct branching *b);
struct transfer *branching_transfer(struct branching *b); /* search_transfer of transfer.h */

u64 branching_extent(struct branching *b);            /* the bytes of a set; some states below it may not exist */
int branching_fault(struct branching *b, u64 *state); /* whether a condition has no value in some state, and in which */
void branching_state(struct branching *b, u64 index, u8 *out);
u64 branching_following(struct branching *b, u64 state, const uint32_t **out); /* successors: how many, and where */

void branching_truth(struct branching *b, int condition, u8 *out);
void branching_some_next(struct branching *b, const u8 *holds, u8 *out);
void branching_some_until(struct branching *b, const u8 *holds, const u8 *reaches, u8 *out);
void branching_some_always(struct branching *b, const u8 *holds, u8 *out);

/* The shortest path from a state through states of `inside` to a state of the goal, of at least one step if `steps`.  It
   is written backward, from its end; returns how many states it has, 0 if there is no path. */
u64 branching_path(struct branching *b, u64 start, const u8 *inside, const u8 *goal, int steps, u64 *out);

#endif
