/* A set of coded keys (key_code.h) in a few bytes each, shared by all threads.

   The home of a key is a line of 64 bytes, computed from its hash; if that line is full, the key goes to the next one that is not.  A
   slot stores what the line does not tell: the lower bits of the hash, the rest, and how many lines the key is away from its home
   (after S. van der Vegt and A. Laarman, "A parallel compact hash table", MEMICS 2011).  A line has one byte for each slot, the
   tag, which has seven of these bits, and then all payloads, which have the others: with payloads of 3 bytes there are 16 slots, with payloads
   of 1 byte 32.

       payloads: slots x 1 to 8 bytes | ... | tags: slots x 1 byte

   All tags of a line are compared at once.  A thread that inserts a key marks the tag of the first free slot as BUSY, writes the
   payload, and then the tag; a thread that finds a busy slot waits.

   The number of lines and the size of payloads are chosen when the set grows (compact_set_shape), in place.  More lines mean that the
   home of each key lies further on.  So the keys of the last lines are moved beyond the end, those of the lines before them to where
   these were, and so on, each part by all threads together (compact_set_move). */
#ifndef COMPACT_SET_H
#define COMPACT_SET_H

#include <stdatomic.h>

#include "key_code.h"

#ifdef __SIZEOF_INT128__
#define HAS_COMPACT_SETS 1
#else
#define HAS_COMPACT_SETS 0
#endif

#define LINE_BYTES 64
#define MOST_SLOTS 32
#define LEAST_PAYLOAD 1
#define MOST_PAYLOAD 8
#define DISTANCE_BITS 5
#define MOST_DISTANCE ((1 << DISTANCE_BITS) - 1) /* lines from its home that a key may be away */
#define TAG_BITS 7

#define TAG_FREE 0
#define TAG_BUSY 1
#define TAG_WRITTEN 0x80 /* the other bits are of the key */

struct compact_set {
  u8 *lines; /* NULL: there is no such set */
  u64 count; /* of lines where keys have their homes; some more follow */
  int slots, payload;
  int alone;       /* there is only one thread, so that no atomic operations are needed */
  int unused;      /* bits of a hash below those that tell keys apart */
  int rest;        /* bits of the rest of a key */
  int kept;        /* of these, the lower ones that are stored: at least as many as a tag has */
  int distance_at; /* the position of the distance in a payload */
  u64 mask;        /* of a payload */
  u64 inverse[2];  /* 2^94 / count: the lower word and the upper one */
  u64 reserve;     /* bytes of address space */
};

/* The growth of a set: keys of the lines from `low` to `high` are being moved. */
struct compact_growth {
  struct compact_set from; /* the previous shape; it has the same lines */
  u64 low, high;
  _Atomic u64 next_part;
};

enum insertion { KEY_PRESENT, KEY_NEW, NO_PLACE };

/* Choose the shape for this many keys, whose `unused` and `rest` bits are known, and at least so many lines; returns 0 if no payload is
   long enough. */
int compact_set_shape(struct compact_set *c, u64 keys, u64 least_lines);
int compact_set_open(struct compact_set *c, u64 reserve); /* with the chosen shape; returns 0 if there is no memory */
void compact_set_close(struct compact_set *c);
u64 compact_set_bytes(const struct compact_set *c);
u64 compact_set_room(const struct compact_set *c);  /* for how many keys */
u64 compact_set_most(const struct compact_set *c);  /* with slow lookups */
u64 compact_set_lines(const struct compact_set *c); /* all of them */
/* The keys of a line: returns how many there are. */
int compact_set_line(const struct compact_set *c, u64 line, struct coded_key *keys);

typedef void no_place(void *owner, struct coded_key key);

void compact_set_grow(struct compact_set *c, struct compact_growth *g, const struct compact_set *shape);
void compact_set_move(struct compact_set *c, struct compact_growth *g, no_place *refuse,
                      void *owner); /* by all threads */
/* By one thread after all have finished; returns whether there is more to move. */
int compact_set_moved(struct compact_set *c, struct compact_growth *g, no_place *refuse, void *owner);

FETCHES compact_set_fetch(const struct compact_set *c, u64 hash) {
  __builtin_prefetch(c->lines + multiply_high(hash, c->count) * LINE_BYTES);
}

/* --- a line ------------------------------------------------------------------------------------------------------- */

/* The tags of a line are its last bytes.  Each is read once, so that all tests see the same values. */
#ifdef __AVX2__
typedef char tags __attribute__((vector_size(MOST_SLOTS)));

