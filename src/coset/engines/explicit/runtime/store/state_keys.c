/* The keys of stored states: growth, and moving them to a compact set.  See state_keys.h. */
#define _GNU_SOURCE
#include "state_keys.h"

#include <stdlib.h>

#include "memory.h"

#define PART_BYTES ((u64)2 << 20) /* what a thread moves at once: one large page */
#define PART_LINES (PART_BYTES / LINE_BYTES)
#define LEAST_GAIN                                                                                                     \
  10            /* slots in a line of whole keys and a quarter more: with fewer, a compact set is not worth while */
#define MANY 16 /* if one of so many keys is whole, another code is chosen */
#define FEW 64  /* at most one of so many keys finds no place */
#define LARGE                                                                                                          \
  ((u64)1 << 22) /* keys from which on a set grows by less: moving them costs time, free slots cost memory */

int keys_open(struct keys *k, u64 width, u64 reserve) {
  memset(k, 0, sizeof *k);
  k->reserve = reserve;
  return key_set_open(&k->whole, width, reserve);
}

void keys_close(struct keys *k) {
  key_set_close(&k->whole);
  key_set_close(&k->old_whole);
#if HAS_COMPACT_SETS
  compact_set_close(&k->compact);
  compact_set_close(&k->old_compact);
#endif
  free(k->code);
  free(k->old_code);
  memset(k, 0, sizeof *k);
}

/* The whole key in a slot; returns whether there is one. */
static inline int whole_key(const struct key_set *k, u64 place, u64 *key) {
  for (u64 n = 0; n < k->width; n++)
    key[n] = atomic_load_explicit(&k->places[place * k->width + n], memory_order_relaxed);
  if (key[k->width - 1] == 0) return 0;
  if (k->width > 1) key[1] &= ~(TAKEN | WRITTEN);
  return 1;
}

#if COMPACTS
/* --- the new set -------------------------------------------------------------------------------------------------- */

/* A code of all keys, or NULL. */
static struct key_code *code_of_all(const struct keys *k) {
  const u64 width = k->whole.width, end = key_set_extent(&k->whole);
  u64 any[2] = {0, 0}, all[2] = {~(u64)0, ~(u64)0}, key[2] = {0, 0}, place = 0;
  struct key_code *code = malloc(sizeof *code);
  if (!code) return NULL;
  if (k->code) memcpy(code, k->code, sizeof *code);
  else {
    while (place < end && !whole_key(&k->whole, place, key)) place++;
    key_code_begin(code, key, width);
  }
  for (place = 0; place < end; place++) {
    if (!whole_key(&k->whole, place, key)) continue;
    for (u64 n = 0; n < width; n++) {
      any[n] |= key[n];
      all[n] &= key[n];
    }
  }
  int has_code = key_code_extend(code, any, all, width);
  for (place = 0; place < end && has_code; place++)
    if (whole_key(&k->whole, place, key)) key_code_show(code, key);
  if (has_code && key_code_finish(code)) return code;
  free(code);
  return NULL;
}

static int is_gain(const struct keys *k, const struct compact_set *shape) {
  return (u64)shape->slots * k->whole.width >= LEAST_GAIN;
}

/* Replace the set of whole keys by an empty one; returns 0 if there is no memory. */
static int renew_whole(struct keys *k, u64 count) {
  struct key_set whole;
  u64 expected = count / FEW + atomic_load(&k->whole_count) + SPARE_KEYS,
      size = (expected / 4 * 5 / IN_LINE(1) + 1) * IN_LINE(1);
  if (!key_set_open(&whole, k->whole.width, k->reserve)) return 0;
  if (size > whole.size && !key_set_resize(&whole, size, size)) {
    key_set_close(&whole);
    return 0;
  }
  whole.alone = k->whole.alone;
  k->old_whole = k->whole;
  k->whole = whole;
  atomic_store(&k->whole_count, 0);
  atomic_store(&k->next_part, 0);
  return 1;
}

static u64 next_size(u64 count) { return count < LARGE ? count / 2 * 3 : count / 4 * 5; }

