/* Integer types of the runtime.  A file that includes no more than this is the same for all models. */
#ifndef TYPES_H
#define TYPES_H

#include <stdint.h>
#include <string.h>

typedef unsigned char u8;
typedef uint16_t u16;
typedef uint64_t u64;

/* The quick tier is compiled by TinyCC and has one thread (quick.py). */
#ifdef __TINYC__
#define SINGLE_THREADED 1
#define _Thread_local
#define __builtin_prefetch(at) ((void)(at))
#else
#define SINGLE_THREADED 0
#endif

/* The size of an orbit, and sums of such sizes.  TinyCC has no wider integers: it gets groups whose sums fit into 64 bits. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 orbit_count;
#else
typedef u64 orbit_count;
#endif

/* For functions that only prefetch: gcc treats them as having no effect and drops calls that are not inlined. */
#define FETCHES static inline __attribute__((always_inline)) void

#endif
