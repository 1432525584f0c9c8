/* Memory by the page: address space is reserved at once and costs nothing until something is written there. */
#ifndef MEMORY_H
#define MEMORY_H

#include "types.h"

void *memory_reserve(
    u64 bytes);                /* zeros, of which only the beginning may ever be used; NULL if there is no such space */
void *memory_large(u64 bytes); /* the same, in large pages from the beginning */
void *memory_take(u64 bytes);  /* zeros that will be used from end to end */
void *memory_scattered(u64 bytes); /* zeros, of which little may be used, here and there */
void memory_release(void *memory, u64 bytes);
u64 memory_resident(void); /* bytes of this process that are in memory */

#endif
