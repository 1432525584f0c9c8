/* Columns that move with others, in a wreath product: the clients of a server move with it, and among themselves.

   Columns form a forest, parents first.  A symmetry maps the children of a column to those of its image; the children of one
   column, if they are of the same family, are *siblings*, and any order of siblings is a symmetry.  So the order of the columns
   is found as for products of symmetric groups (column_labels.h), among siblings, with two additions:

   * The key of a column also has the keys of its children, as a sum, from the leaves up.
   * A column comes to a place that depends on where its parent comes to:

         server 0: clients 2 3 4      server 1: clients 5 6 7      keys 9 | 4 1 2      5 | 3 3 8
         ranks among siblings                                     1 | 2 0 1      0 | 0 1 2
         client 2 comes to the third place of server 1, which is 7

   Two siblings are twins if exchanging them together with their descendants, which are matched by their order, changes nothing.

   The tables of values know more permutations than these: any column may take the place of any other one of its family
   (column_values.h).  Only those that respect parents are symmetries of the model, and only these are used here.

   Part of numbered.c. */
#ifndef NESTED_COLUMNS_H
#define NESTED_COLUMNS_H

/* Where the columns come to if each sibling has this rank, and which column comes to each place. */
struct places_in_order {
  u8 target[COLUMNS], column[COLUMNS];
};

static inline void find_places(const struct column_order *order, struct places_in_order *places) {
  int32_t rank[LANES];
  memcpy(rank, &order->rank, sizeof rank);
  for (int q = 0; q < COLUMNS; q++) {
    int parent = model_parent[q], moved = parent == NO_COLUMN ? 0 : places->target[parent] - parent;
    places->target[q] = (u8)(rank[q] + moved * model_siblings[q]);
    places->column[places->target[q]] = (u8)q;
  }
}

/* Add to the key of each column those of its children. */
static inline void nest_keys(struct lanes *key) {
  uint32_t sum[LANES];
  memcpy(sum, key, sizeof sum);
  for (int q = COLUMNS - 1; q >= 0; q--)
    if (model_parent[q] != NO_COLUMN) sum[model_parent[q]] += mixed(sum[q] + model_generation[q] * 0x9E3779B9u);
  memcpy(key, sum, sizeof sum);
}

/* The colours of columns as they are for every state of the orbit: those of siblings are positions where their parent stands. */
static inline void nest_colours(const struct column_order *order, int32_t *colour) {
  memcpy(colour, &order->colour, sizeof order->colour);
  for (int q = 0; q < COLUMNS; q++) {
    uint32_t above = model_parent[q] == NO_COLUMN ? 0 : (uint32_t)colour[model_parent[q]];
    uint32_t mine = (uint32_t)(colour[q] - model_eldest[q]) + model_generation[q] * 64u;
    colour[q] = (int32_t)mixed(above * 0x9E3779B9u + mine + 1);
  }
}

/* Exchange two siblings with their descendants. */
static void exchange_families(const struct places_in_order *places, int one, int other, struct permutation *p) {
  u8 is_below[COLUMNS] = {0};
  exchange(p, one, other);
  is_below[one] = 1;
  for (int q = one + 1; q < COLUMNS; q++) {
    int parent = model_parent[q];
    if (parent == NO_COLUMN || !is_below[parent]) continue;
    int moved = places->target[p->target[parent]] - places->target[parent];
    int partner = places->column[places->target[q] + moved * model_siblings[q]];
    is_below[q] = 1;
    p->target[q] = (u8)partner;
    p->target[partner] = (u8)q;
  }
}

/* The columns that a column moves with, as bits. */
static unsigned columns_above(int owner) {
  unsigned found = 0;
  if (owner == NO_COLUMN) return 0;
  for (int q = model_parent[owner]; q != NO_COLUMN; q = model_parent[q]) found |= 1u << q;
  return found;
}

static void leave_places(struct places_in_order *places) {
  for (int q = 0; q < COLUMNS; q++) places->target[q] = places->column[q] = (u8)q;
}

/* A symmetry that moves a column, and those above it, to the first ones of their families. */
static void move_to_first(int owner, struct permutation *p) {
  struct places_in_order places;
  leave_places(&places);
  exchange(p, 0, 0);
  for (int q = 0; q <= owner; q++) { /* parents come first */
    struct permutation step;
    if (q != owner && !(columns_above(owner) >> q & 1)) continue;
    exchange_families(&places, p->target[q], model_eldest[p->target[q]], &step);
    for (int r = 0; r < COLUMNS; r++) p->target[r] = step.target[p->target[r]];
  }
}

/* The symmetry that exchanges a column with the next one, and those that move with them; returns whether there is one. */
static int exchange_with_next(int q, struct permutation *p) {
  struct places_in_order places;
  if (q + 1 == COLUMNS || model_eldest[q] != model_eldest[q + 1]) return 0;
  leave_places(&places);
  exchange_families(&places, q, q + 1, p);
  return 1;
}

/* Whether a permutation that exchanges columns changes nothing. */
static int changes_nothing(struct worker *w, const struct permutation *p) {
  const struct column_value *const *values = w->numbered.values;
  unsigned moving = 0;
  for (int q = 0; q < COLUMNS; q++) {
    int partner = p->target[q];
    if (partner == q) continue;
    moving |= 1u << q;
    for (int k = 0; partner > q && k < COLUMN_SIZE && model_at[q][k] < ACTIVE; k++)
      if (values[model_at[q][k]]->home != values[model_at[partner][k]]->home) return 0;
  }
  for (u64 rest = w->numbered.naming; rest; rest &= rest - 1) {
    int a = __builtin_ctzll(rest);
    if (values[a]->related & moving && !moves_value(w, p, a, moved_place(p, a))) return 0;
  }
  return 1;
}

static int are_twin_families(struct worker *w, const struct places_in_order *places, int one, int other) {
  struct permutation p;
  exchange_families(places, one, other, &p);
  return changes_nothing(w, &p);
}

static int is_in_run(const struct column_order *order, int q) {
  int count = 0;
  for (int r = 0; r < COLUMNS; r++) count += lane(&order->colour, r) == lane(&order->colour, q);
  return count > 1;
}

/* The runs that are open, and those whose columns have such descendants: of these, each column has to be tried first. */
static unsigned open_above(const struct column_order *order, unsigned open) {
  u8 has_open[COLUMNS] = {0};
  for (int q = COLUMNS - 1; q >= 0; q--) {
    unsigned run = 1u << lane(&order->colour, q);
    if (has_open[q] && is_in_run(order, q)) open |= run;
    if ((has_open[q] || open & run) && model_parent[q] != NO_COLUMN) has_open[model_parent[q]] = 1;
  }
  return open;
}

#endif
