/* Names for numbers that all of the runtime uses.  What includes no more than this is the same for all models. */
#ifndef TYPES_H
#define TYPES_H

#include <stdint.h>
#include <string.h>

typedef unsigned char u8;
typedef uint64_t u64;

/* The quick tier is compiled by TinyCC and has one thread (quick.py). */
#ifdef __TINYC__
#define SINGLE_THREADED 1
#define _Thread_local
#define __builtin_prefetch(at) ((void)(at))
#else
#define SINGLE_THREADED 0
#endif

/* The size of an orbit, and sums of such.  TinyCC has no wider numbers: it gets groups whose sums fit into 64 bits. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 orbit_size;
#else
typedef u64 orbit_size;
#endif

/* For functions that only prefetch: gcc takes them for functions that do nothing and drops calls that it did not inline. */
#define FETCHES static inline __attribute__((always_inline)) void

#endif
