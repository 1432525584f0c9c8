/* Breadth-first search with its states on disk (disk.c). */
#ifndef DISK_H
#define DISK_H

#include "search.h"

struct disk;

__attribute__((weak)) void disk_search(struct search *search);
/* The states on the path to a state, as `search_path`. */
__attribute__((weak)) u64 disk_path(struct search *search, u64 number, u8 *states, u64 room);
__attribute__((weak)) void disk_close(struct search *search);

#endif
