/* The graph of a search that is over: its edges by number of state, and which conditions hold where.

   Branching-time properties need the whole graph.  It is made in a second pass over the stored states, whose successors
   are all known by then, so that the search itself need not keep edges. */
#define _GNU_SOURCE
#include "search.h"
#include "visited.h"

struct writer {
  const struct visited *visited;
  u64 *targets;
  u64 room, count;
};

static void write_edge(struct context *x, const u8 *t) {
  struct writer *w = x->worker;
  if (w->count < w->room) w->targets[w->count] = visited_find(w->visited, t, hash_state(t));
  w->count++;
}

static void ignore(struct context *x, int error, int edge) {
  (void)x;
  (void)error;
  (void)edge;
}

/* Fill `offsets` (one more than there are states) and `targets`; how many edges there are, which may be more than fit. */
u64 graph_edges(const struct visited *visited, u64 states, u64 *offsets, u64 *targets, u64 room) {
  struct writer writer = {visited, targets, room, 0};
  struct context x = {.overflow_slot = -1, .worker = &writer, .successor = write_edge, .report = ignore};
  for (u64 index = 0; index < states; index++) {
    const u8 *state = visited_state(visited, index);
    offsets[index] = writer.count;
    x.timeout = 0;
    int moves = model_successors(&x, state);
#if MODEL_TIMES_OUT
    if (moves == 0) {
      x.timeout = 1;
      model_successors(&x, state);
    }
#endif
    (void)moves;
    x.fault = FAULT_NONE;
  }
  offsets[states] = writer.count;
  return writer.count;
}

/* For each state the conditions that hold, as bits: those of the edges of the claim's only state. */
void graph_conditions(const struct visited *visited, u64 states, u64 *conditions) {
  struct context x = {.overflow_slot = -1, .successor = write_edge, .report = ignore};
  int targets[64];
  u64 marks[64];
  for (u64 index = 0; index < states; index++) {
    u64 bits = 0;
    int count = model_claim(&x, visited_state(visited, index), 0, targets, marks);
    for (int k = 0; k < count; k++) bits |= (u64)1 << targets[k];
    conditions[index] = bits;
    x.fault = FAULT_NONE;
  }
}
