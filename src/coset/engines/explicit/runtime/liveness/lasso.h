/* A cycle in a strongly connected component that takes every mark.

   From a root, the shortest way is walked by an edge with a missing mark, until none is missing, and then the shortest way back.

   Part of cycles.c and product.c. */
#ifndef LASSO_H
#define LASSO_H

#include "memory.h"
#include "stack.h"

struct lasso_step {
  u64 target, marks;
};

/* A component: `steps` tells the edges of a state that stay inside of it. */
struct lasso_component {
  void *graph;
  u64 extent; /* one more than the largest number of a state */
  u64 root, required;
  u64 (*steps)(void *graph, u64 state, const struct lasso_step **steps);
};

struct lasso_way {
  u64 *items;
  u64 count, room;
};

/* A walk, breadth first: by state, where it came from plus 1, and the marks on the way. */
struct lasso_walk {
  u64 *before, *marks, *queue;
};

/* Append the states after `start` up to the end of a step. */
static void append_way(const struct lasso_walk *walk, u64 start, u64 state, u64 target, struct lasso_way *way) {
  u64 length = 1;
  for (u64 at = state; at != start; at = walk->before[at] - 1) length++;
  for (u64 k = 0; k < length; k++) PUSH(*way, target);
  u64 *place = &way->items[way->count - 2];
  for (u64 at = state; at != start; at = walk->before[at] - 1) *place-- = at;
}

/* The shortest way from a state by a step that takes a missing mark, or, if none is missing, to the root.  Appends its states;
   returns the marks that it takes. */
static u64 walk_on(const struct lasso_component *c, u64 start, u64 missing, struct lasso_way *way) {
  u64 bytes = c->extent * sizeof(u64), first = 0, last = 0, taken = 0, before = way->count;
  struct lasso_walk walk = {memory_reserve(bytes), memory_reserve(bytes), memory_reserve(bytes)};
  if (walk.before && walk.marks && walk.queue) walk.queue[last++] = start;
  for (; first < last && way->count == before; first++) {
    const struct lasso_step *steps;
    u64 state = walk.queue[first], count = c->steps(c->graph, state, &steps);
    for (u64 k = 0; k < count && way->count == before; k++) {
      u64 target = steps[k].target, marks = steps[k].marks | walk.marks[state];
      if (missing ? (steps[k].marks & missing) != 0 : target == c->root) {
        append_way(&walk, start, state, target, way);
        taken = marks;
      } else if (target != start && !walk.before[target]) {
        walk.before[target] = state + 1;
        walk.marks[target] = marks;
        walk.queue[last++] = target;
      }
    }
  }
  memory_release(walk.before, bytes);
  memory_release(walk.marks, bytes);
  memory_release(walk.queue, bytes);
  return taken;
}

/* Append a cycle from the root back to it, without its first state; returns whether there was memory. */
static int append_cycle(const struct lasso_component *c, struct lasso_way *way) {
  u64 here = c->root, done = way->count, begin = way->count;
  for (u64 missing = c->required; missing; here = way->items[done - 1]) {
    missing &= ~walk_on(c, here, missing, way);
    if (way->count == done) return 0;
    done = way->count;
  }
  if (way->count == begin || here != c->root) walk_on(c, here, 0, way);
  return way->count > begin && way->items[way->count - 1] == c->root;
}

/* Write a path to the root and a cycle, and forget them; returns how many states there are, 0 without memory. */
static inline u64 write_lasso(struct lasso_way *way, int is_whole, u64 *out, u64 room) {
  u64 count = is_whole ? way->count : 0;
  if (count && room >= count) memcpy(out, way->items, count * sizeof *out);
  free(way->items);
  return count;
}

#endif
