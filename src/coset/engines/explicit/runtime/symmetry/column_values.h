/* What is known of the values of components where columns are exchanged: what they add to keys, which columns they depend on,
   and their images.

   The image of a value depends only on where those columns move that it belongs to or names.  Most values depend on one or two
   columns: a table has the numbers of their images, by the columns that these come to.  The images of other values are
   remembered by each thread.

   Both are computed, by way of an unpacked state, when they are first needed.

   Part of numbered.c. */
#ifndef COLUMN_VALUES_H
#define COLUMN_VALUES_H

#include <stdlib.h>

#define NO_COLUMN 255
#define MOST_IN_TABLE 16 /* bits of a number */

/* A permutation of columns: where each comes to.  One more place is for values that depend on fewer columns. */
struct permutation {
  u8 target[LANES + 1];
};

static void exchange(struct permutation *p, int one, int other) {
  for (int q = 0; q < COLUMNS; q++) p->target[q] = (u8)(q == one ? other : q == other ? one : q);
  p->target[COLUMNS] = 0;
}

#if MODEL_NESTED
static unsigned columns_above(int owner);
static void move_to_first(int owner, struct permutation *p);
static int exchange_with_next(int q, struct permutation *p);
#else
static inline unsigned columns_above(int owner) { return (void)owner, 0; }

/* A symmetry that moves a column to the first one of its family. */
static void move_to_first(int owner, struct permutation *p) {
  int first = 0;
  for (int f = 0; f < FAMILIES && model_families[f][0] <= owner; f++) first = model_families[f][0];
  exchange(p, owner, first);
}

/* The symmetry that exchanges a column with the next one; returns whether there is one. */
static int exchange_with_next(int q, struct permutation *p) {
  exchange(p, q, q + 1);
  for (int f = 0; f < FAMILIES; f++)
    if (q >= model_families[f][0] && q + 1 < model_families[f][0] + model_families[f][1]) return 1;
  return 0;
}
#endif

/* The component's place after a permutation. */
static inline int moved_place(const struct permutation *p, int a) {
  return model_owner[a] == NO_COLUMN ? a : model_at[p->target[model_owner[a]]][model_row[a]];
}

/* Memory for tables; it is never moved. */
#define BLOCK_BYTES ((u64)1 << 16)

struct memory_block {
  struct memory_block *before;
  u64 used;
  u8 bytes[];
};

static void *take_memory(struct numbered *n, u64 size) {
  size = (size + 7) / 8 * 8;
  if (!n->blocks || n->blocks->used + size > BLOCK_BYTES) {
    struct memory_block *block = calloc(1, sizeof *block + BLOCK_BYTES);
    if (!block) abort();
    block->before = n->blocks;
    n->blocks = block;
  }
  n->blocks->used += size;
  return n->blocks->bytes + n->blocks->used - size;
}

static void release_memory(struct numbered *n) {
  for (struct memory_block *block = n->blocks, *before; block; block = before) {
    before = block->before;
    free(block);
  }
}

/* --- on unpacked states ------------------------------------------------------------------------------------------- */

/* A state in which one component has this value and the others that symmetries change are as in the base. */
static void value_alone(const struct numbered *n, const u64 *words, int a, u64 number, u64 *alone) {
  const struct bit_field *field = &n->fields[a];
  for (int k = 0; k < PACKED_WORDS; k++) alone[k] = (words[k] & ~n->mask[k]) | (n->base_words[k] & n->mask[k]);
  alone[field->word] = (alone[field->word] & ~(field->mask << field->shift)) | number << field->shift;
}

/* The number of a component's value after a permutation; returns whether there is one. */
static int number_of_image(struct worker *w, const u64 *words, int a, const struct permutation *p, u64 *number) {
  struct component_dictionary *dictionary = &w->search->footprints.dictionary;
  int component = model_active[moved_place(p, a)];
  u8 state[STATE_SIZE], moved[STATE_SIZE];
  dictionary_unpack(dictionary, (const u8 *)words, state);
  model_arranged(state, p->target, moved);
  if (dictionary_number(dictionary, component, moved, number)) return 1;
  too_wide(w, component);
  return 0;
}

