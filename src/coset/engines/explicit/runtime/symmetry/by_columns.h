/* The representative of a packed state under a product of symmetric groups: its columns are sorted.

   As in canonical.h, the key of a column is an invariant hash: a sum of what each component of the state adds to it, kept with the
   number of the component's value (column_values.h).  A state that follows another one has its keys, but for the components that
   differ.

   If the keys of a family are different, or equal only for columns whose exchange changes nothing (twins), the order of the
   columns is determined by the state up to symmetry, and the state with its columns in that order is the representative.
   Otherwise more is done to tell columns apart (column_labels.h).

   Part of numbered.c. */
#ifndef BY_COLUMNS_H
#define BY_COLUMNS_H

#include "column_values.h"
#include "column_labels.h"
#if MODEL_EQUIVARIANT
#include "aligned_columns.h"
#endif

static u64 size_of_values(const struct numbered *n) { return n->start[ACTIVE] * sizeof *n->values; }

static u64 size_of_tables(const struct numbered *n) {
#if MODEL_EQUIVARIANT
  return size_of_values(n) + size_of_kinds(n);
#else
  return size_of_values(n);
#endif
}

static void open_tables(struct numbered *n) {
  n->values = (void *)n->memory;
#if MODEL_EQUIVARIANT
  open_kinds(n, n->memory + size_of_values(n));
#endif
  for (int a = 0; a < ACTIVE; a++)
    for (int pid = 0; pid < CORES; pid++)
      if (model_cores[pid] == model_active[a]) n->process_of[a] = (uint16_t)(pid + 1);
  pthread_mutex_init(&n->lock, NULL);
  for (int f = 0; f < FAMILIES; f++)
    for (int k = 0; k < model_families[f][1]; k++) {
      int q = model_families[f][0] + k;
#if MODEL_NESTED
      n->family.of[q / 8][q % 8] = model_eldest[q];
#else
      n->family.of[q / 8][q % 8] = model_families[f][0];
#endif
      for (int r = 0; r < q; r++) n->later[r].of[q / 8][q % 8] = -1;
    }
}

static void close_tables(struct numbered *n) {
  release_memory(n);
  pthread_mutex_destroy(&n->lock);
}

static void begin_state(const struct numbered *n, struct numbered_state *state) { (void)n, (void)state; }

/* --- the current state -------------------------------------------------------------------------------------------- */

static inline void enter_value(struct numbered_state *current, int a, const struct column_value *value) {
  u64 others = ~((u64)1 << a);
  u8 flags = flags_of(value);
  current->values[a] = value;
  current->naming = (current->naming & others) | (u64)((flags & VALUE_NAMES) != 0) << a;
  current->relating = (current->relating & others) | (u64)((flags & VALUE_RELATES) != 0) << a;
  if (MODEL_EQUIVARIANT) current->binding = (current->binding & others) | (u64)((flags & VALUE_BINDS) != 0) << a;
}

static void begin_current(struct worker *w, const u64 *words) {
  const struct numbered *n = &w->search->numbered;
  u64 base[PACKED_WORDS];
  need_base(w);
  for (int k = 0; k < PACKED_WORDS; k++) base[k] = (words[k] & ~n->mask[k]) | (n->base_words[k] & n->mask[k]);
  for (int a = 0; a < ACTIVE; a++) {
    uint32_t entry = (uint32_t)(n->start[a] + bit_field_value(base, &n->fields[a]));
    enter_value(&w->numbered, a, value_of(w, base, a, entry));
  }
  memcpy(w->numbered.words, base, sizeof base);
  memcpy(&w->numbered.key, n->base, sizeof w->numbered.key);
  w->numbered.has_begun = 1;
}

/* Turn to another state: only the numbers that differ are looked at.  Values that change are kept in `old`, if it is not NULL;
   returns how many there are. */
static inline int change_to(struct worker *w, const u64 *words, struct old_value *old) {
  const struct numbered *n = &w->search->numbered;
  struct numbered_state *current = &w->numbered;
  int count = 0;
  if (__builtin_expect(!current->has_begun, 0)) begin_current(w, words);
  for (int k = 0; k < PACKED_WORDS; k++) {
    for (u64 differs = (words[k] ^ current->words[k]) & n->mask[k]; differs;) {
      int a = n->place_of[k * 64 + __builtin_ctzll(differs)];
      const struct bit_field *field = &n->fields[a];
      differs &= ~(field->mask << field->shift);
      const struct column_value *before = current->values[a];
      if (old) old[count++] = (struct old_value){a, before};
      uint32_t entry = (uint32_t)(n->start[a] + (words[k] >> field->shift & field->mask));
      const struct column_value *after = value_of(w, words, a, entry);
      enter_value(current, a, after);
      for (int g = 0; g < LANES / 8; g++)
        current->key.of[g] += ((const struct lanes *)(const void *)after->keys)->of[g] -
                              ((const struct lanes *)(const void *)before->keys)->of[g];
    }
    current->words[k] = words[k];
  }
  return count;
}

static inline void turn_to(struct worker *w, const u64 *words) { change_to(w, words, NULL); }

/* --- twins of the current state ----------------------------------------------------------------------------------- */

/* The moves of a process in one of two twins are, up to symmetry, those of the other one's, which has the greater number and moves
   first. */
