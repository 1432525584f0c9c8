/* The successors of a packed state by stubborn sets (stubborn.h): the masks of processes are memoised as their moves are.

   What a process touches now depends on its footprint only (transition_cache.h): on its own variables, and on whether the
   channels that it waits for are empty or full.  What it may touch later depends on its location only.

   Part of expand.h. */
#ifndef EXPAND_SETS_H
#define EXPAND_SETS_H

#include "stubborn.h"

#if MODEL_PARTIAL

/* The stubborn sets of the state that a worker expands. */
struct sets_of_state {
  struct stubborn stubborn;
#if !MODEL_CACHES
  struct masks_of_state masks;
#endif
};

#if MODEL_CACHES
#ifdef CHECK_TRANSITION_CACHE
/* For tests: compare the masks of a process with the model's. */
static void check_masks(struct worker *w, int pid, const u64 *against) {
  u64 expected[ASPECTS];
  const struct process_slot *slot = &w->search->footprints.slots[pid];
  u64 number = bit_field_value((const u64 *)w->current.packed, &slot->field);
  model_against(&w->ctx, unpacked(w), pid, expected);
  if (memcmp(expected, against, sizeof expected) != 0) abort();
  model_later(&w->ctx, unpacked(w), pid, expected);
  if (memcmp(expected, slot->later + number * ASPECTS, sizeof expected) != 0) abort();
  model_observed(&w->ctx, unpacked(w), expected);
  if (memcmp(expected, w->search->footprints.observed, sizeof expected) != 0) abort();
}
#else
static inline void check_masks(struct worker *w, int pid, const u64 *against) { (void)w, (void)pid, (void)against; }
#endif

static const u64 *against_by_cache(void *source, int pid) {
  struct worker *w = source;
  const u64 *words = (const u64 *)w->current.packed;
  const struct footprint *footprint = cached_footprint(&w->search->footprints, words, pid);
  u64 key[PACKED_WORDS], differs;
  footprint_key(footprint, words, key);
  struct cached_present *cached = &w->cache->presents[cached_hash(key, pid)];
  differs = (u64)!footprint->is_cacheable | (cached->process ^ (u64)(pid + 1));
  for (int k = 0; k < PACKED_WORDS; k++) differs |= cached->key[k] ^ key[k];
  if (__builtin_expect(differs != 0, 0)) {
    memcpy(cached->key, key, sizeof cached->key);
    cached->process = (u64)(pid + 1);
    model_against(&w->ctx, unpacked(w), pid, cached->against);
  }
  check_masks(w, pid, cached->against);
  return cached->against;
}

/* Begin with the state that a worker expands; returns 0 if all processes have to move. */
static inline int sets_begin(struct worker *w, struct sets_of_state *sets) {
  struct stubborn *b = &sets->stubborn;
  const struct footprint_table *k = &w->search->footprints;
  const u64 *words = (const u64 *)w->current.packed;
  int count = cached_count(k, words);
  b->source = w;
  b->against = against_by_cache;
  b->observed = k->observed;
  for (int pid = 0; pid < count && count <= MOST_PROCESSES; pid++)
    b->later[pid] = k->slots[pid].later + bit_field_value(words, &k->slots[pid].field) * ASPECTS;
  return stubborn_start(b, count);
}

/* The moves of some processes, the youngest first. */
static inline int moves_of_group(struct worker *w, u64 group) {
  struct lookup lookups[AT_ONCE];
  int moves = 0;
  while (group) {
    int count = 0;
    for (; group && count < AT_ONCE; group &= ~((u64)1 << (63 - __builtin_clzll(group))))
      fetch_moves(w, 63 - __builtin_clzll(group), &lookups[count++]);
    moves |= make_moves(w, lookups, count);
  }
  return moves;
}

/* Let one stubborn set after the other move, until they suffice; returns whether there are moves. */
static inline int expand_by_sets(struct worker *w, struct stubborn *sets) {
  int moves = 0;
  while (sets->done != sets->all) {
    moves |= moves_of_group(w, stubborn_next(sets));
    if (moves && sets->done != sets->all && w->ctx.enough(&w->ctx)) {
      w->reduced++;
      break;
    }
  }
  return moves;
}
#else
static inline int sets_begin(struct worker *w, struct sets_of_state *sets) {
  return stubborn_begin(&w->ctx, unpacked(w), &sets->stubborn, &sets->masks);
}

static inline int moves_of_group(struct worker *w, u64 group) { return model_moves_of(&w->ctx, unpacked(w), group); }
#endif

#endif
#endif
