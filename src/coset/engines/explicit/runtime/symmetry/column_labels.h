/* The order of the columns of the current state.

   Columns in order form *runs* of those that have not been told apart; the *colour* of a column is the first position of its run.
   Where columns of a run are not twins, colours are refined: a column also gets a hash of the colours of the columns that values
   relate it to.  If that does not suffice, either, each column of a run is tried in the first position, and the least state that
   results is the representative (McKay, "Practical graph isomorphism", 1981).  For example, where a has written to b, and c to d,
   hashes do not tell a from c: both orders are tried, and yield the same state.

   The number of orders that yield the representative is the order of the stabiliser, as all are tried (or counted: twins).

   Part of numbered.c. */
#ifndef COLUMN_LABELS_H
#define COLUMN_LABELS_H

#define KEY_BITS 27 /* of a key; four others are for the colour */

/* Columns by key: their positions, and their colours. */
struct column_order {
  struct lanes rank, colour;
};

/* Order the columns by colour, and those of the same colour by key; returns whether there are equal ones.  Without branches, as the
   order cannot be predicted. */
static inline int rank_columns(const struct numbered *n, const struct lanes *colour, const struct lanes *key,
                               struct column_order *order) {
  int32_t keys[LANES];
  eight equals = {0};
  for (int g = 0; g < LANES / 8; g++) {
    eight mine = (key->of[g] & ((1 << KEY_BITS) - 1)) | colour->of[g] << KEY_BITS;
    memcpy(keys + 8 * g, &mine, sizeof mine);
  }
  for (int g = 0; g < LANES / 8; g++) {
    eight mine, less = {0}, same = {0};
    memcpy(&mine, keys + 8 * g, sizeof mine);
#pragma GCC unroll 16
    for (int q = 0; q < COLUMNS; q++) {
      eight other = keys[q] - (eight){0};
      less -= other < mine;
      same -= (other == mine) & n->later[q].of[g];
    }
    order->colour.of[g] = less;
    order->rank.of[g] = less + same;
    equals |= same;
  }
  int64_t any[4];
  memcpy(any, &equals, sizeof any);
  return (any[0] | any[1] | any[2] | any[3]) != 0;
}

static inline int32_t lane(const struct lanes *lanes, int q) {
  int32_t found;
  memcpy(&found, (const u8 *)lanes + 4 * q, sizeof found);
  return found;
}

static inline uint32_t mixed(uint32_t x) {
  x = (x ^ x >> 16) * 0x7FEB352Du;
  x = (x ^ x >> 15) * 0x846CA68Bu;
  return x ^ x >> 16;
}

/* Whether a permutation moves the value of one component to another one that has its image. */
static inline int moves_value(struct worker *w, const struct permutation *p, int from, int to) {
  const struct numbered *n = &w->search->numbered;
  const struct bit_field *field = &n->fields[to];
  u64 sum[PACKED_WORDS];
  for (int k = 0; k < PACKED_WORDS; k++) sum[k] = ~(u64)0;
  meet_image(w, p, w->numbered.words, from, w->numbered.values[from], sum);
  return ((~sum[field->word] ^ w->numbered.words[field->word]) >> field->shift & field->mask) == 0;
}

#if MODEL_NESTED
#include "nested_columns.h"
#else
struct places_in_order {
  u8 target[COLUMNS], column[COLUMNS];
};

static inline void find_places(const struct column_order *order, struct places_in_order *places) {
#pragma GCC unroll 16
  for (int q = 0; q < COLUMNS; q++) {
    int target = lane(&order->rank, q);
    places->target[q] = (u8)target;
    places->column[target] = (u8)q;
  }
}

static inline void nest_keys(struct lanes *key) { (void)key; }

static inline void nest_colours(const struct column_order *order, int32_t *colour) {
  memcpy(colour, &order->colour, sizeof order->colour);
}

static inline unsigned open_above(const struct column_order *order, unsigned open) { return (void)order, open; }
#endif

