/* Packing, as part of the generated model: the used bits are compile-time constants.

   The used bits of each word are gathered, one word after the other.  The model first defines

       used_bits[]    the used bits of each word
       used_before[]  how many used bits the earlier words have */
#include "bits.h"
#include "pack.h"

#define STATE_WORDS (STATE_SIZE / 8)
#define UNPACKED (PACKED_SIZE == STATE_SIZE && !WHOLE)

u64 pack(const u8 *state, u8 *packed) {
  if (UNPACKED) {
    memcpy(packed, state, STATE_SIZE);
    return 0;
  }
  u64 words[PACKED_WORDS + 2] = {0}, lost = 0;
#pragma GCC unroll 16
  for (int k = 0; k < STATE_WORDS; k++) {
    u64 word;
    memcpy(&word, state + 8 * k, 8);
    u64 bits = extract(word, used_bits[k]);
    lost |= word & ~used_bits[k];
    int at = used_before[k], shift = at & 63;
    words[at >> 6] |= bits << shift;
    words[(at >> 6) + 1] |= bits >> 1 >> (63 - shift);
  }
  if (PACKED_SIZE == 8) words[0] |= (u64)1 << 63; /* a free bit: a key must not be 0 (key_set.h) */
  memcpy(packed, words, PACKED_SIZE);
  return lost;
}

void unpack(const u8 *packed, u8 *state) {
  if (UNPACKED) {
    memcpy(state, packed, STATE_SIZE);
    return;
  }
  u64 words[PACKED_WORDS + 2] = {0};
  memcpy(words, packed, PACKED_SIZE);
#pragma GCC unroll 16
  for (int k = 0; k < STATE_WORDS; k++) {
    int at = used_before[k], shift = at & 63;
    u64 bits = words[at >> 6] >> shift | words[(at >> 6) + 1] << 1 << (63 - shift);
    u64 word = deposit(bits, used_bits[k]);
    memcpy(state + 8 * k, &word, 8);
  }
}
