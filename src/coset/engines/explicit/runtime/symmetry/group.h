/* The tables of a group in the generated model, and the model's functions on its states.

   A *part* of a state has a key of its own: it is a column if whole columns are exchanged, otherwise a point. */
#ifndef GROUP_H
#define GROUP_H

#include "coset.h"
#include "hash.h"

typedef uint16_t u16;

/* Write the representative of `s` to `t`; returns the size of the orbit (0: unknown).  See canonical.h, enumerated.h. */
static orbit_count canonical(const u8 *s, u8 *t);
#if MODEL_FAIR
static orbit_count canonical_by(const u8 *s, u8 *t, u16 *way);
extern const u16 model_identity[];
#endif

void successor(struct context *ctx, const u8 *t) {
  u8 representative[STATE_SIZE];
  if (__builtin_expect(ctx->is_whole || MODEL_NUMBERED, MODEL_NUMBERED)) { /* numbered.h finds the representative */
    ctx->successor(ctx, t);
    return;
  }
#if MODEL_FAIR
  u16 way[POINTS];
  ctx->orbit = canonical_by(t, representative, way);
  memcpy(ctx->way, model_identity, sizeof ctx->way);
  for (int k = 0; k < MOVED_PROCESSES; k++) ctx->way[moved_process[k]] = process_at[way[process_point[k]]];
#else
  ctx->orbit = canonical(t, representative);
#endif
  ctx->successor(ctx, representative);
}

void representative(const u8 *s, u8 *t) { canonical(s, t); }
#if MODEL_FAIR
/* The representative, and a symmetry that leads to it: where each point goes. */
void annotated(const u8 *s, u8 *t, uint16_t *way) { canonical_by(s, t, way); }
#endif

enum strategy { STRATEGY_SORT, STRATEGY_CHAIN, STRATEGY_ENUMERATE, STRATEGY_LOCAL };

/* Interchangeable columns: columns[first + i * width + k] is the k-th point of the i-th column, whose part is `part` + i if
   columns are sorted. */
struct family {
  int first, count, width, part;
};

/* One level of a stabiliser chain: orbit_points[first + i], and leads[first + i] maps the base to it. */
struct level {
  int base, first, count;
};

/* Add a fact to the key of part `q`; the order of additions does not matter. */
static inline void tell(u64 *sum, int q, u64 salt, u64 what) {
  if (q >= 0) sum[q] += fold(what ^ salt, salt | 1u);
}

static inline void mark(u8 *mentioned, int q) {
  if (q >= 0) mentioned[q] = 1;
}

/* Part `own` has a value that names part `q`.  If they differ, `q` is mentioned. */
static inline void mention(u64 *sum, u8 *mentioned, int own, int q, u64 salt, u64 where) {
  if (q < 0 || q == own) return;
  mentioned[q] = 1;
  tell(sum, q, salt ^ 0x8EBC6AF09C88C6E3u, own < 0 ? where : 0);
}

/* The invariant of a value, seen from part `own`: itself if it is fixed, else whether it names `own` or another part. */
static inline u64 class_of(int own, int q, int value, u64 row) {
  return q < 0 ? (u64)(uint32_t)value : ((u64)(q == own) + 1 + row) << 32;
}

/* Add to the key of each of two related parts the key of the other. */
static inline void introduce(u64 *sum, const u64 *key, int own, int q, u64 salt, u64 row) {
  if (own < 0 || q < 0 || own == q) return;
  tell(sum, own, salt, key[q] + row);
  tell(sum, q, salt ^ 0x8EBC6AF09C88C6E3u, key[own] + row);
}

#endif
