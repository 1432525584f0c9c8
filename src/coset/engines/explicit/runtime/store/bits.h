/* Gathering the bits of a word under a mask, and scattering them.

   Where the machine has an instruction for that (BMI2), it takes a few cycles; its header <immintrin.h> takes half a second to compile,
   so it is called by its built-in name. */
#ifndef BITS_H
#define BITS_H

#include "types.h"

#ifdef __BMI2__
#define GATHERS_FAST 1
#else
#define GATHERS_FAST 0
#endif

/* Gather the bits of a word under a mask at its lower end. */
static inline u64 extract(u64 word, u64 mask) {
#ifdef __BMI2__
  return __builtin_ia32_pext_di(word, mask);
#else
  u64 result = 0;
  for (int at = 0; mask; at++, mask &= mask - 1) result |= (u64)(word >> __builtin_ctzll(mask) & 1) << at;
  return result;
#endif
}

/* The inverse of `extract`. */
static inline u64 deposit(u64 bits, u64 mask) {
#ifdef __BMI2__
  return __builtin_ia32_pdep_di(bits, mask);
#else
  u64 result = 0;
  for (int at = 0; mask; at++, mask &= mask - 1) result |= (bits >> at & 1) << __builtin_ctzll(mask);
  return result;
#endif
}

#endif
