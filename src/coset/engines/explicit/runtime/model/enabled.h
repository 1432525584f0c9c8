/* Whether a process can move, by its own guards (`can_move` of the generated model) and its priority. */
#ifndef ENABLED_H
#define ENABLED_H

#include "processes.h"

static int enabled(struct context *ctx, const u8 *s, int pid) {
  if (!exists(s, pid)) return 0;
  if (ctx->asking > process_count(s)) return fault_value(ctx, FAULT_ENDLESS); /* it depends on itself */
  ctx->asking++;
  int can = can_move(ctx, s, pid);
  ctx->asking--;
  return can;
}

#if MODEL_PRIORITISED
static int may_move(struct context *ctx, const u8 *s, int pid) {
  int priority = priority_of(s, pid);
  for (int other = 0; other < process_count(s); other++)
    if (other != pid && priority_of(s, other) > priority && enabled(ctx, s, other)) return 0;
  return 1;
}
#endif

#endif
