/* The set of visited states: memory and growth.  See visited.h. */
#define _GNU_SOURCE
#include "visited.h"

#include <stddef.h>
#include <sys/mman.h>

#define FIRST_PLACES ((u64)1 << 12)

static void *reserve_memory(u64 bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int visited_open(struct visited *v, u64 reserve, int keep_parents) {
  memset(v, 0, sizeof *v);
  v->capacity = reserve / STATE_SIZE;
  if (v->capacity > INDEX_MASK - 2) v->capacity = INDEX_MASK - 2;
  v->pool = reserve_memory(v->capacity * STATE_SIZE);
  v->places = reserve_memory(FIRST_PLACES * sizeof(u64));
  v->mask = FIRST_PLACES - 1;
  if (keep_parents) v->parents = reserve_memory(v->capacity * sizeof(u64));
  return v->pool && v->places && (!keep_parents || v->parents);
}

void visited_close(struct visited *v) {
  if (v->pool) munmap(v->pool, v->capacity * STATE_SIZE);
  if (v->places) munmap((void *)v->places, (v->mask + 1) * sizeof(u64));
  if (v->parents) munmap(v->parents, v->capacity * sizeof(u64));
  memset(v, 0, sizeof *v);
}

/* Make room for `states` states at a load of at most one half.  Nobody else may use the set meanwhile. */
int visited_grow(struct visited *v, u64 states) {
  u64 places = v->mask + 1, old = places;
  while (places < 2 * states) places *= 2;
  if (places == old) return 1;
  _Atomic u64 *fresh = reserve_memory(places * sizeof(u64));
  if (!fresh) return 0;
  u64 mask = places - 1;
  for (u64 k = 0; k < old; k++) {
    u64 word = atomic_load_explicit(&v->places[k], memory_order_relaxed);
    if (word == 0) continue;
    u64 slot = hash_state(visited_state(v, (word & INDEX_MASK) - 1)) & mask;
    while (atomic_load_explicit(&fresh[slot], memory_order_relaxed)) slot = (slot + 1) & mask;
    atomic_store_explicit(&fresh[slot], word, memory_order_relaxed);
  }
  munmap((void *)v->places, old * sizeof(u64));
  v->places = fresh;
  v->mask = mask;
  return 1;
}
