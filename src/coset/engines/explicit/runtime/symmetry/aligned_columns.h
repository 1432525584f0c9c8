/* The order of the columns of a packed state in which columns name no other columns.

   The numbers of a column stand side by side, and all columns of a family have the same numbers (component_dictionary.h).  So a
   column is one number, and to move it is to shift that number.  A component in no column may name one, such as the turn in
   Peterson's algorithm.  The key of a column is its number and one bit for each component that names it:

       column 0: 17, named by last[2]      column 1: 4      column 2: 17      ->      4 | 17 | 17, named by last[2]

   Columns with equal keys are twins: exchanging them changes nothing.  So the state with its columns in the order of their keys
   is the representative.  Where a column names another one, or a component names two, more has to be done (by_columns.h).  Which
   of both applies is the same for all states of an orbit.

   Part of numbered.c. */
#ifndef ALIGNED_COLUMNS_H
#define ALIGNED_COLUMNS_H

#define KIND_PLAIN 1  /* a column that names no others */
#define KIND_NAMING 2 /* a column that names others */
#define MOST_COLUMN_BITS 16

static int width_of(u64 mask) { return mask ? 64 - __builtin_clzll(mask) : 0; }

/* The numbers of a column as one bit field, which is empty if the column has no components: values that only others name. */
static struct bit_field column_field(const struct numbered *n, int q) {
  struct bit_field found = {0, 0, 0};
  for (int k = 0; k < COLUMN_SIZE && model_at[q][k] < ACTIVE; k++) {
    const struct bit_field *field = &n->fields[model_at[q][k]];
    if (k == 0) found = *field;
    found.mask |= field->mask << (field->shift - found.shift);
  }
  return found;
}

static u64 size_of_kinds(const struct numbered *n) {
  u64 size = 0;
  for (int f = 0; f < FAMILIES; f++) {
    u64 mask = column_field(n, model_families[f][0]).mask;
    if (width_of(mask) > MOST_COLUMN_BITS || width_of(mask) + OTHERS > KEY_BITS) return 0;
    size += mask + 1;
  }
  return size;
}

/* What stands at the bits of a field. */
static void open_part(struct numbered *n, const struct bit_field *field, int is_other, int which) {
  for (int bit = 0; bit < width_of(field->mask); bit++)
    n->parts[field->word * 64 + field->shift + bit] =
        (struct column_part){field->mask << field->shift, (u8)is_other, (u8)which};
}

static void open_kinds(struct numbered *n, u8 *memory) {
  n->has_kinds = size_of_kinds(n) != 0;
  for (int q = 0; q < COLUMNS; q++) {
    const struct bit_field field = n->columns[q] = column_field(n, q);
    n->column_to[q] = (struct destination){(u8)field.word, (u8)field.shift};
    n->column_mask[field.word] |= field.mask << field.shift;
    n->place.of[q / 8][q % 8] = q;
    n->used.of[q / 8][q % 8] = n->lane[q].of[q / 8][q % 8] = -1;
    open_part(n, &field, 0, q);
  }
  for (int k = 0; k < OTHERS; k++) open_part(n, &n->fields[model_others[k]], 1, k);
  for (int f = 0; n->has_kinds && f < FAMILIES; f++) {
    for (int k = 0; k < model_families[f][1]; k++) n->kinds[model_families[f][0] + k] = (_Atomic u8 *)memory;
    memory += n->columns[model_families[f][0]].mask + 1;
  }
}

