/* The representative of a packed state under the rotations of a ring: the greatest of its rotations.

   The columns of the ring stand side by side in one word and have the same numbers (component_dictionary.h), so that a rotation
   of the state rotates these bits.  Components in no column, such as a token that names one of the processes, have images in
   tables (by_elements.h); they are compared where several rotations yield the greatest columns.

   Part of numbered.c. */
#ifndef ROTATION_H
#define ROTATION_H

static void open_ring(struct numbered *n) {
  const struct bit_field *first = NULL, *second = NULL;
  for (int a = 0; a < ACTIVE; a++) {
    if (model_active[a] == model_ring[0]) first = &n->fields[a];
    if (model_active[a] == model_ring[1]) second = &n->fields[a];
  }
  n->stride = second->shift - first->shift;
  int bits = n->stride * ELEMENTS;
  n->ring = (struct bit_field){first->word, first->shift, bits < 64 ? ((u64)1 << bits) - 1 : ~(u64)0};
}

/* The columns after they have moved by `k`, from 1 to ELEMENTS - 1. */
static inline u64 rotated(const struct numbered *n, u64 ring, int k) {
  return (ring << k * n->stride | ring >> (ELEMENTS - k) * n->stride) & n->ring.mask;
}

/* The fewest rotations after which the columns are as before. */
static inline int period_of(const struct numbered *n, u64 ring) {
#pragma GCC unroll 64
  for (int k = 1; k <= ELEMENTS / 2; k++)
    if (ELEMENTS % k == 0 && __builtin_expect(rotated(n, ring, k) == ring, 0)) return k;
  return ELEMENTS;
}

/* Of the rotations that yield the greatest columns, those that yield the greatest other components; `words` becomes the image under
   one of them. */
static u64 represent_others(struct worker *w, u64 *words, u64 elements) {
  const struct numbered *n = &w->search->numbered;
  turn_to(w, words);
  for (int k = 0; k < model_other_count && elements & (elements - 1); k++)
    elements = greatest_at(w, elements, model_others[k]);
  int best = __builtin_ctzll(elements);
  for (int k = 0; best != 0 && !w->is_cut && k < model_other_count; k++) {
    const struct bit_field *field = &n->fields[model_others[k]];
    u64 number = image_at(w, best, model_others[k]) - 1;
    words[field->word] = (words[field->word] & ~(field->mask << field->shift)) | number << field->shift;
  }
  return elements;
}

static inline orbit_count represent(struct worker *w, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  u64 *word = &words[PACKED_WORDS == 1 ? 0 : n->ring.word];
  const u64 ring = *word >> n->ring.shift & n->ring.mask;
  u64 greatest = ring;
#pragma GCC unroll 64
  for (int k = 1; k < ELEMENTS; k++) {
    u64 mine = rotated(n, ring, k);
    greatest = mine > greatest ? mine : greatest;
  }
  int orbit = period_of(n, ring);
  if (model_other_count) {
    u64 elements = ring == greatest;
    for (int k = 1; k < ELEMENTS; k++) elements |= (u64)(rotated(n, ring, k) == greatest) << k;
    orbit = ELEMENTS / __builtin_popcountll(represent_others(w, words, elements));
  }
  *word ^= (ring ^ greatest) << n->ring.shift;
  return (orbit_count)orbit;
}

#endif
