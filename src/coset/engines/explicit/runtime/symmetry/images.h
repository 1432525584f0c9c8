/* The image of a state under a permutation of literals (literals.h, enumerated.h): `g` maps points to points. */
#ifndef IMAGES_H
#define IMAGES_H

#include "group.h"

static inline void model_permute(const u8 *s, const u16 *g, u8 *t) {
  u16 x[CELLS], image[CELLS] = {0};
  model_points(s, x);
  for (int c = 0; c < CELLS; c++)
    if (x[c]) {
      u16 to = g[x[c] - 1];
      image[point_cell[to]] = (u16)(to + 1);
    }
  memcpy(t, s, STATE_SIZE);
  model_write(t, image);
}

#endif
