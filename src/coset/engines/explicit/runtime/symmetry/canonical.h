/* Representatives: one state for each orbit.  symmetry/plan.py explains the method.

   The generated model includes this after the tables of its group (group.h), so that they are constants here.

   Every part of a state gets a *key*, an invariant hash: a symmetry that maps s to t maps each part to one with the same
   key.  Collisions of keys cost only time: parts with equal keys are tried in every order, and the lexicographically least
   image is the representative.  The number of symmetries that lead to it is the order of the stabiliser, as all symmetries
   that respect the keys are tried (or counted, where exchanging two columns changes nothing: these are *twins*). */
#ifndef CANONICAL_H
#define CANONICAL_H

#include "group.h"

#define ROUNDS 3 /* the most rounds of refinement; it ends when a round tells no more parts apart */

struct labelling {
  const u8 *s;
  u8 *best;        /* the least image so far */
  u16 way[POINTS]; /* the symmetry that yields it, if the image has not been written */
  int found, written;
  orbit_count count; /* how many symmetries lead to it */
  u8 mentioned[PARTS];
  int trail_length; /* the least keys along the chain so far */
  u64 trail[POINTS];
  u64 row[POINTS]; /* the keys of all points, in the best order so far */
};

/* --- keys --------------------------------------------------------------------------------------------------------- */

static void first_keys(struct labelling *w, u64 *key) {
  memset(w->mentioned, 0, sizeof w->mentioned);
  for (int q = 0; q < PARTS; q++) key[q] = strategy == STRATEGY_SORT ? 0 : orbit_colour[q] + 1u;
  model_colour(w->s, key, w->mentioned);
}

static void refine(const u8 *s, u64 *key) {
  u64 sum[PARTS];
  for (int q = 0; q < PARTS; q++) sum[q] = key[q] = hash_word(key[q]);
  model_refine(s, key, sum);
  memcpy(key, sum, sizeof sum);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

static void identity(u16 *g) {
  for (int x = 0; x < POINTS; x++) g[x] = (u16)x;
}

static void write_best(struct labelling *w) {
  if (!w->written) model_permute(w->s, w->way, w->best);
  w->written = 1;
}

/* Consider a symmetry (or `count` equivalent ones) that may lead to the representative. */
static void propose(struct labelling *w, const u16 *g, orbit_count count) {
  u8 image[STATE_SIZE];
  if (!w->found) {
    memcpy(w->way, g, sizeof w->way);
    w->found = 1;
    w->written = 0;
    w->count = count;
    return;
  }
  write_best(w);
  model_permute(w->s, g, image);
  int order = memcmp(image, w->best, STATE_SIZE);
  if (order < 0) {
    memcpy(w->best, image, STATE_SIZE);
    if (MODEL_FAIR) memcpy(w->way, g, sizeof w->way);
    w->count = count;
  } else if (order == 0) {
    w->count += count;
  }
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

/* Columns in order, each family in its own positions.  Columns that have not been distinguished yet form a *run*.  Later
   refinement permutes them only within the run, so that different choices lead to different orders. */
struct arrangement {
  u16 column[PARTS];
  u16 size[PARTS]; /* at the first position of a run */
  u8 are_twins[PARTS];
  int open; /* runs of several columns that may not be twins */
  orbit_count ways;
};

/* Sort the columns of a run by their keys, and split it into one run for each key. */
static void split(struct arrangement *a, const u64 *key, int first, int size) {
  u16 *column = a->column + first;
  for (int k = 1, at; k < size; k++) {
    u16 mine = column[k];
    for (at = k; at > 0 && key[column[at - 1]] > key[mine]; at--) column[at] = column[at - 1];
    column[at] = mine;
  }
  for (int begin = 0, end = 1; begin < size; begin = end++) {
    while (end < size && key[column[end]] == key[column[begin]]) end++;
    a->size[first + begin] = (u16)(end - begin);
    a->open += end - begin > 1;
  }
}

static int is_open(const struct arrangement *a, int place) { return a->size[place] > 1 && !a->are_twins[place]; }

/* Find runs of twins, whose order does not matter; with `sure`, columns that are mentioned elsewhere are compared, too. */
static void find_twins(const struct labelling *w, struct arrangement *a, int sure) {
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    for (int place = f->part, end = place + f->count; place < end; place += a->size[place]) {
      const u16 *column = a->column + place;
      int k = 1, size = a->size[place];
      if (!is_open(a, place)) continue;
      for (; k < size; k++) {
        int one = column[k - 1], other = column[k];
        int are_easy = !w->mentioned[one] && !w->mentioned[other] && model_same(w->s, one, other);
        if (!are_easy && !(sure && are_twins(w->s, f, one - f->part, other - f->part))) break;
      }
      if (k < size) continue;
      a->are_twins[place] = 1;
      a->open--;
      for (int i = 2; i <= size; i++) a->ways *= (orbit_count)i;
    }
  }
}

static void arrange(const struct labelling *w, struct arrangement *a, const u64 *key) {
  memset(a->are_twins, 0, sizeof a->are_twins);
  a->open = 0;
  a->ways = 1;
  for (int q = 0; q < PARTS; q++) a->column[q] = (u16)q;
  for (int n = 0; n < family_count; n++) split(a, key, families[n].part, families[n].count);
  if (a->open) find_twins(w, a, 0);
}

static void arrange_better(const struct labelling *w, struct arrangement *a, u64 *key) {
  for (int round = 0; MODEL_REFINES && a->open && round < ROUNDS; round++) {
    int is_better = 0;
    refine(w->s, key);
    for (int place = 0, size; place < PARTS; place += size) {
      size = a->size[place];
      if (!is_open(a, place)) continue;
      a->open--;
      split(a, key, place, size);
      is_better |= a->size[place] < size;
    }
    if (!is_better) return;
    find_twins(w, a, 0);
  }
}

static void propose_order(struct labelling *w, const struct arrangement *a) {
  u16 g[POINTS];
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    for (int i = 0; i < f->count; i++) {
      const u16 *from = &columns[f->first + (a->column[f->part + i] - f->part) * f->width];
      const u16 *to = &columns[f->first + i * f->width];
      for (int k = 0; k < f->width; k++) g[from[k]] = to[k];
    }
  }
  propose(w, g, a->ways);
}

