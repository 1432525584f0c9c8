/* A set of keys: memory and growth.  See key_set.h. */
#define _GNU_SOURCE
#include "key_set.h"

#include <stdlib.h>

#include "memory.h"

#ifndef FIRST_WORDS
#define FIRST_WORDS ((u64)1 << 18) /* one large page */
#endif
#define SMALL_SIZE ((u64)1 << 20) /* up to this size a table doubles: that is fast, and memory is not yet scarce */
#define PART ((u64)1 << 12)       /* slots that a thread moves at once */
#define FEW ((u64)1 << 12)        /* the last slots to move: all of their keys are set aside */
#define PAGE ((u64)512)           /* words in a page of the system */
#define TAIL ((u64)1 << 16)       /* slots after the last line */

static u64 key_size(const struct key_set *k) { return k->width * sizeof(u64); }

/* Write to each page of some free slots.  A page that is read before it is written is first mapped to a shared page of
   zeros, and the later write has to notify all threads. */
static void touch(struct key_set *k, u64 begin, u64 end) {
  for (u64 word = begin * k->width; word < end * k->width; word += PAGE)
    atomic_store_explicit(&k->places[word], 0, memory_order_relaxed);
}

int key_set_open(struct key_set *k, u64 width, u64 reserve) {
  memset(k, 0, sizeof *k);
  k->width = width;
  k->room = reserve + 2 * TAIL * key_size(k);
  k->size = FIRST_WORDS / width;
  k->places = memory_large(k->room);
  if (k->places) touch(k, 0, 1);
  return k->places != NULL;
}

void key_set_close(struct key_set *k) {
  memory_release((void *)k->places, k->room);
  free(k->above.words);
  free(k->below.words);
  memset(k, 0, sizeof *k);
}

static int has_room(const struct key_set *k, u64 size) { return size < k->room / key_size(k) - TAIL; }

int key_set_resize(struct key_set *k, u64 size, u64 extent) {
  if (size % IN_LINE(1) || extent < size || !has_room(k, extent)) return 0;
  k->size = size;
  return 1;
}

/* The word of a slot that is 0 if the slot is free. */
static u64 mark(const struct key_set *k, u64 place) {
  return atomic_load_explicit(&k->places[(place + 1) * k->width - 1], memory_order_relaxed);
}

u64 key_set_extent(const struct key_set *k) {
  u64 end = k->size;
  while (mark(k, end)) end++;
  return end;
}

/* --- growing ------------------------------------------------------------------------------------------------------ */

/* Remove the key from a slot; returns whether there was one. */
static inline int take(struct key_set *k, u64 place, u64 *key, u64 width) {
  _Atomic u64 *at = &k->places[place * width];
  for (u64 n = 0; n < width; n++) key[n] = atomic_load_explicit(&at[n], memory_order_relaxed);
  if (key[width - 1] == 0) return 0;
  for (u64 n = 0; n < width; n++) atomic_store_explicit(&at[n], 0, memory_order_relaxed);
  if (width > 1) key[1] &= ~(TAKEN | WRITTEN);
  return 1;
}

static u64 hash_key(const u64 *key, u64 width) { return hash_bytes((const u8 *)key, 8 * width); }

static void put(struct key_set *k, const u64 *key) {
  if (k->width == 1) key_set_put(k, key, hash_key(key, 1), 1);
  else key_set_put(k, key, hash_key(key, 2), 2);
}

static int put_aside(struct key_set *k, struct aside *list, u64 place) {
  if (list->count == list->room) {
    u64 room = list->room ? 2 * list->room : 2 * FEW;
    u64 *words = realloc(list->words, room * key_size(k));
    if (!words) return 0;
    list->words = words;
    list->room = room;
  }
  return take(k, place, &list->words[list->count++ * k->width], k->width);
}

/* Whether the home line of the key in a slot was before `end`, the beginning of a line. */
static int belongs_before(const struct key_set *k, u64 place, u64 end) {
  u64 key[2] = {atomic_load(&k->places[place * k->width]), mark(k, place)};
  if (k->width > 1) key[1] &= ~(TAKEN | WRITTEN);
  u64 hash = k->width == 1 ? hash_key(key, 1) : hash_key(key, 2);
  return (k->width == 1 ? key_set_place(k->old_size, hash, 1) : key_set_place(k->old_size, hash, 2)) < end;
}

/* The next part to move ends where the last one began.  The few keys set aside need little memory; without it, abort. */
static void next_part(struct key_set *k) {
  u64 line = IN_LINE(k->width), lines = k->size / line, old_lines = k->old_size / line, high = k->high / line;
  k->low = k->high <= FEW ? k->high : (high * old_lines + lines - 1) / lines * line;
  if (k->high <= FEW) {
    for (u64 place = 0; place < k->high; place++)
      if (mark(k, place) && !put_aside(k, &k->above, place)) abort();
  } else {
    for (u64 place = k->low; mark(k, place); place++)
      if (belongs_before(k, place, k->low) && !put_aside(k, &k->below, place)) abort();
  }
  atomic_store(&k->next_part, k->low);
}

static u64 larger(const struct key_set *k, u64 count) {
  u64 size = k->size;
  while (count > size / 5 * 4) size = size < SMALL_SIZE ? 2 * size : size / 16 * 24;
  return size;
}

u64 key_set_growth(const struct key_set *k, u64 count) { return larger(k, count) - k->size; }

int key_set_may_grow(const struct key_set *k, u64 count) { return has_room(k, larger(k, count)); }

int key_set_grow(struct key_set *k, u64 count) {
  u64 size = larger(k, count);
  if (!has_room(k, size)) return 0;
  k->old_size = k->high = k->size;
  k->size = size;
  k->growing = 1;
  for (u64 place = k->old_size; mark(k, place); place++)
    if (!put_aside(k, &k->above, place)) abort();
  k->touching = 1;
  atomic_store(&k->next_part, k->old_size);
  return 1;
}

static void move(struct key_set *k, u64 begin, u64 end, u64 width) {
  u64 key[2];
  for (u64 place = begin; place < end; place++)
    if (take(k, place, key, width)) key_set_put(k, key, hash_key(key, width), width);
}

void key_set_move(struct key_set *k) {
  u64 begin, last = k->touching ? k->size : k->high;
  while ((begin = atomic_fetch_add(&k->next_part, PART)) < last) {
    u64 end = begin + PART < last ? begin + PART : last;
    if (k->touching) touch(k, begin, end);
    else if (k->width == 1) move(k, begin, end, 1);
    else move(k, begin, end, 2);
  }
}

void key_set_moved(struct key_set *k) {
  if (k->touching) {
    k->touching = 0;
    next_part(k);
    return;
  }
  for (u64 n = 0; n < k->above.count; n++) put(k, &k->above.words[n * k->width]);
  k->above.count = 0;
  struct aside empty = k->above;
  k->above = k->below;
  k->below = empty;
  k->growing = k->high > FEW;
  k->high = k->low;
  if (k->growing) next_part(k);
}
