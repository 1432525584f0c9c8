/* What is known of the values of components where columns are exchanged: what they add to keys, which columns they depend on,
   and their images.

   The image of a value depends only on where those columns move that it belongs to or names (its *dependencies*).  Most values
   depend on one or two columns.  Their images are in a table, by the columns that these come to.  Each entry has the bits of the
   number in the component that the value moves to, so that a permuted state is the union of such bits.  The images of other
   values are remembered by each thread.

   A record is made when a number is first met.  An image is computed, by way of an unpacked state, when it is first needed.

   Part of numbered.c. */
#ifndef COLUMN_VALUES_H
#define COLUMN_VALUES_H

#include <stdlib.h>

#define NO_COLUMN 255
#define COLUMN_BITS(column) ((u64)15 << 4 * (column))
#define IS_IMAGE ((u64)1 << 63) /* in the last word of an image: it is known */

/* A permutation of columns: where each comes to, also in one word with four bits for each.  One more place is for values that
   depend on fewer columns. */
struct permutation {
  u8 target[LANES + 1];
  u64 word;
};

static void exchange(struct permutation *p, int one, int other) {
  *p = (struct permutation){.word = 0};
  for (int q = 0; q < COLUMNS; q++) {
    p->target[q] = (u8)(q == one ? other : q == other ? one : q);
    p->word |= (u64)p->target[q] << 4 * q;
  }
}

/* The component's place after a permutation. */
static inline int moved_place(const struct permutation *p, int a) {
  return model_owner[a] == NO_COLUMN ? a : model_at[p->target[model_owner[a]]][model_row[a]];
}

/* Memory for records; it is never moved. */
#define BLOCK_BYTES ((u64)1 << 16)

struct memory_block {
  struct memory_block *before;
  u64 used;
  u8 bytes[] __attribute__((aligned(32)));
};

