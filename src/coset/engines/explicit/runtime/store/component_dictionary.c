/* Dictionaries of the values of components.  See component_dictionary.h. */
#define _GNU_SOURCE
#include "component_dictionary.h"

#include <stdlib.h>

#include "memory.h"

#if MODEL_CACHES

#define FIRST_PLACES 64

static u64 capacity(const struct dictionary *d) { return d->field.mask + 1; }

static struct places *new_places(u64 size) {
  struct places *p = calloc(1, sizeof *p + size * sizeof p->at[0]);
  if (!p) abort();
  p->mask = size - 1;
  return p;
}

int dictionary_open(struct component_dictionary *c, const struct bit_field *bit_fields) {
  memset(c, 0, sizeof *c);
  pthread_mutex_init(&c->lock, NULL);
  for (int k = 0; k < COMPONENTS; k++) {
    c->all[k].field = bit_fields[k];
    c->bytes += capacity(&c->all[k]) * (u64)model_components[k].words * sizeof(u64);
  }
  if (!(c->memory = memory_scattered(c->bytes))) return 0;
  for (u64 k = 0, items = 0; k < COMPONENTS; k++) {
    struct dictionary *d = &c->all[k];
    d->items = (u64 *)(c->memory + items);
    items += capacity(d) * (u64)model_components[k].words * sizeof(u64);
    atomic_store(&d->places, new_places(FIRST_PLACES));
  }
  return 1;
}

void dictionary_close(struct component_dictionary *c) {
  if (!c->memory) return;
  for (int k = 0; k < COMPONENTS; k++)
    for (struct places *p = atomic_load(&c->all[k].places), *before; p; p = before) {
      before = p->before;
      free(p);
    }
  memory_release(c->memory, c->bytes);
  pthread_mutex_destroy(&c->lock);
  memset(c, 0, sizeof *c);
}

static u64 *item_of(const struct dictionary *d, int component, u64 number) {
  return d->items + number * (u64)model_components[component].words;
}

/* The slot of a value, or the free slot where it belongs.  `found` is what was read there.  Another thread may fill a free
   slot at any moment, so it must not be read again without the lock. */
static _Atomic uint32_t *place_of(const struct dictionary *d, int component, struct places *p, const u64 *item,
                                  uint32_t *found) {
  int words = model_components[component].words;
  for (u64 at = hash_bytes((const u8 *)item, (u64)words * 8);; at++) {
    *found = atomic_load_explicit(&p->at[at & p->mask], memory_order_acquire);
    if (*found == 0 || memcmp(item_of(d, component, *found - 1), item, (size_t)words * sizeof(u64)) == 0)
      return &p->at[at & p->mask];
  }
}

/* Enter the number of a value that has none yet. */
static void enter(const struct dictionary *d, int component, struct places *p, u64 number) {
  uint32_t none;
  atomic_store(place_of(d, component, p, item_of(d, component, number), &none), (uint32_t)number + 1);
}

/* Double the table.  Other threads may still read the old one, which stays valid. */
static void grow(struct dictionary *d, int component) {
  struct places *old = atomic_load(&d->places), *p = new_places(2 * (old->mask + 1));
  p->before = old;
  for (u64 number = 0; number < d->count; number++) enter(d, component, p, number);
  atomic_store(&d->places, p);
}

/* Keep a value with the next number of a component, which nothing refers to yet. */
static void keep_item(struct component_dictionary *c, int component, const u64 *item, const u8 *state) {
  struct dictionary *d = &c->all[component];
  memcpy(item_of(d, component, d->count), item, (size_t)model_components[component].words * sizeof(u64));
  dictionary_added(c, component, d->count, state);
}

/* Make the latest number known. */
static void publish(struct dictionary *d, int component) {
  struct places *p = atomic_load(&d->places);
  uint32_t none;
  _Atomic uint32_t *place = place_of(d, component, p, item_of(d, component, d->count), &none);
  atomic_store_explicit(place, (uint32_t)++d->count, memory_order_release);
  if (2 * d->count > p->mask) grow(d, component);
}

/* Replace a component of a state. */
static void put_item(u8 *state, int component, const u64 *item) {
  const struct component *part = &model_components[component];
  u64 words[STATE_WORDS];
  memcpy(words, state, STATE_SIZE);
  for (int n = 0; n < part->words; n++) words[part->first + n] = (words[part->first + n] & ~part->masks[n]) | item[n];
  memcpy(state, words, STATE_SIZE);
}

#if MODEL_EQUIVARIANT
static void get_item(const u8 *state, int component, u64 *item) {
  const struct component *part = &model_components[component];
  memcpy(item, state + part->first * 8, (size_t)part->words * sizeof *item);
  for (int n = 0; n < part->words; n++) item[n] &= part->masks[n];
}

/* The images of a value in all components that are numbered together get the same number.  All are kept before one of them is
   published: another thread may move the number at once. */
static void add_all(struct component_dictionary *c, int component, const u64 *item) {
  for (int k = component;;) {
    u8 state[STATE_SIZE];
    u64 image[ITEM_WORDS];
    memcpy(state, model_template, STATE_SIZE);
    put_item(state, component, item);
    if (k != component) model_relocate(state, component, k);
    get_item(state, k, image);
    memcpy(state, model_template, STATE_SIZE);
    put_item(state, k, image);
    keep_item(c, k, image, state);
    if ((k = model_peer[k]) == component) break;
  }
  int k = component;
  do publish(&c->all[k], k);
  while ((k = model_peer[k]) != component);
}
#endif