/* The current state with its columns in order. */
static inline void arrange_by(struct worker *w, const struct column_order *order, struct permutation *p, u64 *image) {
#if MODEL_NESTED
  struct places_in_order places;
  find_places(order, &places);
  memcpy(p->target, places.target, sizeof places.target);
#else
#pragma GCC unroll 16
  for (int q = 0; q < COLUMNS; q++) p->target[q] = (u8)lane(&order->rank, q);
#endif
  p->target[COLUMNS] = 0;
  arrange_columns(w, p, image);
}

/* --- twins -------------------------------------------------------------------------------------------------------- */

/* Whether exchanging two columns changes nothing.  Values that name no columns need only be compared by their homes. */
static int are_twin_columns(struct worker *w, int one, int other) {
  const struct column_value *const *values = w->numbered.values;
  const unsigned both = 1u << one | 1u << other;
  for (int k = 0; k < COLUMN_SIZE && model_at[one][k] < ACTIVE; k++)
    if (values[model_at[one][k]]->home != values[model_at[other][k]]->home) return 0;
  for (u64 rest = w->numbered.naming; rest; rest &= rest - 1) {
    int a = __builtin_ctzll(rest);
    if (!(values[a]->related & both)) continue;
    struct permutation p;
    exchange(&p, one, other);
    if (!moves_value(w, &p, a, moved_place(&p, a))) return 0;
  }
  return 1;
}

static inline int are_twins(struct worker *w, const struct places_in_order *places, int one, int other) {
#if MODEL_NESTED
  if (model_is_parent[one]) return are_twin_families(w, places, one, other);
#endif
  (void)places;
  return are_twin_columns(w, one, other);
}

/* Whether two columns have not been told apart. */
static inline int are_alike(const struct column_order *order, int one, int other) {
  return lane(&order->colour, one) == lane(&order->colour, other);
}

/* In how many orders columns of the same colour can be put without any change, if they are twins, else 0. */
static orbit_count twins_among(struct worker *w, const struct column_order *order) {
  orbit_count ways = 1;
  struct places_in_order places;
  find_places(order, &places);
  const u8 *column = places.column;
  for (int k = 1, run = 1; k < COLUMNS; k++) {
    run = are_alike(order, column[k], column[k - 1]) ? run + 1 : 1;
    if (run == 1) continue;
    if (!are_twins(w, &places, column[k - 1], column[k])) return 0;
    ways *= (orbit_count)run;
  }
  return ways;
}

/* --- refinement --------------------------------------------------------------------------------------------------- */

/* What a value adds to the key of a column tells the role that the column has in it, if that does not change under symmetries. */
static inline uint32_t role(const struct numbered *n, const struct column_value *value, const int32_t *colour, int q) {
  return (value->keys[q] & n->role_mask) + (uint32_t)colour[q] * 0x9E3779B1u;
}

/* One round: the hash of each column has the colours of the columns that it is related to, and their roles. */
static inline void refine_once(struct worker *w, const struct column_order *order, struct lanes *key) {
  const struct numbered *n = &w->search->numbered;
  uint32_t sum[LANES] = {0};
  int32_t colour[LANES];
  nest_colours(order, colour);
  for (u64 rest = w->numbered.relating; rest; rest &= rest - 1) {
    const struct column_value *value = w->numbered.values[__builtin_ctzll(rest)];
    if (__builtin_expect(flags_of(value) & VALUE_IS_PAIR, 1)) {
      int q = __builtin_ctz(value->related), r = 31 - __builtin_clz(value->related);
      uint32_t one = role(n, value, colour, q), other = role(n, value, colour, r);
      sum[q] += mixed(one + other * 0x85EBCA77u);
      sum[r] += mixed(other + one * 0x85EBCA77u);
      continue;
    }
    uint32_t all = 0;
    for (unsigned columns = value->related; columns; columns &= columns - 1)
      all += mixed(role(n, value, colour, __builtin_ctz(columns)));
    for (unsigned columns = value->related; columns; columns &= columns - 1)
      sum[__builtin_ctz(columns)] += mixed(all ^ (value->keys[__builtin_ctz(columns)] & n->role_mask) * 0x85EBCA77u);
  }
  memcpy(key, sum, sizeof sum);
}

