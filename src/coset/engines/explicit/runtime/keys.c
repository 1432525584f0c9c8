/* A set of keys: memory and growth.  See keys.h. */
#define _GNU_SOURCE
#include "keys.h"

#include "memory.h"

#define FIRST_SIZE ((u64)1 << 14)
#define SMALL_SIZE ((u64)1 << 18) /* up to here a table doubles: that is quick, and memory is not yet scarce */
#define PART ((u64)1 << 18)       /* places that a thread moves at once */

int keys_open(struct keys *k, u64 width) {
  memset(k, 0, sizeof *k);
  k->width = width;
  return keys_resize(k, FIRST_SIZE);
}

void keys_close(struct keys *k) {
  memory_release((void *)k->places, k->size * k->width * sizeof(u64));
  memory_release((void *)k->old, k->old_size * k->width * sizeof(u64));
  *k = (struct keys){.width = k->width};
}

int keys_resize(struct keys *k, u64 size) {
  keys_close(k);
  k->size = size;
  k->places = memory_take(size * k->width * sizeof(u64));
  return k->places != NULL;
}

int keys_grow(struct keys *k, u64 count) {
  u64 size = k->size;
  while (count > size / 5 * 4) size = size < SMALL_SIZE ? 2 * size : size / 2 * 3;
  _Atomic u64 *places = memory_take(size * k->width * sizeof(u64));
  if (!places) return 0;
  k->old = k->places;
  k->old_size = k->size;
  k->places = places;
  k->size = size;
  atomic_store(&k->next_part, 0);
  return 1;
}

static void move(struct keys *k, u64 begin, u64 end, u64 width) {
  for (u64 slot = begin; slot < end; slot++) {
    u64 key[2];
    for (u64 n = 0; n < width; n++) key[n] = atomic_load_explicit(&k->old[slot * width + n], memory_order_relaxed);
    if (key[width - 1] == 0) continue;
    if (width > 1) key[1] &= ~(TAKEN | WRITTEN);
    keys_put(k, key, hash_bytes((const u8 *)key, 8 * width), width);
  }
}

void keys_move(struct keys *k) {
  u64 begin;
  while (k->old && (begin = atomic_fetch_add(&k->next_part, PART)) < k->old_size) {
    u64 end = begin + PART < k->old_size ? begin + PART : k->old_size;
    if (k->width == 1) move(k, begin, end, 1);
    else move(k, begin, end, 2);
    memory_drop((void *)&k->old[begin * k->width], (end - begin) * k->width * sizeof(u64));
  }
}

void keys_grown(struct keys *k) {
  memory_release((void *)k->old, k->old_size * k->width * sizeof(u64));
  k->old = NULL;
  k->old_size = 0;
}
