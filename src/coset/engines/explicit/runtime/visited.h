/* The set of states that have been seen: open addressing, one 64-bit word per place, shared by all threads.

   A word is a tag (the upper bits of the hash) and the index of the state in the pool, plus one; 0 is empty.  A state
   is written to the pool first and published by one compare-and-swap, so that readers need no lock.  Pool and table are
   reservations of address space: states never move, the table grows in place, and memory is used only where something is
   written.  The table is at most three quarters full. */
#ifndef VISITED_H
#define VISITED_H

#include <stdatomic.h>

#include "coset.h"

#define INDEX_BITS 40
#define INDEX_MASK (((u64)1 << INDEX_BITS) - 1)
#define NO_INDEX INDEX_MASK

struct visited {
  _Atomic u64 *places;
  u64 mask;
  u8 *pool;
  u64 *parents; /* NULL if they are not kept */
  u64 capacity; /* states that the reservation has room for */
  u64 room;     /* places that the reservation has room for */
};

int visited_open(struct visited *v, u64 reserve, int keep_parents);
void visited_close(struct visited *v);
void visited_grow(struct visited *v, u64 states);

/* Whether the table has room for so many states in all. */
static inline int visited_fits(const struct visited *v, u64 states) { return states <= v->mask / 4 * 3; }

static inline u8 *visited_state(const struct visited *v, u64 index) { return v->pool + index * STATE_SIZE; }

/* Multiply and fold, two words at a time (the scheme of wyhash). */
static inline u64 fold(u64 a, u64 b) {
  __uint128_t product = (__uint128_t)a * b;
  return (u64)product ^ (u64)(product >> 64);
}
static inline u64 hash_state(const u8 *s) {
  u64 h = 0x9E3779B97F4A7C15u;
  int k = 0;
  for (; k + 16 <= STATE_SIZE; k += 16) {
    u64 a, b;
    memcpy(&a, s + k, 8);
    memcpy(&b, s + k + 8, 8);
    h = fold(a ^ h, b ^ 0xA0761D6478BD642Fu);
  }
  if (k < STATE_SIZE) {
    u64 a;
    memcpy(&a, s + k, 8);
    h = fold(a ^ h, 0xE7037ED1A0B428DBu);
  }
  return fold(h ^ 0x8EBC6AF09C88C6E3u, 0x589965CC75374CC3u);
}

/* Memory is slow: ask for the place of a state first, then for the state that is there, and put it in last. */
static inline void visited_fetch_place(const struct visited *v, u64 hash) {
  __builtin_prefetch((const void *)&v->places[hash & v->mask]);
}
static inline void visited_fetch_state(const struct visited *v, u64 hash) {
  u64 word = atomic_load_explicit(&v->places[hash & v->mask], memory_order_relaxed);
  if (word && ((word ^ hash) & ~INDEX_MASK) == 0) __builtin_prefetch(visited_state(v, (word & INDEX_MASK) - 1));
}

/* The index of a state that is there. */
static inline u64 visited_find(const struct visited *v, const u8 *state, u64 hash) {
  u64 tag = hash & ~INDEX_MASK, slot = hash & v->mask;
  for (;; slot = (slot + 1) & v->mask) {
    u64 word = atomic_load_explicit(&v->places[slot], memory_order_relaxed);
    if (word == 0) return NO_INDEX;
    if ((word & ~INDEX_MASK) != tag) continue;
    u64 index = (word & INDEX_MASK) - 1;
    if (memcmp(visited_state(v, index), state, STATE_SIZE) == 0) return index;
  }
}

/* Put a state in, if it is not there, at pool index `fresh`.  Returns the index where it is. */
static inline u64 visited_put(struct visited *v, const u8 *state, u64 hash, u64 fresh, u64 parent) {
  u64 tag = hash & ~INDEX_MASK, slot = hash & v->mask;
  int written = 0;
  for (;;) {
    u64 word = atomic_load_explicit(&v->places[slot], memory_order_acquire);
    if (word == 0) {
      if (!written) {
        memcpy(visited_state(v, fresh), state, STATE_SIZE);
        if (v->parents) v->parents[fresh] = parent;
        written = 1;
      }
      if (atomic_compare_exchange_strong_explicit(&v->places[slot], &word, tag | (fresh + 1), memory_order_release,
                                                  memory_order_acquire))
        return fresh;
    }
    if ((word & ~INDEX_MASK) == tag) {
      u64 index = (word & INDEX_MASK) - 1;
      if (memcmp(visited_state(v, index), state, STATE_SIZE) == 0) return index;
    }
    slot = (slot + 1) & v->mask;
  }
}

#endif
