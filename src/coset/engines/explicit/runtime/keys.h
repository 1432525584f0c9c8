/* A set of words other than 0: open addressing, shared by all threads.

   The place of a word follows from its hash and the size by one multiplication, so that any size will do and a table can
   grow by less than twice.  Words keep their order when it grows: both tables are walked through once, from the
   beginning to the end, by all threads together, and the old one is given back while that goes on. */
#ifndef KEYS_H
#define KEYS_H

#include <stdatomic.h>

#include "hash.h"

struct keys {
  _Atomic u64 *places;
  u64 size;
  _Atomic u64 *old; /* what the table was before it grew, while words are being moved */
  u64 old_size;
  _Atomic u64 next_part;
};

int keys_open(struct keys *k);
void keys_close(struct keys *k);
int keys_resize(struct keys *k, u64 size); /* an empty table of another size */
int keys_grow(struct keys *k, u64 words);  /* make a larger table; 0 if there is no memory */
void keys_move(struct keys *k);            /* called by all threads: move words until there are no more */
void keys_grown(struct keys *k);           /* called by one thread when all are done */

static inline int keys_fit(const struct keys *k, u64 words) { return words <= k->size / 5 * 4; }

static inline u64 keys_place(const struct keys *k, u64 word) {
  return (u64)(((__uint128_t)hash_word(word) * k->size) >> 64);
}
FETCHES keys_fetch(const struct keys *k, u64 word) {
  __builtin_prefetch((const void *)&k->places[keys_place(k, word)]);
}

/* Put a word in; whether it was not there. */
static inline int keys_put(struct keys *k, u64 word) {
  for (u64 slot = keys_place(k, word);;) {
    u64 found = atomic_load_explicit(&k->places[slot], memory_order_relaxed);
    if (found == 0 && atomic_compare_exchange_strong_explicit(&k->places[slot], &found, word, memory_order_relaxed,
                                                              memory_order_relaxed))
      return 1;
    if (found == word) return 0;
    if (++slot == k->size) slot = 0;
  }
}

#endif
