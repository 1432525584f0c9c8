/* States as the numbers of their components.

   A component (components.py) is some bits of the state.  Each of its values gets a number, from a dictionary of its own,
   when it is first seen, and a packed state is these numbers, each in its bit field.  A successor has the numbers of its
   parent except for the components that differ.

   Dictionaries are shared by all threads: a thread that needs a new number takes a lock, all others only read.  If a
   component runs out of numbers, the search ends, and another one goes on with more bits (transfer.h).

   In a distributed search all processes have to give a value the same number.  There a dictionary gives none by itself (`missing`):
   it notes values that need one, and gets numbers by `dictionary_number` in the order that all agree upon (share.c).

   With MODEL_EQUIVARIANT, components that symmetries move to one another are numbered together: if a value gets a number, its
   images in the other components get the same one.  So a symmetry moves numbers and need not look at what they stand for.

   The model (generated, if MODEL_CACHES) defines its components. */
#ifndef COMPONENT_DICTIONARY_H
#define COMPONENT_DICTIONARY_H

#include <pthread.h>
#include <stdatomic.h>

#include "hash.h"
#include "pack.h"

#if MODEL_CACHES
#define STATE_WORDS (STATE_SIZE / 8)

/* A number in a packed state. */
struct bit_field {
  int word, shift;
  u64 mask;
};

static inline u64 bit_field_value(const u64 *words, const struct bit_field *field) {
  return words[field->word] >> field->shift & field->mask;
}

/* Some bits of a state, in consecutive words. */
struct component {
  int first, words;
  const u64 *masks;
};

extern const struct component model_components[];
#if MODEL_EQUIVARIANT
extern const uint16_t model_peer[];         /* the next component that is numbered together with this one, or itself */
extern const u8 model_template[STATE_SIZE]; /* a state in which symmetries act */
void model_relocate(u8 *state, int from, int to); /* move a state by the symmetry that takes one component to another */
#endif

/* A hash table of numbers: each slot has a number plus 1, or 0 if it is free. */
struct places {
  struct places *before; /* the previous, smaller table, which other threads may still read */
  u64 mask;
  _Atomic uint32_t at[];
};

struct dictionary {
  struct bit_field field;
  u64 *items; /* by number: the value, `words` of the component */
  u64 count;
  _Atomic(struct places *) places;
};

#define MOST_MISSING 8192
#define MISSING_PLACES (2 * MOST_MISSING)

/* Values that need numbers, each in a state that has otherwise the values of the initial state. */
struct missing_values {
  u8 initial[STATE_SIZE];
  u64 count;
  u16 places[MISSING_PLACES]; /* a hash table: which value plus 1, or 0 */
  int components[MOST_MISSING];
  u8 states[MOST_MISSING][STATE_SIZE];
};

struct component_dictionary {
  struct dictionary all[COMPONENTS];
  struct missing_values *missing; /* NULL: new values get numbers at once */
  u8 *memory;
  u64 bytes;
  pthread_mutex_t lock;
};

static inline void forget_missing(struct missing_values *m) {
  memset(m->places, 0, sizeof m->places);
  m->count = 0;
}

int dictionary_open(struct component_dictionary *c, const struct bit_field *bit_fields);
void dictionary_close(struct component_dictionary *c);
/* Called when a value gets a number (transition_cache.c). */
void dictionary_added(struct component_dictionary *c, int component, u64 number, const u8 *state);
/* Rebuild the table for this many items, which have been read. */
int dictionary_refill(struct component_dictionary *c, int component, u64 count);

#define DICTIONARY_FITS (-1)

/* Pack a state, given its parent (or NULL) and the parent's packed form.  Returns DICTIONARY_FITS, or the component that has
   no number left for its value. */
int dictionary_pack(struct component_dictionary *c, const u8 *state, const u8 *parent, const u8 *parent_packed,
                    u8 *packed);
/* The number of a component's value in a state; returns 0 if there is none left. */
int dictionary_number(struct component_dictionary *c, int component, const u8 *state, u64 *number);
/* Whether there is a number left for another value of a component. */
static inline int dictionary_has_room(const struct component_dictionary *c, int component) {
  return c->all[component].count <= c->all[component].field.mask;
}
void dictionary_unpack(const struct component_dictionary *c, const u8 *packed, u8 *state);

#endif
#endif
