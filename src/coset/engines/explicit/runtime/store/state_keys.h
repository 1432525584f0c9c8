/* The keys of stored states: whole (key_set.h), or in a compact set (compact_set.h).

   A search begins with a set of whole keys (key_set.h), as most searches are small.  When that is full, the bits in which its keys
   differ are known, and all keys are moved to a compact set.  Later keys that differ in other bits, and the few that find no
   place near their home, stay whole.  If these become many, another code is chosen, and all keys are moved to a new compact set. */
#ifndef STATE_KEYS_H
#define STATE_KEYS_H

#include "compact_set.h"
#include "key_set.h"

/* Keys are gathered by an instruction that not every machine has; without it, keys stay whole. */
#ifndef COMPACT_FROM
#define COMPACT_FROM ((u64)1 << 21) /* keys: before, a search takes little memory */
#define COMPACTS (HAS_COMPACT_SETS && GATHERS_FAST && !SINGLE_THREADED)
#else
#define COMPACTS HAS_COMPACT_SETS
#endif

#define SPARE_KEYS                                                                                                     \
  ((u64)1 << 16) /* whole keys for which there is always room: of all threads, until one of them looks */

/* Keys, whole and compact. */
struct keys {
  struct key_set whole;
  struct compact_set compact;
  struct key_code *code;   /* of the keys in the compact set */
  _Atomic u64 whole_count; /* if there is a compact set */
  u64 reserve;             /* bytes that a set may have */
  u64 codes;               /* how many codes there have been */
  int is_growing;          /* the compact set grows in place */
  struct compact_growth growth;
  int is_moving;                  /* then keys are moved from these: */
  struct compact_set old_compact; /* with another code, if there is one */
  struct key_code *old_code;
  struct key_set old_whole;
  _Atomic u64 next_part; /* of the one, then of the other */
};

int keys_open(struct keys *k, u64 width, u64 reserve);
void keys_close(struct keys *k);
int keys_grow(struct keys *k, u64 count);           /* begin to grow, by one thread; returns 0 if there is no memory */
int keys_may_grow(const struct keys *k, u64 count); /* whether the address space suffices */
u64 keys_growth(const struct keys *k, u64 count);   /* bytes that it takes */
void keys_move(struct keys *k);                     /* by all threads */
void keys_moved(struct keys *k);  /* by one thread after all have finished; repeat while `keys_are_growing` */
void keys_settle(struct keys *k); /* both, by the only thread, until the set has grown */
u64 keys_next(const struct keys *k, u64 *at, u64 *words, u64 most); /* some keys; 0: there are no more */

static inline int keys_are_compact(const struct keys *k) { return COMPACTS && k->compact.lines; }

static inline int keys_are_growing(const struct keys *k) { return k->whole.growing || k->is_moving; }

#if COMPACTS
/* How many of this many keys are not whole. */
static inline u64 compact_count(const struct keys *k, u64 count) {
  u64 whole = atomic_load_explicit(&k->whole_count, memory_order_relaxed);
  return count > whole ? count - whole : 0;
}

/* Whether there is room for more whole keys beside the compact set. */
static inline int has_spare_keys(const struct keys *k) {
  return key_set_fit(&k->whole, atomic_load_explicit(&k->whole_count, memory_order_relaxed) + SPARE_KEYS);
}
#endif

static inline int keys_fit(const struct keys *k, u64 count) {
#if COMPACTS
  if (keys_are_compact(k)) return compact_count(k, count) <= compact_set_room(&k->compact) && has_spare_keys(k);
#endif
  return key_set_fit(&k->whole, count);
}

/* Whether this many keys fit without growing, with slow lookups. */
static inline int keys_hold(const struct keys *k, u64 count) {
#if COMPACTS
  if (keys_are_compact(k)) return compact_count(k, count) <= compact_set_most(&k->compact) && has_spare_keys(k);
#endif
  return key_set_hold(&k->whole, count);
}

/* The hash of a key, and the rest of its code or NOT_CODED.  They are valid as long as no other code is chosen. */
static inline struct coded_key keys_place(const struct keys *k, const u64 *key, u64 hash, u64 width) {
#if COMPACTS
  if (keys_are_compact(k)) {
    struct coded_key coded = encoded(k->code, key, width);
    if (coded.rest != NOT_CODED) return coded;
  }
#else
  (void)k, (void)key, (void)width;
#endif
  return (struct coded_key){hash ? hash : 1, NOT_CODED};
}

FETCHES keys_fetch(const struct keys *k, struct coded_key coded, u64 width) {
#if COMPACTS
  if (coded.rest != NOT_CODED) {
    compact_set_fetch(&k->compact, coded.hash);
    return;
  }
#endif
  key_set_fetch(&k->whole, coded.hash, width);
}

/* Insert a key whole; returns whether it is new. */
static inline int keys_put_whole(struct keys *k, const u64 *key, u64 hash, u64 width) {
  int is_new = key_set_put(&k->whole, key, hash, width);
  if (is_new && keys_are_compact(k)) atomic_fetch_add_explicit(&k->whole_count, 1, memory_order_relaxed);
  return is_new;
}

/* Insert a key in its place; returns whether it is new. */
static inline int keys_put(struct keys *k, const u64 *key, struct coded_key coded, u64 width) {
#if COMPACTS
  if (coded.rest != NOT_CODED) {
    enum insertion done = compact_set_put(&k->compact, coded);
    if (__builtin_expect(done != NO_PLACE, 1)) return done == KEY_NEW;
    u64 hash = hash_bytes((const u8 *)key, 8 * width);
    coded.hash = hash ? hash : 1;
  }
#endif
  return keys_put_whole(k, key, coded.hash, width);
}

#endif
