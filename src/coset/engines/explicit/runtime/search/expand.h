/* All successors of a state: from the cache if its moves are there (transition_cache.h), or by the model.

   Part of breadth.c. */
#ifndef EXPAND_H
#define EXPAND_H

#include "insert_queue.h"

static const u8 *unpacked(struct worker *w) {
#if MODEL_CACHES
  if (!w->unpacked) dictionary_unpack(&w->search->footprints.dictionary, w->current.packed, w->current.state);
#else
  if (!w->unpacked) unpack(w->current.packed, w->current.state);
#endif
  w->unpacked = 1;
  return w->current.state;
}

#if MODEL_CACHES
#define ASKED 16 /* processes whose moves are looked for at a time */

/* What is looked for: the moves of a process whose footprint has these bits, and where they would be. */
struct question {
  int pid;
  const struct footprint *footprint;
  struct cached_moves *known;
  u64 key[PACKED_WORDS];
};

/* The moves of a process are made; if they can be memoised, they are learnt. */
static __attribute__((noinline)) int learn(struct worker *w, struct question *q) {
  struct cached_moves *known = q->known;
  if (w->cache->serial > UINT32_MAX - 4 * MOST_MOVES) memset(w->cache, 0, sizeof *w->cache);
  w->learning = q->footprint->is_known ? known : NULL;
  if (w->learning) *known = (struct cached_moves){.process = 0};
  int moves = model_moves(&w->ctx, unpacked(w), q->pid);
  look_for_overflow(w);
  if (w->learning) {
    memcpy(known->key, q->key, sizeof known->key);
    known->process = (int16_t)(q->pid + 1);
    known->moves = moves != 0;
    known->serial = w->cache->serial += 2 * MOST_MOVES;
  }
  w->learning = NULL;
  return moves;
}

/* Where the moves of the processes from `begin` to `end` would be known from, the last one first. */
static void fetch_known(struct worker *w, int begin, int end, struct question *questions) {
  const u64 *words = (const u64 *)w->current.packed;
  for (int pid = end - 1; pid >= begin; pid--) {
    struct question *q = questions++;
    q->pid = pid;
    q->footprint = cached_footprint(&w->search->footprints, words, pid);
    footprint_key(q->footprint, words, q->key);
    q->known = cached_place(w->cache, q->key, pid);
    __builtin_prefetch(q->known);
  }
}

/* Where it is remembered what becomes of a half by a change. */
static inline struct step *step_place(struct worker *w, const struct question *q, int k, int side, u64 *key) {
  u64 half = side ? w->current.right : w->current.left;
  *key = (u64)(q->known->serial + 2 * (uint32_t)k + (uint32_t)side) << 32 | half;
  return &w->cache->steps[hash_word(*key) >> (64 - STEP_BITS)];
}

/* The number of a half of the state after a change. */
static inline u64 half_after(struct worker *w, const struct question *q, int k, int side) {
  u64 key, half = side ? w->current.right : w->current.left;
  if (!cached_touches(q->footprint, side)) return half;
  struct step *step = step_place(w, q, k, side, &key);
  if (__builtin_expect(step->key == key, 1)) return step->number;
  u64 words[PACKED_WORDS];
  cached_successor(q->known->changes[k], (const u64 *)w->current.packed, words);
  const u8 *bytes = (const u8 *)words + side * HALF;
  if (w->half_numbers.next + 2 > w->half_numbers.end && !take_half_numbers(w)) return half;
  *step = (struct step){key, half_number(&w->search->store, &w->half_numbers, bytes, hash_bytes(bytes, HALF))};
  return step->number;
}

#ifdef CHECK_CACHED
/* For tests: what is known is what the model says. */
struct comparison {
  const struct worker *w;
  const struct question *q;
  int successors;
};

static void compare(struct context *ctx, const u8 *t) {
  struct comparison *c = ctx->worker;
  u64 expected[PACKED_WORDS], found[PACKED_WORDS];
  if (c->successors >= c->q->known->successors) abort();
  cached_successor(c->q->known->changes[c->successors++], (const u64 *)c->w->current.packed, found);
  dictionary_pack(&c->w->search->footprints.dictionary, t, c->w->current.state, c->w->current.packed, (u8 *)expected);
  if (memcmp(expected, found, PACKED_SIZE) != 0) abort();
}

static void no_error(struct context *ctx, int error, int edge) {
  (void)ctx, (void)error, (void)edge;
  abort();
}

static void check_known(struct worker *w, const struct question *q) {
  struct comparison c = {.w = w, .q = q};
  struct context ctx = {.overflow_slot = -1, .worker = &c, .successor = compare, .report = no_error};
  int moves = model_moves(&ctx, unpacked(w), q->pid);
  if ((moves != 0) != q->known->moves || c.successors != q->known->successors) abort();
}
#else
static inline void check_known(struct worker *w, const struct question *q) { (void)w, (void)q; }
#endif

/* The successors by moves that are known, in the order of the questions; whether there are any. */
static int change_cached(struct worker *w, struct question *questions, int questions_count) {
  const u64 *words = (const u64 *)w->current.packed;
  u64 successors[ASKED * MOST_MOVES + 1][PACKED_WORDS], count = 0;
  int moves = 0;
  for (struct question *q = questions; q < questions + questions_count; q++) {
    const struct cached_moves *known = q->known;
    if (__builtin_expect(!q->footprint->is_known || !cached_is(known, q->key, q->pid), 0)) {
      enter_all(w, successors, count);
      count = 0;
      moves |= learn(w, q);
      continue;
    }
    check_known(w, q);
    moves |= known->moves;
    /* Most have one move or none, and a processor would guess wrong which. */
    cached_successor(known->changes[0], words, successors[count]);
    count += known->successors > 0;
    for (int k = 1; k < known->successors; k++) cached_successor(known->changes[k], words, successors[count++]);
  }
  enter_all(w, successors, count);
  return moves;
}

/* The same where successors are pairs of halves. */
static int change_halves(struct worker *w, struct question *questions, int questions_count) {
  int moves = 0;
  for (struct question *q = questions; q < questions + questions_count; q++) {
    if (__builtin_expect(!q->footprint->is_known || !cached_is(q->known, q->key, q->pid), 0)) {
      moves |= learn(w, q);
      continue;
    }
    check_known(w, q);
    moves |= q->known->moves;
    for (int k = 0; k < q->known->successors; k++) enter_pair(w, half_after(w, q, k, 0), half_after(w, q, k, 1));
  }
  return moves;
}

static void expand_current(struct worker *w) {
  const u64 *words = (const u64 *)w->current.packed;
  int moves = 0;
  struct question questions[ASKED];
  w->ordinal = 0;
  w->ctx.timeout = 0;
  for (int begin, end = cached_count(&w->search->footprints, words); end > 0; end = begin) {
    begin = end > ASKED ? end - ASKED : 0;
    fetch_known(w, begin, end, questions);
    moves |= in_halves(&w->search->store) ? change_halves(w, questions, end - begin)
                                          : change_cached(w, questions, end - begin);
  }
  if (__builtin_expect(moves != 0, 1)) return;
  unpacked(w); /* perhaps there is a timeout */
  expand(w);
}
#else
static void expand_current(struct worker *w) {
  unpacked(w);
  expand(w);
}
#endif

#endif
