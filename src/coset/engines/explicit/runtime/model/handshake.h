/* A message offered in a handshake: every process that can receive it moves (`answers_of` of the generated model). */
#ifndef HANDSHAKE_H
#define HANDSHAKE_H

#include "processes.h"

#if MODEL_HANDSHAKES
static int offer(struct context *ctx, const u8 *t, int pid, int number, const int *v) {
  int count = 0, outer = ctx->offered;
  const int *message = ctx->message;
  const struct processes movers = ctx->movers;
  ctx->offered = number;
  ctx->message = v;
  for (int other = process_count(t) - 1; other >= 0; other--) {
    if (other == pid) continue;
#if MODEL_PRIORITISED
    if (!may_move(ctx, t, other)) continue;
#endif
    ctx->movers = movers;
    add_process(&ctx->movers, other);
    count += answers_of(ctx, t, other);
    if (ctx->fault) break;
  }
  ctx->offered = outer;
  ctx->message = message;
  ctx->movers = movers;
  return count;
}
#else
static inline int offer(struct context *ctx, const u8 *t, int pid, int number, const int *v) {
  (void)ctx;
  (void)t;
  (void)pid;
  (void)number;
  (void)v;
  return 0;
}
#endif

#endif
