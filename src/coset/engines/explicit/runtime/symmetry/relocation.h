/* What component_dictionary.c needs of the model's unpacked states if columns are exchanged.  Part of the generated model, after
   columns_of_model.h. */
#ifndef RELOCATION_H
#define RELOCATION_H

/* Exchange a column with the first one of its family. */
static void exchange_with_first(u8 *state, int column) {
  u8 target[COLUMNS], image[STATE_SIZE];
  int first = 0;
  for (int f = 0; f < FAMILIES && model_families[f][0] <= column; f++) first = model_families[f][0];
  for (int q = 0; q < COLUMNS; q++) target[q] = (u8)(q == first ? column : q == column ? first : q);
  model_arranged(state, target, image);
  memcpy(state, image, STATE_SIZE);
}

void model_relocate(u8 *state, int from, int to) {
  exchange_with_first(state, column_of[from]);
  exchange_with_first(state, column_of[to]);
}

#endif
