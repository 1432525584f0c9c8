#ifndef SYS_MMAN_H
#define SYS_MMAN_H

#include <stddef.h>

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 0x02
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MADV_DONTNEED 4
#define MAP_FAILED ((void *)-1)

void *mmap(void *at, size_t size, int protection, int flags, int file, long offset);
int munmap(void *at, size_t size);
int madvise(void *at, size_t size, int advice);

#endif
