/* States without the bits that are never set (packing.py): what is stored, hashed and compared. */
#ifndef PACK_H
#define PACK_H

#include "coset.h"

#define PACKED_WORDS (PACKED_SIZE / 8)
#define WHOLE (PACKED_SIZE <= 16) /* a packed state is its own key (store.h), and some of its bits must be free */

/* The model (packing.h). */
u64 pack(const u8 *state, u8 *packed); /* returns nonzero if bits were lost, because a value does not fit */
void unpack(const u8 *packed, u8 *state);

#endif