static void keys_of(struct worker *w, const u64 *words, uint32_t *keys) {
  u8 state[STATE_SIZE];
  u64 sums[COLUMNS];
  dictionary_unpack(&w->search->footprints.dictionary, (const u8 *)words, state);
  model_colours(state, sums);
  for (int q = 0; q < COLUMNS; q++) keys[q] = (uint32_t)sums[q];
}

/* Whether two states have the same value of a component. */
static int is_same_value(int component, const u8 *one, const u8 *other) {
  const struct component *c = &model_components[component];
  for (int k = 0; k < c->words; k++) {
    u64 a, b;
    memcpy(&a, one + 8 * (c->first + k), sizeof a);
    memcpy(&b, other + 8 * (c->first + k), sizeof b);
    if ((a ^ b) & c->masks[k]) return 0;
  }
  return 1;
}

/* The base is a state in which symmetries act.  If they do not change it, what a value adds to the keys is the same as what its
   image adds to the keys of the images of columns. */
static void find_base(struct worker *w) {
  struct numbered *n = &w->search->numbered;
  u8 moved[STATE_SIZE];
  struct permutation p;
  if (!pack_state(w, model_template, n->base_words)) return;
  keys_of(w, n->base_words, n->base);
  n->role_mask = UINT32_MAX;
  for (int q = 0; q < COLUMNS; q++) {
    if (!exchange_with_next(q, &p)) continue;
    model_arranged(model_template, p.target, moved);
    for (int a = 0; a < ACTIVE; a++)
      if (!is_same_value(model_active[a], model_template, moved)) n->role_mask = 0;
  }
  n->has_base = 1;
}

static void need_base(struct worker *w) {
  struct numbered *n = &w->search->numbered;
  pthread_mutex_lock(&n->lock);
  if (!n->has_base) find_base(w);
  pthread_mutex_unlock(&n->lock);
}

/* Whether exchanging two columns leaves the value of a component in its place.  (Images that no state has get no number.) */
static int is_fixed(struct worker *w, const u64 *alone, int a, int one, int other) {
  u8 state[STATE_SIZE], moved[STATE_SIZE];
  struct permutation p;
  if (model_owner[a] == one || model_owner[a] == other) return 0;
  exchange(&p, one, other);
  dictionary_unpack(&w->search->footprints.dictionary, (const u8 *)alone, state);
  model_arranged(state, p.target, moved);
  return is_same_value(model_active[a], state, moved);
}

/* --- new values --------------------------------------------------------------------------------------------------- */

/* The columns that a value depends on, as bits.  Columns are alike if exchanging them leaves the value as it is; it does not depend
   on those of a largest such class.  It relates all columns but those of the largest class, if there is only one: this does not
   depend on the order of columns, as dependencies may.  Where its own column comes to determines where the columns above that
   one do. */
static unsigned find_dependencies(struct worker *w, const u64 *alone, int a, uint16_t *related) {
  unsigned found = 0, above = columns_above(model_owner[a]);
  for (int f = 0; f < FAMILIES; f++) {
    int first = model_families[f][0], end = first + model_families[f][1], largest = -1, is_tie = 0;
    int class_of_column[COLUMNS], size[COLUMNS] = {0};
    for (int q = first; q < end; q++) {
      int alike = first;
      class_of_column[q] = -1;
      if (above >> q & 1) continue;
      while (alike < q && !(class_of_column[alike] == alike && is_fixed(w, alone, a, alike, q))) alike++;
      class_of_column[q] = alike;
      size[alike]++;
    }
    for (int q = first; q < end; q++)
      if (q != model_owner[a] && !(above >> q & 1) && (largest < 0 || size[q] >= size[largest])) {
        is_tie = largest >= 0 && size[q] == size[largest];
        largest = q;
      }
    for (int q = first; q < end; q++) {
      unsigned bit = 1u << q & ~above;
      if (class_of_column[q] != largest) found |= bit;
      if (class_of_column[q] != largest || is_tie) *related |= (uint16_t)bit;
    }
  }
  return found;
}

