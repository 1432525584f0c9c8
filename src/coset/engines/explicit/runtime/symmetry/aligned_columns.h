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

static int width_of(u64 mask) { return __builtin_popcountll(mask); }

/* The numbers of a column as one bit field. */
static struct bit_field column_field(const struct numbered *n, int q) {
  const struct bit_field *first = &n->fields[model_at[q][0]], *last = first;
  for (int k = 0; k < COLUMN_SIZE && model_at[q][k] < ACTIVE; k++) last = &n->fields[model_at[q][k]];
  return (struct bit_field){first->word, first->shift,
                            ((u64)1 << (last->shift - first->shift + width_of(last->mask))) - 1};
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

static void open_kinds(struct numbered *n, u8 *memory) {
  n->has_kinds = size_of_kinds(n) != 0;
  for (int q = 0; q < COLUMNS; q++) n->columns[q] = column_field(n, q);
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
  atomic_store_explicit(&n->kinds[q][bit_field_value(words, &n->columns[q])], (u8)kind, memory_order_relaxed);
  return kind;
}

/* The columns of a state and what names them. */
struct plain_columns {
  uint32_t number[COLUMNS];
  uint32_t key[LANES + 1]; /* the last one is of no column */
  const struct column_value *others[OTHERS + 1];
};

/* Read the columns of a state; returns whether each of them, and each other component, names at most one column. */
static inline int read_columns(struct worker *w, const u64 *words, struct plain_columns *c) {
  const struct numbered *n = &w->search->numbered;
  unsigned kinds = KIND_PLAIN;
#pragma GCC unroll 16
  for (int q = 0; q < COLUMNS; q++) {
    const struct bit_field *field = &n->columns[q];
    uint32_t number = (uint32_t)(words[PACKED_WORDS == 1 ? 0 : field->word] >> field->shift & field->mask);
    unsigned kind = atomic_load_explicit(&n->kinds[q][number], memory_order_relaxed);
    if (__builtin_expect(!kind, 0)) kind = learn_kind(w, words, q);
    c->number[q] = number;
    c->key[q] = number << OTHERS;
    kinds |= kind;
  }
  if (kinds != KIND_PLAIN) return 0;
#pragma GCC unroll 16
  for (int k = 0; k < OTHERS; k++) {
    int a = model_others[k];
    const struct bit_field *field = &n->fields[a];
    u64 number = words[PACKED_WORDS == 1 ? 0 : field->word] >> field->shift & field->mask;
    const struct column_value *value = value_of(w, words, a, (uint32_t)(n->start[a] + number));
    if (__builtin_expect(flags_of(value) & (VALUE_RELATES | VALUE_IS_WIDE), 0)) return 0;
    c->key[value->columns[0]] |= 1u << k;
    c->others[k] = value;
  }
  return 1;
}

/* In how many orders columns can be put without any change. */
static inline orbit_count orders_of(const struct column_order *order) {
  orbit_count ways = 1;
  for (int q = 0; q < COLUMNS; q++) ways *= (orbit_count)(lane(&order->rank, q) - lane(&order->colour, q) + 1);
  return ways;
}

static inline orbit_count sort_plain(struct worker *w, const struct plain_columns *c, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  struct column_order order;
  struct lanes key;
  struct permutation p;
  u64 sum[PACKED_WORDS];
  memcpy(&key, c->key, sizeof key);
  int has_equal = rank_columns(n, &n->family, &key, &order);
  for (int k = 0; k < PACKED_WORDS; k++) sum[k] = words[k] & ~n->mask[k];
#pragma GCC unroll 16
  for (int q = 0; q < COLUMNS; q++) {
    int target = lane(&order.rank, q);
    p.target[q] = (u8)target;
    const struct destination to = {(u8)n->columns[target].word, (u8)n->columns[target].shift};
    add_number(sum, &to, c->number[q]);
  }
  p.target[COLUMNS] = 0;
#pragma GCC unroll 16
  for (int k = 0; k < OTHERS; k++) {
    int a = model_others[k];
    const struct column_value *value = c->others[k];
    uint32_t number = atomic_load_explicit(image_in_table(value, &p), memory_order_relaxed);
    if (__builtin_expect(!number, 0)) number = learn_image(w, &p, words, a, value);
    add_number(sum, &n->to[a][COLUMNS], number - 1);
  }
  memcpy(words, sum, sizeof sum);
  return model_orbit_size(has_equal ? orders_of(&order) : 1);
}

#endif
