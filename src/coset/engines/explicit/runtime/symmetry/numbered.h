/* Representatives of states that are packed as numbers of components (component_dictionary.h), for small groups.

   A symmetry moves the components of a state and renames what is inside of them.  So the image of a packed state follows from a
   table for each element of the group: the number of a component's value -> the number of its image, in the component that it moves
   to.  An entry is computed, by way of an unpacked state, when it is first needed.  The greatest image of a state is found by
   comparing the images component by component; most elements are excluded after one or two components.

   A state is neither unpacked nor packed, so that transitions can be memoised under symmetry, too. */
#ifndef NUMBERED_H
#define NUMBERED_H

#include "transition_cache.h"

#if MODEL_NUMBERED

/* The model (generated).  Components that no symmetry changes are not listed. */
extern const uint16_t model_active[ACTIVE]; /* the components, by their place in a comparison */
extern const uint16_t model_source[ELEMENTS]
                                  [ACTIVE];  /* the place whose image comes to a place; element 0 is the identity */
extern const uint16_t model_first[ELEMENTS]; /* the same for the first place */
extern const int model_starter;              /* the process that starts the others, or -1 */
void model_element(const u8 *s, int element, u8 *t); /* the image of a state */

struct numbered {
  struct bit_field fields[ACTIVE];
  u64 start[ACTIVE + 1];                /* where the numbers of each component begin in a table */
  u64 mask[PACKED_WORDS];               /* the bits of all these components */
  uint16_t place_of[PACKED_WORDS * 64]; /* the component of each of these bits */
  _Atomic IMAGE *images; /* a table for each element: the number of the image plus 1, or 0 if it is not known yet */
  _Atomic u8 *started;   /* by the number of the starter's local state: 1 if it is before the start, 2 after */
  u8 *memory;
  u64 bytes;
};

/* The latest state that a thread has seen: the next one has most of its numbers. */
struct numbered_state {
  u64 words[PACKED_WORDS];
  u64 entry[ACTIVE]; /* the entries of its numbers in the tables */
};

struct worker;
int numbered_open(struct numbered *n, const struct bit_field *bit_fields);
void numbered_begin(const struct numbered *n, struct numbered_state *state);
void numbered_close(struct numbered *n);
/* Replace a packed state by the greatest one of its orbit; returns the size of the orbit. */
orbit_count numbered_greatest(struct worker *w, u64 *words);

#endif
#endif
