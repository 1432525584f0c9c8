/* A set of items of one size, each with a number: open addressing, one 64-bit word per slot, shared by all threads.

   A word is a tag (the upper bits of the hash) and the number of the item in the pool, plus one; 0 is empty.  An item is
   written to the pool first and published by one compare-and-swap, so that readers need no lock.  Pool and table are
   reservations of address space: items never move, the table grows in place, and memory is used only where something
   is written.  The table is at most three quarters full.

   The size is a parameter of every function, and a constant wherever they are called. */
#ifndef INTERN_TABLE_H
#define INTERN_TABLE_H

#include <stdatomic.h>

#include "hash.h"

#define INDEX_BITS 40
#define INDEX_MASK (((u64)1 << INDEX_BITS) - 1)
#define NO_INDEX INDEX_MASK

struct intern_table {
  _Atomic u64 *places;
  u64 mask;
  u8 *pool;
  u64 capacity; /* items that the reservation has room for */
  u64 room;     /* slots that the reservation has room for */
};

int intern_open(struct intern_table *n, u64 capacity, u64 size);
void intern_close(struct intern_table *n, u64 size);
void intern_grow(struct intern_table *n, u64 things, u64 size);
u64 intern_growth(const struct intern_table *n, u64 things); /* the bytes that growing for this many items takes */

/* Whether this many items fit without growing. */
static inline int intern_fits(const struct intern_table *n, u64 things) { return things <= n->mask / 4 * 3; }

/* Whether this many items would fit at all, with slow lookups. */
static inline int intern_holds(const struct intern_table *n, u64 things) { return things <= n->mask / 16 * 15; }

static inline u8 *intern_item(const struct intern_table *n, u64 number, u64 size) { return n->pool + number * size; }

/* Memory is slow: prefetch the slot of an item first, then the item in it, and insert last. */
FETCHES intern_fetch_place(const struct intern_table *n, u64 hash) {
  __builtin_prefetch((const void *)&n->places[hash & n->mask]);
}
FETCHES intern_fetch_item(const struct intern_table *n, u64 hash, u64 size) {
  u64 word = atomic_load_explicit(&n->places[hash & n->mask], memory_order_relaxed);
  if (word && ((word ^ hash) & ~INDEX_MASK) == 0) __builtin_prefetch(intern_item(n, (word & INDEX_MASK) - 1, size));
}

/* The number of an item, or NO_INDEX. */
static inline u64 intern_find(const struct intern_table *n, const u8 *item, u64 hash, u64 size) {
  u64 tag = hash & ~INDEX_MASK, slot = hash & n->mask;
  for (;; slot = (slot + 1) & n->mask) {
    u64 word = atomic_load_explicit(&n->places[slot], memory_order_acquire);
    if (word == 0) return NO_INDEX;
    if ((word & ~INDEX_MASK) != tag) continue;
    u64 number = (word & INDEX_MASK) - 1;
    if (memcmp(intern_item(n, number, size), item, size) == 0) return number;
  }
}

/* Insert an item with the number `fresh`, unless it is present.  Returns its number. */
static inline u64 intern_put(struct intern_table *n, const u8 *item, u64 hash, u64 fresh, u64 size) {
  u64 tag = hash & ~INDEX_MASK, slot = hash & n->mask;
  int written = 0;
  for (;;) {
    u64 word = atomic_load_explicit(&n->places[slot], memory_order_acquire);
    if (word == 0) {
      if (!written) {
        memcpy(intern_item(n, fresh, size), item, size);
        written = 1;
      }
      if (atomic_compare_exchange_strong_explicit(&n->places[slot], &word, tag | (fresh + 1), memory_order_release,
                                                  memory_order_acquire))
        return fresh;
    }
    if ((word & ~INDEX_MASK) == tag) {
      u64 number = (word & INDEX_MASK) - 1;
      if (memcmp(intern_item(n, number, size), item, size) == 0) return number;
    }
    slot = (slot + 1) & n->mask;
  }
}

#endif
