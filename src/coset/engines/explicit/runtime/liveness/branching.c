/* The graph of all states, and the operators of computation tree logic on it.

   One breadth-first search numbers the states in the order in which they are found and keeps every edge, forward, and
   backward once the search is over.  A set of states has a byte for each.  Every operator is linear in the graph: `EX` by
   one step backward, `EU` by a backward search, `EG` by removing states until every one that is left has a successor that
   is left (Arnold and Crubille 1988).  A state without successors repeats forever. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "branching.h"
#include "visited.h"
#if MODEL_SYMMETRIC
#include "certify.h"
#endif

#define LOOK_EVERY 1023 /* a mask: how often the search checks for a request to stop */

extern const int model_claim_edges;

typedef uint32_t number;
#define MOST_STATES UINT32_MAX

struct edges {
  u64 *offsets; /* one more than the number of states */
  number *targets;
};

struct fresh {
  u8 state[STATE_SIZE];
  u64 hash;
};

struct branching {
  struct context ctx;
  struct request request;
  struct result *result;
  struct visited visited;
  struct certificates certificates;
  u64 states, count, room; /* number of states and edges, and the allocated edges */
  u64 offsets_room, conditions_room, fresh_count, fresh_room;
  struct fresh *fresh; /* the successors of the current state */
  struct edges after, before;
  u64 *conditions; /* for each state, the conditions that hold, as bits */
  int fault;       /* the first condition without a value: the fault and the state */
  u64 fault_state;
};

/* Make room for one more item after `count`; on failure the old memory is kept. */
static int grow(void *items, u64 count, u64 *room, u64 size) {
  void **at = items;
  if (count < *room) return 1;
  u64 more = *room ? 2 * *room : 4096;
  void *larger = realloc(*at, more * size);
  if (!larger) return 0;
  *at = larger;
  *room = more;
  return 1;
}

static int is_stopped(const struct branching *b) { return b->result->stopped != STOP_DONE; }

static int asked_to_stop(struct branching *b, u64 k) {
  if ((k & LOOK_EVERY) == 0 && b->result->stop_asked) b->result->stopped = STOP_ASKED;
  return is_stopped(b);
}

/* --- the search --------------------------------------------------------------------------------------------------- */

static void collect(struct context *ctx, const u8 *t) {
  struct branching *b = ctx->worker;
  if (!grow(&b->fresh, b->fresh_count, &b->fresh_room, sizeof *b->fresh)) {
    b->result->stopped = STOP_MEMORY;
    return;
  }
  struct fresh *last = &b->fresh[b->fresh_count++];
  memcpy(last->state, t, STATE_SIZE);
  last->hash = hash_state(t);
  visited_fetch_place(&b->visited, last->hash);
}

static void ignore(struct context *ctx, int error, int edge) {
  struct branching *b = ctx->worker;
  (void)edge;
  b->result->errors[error]++;
}

static u64 enter(struct branching *b, const struct fresh *found) {
  u64 index = visited_put(&b->visited, found->state, found->hash, b->states);
  if (index != b->states) return index;
  b->states++;
  if (b->states + 1 >= b->visited.states.capacity || b->states >= MOST_STATES) b->result->stopped = STOP_MEMORY;
  else visited_grow(&b->visited, b->states + 1);
  return index;
}

static void look_at_limits(struct branching *b) {
  struct result *result = b->result;
  result->states = b->states;
  result->transitions = b->count + 1;
  result->memory = b->states * (STATE_SIZE + 48) + b->count * 2 * sizeof(number);
  if (result->stop_asked) result->stopped = STOP_ASKED;
  if (b->request.max_states && b->states >= b->request.max_states) result->stopped = STOP_STATES;
  if (exceeds(&b->request.allowance, b->states, b->count, b->ctx.work)) result->stopped = STOP_ALLOWANCE;
  if (b->request.max_memory && result->memory >= b->request.max_memory) result->stopped = STOP_MEMORY;
}

static void look_at_conditions(struct branching *b, u64 index, const u8 *state) {
  int targets[model_claim_edges];
  u64 marks[model_claim_edges], bits = 0;
  b->ctx.timeout = 0;
  int count = model_claim(&b->ctx, state, 0, targets, marks);
  for (int k = 0; k < count; k++) bits |= (u64)1 << targets[k];
  b->conditions[index] = bits;
  if (b->ctx.fault && !b->fault) {
    b->fault = b->ctx.fault;
    b->fault_state = index;
  }
  b->ctx.fault = FAULT_NONE;
}

