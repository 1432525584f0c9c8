/* A compact set: its shape, its memory, and its growth.  See compact_set.h. */
#define _GNU_SOURCE
#include "compact_set.h"

#include <stdlib.h>

#include "memory.h"

#if HAS_COMPACT_SETS

#define INVERSE_BITS 94
#define PART_LINES ((u64)1 << 12) /* lines that a thread moves at once */
#define FEW_LINES ((u64)1 << 10)  /* the last lines to move: all of their keys are set aside */

/* How full a set may be: in short lines, more keys are away from their homes. */
static u64 used_slots(const struct compact_set *c, u64 lines) {
  return c->slots >= 12 ? lines * (u64)c->slots / 20 * 17 : lines * (u64)c->slots / 5 * 4;
}

u64 compact_set_room(const struct compact_set *c) { return used_slots(c, c->count); }
u64 compact_set_most(const struct compact_set *c) { return c->count * (u64)c->slots / 20 * 19; }
u64 compact_set_lines(const struct compact_set *c) { return c->count + MOST_DISTANCE; }

u64 compact_set_bytes(const struct compact_set *c) { return compact_set_lines(c) * LINE_BYTES; }

static int bits_of(u64 number) { return number ? 64 - __builtin_clzll(number) : 0; }

/* Choose the shortest payload that suffices for so many lines that there is room for the keys.  The hashes of a line are
   consecutive; so many of their lower bits are stored that no two of them are equal. */
int compact_set_shape(struct compact_set *c, u64 keys, u64 least_lines) {
  const int bits = 64 - c->unused;
  for (int payload = LEAST_PAYLOAD; payload <= MOST_PAYLOAD; payload++) {
    struct compact_set shape = *c;
    shape.payload = payload;
    shape.slots = LINE_BYTES / (payload + 1) < MOST_SLOTS ? LINE_BYTES / (payload + 1) : MOST_SLOTS;
    shape.count = keys / used_slots(&shape, 20) * 20 + 20;
    if (shape.count < least_lines) shape.count = least_lines;
    shape.kept = bits_of(((u64)1 << bits) / shape.count + 1);
    if (shape.kept < TAG_BITS) shape.kept = TAG_BITS;
    shape.distance_at = shape.kept - TAG_BITS + c->rest;
    if (shape.distance_at + DISTANCE_BITS > 8 * payload) continue;
    shape.mask = payload == 8 ? ~(u64)0 : low_bits(8 * payload);
    const unsigned __int128 inverse = ((unsigned __int128)1 << INVERSE_BITS) / shape.count;
    shape.inverse[0] = (u64)inverse;
    shape.inverse[1] = (u64)(inverse >> 64);
    *c = shape;
    return 1;
  }
  return 0;
}

int compact_set_open(struct compact_set *c, u64 reserve) {
  c->reserve = reserve;
  c->lines = compact_set_bytes(c) <= reserve ? memory_large(reserve) : NULL;
  return c->lines != NULL;
}

void compact_set_close(struct compact_set *c) {
  memory_release(c->lines, c->reserve);
  c->lines = NULL;
}

/* --- the keys of a line ------------------------------------------------------------------------------------------- */

/* The least of the hashes, without unused bits, that have their home in a line. */
static u64 first_of_line(const struct compact_set *c, u64 line) {
  const unsigned __int128 inverse = (unsigned __int128)c->inverse[1] << 64 | c->inverse[0];
  u64 least = (u64)(line * inverse >> (INVERSE_BITS - 64)); /* or a little more */
  while (multiply_high(least, c->count) < line) least++;
  return least <= 1 ? 0 : ((least - 2) >> c->unused) + 1;
}

int compact_set_line(const struct compact_set *c, u64 line, struct coded_key *keys) {
  u8 *at = c->lines + line * LINE_BYTES;
  u64 first = 0;
  int known = -1, count = 0;
  for (int slot = 0; slot < c->slots; slot++) {
    u8 tag = atomic_load_explicit(slot_tag(c, at, slot), memory_order_acquire);
    if (tag == TAG_FREE) break;
    u64 payload = slot_payload(c, at, slot), content = payload & low_bits(c->distance_at);
    u64 lower = (content & low_bits(c->kept - TAG_BITS)) << TAG_BITS | (tag & (TAG_WRITTEN - 1));
    int distance = (int)(payload >> c->distance_at);
    if (distance != known) first = first_of_line(c, line - (u64)distance);
    known = distance;
    u64 hash = first + ((lower - first) & low_bits(c->kept));
    keys[count++] = (struct coded_key){hash << c->unused | 1, content >> (c->kept - TAG_BITS)};
  }
  return count;
}

/* --- growth ------------------------------------------------------------------------------------------------------- */

/* The next part to move: its keys go to lines after it, also those that are away from their homes. */
static void next_part(const struct compact_set *c, struct compact_growth *g) {
  unsigned __int128 low = (unsigned __int128)g->high * g->from.count / c->count + MOST_DISTANCE + 2;
  g->low = g->high <= FEW_LINES || low >= g->high ? 0 : (u64)low;
  atomic_store(&g->next_part, g->low);
}

void compact_set_grow(struct compact_set *c, struct compact_growth *g, const struct compact_set *shape) {
  g->from = *c;
  *c = *shape;
  g->high = compact_set_lines(&g->from);
  next_part(c, g);
}

/* Take the keys out of some lines. */
static u64 take_lines(struct compact_growth *g, u64 begin, u64 end, struct coded_key *keys) {
  u64 count = 0;
  for (u64 line = begin; line < end; line++) count += (u64)compact_set_line(&g->from, line, keys + count);
  memset(g->from.lines + begin * LINE_BYTES, 0, (end - begin) * LINE_BYTES);
  return count;
}

static void put_all(struct compact_set *c, const struct coded_key *keys, u64 count, no_place *refuse, void *owner) {
  for (u64 k = 0; k < count; k++)
    if (compact_set_put(c, keys[k]) == NO_PLACE) refuse(owner, keys[k]);
}

#define LINES_AT_ONCE 4

void compact_set_move(struct compact_set *c, struct compact_growth *g, no_place *refuse, void *owner) {
  struct coded_key keys[LINES_AT_ONCE * MOST_SLOTS];
  u64 begin;
  if (g->low == 0) return; /* the last part is moved by one thread */
  while ((begin = atomic_fetch_add(&g->next_part, PART_LINES)) < g->high)
    for (u64 line = begin, end; line < begin + PART_LINES && line < g->high; line = end) {
      end = line + LINES_AT_ONCE < g->high ? line + LINES_AT_ONCE : g->high;
      put_all(c, keys, take_lines(g, line, end, keys), refuse, owner);
    }
}

int compact_set_moved(struct compact_set *c, struct compact_growth *g, no_place *refuse, void *owner) {
  if (g->low == 0) {
    struct coded_key *keys = malloc(g->high * MOST_SLOTS * sizeof *keys);
    if (!keys) abort();
    put_all(c, keys, take_lines(g, 0, g->high, keys), refuse, owner);
    free(keys);
    return 0;
  }
  g->high = g->low;
  next_part(c, g);
  return 1;
}

#endif
