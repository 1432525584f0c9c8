/* Memoised transitions.

   The moves of a process in a local state, and what they change, depend on few components only: its footprint
   (footprints.py), as bits of the packed state (component_dictionary.h).  For recent values of these bits, each thread
   caches the bits that each move changed.  A state is neither unpacked nor packed again if all of its processes are
   cached.

   Moves that report an error are not cached, so that the error is reported each time. */
#ifndef TRANSITION_CACHE_H
#define TRANSITION_CACHE_H

#include "component_dictionary.h"

#if MODEL_CACHES

#define NEAR_MOVES (PACKED_WORDS <= 2 ? 6 : 3)   /* the moves in a cache entry that has one or two cache lines */
#define MOST_MOVES (2 * NEAR_MOVES)              /* the most moves that are cached; those of most processes are near */
#define CACHE_BITS (PACKED_WORDS == 1 ? 13 : 12) /* the binary logarithm of the number of entries */
#define STEP_BITS 14

/* The bits on which the moves of a process in a local state depend. */
struct footprint {
  u64 mask[PACKED_WORDS];
  u8 is_cacheable, sides; /* `sides`: the halves with such bits, as bits 0 and 1 */
};

/* The field of a process's local state, and its footprints by the number of the local state. */
struct process_slot {
  struct bit_field field;
  struct footprint *footprints;
#if MODEL_PARTIAL
  u64 *later; /* what it may touch from now on (stubborn.h), ASPECTS masks for each */
#endif
};

struct footprint_table {
  struct component_dictionary dictionary;
  struct process_slot slots[CORES];
  uint16_t *counts; /* by the number of the counter's value: how many processes there are */
  u8 *memory;
  u64 bytes;
#if MODEL_PARTIAL
  u64 observed[ASPECTS]; /* what the property sees */
#endif
};

/* The moves of a process for one value of its footprint. */
struct cached_moves {
  u64 key[PACKED_WORDS];
  int16_t process; /* plus 1; 0 if the entry is free */
  int8_t moves, successors;
  uint32_t serial; /* of the first change, not 0; each change has two, one for each half */
  u64 changes[NEAR_MOVES][PACKED_WORDS];
} __attribute__((aligned(64)));

#if MODEL_PARTIAL
/* What conflicts with the present of a process (stubborn.h) for one value of its footprint. */
struct cached_present {
  u64 key[PACKED_WORDS];
  u64 process; /* plus 1; 0 if the entry is free */
  u64 against[ASPECTS];
};
#endif

/* The effect of a change on a half: if halves have numbers, their contents need not be read again. */
struct step {
  u64 key; /* the serial number of the change, and the number of the half */
  u64 number;
};

/* The cache of one thread. */
struct transition_cache {
  struct cached_moves moves[1 << CACHE_BITS];
  u64 far[1 << CACHE_BITS][MOST_MOVES - NEAR_MOVES][PACKED_WORDS]; /* changes for which an entry has no room */
  struct step steps[WHOLE ? 1 : 1 << STEP_BITS];
  uint32_t serial; /* the latest serial number */
#if MODEL_PARTIAL
  struct cached_present presents[1 << CACHE_BITS];
#endif
};

/* The components that the moves of a process touch. */
struct footprint_spec {
  int is_cacheable;
  u64 components[(COMPONENTS + 63) / 64];
};

/* The model (generated, if MODEL_CACHES). */
extern const int model_counter;    /* the component with the number of processes, or -1 */
extern const int model_cores[];    /* the component of each process */
extern const int model_channels[]; /* the component of each channel, -1 for a handshake */
extern const int model_channel_count;
int model_count(const u8 *s);
/* The footprint of a process in its local state; the rest of the state is not read. */
void model_footprint(int pid, const u8 *s, struct footprint_spec *r);
int model_moves(struct context *ctx, const u8 *s, int pid);

