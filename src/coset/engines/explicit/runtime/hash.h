/* Hashing: multiply and fold, two words at a time (the scheme of wyhash). */
#ifndef HASH_H
#define HASH_H

#include "types.h"

/* The upper half of a product. */
static inline u64 multiply_high(u64 a, u64 b) {
#ifdef __SIZEOF_INT128__
  return (u64)((__uint128_t)a * b >> 64);
#else
  u64 low = (a & UINT32_MAX) * (b & UINT32_MAX), one = (a >> 32) * (b & UINT32_MAX),
      other = (a & UINT32_MAX) * (b >> 32);
  u64 middle = (low >> 32) + (one & UINT32_MAX) + (other & UINT32_MAX);
  return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32) + (middle >> 32);
#endif
}

static inline u64 fold(u64 a, u64 b) { return a * b ^ multiply_high(a, b); }

static inline u64 hash_word(u64 word) { return fold(word ^ 0x8EBC6AF09C88C6E3u, 0x9E3779B97F4A7C15u); }

/* The hash of `size` bytes (a multiple of 8); `size` is a compile-time constant. */
#ifdef __TINYC__ /* without function calls and wide products */
static u64 hash_bytes(const u8 *s, u64 size) {
  u64 h = 0x8EBC6AF09C88C6E3u; /* no usual word, as that would give 0, which is no hash of an entry */
  for (const u64 *word = (const u64 *)s, *end = word + size / 8; word < end; word++) {
    h = (h ^ *word) * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
  }
  h *= 0xE7037ED1A0B428DBu;
  return h ^ h >> 29;
}
#else
static inline u64 hash_bytes(const u8 *s, u64 size) {
  u64 h = 0x9E3779B97F4A7C15u, k = 0;
  if (size == 8) {
    memcpy(&h, s, 8);
    return hash_word(h);
  }
  for (; k + 16 <= size; k += 16) {
    u64 a, b;
    memcpy(&a, s + k, 8);
    memcpy(&b, s + k + 8, 8);
    h = fold(a ^ h, b ^ 0xA0761D6478BD642Fu);
  }
  if (k < size) {
    u64 a;
    memcpy(&a, s + k, 8);
    h = fold(a ^ h, 0xE7037ED1A0B428DBu);
  }
  return fold(h ^ 0x8EBC6AF09C88C6E3u, 0x589965CC75374CC3u);
}
#endif

#endif
