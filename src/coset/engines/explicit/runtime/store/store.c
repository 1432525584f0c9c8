/* The store of visited states: memory, growth, and the probability of omissions.  See store.h. */
#define _GNU_SOURCE
#include "store.h"

#include "memory.h"

#define MOST_HALVES ((u64)UINT32_MAX - 2)
#define SAMPLE ((u64)1 << 16)

int store_open(struct store *s, enum storage storage, u64 reserve, int log_bits) {
  memset(s, 0, sizeof *s);
  s->storage = storage;
  switch (storage) {
  case STORAGE_STATES: return intern_open(&s->states, reserve / PACKED_SIZE, PACKED_SIZE);
  case STORAGE_PACKED: {
    if (WHOLE) return keys_open(&s->keys, WIDTH, reserve);
    u64 halves = reserve / HALF;
    return keys_open(&s->keys, 1, reserve) &&
           intern_open(&s->halves, halves < MOST_HALVES ? halves : MOST_HALVES, HALF);
  }
  case STORAGE_FINGERPRINTS: return keys_open(&s->keys, 1, reserve);
  case STORAGE_DISK: return 1;
  default:
    if (log_bits < LEAST_BITS) log_bits = LEAST_BITS;
    if (log_bits > MOST_BITS) log_bits = MOST_BITS;
    s->bit_words = (u64)1 << (log_bits - 6);
    s->bits = memory_take(s->bit_words * sizeof(u64));
    return s->bits != NULL;
  }
}

void store_close(struct store *s) {
  intern_close(&s->states, PACKED_SIZE);
  intern_close(&s->halves, HALF);
  keys_close(&s->keys);
  memory_release((void *)s->bits, s->bit_words * sizeof(u64));
  memset(s, 0, sizeof *s);
}

u64 store_growth(const struct store *s, u64 states) {
  if (STORAGE(s) == STORAGE_STATES) return intern_growth(&s->states, states);
  return has_keys(s) ? keys_growth(&s->keys, states) : 0;
}

int store_may_grow(const struct store *s, u64 states) {
  return !has_keys(s) || keys_fit(&s->keys, states) || keys_may_grow(&s->keys, states);
}

/* No other thread may use the store meanwhile. */
int store_grow(struct store *s, u64 states) {
  if (STORAGE(s) == STORAGE_STATES) intern_grow(&s->states, states, PACKED_SIZE);
  if (in_halves(s)) intern_grow(&s->halves, atomic_load(&s->half_count), HALF);
  if (has_keys(s)) return keys_fit(&s->keys, states) || keys_grow(&s->keys, states);
  return 1;
}

/* With fingerprints: a bound on the probability that any state was omitted, that is, that two of this many are equal.
   With bits: the probability that one more state would be omitted, measured on a sample of the table if it is full
   enough. */
double store_omission(const struct store *s, u64 states) {
  if (STORAGE(s) == STORAGE_FINGERPRINTS) {
    double bound = (double)states * (double)states / 2 / 18446744073709551616.0;
    return bound < 1 ? bound : 1;
  }
  if (STORAGE(s) != STORAGE_BITS) return 0;
  /* In a nearly empty table hardly any two states share a word: this is the probability that the next one does, and that
     its three bits are the same. */
  if (states < s->bit_words / 256) return (double)states / (double)s->bit_words * (3 * 3 * 3) / (64.0 * 64 * 64);
  u64 stride = s->bit_words > SAMPLE ? s->bit_words / SAMPLE : 1, count = 0;
  double sum = 0;
  for (u64 k = 0; k < s->bit_words; k += stride, count++) {
    double filled = __builtin_popcountll(atomic_load_explicit(&s->bits[k], memory_order_relaxed)) / 64.0;
    sum += filled * filled * filled;
  }
  return sum / (double)count;
}
