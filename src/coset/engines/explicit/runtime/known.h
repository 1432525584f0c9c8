/* Moves known by heart.

   Which moves a process has at a location, and what they change, depends on a few bits of the state only: its footprint
   (footprints.py), as numbers of components (codes.h).  Each thread remembers, for the values that these bits had lately, the bits that were changed by each move.
 
   A state all of whose processes are known is neither unpacked nor packed again.

   What reports an error is not learnt, so that it reports it each time. */
#ifndef KNOWN_H
#define KNOWN_H

#include "codes.h"

#if MODEL_KNOWS

#define MOST_MOVES (PACKED_WORDS <= 2 ? 6 : 3) /* that are worth remembering at a location */
#define KNOWN_BITS 13 /* the logarithm of how many are remembered */
#define STEP_BITS 14

/* The bits that matter to a process at a location. */
struct footprint {
  u64 mask[PACKED_WORDS];
  u8 is_known, sides; /* in which half there are any: bits 0 and 1 */
};

/* Where a process is, and what matters there. */
struct seat {
  struct spot spot;        /* the number of its local state, */
  const uint16_t *numbers; /* which says at what location it is, */
  const struct footprint *footprints;
};

struct knowledge {
  struct codes codes;
  struct seat seats[MODEL_SLOTS];
  struct footprint *footprints;
};

/* What the moves of a process at a location did once. */
struct known {
  u64 key[PACKED_WORDS];
  int16_t process; /* and 1 */
  int8_t moves, successors;
  uint32_t serial; /* of the first change, not 0; each has two, one for each half */
  u64 changes[MOST_MOVES][PACKED_WORDS];
} __attribute__((aligned(64)));

/* What became of a half of a state by a change: where halves have numbers, neither has to be looked at again. */
struct step {
  u64 key; /* the serial number of the change, and that of the half */
  u64 number;
};

/* What a thread remembers. */
struct memory {
  struct known known[1 << KNOWN_BITS];
  struct step steps[WHOLE ? 1 : 1 << STEP_BITS];
  uint32_t serial; /* the latest */
};

/* What the moves of a process at a location touch. */
struct reach {
  int is_known;
  u64 components[(COMPONENTS + 63) / 64];
};

/* The model (generated, if MODEL_KNOWS). */
extern const int model_counter; /* the component that says how many processes there are, or -1 */
extern const int model_cores[]; /* the component of each process */
extern const int model_locations[]; /* how many locations it has */
extern const struct reach *const model_reaches[]; /* by process and location */
extern const u64 model_assumed[][2][STATE_WORDS]; /* for each process: bits, and what they must be for its reaches to be right */
int model_moves(struct context *x, const u8 *s, int pid);

int knowledge_open(struct knowledge *k, const struct spot *spots);
void knowledge_close(struct knowledge *k);

/* How many processes there are. */
static inline int known_count(const struct knowledge *k, const u64 *words) {
  if (model_counter < 0) return MODEL_SLOTS;
  const struct dictionary *d = &k->codes.all[model_counter];
  return d->numbers[spot_value(words, &d->spot)];
}

/* What matters to a process. */
static inline const struct footprint *known_footprint(const struct knowledge *k, const u64 *words, int pid) {
  const struct seat *seat = &k->seats[pid];
  return &seat->footprints[seat->numbers[spot_value(words, &seat->spot)]];
}

static inline void footprint_key(const struct footprint *f, const u64 *words, u64 *key) {
  for (int k = 0; k < PACKED_WORDS; k++) key[k] = words[k] & f->mask[k];
}

static inline struct known *known_place(struct memory *memory, const u64 *key, int pid) {
  static const u64 factors[] = {0x9E3779B97F4A7C15u, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu,
                                0x8EBC6AF09C88C6E3u, 0x589965CC75374CC3u, 0x1D8E4E27C47D124Fu};
  u64 hash = (u64)pid * 0x589965CC75374CC3u;
  for (int k = 0; k < PACKED_WORDS; k++) hash += (key[k] ^ key[k] >> 32) * factors[k];
  return &memory->known[hash >> (64 - KNOWN_BITS)];
}

static inline int known_is(const struct known *known, const u64 *key, int pid) {
  u64 differs = (u64)(known->process ^ (pid + 1));
  for (int k = 0; k < PACKED_WORDS; k++) differs |= known->key[k] ^ key[k];
  return differs == 0;
}

/* Whether a state is as the reach of this process supposes. */
static inline int as_assumed(const u8 *state, int pid) {
  u64 words[STATE_WORDS], differs = 0;
  memcpy(words, state, STATE_SIZE);
  for (int k = 0; k < STATE_WORDS; k++) differs |= (words[k] & model_assumed[pid][0][k]) ^ model_assumed[pid][1][k];
  return differs == 0;
}

/* A successor by one of the changes. */
static inline void known_successor(const u64 *change, const u64 *words, u64 *out) {
  for (int k = 0; k < PACKED_WORDS; k++) out[k] = words[k] ^ change[k];
}

/* Whether a footprint has bits in the left half (0) or in the right one (1). */
static inline int known_touches(const struct footprint *f, int side) { return f->sides >> side & 1; }

/* Remember one more successor; whether there is room for it. */
static inline int known_learn(struct known *known, const u64 *words, const u64 *next) {
  if (known->successors == MOST_MOVES) return 0;
  u64 *change = known->changes[known->successors++];
  for (int k = 0; k < PACKED_WORDS; k++) change[k] = words[k] ^ next[k];
  return 1;
}

#endif
#endif
