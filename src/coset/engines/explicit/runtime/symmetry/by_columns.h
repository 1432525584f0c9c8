/* The representative of a packed state under a product of symmetric groups: its columns are sorted.

   As in canonical.h, the key of a column is an invariant hash: a sum of what each component of the state adds to it, kept by the
   number of the component's value.  A state that follows another one has its keys, but for the components that differ.

   If the keys of a family are different, or equal only for columns whose exchange changes nothing (twins), the order of the
   columns is determined by the state up to symmetry, and the state with its columns in that order is the representative.
   Otherwise another method finds one (model_canonical).  Which of both applies is the same for all states of an orbit.

   The image of a value depends only on where those columns move that it belongs to or names (its *dependencies*).  Most values
   depend on one column, their own or the only one that they name.  The numbers of their images are in a table, by the column that
   this one comes to.  The images of others are remembered by their dependencies.  The *home* of a value that depends on its own
   column is its image in the first column: twins have the same homes.

   Part of numbered.c. */
#ifndef BY_COLUMNS_H
#define BY_COLUMNS_H

#define NO_COLUMN 255
#define SEVERAL 255 /* the column of a value that depends on several, or on none */
#define IS_KNOWN ((u64)1 << 63)
#define COLUMN_BITS(column) ((u64)15 << 4 * (column))
#define KEY_BITS 28 /* of a key; the others make families distinct */

/* A permutation of columns: where each comes to, also in one word with four bits for each, and the bits of those that move. */
struct permutation {
  u8 target[LANES];
  u64 word, moved;
};

static u64 size_of_tables(const struct numbered *n) {
  return n->start[ACTIVE] * (sizeof *n->keys + sizeof *n->dependencies + sizeof *n->images + sizeof *n->homes);
}

static void open_tables(struct numbered *n) {
  n->keys = (uint32_t (*)[LANES])(void *)n->memory;
  n->dependencies = (_Atomic u64 *)(void *)(n->keys + n->start[ACTIVE]);
  n->images = (_Atomic uint32_t (*)[COLUMNS])(void *)(n->dependencies + n->start[ACTIVE]);
  n->homes = (uint32_t *)(void *)(n->images + n->start[ACTIVE]);
  pthread_mutex_init(&n->lock, NULL);
  for (int f = 0; f < FAMILIES; f++)
    for (int k = 0; k < model_families[f][1]; k++) {
      int q = model_families[f][0] + k;
      n->family.of[q / 8][q % 8] = (FAMILIES - 1 - f) << KEY_BITS;
      for (int r = 0; r < q; r++) n->later[r].of[q / 8][q % 8] = -1;
    }
}

static void close_tables(struct numbered *n) { pthread_mutex_destroy(&n->lock); }

static void begin_state(const struct numbered *n, struct numbered_state *state) { (void)n, (void)state; }

/* The component's place after a permutation. */
static inline int moved_place(const struct permutation *p, int a) {
  return model_owner[a] == NO_COLUMN ? a : model_at[p->target[model_owner[a]]][model_row[a]];
}

static void exchange(struct permutation *p, int one, int other) {
  p->word = 0;
  for (int q = 0; q < COLUMNS; q++) {
    p->target[q] = (u8)(q == one ? other : q == other ? one : q);
    p->word |= (u64)p->target[q] << 4 * q;
  }
  p->moved = COLUMN_BITS(one) | COLUMN_BITS(other);
}

/* --- values that are new ------------------------------------------------------------------------------------------ */

/* The image of a packed state, by way of an unpacked one; returns whether it can be packed. */
static int permuted(struct worker *w, const u64 *words, const struct permutation *p, u64 *image) {
  u8 state[STATE_SIZE], moved[STATE_SIZE];
  dictionary_unpack(&w->search->footprints.dictionary, (const u8 *)words, state);
  model_arranged(state, p->target, moved);
  return pack_state(w, moved, image);
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
  const struct bit_field *field = &w->search->numbered.fields[a];
  u64 image[PACKED_WORDS];
  struct permutation p;
  if (model_owner[a] == one || model_owner[a] == other) return 0;
  exchange(&p, one, other);
  return permuted(w, alone, &p, image) && bit_field_value(image, field) == bit_field_value(alone, field);
}

