/* Representatives of packed states.  See numbered.h. */
#define _GNU_SOURCE
#include "numbered.h"

#include "memory.h"
#include "worker.h"

#if MODEL_NUMBERED

int numbered_open(struct numbered *n, const struct bit_field *bit_fields) {
  u64 starters = model_starter < 0 ? 0 : bit_fields[model_cores[model_starter]].mask + 1;
  for (int a = 0; a < ACTIVE; a++) {
    const struct bit_field field = n->fields[a] = bit_fields[model_active[a]];
    n->start[a + 1] = n->start[a] + field.mask + 1;
    n->mask[field.word] |= field.mask << field.shift;
    for (int bit = 0; field.mask >> bit & 1; bit++) n->place_of[field.word * 64 + field.shift + bit] = (uint16_t)a;
  }
  u64 entries = n->start[ACTIVE] * ELEMENTS;
  n->bytes = entries * sizeof(IMAGE) + starters;
  if (!(n->memory = memory_scattered(n->bytes))) return 0;
  n->images = (_Atomic IMAGE *)(void *)n->memory;
  n->started = (_Atomic u8 *)(n->images + entries);
  return 1;
}

void numbered_begin(const struct numbered *n, struct numbered_state *state) {
  memset(state->words, 0, sizeof state->words);
  memcpy(state->entry, n->start, sizeof state->entry);
}

void numbered_close(struct numbered *n) {
  memory_release(n->memory, n->bytes);
  n->memory = NULL;
}

/* Whether symmetries act on the state. */
static inline int is_started(struct worker *w, const u64 *words) {
  const struct footprint_table *k = &w->search->footprints;
  if (model_starter < 0 || cached_count(k, words) <= model_starter) return 1;
  _Atomic u8 *known = w->search->numbered.started + bit_field_value(words, &k->slots[model_starter].field);
  u8 found = atomic_load_explicit(known, memory_order_relaxed);
  if (__builtin_expect(!found, 0)) {
    u8 state[STATE_SIZE];
    dictionary_unpack(&k->dictionary, (const u8 *)words, state);
    atomic_store_explicit(known, found = model_acts(state) ? 2 : 1, memory_order_relaxed);
  }
  return found == 2;
}

static inline _Atomic IMAGE *table_of(const struct numbered *n, int g) { return n->images + (u64)g * n->start[ACTIVE]; }

/* Enter into the tables what an element does to each component of a state. */
static __attribute__((noinline)) void learn_images(struct worker *w, int g) {
  struct search *search = w->search;
  const struct numbered *n = &search->numbered;
  struct component_dictionary *dictionary = &search->footprints.dictionary;
  u8 state[STATE_SIZE], image[STATE_SIZE];
  u64 packed[PACKED_WORDS];
  dictionary_unpack(dictionary, (const u8 *)w->numbered.words, state);
  model_element(state, g, image);
  int full = dictionary_pack(dictionary, image, NULL, NULL, (u8 *)packed);
  if (full != DICTIONARY_FITS) too_wide(w, full);
  for (int a = 0; a < ACTIVE; a++) {
    u64 number = full == DICTIONARY_FITS ? bit_field_value(packed, &n->fields[a]) : 0;
    _Atomic IMAGE *entry = table_of(n, g) + w->numbered.entry[model_source[g][a]];
    atomic_store_explicit(entry, (IMAGE)(number + 1), memory_order_relaxed);
  }
}

/* The number of a component's value after an element, plus 1. */
static inline uint32_t image_at(struct worker *w, int g, int a) {
  const _Atomic IMAGE *entry = table_of(&w->search->numbered, g) + w->numbered.entry[model_source[g][a]];
  uint32_t found = atomic_load_explicit(entry, memory_order_relaxed);
  if (__builtin_expect(found != 0, 1)) return found;
  learn_images(w, g);
  return atomic_load_explicit(entry, memory_order_relaxed);
}

/* Turn to another state: only the numbers that differ are looked at. */
static inline void turn_to(struct worker *w, const u64 *words) {
  const struct numbered *n = &w->search->numbered;
  for (int k = 0; k < PACKED_WORDS; k++) {
    for (u64 differs = (words[k] ^ w->numbered.words[k]) & n->mask[k]; differs;) {
      int a = n->place_of[k * 64 + __builtin_ctzll(differs)];
      differs &= ~(n->fields[a].mask << n->fields[a].shift);
      w->numbered.entry[a] = n->start[a] + bit_field_value(words, &n->fields[a]);
    }
    w->numbered.words[k] = words[k];
  }
}

/* The elements of a set with the greatest image of a component. */
static inline u64 greatest_at(struct worker *w, u64 elements, int a) {
  u64 kept = 0;
  uint32_t greatest = 0;
  for (u64 rest = elements; rest; rest &= rest - 1) {
    int g = __builtin_ctzll(rest);
    uint32_t mine = image_at(w, g, a);
    u64 bit = (u64)1 << g;
    kept = mine > greatest ? bit : kept | (mine == greatest ? bit : 0);
    greatest = mine > greatest ? mine : greatest;
  }
  return kept;
}

/* The same of all elements for the first component: without branches, as it is this loop that takes the time. */
static inline u64 greatest_at_first(struct worker *w) {
  const _Atomic IMAGE *table = w->search->numbered.images;
  const u64 *entry = w->numbered.entry, stride = w->search->numbered.start[ACTIVE];
  uint32_t greatest = 0, is_known = 1, firsts[ELEMENTS];
  u64 kept = 0;
  for (int g = 0; g < ELEMENTS; g++, table += stride) {
    uint32_t mine = atomic_load_explicit(&table[entry[model_first[g]]], memory_order_relaxed);
    firsts[g] = mine;
    is_known &= mine != 0;
    greatest = mine > greatest ? mine : greatest;
  }
  if (__builtin_expect(!is_known, 0)) return greatest_at(w, ELEMENTS == 64 ? ~(u64)0 : ((u64)1 << ELEMENTS) - 1, 0);
  for (int g = 0; g < ELEMENTS; g++) kept |= (u64)(firsts[g] == greatest) << g;
  return kept;
}

/* Values are numbered in the order in which they are found.  The greatest image is wanted rather than the least: high numbers are
   rare, so that most elements are excluded by their first component. */
orbit_count numbered_greatest(struct worker *w, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  if (!is_started(w, words)) return 1;
  turn_to(w, words);
  u64 kept = greatest_at_first(w);
  for (int a = 1; a < ACTIVE && kept & (kept - 1); a++) kept = greatest_at(w, kept, a);
  int best = __builtin_ctzll(kept);
  if (best != 0) {
    u64 image[PACKED_WORDS];
    for (int k = 0; k < PACKED_WORDS; k++) image[k] = words[k] & ~n->mask[k];
    for (int a = 0; a < ACTIVE; a++)
      image[PACKED_WORDS == 1 ? 0 : n->fields[a].word] |= (u64)(image_at(w, best, a) - 1) << n->fields[a].shift;
    memcpy(words, image, sizeof image);
  }
  return (orbit_count)(ELEMENTS / __builtin_popcountll(kept));
}

#endif
