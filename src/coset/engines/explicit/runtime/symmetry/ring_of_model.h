/* What component_dictionary.c needs of the unpacked states of a ring.  Part of the generated model. */
#ifndef RING_OF_MODEL_H
#define RING_OF_MODEL_H

void model_relocate(u8 *state, int from, int to) {
  u8 image[STATE_SIZE];
  model_element(state, (column_of[to] - column_of[from] + ELEMENTS) % ELEMENTS, image);
  memcpy(state, image, STATE_SIZE);
}

#endif
