/* Channels in the bytes of a state, for the generated model: the part that does not depend on the message type.

   A channel is its length (one byte) and its messages, `stride` bytes each; bytes after the last message are 0, so that
   equal contents are equal bytes.  A channel of capacity 0 has no bytes at all. */
#ifndef CHANNELS_H
#define CHANNELS_H

#include "coset.h"

struct channel {
  int type, offset, capacity;
};

static inline const u8 *message_at(const u8 *c, int at, int stride) { return c + 1 + at * stride; }

/* Make room for a message; returns its address. */
static inline u8 *channel_insert(u8 *c, int at, int stride) {
  int count = c[0]++;
  u8 *place = c + 1 + at * stride;
  if (at < count) memmove(place + stride, place, (size_t)((count - at) * stride));
  memset(place, 0, (size_t)stride);
  return place;
}

static inline void channel_remove(u8 *c, int at, int stride) {
  int count = --c[0];
  memmove(c + 1 + at * stride, c + 1 + (at + 1) * stride, (size_t)((count - at) * stride));
  memset(c + 1 + count * stride, 0, (size_t)stride);
}

#endif
