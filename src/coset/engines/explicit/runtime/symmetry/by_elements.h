/* The representative of a packed state under a small group: the greatest of its images.

   For each element there is a table: the number of a component's value -> the number of its image, in the component that it moves
   to.  An entry is computed, by way of an unpacked state, when it is first needed.  The images are compared component by
   component; most elements are excluded after one or two.

   Part of numbered.c. */
#ifndef BY_ELEMENTS_H
#define BY_ELEMENTS_H

static u64 size_of_tables(const struct numbered *n) { return n->start[ACTIVE] * ELEMENTS * sizeof(IMAGE); }

static void open_tables(struct numbered *n) { n->images = (_Atomic IMAGE *)(void *)n->memory; }

static void close_tables(struct numbered *n) { (void)n; }

static void begin_state(const struct numbered *n, struct numbered_state *state) {
  for (int a = 0; a < ACTIVE; a++) state->entry[a] = (uint32_t)n->start[a];
}

/* Turn to another state: only the numbers that differ are looked at. */
static inline void turn_to(struct worker *w, const u64 *words) {
  const struct numbered *n = &w->search->numbered;
  for (int k = 0; k < PACKED_WORDS; k++) {
    for (u64 differs = (words[k] ^ w->numbered.words[k]) & n->mask[k]; differs;) {
      int a = n->place_of[k * 64 + __builtin_ctzll(differs)];
      differs &= ~(n->fields[a].mask << n->fields[a].shift);
      w->numbered.entry[a] = (uint32_t)(n->start[a] + bit_field_value(words, &n->fields[a]));
    }
    w->numbered.words[k] = words[k];
  }
}

static inline _Atomic IMAGE *table_of(const struct numbered *n, int g) { return n->images + (u64)g * n->start[ACTIVE]; }

/* Enter into the tables what an element does to each component of a state. */
static __attribute__((noinline)) void learn_images(struct worker *w, int g) {
  const struct numbered *n = &w->search->numbered;
  u8 state[STATE_SIZE], image[STATE_SIZE];
  u64 packed[PACKED_WORDS];
  dictionary_unpack(&w->search->footprints.dictionary, (const u8 *)w->numbered.words, state);
  model_element(state, g, image);
  int fits = pack_state(w, image, packed);
  for (int a = 0; a < ACTIVE; a++) {
    u64 number = fits ? bit_field_value(packed, &n->fields[a]) : 0;
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
  const uint32_t *entry = w->numbered.entry;
  const u64 stride = w->search->numbered.start[ACTIVE];
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
static inline orbit_count represent(struct worker *w, u64 *words) {
  const struct numbered *n = &w->search->numbered;
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