static int add(struct component_dictionary *c, int component, const u64 *item, const u8 *state, u64 *number) {
  struct dictionary *d = &c->all[component];
  uint32_t found;
  place_of(d, component, atomic_load(&d->places), item, &found);
  if (!found) {
    if (d->count == capacity(d)) return 0;
    found = (uint32_t)d->count + 1;
#if MODEL_EQUIVARIANT
    if (model_peer[component] != component) {
      add_all(c, component, item);
      *number = found - 1;
      return 1;
    }
#endif
    keep_item(c, component, item, state);
    publish(d, component);
  }
  *number = found - 1;
  return 1;
}

/* Note that a value needs a number. */
static void note_missing(struct missing_values *m, int component, const u64 *item) {
  u8 state[STATE_SIZE];
  memcpy(state, m->initial, STATE_SIZE);
  put_item(state, component, item);
  if (m->count == MOST_MISSING) return; /* it is met again, as the state is expanded again */
  u64 at = hash_bytes(state, STATE_SIZE) + (u64)component;
  for (; m->places[at % MISSING_PLACES]; at++) {
    int k = m->places[at % MISSING_PLACES] - 1;
    if (m->components[k] == component && memcmp(m->states[k], state, STATE_SIZE) == 0) return;
  }
  m->components[m->count] = component;
  memcpy(m->states[m->count++], state, STATE_SIZE);
  m->places[at % MISSING_PLACES] = (u16)m->count;
}

/* Find the number of a value; returns 0 if there is none. */
static int number_of(struct component_dictionary *c, int component, const u64 *item, const u8 *state, u64 *number) {
  struct dictionary *d = &c->all[component];
  uint32_t found;
  place_of(d, component, atomic_load_explicit(&d->places, memory_order_acquire), item, &found);
  *number = (u64)found - 1;
  if (found) return 1;
  if (c->missing) {
    note_missing(c->missing, component, item);
    return 0;
  }
  pthread_mutex_lock(&c->lock);
  int done = add(c, component, item, state, number);
  pthread_mutex_unlock(&c->lock);
  return done;
}

int dictionary_pack(struct component_dictionary *c, const u8 *state, const u8 *parent, const u8 *parent_packed,
                    u8 *packed) {
  u64 words[STATE_WORDS], differs[STATE_WORDS], out[PACKED_WORDS] = {0};
  memcpy(words, state, STATE_SIZE);
  if (PACKED_WORDS == 1) out[0] = (u64)1 << 63; /* a free bit: a key must not be 0 (key_set.h) */
  if (parent) {
    memcpy(differs, parent, STATE_SIZE);
    memcpy(out, parent_packed, PACKED_SIZE);
  }
  for (int k = 0; k < STATE_WORDS; k++) differs[k] = parent ? differs[k] ^ words[k] : ~(u64)0;
  for (int k = 0; k < COMPONENTS; k++) {
    const struct component *part = &model_components[k];
    const struct bit_field *field = &c->all[k].field;
    u64 item[ITEM_WORDS], is_new = !parent, number;
    for (int n = 0; n < part->words; n++) {
      item[n] = words[part->first + n] & part->masks[n];
      is_new |= differs[part->first + n] & part->masks[n];
    }
    if (!is_new) continue;
    if (!number_of(c, k, item, state, &number)) {
      memcpy(packed, out, PACKED_SIZE);
      return k;
    }
    out[field->word] = (out[field->word] & ~(field->mask << field->shift)) | number << field->shift;
  }
  memcpy(packed, out, PACKED_SIZE);
  return DICTIONARY_FITS;
}

int dictionary_number(struct component_dictionary *c, int component, const u8 *state, u64 *number) {
  const struct component *part = &model_components[component];
  u64 item[ITEM_WORDS];
  memcpy(item, state + part->first * 8, (size_t)part->words * sizeof *item);
  for (int n = 0; n < part->words; n++) item[n] &= part->masks[n];
  return number_of(c, component, item, state, number);
}

void dictionary_unpack(const struct component_dictionary *c, const u8 *packed, u8 *state) {
  u64 words[STATE_WORDS] = {0}, in[PACKED_WORDS];
  memcpy(in, packed, PACKED_SIZE);
  for (int k = 0; k < COMPONENTS; k++) {
    const struct component *part = &model_components[k];
    const u64 *item = c->all[k].items + bit_field_value(in, &c->all[k].field) * (u64)part->words;
    for (int n = 0; n < part->words; n++) words[part->first + n] |= item[n];
  }
  memcpy(state, words, STATE_SIZE);
}

int dictionary_refill(struct component_dictionary *c, int component, u64 count) {
  struct dictionary *d = &c->all[component];
  if (count > capacity(d)) return 0;
  for (; d->count < count; d->count++) {
    if (2 * (d->count + 1) > atomic_load(&d->places)->mask) grow(d, component);
    enter(d, component, atomic_load(&d->places), d->count);
  }
  return 1;
}

#endif