static __attribute__((noinline)) unsigned learn_kind(struct worker *w, const u64 *words, int q) {
  const struct numbered *n = &w->search->numbered;
  unsigned kind = KIND_PLAIN;
  for (int k = 0; k < COLUMN_SIZE && model_at[q][k] < ACTIVE; k++) {
    int a = model_at[q][k];
    uint32_t entry = (uint32_t)(n->start[a] + bit_field_value(words, &n->fields[a]));
    if (flags_of(value_of(w, words, a, entry)) & (VALUE_NAMES | VALUE_RELATES)) kind = KIND_NAMING;
  }
  if (!w->is_cut)
    atomic_store_explicit(&n->kinds[q][bit_field_value(words, &n->columns[q])], (u8)kind, memory_order_relaxed);
  return kind;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

#define NAMED ((1 << OTHERS) - 1) /* the bits of a key for components that name the column */

static inline void put_number(const struct numbered *n, struct lanes *key, int q, u64 number) {
  for (int g = 0; g < LANES / 8; g++) {
    eight mine = n->lane[q].of[g];
    key->of[g] = (key->of[g] & (~mine | NAMED)) | ((int32_t)(number << OTHERS) & mine);
  }
}

static inline void put_name(const struct numbered *n, struct lanes *key, int k, int q) {
  for (int g = 0; g < LANES / 8; g++) key->of[g] = (key->of[g] & ~(1 << k)) | (1 << k & n->lane[q].of[g]);
}

static inline u64 field_of(const u64 *words, const struct bit_field *field) {
  return words[PACKED_WORDS == 1 ? 0 : field->word] >> field->shift & field->mask;
}

/* Enter a column into the keys; returns whether it names no others. */
static inline int enter_column(struct worker *w, const u64 *words, int q, struct lanes *key) {
  const struct numbered *n = &w->search->numbered;
  u64 number = field_of(words, &n->columns[q]);
  unsigned kind = atomic_load_explicit(&n->kinds[q][number], memory_order_relaxed);
  if (__builtin_expect(!kind, 0)) kind = learn_kind(w, words, q);
  put_number(n, key, q, number);
  return kind == KIND_PLAIN;
}

static inline const struct column_value *other_value(struct worker *w, const u64 *words, int k) {
  const struct numbered *n = &w->search->numbered;
  int a = model_others[k];
  return value_of(w, words, a, (uint32_t)(n->start[a] + field_of(words, &n->fields[a])));
}

/* Enter a component in no column into the keys; returns whether it names at most one. */
static inline int enter_other(struct worker *w, const u64 *words, int k, struct lanes *key) {
  const struct column_value *value = other_value(w, words, k);
  put_name(&w->search->numbered, key, k, value->columns[1]);
  return !(flags_of(value) & (VALUE_RELATES | VALUE_IS_WIDE));
}

/* The keys of a state; returns whether columns name no others, and other components at most one. */
static inline int read_columns(struct worker *w, const u64 *words, struct lanes *key) {
  *key = (struct lanes){0};
  for (int q = 0; q < COLUMNS; q++)
    if (!enter_column(w, words, q, key)) return 0;
  for (int k = 0; k < OTHERS; k++)
    if (!enter_other(w, words, k, key)) return 0;
  return 1;
}

/* The same for a state that follows the current one: only the numbers that differ are looked at. */
static inline int follow_columns(struct worker *w, const u64 *words, struct lanes *key) {
  const struct numbered *n = &w->search->numbered;
  const struct numbered_state *current = &w->numbered;
  *key = current->plain_key;
  for (int k = 0; k < PACKED_WORDS; k++) {
    for (u64 differs = (words[k] ^ current->plain_words[k]) & n->mask[k]; differs;) {
      const struct column_part *part = &n->parts[k * 64 + __builtin_ctzll(differs)];
      differs &= ~part->bits;
      int q = part->which;
      if (!(part->is_other ? enter_other(w, words, q, key) : enter_column(w, words, q, key))) return 0;
    }
  }
  return 1;
}

/* --- order -------------------------------------------------------------------------------------------------------- */

/* In how many orders columns can be put without any change. */
static inline orbit_count orders_of(const struct column_order *order) {
  orbit_count ways = 1;
  for (int q = 0; q < COLUMNS; q++) ways *= (orbit_count)(lane(&order->rank, q) - lane(&order->colour, q) + 1);
  return ways;
}

/* The names of columns that move, as bits of a key. */
static inline int moved_names(const struct numbered *n, const struct lanes *key, const struct column_order *order,
                              int *has_moved) {
  eight moved = {0}, names = {0};
  for (int g = 0; g < LANES / 8; g++) {
    eight mine = (order->rank.of[g] != n->place.of[g]) & n->used.of[g];
    moved |= mine;
    names |= mine & key->of[g];
  }
  int64_t any[4], bits[4];
  memcpy(any, &moved, sizeof any);
  memcpy(bits, &names, sizeof bits);
  *has_moved = (any[0] | any[1] | any[2] | any[3]) != 0;
  int64_t all = bits[0] | bits[1] | bits[2] | bits[3];
  return (int)(all | all >> 32) & NAMED;
}

static inline void add_number(u64 *words, const struct destination *to, u64 number) {
  add_bits(words, to->word, number << to->shift);
}

/* Move columns to their places, and change the components that name them. */
static inline void arrange_plain(struct worker *w, const struct lanes *key, const struct column_order *order, int names,
                                 u64 *words) {
  const struct numbered *n = &w->search->numbered;
  u64 sum[PACKED_WORDS];
  struct permutation p;
  for (int k = 0; k < PACKED_WORDS; k++) sum[k] = words[k] & ~n->column_mask[k];
#pragma GCC unroll 16
  for (int q = 0; q < COLUMNS; q++) {
    int target = lane(&order->rank, q);
    p.target[q] = (u8)target;
    add_number(sum, &n->column_to[target], (u64)(uint32_t)lane(key, q) >> OTHERS);
  }
  p.target[COLUMNS] = 0;
  for (; names; names &= names - 1) {
    int k = __builtin_ctz((unsigned)names), a = model_others[k];
    const struct column_value *value = other_value(w, words, k);
    const struct bit_field *field = &n->fields[a];
    u64 image[PACKED_WORDS];
    for (int i = 0; i < PACKED_WORDS; i++) image[i] = ~(u64)0;
    meet_image(w, &p, words, a, value, image);
    sum[field->word] = (sum[field->word] & ~(field->mask << field->shift)) | ~image[field->word];
  }
  memcpy(words, sum, sizeof sum);
}

static inline orbit_count sort_plain(struct worker *w, const struct lanes *key, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  struct column_order order;
  int has_moved, has_equal = rank_columns(n, &n->family, key, &order), names = moved_names(n, key, &order, &has_moved);
  if (has_moved) arrange_plain(w, key, &order, names, words);
  return model_orbit_size(has_equal ? orders_of(&order) : 1);
}

#endif
