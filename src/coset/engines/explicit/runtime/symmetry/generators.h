/* The generators of the group, for certify.h.  The generated model includes this after the tables of its group. */
#ifndef GENERATORS_H
#define GENERATORS_H

#include "group.h"

const int model_generators = generator_count;

int model_acts(const u8 *s) { return model_started(s); }

void model_image(const u8 *s, int first, int second, u8 *t) {
  u16 product[POINTS];
  if (second == NO_GENERATOR) {
    model_permute(s, generators[first], t);
    return;
  }
  for (int x = 0; x < POINTS; x++) product[x] = generators[second][generators[first][x]];
  model_permute(s, product, t);
}

#endif