/* The columns that a value depends on.  Columns are alike if exchanging them leaves the value as it is; it does not depend on those
   of the largest such class. */
static u64 dependencies_of(struct worker *w, const u64 *alone, int a) {
  u64 found = 0;
  for (int f = 0; f < FAMILIES; f++) {
    int first = model_families[f][0], count = model_families[f][1], largest = -1;
    int class_of_column[COLUMNS], size[COLUMNS] = {0};
    for (int q = first; q < first + count; q++) {
      int alike = first;
      while (alike < q && !(class_of_column[alike] == alike && is_fixed(w, alone, a, alike, q))) alike++;
      class_of_column[q] = alike;
      size[alike]++;
    }
    for (int q = first; q < first + count; q++)
      if (q != model_owner[a] && (largest < 0 || size[q] > size[largest])) largest = q;
    for (int q = first; q < first + count; q++)
      if (class_of_column[q] != largest) found |= COLUMN_BITS(q);
  }
  return found;
}

/* The number, plus 1, of a value's image in the first column of its family; 0 if it depends on other columns than its own. */
static uint32_t home_of(struct worker *w, const u64 *alone, int a, u64 dependencies) {
  const struct numbered *n = &w->search->numbered;
  int owner = model_owner[a], first = 0;
  u64 image[PACKED_WORDS];
  struct permutation p;
  if (owner == NO_COLUMN || dependencies != COLUMN_BITS(owner)) return 0;
  for (int f = 0; f < FAMILIES && model_families[f][0] <= owner; f++) first = model_families[f][0];
  exchange(&p, owner, first);
  if (!permuted(w, alone, &p, image)) return 0;
  return (uint32_t)bit_field_value(image, &n->fields[model_at[first][model_row[a]]]) + 1;
}

/* Enter a value into the tables: what it adds to keys, what it depends on, and its home. */
static __attribute__((noinline)) void learn_value(struct worker *w, const u64 *words, int a, uint32_t entry) {
  struct numbered *n = &w->search->numbered;
  const struct bit_field *field = &n->fields[a];
  pthread_mutex_lock(&n->lock);
  if (!atomic_load_explicit(&n->dependencies[entry], memory_order_relaxed)) {
    u64 alone[PACKED_WORDS];
    uint32_t keys[LANES] = {0};
    for (int k = 0; k < PACKED_WORDS; k++) alone[k] = words[k] & ~n->mask[k];
    if (!n->has_base) keys_of(w, alone, n->base);
    n->has_base = 1;
    alone[field->word] |= (u64)(entry - n->start[a]) << field->shift;
    keys_of(w, alone, keys);
    for (int q = 0; q < COLUMNS; q++) n->keys[entry][q] = keys[q] - n->base[q];
    u64 dependencies = dependencies_of(w, alone, a);
    n->homes[entry] = home_of(w, alone, a, dependencies);
    atomic_store_explicit(&n->dependencies[entry], IS_KNOWN | dependencies, memory_order_release);
  }
  pthread_mutex_unlock(&n->lock);
}

/* The dependencies of a value, which is learned if it is new. */
static inline u64 known(struct worker *w, const u64 *words, int a, uint32_t entry) {
  const struct numbered *n = &w->search->numbered;
  u64 found = atomic_load_explicit(&n->dependencies[entry], memory_order_acquire);
  if (__builtin_expect(!found, 0)) {
    learn_value(w, words, a, entry);
    found = atomic_load_explicit(&n->dependencies[entry], memory_order_relaxed);
  }
  return found & ~IS_KNOWN;
}

/* --- the current state -------------------------------------------------------------------------------------------- */

static inline void enter_value(struct worker *w, const u64 *words, int a, uint32_t entry) {
  struct numbered_state *current = &w->numbered;
  u64 dependencies = known(w, words, a, entry);
  int first = dependencies ? __builtin_ctzll(dependencies) / 4 : 0, is_single = dependencies == COLUMN_BITS(first);
  uint32_t home = w->search->numbered.homes[entry];
  current->values[a] = (struct value){dependencies, entry, home, is_single ? (u8)first : SEVERAL};
  current->naming = (current->naming & ~((u64)1 << a)) | (u64)(!home && dependencies) << a;
}

