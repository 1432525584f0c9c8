/* Accepting cycles of a product whose graph is recorded by a breadth-first search. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "search.h"

struct product;

struct product *product_new(const struct request *request, struct result *result);
void product_run(struct product *p, const int *initial, int count); /* from these locations of the automaton */
void product_free(struct product *p);
struct transfer *product_transfer(struct product *p); /* search_transfer of transfer.h */

/* If there is a cycle: the shortest path to it and a way around, as cycles_lasso (cycles.h). */
u64 product_lasso(struct product *p, u64 *out, u64 room, u64 *stem);
void product_state(struct product *p, u64 state, u8 *out);

/* If there is a fair component (MODEL_FAIR): the shortest path to one of its states, all of its states, and of a state the edges
   inside of it, each as target, marks and number of its label.  They return how many numbers there are, and write them if there is
   room for them. */
u64 product_stem(struct product *p, u64 *out, u64 room);
u64 product_component(struct product *p, u64 *out, u64 room);
u64 product_edges(struct product *p, u64 state, u64 *out, u64 room);
/* The label of a state: the processes that can begin a step, as words, and the conditions that hold; and a label of steps: the
   processes that take part, and what numbers they get, of 16 bits each (labels.h).  They return how many words a set of
   processes has. */
u64 product_state_label(struct product *p, u64 state, u64 *out);
u64 product_step_label(struct product *p, u64 number, u64 *out);

#endif
