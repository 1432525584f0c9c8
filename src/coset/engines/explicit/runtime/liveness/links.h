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

/* The automaton of a property, or conditions to be observed: an automaton with one location that always takes its only edge. */

/* An edge of the automaton that can be taken in a state.  It is kept if it may be part of an accepting cycle. */
struct claim_edge {
  uint32_t target, marks;
  int is_kept;
};

struct claim_edges {
  int count;
  struct claim_edge of[MODEL_CLAIM_EDGES];
};

/* The edges, or the conditions that hold, for a recent value of the components that they depend on. */
#define CLAIM_BITS 10
#define CLAIM_CACHE (1 << CLAIM_BITS)
struct cached_claim {
  u64 key[PACKED_WORDS];
  u64 conditions;
  int location; /* plus 1; 0 if the entry is free */
  struct claim_edges edges;
};

/* The conditions that hold in a state, as bits. */
#if MODEL_CLAIM_EDGES <= 8
typedef u8 condition_bits;
#else
typedef u64 condition_bits;
#endif

/* How the locations of the automaton are packed. */
struct locations {
  u64 mask[PACKED_WORDS];
  u64 words[MODEL_CLAIM_STATES][PACKED_WORDS];
  u64 reads[PACKED_WORDS]; /* the components that the automaton's conditions depend on */
};

/* The model (generated). */
extern const u64 model_claim_reads[]; /* these components, as bits */
extern const int
    model_claim_group[]; /* by location: its strongly connected component, 0 if no cycle in it is accepting */

#endif
#endif
