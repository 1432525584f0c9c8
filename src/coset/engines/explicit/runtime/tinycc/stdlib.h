#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *memory);
void abort(void);
void qsort(void *items, size_t count, size_t size, int (*order)(const void *, const void *));

#endif
