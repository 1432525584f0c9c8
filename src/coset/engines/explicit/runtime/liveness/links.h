/* The edges that a breadth-first search records (MODEL_GRAPH), for what is decided on the graph afterwards.

   Each thread appends the edges of the states that it expands to memory of its own, one row after the other.  A row begins with
   its length.  States have numbers below 2^32.

   Part of worker.h. */
#ifndef LINKS_H
#define LINKS_H

#include "pack.h"

#if MODEL_GRAPH

typedef uint32_t number;
#define MOST_NUMBERED ((u64)UINT32_MAX - 1)

/* An edge; before the first one of a row, the length of the row. */
struct link {
  number target;
#if MODEL_MARKED
  uint32_t marks;
#endif
#if MODEL_FAIR
  uint32_t label; /* of the step (labels.h) */
#endif
};

/* The rows of one thread. */
struct links {
  struct link *items;
  u64 count, room;
  u64 source, begin; /* the row that is being written */
};

/* The rows of all states: by number, the thread and where its row begins, plus 1; 0 if the state has none. */
struct rows {
  u64 *at, room;
};

#define ROW_BITS 56
#define NO_SOURCE UINT64_MAX

#endif
#endif