static void label(struct labelling *w, struct arrangement *a, const u64 *key);

/* Try each column of a run in its first position; of twins only one, which is counted for all. */
static void branch(struct labelling *w, const struct family *f, const struct arrangement *a, int place,
                   const u64 *key) {
  const u16 *column = a->column + place;
  int done[PARTS] = {0}, size = a->size[place];
  for (int k = 0; k < size; k++) {
    struct arrangement next = *a;
    u64 next_key[PARTS];
    if (done[k]) continue;
    int alike = 1;
    for (int j = k + 1; j < size; j++)
      if (!done[j] && are_twins(w->s, f, column[k] - f->part, column[j] - f->part)) {
        done[j] = 1;
        alike++;
      }
    next.ways *= (orbit_count)alike;
    next.column[place] = column[k];
    for (int j = 0; j < k; j++) next.column[place + 1 + j] = column[j];
    next.size[place] = 1;
    next.size[place + 1] = (u16)(size - 1);
    next.are_twins[place + 1] = 0;
    next.open -= size == 2;
    memcpy(next_key, key, sizeof next_key);
    next_key[column[k]] = hash_word(next_key[column[k]] ^ 0x5555u);
    arrange_better(w, &next, next_key);
    label(w, &next, next_key);
  }
}

static void label(struct labelling *w, struct arrangement *a, const u64 *key) {
  if (a->open) find_twins(w, a, 1);
  if (!a->open) {
    propose_order(w, a);
    return;
  }
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    for (int place = f->part, end = place + f->count; place < end; place += a->size[place])
      if (is_open(a, place)) {
        branch(w, f, a, place, key);
        return;
      }
  }
}

static void sort_columns(struct labelling *w) {
  u64 key[PARTS];
  struct arrangement a;
  first_keys(w, key);
  arrange(w, &a, key);
  arrange_better(w, &a, key);
  label(w, &a, key);
}

/* --- along a chain ------------------------------------------------------------------------------------------------ */

/* Whether two points are at the same position of columns that are twins. */
static int are_points_of_twins(const u8 *s, int x, int y) {
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    int one = -1, other = -1, i = -1, j = -1;
    for (int c = 0; c < f->count; c++)
      for (int k = 0; k < f->width; k++) {
        int point = columns[f->first + c * f->width + k];
        if (point == x) {
          one = c;
          i = k;
        }
        if (point == y) {
          other = c;
          j = k;
        }
      }
    if (one >= 0 && other >= 0 && one != other && i == j && are_twins(s, f, one, other)) return 1;
  }
  return 0;
}

/* Whether the keys of all points, in the order of `h` after `lead`, are greater than those of the best order so far.  If they
   are less, this order becomes the best. */
static int is_worse(struct labelling *w, const u64 *key, const u16 *h, const u16 *lead) {
  int x = 0;
  if (w->found)
    while (x < POINTS && key[h[lead[x]]] == w->row[x]) x++;
  if (x == POINTS) return 0;
  if (w->found && key[h[lead[x]]] > w->row[x]) return 1;
  for (; x < POINTS; x++) w->row[x] = key[h[lead[x]]];
  w->found = 0;
  return 0;
}

