/* The representative of an orbit.  See canonical.h.

   Every point of a state gets a *key*: a hash of what is known of it, such that a symmetry that maps s to t maps each
   point to one with the same key.  So it does not matter for correctness if keys collide, only for speed: points with
   equal keys are tried in every order, and the image that is least as a row of bytes is the representative.
   The number of ways that lead to it is the order of the stabiliser, as all symmetries that respect the keys are tried
   (or counted, where exchanging two columns changes nothing: these are *twins*). */
#include "coset.h"

#if MODEL_SYMMETRIC

#include "canonical.h"
#include "hash.h"

#define ROUNDS 3 /* of refinement, at most, as long as fewer points look alike */

struct labelling {
  const u8 *s;
  u8 *best;
  int found;         /* whether there is a best image */
  u128 count;        /* symmetries that lead to it */
  int trail_length;  /* the least keys along the chain so far */
  u64 trail[POINTS];
};

/* The columns of a family in order.  Columns of one rank have not been told apart yet; the rank is the place of the
   first of them, so that whatever is found out later, they stay within these places.  That makes different choices lead to
   different orders, which must not be counted twice. */
struct order {
  u16 column[POINTS], rank[POINTS];
  u64 key[POINTS];
};

/* --- keys --------------------------------------------------------------------------------------------------------- */

static void refine(const u8 *s, u64 *key) {
  u64 sum[POINTS];
  memcpy(sum, key, sizeof sum);
  model_refine(s, key, sum);
  for (int x = 0; x < POINTS; x++) key[x] = hash_word(sum[x]);
}

/* One point needs no further mixing. */
static u64 column_key(const struct family *f, int column, const u64 *key) {
  const u16 *points = &columns[f->first + column * f->width];
  u64 sum = key[points[0]];
  for (int k = 1; k < f->width; k++) sum = hash_word(sum ^ key[points[k]]);
  return sum;
}

/* `rank` has the ranks of all columns of all families, as they are known so far. */
static void sort_columns(const struct family *f, const u64 *key, const u16 *rank, struct order *o) {
  for (int c = 0; c < f->count; c++) {
    u64 mine = column_key(f, c, key);
    u16 place = rank[columns[f->first + c * f->width]];
    int at = c;
    for (; at > 0 && (o->rank[at - 1] > place || (o->rank[at - 1] == place && o->key[at - 1] > mine)); at--) {
      o->key[at] = o->key[at - 1];
      o->rank[at] = o->rank[at - 1];
      o->column[at] = o->column[at - 1];
    }
    o->key[at] = mine;
    o->rank[at] = place;
    o->column[at] = (u16)c;
  }
}

/* Where the columns end that cannot be told from the one at place `k`. */
static int run_end(const struct family *f, const struct order *o, int k) {
  int end = k + 1;
  while (end < f->count && o->rank[end] == o->rank[k] && o->key[end] == o->key[k]) end++;
  return end;
}

/* How many columns, or points of the orbits of the chain, look like another one. */
static int alike(const u64 *key, const u16 *rank) {
  int found = 0;
  if (strategy == STRATEGY_SORT) {
    for (int n = 0; n < family_count; n++) {
      struct order o;
      sort_columns(&families[n], key, rank, &o);
      for (int k = 0, end; k < families[n].count; k = end) {
        end = run_end(&families[n], &o, k);
        found += end - k - 1;
      }
    }
  } else {
    for (int n = 0; n < level_count; n++)
      for (int k = 1; k < levels[n].count; k++)
        for (int j = 0; j < k; j++)
          if (key[orbit_points[levels[n].first + k]] == key[orbit_points[levels[n].first + j]]) {
            found++;
            break;
          }
  }
  return found;
}

static void refine_often(const u8 *s, u64 *key, const u16 *rank) {
  int before = alike(key, rank);
  for (int round = 0; before && round < ROUNDS; round++) {
    refine(s, key);
    int now = alike(key, rank);
    if (now == before && round > 0) return;
    before = now;
  }
}

