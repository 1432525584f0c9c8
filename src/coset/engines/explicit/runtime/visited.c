/* The set of visited states: memory and growth.  See visited.h. */
#define _GNU_SOURCE
#include "visited.h"

#include <stddef.h>
#include <sys/mman.h>

#define FIRST_PLACES ((u64)1 << 16)
#define AHEAD 32 /* places whose states are fetched before they are needed */

/* Address space, with large pages: places are visited at random, and with small pages most of the time would go into
   finding out where a page is. */
static void *reserve_memory(u64 bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

int visited_open(struct visited *v, u64 reserve, int keep_parents) {
  memset(v, 0, sizeof *v);
  v->capacity = reserve / STATE_SIZE;
  if (v->capacity > INDEX_MASK - 2) v->capacity = INDEX_MASK - 2;
  v->mask = FIRST_PLACES - 1;
  for (v->room = FIRST_PLACES; v->room / 4 * 3 <= v->capacity; v->room *= 2) {}
  v->pool = reserve_memory(v->capacity * STATE_SIZE);
  v->places = reserve_memory(v->room * sizeof(u64));
  if (keep_parents) v->parents = reserve_memory(v->capacity * sizeof(u64));
  return v->pool && v->places && (!keep_parents || v->parents);
}

void visited_close(struct visited *v) {
  if (v->pool) munmap(v->pool, v->capacity * STATE_SIZE);
  if (v->places) munmap((void *)v->places, v->room * sizeof(u64));
  if (v->parents) munmap(v->parents, v->capacity * sizeof(u64));
  memset(v, 0, sizeof *v);
}

static u64 load(const struct visited *v, u64 slot) {
  return atomic_load_explicit(&v->places[slot], memory_order_relaxed);
}

static void store(struct visited *v, u64 slot, u64 word) {
  atomic_store_explicit(&v->places[slot], word, memory_order_relaxed);
}

/* Twice the places.  An entry goes to its place in the larger table, which is its old one or lies in the new half.
   Entries are moved in order, beginning after a free place: all that stood between the place where an entry belongs and
   the one where it was have been moved by then, so that it meets a free place before it meets an entry still to be moved. */
static void double_places(struct visited *v) {
  u64 old = v->mask + 1, first = 0;
  while (load(v, first)) first++;
  v->mask = 2 * old - 1;
  for (u64 k = 0; k < old; k++) {
    u64 slot = (first + k) & (old - 1), word = load(v, slot), ahead = load(v, (slot + AHEAD) & (old - 1));
    if (ahead) __builtin_prefetch(visited_state(v, (ahead & INDEX_MASK) - 1));
    if (word == 0) continue;
    store(v, slot, 0);
    slot = hash_state(visited_state(v, (word & INDEX_MASK) - 1)) & v->mask;
    while (load(v, slot)) slot = (slot + 1) & v->mask;
    store(v, slot, word);
  }
}

/* Make room for so many states, which are not more than the capacity.  Nobody else may use the set meanwhile. */
void visited_grow(struct visited *v, u64 states) {
  while (!visited_fits(v, states)) double_places(v);
}
