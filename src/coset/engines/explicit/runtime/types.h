/* Names for numbers that all of the runtime uses.  What includes no more than this is the same for all models. */
#ifndef TYPES_H
#define TYPES_H

#include <stdint.h>
#include <string.h>

typedef unsigned char u8;
typedef uint64_t u64;

/* For functions that only prefetch: gcc takes them for functions that do nothing and drops calls that it did not inline. */
#define FETCHES static inline __attribute__((always_inline)) void

#endif
