/* All successors of a state: from the transition cache (transition_cache.h) or computed by the model.

   Part of breadth.c and depth.c, which take the successors (`enter_all`) and say how moves are made (`make_moves`). */
#ifndef EXPAND_H
#define EXPAND_H

#include "successor.h"

#if MODEL_CACHES
#define AT_ONCE 16 /* processes whose moves are looked up at a time */

/* A lookup in the cache: a process, the bits of its footprint, and the cache entry for them. */
struct lookup {
  int pid;
  const struct footprint *footprint;
  struct cached_moves *cached;
  u64 key[PACKED_WORDS];
};

/* Compute the moves of a process, and add them to the cache if possible. */
static __attribute__((noinline)) int learn(struct worker *w, struct lookup *q) {
  struct cached_moves *cached = q->cached;
  if (w->cache->serial > UINT32_MAX - 4 * MOST_MOVES) memset(w->cache, 0, sizeof *w->cache);
  w->learning = q->footprint->is_cacheable ? cached : NULL;
  if (w->learning) *cached = (struct cached_moves){.process = 0};
  int moves = model_moves(&w->ctx, unpacked(w), q->pid);
  look_for_overflow(w);
  if (w->learning) {
    memcpy(cached->key, q->key, sizeof cached->key);
    cached->process = (int16_t)(q->pid + 1);
    cached->moves = moves != 0;
    cached->serial = w->cache->serial += 2 * MOST_MOVES;
  }
  w->learning = NULL;
  return moves;
}

/* Find and prefetch the cache entry of a process. */
static inline void fetch_moves(struct worker *w, int pid, struct lookup *q) {
  const u64 *words = (const u64 *)w->current.packed;
  q->pid = pid;
  q->footprint = cached_footprint(&w->search->footprints, words, pid);
  footprint_key(q->footprint, words, q->key);
  q->cached = cached_place(w->cache, q->key, pid);
  __builtin_prefetch(q->cached);
}

#ifdef CHECK_TRANSITION_CACHE
/* For tests: compare every cached move with the model. */
struct comparison {
  const struct worker *w;
  const struct lookup *q;
  int successors;
};

static void compare(struct context *ctx, const u8 *t) {
  struct comparison *c = ctx->worker;
  u64 expected[PACKED_WORDS], found[PACKED_WORDS];
  if (c->successors >= c->q->cached->successors) abort();
  cached_successor(cached_change(c->w->cache, c->q->cached, c->successors++), (const u64 *)c->w->current.packed, found);
  dictionary_pack(&c->w->search->footprints.dictionary, t, c->w->current.state, c->w->current.packed, (u8 *)expected);
  if (memcmp(expected, found, PACKED_SIZE) != 0) abort();
}

static void no_error(struct context *ctx, int error, int edge) {
  (void)ctx, (void)error, (void)edge;
  abort();
}

static void check_cached(struct worker *w, const struct lookup *q) {
  struct comparison c = {.w = w, .q = q};
  struct context ctx = {.overflow_slot = -1, .worker = &c, .successor = compare, .report = no_error};
  int moves = model_moves(&ctx, unpacked(w), q->pid);
  if ((moves != 0) != q->cached->moves || c.successors != q->cached->successors) abort();
}
#else
static inline void check_cached(struct worker *w, const struct lookup *q) { (void)w, (void)q; }
#endif

#if MODEL_NUMBERED && MODEL_SORTED
static inline int repeated_successors(const struct worker *w, int pid) { return numbered_repeated(&w->numbered, pid); }
static inline void note_successors(struct worker *w, int pid, int count) {
  w->numbered.successors[pid] = (int8_t)count;
}
#else
static inline int repeated_successors(const struct worker *w, int pid) { return (void)w, (void)pid, -1; }
static inline void note_successors(struct worker *w, int pid, int count) { (void)w, (void)pid, (void)count; }
#endif

/* Make the cached moves in the order of the lookups; returns whether there are any. */
static int change_cached(struct worker *w, struct lookup *lookups, int lookup_count) {
  const u64 *words = (const u64 *)w->current.packed;
  u64 successors[AT_ONCE * MOST_MOVES + 1][PACKED_WORDS], count = 0;
  int moves = 0;
  for (struct lookup *q = lookups; q < lookups + lookup_count; q++) {
    struct cached_moves *cached = q->cached;
    int repeated = repeated_successors(w, q->pid);
    if (repeated >= 0) {
      enter_all(w, successors, count);
      count = 0;
      w->ordinal += (u64)repeated;
      note_successors(w, q->pid, repeated);
      continue;
    }
    if (__builtin_expect(!q->footprint->is_cacheable || !cached_is(cached, q->key, q->pid), 0)) {
      enter_all(w, successors, count);
      count = 0;
      moves |= learn(w, q);
      note_successors(w, q->pid, -1);
      continue;
    }
    check_cached(w, q);
    note_successors(w, q->pid, cached->successors);
    moves |= cached->moves;
    /* Branch-free: most processes have one move or none, which cannot be predicted. */
    cached_successor(cached->changes[0], words, successors[count]);
    count += cached->successors > 0;
    for (int k = 1; k < cached->successors; k++)
      cached_successor(cached_change(w->cache, cached, k), words, successors[count++]);
  }
  enter_all(w, successors, count);
  return moves;
}

/* Make the moves that have been looked up; returns whether there are any. */
static int make_moves(struct worker *w, struct lookup *lookups, int count);

/* The moves of all processes, the youngest first; returns whether there are any. */
static inline int expand_all(struct worker *w) {
  struct lookup lookups[AT_ONCE];
  int moves = 0;
  for (int begin, end = cached_count(&w->search->footprints, (const u64 *)w->current.packed); end > 0; end = begin) {
    begin = end > AT_ONCE ? end - AT_ONCE : 0;
    for (int pid = end - 1; pid >= begin; pid--) fetch_moves(w, pid, &lookups[end - 1 - pid]);
    moves |= make_moves(w, lookups, end - begin);
  }
  return moves;
}

#endif

/* Begin with the current state. */
static inline void begin_current(struct worker *w) {
  w->ordinal = 0;
  w->ctx.timeout = 0;
#if MODEL_NUMBERED
#if MODEL_SORTED
  numbered_expand(w, (const u64 *)w->current.packed);
#if MODEL_PARTIAL
  /* The other process of a pair of twins may not have moved. */
  memset(w->numbered.successors, -1, sizeof w->numbered.successors);
#endif
#endif
#endif
}

#include "expand_sets.h"

/* Returns whether there are moves. */
static inline int expand_current(struct worker *w) {
#if MODEL_CACHES
  int moves;
  begin_current(w);
#if MODEL_PARTIAL
  struct sets_of_state sets;
  moves = sets_begin(w, &sets) ? expand_by_sets(w, &sets.stubborn) : expand_all(w);
#else
  moves = expand_all(w);
#endif
  if (__builtin_expect(moves != 0, 1)) {
    if (MODEL_SYMMETRIC) certify_current(w, (int)w->ordinal);
    return moves;
  }
#endif
  unpacked(w); /* `timeout` may become true */
  return expand(w);
}

#endif
