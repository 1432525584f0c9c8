/* The graph of all states of a model or of a product: what a breadth-first search has recorded (links.h). */
#ifndef GRAPH_H
#define GRAPH_H

#include "worker.h"

#if MODEL_GRAPH

/* A search that records the graph; NULL if there is no memory. */
struct search *graph_new(const struct request *request, struct result *result);
void graph_free(struct search *search);

/* One more than the largest number of a state.  Some numbers below it may be unused: these have no edges. */
u64 graph_extent(const struct search *search);
void graph_state(struct search *search, u64 state, u8 *out);

struct row {
  const struct link *begin, *end;
};

static inline struct row graph_row(const struct search *search, u64 state) {
  u64 at = search->rows.at[state];
  if (!at) return (struct row){NULL, NULL};
  const struct link *head = search->workers[(at - 1) >> ROW_BITS].links.items + ((at - 1) & (((u64)1 << ROW_BITS) - 1));
  return (struct row){head + 1, head + 1 + head->target};
}

#endif
#endif