static void first_keys(const u8 *s, u64 *key, const u16 *rank) {
  u64 sum[POINTS];
  for (int x = 0; x < POINTS; x++) sum[x] = orbit_colour[x] + 1u;
  model_colour(s, sum);
  for (int x = 0; x < POINTS; x++) key[x] = hash_word(sum[x]);
  refine_often(s, key, rank);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

/* One more symmetry (or `count` of them) that may lead to the representative. */
static void offer(struct labelling *w, const u16 *g, u128 count) {
  u8 image[STATE_SIZE];
  if (!w->found) {
    model_permute(w->s, g, w->best);
    w->found = 1;
    w->count = count;
    return;
  }
  model_permute(w->s, g, image);
  int order = memcmp(image, w->best, STATE_SIZE);
  if (order < 0) {
    memcpy(w->best, image, STATE_SIZE);
    w->count = count;
  } else if (order == 0) {
    w->count += count;
  }
}

static void identity(u16 *g) {
  for (int x = 0; x < POINTS; x++) g[x] = (u16)x;
}

/* Whether exchanging two columns changes nothing. */
static int are_twins(const u8 *s, const struct family *f, int one, int other) {
  u16 g[POINTS];
  u8 image[STATE_SIZE];
  identity(g);
  for (int k = 0; k < f->width; k++) {
    u16 a = columns[f->first + one * f->width + k], b = columns[f->first + other * f->width + k];
    g[a] = b;
    g[b] = a;
  }
  model_permute(s, g, image);
  return memcmp(image, s, STATE_SIZE) == 0;
}

/* --- columns in order --------------------------------------------------------------------------------------------- */

static int are_all_twins(const u8 *s, const struct family *f, const u16 *order, int count) {
  for (int k = 1; k < count; k++)
    if (!are_twins(s, f, order[k - 1], order[k])) return 0;
  return 1;
}

static void label(struct labelling *w, const u64 *key, const u16 *rank, u128 ways);

/* Try each of the columns from place `first` on that look alike at this place; of twins only one, which counts for all. */
static void branch(struct labelling *w, const struct family *f, const struct order *o, int first, int end, const u64 *key,
                   const u16 *rank, u128 ways) {
  const u16 *order = o->column + first;
  int done[POINTS] = {0}, count = end - first;
  for (int k = 0; k < count; k++) {
    u64 next[POINTS];
    u16 next_rank[POINTS];
    u128 alike = 1;
    if (done[k]) continue;
    for (int j = k + 1; j < count; j++)
      if (!done[j] && are_twins(w->s, f, order[k], order[j])) {
        done[j] = 1;
        alike++;
      }
    memcpy(next, key, sizeof next);
    memcpy(next_rank, rank, sizeof next_rank);
    for (int j = 0; j < count; j++)
      next_rank[columns[f->first + order[j] * f->width]] = (u16)(j == k ? first : first + 1);
    for (int i = 0; i < f->width; i++) {
      u64 *mine = &next[columns[f->first + order[k] * f->width + i]];
      *mine = hash_word(*mine ^ 0x5555u);
    }
    refine_often(w->s, next, next_rank);
    label(w, next, next_rank, ways * alike);
  }
}

static void label(struct labelling *w, const u64 *key, const u16 *rank, u128 ways) {
  u16 g[POINTS], known[POINTS];
  u128 twins = 1; /* they may be in any order; that counts only where nothing is left to be decided */
  struct order orders[FAMILIES];
  identity(g);
  memcpy(known, rank, sizeof known);
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    struct order *o = &orders[n];
    sort_columns(f, key, rank, o);
    for (int k = 0, end; k < f->count; k = end) {
      end = run_end(f, o, k);
      for (int i = k; i < end; i++) known[columns[f->first + o->column[i] * f->width]] = (u16)k;
    }
  }
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    const struct order *o = &orders[n];
    for (int k = 0, end; k < f->count; k = end) {
      end = run_end(f, o, k);
      for (int i = 2; i <= end - k; i++) twins *= (u128)i;
      if (end - k > 1 && !are_all_twins(w->s, f, o->column + k, end - k)) {
        branch(w, f, o, k, end, key, known, ways);
        return;
      }
    }
    for (int i = 0; i < f->count; i++)
      for (int k = 0; k < f->width; k++)
        g[columns[f->first + o->column[i] * f->width + k]] = columns[f->first + i * f->width + k];
  }
  offer(w, g, ways * twins);
}