static int open_compact(struct keys *k, u64 count, const struct key_code *code, struct compact_set *c) {
  *c = (struct compact_set){.alone = k->whole.alone, .unused = 64 - code->bits, .rest = code->rest};
  if (!compact_set_shape(c, next_size(count), 0) || !is_gain(k, c) || !compact_set_open(c, k->reserve)) return 0;
  if (renew_whole(k, count)) return 1;
  compact_set_close(c);
  return 0;
}

/* Move all keys to a compact set with a code of their own; returns 0 if there is none, or no memory. */
static int choose_code(struct keys *k, u64 count) {
  struct compact_set compact;
  struct key_code *code = code_of_all(k);
  if (!code) return 0;
  if (!open_compact(k, count, code, &compact)) {
    free(code);
    return 0;
  }
  k->old_compact = k->compact;
  k->old_code = k->code;
  k->compact = compact;
  k->code = code;
  k->codes++;
  k->is_moving = 1;
  return 1;
}

/* The next shape with the same code. */
static int larger_shape(const struct keys *k, u64 count, struct compact_set *shape) {
  *shape = k->compact;
  return compact_set_shape(shape, next_size(count), k->compact.count / 8 * 9 + 1) &&
         compact_set_bytes(shape) <= k->compact.reserve;
}

static int grow_lines(struct keys *k, u64 count) {
  struct compact_set shape;
  if (!larger_shape(k, count, &shape) || !renew_whole(k, count)) return 0;
  compact_set_grow(&k->compact, &k->growth, &shape);
  k->is_growing = k->is_moving = 1;
  return 1;
}

/* --- moving ------------------------------------------------------------------------------------------------------- */

/* A key that finds no place when the compact set grows. */
static void keep_whole(void *owner, struct coded_key coded) {
  struct keys *k = owner;
  u64 key[2] = {0, 0};
  decoded(k->code, coded, key, k->whole.width);
  if (k->whole.width == 1) keys_put_whole(k, key, hash_bytes((const u8 *)key, 8), 1);
  else keys_put_whole(k, key, hash_bytes((const u8 *)key, 16), 2);
}

/* Insert several keys: their places are fetched first. */
static inline void put_all(struct keys *k, u64 (*keys)[2], int count, u64 width) {
  struct coded_key coded[MOST_SLOTS];
  for (int n = 0; n < count; n++) {
    coded[n] = keys_place(k, keys[n], hash_bytes((const u8 *)keys[n], 8 * width), width);
    keys_fetch(k, coded[n], width);
  }
  for (int n = 0; n < count; n++) keys_put(k, keys[n], coded[n], width);
}

static inline void move_line(struct keys *k, u64 line, u64 width) {
  struct coded_key found[MOST_SLOTS];
  u64 keys[MOST_SLOTS][2];
  int count = compact_set_line(&k->old_compact, line, found);
  for (int n = 0; n < count; n++) decoded(k->old_code, found[n], keys[n], width);
  put_all(k, keys, count, width);
}

static inline void move_whole(struct keys *k, u64 begin, u64 end, u64 width) {
  u64 keys[MOST_SLOTS][2];
  int count = 0;
  for (u64 place = begin; place < end; place++) {
    count += whole_key(&k->old_whole, place, keys[count]);
    if (count < MOST_SLOTS) continue;
    put_all(k, keys, count, width);
    count = 0;
  }
  put_all(k, keys, count, width);
}

static void move_lines(struct keys *k, u64 begin, u64 end) {
  for (u64 line = begin; line < end; line++)
    if (k->whole.width == 1) move_line(k, line, 1);
    else move_line(k, line, 2);
}

static void move_parts(struct keys *k) {
  const struct key_set *whole = &k->old_whole;
  u64 lines = k->old_compact.lines ? compact_set_lines(&k->old_compact) : 0, places = key_set_extent(whole);
  u64 line_parts = (lines + PART_LINES - 1) / PART_LINES, part_places = PART_BYTES / 8 / whole->width, part;
  while ((part = atomic_fetch_add(&k->next_part, 1)) < line_parts) {
    u64 first = part * PART_LINES, end = first + PART_LINES < lines ? first + PART_LINES : lines;
    move_lines(k, first, end);
    memory_clear(k->old_compact.lines + first * LINE_BYTES, (end - first) * LINE_BYTES);
  }
  for (; (part - line_parts) * part_places < places; part = atomic_fetch_add(&k->next_part, 1)) {
    u64 first = (part - line_parts) * part_places, end = first + part_places < places ? first + part_places : places;
    if (whole->width == 1) move_whole(k, first, end, 1);
    else move_whole(k, first, end, 2);
  }
}
#endif

