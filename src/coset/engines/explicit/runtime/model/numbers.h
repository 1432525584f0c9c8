/* The numbers in a state, which need not be aligned. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "types.h"

/* TinyCC calls every function, inline or not, so that macros take a fifth of the time there.  It does not optimise, either:
   the processors that it compiles for read numbers at any address. */
#ifdef __TINYC__
#define get16(at) ((int)*(const int16_t *)(at))
#define getu16(at) ((int)*(const uint16_t *)(at))
#define get32(at) (*(const int32_t *)(at))
#define set16(at, value) ((void)(*(int16_t *)(at) = (int16_t)(value)))
#define set32(at, value) ((void)(*(int32_t *)(at) = (value)))
#define set_bits(at, shift, mask, value)                                                                               \
  ((void)(*(at) = (u8)((*(at) & ~((mask) << (shift))) | (((value) & (mask)) << (shift)))))
#else
static inline int get16(const u8 *at) {
  int16_t v;
  memcpy(&v, at, 2);
  return v;
}
static inline int getu16(const u8 *at) {
  uint16_t v;
  memcpy(&v, at, 2);
  return v;
}
static inline int get32(const u8 *at) {
  int32_t v;
  memcpy(&v, at, 4);
  return v;
}
static inline void set16(u8 *at, int value) {
  int16_t v = (int16_t)value;
  memcpy(at, &v, 2);
}
static inline void set32(u8 *at, int value) {
  int32_t v = value;
  memcpy(at, &v, 4);
}
static inline void set_bits(u8 *at, int shift, int mask, int value) {
  *at = (u8)((*at & ~(mask << shift)) | ((value & mask) << shift));
}
#endif

#endif
