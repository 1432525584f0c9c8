/* Accepting cycles of the product of the model and a property's automaton: cycles that take every mark.

   A depth-first search that finds strongly connected components on the fly (Couvreur, FM 1999; Gabow 2000) and collects
   the marks of generalised Büchi acceptance per component.  A state in which nothing can happen repeats forever. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "cycles.h"
#include "lasso.h"
#include "stubborn.h"
#include "visited.h"
#if MODEL_SYMMETRIC
#include "certify.h"
#endif

#define DEAD UINT32_MAX

extern const int model_claim_edges;

struct step {
  u64 index, marks;
};

struct frame {
  u64 index, first, next, end, entry; /* its steps, and which is next: in the order in which the model makes them */
};

struct component {
  u64 number, marks, entry;
};

struct found {
  u8 state[STATE_SIZE];
};

struct cycles {
  struct context ctx;
  struct request request;
  struct result *result;
  struct visited visited;
  struct certificates certificates;
  uint32_t *numbers; /* order of visit; 0 before the visit, DEAD once the component is finished */
  u64 states, visits, required, accepting_from;
  STACK(struct found) found;
  STACK(struct step) steps;
  STACK(struct frame) frames;
  STACK(struct component) components;
  STACK(u64) live;
  STACK(struct lasso_step) inside;
};

static void collect(struct context *ctx, const u8 *t) {
  struct cycles *c = ctx->worker;
  struct found found;
  memcpy(found.state, t, STATE_SIZE);
  PUSH(c->found, found);
}

static void ignore(struct context *ctx, int error, int edge) {
  struct cycles *c = ctx->worker;
  (void)edge;
  c->result->errors[error]++;
}

static u64 enter(struct cycles *c, const u8 *state) {
  u64 index = visited_put(&c->visited, state, hash_state(state), c->states);
  if (index == c->states) {
    c->states++;
    if (c->states + 1 >= c->visited.states.capacity) c->result->stopped = STOP_MEMORY;
    visited_grow(&c->visited, c->states + 1);
  }
  return index;
}

/* Whether a state is in a component that is not finished yet. */
static int is_live(const struct cycles *c, u64 index) { return c->numbers[index] != 0 && c->numbers[index] != DEAD; }

/* Push the steps to the states found from `first` on, combined with the edges of the automaton; returns whether one of
   them leads into an unfinished component. */
static int push_steps(struct cycles *c, u64 first, int edges, const int *targets, const u64 *marks) {
  int is_closing = 0;
  for (u64 k = first; k < c->found.count; k++) {
    for (int edge = 0; edge < edges; edge++) {
      SET_CLAIM(c->found.items[k].state, targets[edge])
      struct step step = {enter(c, c->found.items[k].state), marks[edge]};
      is_closing |= is_live(c, step.index);
      PUSH(c->steps, step);
      if (c->result->stopped == STOP_MEMORY) return 1;
    }
  }
  c->result->transitions += (c->found.count - first) * (u64)edges;
  return is_closing;
}

/* Make all moves from a state, or those of a stubborn set if none of its steps may close a cycle (stubborn.py).  Returns
   how many there are, and sets how many of the found states already have their steps on the stack. */
static int moves_from(struct cycles *c, const u8 *state, int edges, const int *targets, const u64 *marks, u64 *pushed) {
  *pushed = 0;
#if MODEL_PARTIAL
  struct stubborn sets;
  struct masks_of_state masks;
  if (stubborn_begin(&c->ctx, state, &sets, &masks)) {
    int moves = 0;
    while (sets.done != sets.all) {
      int is_first = c->found.count == 0;
      moves += model_moves_of(&c->ctx, state, stubborn_next(&sets));
      if (is_first && c->found.count && sets.done != sets.all) {
        *pushed = c->found.count;
        if (!push_steps(c, 0, edges, targets, marks)) {
          c->result->reduced++;
          return moves;
        }
      }
    }
    return moves;
  }
#endif
  (void)edges, (void)targets, (void)marks;
  return model_successors(&c->ctx, state);
}

/* Push the steps from a state. */
static void expand(struct cycles *c, u64 index) {
  u8 state[STATE_SIZE];
  int targets[model_claim_edges];
  u64 marks[model_claim_edges], pushed;
  memcpy(state, visited_state(&c->visited, index), STATE_SIZE);
  c->ctx.timeout = 0;
  int edges = model_claim(&c->ctx, state, GET_CLAIM(state), targets, marks);
  if (c->ctx.fault && c->result->stopped == STOP_DONE) c->result->stopped = STOP_PROPERTY;
  if (c->ctx.fault) edges = 0;
  c->ctx.fault = FAULT_NONE;
  if (edges == 0) return;
  c->found.count = 0;
  int moves = moves_from(c, state, edges, targets, marks, &pushed);
#if MODEL_TIMES_OUT
  if (moves == 0) {
    c->ctx.timeout = 1;
    moves = model_successors(&c->ctx, state);
  }
#endif
  if (c->ctx.overflow_slot >= 0) {
    c->result->stopped = STOP_OVERFLOW;
    c->result->overflow_slot = c->ctx.overflow_slot;
    c->result->overflow_kind = c->ctx.overflow_kind;
    return;
  }
  if (moves == 0 && c->request.stays) {
    struct found stays;
    memcpy(stays.state, state, STATE_SIZE);
    PUSH(c->found, stays);
  }
  push_steps(c, pushed, edges, targets, marks);
}

