/* Moves known by heart.

   Which moves a process has in a local state, and what they change, depends on few components only: its footprint
   (footprints.py), as bits of the packed state (codes.h).  Each thread remembers, for the values that these bits had lately,
   the bits that were changed by each move.  A state all of whose processes are known is neither unpacked nor packed again.

   What reports an error is not learnt, so that it reports it each time. */
#ifndef KNOWN_H
#define KNOWN_H

#include "codes.h"

#if MODEL_KNOWS

#define MOST_MOVES (PACKED_WORDS <= 2 ? 6 : 3) /* that are worth remembering */
#define KNOWN_BITS (PACKED_WORDS == 1 ? 13 : 12) /* the logarithm of how many are remembered */
#define STEP_BITS 14

/* The bits that matter to a process in a local state. */
struct footprint {
  u64 mask[PACKED_WORDS];
  u8 is_known, sides; /* in which half there are any: bits 0 and 1 */
};

/* Where the local state of a process is, and what matters to it there, by its number. */
struct seat {
  struct spot spot;
  struct footprint *footprints;
};

struct knowledge {
  struct codes codes;
  struct seat seats[MODEL_SLOTS];
  uint16_t *counts; /* by the number of the component that says so: how many processes there are */
  u8 *memory;
  u64 bytes;
};

/* What the moves of a process did once. */
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

/* What the moves of a process touch. */
struct reach {
  int is_known;
  u64 components[(COMPONENTS + 63) / 64];
};

/* The model (generated, if MODEL_KNOWS). */
extern const int model_counter; /* the component that says how many processes there are, or -1 */
extern const int model_cores[]; /* the component of each process */
extern const int model_channels[]; /* and of each channel, -1 for a handshake */
extern const int model_channel_count;
int model_count(const u8 *s);
void model_reach(int pid, const u8 *s, struct reach *r); /* of a process in its local state; others do not matter */
int model_moves(struct context *x, const u8 *s, int pid);

int knowledge_open(struct knowledge *k, const struct spot *spots);
void knowledge_close(struct knowledge *k);
void knowledge_refill(struct knowledge *k); /* dictionaries have been filled by somebody else */

static inline void reach_component(struct reach *r, int component) {
  r->components[component / 64] |= (u64)1 << component % 64;
}

/* One of some elements, whose components follow each other, or all if there is no such element. */
static inline void reach_element(struct reach *r, struct context *x, int position, int first, int count) {
  for (int k = 0; k < count; k++)
    if (x->fault || k == position) reach_component(r, first + k);
  x->fault = FAULT_NONE;
}

/* A channel, or all. */
static inline void reach_channel(struct reach *r, struct context *x, int number, int receives) {
  int exists = !x->fault && number >= 1 && number <= model_channel_count;
  for (int k = 0; k < model_channel_count; k++)
    if (!exists || k == number - 1) {
      if (model_channels[k] >= 0) reach_component(r, model_channels[k]);
      else if (!receives || !exists) r->is_known = 0;
    }
  x->fault = FAULT_NONE;
}

/* How many processes there are. */
static inline int known_count(const struct knowledge *k, const u64 *words) {
  return model_counter < 0 ? MODEL_SLOTS : k->counts[spot_value(words, &k->codes.all[model_counter].spot)];
}

/* What matters to a process. */
static inline const struct footprint *known_footprint(const struct knowledge *k, const u64 *words, int pid) {
  return &k->seats[pid].footprints[spot_value(words, &k->seats[pid].spot)];
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
