/* A set of words: memory and growth.  See keys.h. */
#define _GNU_SOURCE
#include "keys.h"

#include "memory.h"

#define FIRST_SIZE ((u64)1 << 14)
#define PART ((u64)1 << 18) /* words that a thread moves at once */

int keys_open(struct keys *k) {
  memset(k, 0, sizeof *k);
  return keys_resize(k, FIRST_SIZE);
}

void keys_close(struct keys *k) {
  memory_release((void *)k->places, k->size * sizeof(u64));
  memory_release((void *)k->old, k->old_size * sizeof(u64));
  memset(k, 0, sizeof *k);
}

int keys_resize(struct keys *k, u64 size) {
  keys_close(k);
  k->size = size;
  k->places = memory_take(size * sizeof(u64));
  return k->places != NULL;
}

int keys_grow(struct keys *k, u64 words) {
  u64 size = k->size;
  while (words > size / 5 * 4) size = size / 2 * 3;
  _Atomic u64 *places = memory_take(size * sizeof(u64));
  if (!places) return 0;
  k->old = k->places;
  k->old_size = k->size;
  k->places = places;
  k->size = size;
  atomic_store(&k->next_part, 0);
  return 1;
}

void keys_move(struct keys *k) {
  u64 begin;
  while (k->old && (begin = atomic_fetch_add(&k->next_part, PART)) < k->old_size) {
    u64 end = begin + PART < k->old_size ? begin + PART : k->old_size;
    for (u64 slot = begin; slot < end; slot++) {
      u64 word = atomic_load_explicit(&k->old[slot], memory_order_relaxed);
      if (word) keys_put(k, word);
    }
    memory_drop((void *)&k->old[begin], (end - begin) * sizeof(u64));
  }
}

void keys_grown(struct keys *k) {
  memory_release((void *)k->old, k->old_size * sizeof(u64));
  k->old = NULL;
  k->old_size = 0;
}
