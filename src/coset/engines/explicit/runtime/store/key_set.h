/* A set of keys of one or two words: open addressing, shared by all threads.

   A key belongs into a line of memory, 64 bytes, or into the next one that is not full: so most keys are found by looking
   at one line.  Which line follows from its hash and the size by one multiplication, so that any size will do and a table
   can grow by less than twice.  Lines come in the order of the hashes, and behind the last one there is room for those that
   found no place before it.

   The table grows where it is.  In a table of half as many lines more, the keys of the upper third belong behind
   the end of the old table, those of the third of the rest to where the first ones were, and so on: each step moves
   keys into room that is free, by all threads together (`key_set_move`), and only the new part is memory that the system has to
   give.  A key that stands beyond the end of the part that it belongs to is put aside until its turn has come.

   A key of one word is any number but 0, and one compare-and-swap puts it in.  Of a key of two words the highest two bits
   of the second are free: whoever swaps the second word in has TAKEN the place, writes the first, and then says
   that the key is WRITTEN; who finds the same second word in between waits.

   The width is a parameter of the functions below, and a constant wherever they are called. */
#ifndef KEY_SET_H
#define KEY_SET_H

#include <stdatomic.h>

#include "hash.h"

#define TAKEN ((u64)1 << 63)
#define WRITTEN ((u64)1 << 62)

/* Keys that are put aside. */
struct aside {
  u64 *words;
  u64 count, room;
};

struct key_set {
  _Atomic u64 *places;
  u64 room;     /* bytes of address space */
  u64 size;     /* how many keys there are lines for: whole lines */
  u64 width;    /* words of a key */
  int alone;    /* there is one thread only, and no need for the slower ways of several */
  int growing;  /* keys of the places from `low` to `high` are to be moved; before, the size was `old_size` */
  int touching; /* but first the new places have to be there */
  u64 low, high, old_size;
  struct aside above, below; /* keys that belong there, but stand behind it; and those behind `low` that do not */
  _Atomic u64 next_part;
};

int key_set_open(struct key_set *k, u64 width, u64 reserve);
void key_set_close(struct key_set *k);
int key_set_resize(struct key_set *k, u64 size,
                   u64 extent);              /* an empty table gets those of another one; 0 if it has no room */
u64 key_set_extent(const struct key_set *k); /* places that are in use, or lie before one that is */
u64 key_set_growth(const struct key_set *k, u64 count);   /* how many places it would grow by */
int key_set_may_grow(const struct key_set *k, u64 count); /* whether there is address space for so many */
int key_set_grow(struct key_set *k, u64 count);           /* begin to grow; 0 if there is no memory */
void key_set_move(struct key_set *k);  /* called by all threads: move the keys of one step; then all meet, */
void key_set_moved(struct key_set *k); /* one calls this, and while `growing` it goes on */

static inline int key_set_fit(const struct key_set *k, u64 count) { return count <= k->size / 5 * 4; }

/* Whether so many would go in, though slowly: for the last ones of a search that may not grow any more. */
static inline int key_set_hold(const struct key_set *k, u64 count) { return count <= k->size / 20 * 19; }

#define IN_LINE(width) (8 / (width)) /* keys in a line */

/* The first place in the line of a key, if there are so many places. */
static inline u64 key_set_place(u64 size, u64 hash, u64 width) {
  return multiply_high(hash, size / IN_LINE(width)) * IN_LINE(width);
}
FETCHES key_set_fetch(const struct key_set *k, u64 hash, u64 width) {
  __builtin_prefetch((const void *)&k->places[key_set_place(k->size, hash, width) * width]);
}

/* Put a word in, if its place is free; what was there before. */
static inline u64 key_set_claim(const struct key_set *k, _Atomic u64 *place, u64 word) {
  u64 found = atomic_load_explicit(place, memory_order_acquire);
  if (found) return found;
  if (k->alone) atomic_store_explicit(place, word, memory_order_relaxed);
  else atomic_compare_exchange_strong_explicit(place, &found, word, memory_order_acquire, memory_order_acquire);
  return found;
}

/* Whether the key at a place, whose second word was `found` there, is this one. */
static inline int key_set_equal(_Atomic u64 *at, u64 found, const u64 *key) {
  if ((found & ~WRITTEN) != (key[1] | TAKEN)) return 0;
  while (!(found & WRITTEN)) found = atomic_load_explicit(&at[1], memory_order_acquire);
  return atomic_load_explicit(&at[0], memory_order_relaxed) == key[0];
}

/* The keys of a line, each read once: what is free is what was free when it was looked for the key. */
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

/* Which keys are this one, as bits. */
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

/* Put a key of one word in; whether it was not there.  All keys of a line are looked at together: which of them it would be
   is more than a processor can guess.  Keys come into a line one after the other: who has put this one in meanwhile has done
   so in the place that was free first. */
static inline int key_set_put_word(struct key_set *k, u64 key, u64 hash) {
  for (_Atomic u64 *at = &k->places[key_set_place(k->size, hash, 1)];;) {
    struct line line = line_read(at);
    if (line_has(&line, key)) return 0;
    unsigned free = line_has(&line, 0);
    if (!free) at += IN_LINE(1);
    else if (key_set_claim(k, &at[__builtin_ctz(free)], key) == 0) return 1;
  }
}

/* Put a key in; whether it was not there. */
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
