/* Sorting records by their keys. */
#ifndef SORTING_H
#define SORTING_H

#include "keys_of_run.h"

/* Records of `stride` words, which begin with their keys.  Sorts `records` with the help of as much room in `other`, and returns which
   of the two has the result.  Records with equal keys stay in their order. */
u64 *sort_records(u64 *records, u64 *other, u64 count, int stride);

#endif