static inline tags tags_read(const u8 *line) { return *(const volatile tags *)(line + LINE_BYTES - MOST_SLOTS); }

/* Which of the last bytes are equal to this one. */
static inline unsigned tags_equal(const tags *t, u8 tag) {
  const char c = (char)tag;
  const tags wanted = (tags){} + c;
  return (unsigned)__builtin_ia32_pmovmskb256((tags)(*t == wanted));
}
#else
typedef struct {
  u8 of[MOST_SLOTS];
} tags;

static inline tags tags_read(const u8 *line) {
  tags t;
  for (int k = 0; k < MOST_SLOTS; k++)
    t.of[k] = atomic_load_explicit((const _Atomic u8 *)line + LINE_BYTES - MOST_SLOTS + k, memory_order_acquire);
  return t;
}

static inline unsigned tags_equal(const tags *t, u8 tag) {
  unsigned equal = 0;
  for (int k = 0; k < MOST_SLOTS; k++) equal |= (unsigned)(t->of[k] == tag) << k;
  return equal;
}
#endif

static inline _Atomic u8 *slot_tag(const struct compact_set *c, u8 *line, int slot) {
  return (_Atomic u8 *)line + LINE_BYTES - c->slots + slot;
}

static inline u64 slot_payload(const struct compact_set *c, const u8 *line, int slot) {
  u64 found = 0;
#ifdef __AVX2__
  memcpy(&found, line + slot * c->payload, sizeof found);
  return found & c->mask; /* without the bytes that follow */
#else
  for (int k = 0; k < c->payload; k++) {
    const _Atomic u8 *at = (const _Atomic u8 *)line + slot * c->payload + k;
    found |= (u64)atomic_load_explicit(at, memory_order_relaxed) << 8 * k;
  }
  return found;
#endif
}

static inline void slot_write(const struct compact_set *c, u8 *line, int slot, u64 payload) {
  u8 *at = line + slot * c->payload;
#ifdef __AVX2__
  if (c->payload >= 4) { /* two words that may overlap */
    const u64 end = payload >> 8 * (c->payload - 4);
    memcpy(at, &payload, 4);
    memcpy(at + c->payload - 4, &end, 4);
    return;
  }
  if (c->payload > 1) memcpy(at, &payload, 2);
  at[c->payload - 1] = (u8)(payload >> 8 * (c->payload - 1));
#else
  for (int k = 0; k < c->payload; k++)
    atomic_store_explicit((_Atomic u8 *)at + k, (u8)(payload >> 8 * k), memory_order_relaxed);
#endif
}

/* Mark a free slot as busy; returns whether it was free. */
static inline int slot_claim(const struct compact_set *c, _Atomic u8 *tag) {
  u8 none = TAG_FREE;
  return c->alone ||
         atomic_compare_exchange_strong_explicit(tag, &none, TAG_BUSY, memory_order_acquire, memory_order_acquire);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Insert a key, unless all lines where it may be are full.  A line is filled in order: if another thread has inserted this key
   meanwhile, it is in the slot that was the first free one. */
static inline enum insertion compact_set_put(const struct compact_set *c, struct coded_key key) {
  const u64 hash = key.hash >> c->unused & low_bits(c->kept);
  const u8 tag = (u8)(TAG_WRITTEN | (hash & (TAG_WRITTEN - 1)));
  const int before = MOST_SLOTS - c->slots; /* bytes in front of the tags */
  u64 payload = hash >> TAG_BITS | key.rest << (c->kept - TAG_BITS);
  u8 *line = c->lines + multiply_high(key.hash, c->count) * LINE_BYTES;
  for (int distance = 0; distance <= MOST_DISTANCE; distance++, line += LINE_BYTES) {
    for (;;) {
      const tags t = tags_read(line);
      for (unsigned equal = tags_equal(&t, tag) >> before; equal; equal &= equal - 1)
        if (slot_payload(c, line, __builtin_ctz(equal)) == payload) return KEY_PRESENT;
      unsigned free = tags_equal(&t, TAG_FREE) >> before;
      if (!c->alone && tags_equal(&t, TAG_BUSY) >> before) continue;
      if (!free) break;
      int slot = __builtin_ctz(free);
      if (!slot_claim(c, slot_tag(c, line, slot))) continue;
      slot_write(c, line, slot, payload);
      atomic_store_explicit(slot_tag(c, line, slot), tag, memory_order_release);
      return KEY_NEW;
    }
    payload += (u64)1 << c->distance_at;
  }
  return NO_PLACE;
}

#endif
