/* A set of keys of one or two words: open addressing, shared by all threads.

   The home of a key is a cache line of 64 bytes; if it is full, the key goes to the next line that is not.  So most keys are
   found in one line.  The home line is computed from the hash and the size by one multiplication, so that any size is
   possible and a table can grow by less than twice.  Lines are ordered by hash, and after the last one there is room for
   overflowing keys.

   The table grows in place.  If it grows by half, the keys of the upper third move beyond the end of the old table, the
   keys of the upper third of the rest to where those were, and so on.  Each step moves keys into free room, by all threads
   together (`key_set_move`), and only the new part is new memory.  A key that stands beyond the end of its own part is set
   aside until that part is moved.

   A key of one word is any number but 0, and is inserted by one compare-and-swap.  In a key of two words, the highest two
   bits of the second word are free: the thread that swaps in the second word has TAKEN the slot, writes the first word, and
   then marks the key as WRITTEN; a thread that finds the same second word meanwhile waits.

   The width is a parameter of the functions below, and a constant wherever they are called. */
#ifndef KEY_SET_H
#define KEY_SET_H

#include <stdatomic.h>

#include "hash.h"

#define TAKEN ((u64)1 << 63)
#define WRITTEN ((u64)1 << 62)

/* Keys that have been set aside. */
struct aside {
  u64 *words;
  u64 count, room;
};

struct key_set {
  _Atomic u64 *places;
  u64 room;     /* bytes of address space */
  u64 size;     /* the number of slots in whole lines */
  u64 width;    /* words of a key */
  int alone;    /* there is only one thread, so that no atomic operations are needed */
  int growing;  /* keys in slots `low` to `high` are to be moved; the previous size is `old_size` */
  int touching; /* but first the new slots are touched */
  u64 low, high, old_size;
  struct aside above, below; /* keys of this part that stand after it, and keys after `low` that belong before it */
  _Atomic u64 next_part;
};

int key_set_open(struct key_set *k, u64 width, u64 reserve);
void key_set_close(struct key_set *k);
int key_set_resize(struct key_set *k, u64 size,
                   u64 extent);              /* fill an empty table with stored slots; returns 0 if there is no room */
u64 key_set_extent(const struct key_set *k); /* slots up to the last one in use */
u64 key_set_growth(const struct key_set *k, u64 count);   /* how many slots it would grow by */
int key_set_may_grow(const struct key_set *k, u64 count); /* whether the address space suffices for this many */
int key_set_grow(struct key_set *k, u64 count);           /* begin to grow; returns 0 if there is no memory */
void key_set_move(struct key_set *k);                     /* called by all threads: move the keys of one step */
void key_set_moved(struct key_set *k); /* called by one thread after all have finished; repeat while `growing` */

static inline int key_set_fit(const struct key_set *k, u64 count) { return count <= k->size / 5 * 4; }

/* Whether this many keys fit without growing, with slow lookups: for the last keys of a search that cannot grow any more. */
static inline int key_set_hold(const struct key_set *k, u64 count) { return count <= k->size / 20 * 19; }

#define IN_LINE(width) (8 / (width)) /* keys in a line */

/* The first slot of the home line of a key in a table of this size. */
static inline u64 key_set_place(u64 size, u64 hash, u64 width) {
  return multiply_high(hash, size / IN_LINE(width)) * IN_LINE(width);
}
FETCHES key_set_fetch(const struct key_set *k, u64 hash, u64 width) {
  __builtin_prefetch((const void *)&k->places[key_set_place(k->size, hash, width) * width]);
}

/* Write a word if its slot is free; returns the previous content. */
static inline u64 key_set_claim(const struct key_set *k, _Atomic u64 *place, u64 word) {
  u64 found = atomic_load_explicit(place, memory_order_acquire);
  if (found) return found;
  if (k->alone) atomic_store_explicit(place, word, memory_order_relaxed);
  else atomic_compare_exchange_strong_explicit(place, &found, word, memory_order_acquire, memory_order_acquire);
  return found;
}

/* Whether the key in a slot is this one, where `found` was read as its second word. */
static inline int key_set_equal(_Atomic u64 *at, u64 found, const u64 *key) {
  if ((found & ~WRITTEN) != (key[1] | TAKEN)) return 0;
  while (!(found & WRITTEN)) found = atomic_load_explicit(&at[1], memory_order_acquire);
  return atomic_load_explicit(&at[0], memory_order_relaxed) == key[0];
}

/* The keys of a line, each read once, so that the test for the key and the test for free slots see the same values. */
#ifdef __AVX2__
typedef long long four_words __attribute__((vector_size(32)));
typedef double four_doubles __attribute__((vector_size(32)));
struct line {
  four_words low, high;
};

static inline struct line line_read(_Atomic u64 *at) {
  const volatile four_words *found = (const volatile four_words *)at;
  return (struct line){found[0], found[1]};
}

/* Which slots hold this key, as bits. */
static inline unsigned line_has(const struct line *line, u64 key) {
  four_words wanted = {(long long)key, (long long)key, (long long)key, (long long)key};
  return (unsigned)__builtin_ia32_movmskpd256((four_doubles)(line->low == wanted)) |
         (unsigned)__builtin_ia32_movmskpd256((four_doubles)(line->high == wanted)) << 4;
}
#else
struct line {
  u64 words[IN_LINE(1)];
};

static inline struct line line_read(_Atomic u64 *at) {
  struct line line;
  for (int n = 0; n < IN_LINE(1); n++) line.words[n] = atomic_load_explicit(&at[n], memory_order_relaxed);
  return line;
}

static inline unsigned line_has(const struct line *line, u64 key) {
  unsigned equal = 0;
  for (int n = 0; n < IN_LINE(1); n++) equal |= (unsigned)(line->words[n] == key) << n;
  return equal;
}
#endif

/* Insert a key of one word; returns whether it is new.  All keys of a line are compared at once, as the matching slot cannot
   be predicted.  A line is filled in order: if another thread has inserted this key meanwhile, it is in the slot that was
   the first free one. */
static inline int key_set_put_word(struct key_set *k, u64 key, u64 hash) {
  for (_Atomic u64 *at = &k->places[key_set_place(k->size, hash, 1)];;) {
    struct line line = line_read(at);
    if (line_has(&line, key)) return 0;
    unsigned free = line_has(&line, 0);
    if (!free) at += IN_LINE(1);
    else if (key_set_claim(k, &at[__builtin_ctz(free)], key) == 0) return 1;
  }
}

/* Insert a key; returns whether it is new. */
static inline int key_set_put(struct key_set *k, const u64 *key, u64 hash, u64 width) {
  if (width == 1) return key_set_put_word(k, key[0], hash);
  for (_Atomic u64 *at = &k->places[key_set_place(k->size, hash, width) * width];; at += width) {
    u64 found = key_set_claim(k, &at[1], key[1] | TAKEN);
    if (found == 0) {
      atomic_store_explicit(&at[0], key[0], memory_order_relaxed);
      atomic_store_explicit(&at[1], key[1] | TAKEN | WRITTEN, memory_order_release);
      return 1;
    }
    if (key_set_equal(at, found, key)) return 0;
  }
}

#endif
