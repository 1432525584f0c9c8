/* The shortest lasso of a graph whose states are numbered breadth first.

   A lasso is a shortest path to a state and a closed walk from there that takes every mark.  It may as well begin at the state of
   the walk with the least number, which is nearest: so for each state of an accepting component, in the order of their
   numbers, the shortest walk through states with larger numbers is found by a breadth-first search in the graph of states and sets of
   marks.  Walks that would not be shorter than the best one so far are not continued.  With many marks the sets are too
   many; then the walk goes to the nearest edge with a missing mark, again and again (lasso.h), which may be longer.

   The work is bounded by a number of edges, so that the result does not depend on the machine.

   Part of shortest.c. */
#ifndef SHORTEST_CYCLE_H
#define SHORTEST_CYCLE_H

#include "lasso.h"

#define NO_PARENT UINT64_MAX
#ifndef MOST_SET_MARKS
#define MOST_SET_MARKS 4 /* sets of more marks are not distinguished */
#endif
#define MOST_WALKS 64             /* how often the nearest missing mark is followed, from different states */
#define WORK_PER_EDGE 64          /* edges that may be looked at for each one of the graph */
#define LEAST_WORK ((u64)1 << 20) /* and this many in any case */
#define NOT_VISITED 0

struct lasso_edge {
  uint32_t target;
  u64 marks;
};

/* States whose row is not there have not been expanded. */
struct lasso_graph {
  u64 required;
  STACK(u64) parents, rows, levels; /* by state: where it was reached from, its first edge; by depth: its first state */
  STACK(struct lasso_edge) edges;
  uint32_t *component; /* by state: its accepting component, 0 if none */
  STACK(struct lasso_step) inside;
};

struct best_lasso {
  u64 length, root; /* in steps */
  struct lasso_way cycle;
};

static u64 row_end(const struct lasso_graph *g, u64 state) {
  return state + 1 < g->rows.count ? g->rows.items[state + 1] : g->edges.count;
}

/* --- accepting components ----------------------------------------------------------------------------------------- */

struct tarjan_frame {
  u64 state, next;
};

/* Number the components that take every mark (R. Tarjan, "Depth-first search and linear graph algorithms", 1972); returns whether
   there are any. */
struct tarjan {
  uint32_t *order, *low; /* by state: the order of visit, and the earliest state on the stack that it leads to */
  STACK(struct tarjan_frame) frames;
  STACK(u64) live;
  uint32_t visits, found;
};

static void tarjan_enter(struct tarjan *t, const struct lasso_graph *g, u64 state) {
  struct tarjan_frame frame = {state, g->rows.items[state]};
  t->order[state] = t->low[state] = ++t->visits;
  PUSH(t->frames, frame);
  PUSH(t->live, state);
}

/* A component is complete: it is on the stack from a state on. */
static void tarjan_close(struct tarjan *t, struct lasso_graph *g, u64 state) {
  u64 begin = t->live.count, marks = 0, inner = 0;
  while (t->live.items[--begin] != state) {}
  for (u64 k = begin; k < t->live.count; k++) g->component[t->live.items[k]] = UINT32_MAX;
  for (u64 k = begin; k < t->live.count; k++)
    for (u64 e = g->rows.items[t->live.items[k]]; e < row_end(g, t->live.items[k]); e++)
      if (g->component[g->edges.items[e].target] == UINT32_MAX) {
        marks |= g->edges.items[e].marks;
        inner++;
      }
  uint32_t number = inner && (marks & g->required) == g->required ? ++t->found : 0;
  for (u64 k = begin; k < t->live.count; k++) {
    g->component[t->live.items[k]] = number;
    t->order[t->live.items[k]] = UINT32_MAX;
  }
  t->live.count = begin;
}

static void tarjan_from(struct tarjan *t, struct lasso_graph *g, u64 start) {
  tarjan_enter(t, g, start);
  while (t->frames.count) {
    struct tarjan_frame *frame = &t->frames.items[t->frames.count - 1];
    u64 state = frame->state;
    if (frame->next < row_end(g, state)) {
      u64 target = g->edges.items[frame->next++].target;
      if (target >= g->rows.count) continue;
      if (t->order[target] == NOT_VISITED) tarjan_enter(t, g, target);
      else if (t->order[target] != UINT32_MAX && t->order[target] < t->low[state]) t->low[state] = t->order[target];
      continue;
    }
    t->frames.count--;
    if (t->low[state] == t->order[state]) tarjan_close(t, g, state);
    if (t->frames.count) {
      u64 before = t->frames.items[t->frames.count - 1].state;
      if (t->low[state] < t->low[before]) t->low[before] = t->low[state];
    }
  }
}

static int find_components(struct lasso_graph *g) {
  u64 count = g->rows.count;
  struct tarjan t = {.order = calloc(count + 1, sizeof *t.order), .low = calloc(count + 1, sizeof *t.low)};
  for (u64 state = 0; t.order && t.low && state < count; state++)
    if (t.order[state] == NOT_VISITED) tarjan_from(&t, g, state);
  free(t.order);
  free(t.low);
  free(t.frames.items);
  free(t.live.items);
  return t.found != 0;
}

/* --- walks -------------------------------------------------------------------------------------------------------- */

