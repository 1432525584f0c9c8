/* Integer types of the runtime.  A file that includes no more than this is the same for all models. */
#ifndef TYPES_H
#define TYPES_H

#include <stdint.h>
#include <string.h>

typedef unsigned char u8;
typedef uint64_t u64;

/* For functions that only prefetch: gcc treats them as having no effect and drops calls that are not inlined. */
#define FETCHES static inline __attribute__((always_inline)) void

#endif
