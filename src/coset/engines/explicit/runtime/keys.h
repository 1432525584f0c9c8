/* A set of keys of one or two words: open addressing, shared by all threads.

   The place of a key follows from its hash and the size by one multiplication, so that any size will do and a table can
   grow by less than twice.  Keys keep their order when it grows: both tables are walked through once, from the
   beginning to the end, by all threads together, and the old one is given back while that goes on.

   A key of one word is any number but 0, and one compare-and-swap puts it in.  Of a key of two words the highest two bits
   of the second are free: whoever swaps the second word in has TAKEN the place, writes the first, and then says
   that the key is WRITTEN; who finds the same second word in between waits.

   The width is a parameter of the functions below, and a constant wherever they are called. */
#ifndef KEYS_H
#define KEYS_H

#include <stdatomic.h>

#include "hash.h"

#define TAKEN ((u64)1 << 63)
#define WRITTEN ((u64)1 << 62)
#define KEY_BITS(width) ((width) == 1 ? 63 : 64 * (width)-2) /* if the highest bit of one word says that it is no 0 */

struct keys {
  _Atomic u64 *places;
  u64 size;         /* how many keys there are places for */
  u64 width;        /* words of a key */
  _Atomic u64 *old; /* what the table was before it grew, while keys are being moved */
  u64 old_size;
  _Atomic u64 next_part;
};

int keys_open(struct keys *k, u64 width);
void keys_close(struct keys *k);
int keys_resize(struct keys *k, u64 size); /* an empty table of another size */
int keys_grow(struct keys *k, u64 count);  /* make a larger table; 0 if there is no memory */
void keys_move(struct keys *k);            /* called by all threads: move keys until there are no more */
void keys_grown(struct keys *k);           /* called by one thread when all are done */

static inline int keys_fit(const struct keys *k, u64 count) { return count <= k->size / 5 * 4; }

static inline u64 keys_place(const struct keys *k, u64 hash) { return (u64)(((__uint128_t)hash * k->size) >> 64); }
FETCHES keys_fetch(const struct keys *k, u64 hash, u64 width) {
  __builtin_prefetch((const void *)&k->places[keys_place(k, hash) * width]);
}

/* Put a word in, if its place is free; what was there before. */
static inline u64 keys_claim(_Atomic u64 *place, u64 word) {
  u64 found = atomic_load_explicit(place, memory_order_acquire);
  if (found == 0)
    atomic_compare_exchange_strong_explicit(place, &found, word, memory_order_acquire, memory_order_acquire);
  return found;
}

/* Whether the key at a place, whose second word was `found` there, is this one. */
static inline int keys_equal(_Atomic u64 *at, u64 found, const u64 *key) {
  if ((found & ~WRITTEN) != (key[1] | TAKEN)) return 0;
  while (!(found & WRITTEN)) found = atomic_load_explicit(&at[1], memory_order_acquire);
  return atomic_load_explicit(&at[0], memory_order_relaxed) == key[0];
}

/* Put a key in; whether it was not there. */
static inline int keys_put(struct keys *k, const u64 *key, u64 hash, u64 width) {
  for (u64 slot = keys_place(k, hash);;) {
    _Atomic u64 *at = &k->places[slot * width];
    if (width == 1) {
      u64 found = keys_claim(at, key[0]);
      if (found == 0) return 1;
      if (found == key[0]) return 0;
    } else {
      u64 found = keys_claim(&at[1], key[1] | TAKEN);
      if (found == 0) {
        atomic_store_explicit(&at[0], key[0], memory_order_relaxed);
        atomic_store_explicit(&at[1], key[1] | TAKEN | WRITTEN, memory_order_release);
        return 1;
      }
      if (keys_equal(at, found, key)) return 0;
    }
    if (++slot == k->size) slot = 0;
  }
}

#endif
