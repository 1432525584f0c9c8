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

#endif
