/* Representatives under a small group of permutations of literals (literals.h), all of whose elements are enumerated.

   The least image is the one whose points, cell by cell, are lexicographically least.  Most elements are excluded after one
   or two cells, together with the following elements that act in the same way on these cells. */
#ifndef ENUMERATED_H
#define ENUMERATED_H

#include "images.h"

static orbit_count canonical(const u8 *s, u8 *t) {
  u16 x[CELLS], best[CELLS];
  u64 count = 0;
  memcpy(t, s, STATE_SIZE);
  if (!model_started(s)) return 1;
  model_points(s, x);
  memcpy(best, x, sizeof best);
  for (int g = 0, skipped; g < element_count; g += skipped) {
    int c = 0;
    skipped = 1;
    while (c < CELLS && image_of[g][x[source_of[g][c]]] == best[c]) c++;
    if (c == CELLS) {
      count++;
    } else if (image_of[g][x[source_of[g][c]]] < best[c]) {
      for (; c < CELLS; c++) best[c] = image_of[g][x[source_of[g][c]]];
      count = 1;
    } else if (c < skipped_depth) {
      skipped = alike[g][c];
    }
  }
  model_write(t, best);
  return element_count / count;
}

#endif