/* --- along a chain ------------------------------------------------------------------------------------------------ */

/* Whether two points are at the same place of columns that are twins. */
static int are_points_of_twins(const u8 *s, int x, int y) {
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    int one = -1, other = -1, i = -1, j = -1;
    for (int c = 0; c < f->count; c++)
      for (int k = 0; k < f->width; k++) {
        int point = columns[f->first + c * f->width + k];
        if (point == x) { one = c; i = k; }
        if (point == y) { other = c; j = k; }
      }
    if (one >= 0 && other >= 0 && one != other && i == j && are_twins(s, f, one, other)) return 1;
  }
  return 0;
}

/* `h` maps places of the representative to points of the state, as far as the levels so far decide. */
static void descend(struct labelling *w, int depth, const u16 *h, const u64 *key, u128 ways) {
  if (depth == level_count) {
    u16 g[POINTS];
    for (int x = 0; x < POINTS; x++) g[h[x]] = (u16)x;
    offer(w, g, ways);
    return;
  }
  const struct level *level = &levels[depth];
  u64 least = UINT64_MAX;
  for (int k = 0; k < level->count; k++) {
    u64 mine = key[h[orbit_points[level->first + k]]];
    if (mine < least) least = mine;
  }
  if (depth < w->trail_length && least > w->trail[depth]) return;
  if (depth >= w->trail_length || least < w->trail[depth]) {
    w->trail[depth] = least;
    w->trail_length = depth + 1;
    w->found = 0;
  }
  int done[POINTS] = {0};
  for (int k = 0; k < level->count; k++) {
    int x = h[orbit_points[level->first + k]];
    u128 alike = 1;
    if (done[k] || key[x] != least) continue;
    if (strategy == STRATEGY_CHAIN)
      for (int j = k + 1; j < level->count; j++) {
        int y = h[orbit_points[level->first + j]];
        if (!done[j] && key[y] == least && are_points_of_twins(w->s, x, y)) {
          done[j] = 1;
          alike++;
        }
      }
    u16 next[POINTS];
    for (int p = 0; p < POINTS; p++) next[p] = h[leads[level->first + k][p]];
    descend(w, depth + 1, next, key, ways * alike);
  }
}

/* --- a smaller neighbour ------------------------------------------------------------------------------------------ */

static void walk_down(const u8 *s, u8 *t) {
  u8 image[STATE_SIZE];
  memcpy(t, s, STATE_SIZE);
  for (int k = 0; k < generator_count; k++) {
    model_permute(t, generators[k], image);
    if (memcmp(image, t, STATE_SIZE) < 0) {
      memcpy(t, image, STATE_SIZE);
      k = -1;
    }
  }
}

/* --- all together ------------------------------------------------------------------------------------------------- */

static u128 orbit_size(u128 stabiliser) {
  u128 order = (u128)group_order[1] << 64 | group_order[0];
  return order / stabiliser;
}

u128 canonical(const u8 *s, u8 *t) {
  if (!model_settled(s)) {
    memcpy(t, s, STATE_SIZE);
    return 1;
  }
  if (strategy == STRATEGY_LOCAL) {
    walk_down(s, t);
    return 0;
  }
  struct labelling w;
  w.s = s;
  w.best = t;
  w.found = w.trail_length = 0;
  w.count = 1;
  u64 key[POINTS];
  u16 rank[POINTS] = {0};
  if (strategy == STRATEGY_ENUMERATE) memset(key, 0, sizeof key);
  else first_keys(s, key, rank);
  if (strategy == STRATEGY_SORT) {
    label(&w, key, rank, 1);
  } else {
    u16 h[POINTS];
    identity(h);
    descend(&w, 0, h, key, 1);
  }
  return orbit_size(w.count);
}

void successor(struct context *x, const u8 *t) {
  u8 representative[STATE_SIZE];
  canonical(t, representative);
  x->successor(x, representative);
}

void representative(const u8 *s, u8 *t) { canonical(s, t); }

u128 orbit_of(const u8 *s) {
  u8 representative[STATE_SIZE];
  return canonical(s, representative);
}

#endif