static void note_twins(struct worker *w, int one, int other) {
  for (int k = 0; k < COLUMN_SIZE && model_at[one][k] < ACTIVE; k++) {
    int p = w->search->numbered.process_of[model_at[one][k]], r = w->search->numbered.process_of[model_at[other][k]];
    if (p && r) w->numbered.twin_of[(p < r ? p : r) - 1] = (uint16_t)(p < r ? r : p);
  }
}

#if MODEL_EQUIVARIANT
/* The same if columns name no others: twins have equal keys, and those of a representative are side by side. */
static void find_plain_twins(struct worker *w) {
  const struct lanes *key = &w->numbered.plain_key;
  w->numbered.has_twins = 0;
  for (int f = 0; f < FAMILIES; f++)
    for (int q = model_families[f][0] + 1; q < model_families[f][0] + model_families[f][1]; q++)
      if (lane(key, q) == lane(key, q - 1)) {
        if (!w->numbered.has_twins) memset(w->numbered.twin_of, 0, sizeof w->numbered.twin_of);
        w->numbered.has_twins = 1;
        note_twins(w, q - 1, q);
      }
}
#endif

/* The same for two columns and those that move with them. */
static void note_twin_families(struct worker *w, const struct places_in_order *places, int one, int other) {
#if MODEL_NESTED
  struct permutation p;
  exchange_families(places, one, other, &p);
  for (int q = 0; q < COLUMNS; q++)
    if (p.target[q] > q) note_twins(w, q, p.target[q]);
#else
  (void)places;
  note_twins(w, one, other);
#endif
}

/* Find columns that are twins, so that their moves are made once. */
static void find_column_twins(struct worker *w) {
  const struct numbered *n = &w->search->numbered;
  struct column_order order;
  struct lanes key = w->numbered.key;
  struct places_in_order places;
  w->numbered.has_twins = 0;
  nest_keys(&key);
  if (!rank_columns(n, &n->family, &key, &order)) return;
  memset(w->numbered.twin_of, 0, sizeof w->numbered.twin_of);
  find_places(&order, &places);
  const u8 *column = places.column;
  for (int k = 1; k < COLUMNS; k++)
    if (are_alike(&order, column[k], column[k - 1]) && are_twins(w, &places, column[k - 1], column[k])) {
      note_twin_families(w, &places, column[k - 1], column[k]);
      w->numbered.has_twins = 1;
    }
}

/* Turn to a state whose successors are represented next. */
static void turn_to_parent(struct worker *w, const u64 *words) {
#if MODEL_EQUIVARIANT
  struct numbered_state *current = &w->numbered;
  current->is_plain = w->search->numbered.has_kinds && read_columns(w, words, &current->plain_key);
  memcpy(current->plain_words, words, sizeof current->plain_words);
  if (current->is_plain) {
    find_plain_twins(w);
    return;
  }
#endif
  turn_to(w, words);
  find_column_twins(w);
}

/* --- the representative ------------------------------------------------------------------------------------------- */

static inline orbit_count sorted(struct worker *w, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  struct column_order order;
  struct permutation p;
  struct lanes key = w->numbered.key;
  nest_keys(&key);
  if (__builtin_expect(rank_columns(n, &n->family, &key, &order), 0)) {
    orbit_count stabiliser = twins_among(w, &order);
    if (!stabiliser) return label_columns(w, &order, words);
    arrange_by(w, &order, &p, words);
    return model_orbit_size(stabiliser);
  }
  arrange_by(w, &order, &p, words);
  return model_orbit_size(1);
}

#if MODEL_EQUIVARIANT
/* Whether the columns of the current state are ordered by their numbers. */
static inline int is_unbound(const struct worker *w) { return w->search->numbered.has_kinds && !w->numbered.binding; }

static __attribute__((noinline)) orbit_count sort_unbound(struct worker *w, u64 *words) {
  struct lanes columns;
  return read_columns(w, words, &columns) ? sort_plain(w, &columns, words) : sorted(w, words);
}
#else
static inline int is_unbound(const struct worker *w) { return (void)w, 0; }
static inline orbit_count sort_unbound(struct worker *w, u64 *words) { return sorted(w, words); }
#endif

/* The successors of a state differ from it by few values: it stays the current one. */
static inline orbit_count represent(struct worker *w, u64 *words) {
  struct numbered_state *current = &w->numbered;
  struct old_value old[ACTIVE];
  u64 before[PACKED_WORDS];
#if MODEL_EQUIVARIANT
  struct lanes columns;
  if (current->is_plain && follow_columns(w, words, &columns)) return sort_plain(w, &columns, words);
#endif
  if (__builtin_expect(!current->has_begun, 0)) turn_to(w, words);
  memcpy(before, current->words, sizeof before);
  u64 naming = current->naming, relating = current->relating, binding = current->binding;
  struct lanes key = current->key;
  int count = change_to(w, words, old);
  orbit_count orbit = is_unbound(w) ? sort_unbound(w, words) : sorted(w, words);
  for (int k = 0; k < count; k++) current->values[old[k].place] = old[k].value;
  memcpy(current->words, before, sizeof before);
  current->naming = naming;
  current->relating = relating;
  current->binding = binding;
  current->key = key;
  return orbit;
}

#endif
