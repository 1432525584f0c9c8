/* Sorting records: least significant digit first, of the bits in which keys differ only (D. E. Knuth, TAOCP 3, 5.2.5).

   A packed state has less than sixty bits that vary, so that five passes suffice for a word. */
#include "sorting.h"

#include "bits.h"

#define DIGIT 11
#define BUCKETS (1 << DIGIT)

/* One pass, by a digit of a word. */
static void distribute(const u64 *from, u64 *to, u64 count, int stride, int word, u64 mask, int shift) {
  u64 begin[BUCKETS] = {0}, before = 0;
  for (u64 k = 0; k < count; k++) begin[extract(from[k * (u64)stride + (u64)word], mask) >> shift & (BUCKETS - 1)]++;
  for (int d = 0; d < BUCKETS; d++) {
    u64 here = begin[d];
    begin[d] = before;
    before += here;
  }
  for (u64 k = 0; k < count; k++) {
    const u64 *record = from + k * (u64)stride;
    u64 *place = to + (u64)stride * begin[extract(record[word], mask) >> shift & (BUCKETS - 1)]++;
    for (int i = 0; i < stride; i++) place[i] = record[i];
  }
}

u64 *sort_records(u64 *records, u64 *other, u64 count, int stride) {
  for (int word = KEY_WORDS - 1; word >= 0; word--) {
    u64 mask = 0;
    for (u64 k = 1; k < count; k++) mask |= records[k * (u64)stride + (u64)word] ^ records[word];
    for (int shift = 0, bits = __builtin_popcountll(mask); shift < bits; shift += DIGIT) {
      distribute(records, other, count, stride, word, mask, shift);
      u64 *sorted = other;
      other = records;
      records = sorted;
    }
  }
  return records;
}
