/* Memoised moves of states that are pairs of numbered halves: what a change does to a half is memoised, too.

   Part of breadth.c. */
#ifndef EXPAND_HALVES_H
#define EXPAND_HALVES_H

#include "expand.h"

#if MODEL_CACHES

/* The cache entry for the effect of a change on a half. */
static inline struct step *step_place(struct worker *w, const struct lookup *q, int k, int side, u64 *key) {
  u64 half = side ? w->current.right : w->current.left;
  *key = (u64)(q->cached->serial + 2 * (uint32_t)k + (uint32_t)side) << 32 | half;
  return &w->cache->steps[hash_word(*key) >> (64 - STEP_BITS)];
}

/* The number of a half of the state after a change. */
static inline u64 half_after(struct worker *w, const struct lookup *q, int k, int side) {
  u64 key, half = side ? w->current.right : w->current.left;
  if (!cached_touches(q->footprint, side)) return half;
  struct step *step = step_place(w, q, k, side, &key);
  if (__builtin_expect(step->key == key, 1)) return step->number;
  u64 words[PACKED_WORDS];
  cached_successor(cached_change(w->cache, q->cached, k), (const u64 *)w->current.packed, words);
  const u8 *bytes = (const u8 *)words + side * HALF;
  if (w->half_numbers.next + 2 > w->half_numbers.end && !take_half_numbers(w)) return half;
  *step = (struct step){key, half_number(&w->search->store, &w->half_numbers, bytes, hash_bytes(bytes, HALF))};
  return step->number;
}

/* Make the cached moves in the order of the lookups; returns whether there are any. */
static int change_halves(struct worker *w, struct lookup *lookups, int lookup_count) {
  int moves = 0;
  for (struct lookup *q = lookups; q < lookups + lookup_count; q++) {
    if (__builtin_expect(!q->footprint->is_cacheable || !cached_is(q->cached, q->key, q->pid), 0)) {
      moves |= learn(w, q);
      continue;
    }
    check_cached(w, q);
    moves |= q->cached->moves;
    for (int k = 0; k < q->cached->successors; k++) enter_pair(w, half_after(w, q, k, 0), half_after(w, q, k, 1));
  }
  return moves;
}

static int make_moves(struct worker *w, struct lookup *lookups, int count) {
  int by_halves = in_halves(&w->search->store) && !MODEL_NUMBERED;
  return by_halves ? change_halves(w, lookups, count) : change_cached(w, lookups, count);
}

#endif
#endif
