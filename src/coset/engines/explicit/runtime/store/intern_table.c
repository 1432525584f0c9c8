/* An intern table: memory and growth.  See intern_table.h. */
#define _GNU_SOURCE
#include "intern_table.h"

#include <stdlib.h>

#include "memory.h"

#define FIRST_PLACES ((u64)1 << 12)
#define AHEAD 32 /* slots whose items are prefetched */

int intern_open(struct intern_table *n, u64 capacity, u64 size) {
  memset(n, 0, sizeof *n);
  n->capacity = capacity < INDEX_MASK - 2 ? capacity : INDEX_MASK - 2;
  n->mask = FIRST_PLACES - 1;
  for (n->room = FIRST_PLACES; n->room / 4 * 3 <= n->capacity; n->room *= 2) {}
  n->pool = memory_reserve(n->capacity * size);
  n->places = memory_reserve(n->room * sizeof(u64));
  return n->pool && n->places;
}

void intern_close(struct intern_table *n, u64 size) {
  memory_release(n->pool, n->capacity * size);
  memory_release((void *)n->places, n->room * sizeof(u64));
  memset(n, 0, sizeof *n);
}

static u64 load(const struct intern_table *n, u64 slot) {
  return atomic_load_explicit(&n->places[slot], memory_order_relaxed);
}

static void store(struct intern_table *n, u64 slot, u64 word) {
  atomic_store_explicit(&n->places[slot], word, memory_order_relaxed);
}

static void put_back(struct intern_table *n, u64 word, u64 size) {
  u64 slot = hash_bytes(intern_item(n, (word & INDEX_MASK) - 1, size), size) & n->mask;
  while (load(n, slot)) slot = (slot + 1) & n->mask;
  store(n, slot, word);
}

/* Double the table.  The home slot of an entry in the larger table is its old home slot or lies in the new half.  Entries
   are moved in order, beginning after a free slot: all entries between the home slot of an entry and its old position have
   been moved by then, so that it finds a free slot before it meets an entry still to be moved.  This fails only beyond the
   end of the table, so an entry that finds no free slot before the end waits until all others have been moved. */
static void double_places(struct intern_table *n, u64 size) {
  u64 old = n->mask + 1, first = 0, waiting_count = 0, waiting_room = 0, *waiting = NULL;
  while (load(n, first)) first++;
  n->mask = 2 * old - 1;
  for (u64 k = 0; k < old; k++) {
    u64 slot = (first + k) & (old - 1), word = load(n, slot), ahead = load(n, (slot + AHEAD) & (old - 1));
    if (ahead) __builtin_prefetch(intern_item(n, (ahead & INDEX_MASK) - 1, size));
    if (word == 0) continue;
    store(n, slot, 0);
    slot = hash_bytes(intern_item(n, (word & INDEX_MASK) - 1, size), size) & n->mask;
    while (slot <= n->mask && load(n, slot)) slot++;
    if (slot <= n->mask) {
      store(n, slot, word);
      continue;
    }
    if (waiting_count == waiting_room) {
      waiting_room = waiting_room ? 2 * waiting_room : 64;
      waiting = realloc(waiting, waiting_room * sizeof *waiting);
      if (!waiting) abort();
    }
    waiting[waiting_count++] = word;
  }
  for (u64 k = 0; k < waiting_count; k++) put_back(n, waiting[k], size);
  free(waiting);
}

u64 intern_growth(const struct intern_table *n, u64 things) {
  u64 size = n->mask + 1;
  while (things > (size - 1) / 4 * 3) size *= 2;
  return (size - n->mask - 1) * sizeof(u64);
}

/* Make room for this many items, at most the capacity.  No other thread may use the table meanwhile. */
void intern_grow(struct intern_table *n, u64 things, u64 size) {
  while (!intern_fits(n, things)) double_places(n, size);
}
