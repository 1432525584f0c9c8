/* Permutations of literals: what canonical.h needs of a model whose points are elements with values.

   A state is a set of points, one of each cell whose value moves.  The generated model finds them (`model_points`: 0 if the
   value of a cell stays, else one more than its point) and writes them (`model_write`, by cell). */
#ifndef LITERALS_H
#define LITERALS_H

#include "images.h"

#define SALT(number) (((u64)(number) + 1) * 0x9E3779B97F4A7C15u)

/* Record that a point is in the state.  If columns are sorted, their keys consist of nothing else. */
static inline void model_colour(const u8 *s, u64 *sum, u8 *mentioned) {
  u16 x[CELLS];
  (void)mentioned;
  model_points(s, x);
  for (int c = 0; c < CELLS; c++)
    if (x[c]) tell(sum, point_part[x[c] - 1], SALT(orbit_colour[x[c] - 1]), 1);
}

/* Add to the key of each point the orbitals that it forms with the points in the state. */
static inline void model_refine(const u8 *s, const u64 *key, u64 *sum) {
  u16 x[CELLS];
  if (!MODEL_REFINES) return;
  model_points(s, x);
  for (int c = 0; c < CELLS; c++)
    for (int q = 0; x[c] && q < POINTS; q++) tell(sum, q, SALT(orbitals[x[c] - 1][q]), key[x[c] - 1]);
}

/* Whether exchanging two columns changes nothing: the same places of both are in the state. */
static inline int model_same(const u8 *s, int a, int b) {
  u16 x[CELLS];
  model_points(s, x);
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    if (a < f->part || a >= f->part + f->count) continue;
    const u16 *one = columns + f->first + (a - f->part) * f->width,
              *other = columns + f->first + (b - f->part) * f->width;
    for (int k = 0; k < f->width; k++)
      if ((x[point_cell[one[k]]] == one[k] + 1) != (x[point_cell[other[k]]] == other[k] + 1)) return 0;
    return 1;
  }
  return 0;
}

#endif