int footprint_table_open(struct footprint_table *k, const struct bit_field *bit_fields);
void footprint_table_close(struct footprint_table *k);
void footprint_table_refill(struct footprint_table *k); /* after the dictionaries have been read from a checkpoint */

static inline void spec_component(struct footprint_spec *r, int component) {
  r->components[component / 64] |= (u64)1 << component % 64;
}

/* Add one element of an array, whose components are consecutive, or all of them if the index is invalid. */
static inline void spec_element(struct footprint_spec *r, struct context *ctx, int position, int first, int count) {
  for (int k = 0; k < count; k++)
    if (ctx->fault || k == position) spec_component(r, first + k);
  ctx->fault = FAULT_NONE;
}

/* Add a channel, or all channels if there is no such channel. */
static inline void spec_channel(struct footprint_spec *r, struct context *ctx, int number, int receives) {
  int exists = !ctx->fault && number >= 1 && number <= model_channel_count;
  for (int k = 0; k < model_channel_count; k++)
    if (!exists || k == number - 1) {
      if (model_channels[k] >= 0) spec_component(r, model_channels[k]);
      else if (!receives || !exists) r->is_cacheable = 0;
    }
  ctx->fault = FAULT_NONE;
}

/* How many processes there are. */
static inline int cached_count(const struct footprint_table *k, const u64 *words) {
  return model_counter < 0 ? CORES : k->counts[bit_field_value(words, &k->dictionary.all[model_counter].field)];
}

/* The footprint of a process. */
static inline const struct footprint *cached_footprint(const struct footprint_table *k, const u64 *words, int pid) {
  return &k->slots[pid].footprints[bit_field_value(words, &k->slots[pid].field)];
}

static inline void footprint_key(const struct footprint *f, const u64 *words, u64 *key) {
  for (int k = 0; k < PACKED_WORDS; k++) key[k] = words[k] & f->mask[k];
}

static inline u64 cached_hash(const u64 *key, int pid) {
  static const u64 factors[] = {0x9E3779B97F4A7C15u, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu,
                                0x8EBC6AF09C88C6E3u, 0x589965CC75374CC3u, 0x1D8E4E27C47D124Fu};
  u64 hash = (u64)pid * 0x589965CC75374CC3u;
  for (int k = 0; k < PACKED_WORDS; k++) hash += (key[k] ^ key[k] >> 32) * factors[k];
  return hash >> (64 - CACHE_BITS);
}

static inline struct cached_moves *cached_place(struct transition_cache *cache, const u64 *key, int pid) {
  return &cache->moves[cached_hash(key, pid)];
}

static inline int cached_is(const struct cached_moves *cached, const u64 *key, int pid) {
  u64 differs = (u64)(cached->process ^ (pid + 1));
  for (int k = 0; k < PACKED_WORDS; k++) differs |= cached->key[k] ^ key[k];
  return differs == 0;
}

/* One of the changes of an entry. */
static inline u64 *cached_change(struct transition_cache *cache, struct cached_moves *cached, int k) {
  return k < NEAR_MOVES ? cached->changes[k] : cache->far[cached - cache->moves][k - NEAR_MOVES];
}

/* A successor by one of the changes. */
static inline void cached_successor(const u64 *change, const u64 *words, u64 *out) {
  for (int k = 0; k < PACKED_WORDS; k++) out[k] = words[k] ^ change[k];
}

/* Whether a footprint has bits in the left half (0) or in the right one (1). */
static inline int cached_touches(const struct footprint *f, int side) { return f->sides >> side & 1; }

/* Add a successor to a cache entry; returns whether there is room for it. */
static inline int cached_learn(struct transition_cache *cache, struct cached_moves *cached, const u64 *words,
                               const u64 *next) {
  if (cached->successors == MOST_MOVES) return 0;
  u64 *change = cached_change(cache, cached, cached->successors++);
  for (int k = 0; k < PACKED_WORDS; k++) change[k] = words[k] ^ next[k];
  return 1;
}

#endif
#endif