static u64 least_key(const struct level *level, const u16 *h, const u64 *key) {
  u64 least = UINT64_MAX;
  for (int k = 0; k < level->count; k++) {
    u64 mine = key[h[orbit_points[level->first + k]]];
    if (mine < least) least = mine;
  }
  return least;
}

/* `h` maps positions of the representative to points of the state, as far as the levels so far determine it. */
static void descend(struct labelling *w, int depth, const u16 *h, const u64 *key, orbit_count ways) {
  const struct level *level = &levels[depth];
  u64 least = least_key(level, h, key);
  if (depth < w->trail_length && least > w->trail[depth]) return;
  if (depth >= w->trail_length || least < w->trail[depth]) {
    w->trail[depth] = least;
    w->trail_length = depth + 1;
    w->found = 0;
  }
  int done[POINTS] = {0};
  for (int k = 0; k < level->count; k++) {
    int x = h[orbit_points[level->first + k]];
    orbit_count alike = 1;
    if (done[k] || key[x] != least) continue;
    if (strategy == STRATEGY_CHAIN && family_count)
      for (int j = k + 1; j < level->count; j++) {
        int y = h[orbit_points[level->first + j]];
        if (!done[j] && key[y] == least && are_points_of_twins(w->s, x, y)) {
          done[j] = 1;
          alike++;
        }
      }
    const u16 *lead = leads[level->first + k];
    u16 next[POINTS];
    if (depth + 1 < level_count) {
      for (int p = 0; p < POINTS; p++) next[p] = h[lead[p]];
      descend(w, depth + 1, next, key, ways * alike);
    } else if (!is_worse(w, key, h, lead)) {
      for (int p = 0; p < POINTS; p++) next[h[lead[p]]] = (u16)p;
      propose(w, next, ways * alike);
    }
  }
}

/* How many points may come to the first position. */
static int candidates(const u16 *h, const u64 *key) {
  int count = 0;
  u64 least = least_key(&levels[0], h, key);
  for (int k = 0; k < levels[0].count; k++) count += key[h[orbit_points[levels[0].first + k]]] == least;
  return count;
}

static void go_along_chain(struct labelling *w) {
  u64 key[PARTS];
  u16 h[POINTS];
  identity(h);
  if (strategy == STRATEGY_ENUMERATE) {
    memset(key, 0, sizeof key);
  } else {
    first_keys(w, key);
    for (int round = 0, before = 0, now = MODEL_REFINES ? candidates(h, key) : 1; now > 1 && round < ROUNDS; round++) {
      refine(w->s, key);
      before = now;
      now = candidates(h, key);
      if (now >= before && round > 0) break;
    }
  }
  descend(w, 0, h, key, 1);
}

/* --- a smaller neighbour ------------------------------------------------------------------------------------------ */

static void walk_down(const u8 *s, u8 *t, u16 *way) {
  u8 image[STATE_SIZE];
  memcpy(t, s, STATE_SIZE);
  identity(way);
  for (int k = 0; k < generator_count; k++) {
    model_permute(t, generators[k], image);
    if (memcmp(image, t, STATE_SIZE) < 0) {
      memcpy(t, image, STATE_SIZE);
      for (int x = 0; x < POINTS; x++) way[x] = generators[k][way[x]];
      k = -1;
    }
  }
}

/* --- the representative ------------------------------------------------------------------------------------------- */

static orbit_count size_of_orbit(orbit_count stabiliser) {
  orbit_count order = (orbit_count)group_order[1] << 32 << 32 | group_order[0];
  return stabiliser == 1 ? order : order >> 32 >> 32 ? order / stabiliser : (u64)order / (u64)stabiliser;
}

/* Write the representative of `s` to `t`, and a symmetry that leads to it to `way`. */
static orbit_count canonical_by(const u8 *s, u8 *t, u16 *way) {
  if (!model_started(s)) {
    memcpy(t, s, STATE_SIZE);
    identity(way);
    return 1;
  }
  if (strategy == STRATEGY_LOCAL) {
    walk_down(s, t, way);
    return 0;
  }
  struct labelling w;
  w.s = s;
  w.best = t;
  w.found = w.trail_length = 0;
  if (strategy == STRATEGY_SORT) sort_columns(&w);
  else go_along_chain(&w);
  write_best(&w);
  if (MODEL_FAIR) memcpy(way, w.way, sizeof w.way);
  return size_of_orbit(w.count);
}

static orbit_count canonical(const u8 *s, u8 *t) {
  u16 way[POINTS];
  return canonical_by(s, t, way);
}

#endif
