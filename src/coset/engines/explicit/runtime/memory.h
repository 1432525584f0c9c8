/* Memory in pages: address space is reserved at once and costs no memory until it is written to. */
#ifndef MEMORY_H
#define MEMORY_H

#include "types.h"

void *memory_reserve(u64 bytes);   /* zeros, filled from the beginning; NULL if there is no such space */
void *memory_large(u64 bytes);     /* the same, in large pages from the beginning */
void *memory_take(u64 bytes);      /* zeros that will all be used */
void *memory_scattered(u64 bytes); /* zeros that may be used sparsely */
void memory_release(void *memory, u64 bytes);
void memory_clear(void *memory, u64 bytes); /* whole pages: they take no memory any more, and are zeros */
u64 memory_resident(void);                  /* the resident set size of this process */

#endif
