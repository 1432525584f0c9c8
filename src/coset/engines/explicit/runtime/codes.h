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
int codes_number(struct codes *c, int component, const u64 *item, const u8 *state, u64 *number); /* 0 if there is none left */
void codes_added(struct codes *c, int component, u64 number, const u8 *state); /* known.c: a value has got this number */
int codes_refill(struct codes *c, int component, u64 count); /* look up so many items, which are in their places */

#define CODES_FIT (-1)

/* The packed state, given that of another one (or NULL), which is its parent.  CODES_FIT, or the component that has no number
   left for its value. */
static inline int codes_pack(struct codes *c, const u8 *state, const u8 *parent, const u8 *parent_packed, u8 *packed) {
  u64 words[STATE_WORDS], differs[STATE_WORDS], out[PACKED_WORDS] = {0};
  memcpy(words, state, STATE_SIZE);
  if (PACKED_WORDS == 1) out[0] = (u64)1 << 63; /* that bit is free, and a key is not 0 (keys.h) */
  if (parent) {
    memcpy(differs, parent, STATE_SIZE);
    memcpy(out, parent_packed, PACKED_SIZE);
  }
  for (int k = 0; k < STATE_WORDS; k++) differs[k] = parent ? differs[k] ^ words[k] : ~(u64)0;
  for (int k = 0; k < COMPONENTS; k++) {
    const struct component *part = &model_components[k];
    const struct spot *spot = &c->all[k].spot;
    u64 item[ITEM_WORDS], is_new = !parent, number;
    for (int n = 0; n < part->words; n++) {
      item[n] = words[part->first + n] & part->masks[n];
      is_new |= differs[part->first + n] & part->masks[n];
    }
    if (!is_new) continue;
    if (!codes_number(c, k, item, state, &number)) {
      memcpy(packed, out, PACKED_SIZE);
      return k;
    }
    out[spot->word] = (out[spot->word] & ~(spot->mask << spot->shift)) | number << spot->shift;
  }
  memcpy(packed, out, PACKED_SIZE);
  return CODES_FIT;
}

static inline void codes_unpack(const struct codes *c, const u8 *packed, u8 *state) {
  u64 words[STATE_WORDS] = {0}, in[PACKED_WORDS];
  memcpy(in, packed, PACKED_SIZE);
  for (int k = 0; k < COMPONENTS; k++) {
    const struct component *part = &model_components[k];
    const u64 *item = c->all[k].items + spot_value(in, &c->all[k].spot) * (u64)part->words;
    for (int n = 0; n < part->words; n++) words[part->first + n] |= item[n];
  }
  memcpy(state, words, STATE_SIZE);
}

#endif
#endif