static inline int are_same_lanes(const struct lanes *one, const struct lanes *other) {
  eight differs = {0};
  int64_t any[4];
  for (int g = 0; g < LANES / 8; g++) differs |= one->of[g] ^ other->of[g];
  memcpy(any, &differs, sizeof any);
  return !(any[0] | any[1] | any[2] | any[3]);
}

/* Refine colours as long as that tells more columns apart; returns whether some have the same. */
static int refine_colours(struct worker *w, struct column_order *order) {
  int has_equal = 1, has_changed = 1;
  if (!w->numbered.relating) return has_equal;
  while (has_equal && has_changed) {
    struct lanes key, colour = order->colour;
    refine_once(w, order, &key);
    nest_keys(&key);
    has_equal = rank_columns(&w->search->numbered, &colour, &key, order);
    has_changed = !are_same_lanes(&colour, &order->colour);
  }
  return has_equal;
}

/* --- labelling ---------------------------------------------------------------------------------------------------- */

struct column_labels {
  int has_found;
  u64 least[PACKED_WORDS];
  orbit_count count; /* how many orders yield it */
};

static void propose_image(struct column_labels *labels, const u64 *image, orbit_count ways) {
  int comparison = labels->has_found ? memcmp(image, labels->least, sizeof labels->least) : -1;
  if (comparison < 0) memcpy(labels->least, image, sizeof labels->least);
  labels->count = (comparison <= 0 ? ways : 0) + (comparison < 0 ? 0 : labels->count);
  labels->has_found = 1;
}

/* The first position of the first run whose columns are not twins. */
static int open_run(struct worker *w, const struct column_order *order, const struct places_in_order *places) {
  const u8 *column = places->column;
  unsigned open = 0;
  for (int k = 1; k < COLUMNS; k++)
    if (are_alike(order, column[k], column[k - 1]) && !are_twins(w, places, column[k - 1], column[k]))
      open |= 1u << lane(&order->colour, column[k]);
  open = open_above(order, open);
  int first = 0;
  while (!(open >> lane(&order->colour, column[first]) & 1)) first++;
  return first;
}

/* The order with this column in the first position of its run. */
static struct column_order with_first(const struct numbered *n, const struct column_order *order, int q) {
  struct column_order found;
  struct lanes key = {0};
  uint32_t others[LANES];
  for (int r = 0; r < LANES; r++) others[r] = r != q;
  memcpy(&key, others, sizeof others);
  rank_columns(n, &order->colour, &key, &found);
  return found;
}

static void label(struct worker *w, struct column_labels *labels, struct column_order *order, orbit_count ways) {
  u8 is_done[COLUMNS] = {0};
  u64 image[PACKED_WORDS];
  struct places_in_order places;
  orbit_count twins = refine_colours(w, order) ? twins_among(w, order) : 1;
  if (twins) {
    struct permutation p;
    arrange_by(w, order, &p, image);
    propose_image(labels, image, ways * twins);
    return;
  }
  find_places(order, &places);
  const u8 *column = places.column;
  int first = open_run(w, order, &places), end = first;
  while (end < COLUMNS && are_alike(order, column[end], column[first])) end++;
  for (int k = first; k < end; k++) {
    if (is_done[k]) continue;
    orbit_count alike = 1;
    for (int j = k + 1; j < end; j++)
      if (!is_done[j] && are_twins(w, &places, column[k], column[j])) {
        is_done[j] = 1;
        alike++;
      }
    struct column_order next = with_first(&w->search->numbered, order, column[k]);
    label(w, labels, &next, ways * alike);
  }
}

static __attribute__((noinline)) orbit_count label_columns(struct worker *w, struct column_order *order, u64 *words) {
  struct column_labels labels = {.has_found = 0};
  label(w, &labels, order, 1);
  memcpy(words, labels.least, sizeof labels.least);
  return model_orbit_size(labels.count);
}

#endif
