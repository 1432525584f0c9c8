/* Packed states as numbers of KEY_WORDS words, the first one the most significant, and their differences as bytes. */
#ifndef KEYS_OF_RUN_H
#define KEYS_OF_RUN_H

#include "coset.h"

#define KEY_WORDS (PACKED_SIZE / 8)
#define MOST_ENCODED (KEY_WORDS == 1 ? 10 : 8 * KEY_WORDS + 1) /* the most bytes of a difference */

static inline int compare_keys(const u64 *a, const u64 *b) {
  for (int k = 0; k < KEY_WORDS; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

/* A number, seven bits in a byte, the lowest first. */
static inline u8 *put_number(u8 *at, u64 number) {
  for (; number >= 128; number >>= 7) *at++ = (u8)(number | 128);
  *at++ = (u8)number;
  return at;
}

static inline const u8 *get_number(const u8 *at, u64 *number) {
  u64 found = *at & 127;
  for (int shift = 7; *at++ & 128; shift += 7) found |= (u64)(*at & 127) << (shift & 63);
  *number = found;
  return at;
}

/* The difference of a key to the one before it.  One word is a number; several are the count of their bytes, and these. */
static inline u8 *put_difference(u8 *at, const u64 *before, const u64 *key) {
  if (KEY_WORDS == 1) return put_number(at, key[0] - before[0]);
  u64 difference[KEY_WORDS], borrow = 0; /* the lowest word first */
  int bytes = 0;
  for (int k = 0; k < KEY_WORDS; k++) {
    u64 one = key[KEY_WORDS - 1 - k], other = before[KEY_WORDS - 1 - k], less = one - other;
    difference[k] = less - borrow;
    borrow = (one < other) | (less < borrow);
    if (difference[k]) bytes = 8 * k + (71 - __builtin_clzll(difference[k])) / 8;
  }
  *at = (u8)bytes;
  memcpy(at + 1, difference, (size_t)bytes);
  return at + 1 + bytes;
}

/* The key after `key`, in its place. */
static inline const u8 *get_difference(const u8 *at, u64 *key) {
  u64 difference[KEY_WORDS] = {0}, carry = 0;
  if (KEY_WORDS == 1) {
    at = get_number(at, difference);
    key[0] += difference[0];
    return at;
  }
  memcpy(difference, at + 1, *at <= 8 * KEY_WORDS ? *at : 0);
  for (int k = 0; k < KEY_WORDS; k++) {
    u64 *word = &key[KEY_WORDS - 1 - k], sum = *word + difference[k];
    u64 next = (sum < difference[k]) | (sum + carry < carry);
    *word = sum + carry;
    carry = next;
  }
  return at + 1 + *at;
}

#endif
