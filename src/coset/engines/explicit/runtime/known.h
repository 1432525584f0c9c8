/* Moves known by heart.

   Which moves a process has at a location, and what they change, depends on a few bits of the state only: its footprint
   (footprints.py).  Each thread remembers, for the values that these bits had lately, the bits that were changed by each move.
   A state all of whose processes are known is neither unpacked nor packed again.

   What reports an error is not learnt, so that it reports it each time. */
#ifndef KNOWN_H
#define KNOWN_H

#include "hash.h"
#include "pack.h"

#define TOUCHED (PACKED_WORDS < 6 ? PACKED_WORDS : 6) /* words of a state that a footprint may touch */
#define MOST_MOVES 3                                  /* that are worth remembering at a location */
#define KNOWN_BITS 12 /* the logarithm of how many are remembered */
#define STEP_BITS 14

/* A number in a packed state. */
struct spot {
  int word, shift;
  u64 mask;
};

/* The bits that matter to a process at a location.  No words: that is not known. */
struct footprint {
  u8 words, sides; /* how many it touches, and in which half: bits 0 and 1 */
  u8 word[TOUCHED];
  u64 mask[TOUCHED];
};

/* What the moves of a process at a location did once. */
struct known {
  u64 key[TOUCHED];
  int16_t process; /* and 1 */
  int16_t moves, successors;
  uint32_t serial; /* of the first change, not 0; each has two, one for each half */
  u64 changes[MOST_MOVES][TOUCHED];
};

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

/* The model (generated, if MODEL_KNOWS). */
extern const struct spot model_count;       /* how many processes there are */
extern const struct spot model_positions[]; /* the location of each */
extern const struct footprint *const model_footprints[];           /* by process and location */
extern const u64 model_assumed[][2][PACKED_WORDS]; /* for each process: bits, and what they must be for footprints to be right */
int model_moves(struct context *x, const u8 *s, int pid);

static inline u64 spot_value(const u64 *words, const struct spot *spot) {
  u64 value = words[spot->word] >> spot->shift;
  if (PACKED_WORDS > 1 && spot->word + 1 < PACKED_WORDS) value |= words[spot->word + 1] << 1 << (63 - spot->shift);
  return value & spot->mask;
}

/* The bits of a footprint. */
static inline void footprint_key(const struct footprint *f, const u64 *words, u64 *key) {
  for (int k = 0; k < TOUCHED; k++) key[k] = words[PACKED_WORDS == TOUCHED ? k : f->word[k]] & f->mask[k];
}

static inline struct known *known_place(struct memory *memory, const u64 *key, int pid) {
  static const u64 factors[] = {0x9E3779B97F4A7C15u, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu,
                                0x8EBC6AF09C88C6E3u, 0x589965CC75374CC3u, 0x1D8E4E27C47D124Fu};
  u64 hash = (u64)pid * 0x589965CC75374CC3u;
  for (int k = 0; k < TOUCHED; k++) hash += (key[k] ^ key[k] >> 32) * factors[k];
  return &memory->known[hash >> (64 - KNOWN_BITS)];
}

static inline int known_is(const struct known *known, const u64 *key, int pid) {
  u64 differs = (u64)(known->process ^ (pid + 1));
  for (int k = 0; k < TOUCHED; k++) differs |= known->key[k] ^ key[k];
  return differs == 0;
}

static inline int as_assumed(const u64 *words, int pid) {
  u64 differs = 0;
  for (int k = 0; k < PACKED_WORDS; k++) differs |= (words[k] & model_assumed[pid][0][k]) ^ model_assumed[pid][1][k];
  return differs == 0;
}

/* A successor by one of the changes. */
static inline void known_successor(const struct footprint *f, const u64 *change, const u64 *words, u64 *out) {
  memcpy(out, words, PACKED_SIZE);
  for (int k = 0; k < TOUCHED; k++) out[PACKED_WORDS == TOUCHED ? k : f->word[k]] ^= change[k];
}

/* Whether a footprint has bits in the left half (0) or in the right one (1). */
static inline int known_touches(const struct footprint *f, int side) { return f->sides >> side & 1; }

/* Remember one more successor; whether there is room for it. */
static inline int known_learn(struct known *known, const struct footprint *f, const u64 *words, const u64 *next) {
  if (known->successors == MOST_MOVES) return 0;
  u64 *change = known->changes[known->successors++];
  for (int k = 0; k < TOUCHED; k++) {
    int word = PACKED_WORDS == TOUCHED ? k : f->word[k];
    change[k] = (words[word] ^ next[word]) & f->mask[k];
  }
  return 1;
}

#endif