/* --- growth ------------------------------------------------------------------------------------------------------- */

#if COMPACTS
/* Whether another code is chosen when the set grows. */
static int is_recoded(const struct keys *k, u64 count) {
  return keys_are_compact(k) ? atomic_load(&k->whole_count) > count / MANY : count >= COMPACT_FROM;
}
#endif

int keys_grow(struct keys *k, u64 count) {
#if COMPACTS
  u64 whole = atomic_load(&k->whole_count);
  if (is_recoded(k, count) && choose_code(k, count)) return 1;
  if (keys_are_compact(k))
    return compact_count(k, count) > compact_set_room(&k->compact) ? grow_lines(k, count)
                                                                   : key_set_grow(&k->whole, whole + SPARE_KEYS);
#endif
  return key_set_grow(&k->whole, count);
}

int keys_may_grow(const struct keys *k, u64 count) {
#if COMPACTS
  struct compact_set shape;
  if (keys_are_compact(k))
    return compact_count(k, count) <= compact_set_room(&k->compact) || larger_shape(k, count, &shape);
#endif
  return key_set_may_grow(&k->whole, count);
}

u64 keys_growth(const struct keys *k, u64 count) {
#if COMPACTS
  struct compact_set shape;
  /* Until they are moved, keys are in both sets; the new one takes less for each of them than a whole key. */
  if (is_recoded(k, count)) return next_size(count) * k->whole.width * sizeof(u64);
  if (keys_are_compact(k)) {
    int fits = compact_count(k, count) <= compact_set_room(&k->compact);
    return fits || !larger_shape(k, count, &shape) ? 0 : compact_set_bytes(&shape) - compact_set_bytes(&k->compact);
  }
#endif
  return key_set_growth(&k->whole, count) * k->whole.width * sizeof(u64);
}

void keys_move(struct keys *k) {
#if COMPACTS
  if (k->is_growing) compact_set_move(&k->compact, &k->growth, keep_whole, k);
  else if (k->is_moving) move_parts(k);
  else key_set_move(&k->whole);
#else
  key_set_move(&k->whole);
#endif
}

void keys_moved(struct keys *k) {
#if COMPACTS
  if (k->is_growing) {
    k->is_growing = compact_set_moved(&k->compact, &k->growth, keep_whole, k);
    return;
  }
  if (k->is_moving) {
    k->is_moving = 0;
    key_set_close(&k->old_whole);
    compact_set_close(&k->old_compact);
    free(k->old_code);
    k->old_code = NULL;
    return;
  }
#endif
  key_set_moved(&k->whole);
}

void keys_settle(struct keys *k) {
  while (keys_are_growing(k)) {
    keys_move(k);
    keys_moved(k);
  }
}

/* A step that meets all numbers below `count` before it meets one again, by about the golden ratio: wherever one stops, those
   that were met are evenly spread.  Keys that are put into a smaller set in the order of their hashes would crowd in its first
   lines. */
static u64 step_for(u64 count) {
  for (u64 step = count >> 32 ? 1 : count / 1000 * 618 + 1;; step++) {
    u64 a = count, b = step;
    while (b) {
      u64 rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) return step;
  }
}

u64 keys_next(const struct keys *k, u64 *at, u64 *words, u64 most) {
  const u64 width = k->whole.width;
  u64 count = 0, lines = 0, places = key_set_extent(&k->whole), step;
#if COMPACTS
  struct coded_key found[MOST_SLOTS];
  lines = keys_are_compact(k) ? compact_set_lines(&k->compact) : 0;
  step = lines ? step_for(lines) : 1;
  for (; *at < lines && count + MOST_SLOTS <= most; ++*at) {
    int in_line = compact_set_line(&k->compact, *at * step % lines, found);
    for (int n = 0; n < in_line; n++, count++) decoded(k->code, found[n], words + count * width, width);
  }
#endif
  step = step_for(places);
  for (; *at >= lines && *at < lines + places && count < most; ++*at)
    count += (u64)whole_key(&k->whole, (*at - lines) * step % places, words + count * width);
  return count;
}