/* The number, plus 1, of a value's image in the first column of its family; 0 if it depends on other columns than its own. */
static uint16_t home_of(struct worker *w, const u64 *alone, int a, unsigned dependencies) {
  int owner = model_owner[a];
  u64 number;
  struct permutation p;
  if (owner == NO_COLUMN || dependencies != 1u << owner) return 0;
  move_to_first(owner, &p);
  return number_of_image(w, alone, a, &p, &number) && number < UINT16_MAX ? (uint16_t)(number + 1) : 0;
}

/* Where a component's row stands in a column; COLUMNS is for no move, and columns of another family have no such row. */
static const struct bit_field *field_in(const struct numbered *n, int a, int column) {
  int at = model_owner[a] == NO_COLUMN || column == COLUMNS ? a : model_at[column][model_row[a]];
  return &n->fields[at < ACTIVE ? at : a];
}

/* Whether all numbers of a component, wherever it moves to, fit into a table. */
static int is_narrow(const struct numbered *n, int a) {
  for (int q = 0; q < COLUMNS; q++)
    if (field_in(n, a, q)->mask >> MOST_IN_TABLE) return 0;
  return 1;
}

/* A table for the images of a value, by the columns that its one or two dependencies come to; returns whether there is one. */
static int open_images(struct numbered *n, int a, struct column_value *value, unsigned dependencies) {
  int count = __builtin_popcount(dependencies), images = count == 0 ? 1 : count == 1 ? COLUMNS : COLUMNS * COLUMNS;
  u64 size = (u64)images * PACKED_WORDS * sizeof *value->images;
  value->columns[0] = value->columns[1] = COLUMNS;
  value->images = n->no_image;
  if (count > 2 || size > BLOCK_BYTES || !is_narrow(n, a)) return 0;
  if (count > 0) value->columns[1] = (u8)(31 - __builtin_clz(dependencies));
  if (count > 1) value->columns[0] = (u8)__builtin_ctz(dependencies);
  value->images = take_memory(n, size);
  return 1;
}

/* Find out what is to be known of a value.  It is not entered if an image does not fit: successors are dropped then. */
static __attribute__((noinline)) void learn_value(struct worker *w, const u64 *words, int a, uint32_t entry) {
  struct numbered *n = &w->search->numbered;
  struct column_value *value = &n->values[entry];
  pthread_mutex_lock(&n->lock);
  if (!atomic_load_explicit(&value->flags, memory_order_relaxed)) {
    u64 alone[PACKED_WORDS];
    uint32_t keys[LANES] = {0};
    if (!n->has_base) find_base(w);
    value_alone(n, words, a, entry - n->start[a], alone);
    keys_of(w, alone, keys);
    for (int q = 0; q < COLUMNS; q++) value->keys[q] = keys[q] - n->base[q];
    value->related = 0;
    unsigned dependencies = find_dependencies(w, alone, a, &value->related);
    value->home = home_of(w, alone, a, dependencies);
    int has_table = open_images(n, a, value, dependencies), count = __builtin_popcount(value->related);
    int flags = VALUE_IS_KNOWN | (!value->home && dependencies ? VALUE_NAMES : 0) | (count > 1 ? VALUE_RELATES : 0) |
                (count == 2 ? VALUE_IS_PAIR : 0) | (has_table ? 0 : VALUE_IS_WIDE);
    if (flags & (VALUE_RELATES | (model_owner[a] == NO_COLUMN ? VALUE_IS_WIDE : VALUE_NAMES))) flags |= VALUE_BINDS;
    if (!w->is_cut) atomic_store_explicit(&value->flags, (u8)flags, memory_order_release);
  }
  pthread_mutex_unlock(&n->lock);
}

static inline const struct column_value *value_of(struct worker *w, const u64 *words, int a, uint32_t entry) {
  const struct column_value *found = &w->search->numbered.values[entry];
  if (__builtin_expect(!atomic_load_explicit(&found->flags, memory_order_acquire), 0)) learn_value(w, words, a, entry);
  return found;
}

