/* The store of visited states, with one of five kinds of storage:

   states        whole, each with a number (visited.h)
   packed        as a key in a set (state_keys.h).  A state of one or two words is its own key.  A larger one is cut into two
                 halves, each half is numbered, and the pair of their numbers is the key: one word.  There are far fewer
                 halves than states, so a state takes little more than its word (after the tree compression of Laarman,
                 van de Pol and Weber, SPIN 2011).  Exact.
   fingerprints  only a 64-bit hash: two states with the same hash are treated as one
   bits          only three bits in a word of a table of fixed size (Holzmann's bitstate; all bits in one word, as in the
                 blocked filters of Putze, Sanders and Singler, WEA 2007, so that one atomic operation is enough)
   disk          nothing: the states are in files (disk.c)

   The packed state (pack.h) is stored.  A state is inserted in several steps, between which memory is fetched. */
#ifndef STORE_H
#define STORE_H

#include "state_keys.h"
#include "intern_table.h"
#include "pack.h"

enum storage { STORAGE_PACKED, STORAGE_STATES, STORAGE_FINGERPRINTS, STORAGE_BITS, STORAGE_DISK };

/* Mostly a compile-time constant, so that the other kinds of storage are compiled out. */
#ifdef MODEL_STORAGE
#define STORAGE(s) ((void)(s), (enum storage)MODEL_STORAGE)
#else
#define STORAGE(s) ((s)->storage)
#endif

#define HALF (PACKED_SIZE / 2)
#define WIDTH (PACKED_SIZE == 16 ? 2 : 1)
#define LEAST_BITS 10
#define MOST_BITS 46

struct store {
  enum storage storage;
  struct intern_table states;
  struct intern_table halves;
  struct keys keys;
  _Atomic u64 *bits;
  u64 bit_words;          /* the number of words in the table of bits, a power of two */
  _Atomic u64 half_count; /* numbers of halves that threads have taken */
};

/* A state that is being expanded: successors share most of their halves with it. */
struct halves {
  u8 state[STATE_SIZE] __attribute__((aligned(16)));
  u8 packed[PACKED_SIZE] __attribute__((aligned(16)));
  u64 left, right;
};

/* A state on its way into the store. */
struct entry {
  u8 packed[PACKED_SIZE] __attribute__((aligned(PACKED_SIZE == 8 ? 8 : 16)));
  u64 hash;        /* determines its slot; 0: do not insert */
  u64 rest;        /* of the code of its key, or NOT_CODED (key_code.h) */
  u64 word;        /* the key of the state, if the state is not its own key */
  u64 left, right; /* the numbers of its halves, or the hashes of halves that differ from the parent's */
  int new_left, new_right;
#if MODEL_SYMMETRIC
  orbit_count orbit; /* how many states it represents */
#endif
};

/* How many states it represents. */
static inline orbit_count entry_orbit(const struct entry *e) {
#if MODEL_SYMMETRIC
  return e->orbit;
#else
  (void)e;
  return 1;
#endif
}
static inline void entry_stands_for(struct entry *e, orbit_count orbit) {
#if MODEL_SYMMETRIC
  e->orbit = orbit;
#else
  (void)e, (void)orbit;
#endif
}

/* A range of numbers reserved for one thread. */
struct id_block {
  u64 next, end;
};

int store_open(struct store *s, enum storage storage, u64 reserve, int log_bits);
void store_close(struct store *s);
int store_grow(struct store *s, u64 states); /* by one thread; then all call keys_move while `keys` are growing */
double store_omission(const struct store *s, u64 states);
u64 store_growth(const struct store *s, u64 states);   /* bytes needed to grow for this many states */
int store_may_grow(const struct store *s, u64 states); /* whether the address space suffices */

/* Whether states are stored as keys. */
static inline int has_keys(const struct store *s) {
  return STORAGE(s) == STORAGE_PACKED || STORAGE(s) == STORAGE_FINGERPRINTS;
}