static void visit(struct cycles *c, u64 index, u64 entry) {
  c->numbers[index] = (uint32_t)++c->visits;
  struct component alone = {c->visits, 0, entry};
  struct frame frame = {index, c->steps.count, c->steps.count, 0, entry};
  PUSH(c->components, alone);
  PUSH(c->live, index);
  PUSH(c->frames, frame);
  expand(c, index);
#if MODEL_SYMMETRIC
  const u8 *state = visited_state(&c->visited, index);
  certify_expanded(&c->certificates, state, c->steps.count - frame.next, &c->request, c->result);
#endif
  c->frames.items[c->frames.count - 1].end = c->steps.count;
  if (c->frames.count > c->result->depth) c->result->depth = c->frames.count;
}

static void leave(struct cycles *c, u64 index) {
  if (c->components.items[c->components.count - 1].number != c->numbers[index]) return;
  c->components.count--;
  u64 member;
  do {
    member = c->live.items[--c->live.count];
    c->numbers[member] = DEAD;
  } while (member != index);
}

static int look_at_limits(struct cycles *c) {
  struct result *result = c->result;
  result->states = c->states;
  result->frontier = c->frames.count;
  if (result->stop_asked) result->stopped = STOP_ASKED;
  if (c->request.max_states && c->states >= c->request.max_states) result->stopped = STOP_STATES;
  if (exceeds(&c->request.allowance, c->states, result->transitions, c->ctx.work)) result->stopped = STOP_ALLOWANCE;
  if (c->request.max_memory && c->states * (STATE_SIZE + 24) >= c->request.max_memory) result->stopped = STOP_MEMORY;
  return result->stopped != STOP_DONE;
}

static void search_from(struct cycles *c, u64 index) {
  u64 count = 0;
  visit(c, index, 0);
  while (c->frames.count && c->result->stopped == STOP_DONE) {
    struct frame *frame = &c->frames.items[c->frames.count - 1];
    if (((++count & 127) == 0 || c->result->stop_asked) && look_at_limits(c)) return;
    if (frame->next == frame->end) {
      u64 done = frame->index;
      c->steps.count = frame->first;
      c->frames.count--;
      leave(c, done);
      continue;
    }
    struct step step = c->steps.items[frame->next++];
    uint32_t number = c->numbers[step.index];
    if (number == 0) {
      visit(c, step.index, step.marks);
    } else if (number != DEAD) {
      u64 marks = step.marks;
      while (c->components.items[c->components.count - 1].number > number) {
        struct component inner = c->components.items[--c->components.count];
        marks |= inner.marks | inner.entry;
      }
      struct component *top = &c->components.items[c->components.count - 1];
      top->marks |= marks;
      if ((top->marks & c->required) == c->required) {
        c->accepting_from = top->number;
        c->result->stopped = STOP_ERROR;
      }
    }
  }
}

/* --- functions for Python ----------------------------------------------------------------------------------------- */

struct cycles *cycles_new(const struct request *request, struct result *result) {
  struct cycles *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->request = *request;
  c->result = result;
  c->required = MODEL_REQUIRED;
  c->ctx.worker = c;
  c->ctx.overflow_slot = -1;
  c->ctx.stop_asked = &result->stop_asked;
  c->ctx.successor = collect;
  c->ctx.report = ignore;
  if (!visited_open(&c->visited, request->reserve)) {
    cycles_free(c);
    return NULL;
  }
  c->numbers = mmap(NULL, c->visited.states.capacity * sizeof *c->numbers, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (c->numbers == MAP_FAILED) {
    c->numbers = NULL;
    cycles_free(c);
    return NULL;
  }
  return c;
}

void cycles_run(struct cycles *c, int initial) {
  u8 state[STATE_SIZE];
  if (c->result->stopped != STOP_DONE) return;
#if MODEL_SYMMETRIC
  representative(c->request.initial, state); /* a symmetry may change values of it that no run reads */
#else
  memcpy(state, c->request.initial, STATE_SIZE);
#endif
  SET_CLAIM(state, initial)
  u64 index = enter(c, state);
  if (c->numbers[index] == 0) search_from(c, index);
  c->result->states = c->states;
}

void cycles_state(struct cycles *c, u64 index, u8 *out) { memcpy(out, visited_state(&c->visited, index), STATE_SIZE); }

/* --- the counterexample ------------------------------------------------------------------------------------------- */

static int is_member(const struct cycles *c, u64 index) {
  return c->numbers[index] != DEAD && c->numbers[index] >= c->accepting_from;
}

static u64 steps_inside(void *graph, u64 state, const struct lasso_step **steps) {
  struct cycles *c = graph;
  u64 base = c->steps.count;
  expand(c, state);
  c->inside.count = 0;
  for (u64 k = base; k < c->steps.count; k++) {
    struct lasso_step step = {c->steps.items[k].index, c->steps.items[k].marks};
    if (is_member(c, step.target)) PUSH(c->inside, step);
  }
  c->steps.count = base;
  *steps = c->inside.items;
  return c->inside.count;
}

u64 cycles_lasso(struct cycles *c, u64 *out, u64 room, u64 *stem) {
  struct lasso_way way = {0};
  for (u64 k = 0; !way.count || !is_member(c, way.items[way.count - 1]); k++) PUSH(way, c->frames.items[k].index);
  *stem = way.count;
  struct lasso_component component = {c, c->states, way.items[way.count - 1], c->required, steps_inside};
  int is_whole = append_cycle(&component, &way);
  return write_lasso(&way, is_whole, out, room);
}

void cycles_free(struct cycles *c) {
  if (!c) return;
  free(c->found.items);
  free(c->steps.items);
  free(c->frames.items);
  free(c->components.items);
  free(c->live.items);
  free(c->inside.items);
  if (c->numbers) munmap(c->numbers, c->visited.states.capacity * sizeof *c->numbers);
  visited_close(&c->visited);
  free(c);
}
