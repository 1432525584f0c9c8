/* Numbers of labels.  See labels.h. */
#include "labels.h"

#if MODEL_FAIR

#include <stdlib.h>

#include "hash.h"

static int table_open(struct label_table *t, u64 size) {
  t->size = size;
  t->count = 0;
  t->room = 64;
  t->mask = 255;
  t->items = malloc(t->room * size);
  t->places = calloc(t->mask + 1, sizeof *t->places);
  return t->items && t->places;
}

static void table_close(struct label_table *t) {
  free(t->items);
  free(t->places);
}

int labels_open(struct labels *labels) {
#if !SINGLE_THREADED
  pthread_mutex_init(&labels->lock, NULL);
#endif
  int is_open = table_open(&labels->states, sizeof(struct state_label));
  return table_open(&labels->steps, sizeof(struct step_label)) && is_open;
}

void labels_close(struct labels *labels) {
  table_close(&labels->states);
  table_close(&labels->steps);
#if !SINGLE_THREADED
  pthread_mutex_destroy(&labels->lock);
#endif
}

static u64 hash_of(const u8 *item, u64 size) {
  u64 hash = 0;
  for (u64 k = 0; k < size; k += 8) {
    u64 word;
    memcpy(&word, item + k, 8);
    hash = hash_word(hash ^ word) + k;
  }
  return hash;
}

/* Make room for one more; returns whether there was memory. */
static int table_grow(struct label_table *t) {
  if (t->count < t->room) return 1;
  u64 mask = 4 * 2 * t->room - 1;
  u8 *items = realloc(t->items, 2 * t->room * t->size);
  uint32_t *places = calloc(mask + 1, sizeof *places);
  if (items) t->items = items;
  if (!items || !places) {
    free(places);
    return 0;
  }
  for (u64 k = 0; k < t->count; k++) {
    u64 at = hash_of(t->items + k * t->size, t->size) & mask;
    while (places[at]) at = (at + 1) & mask;
    places[at] = (uint32_t)k + 1;
  }
  free(t->places);
  t->places = places;
  t->mask = mask;
  t->room *= 2;
  return 1;
}

static uint32_t table_number(struct labels *labels, struct label_table *t, const u8 *item, u64 hash) {
  u64 at = hash & t->mask;
  for (; t->places[at]; at = (at + 1) & t->mask)
    if (memcmp(t->items + (t->places[at] - 1) * t->size, item, t->size) == 0) return t->places[at] - 1;
  if (!table_grow(t)) {
    labels->has_failed = 1;
    return 0;
  }
  at = hash & t->mask;
  while (t->places[at]) at = (at + 1) & t->mask;
  memcpy(t->items + t->count * t->size, item, t->size);
  t->places[at] = (uint32_t)++t->count;
  return (uint32_t)t->count - 1;
}

static uint32_t number_of(struct labels *labels, struct label_table *t, const void *item, void *recent,
                          uint32_t *known) {
  u64 hash = hash_of(item, t->size), at = hash % RECENT_LABELS;
  u8 *kept = (u8 *)recent + at * t->size;
  if (known[at] && memcmp(kept, item, t->size) == 0) return known[at] - 1;
#if !SINGLE_THREADED
  pthread_mutex_lock(&labels->lock);
#endif
  uint32_t number = table_number(labels, t, item, hash);
#if !SINGLE_THREADED
  pthread_mutex_unlock(&labels->lock);
#endif
  memcpy(kept, item, t->size);
  known[at] = number + 1;
  return number;
}

uint32_t label_state(struct labels *labels, struct recent_labels *recent, const struct state_label *label) {
  return number_of(labels, &labels->states, label, recent->states, recent->state_numbers);
}

uint32_t label_step(struct labels *labels, struct recent_labels *recent, const struct step_label *label) {
  return number_of(labels, &labels->steps, label, recent->steps, recent->step_numbers);
}

#endif
