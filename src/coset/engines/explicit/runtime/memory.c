/* Memory in pages. See memory.h. */
#define _GNU_SOURCE
#include "memory.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((u64)2 << 20)

/* Access is random, and with small pages address translation would dominate.  So large pages are requested, from an
   aligned address.  The part before `small` stays in small pages. */
static void *map(u64 bytes, u64 small) {
  u64 spare = bytes > LARGE_PAGE ? LARGE_PAGE : 0;
  u8 *memory = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  u64 page = (u64)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
  u64 skip = spare ? (LARGE_PAGE - (u64)memory % LARGE_PAGE) % LARGE_PAGE : 0;
  if (skip) munmap(memory, skip);
  if (spare > skip + (used - bytes)) munmap(memory + skip + used, spare - skip - (used - bytes));
  memory += skip;
#ifdef MADV_HUGEPAGE
  if (bytes > small) madvise(memory + small, bytes - small, MADV_HUGEPAGE);
#endif
  return memory;
}

/* The beginning is in small pages, so that a small search does not take megabytes. */
void *memory_reserve(u64 bytes) { return map(bytes, LARGE_PAGE); }
void *memory_scattered(u64 bytes) { return map(bytes, bytes); }
void *memory_large(u64 bytes) { return map(bytes, 0); }
void *memory_take(u64 bytes) { return map(bytes, bytes < 2 * LARGE_PAGE ? bytes : 0); }

void memory_release(void *memory, u64 bytes) {
  if (memory) munmap(memory, bytes);
}

void memory_clear(void *memory, u64 bytes) {
  if (memory) madvise(memory, bytes, MADV_DONTNEED);
}

u64 memory_resident(void) {
  u64 pages = 0, ignored;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%lu %lu", &ignored, &pages) != 2) pages = 0;
  fclose(file);
  return pages * (u64)sysconf(_SC_PAGESIZE);
}
