/* The representative of a packed state under a small group: the greatest of its images.

   For each element there is a table: the number of a component's value -> the number of its image, in the component that it moves
   to.  An entry is computed, by way of an unpacked state, when it is first needed.  The images are compared component by
   component.

   For the first component, the greatest image is known for each value that may come there, with the elements that yield it: one
   look-up for each component that can move there.  Most elements are excluded by it.

   Part of numbered.c. */
#ifndef BY_ELEMENTS_H
#define BY_ELEMENTS_H

static u64 bytes_of_images(const struct numbered *n) { return n->start[ACTIVE] * ELEMENTS * sizeof(IMAGE); }

static u64 size_of_tables(const struct numbered *n) {
  return (bytes_of_images(n) + 7) / 8 * 8 + n->start[ACTIVE] * sizeof *n->firsts;
}

#if MODEL_ROTATED
static void open_ring(struct numbered *n); /* rotation.h */
#endif

static void open_tables(struct numbered *n) {
  n->images = (_Atomic IMAGE *)(void *)n->memory;
  n->firsts = (struct first_images *)(void *)(n->memory + (bytes_of_images(n) + 7) / 8 * 8);
  pthread_mutex_init(&n->lock, NULL);
#if MODEL_ROTATED
  open_ring(n);
#endif
}

static void close_tables(struct numbered *n) { pthread_mutex_destroy(&n->lock); }

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

/* --- images ------------------------------------------------------------------------------------------------------- */

static inline _Atomic IMAGE *table_of(const struct numbered *n, int g) { return n->images + (u64)g * n->start[ACTIVE]; }

/* Enter into the tables what an element does to each component of a state, unless a value does not fit (`is_cut`): what depends on
   it is not entered, either, and the successors that are represented meanwhile are dropped. */
static __attribute__((noinline)) void learn_images(struct worker *w, int g) {
  const struct numbered *n = &w->search->numbered;
  u8 state[STATE_SIZE], image[STATE_SIZE];
  u64 packed[PACKED_WORDS];
  dictionary_unpack(&w->search->footprints.dictionary, (const u8 *)w->numbered.words, state);
  model_element(state, g, image);
  if (!pack_state(w, image, packed)) return;
  for (int a = 0; a < ACTIVE; a++) {
    u64 number = bit_field_value(packed, &n->fields[a]);
    _Atomic IMAGE *entry = table_of(n, g) + w->numbered.entry[model_source[g][a]];
    atomic_store_explicit(entry, (IMAGE)(number + 1), memory_order_relaxed);
  }
}

/* The number, plus 1, that a component has after an element; 0 if the image does not fit. */
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
    uint32_t mine = image_at(w, __builtin_ctzll(rest), a);
    u64 bit = rest & -rest;
    kept = mine > greatest ? bit : kept | (mine == greatest ? bit : 0);
    greatest = mine > greatest ? mine : greatest;
  }
  return kept;
}

#if !MODEL_ROTATED
/* --- the first component ------------------------------------------------------------------------------------------ */

/* The greatest image of a value at the head of its orbit, and the elements that yield it. */
static __attribute__((noinline)) void learn_first(struct worker *w, int place, int head) {
  struct numbered *n = &w->search->numbered;
  struct first_images *first = &n->firsts[w->numbered.entry[place]];
  u64 elements = 0;
  for (int g = 0; g < ELEMENTS; g++) elements |= (u64)(model_source[g][head] == place) << g;
  elements = greatest_at(w, elements, head);
  uint32_t greatest = image_at(w, __builtin_ctzll(elements), head);
  if (w->is_cut) return;
  pthread_mutex_lock(&n->lock);
  if (!atomic_load_explicit(&first->greatest, memory_order_relaxed)) {
    first->elements = elements;
    atomic_store_explicit(&first->greatest, greatest, memory_order_release);
  }
  pthread_mutex_unlock(&n->lock);
}