/* A breadth-first search in the graph of states and sets of marks.  Node (state << bits | set). */
struct walks {
  int bits;
  u64 full;             /* the set of all marks */
  uint32_t *stamp, run; /* by node: the last search that visited it */
  uint64_t *before;
  STACK(u64) queue;
  u64 work;
};

/* The marks of an edge as a set: one bit for each required mark. */
static u64 set_of(u64 required, u64 marks) {
  u64 set = 0;
  for (u64 bit = 1; required; required &= required - 1, bit <<= 1)
    if (marks & (required & -required)) set |= bit;
  return set;
}

/* Keep the walk that ends with a step from a node to the root. */
static void keep_walk(const struct walks *w, u64 first, u64 last, u64 root, u64 length, u64 depth,
                      struct best_lasso *best) {
  best->length = length + depth;
  best->root = root;
  best->cycle.count = 0;
  for (u64 k = 0; k < length; k++) PUSH(best->cycle, root);
  u64 place = length - 1;
  for (u64 node = last; node != first; node = w->before[node]) best->cycle.items[--place] = node >> w->bits;
}

/* The shortest walk from a state at some depth back to it, if it makes a shorter lasso. */
static void walk_from(struct lasso_graph *g, struct walks *w, u64 root, u64 depth, struct best_lasso *best) {
  u64 first = root << w->bits;
  w->run++;
  w->queue.count = 0;
  w->stamp[first] = w->run;
  PUSH(w->queue, first);
  u64 length = 1, level_end = 1;
  for (u64 k = 0; k < w->queue.count && w->work; k++) {
    if (k == level_end) {
      length++;
      level_end = w->queue.count;
    }
    if (depth + length >= best->length) return;
    u64 node = w->queue.items[k], state = node >> w->bits, set = node & w->full;
    for (u64 e = g->rows.items[state]; e < row_end(g, state) && w->work; e++, w->work--) {
      const struct lasso_edge *edge = &g->edges.items[e];
      if (edge->target < root || edge->target >= g->rows.count || g->component[edge->target] != g->component[root])
        continue;
      u64 next = set | set_of(g->required, edge->marks), target = (u64)edge->target << w->bits | next;
      if (edge->target == root && next == w->full) {
        keep_walk(w, first, node, root, length, depth, best);
        return;
      }
      if (w->stamp[target] == w->run) continue;
      w->stamp[target] = w->run;
      w->before[target] = node;
      PUSH(w->queue, target);
    }
  }
}

static u64 steps_in_component(void *graph, u64 state, const struct lasso_step **steps) {
  struct lasso_graph *g = graph;
  g->inside.count = 0;
  for (u64 e = g->rows.items[state]; e < row_end(g, state); e++) {
    struct lasso_step step = {g->edges.items[e].target, g->edges.items[e].marks};
    if (step.target < g->rows.count && g->component[step.target] == g->component[state]) PUSH(g->inside, step);
  }
  *steps = g->inside.items;
  return g->inside.count;
}

/* A walk by the nearest edges with missing marks, if it makes a shorter lasso. */
static void walk_nearest(struct lasso_graph *g, u64 root, u64 depth, struct best_lasso *best) {
  struct lasso_component component = {g, g->rows.count, root, g->required, steps_in_component};
  struct lasso_way way = {0};
  if (append_cycle(&component, &way) && depth + way.count < best->length) {
    free(best->cycle.items);
    best->cycle = way;
    best->root = root;
    best->length = depth + way.count;
  } else {
    free(way.items);
  }
}

/* Look at the states of accepting components, the nearest first. */
static void walk_from_all(struct lasso_graph *g, struct best_lasso *best, const volatile int *stop_asked) {
  struct walks w = {.work = LEAST_WORK + WORK_PER_EDGE * g->edges.count};
  int walked = 0;
  while (w.bits <= MOST_SET_MARKS && set_of(g->required, g->required) >> w.bits) w.bits++;
  int is_exact = w.bits <= MOST_SET_MARKS;
  w.full = ((u64)1 << w.bits) - 1;
  if (is_exact) {
    w.stamp = calloc(g->rows.count << w.bits, sizeof *w.stamp);
    w.before = malloc((g->rows.count << w.bits) * sizeof *w.before);
    is_exact = w.stamp && w.before;
  }
  u64 depth = 0;
  for (u64 state = 0; state < g->rows.count && !*stop_asked; state++) {
    while (depth + 1 < g->levels.count && g->levels.items[depth + 1] <= state) depth++;
    if (depth + 1 >= best->length) break;
    if (!g->component[state]) continue;
    if (is_exact && w.work) walk_from(g, &w, state, depth, best);
    else if (!is_exact && walked++ < MOST_WALKS) walk_nearest(g, state, depth, best);
  }
  free(w.stamp);
  free(w.before);
  free(w.queue.items);
}

/* Find a lasso that is shorter than the best one so far. */
static void find_lasso(struct lasso_graph *g, struct best_lasso *best, const volatile int *stop_asked) {
  g->component = calloc(g->parents.count + 1, sizeof *g->component);
  if (g->component && find_components(g)) walk_from_all(g, best, stop_asked);
  free(g->component);
  free(g->inside.items);
  g->component = NULL;
  g->inside.items = NULL;
  g->inside.count = g->inside.room = 0;
}

#endif
