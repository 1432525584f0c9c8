/* What the automaton of a property can do in a state (MODEL_GRAPH).

   Conditions that are only observed (MODEL_OBSERVES) are an automaton with one location, which always takes its only edge.

   Part of worker.h. */
#ifndef AUTOMATON_H
#define AUTOMATON_H

#include "pack.h"

#if MODEL_GRAPH

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
extern const int model_claim_group[]; /* by location: its component, 0 if no cycle in it is accepting */
#if MODEL_FAIR
struct context;
u64 model_constraints(struct context *ctx, const u8 *s); /* which conditions of fairness constraints hold (labels.h) */
extern const uint16_t model_identity[];                  /* no process is renumbered */
#endif

#endif
#endif