/* The elements with the greatest image at the head of an orbit of components.  Without branches, as it is this loop that takes the
   time. */
static inline __attribute__((always_inline)) u64 greatest_at_head(struct worker *w, const uint16_t *places, int size) {
  const struct first_images *firsts = w->search->numbered.firsts, *all[ACTIVE];
  const uint32_t *entry = w->numbered.entry;
  uint32_t greatest = 0, is_known;
  u64 elements = 0;
  do {
    is_known = 1;
    for (int k = 0; k < size; k++) {
      all[k] = &firsts[entry[places[k]]];
      uint32_t mine = atomic_load_explicit(&all[k]->greatest, memory_order_acquire);
      if (__builtin_expect(!mine, 0)) learn_first(w, places[k], places[0]);
      is_known &= mine != 0;
      greatest = mine > greatest ? mine : greatest;
    }
  } while (__builtin_expect(!is_known && !w->is_cut, 0));
  if (__builtin_expect(!is_known, 0)) return 1;
  for (int k = 0; k < size; k++) {
    u64 is_greatest = atomic_load_explicit(&all[k]->greatest, memory_order_relaxed) == greatest;
    elements |= -is_greatest & all[k]->elements;
  }
  return elements;
}

/* The same where each element moves another component to the first place, as in a ring: the tables of elements suffice. */
static inline u64 greatest_in_ring(struct worker *w) {
  const _Atomic IMAGE *table = w->search->numbered.images;
  const uint32_t *entry = w->numbered.entry;
  const u64 stride = w->search->numbered.start[ACTIVE];
  uint32_t greatest = 0, is_known = 1, all[ELEMENTS];
  u64 elements = 0;
  for (int g = 0; g < ELEMENTS; g++, table += stride) {
    uint32_t mine = atomic_load_explicit(&table[entry[model_first[g]]], memory_order_relaxed);
    all[g] = mine;
    is_known &= mine != 0;
    greatest = mine > greatest ? mine : greatest;
  }
  greatest = is_known ? greatest : 0; /* if some are not known, all are compared again */
  for (int g = 0; g < ELEMENTS; g++) elements |= (u64)(all[g] >= greatest) << g;
  return __builtin_expect(is_known, 1) ? elements : greatest_at(w, elements, 0);
}

/* The same for the orbit of components that leaves the fewest elements: which one this is does not change under symmetries. */
static inline u64 greatest_at_first(struct worker *w) {
  if (FIRST_ORBIT == ELEMENTS) return greatest_in_ring(w);
  u64 elements = greatest_at_head(w, model_orbits[0].places, FIRST_ORBIT);
  for (int k = 1; k < ORBITS && elements & (elements - 1); k++) {
    u64 others = greatest_at_head(w, model_orbits[k].places, model_orbits[k].count);
    if (__builtin_popcountll(others) < __builtin_popcountll(elements)) elements = others;
  }
  return elements;
}

/* --- the representative ------------------------------------------------------------------------------------------- */

/* Values are numbered in the order in which they are found.  The greatest image is wanted rather than the least: high numbers are
   rare, so that most elements are excluded by their first component. */
static inline orbit_count represent(struct worker *w, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  turn_to(w, words);
  u64 elements = greatest_at_first(w);
  for (int a = ORBITS == 1; a < ACTIVE && elements & (elements - 1); a++) elements = greatest_at(w, elements, a);
  int best = __builtin_ctzll(elements);
  if (best != 0 && !w->is_cut) {
    u64 image[PACKED_WORDS];
    for (int k = 0; k < PACKED_WORDS; k++) image[k] = words[k] & ~n->mask[k];
    for (int a = 0; a < ACTIVE; a++)
      add_bits(image, n->fields[a].word, (u64)(image_at(w, best, a) - 1) << n->fields[a].shift);
    memcpy(words, image, sizeof image);
  }
  return (orbit_count)(ELEMENTS / __builtin_popcountll(elements));
}
#endif

#endif