static void *take_memory(struct numbered *n, u64 size) {
  size = (size + 31) / 32 * 32;
  if (!n->blocks || n->blocks->used + size > BLOCK_BYTES) {
    struct memory_block *block = aligned_alloc(32, sizeof *block + BLOCK_BYTES);
    if (!block) abort();
    memset(block, 0, sizeof *block + BLOCK_BYTES);
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

/* A state in which one component has this value and the others that symmetries change have number 0. */
static void value_alone(const struct numbered *n, const u64 *words, int a, u64 number, u64 *alone) {
  for (int k = 0; k < PACKED_WORDS; k++) alone[k] = words[k] & ~n->mask[k];
  alone[n->fields[a].word] |= number << n->fields[a].shift;
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

/* Whether exchanging two columns leaves the value of a component in its place. */
static int is_fixed(struct worker *w, const u64 *alone, int a, int one, int other) {
  u64 number;
  struct permutation p;
  if (model_owner[a] == one || model_owner[a] == other) return 0;
  exchange(&p, one, other);
  return number_of_image(w, alone, a, &p, &number) && number == bit_field_value(alone, &w->search->numbered.fields[a]);
}

/* --- new values --------------------------------------------------------------------------------------------------- */

/* The columns that a value depends on.  Columns are alike if exchanging them leaves the value as it is; it does not depend on those
   of a largest such class.  It relates all columns but those of the largest class, if there is only one: this does not depend on
   the order of columns, as dependencies may. */
static void find_dependencies(struct worker *w, const u64 *alone, int a, struct column_value *value) {
  for (int f = 0; f < FAMILIES; f++) {
    int first = model_families[f][0], end = first + model_families[f][1], largest = -1, is_tie = 0;
    int class_of_column[COLUMNS], size[COLUMNS] = {0};
    for (int q = first; q < end; q++) {
      int alike = first;
      while (alike < q && !(class_of_column[alike] == alike && is_fixed(w, alone, a, alike, q))) alike++;
      class_of_column[q] = alike;
      size[alike]++;
    }
    for (int q = first; q < end; q++)
      if (q != model_owner[a] && (largest < 0 || size[q] >= size[largest])) {
        is_tie = largest >= 0 && size[q] == size[largest];
        largest = q;
      }
    for (int q = first; q < end; q++) {
      if (class_of_column[q] != largest) value->dependencies |= COLUMN_BITS(q);
      if (class_of_column[q] != largest || is_tie) value->related |= (uint16_t)(1u << q);
    }
  }
  value->is_pair = __builtin_popcount(value->related) == 2;
  if (value->is_pair) {
    value->pair[0] = (u8)__builtin_ctz(value->related);
    value->pair[1] = (u8)(31 - __builtin_clz(value->related));
  }
}

/* The number, plus 1, of a value's image in the first column of its family; 0 if it depends on other columns than its own. */
static uint32_t home_of(struct worker *w, const u64 *alone, int a, u64 dependencies) {
  int owner = model_owner[a], first = 0;
  u64 number;
  struct permutation p;
  if (owner == NO_COLUMN || dependencies != COLUMN_BITS(owner)) return 0;
  for (int f = 0; f < FAMILIES && model_families[f][0] <= owner; f++) first = model_families[f][0];
  exchange(&p, owner, first);
  return number_of_image(w, alone, a, &p, &number) ? (uint32_t)number + 1 : 0;
}

/* A table for the images of a value, by the columns that its one or two dependencies come to. */
static void open_images(struct numbered *n, struct column_value *value) {
  u64 rest = value->dependencies;
  int count = __builtin_popcountll(rest) / 4;
  value->has_many = count > 2;
  value->columns[0] = value->columns[1] = COLUMNS;
  for (int k = 0; k < count && k < 2; k++) {
    value->columns[k] = (u8)(__builtin_ctzll(rest) / 4);
    rest &= ~COLUMN_BITS(value->columns[k]);
  }
  value->stride = count == 2 ? COLUMNS * IMAGE_WORDS : IMAGE_WORDS;
  u64 entries = count == 0 ? 1 : count == 1 ? COLUMNS : COLUMNS * COLUMNS;
  if (!value->has_many) value->images = take_memory(n, entries * IMAGE_WORDS * sizeof(u64));
}

/* Make the record of a value. */
static __attribute__((noinline)) const struct column_value *learn_value(struct worker *w, const u64 *words, int a,
                                                                        uint32_t entry) {
  struct numbered *n = &w->search->numbered;
  pthread_mutex_lock(&n->lock);
  struct column_value *value = atomic_load_explicit(&n->values[entry], memory_order_relaxed);
  if (!value) {
    u64 alone[PACKED_WORDS], none[PACKED_WORDS];
    uint32_t keys[LANES] = {0};
    value = take_memory(n, sizeof *value);
    value->entry = entry;
    value_alone(n, words, a, 0, none);
    if (!n->has_base) keys_of(w, none, n->base);
    n->has_base = 1;
    value_alone(n, words, a, entry - n->start[a], alone);
    keys_of(w, alone, keys);
    for (int q = 0; q < COLUMNS; q++) value->keys[q] = keys[q] - n->base[q];
    find_dependencies(w, alone, a, value);
    value->home = home_of(w, alone, a, value->dependencies);
    open_images(n, value);
    atomic_store_explicit(&n->values[entry], value, memory_order_release);
  }
  pthread_mutex_unlock(&n->lock);
  return value;
}

static inline const struct column_value *value_of(struct worker *w, const u64 *words, int a, uint32_t entry) {
  const struct column_value *found = atomic_load_explicit(&w->search->numbered.values[entry], memory_order_acquire);
  return __builtin_expect(found != NULL, 1) ? found : learn_value(w, words, a, entry);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

/* The place of an image in the table of a value that depends on at most two columns. */
static inline _Atomic u64 *image_in_table(const struct column_value *value, const struct permutation *p) {
  return value->images + (u64)p->target[value->columns[0]] * value->stride +
         (u64)p->target[value->columns[1]] * IMAGE_WORDS;
}

/* The image of a value that depends on more columns, as the thread remembers it. */
static inline struct image *image_by_hash(struct worker *w, const struct column_value *value, u64 columns) {
  return &w->numbered.images[hash_word(columns ^ (u64)value->entry << 40 ^ value->entry) >> (64 - IMAGE_BITS)];
}

/* Compute the image of a value of the current state. */
static __attribute__((noinline)) void learn_image(struct worker *w, const struct permutation *p, int a, u64 *bits) {
  const struct numbered *n = &w->search->numbered;
  const struct column_value *value = w->numbered.values[a];
  const struct bit_field *field = &n->fields[moved_place(p, a)];
  u64 alone[PACKED_WORDS], number = 0;
  value_alone(n, w->numbered.words, a, value->entry - n->start[a], alone);
  if (!number_of_image(w, alone, a, p, &number)) number = 0; /* the search ends */
  for (int k = 0; k < IMAGE_WORDS; k++) bits[k] = k == field->word ? number << field->shift : 0;
  bits[IMAGE_WORDS - 1] |= IS_IMAGE;
  if (value->has_many) {
    struct image *place = image_by_hash(w, value, p->word & value->dependencies);
    place->columns = p->word & value->dependencies;
    place->entry = value->entry + 1;
    memcpy(place->bits, bits, sizeof place->bits);
    return;
  }
  _Atomic u64 *place = image_in_table(value, p);
  for (int k = 0; k < IMAGE_WORDS - 1; k++) atomic_store_explicit(&place[k], bits[k], memory_order_relaxed);
  atomic_store_explicit(&place[IMAGE_WORDS - 1], bits[IMAGE_WORDS - 1], memory_order_release);
}

/* The bits of the image of a component's value, or no bits if it is not known. */
static inline void image_of(struct worker *w, const struct permutation *p, const struct column_value *value,
                            u64 *bits) {
  if (__builtin_expect(value->has_many, 0)) {
    u64 columns = p->word & value->dependencies;
    const struct image *place = image_by_hash(w, value, columns);
    int is_known = place->columns == columns && place->entry == value->entry + 1;
    for (int k = 0; k < IMAGE_WORDS; k++) bits[k] = is_known ? place->bits[k] : 0;
    return;
  }
  const _Atomic u64 *place = image_in_table(value, p);
  bits[IMAGE_WORDS - 1] = atomic_load_explicit(&place[IMAGE_WORDS - 1], memory_order_acquire);
  for (int k = 0; k < IMAGE_WORDS - 1; k++) bits[k] = atomic_load_explicit(&place[k], memory_order_relaxed);
}

/* The current state with its columns permuted. */
static inline void arrange_columns(struct worker *w, const struct permutation *p, u64 *image) {
  const struct numbered *n = &w->search->numbered;
  u64 sum[IMAGE_WORDS] = {0}, is_known = IS_IMAGE, bits[IMAGE_WORDS];
#pragma GCC unroll 4
  for (int a = 0; a < ACTIVE; a++) {
    image_of(w, p, w->numbered.values[a], bits);
    is_known &= bits[IMAGE_WORDS - 1];
    for (int k = 0; k < IMAGE_WORDS; k++) sum[k] |= bits[k];
  }
  if (__builtin_expect(!is_known, 0)) {
    memset(sum, 0, sizeof sum);
    for (int a = 0; a < ACTIVE; a++) {
      image_of(w, p, w->numbered.values[a], bits);
      if (!(bits[IMAGE_WORDS - 1] & IS_IMAGE)) learn_image(w, p, a, bits);
      for (int k = 0; k < IMAGE_WORDS; k++) sum[k] |= bits[k];
    }
  }
  sum[IMAGE_WORDS - 1] &= ~IS_IMAGE;
  for (int k = 0; k < PACKED_WORDS; k++) image[k] = (w->numbered.words[k] & ~n->mask[k]) | sum[k];
}

#endif
