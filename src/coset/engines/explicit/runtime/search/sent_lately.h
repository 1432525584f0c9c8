/* Keys that were sent lately, each in the place of its hash: most successors recur soon and need not be sent again.  The table has
   a fixed size and may forget.

   What is stored is the difference of a key's bits to the initial state, which is known, so that zeros say no more than that. */
#ifndef SENT_LATELY_H
#define SENT_LATELY_H

#include "memory.h"
#include "pack.h"

#define FIRST_SENT 0xFFFF

struct sent_lately {
  u64 *keys;
  u64 initial[PACKED_WORDS];
  u64 mask, most, bytes; /* the table is enlarged as it fills; what is in it need not be moved */
  u64 fresh;             /* keys that were entered since */
};

/* A table of at most so many bytes. */
static inline int sent_open(struct sent_lately *s, u64 bytes, const u64 *initial) {
  u64 size = 1024;
  while (size * 2 * PACKED_SIZE <= bytes) size *= 2;
  s->most = size - 1;
  s->mask = s->most < FIRST_SENT ? s->most : FIRST_SENT;
  s->bytes = size * PACKED_SIZE;
  s->fresh = 0;
  s->keys = memory_large(s->bytes);
  memcpy(s->initial, initial, sizeof s->initial);
  return s->keys != NULL;
}

static inline void sent_close(struct sent_lately *s) { memory_release(s->keys, s->bytes); }

/* The place of a key.  Its slot is fetched. */
static inline u64 sent_place(const struct sent_lately *s, u64 hash) {
  u64 place = hash >> 8 & s->mask;
  __builtin_prefetch(s->keys + place * PACKED_WORDS, 1);
  return place;
}

/* Whether a key was sent lately; notes that it is now. */
static inline int is_sent(struct sent_lately *s, u64 place, const u64 *key) {
  u64 *sent = s->keys + place * PACKED_WORDS, differs = 0;
  for (int k = 0; k < PACKED_WORDS; k++) {
    u64 bits = key[k] ^ s->initial[k];
    differs |= sent[k] ^ bits;
    sent[k] = bits;
  }
  if (__builtin_expect(++s->fresh > s->mask, 0) && s->mask < s->most) {
    s->mask = 2 * s->mask + 1;
    s->fresh = 0;
  }
  return differs == 0;
}

#endif