/* Whether a state is stored as a pair of numbers of halves. */
static inline int in_halves(const struct store *s) { return !WHOLE && STORAGE(s) == STORAGE_PACKED; }

/* Whether there is room for this many states in all, and for the halves whose numbers have been taken. */
static inline int store_fits(struct store *s, u64 states) {
  switch (STORAGE(s)) {
  case STORAGE_STATES: return intern_fits(&s->states, states);
  case STORAGE_PACKED:
    return keys_fit(&s->keys, states) && (WHOLE || intern_fits(&s->halves, atomic_load(&s->half_count)));
  case STORAGE_FINGERPRINTS: return keys_fit(&s->keys, states);
  default: return 1;
  }
}

/* Whether this many states fit without growing, with slow lookups. */
static inline int store_holds(struct store *s, u64 states) {
  switch (STORAGE(s)) {
  case STORAGE_STATES: return intern_holds(&s->states, states);
  case STORAGE_PACKED:
    return keys_hold(&s->keys, states) && (WHOLE || intern_holds(&s->halves, atomic_load(&s->half_count)));
  case STORAGE_FINGERPRINTS: return keys_hold(&s->keys, states);
  default: return 1;
  }
}

/* The key of a state, and how many words it has. */
static inline const u64 *entry_key(const struct store *s, const struct entry *e) {
  return WHOLE && STORAGE(s) == STORAGE_PACKED ? (const u64 *)(const void *)e->packed : &e->word;
}
static inline u64 key_width(const struct store *s) { return WHOLE && STORAGE(s) == STORAGE_PACKED ? WIDTH : 1; }

static inline struct coded_key entry_code(const struct entry *e) { return (struct coded_key){e->hash, e->rest}; }

/* Where the key of the state belongs: again after another code has been chosen. */
static inline void store_place(const struct store *s, struct entry *e, u64 hash) {
  struct coded_key coded = keys_place(&s->keys, entry_key(s, e), hash, key_width(s));
  e->hash = coded.hash;
  e->rest = coded.rest;
}

/* Prefetch the slot of the state. */
FETCHES store_fetch(const struct store *s, const struct entry *e) {
  switch (STORAGE(s)) {
  case STORAGE_STATES: intern_fetch_place(&s->states, e->hash); return;
  case STORAGE_PACKED:
  case STORAGE_FINGERPRINTS: keys_fetch(&s->keys, entry_code(e), key_width(s)); return;
  default: __builtin_prefetch((const void *)&s->bits[e->hash >> 18 & (s->bit_words - 1)]);
  }
}

/* Step 1: compute the hashes; that of the packed state is given. */
FETCHES store_begin(const struct store *s, const struct halves *parent, struct entry *e, u64 hash) {
  if (in_halves(s)) {
    e->new_left = memcmp(e->packed, parent->packed, HALF) != 0;
    e->new_right = memcmp(e->packed + HALF, parent->packed + HALF, HALF) != 0;
    e->left = e->new_left ? hash_bytes(e->packed, HALF) : parent->left;
    e->right = e->new_right ? hash_bytes(e->packed + HALF, HALF) : parent->right;
    if (e->new_left) intern_fetch_place(&s->halves, e->left);
    if (e->new_right) intern_fetch_place(&s->halves, e->right);
    return;
  }
  e->hash = e->word = hash ? hash : 1;
  if (!has_keys(s)) store_fetch(s, e);
}

/* Step 2, for states that are not known to be stored: find the slot of the key, unless it still has to be computed. */
FETCHES store_locate(const struct store *s, struct entry *e) {
  if (in_halves(s) || !has_keys(s)) return;
  store_place(s, e, STORAGE(s) == STORAGE_PACKED ? e->hash : hash_word(e->word));
  store_fetch(s, e);
}

/* Step 3: prefetch the items in the slots of these hashes. */
FETCHES store_look(const struct store *s, const struct entry *e) {
  if (STORAGE(s) == STORAGE_STATES) intern_fetch_item(&s->states, e->hash, PACKED_SIZE);
  if (!in_halves(s)) return;
  if (e->new_left) intern_fetch_item(&s->halves, e->left, HALF);
  if (e->new_right) intern_fetch_item(&s->halves, e->right, HALF);
}

