/* A shortest lasso of the product of the model and a property's automaton: evidence that people can read.

   Searches that decide a property end at some accepting cycle, which may be long, and so may be the way to it.  This one is made when
   it is known that there is a cycle.  It visits all states as they are, without symmetry and reductions, breadth first: a lasso
   of n steps lies within n steps from the beginning.  Whenever the graph has become twice as large, the shortest lasso in
   it is computed (shortest_cycle.h).  The search ends when no shorter one is possible, or when its allowance is used up; if half of
   the length of the best lasso has been searched by then, no lasso is shorter than half of it. */
#define _GNU_SOURCE
#include "shortest.h"

#include <stdlib.h>

#include "cycles.h"
#include "shortest_cycle.h"
#include "visited.h"

extern const int model_claim_edges;

#define FIRST_LOOK 512 /* edges before the first look for a cycle */

struct found {
  u8 state[STATE_SIZE];
  u64 first, movers; /* the process that began the step, and all that took part, as bits */
};

struct shortest {
  struct context ctx;
  struct request request;
  struct result *result;
  struct visited visited;
  struct lasso_graph graph;
  struct best_lasso best;
  u64 states;
  int fair;
  STACK(struct found) found;
};

static void collect(struct context *ctx, const u8 *t) {
  struct shortest *s = ctx->worker;
  struct found found;
  memcpy(found.state, t, STATE_SIZE);
  found.first = (u64)1 << (ctx->mover & 63);
  found.movers = ctx->movers.of[0];
  PUSH(s->found, found);
}

static void ignore(struct context *ctx, int error, int edge) { (void)ctx, (void)error, (void)edge; }

/* The number of a state; a new one gets the next number, and where it was reached from. */
static u64 enter(struct shortest *s, const u8 *state, u64 parent) {
  u64 index = visited_put(&s->visited, state, hash_state(state), s->states);
  if (index == s->states) {
    s->states++;
    PUSH(s->graph.parents, parent);
    if (s->states + 1 >= s->visited.states.capacity) s->result->stopped = STOP_MEMORY;
    visited_grow(&s->visited, s->states + 1);
  }
  return index;
}

/* Record the steps from a state. */
static void expand(struct shortest *s, u64 index) {
  u8 state[STATE_SIZE];
  int targets[model_claim_edges];
  u64 marks[model_claim_edges], able = 0;
  memcpy(state, visited_state(&s->visited, index), STATE_SIZE);
  PUSH(s->graph.rows, s->graph.edges.count);
  s->ctx.timeout = 0;
  int edges = model_claim(&s->ctx, state, GET_CLAIM(state), targets, marks);
  if (s->ctx.fault) edges = 0;
  s->ctx.fault = FAULT_NONE;
  if (edges == 0) return;
  s->found.count = 0;
  int moves = model_successors(&s->ctx, state);
#if MODEL_TIMES_OUT
  if (moves == 0) {
    s->ctx.timeout = 1;
    moves = model_successors(&s->ctx, state);
  }
#endif
  if (s->ctx.overflow_slot >= 0) s->result->stopped = STOP_OVERFLOW;
  if (moves == 0 && s->request.stays) {
    struct found stays = {.movers = 0};
    memcpy(stays.state, state, STATE_SIZE);
    PUSH(s->found, stays);
  }
  for (u64 k = 0; k < s->found.count; k++) able |= s->found.items[k].first;
  for (u64 k = 0; k < s->found.count; k++) {
    u64 fair = s->fair ? (s->found.items[k].movers | ~able) << FAIR_SHIFT : 0;
    for (int edge = 0; edge < edges && s->result->stopped == STOP_DONE; edge++) {
      SET_CLAIM(s->found.items[k].state, targets[edge])
      struct lasso_edge step = {(uint32_t)enter(s, s->found.items[k].state, index), marks[edge] | fair};
      PUSH(s->graph.edges, step);
    }
  }
  s->result->transitions = s->graph.edges.count;
}

static int is_used_up(struct shortest *s) {
  struct result *result = s->result;
  result->states = s->states;
  if (result->stop_asked) result->stopped = STOP_ASKED;
  else if (s->states >= UINT32_MAX - 1 || exceeds(&s->request.allowance, s->states, result->transitions, s->ctx.work))
    result->stopped = STOP_ALLOWANCE;
  return result->stopped != STOP_DONE;
}

/* Breadth first, until a lasso is known that is as short as the depth of the search. */
static void search(struct shortest *s) {
  u64 next = 0, looked_at = FIRST_LOOK / 2;
  for (u64 depth = 0; next < s->states && depth < s->best.length && s->result->stopped == STOP_DONE; depth++) {
    PUSH(s->graph.levels, next);
    for (u64 end = s->states; next < end && !is_used_up(s);) expand(s, next++);
    if (s->graph.edges.count < 2 * looked_at) continue;
    looked_at = s->graph.edges.count;
    find_lasso(&s->graph, &s->best, &s->result->stop_asked);
  }
  if (s->graph.edges.count != looked_at) find_lasso(&s->graph, &s->best, &s->result->stop_asked);
}

/* --- functions for Python ----------------------------------------------------------------------------------------- */

struct shortest *shortest_new(const struct request *request, struct result *result, int fair) {
  struct shortest *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->request = *request;
  s->result = result;
  s->fair = fair;
  s->graph.required = MODEL_REQUIRED;
  if (fair) s->graph.required |= ((MODEL_SLOTS >= 32 ? 0 : (u64)1 << MODEL_SLOTS) - 1) << FAIR_SHIFT;
  s->best.length = UINT64_MAX;
  s->ctx.worker = s;
  s->ctx.overflow_slot = -1;
  s->ctx.is_whole = 1;
  s->ctx.stop_asked = &result->stop_asked;
  s->ctx.successor = collect;
  s->ctx.report = ignore;
  if (!visited_open(&s->visited, request->reserve)) {
    free(s);
    return NULL;
  }
  return s;
}

void shortest_run(struct shortest *s, const int *initial, int count) {
  u8 state[STATE_SIZE];
  memcpy(state, s->request.initial, STATE_SIZE);
  for (int k = 0; k < count; k++) {
    SET_CLAIM(state, initial[k])
    enter(s, state, NO_PARENT);
  }
  search(s);
  if (s->best.length != UINT64_MAX && s->result->stopped != STOP_ASKED) s->result->stopped = STOP_ERROR;
}

void shortest_state(struct shortest *s, u64 index, u8 *out) {
  memcpy(out, visited_state(&s->visited, index), STATE_SIZE);
}

u64 shortest_lasso(struct shortest *s, u64 *out, u64 room, u64 *stem) {
  u64 count = 0;
  for (u64 at = s->best.root; at != NO_PARENT; at = s->graph.parents.items[at]) count++;
  *stem = count;
  if (room >= count + s->best.cycle.count) {
    for (u64 at = s->best.root, k = count; k > 0; at = s->graph.parents.items[at]) out[--k] = at;
    for (u64 k = 0; k < s->best.cycle.count; k++) out[count + k] = s->best.cycle.items[k];
  }
  return count + s->best.cycle.count;
}

void shortest_free(struct shortest *s) {
  if (!s) return;
  free(s->found.items);
  free(s->graph.parents.items);
  free(s->graph.rows.items);
  free(s->graph.levels.items);
  free(s->graph.edges.items);
  free(s->best.cycle.items);
  visited_close(&s->visited);
  free(s);
}

int claim_location(const u8 *state) {
  (void)state;
  return (int)GET_CLAIM(state);
}
