/* What by_columns.h needs of the model's unpacked states.  Part of the generated model, after canonical.h. */
#ifndef COLUMNS_OF_MODEL_H
#define COLUMNS_OF_MODEL_H

#if MODEL_NESTED
/* Parts are points here (group.h): the key of a column is a sum over its points, by their places in the column. */
void model_colours(const u8 *s, u64 *keys) {
  u64 points[PARTS] = {0};
  u8 mentioned[PARTS];
  model_colour(s, points, mentioned);
  for (int q = 0; q < COLUMNS; q++) {
    keys[q] = 0;
    for (int k = 0; k < column_width[q]; k++) keys[q] += points[column_points[q][k]] * (2 * (u64)k + 1);
  }
}

void model_arranged(const u8 *s, const u8 *target, u8 *t) {
  u16 g[POINTS];
  for (int q = 0; q < COLUMNS; q++)
    for (int k = 0; k < column_width[q]; k++) g[column_points[q][k]] = column_points[target[q]][k];
  model_permute(s, g, t);
}
#else
void model_colours(const u8 *s, u64 *keys) {
  u8 mentioned[PARTS];
  memset(keys, 0, PARTS * sizeof *keys);
  model_colour(s, keys, mentioned);
}

void model_arranged(const u8 *s, const u8 *target, u8 *t) {
  u16 g[POINTS];
  for (int n = 0; n < family_count; n++) {
    const struct family *f = &families[n];
    for (int i = 0; i < f->count; i++)
      for (int k = 0; k < f->width; k++)
        g[columns[f->first + i * f->width + k]] = columns[f->first + (target[f->part + i] - f->part) * f->width + k];
  }
  model_permute(s, g, t);
}
#endif

orbit_count model_orbit_size(orbit_count stabiliser) { return size_of_orbit(stabiliser); }

#endif
