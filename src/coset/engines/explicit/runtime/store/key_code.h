/* A code of keys: a bijection from keys to pairs of a hash and a rest, in as few bits as the keys that are known suggest.

   A table of hashes need not store what the position in the table tells: of a key in a line of 2^20, twenty bits less (quotienting;
   D. E. Knuth, The Art of Computer Programming, vol. 3, 6.4, exercise 13; J. G. Cleary, "Compact hash tables using bidirectional linear
   probing", IEEE Trans. Comput., 1984).  So the hash must determine the key.

   The bits in which keys differ are cut into groups of at most 12.  The values that a group has are numbered, and these numbers are the
   digits of one number in mixed radix: three neighbours of a ring of philosophers take 12 bits, but have about a hundred values.

       key        0110 0101 0001     groups 0110 0101 and 0001, of which 5 and 2 values are known
       digits     3 and 1
       number     3 + 1 * 5 = 8 of 10: 4 bits

   Numbers below 2^63 become the hash; what is above is the rest.  There is room for some values that are not known yet: they get the
   next numbers when they occur.  A key with other values has no code, until the code is extended. */
#ifndef KEY_CODE_H
#define KEY_CODE_H

#include <stdatomic.h>

#include "bits.h"
#include "hash.h"

#define HASH_BITS 63 /* the most; the lowest bit of a hash is 1, as 0 means that there is none */
#define MOST_REST 40 /* the most bits of a rest */
#ifndef GROUP_BITS
#define GROUP_BITS 12
#endif
#define GROUP_VALUES (1 << GROUP_BITS)
#define MOST_GROUPS 20
#define NOT_CODED UINT64_MAX

struct group {
  u64 mask;                         /* its bits */
  int word;                         /* of which word of a key */
  int count, room;                  /* how many values are known, and may be known */
  u64 weight;                       /* of its digit, in the hash or in the rest */
  _Atomic u16 number[GROUP_VALUES]; /* of each value, from 1; 0: it is not known */
  u16 value[GROUP_VALUES];          /* the inverse, from 0 */
};

struct key_code {
  u64 mask[2];  /* the bits in which keys differ */
  u64 fixed[2]; /* the other bits, the same in all keys */
  int bits;     /* of the hash */
  int rest;     /* bits of the rest */
  int groups;
  int in_hash;           /* groups with digits in the hash; the others are in the rest */
  atomic_flag numbering; /* whether a thread is giving numbers */
  struct group group[MOST_GROUPS];
};

struct coded_key {
  u64 hash, rest; /* the rest is NOT_CODED if the key has no code */
};

/* Build a code: begin with one key, or with a copy of a code; tell the bits of all further keys, and then show each of them.
   Returns 0 if the bits are too many. */
void key_code_begin(struct key_code *code, const u64 *key, u64 width);
int key_code_extend(struct key_code *code, const u64 *any, const u64 *all, u64 width);
void key_code_show(struct key_code *code, const u64 *key);
int key_code_finish(struct key_code *code);
/* By any thread, in a finished code: give numbers to the values of a key; returns 0 if there are no more. */
int key_code_add(struct key_code *code, const u64 *key);

static inline u64 low_bits(int count) { return ((u64)1 << count) - 1; }

/* Odd numbers, and their inverses modulo 2^64. */
#define FACTOR_1 0xBF58476D1CE4E5B9u
#define FACTOR_2 0x94D049BB133111EBu
#define INVERSE_1 0x96DE1B173F119089u
#define INVERSE_2 0x319642B2D24D8EC3u

/* A permutation of the numbers of some bits (after the finaliser of D. Stafford, as in SplitMix64).  A number is combined with its
   upper half, which is its own inverse, and multiplied by an odd number. */
static inline u64 permute_bits(u64 x, int bits) {
  const u64 mask = low_bits(bits);
  const int half = (bits + 1) / 2;
  x ^= x >> half;
  x = x * FACTOR_1 & mask;
  x ^= x >> half;
  return x * FACTOR_2 & mask;
}

static inline u64 permute_back(u64 x, int bits) {
  const u64 mask = low_bits(bits);
  const int half = (bits + 1) / 2;
  x = x * INVERSE_2 & mask;
  x ^= x >> half;
  x = x * INVERSE_1 & mask;
  return x ^ x >> half;
}

/* The number of the digits of some groups; `unknown` gets its highest bit if a value is not known. */
static inline u64 digits_of(const struct key_code *code, const u64 *key, int from, int to, u64 *unknown) {
  u64 sum = 0;
  for (int n = from; n < to; n++) {
    const struct group *g = &code->group[n];
    u64 value = extract(key[g->word], g->mask);
    u64 digit = (u64)atomic_load_explicit(&g->number[value], memory_order_relaxed) - 1;
    *unknown |= digit;
    sum += digit * g->weight;
  }
  return sum;
}

/* The code of a key. */
static inline struct coded_key encoded(struct key_code *code, const u64 *key, u64 width) {
  u64 other = (key[0] & ~code->mask[0]) ^ code->fixed[0], unknown = 0, rest = 0;
  if (width > 1) other |= (key[1] & ~code->mask[1]) ^ code->fixed[1];
  if (__builtin_expect(other != 0, 0)) return (struct coded_key){1, NOT_CODED};
  u64 x = digits_of(code, key, 0, code->in_hash, &unknown);
  if (code->rest) rest = digits_of(code, key, code->in_hash, code->groups, &unknown);
  if (__builtin_expect(unknown >> 63, 0)) {
    if (!key_code_add(code, key)) return (struct coded_key){1, NOT_CODED};
    x = digits_of(code, key, 0, code->in_hash, &unknown);
    if (code->rest) rest = digits_of(code, key, code->in_hash, code->groups, &unknown);
  }
  if (code->rest) { /* a network of Feistel, so that the hash depends on the rest, too */
    rest ^= hash_word(x) & low_bits(code->rest);
    x ^= hash_word(rest) & low_bits(code->bits);
  }
  return (struct coded_key){permute_bits(x, code->bits) << (64 - code->bits) | 1, rest};
}

/* Put the values of digits into a key. */
static inline void put_values(const struct key_code *code, u64 number, int from, int to, u64 *key) {
  for (int n = from; n < to; n++) {
    const struct group *g = &code->group[n];
    key[g->word] |= deposit(g->value[number % (u64)g->room], g->mask);
    number /= (u64)g->room;
  }
}

/* The key of a code. */
static inline void decoded(const struct key_code *code, struct coded_key from, u64 *key, u64 width) {
  u64 x = permute_back(from.hash >> (64 - code->bits), code->bits), rest = from.rest;
  if (code->rest) {
    x ^= hash_word(rest) & low_bits(code->bits);
    rest ^= hash_word(x) & low_bits(code->rest);
  }
  for (u64 n = 0; n < width; n++) key[n] = code->fixed[n];
  put_values(code, x, 0, code->in_hash, key);
  put_values(code, rest, code->in_hash, code->groups, key);
}

#endif