static void begin_current(struct worker *w, const u64 *words) {
  const struct numbered *n = &w->search->numbered;
  for (int a = 0; a < ACTIVE; a++) enter_value(w, words, a, (uint32_t)n->start[a]);
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
      if (old) old[count++] = (struct old_value){a, current->values[a]};
      const struct lanes *before = (const struct lanes *)(void *)n->keys[current->values[a].entry];
      uint32_t entry = (uint32_t)(n->start[a] + (words[k] >> field->shift & field->mask));
      enter_value(w, words, a, entry);
      const struct lanes *after = (const struct lanes *)(void *)n->keys[entry];
      for (int g = 0; g < LANES / 8; g++) current->key.of[g] += after->of[g] - before->of[g];
    }
    current->words[k] = words[k];
  }
  return count;
}

static inline void turn_to(struct worker *w, const u64 *words) { change_to(w, words, NULL); }

/* --- images ------------------------------------------------------------------------------------------------------- */

static inline struct image *image_place(struct worker *w, u64 columns, uint32_t entry) {
  return &w->numbered.images[hash_word(columns ^ (u64)entry << 40 ^ entry) >> (64 - IMAGE_BITS)];
}

/* Compute the image of the current state, and remember the images of its values. */
static __attribute__((noinline)) void learn_images(struct worker *w, const struct permutation *p, u64 *image) {
  const struct numbered *n = &w->search->numbered;
  if (!permuted(w, w->numbered.words, p, image)) return;
  for (int a = 0; a < ACTIVE; a++) {
    const struct value *value = &w->numbered.values[a];
    uint32_t number = (uint32_t)bit_field_value(image, &n->fields[moved_place(p, a)]);
    if (value->column != SEVERAL) {
      _Atomic uint32_t *place = &n->images[value->entry][p->target[value->column]];
      atomic_store_explicit(place, number + 1, memory_order_relaxed);
    } else if (value->dependencies) {
      u64 columns = p->word & value->dependencies;
      *image_place(w, columns, value->entry) = (struct image){columns, value->entry + 1, number};
    }
  }
}

/* The number of a value's image plus 1; 0 if it is not known. */
static inline uint32_t image_of(struct worker *w, const struct permutation *p, const struct value *value) {
  const struct numbered *n = &w->search->numbered;
  if (__builtin_expect(value->column != SEVERAL, 1))
    return atomic_load_explicit(&n->images[value->entry][p->target[value->column]], memory_order_relaxed);
  u64 columns = p->word & value->dependencies;
  const struct image *remembered = image_place(w, columns, value->entry);
  return remembered->columns == columns && remembered->entry == value->entry + 1 ? remembered->number + 1 : 0;
}

/* Two words stay in registers. */
static inline void add_bits(u64 *words, int word, u64 bits) {
  if (PACKED_WORDS == 1) words[0] |= bits;
  else if (PACKED_WORDS == 2) {
    words[0] |= word ? 0 : bits;
    words[1] |= word ? bits : 0;
  } else words[word] |= bits;
}

/* The current state with its columns permuted. */
static inline void arrange_columns(struct worker *w, const struct permutation *p, u64 *image) {
  const struct numbered *n = &w->search->numbered;
  u64 cleared[PACKED_WORDS] = {0}, set[PACKED_WORDS] = {0};
  uint32_t is_known = 1;
  for (int a = 0; a < ACTIVE; a++) {
    const struct value *value = &w->numbered.values[a];
    if (!(value->dependencies & p->moved)) continue;
    const struct bit_field *from = &n->fields[a], *to = &n->fields[moved_place(p, a)];
    uint32_t number = image_of(w, p, value);
    is_known &= number != 0;
    add_bits(cleared, from->word, from->mask << from->shift);
    add_bits(set, to->word, (u64)(number - 1) << to->shift);
  }
  if (__builtin_expect(!is_known, 0)) learn_images(w, p, image);
  else
    for (int k = 0; k < PACKED_WORDS; k++) image[k] = (w->numbered.words[k] & ~cleared[k]) | set[k];
}

