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

#define ROUNDS 3 /* of refinement, at most, as long as it tells more points apart */

struct labelling {
  const u8 *s;
  u8 best[STATE_SIZE];
  int found;         /* whether there is a best image */
  u128 count;        /* symmetries that lead to it */
  int trail_length;  /* the least keys along the chain so far */
  u64 trail[POINTS];
};

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* How many different values there are, roughly: the sum of their hashes changes if a class is split. */
static u64 fingerprint(const u64 *key) {
  u64 different = 0;
  for (int x = 0; x < POINTS; x++) {
    int is_new = 1;
    for (int y = 0; y < x && is_new; y++) is_new = key[y] != key[x];
    different += (u64)is_new;
  }
  return different;
}

static void refine(const u8 *s, u64 *key) {
  u64 sum[POINTS];
  for (int x = 0; x < POINTS; x++) sum[x] = key[x];
  model_refine(s, key, sum);
  for (int x = 0; x < POINTS; x++) key[x] = hash_word(sum[x]);
}

static void refine_often(const u8 *s, u64 *key) {
  u64 before = 0, now;
  for (int round = 0; round < ROUNDS; round++) {
    refine(s, key);
    now = fingerprint(key);
    if (now == before || now == POINTS) return;
    before = now;
  }
}

static void first_keys(const u8 *s, u64 *key) {
  for (int x = 0; x < POINTS; x++) key[x] = hash_word(orbit_colour[x] + 1u);
  refine_often(s, key);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

/* One more symmetry (or `count` of them) that may lead to the representative. */
static void offer(struct labelling *w, const u16 *g, u128 count) {
  u8 image[STATE_SIZE];
  model_permute(w->s, g, image);
  int order = w->found ? memcmp(image, w->best, STATE_SIZE) : -1;
  if (order > 0) return;
  if (order < 0) {
    memcpy(w->best, image, STATE_SIZE);
    w->found = 1;
    w->count = 0;
  }
  w->count += count;
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

static u64 column_key(const struct family *f, int column, const u64 *key) {
  u64 sum = 0;
  for (int k = 0; k < f->width; k++) sum = hash_word(sum ^ key[columns[f->first + column * f->width + k]]);
  return sum;
}

/* Columns of a family by key; `keys` are those of the columns in that order. */
static void sort_columns(const struct family *f, const u64 *key, u16 *order, u64 *keys) {
  for (int c = 0; c < f->count; c++) {
    u64 mine = column_key(f, c, key);
    int at = c;
    for (; at > 0 && keys[at - 1] > mine; at--) {
      keys[at] = keys[at - 1];
      order[at] = order[at - 1];
    }
    keys[at] = mine;
    order[at] = (u16)c;
  }
}

static int are_all_twins(const u8 *s, const struct family *f, const u16 *order, int count) {
  for (int k = 1; k < count; k++)
    if (!are_twins(s, f, order[k - 1], order[k])) return 0;
  return 1;
}

static void label(struct labelling *w, const u64 *key, u128 ways);

/* Try each of some columns with equal keys as the first of them; of twins only one, which counts for all. */
static void branch(struct labelling *w, const struct family *f, const u16 *order, int count, const u64 *key, u128 ways) {
  int done[POINTS] = {0};
  for (int k = 0; k < count; k++) {
    u64 next[POINTS];
    u128 alike = 1;
    if (done[k]) continue;
    for (int j = k + 1; j < count; j++)
      if (!done[j] && are_twins(w->s, f, order[k], order[j])) {
        done[j] = 1;
        alike++;
      }
    memcpy(next, key, sizeof next);
    for (int i = 0; i < f->width; i++) {
      u64 *mine = &next[columns[f->first + order[k] * f->width + i]];
      *mine = hash_word(*mine ^ 0x5555u);
    }
    refine_often(w->s, next);
    label(w, next, ways * alike);
  }
}

static void label(struct labelling *w, const u64 *key, u128 ways) {
  u16 g[POINTS], order[POINTS];
  u64 keys[POINTS];
  identity(g);
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    sort_columns(f, key, order, keys);
    for (int k = 0; k < f->count;) {
      int end = k + 1;
      while (end < f->count && keys[end] == keys[k]) end++;
      if (end - k > 1) {
        if (!are_all_twins(w->s, f, order + k, end - k)) {
          branch(w, f, order + k, end - k, key, ways);
          return;
        }
      }
      k = end;
    }
    for (int i = 0; i < f->count; i++)
      for (int k = 0; k < f->width; k++)
        g[columns[f->first + order[i] * f->width + k]] = columns[f->first + i * f->width + k];
  }
  /* Twins may be in any order.  They are counted here, where nothing is left to be decided. */
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    sort_columns(f, key, order, keys);
    for (int k = 1, run = 1; k < f->count; k++) {
      run = keys[k] == keys[k - 1] ? run + 1 : 1;
      ways *= (u128)run;
    }
  }
  offer(w, g, ways);
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
  struct labelling w = {.s = s};
  u64 key[POINTS];
  if (strategy == STRATEGY_ENUMERATE) memset(key, 0, sizeof key);
  else first_keys(s, key);
  if (strategy == STRATEGY_SORT) {
    label(&w, key, 1);
  } else {
    u16 h[POINTS];
    identity(h);
    descend(&w, 0, h, key, 1);
  }
  memcpy(t, w.best, STATE_SIZE);
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
