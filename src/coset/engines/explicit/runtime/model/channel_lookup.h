/* Maps the number of a channel to its type and address, for the generated model.

   The first GLOBAL_CHANNELS are in the table `channels`.  Those of processes follow, in the order of the processes: in the
   same table if the kind of each slot never changes (MODEL_FIXED), otherwise computed from the kinds of the processes
   before. */
#ifndef CHANNEL_LOOKUP_H
#define CHANNEL_LOOKUP_H

#include "channels.h"

#if MODEL_FIXED
static inline int first_channel(const u8 *s, int pid) {
  (void)s;
  return first_channels[pid];
}

static inline const struct channel *channel_of(struct context *ctx, const u8 *s, int number, struct channel *room) {
  int count = GLOBAL_CHANNELS;
  (void)room;
  if (number > count) count = process_count(s) == MODEL_SLOTS ? ALL_CHANNELS : first_channels[process_count(s)] - 1;
  if (number >= 1 && number <= count) return &channels[number - 1];
  fault_value(ctx, FAULT_CHANNEL);
  return NULL;
}
#else
static inline int first_channel(const u8 *s, int pid) {
  int number = GLOBAL_CHANNELS + 1;
  for (int k = 0; k < pid; k++) number += channel_counts[kind_of(s, k)];
  return number;
}

static inline const struct channel *channel_of(struct context *ctx, const u8 *s, int number, struct channel *room) {
  int rest = number - 1;
  if (rest >= 0 && rest < GLOBAL_CHANNELS) return &channels[rest];
  rest -= GLOBAL_CHANNELS;
  for (int k = 0; rest >= 0 && k < process_count(s); k++) {
    int kind = kind_of(s, k);
    if (rest < channel_counts[kind]) {
      *room = channels_of[kind][rest];
      room->offset += bases[k];
      return room;
    }
    rest -= channel_counts[kind];
  }
  fault_value(ctx, FAULT_CHANNEL);
  return NULL;
}
#endif

static inline int channel_length(struct context *ctx, const u8 *s, int number) {
  struct channel room;
  const struct channel *c = channel_of(ctx, s, number, &room);
  return c && c->capacity ? s[c->offset] : 0;
}

static inline int channel_capacity(struct context *ctx, const u8 *s, int number) {
  struct channel room;
  const struct channel *c = channel_of(ctx, s, number, &room);
  return c && c->capacity ? c->capacity : 1;
}

static inline int channel_polled(struct context *ctx, const u8 *s, int number) {
  struct channel room;
  const struct channel *c = channel_of(ctx, s, number, &room);
  return !c ? 0 : c->capacity ? s[c->offset] : fault_value(ctx, FAULT_POLL);
}

static inline int receivable(struct context *ctx, const u8 *s, int number, const int *v, unsigned mask, int anywhere) {
  struct channel room;
  const struct channel *c = channel_of(ctx, s, number, &room);
  return c && has_message(c->type, s + c->offset, v, mask, anywhere);
}

static inline int channels_are_empty(struct context *ctx, const u8 *s) {
  for (int number = 1;; number++) {
    struct channel room;
    const struct channel *c = channel_of(ctx, s, number, &room);
    if (!c) break; /* that was the last one */
    if (c->capacity && s[c->offset]) return 0;
  }
  ctx->fault = FAULT_NONE;
  return 1;
}

#endif
