/* A successor before it is stored: packed, and replaced by the representative of its orbit.

   Part of breadth.c and depth.c. */
#ifndef SUCCESSOR_H
#define SUCCESSOR_H

#include "worker.h"

/* The packed form of a successor; returns whether it fits. */
static inline int pack_successor(struct worker *w, const u8 *t, u8 *packed) {
#if MODEL_CACHES
  const u8 *parent = w->unpacked ? w->current.state : NULL;
  int full = dictionary_pack(&w->search->footprints.dictionary, t, parent, w->current.packed, packed);
  if (__builtin_expect(full != DICTIONARY_FITS, 0)) {
    too_wide(w, full);
    return 0;
  }
  if (w->learning && !cached_learn(w->cache, w->learning, (const u64 *)w->current.packed, (const u64 *)packed))
    w->learning = NULL;
#else
  if (__builtin_expect(pack(t, packed) != 0, 0)) {
    too_wide(w, 0);
    return 0;
  }
#endif
  return 1;
}

/* Replace a packed state by the representative of its orbit, if the model has not done so; returns how many states it represents. */
static inline orbit_count represented(struct worker *w, u8 *packed) {
#if MODEL_NUMBERED
  return numbered_representative(w, (u64 *)(void *)packed);
#else
  (void)packed;
  return w->ctx.orbit;
#endif
}

/* Whether this was possible: otherwise successors are dropped, and the state is expanded again. */
static inline int is_represented(const struct worker *w) { return !MODEL_NUMBERED || !w->is_cut; }

/* The state that is expanded, as it is. */
static inline const u8 *unpacked(struct worker *w) {
#if MODEL_CACHES
  if (!w->unpacked) dictionary_unpack(&w->search->footprints.dictionary, w->current.packed, w->current.state);
#else
  if (!w->unpacked) unpack(w->current.packed, w->current.state);
#endif
  w->unpacked = 1;
  return w->current.state;
}

static inline void open_cache(struct worker *w) {
#if MODEL_CACHES
  if (!(w->cache = aligned_alloc(64, sizeof(struct transition_cache)))) abort();
  memset(w->cache, 0, sizeof(struct transition_cache));
#else
  (void)w;
#endif
}

#endif