static inline u8 flags_of(const struct column_value *value) {
  return atomic_load_explicit(&value->flags, memory_order_relaxed);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

/* The image of a value, by where the columns come to that it depends on.  An image is a packed state in which the bits of all other
   components are 0; it is kept inverted, so that 0 is for an image that is not known yet. */
static inline _Atomic u64 *image_in_table(const struct column_value *value, const struct permutation *p) {
  return value->images + (p->target[value->columns[0]] * COLUMNS + p->target[value->columns[1]]) * PACKED_WORDS;
}

/* Whether an image is known, which its first word tells. */
static inline int is_known(const _Atomic u64 *image) { return atomic_load_explicit(image, memory_order_acquire) != 0; }

/* The bits of a component with this number after a permutation, inverted. */
static inline void place_image(const struct numbered *n, const struct permutation *p, int a, u64 number, u64 *image) {
  const struct bit_field *field = field_in(n, a, model_owner[a] == NO_COLUMN ? COLUMNS : p->target[model_owner[a]]);
  for (int k = 0; k < PACKED_WORDS; k++) image[k] = ~(u64)0;
  image[field->word] = ~(number << field->shift);
}

/* The image of a value without a table, as the thread remembers it. */
static inline struct image *image_by_hash(struct worker *w, uint32_t entry, u64 columns) {
  return &w->numbered.images[hash_word(columns ^ (u64)entry << 40 ^ entry) >> (64 - IMAGE_BITS)];
}

/* Where the columns come to that a value relates, four bits for each. */
static inline u64 targets_of(const struct column_value *value, const struct permutation *p) {
  u64 found = 0;
  for (unsigned rest = value->related; rest; rest &= rest - 1)
    found |= (u64)(p->target[__builtin_ctz(rest)] + 1) << 4 * __builtin_ctz(rest);
  return found;
}

/* Find the image of a component's value in a state.  If it does not fit, the search ends, and the image does not matter. */
static __attribute__((noinline)) void learn_image(struct worker *w, const struct permutation *p, const u64 *words,
                                                  int a, const struct column_value *value, u64 *image) {
  const struct numbered *n = &w->search->numbered;
  uint32_t entry = (uint32_t)(value - n->values);
  u64 alone[PACKED_WORDS], number = 0, columns = 0;
  struct image *remembered = NULL;
  if (flags_of(value) & VALUE_IS_WIDE) {
    columns = targets_of(value, p);
    remembered = image_by_hash(w, entry, columns);
    if (remembered->columns == columns && remembered->entry == entry + 1) {
      place_image(n, p, a, remembered->number, image);
      return;
    }
  }
  value_alone(n, words, a, entry - n->start[a], alone);
  int fits = number_of_image(w, alone, a, p, &number);
  place_image(n, p, a, fits ? number : 0, image);
  if (!fits) return;
  if (remembered) {
    *remembered = (struct image){columns, entry + 1, (uint32_t)number};
    return;
  }
  _Atomic u64 *place = image_in_table(value, p);
  for (int k = PACKED_WORDS - 1; k >= 0; k--) atomic_store_explicit(place + k, image[k], memory_order_release);
}

/* Put the image of a component's value in a state, inverted, into `sum`, which has the others. */
static inline void meet_image(struct worker *w, const struct permutation *p, const u64 *words, int a,
                              const struct column_value *value, u64 *sum) {
  const _Atomic u64 *known = image_in_table(value, p);
  u64 image[PACKED_WORDS];
  if (__builtin_expect(!is_known(known), 0)) learn_image(w, p, words, a, value, image);
  else
    for (int k = 0; k < PACKED_WORDS; k++) image[k] = atomic_load_explicit(known + k, memory_order_relaxed);
  for (int k = 0; k < PACKED_WORDS; k++) sum[k] &= image[k];
}

/* The current state with its columns permuted.  All components are looked at: which ones move cannot be predicted. */
static inline void arrange_columns(struct worker *w, const struct permutation *p, u64 *image) {
  const struct numbered *n = &w->search->numbered;
  u64 sum[PACKED_WORDS];
  for (int k = 0; k < PACKED_WORDS; k++) sum[k] = ~(w->numbered.words[k] & ~n->mask[k]);
#pragma GCC unroll 4
  for (int a = 0; a < ACTIVE; a++) meet_image(w, p, w->numbered.words, a, w->numbered.values[a], sum);
  for (int k = 0; k < PACKED_WORDS; k++) image[k] = ~sum[k];
}

#endif