/* Whether exchanging two columns changes nothing. */
static int are_twin_columns(struct worker *w, int one, int other) {
  const struct value *values = w->numbered.values;
  u64 both = COLUMN_BITS(one) | COLUMN_BITS(other), image[PACKED_WORDS];
  int is_named = 0;
  for (u64 rest = w->numbered.naming; rest; rest &= rest - 1)
    is_named |= (values[__builtin_ctzll(rest)].dependencies & both) != 0;
  if (is_named) {
    struct permutation p;
    exchange(&p, one, other);
    arrange_columns(w, &p, image);
    return memcmp(image, w->numbered.words, sizeof image) == 0;
  }
  for (int k = 0; k < COLUMN_SIZE && model_at[one][k] < ACTIVE; k++)
    if (values[model_at[one][k]].home != values[model_at[other][k]].home) return 0;
  return 1;
}

/* --- the representative ------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) orbit_count represent_otherwise(struct worker *w, u64 *words) {
  u8 state[STATE_SIZE], found[STATE_SIZE];
  dictionary_unpack(&w->search->footprints.dictionary, (const u8 *)words, state);
  orbit_count orbit = model_canonical(state, found);
  pack_state(w, found, words);
  return orbit;
}

/* The order of the stabiliser of the current state if columns with equal keys are twins, else 0. */
static orbit_count twins_among(struct worker *w, const struct permutation *p, const int32_t *key) {
  orbit_count stabiliser = 1;
  u8 column[COLUMNS];
  for (int q = 0; q < COLUMNS; q++) column[p->target[q]] = (u8)q;
  for (int k = 1, run = 1; k < COLUMNS; k++) {
    run = key[column[k]] == key[column[k - 1]] ? run + 1 : 1;
    if (run == 1) continue;
    if (!are_twin_columns(w, column[k - 1], column[k])) return 0;
    stabiliser *= (orbit_count)run;
  }
  return stabiliser;
}

static inline orbit_count sorted(struct worker *w, u64 *words) {
  const struct numbered *n = &w->search->numbered;
  struct permutation p = {.word = 0};
  orbit_count stabiliser = 1;
  int32_t keys[LANES], ranks[LANES], equals[LANES], has_equal = 0;
  for (int g = 0; g < LANES / 8; g++) {
    eight mine = (w->numbered.key.of[g] & ((1 << KEY_BITS) - 1)) | n->family.of[g];
    memcpy(keys + 8 * g, &mine, sizeof mine);
  }
  for (int g = 0; g < LANES / 8; g++) { /* without branches, as the order cannot be predicted */
    eight mine, rank = {0}, equal = {0};
    memcpy(&mine, keys + 8 * g, sizeof mine);
#pragma GCC unroll 16
    for (int q = 0; q < COLUMNS; q++) {
      eight other = keys[q] - (eight){0}, is_same = (other == mine) & n->later[q].of[g];
      rank -= (other > mine) + is_same;
      equal |= is_same;
    }
    memcpy(ranks + 8 * g, &rank, sizeof rank);
    memcpy(equals + 8 * g, &equal, sizeof equal);
  }
#pragma GCC unroll 16
  for (int q = 0; q < COLUMNS; q++) {
    p.target[q] = (u8)ranks[q];
    p.word |= (u64)ranks[q] << 4 * q;
    p.moved |= ranks[q] == q ? 0 : COLUMN_BITS(q);
    has_equal |= equals[q];
  }
  if (has_equal) {
    stabiliser = twins_among(w, &p, keys);
    if (!stabiliser) return represent_otherwise(w, words);
  }
  if (p.moved) arrange_columns(w, &p, words);
  return model_orbit_size(stabiliser);
}

/* The successors of a state differ from it by few values: it stays the current one. */
static inline orbit_count represent(struct worker *w, u64 *words) {
  struct numbered_state *current = &w->numbered;
  struct old_value old[ACTIVE];
  u64 before[PACKED_WORDS];
  if (__builtin_expect(!current->has_begun, 0)) turn_to(w, words);
  memcpy(before, current->words, sizeof before);
  u64 naming = current->naming;
  struct lanes key = current->key;
  int count = change_to(w, words, old);
  orbit_count orbit = sorted(w, words);
  for (int k = 0; k < count; k++) current->values[old[k].place] = old[k].value;
  memcpy(current->words, before, sizeof before);
  current->naming = naming;
  current->key = key;
  return orbit;
}

#endif