static void expand(struct branching *b, u64 index) {
  struct context *ctx = &b->ctx;
  u8 state[STATE_SIZE];
  memcpy(state, visited_state(&b->visited, index), STATE_SIZE);
  look_at_conditions(b, index, state);
  b->fresh_count = 0;
  ctx->timeout = 0;
  int moves = model_successors(ctx, state);
#if MODEL_TIMES_OUT
  if (moves == 0) {
    ctx->timeout = 1;
    model_successors(ctx, state);
  }
#endif
  (void)moves;
  if (ctx->overflow_slot >= 0) {
    b->result->stopped = STOP_OVERFLOW;
    b->result->overflow_slot = ctx->overflow_slot;
    b->result->overflow_kind = ctx->overflow_kind;
    return;
  }
#if MODEL_SYMMETRIC
  certify_expanded(&b->certificates, state, b->fresh_count, &b->request, b->result);
#endif
  for (u64 k = 0; k < b->fresh_count && !is_stopped(b); k++) {
    if (!grow(&b->after.targets, b->count, &b->room, sizeof *b->after.targets)) {
      b->result->stopped = STOP_MEMORY;
      return;
    }
    b->after.targets[b->count++] = (number)enter(b, &b->fresh[k]);
  }
}

static int turn_around(struct branching *b) {
  u64 *offsets = calloc(b->states + 1, sizeof *offsets);
  number *sources = malloc((b->count + 1) * sizeof *sources);
  b->before = (struct edges){offsets, sources};
  if (!offsets || !sources) return 0;
  for (u64 k = 0; k < b->count; k++) offsets[b->after.targets[k]]++;
  for (u64 s = 1; s <= b->states; s++) offsets[s] += offsets[s - 1];
  /* Rows are filled backwards: each offset moves from the end of its row to the beginning. */
  for (u64 s = b->states; s-- > 0 && !asked_to_stop(b, s);)
    for (u64 k = b->after.offsets[s]; k < b->after.offsets[s + 1]; k++)
      sources[--offsets[b->after.targets[k]]] = (number)s;
  return 1;
}

void branching_run(struct branching *b) {
  struct fresh first;
  memcpy(first.state, b->request.initial, STATE_SIZE);
  first.hash = hash_state(first.state);
  enter(b, &first);
  for (u64 index = 0; index < b->states && !is_stopped(b); index++) {
    if (!grow(&b->after.offsets, index + 1, &b->offsets_room, sizeof(u64)) ||
        !grow(&b->conditions, index + 1, &b->conditions_room, sizeof(u64))) {
      b->result->stopped = STOP_MEMORY;
      break;
    }
    b->after.offsets[index] = b->count;
    expand(b, index);
    if ((index & LOOK_EVERY) == 0 || b->result->stop_asked) look_at_limits(b);
    b->result->frontier = b->states - index - 1;
  }
  if (!is_stopped(b)) {
    look_at_limits(b);
    b->after.offsets[b->states] = b->count;
    if (!is_stopped(b) && !turn_around(b)) b->result->stopped = STOP_MEMORY;
  }
  b->result->states = b->states;
}

/* --- sets of states ----------------------------------------------------------------------------------------------- */

static int is_end(const struct branching *b, u64 state) {
  return b->after.offsets[state] == b->after.offsets[state + 1];
}

void branching_truth(struct branching *b, int condition, u8 *out) {
  for (u64 s = 0; s < b->states; s++) out[s] = b->conditions[s] >> condition & 1;
}

void branching_some_next(struct branching *b, const u8 *holds, u8 *out) {
  for (u64 s = 0; s < b->states && !asked_to_stop(b, s); s++) {
    u8 some = is_end(b, s) ? holds[s] : 0;
    for (u64 k = b->after.offsets[s]; k < b->after.offsets[s + 1] && !some; k++) some = holds[b->after.targets[k]];
    out[s] = some;
  }
}

