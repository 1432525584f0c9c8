/* States as the numbers of their components.

   A component (components.py) is some bits of the state.  Each value that it has gets a number when it is met first, from a
   dictionary of its own, and a packed state is these numbers, each at its spot.  A successor has the numbers of its
   parent but for the components that differ.

   Dictionaries are shared by all threads: who needs a new number takes a lock, all others only read.  A component that
   runs out of numbers ends the search, and the caller tries again with more bits.

   The model (generated, if MODEL_KNOWS) says what its components are. */
#ifndef CODES_H
#define CODES_H

#include <pthread.h>
#include <stdatomic.h>

#include "hash.h"
#include "pack.h"

#if MODEL_KNOWS
#define STATE_WORDS (STATE_SIZE / 8)

/* A number in a packed state. */
struct spot {
  int word, shift;
  u64 mask;
};

static inline u64 spot_value(const u64 *words, const struct spot *spot) { return words[spot->word] >> spot->shift & spot->mask; }

/* Some bits of a state, in a few words one after the other. */
struct component {
  int first, words;
  const u64 *masks;
};

extern const struct component model_components[];

/* Where numbers of values are looked up: a number and 1, or 0 if the place is free. */
struct places {
  struct places *before; /* a smaller table, which somebody may still look at */
  u64 mask;
  _Atomic uint32_t at[];
};

struct dictionary {
  struct spot spot;
  u64 *items; /* by number: the value, `words` of the component */
  u64 count;
  _Atomic(struct places *) places;
};

struct codes {
  struct dictionary all[COMPONENTS];
  u8 *memory;
  u64 bytes;
  pthread_mutex_t lock;
};

int codes_open(struct codes *c, const struct spot *spots);
void codes_close(struct codes *c);
void codes_added(struct codes *c, int component, u64 number, const u8 *state); /* known.c: a value has got this number */
int codes_refill(struct codes *c, int component, u64 count); /* look up so many items, which are in their places */

#define CODES_FIT (-1)

/* The packed state, given that of another one (or NULL), which is its parent.  CODES_FIT, or the component that has no number
   left for its value. */
int codes_pack(struct codes *c, const u8 *state, const u8 *parent, const u8 *parent_packed, u8 *packed);
void codes_unpack(const struct codes *c, const u8 *packed, u8 *state);

#endif
#endif