static inline u64 half_number(struct store *s, struct id_block *fresh, const u8 *half, u64 hash) {
  u64 number = intern_put(&s->halves, half, hash, fresh->next, HALF);
  fresh->next += number == fresh->next;
  return number;
}

/* Step 4, for halves: compute the key of the state.  Two unused numbers must be available. */
static inline void store_word(struct store *s, struct id_block *fresh, struct entry *e) {
  if (e->new_left) e->left = half_number(s, fresh, e->packed, e->left);
  if (e->new_right) e->right = half_number(s, fresh, e->packed + HALF, e->right);
  e->word = e->left << 32 | (e->right + 1);
  store_place(s, e, hash_word(e->word));
  store_fetch(s, e);
}

/* The same after another code of keys has been chosen, for a state that has passed this step. */
static inline void store_replace(const struct store *s, struct entry *e) {
  if (has_keys(s) && e->hash) store_place(s, e, hash_bytes((const u8 *)entry_key(s, e), 8 * key_width(s)));
}

static inline int bits_put(struct store *s, u64 hash) {
  u64 wanted = (u64)1 << (hash & 63) | (u64)1 << (hash >> 6 & 63) | (u64)1 << (hash >> 12 & 63);
  _Atomic u64 *word = &s->bits[hash >> 18 & (s->bit_words - 1)];
  if ((atomic_load_explicit(word, memory_order_relaxed) & wanted) == wanted) return 0;
  return (atomic_fetch_or_explicit(word, wanted, memory_order_relaxed) & wanted) != wanted;
}

/* The last step: insert the state with the number `fresh`; returns whether it is new. */
static inline int store_put(struct store *s, const struct entry *e, u64 fresh) {
  switch (STORAGE(s)) {
  case STORAGE_STATES: return intern_put(&s->states, e->packed, e->hash, fresh, PACKED_SIZE) == fresh;
  case STORAGE_PACKED:
  case STORAGE_FINGERPRINTS: return keys_put(&s->keys, entry_key(s, e), entry_code(e), key_width(s));
  default: return bits_put(s, e->hash);
  }
}

/* --- states waiting for expansion --------------------------------------------------------------------------------- */

/* The size of a waiting state: its key, nothing if its number suffices, or the whole packed state. */
static inline u64 store_item_size(const struct store *s) {
  return in_halves(s) ? sizeof(u64) : STORAGE(s) == STORAGE_STATES ? 0 : PACKED_SIZE;
}
static inline void store_keep(const struct store *s, u8 *item, const struct entry *e) {
  if (in_halves(s)) memcpy(item, &e->word, sizeof e->word);
  else if (STORAGE(s) != STORAGE_STATES) memcpy(item, e->packed, PACKED_SIZE);
}
FETCHES store_fetch_halves(const struct store *s, const u8 *item) {
  u64 word;
  if (!in_halves(s)) return;
  memcpy(&word, item, sizeof word);
  __builtin_prefetch(intern_item(&s->halves, word >> 32, HALF));
  __builtin_prefetch(intern_item(&s->halves, (word & UINT32_MAX) - 1, HALF));
}
/* Restore the packed state of a waiting state. */
static inline void store_recall(const struct store *s, const u8 *item, u64 number, struct halves *out) {
  if (in_halves(s)) {
    u64 word;
    memcpy(&word, item, sizeof word);
    out->left = word >> 32;
    out->right = (word & UINT32_MAX) - 1;
    memcpy(out->packed, intern_item(&s->halves, out->left, HALF), HALF);
    memcpy(out->packed + HALF, intern_item(&s->halves, out->right, HALF), HALF);
  } else {
    const u8 *kept = STORAGE(s) == STORAGE_STATES ? intern_item(&s->states, number, PACKED_SIZE) : item;
    memcpy(out->packed, kept, PACKED_SIZE);
  }
}

#endif