void branching_some_until(struct branching *b, const u8 *holds, const u8 *reaches, u8 *out) {
  number *todo = malloc((b->states + 1) * sizeof *todo);
  u64 top = 0;
  if (!todo) b->result->stopped = STOP_MEMORY;
  for (u64 s = 0; s < b->states && todo; s++)
    if ((out[s] = reaches[s])) todo[top++] = (number)s;
  for (u64 done = 0; top && !asked_to_stop(b, done); done++) {
    u64 s = todo[--top];
    for (u64 k = b->before.offsets[s]; k < b->before.offsets[s + 1]; k++) {
      number source = b->before.targets[k];
      if (!holds[source] || out[source]) continue;
      out[source] = 1;
      todo[top++] = source;
    }
  }
  free(todo);
}

void branching_some_always(struct branching *b, const u8 *holds, u8 *out) {
  number *todo = malloc((b->states + 1) * sizeof *todo), *left = malloc((b->states + 1) * sizeof *left);
  u64 top = 0;
  if (!todo || !left) b->result->stopped = STOP_MEMORY;
  for (u64 s = 0; s < b->states && todo && left && !asked_to_stop(b, s); s++) {
    left[s] = (number)is_end(b, s);
    for (u64 k = b->after.offsets[s]; k < b->after.offsets[s + 1]; k++) left[s] += holds[b->after.targets[k]];
    if ((out[s] = holds[s]) && !left[s]) todo[top++] = (number)s;
  }
  for (u64 done = 0; top && !asked_to_stop(b, done); done++) {
    u64 s = todo[--top];
    out[s] = 0;
    for (u64 k = b->before.offsets[s]; k < b->before.offsets[s + 1]; k++) {
      number source = b->before.targets[k];
      if (--left[source] == 0 && out[source]) todo[top++] = source;
    }
  }
  free(todo);
  free(left);
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

u64 branching_path(struct branching *b, u64 start, const u8 *inside, const u8 *goal, int steps, u64 *out) {
  if (goal[start] && !steps) {
    out[0] = start;
    return 1;
  }
  number *parents = malloc((b->states + 1) * sizeof *parents), *queue = malloc((b->states + 1) * sizeof *queue);
  u8 *seen = calloc(b->states + 1, 1);
  u64 length = 0, first = 0, last = 0;
  if (!parents || !queue || !seen) b->result->stopped = STOP_MEMORY;
  else if (inside[start]) queue[last++] = (number)start, seen[start] = 1;
  for (; first < last && !length && !asked_to_stop(b, first); first++) {
    u64 s = queue[first];
    for (u64 k = b->after.offsets[s]; k < b->after.offsets[s + 1] && !length; k++) {
      number target = b->after.targets[k];
      if (goal[target]) {
        out[length++] = target;
        for (out[length++] = s; out[length - 1] != start; length++) out[length] = parents[out[length - 1]];
      } else if (inside[target] && !seen[target]) {
        seen[target] = 1;
        parents[target] = (number)s;
        queue[last++] = target;
      }
    }
  }
  free(parents);
  free(queue);
  free(seen);
  return length;
}

/* --- functions for Python ----------------------------------------------------------------------------------------- */

void branching_free(struct branching *b) {
  if (!b) return;
  free(b->fresh);
  free(b->after.offsets);
  free(b->after.targets);
  free(b->before.offsets);
  free(b->before.targets);
  free(b->conditions);
  visited_close(&b->visited);
  free(b);
}

struct branching *branching_new(const struct request *request, struct result *result) {
  struct branching *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->request = *request;
  b->result = result;
  b->ctx.worker = b;
  b->ctx.overflow_slot = -1;
  b->ctx.stop_asked = &result->stop_asked;
  b->ctx.successor = collect;
  b->ctx.report = ignore;
  if (!visited_open(&b->visited, request->reserve)) {
    branching_free(b);
    return NULL;
  }
  return b;
}

int branching_fault(struct branching *b, u64 *state) {
  *state = b->fault_state;
  return b->fault;
}

void branching_state(struct branching *b, u64 index, u8 *out) {
  memcpy(out, visited_state(&b->visited, index), STATE_SIZE);
}

u64 branching_following(struct branching *b, u64 state, const number **out) {
  *out = b->after.targets + b->after.offsets[state];
  return b->after.offsets[state + 1] - b->after.offsets[state];
}
