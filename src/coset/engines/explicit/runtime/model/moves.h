/* The entry points of the generated model: all successors, held control, and valid end states.

   The model defines the moves of a process by its kind (`moves_of`) and which end states are valid. */
#ifndef MOVES_H
#define MOVES_H

#include "channel_lookup.h"
#include "processes.h"

static void failed(struct context *ctx, int edge) {
  if (ctx->overflow_slot < 0 && ctx->fault != FAULT_ASSUME) report(ctx, ctx->fault, edge);
  ctx->fault = FAULT_NONE;
}

/* Hand an observable state to the search. */
static inline void observed(struct context *ctx, const u8 *t, int pid) {
#if MODEL_KEEPS_MOVER
  u8 u[STATE_SIZE];
  memcpy(u, t, STATE_SIZE);
  set_mover(u, pid);
  successor(ctx, u);
#else
  (void)pid;
  successor(ctx, t);
#endif
}

/* An observable state is a successor. Otherwise the process moves again; if it cannot, the state becomes observable. */
static void arrive(struct context *ctx, const u8 *t, int pid, int hold) {
  if (hold) {
    int timeout = ctx->timeout, moves;
    struct held here = {t, pid, ctx->held};
    const struct held *mark = ctx->mark;
    if (ctx->overflow_slot >= 0) return;
    if (is_hopeless(ctx)) too_long(ctx);
    else if (is_repeated(ctx, t, pid)) ctx->fault = FAULT_ENDLESS;
    if (ctx->fault) {
      failed(ctx, -1);
      return;
    }
    ctx->depth++;
    ctx->work++;
    if ((ctx->depth & (ctx->depth - 1)) == 0) ctx->mark = &here;
    ctx->held = &here;
    ctx->timeout = 0;
    moves = moves_of(ctx, t, pid);
    ctx->timeout = timeout;
    ctx->held = here.before;
    ctx->mark = mark;
    ctx->depth--;
    if (moves) return;
  }
  observed(ctx, t, pid);
}

/* The moves that a process begins itself. */
static inline int moves_by(struct context *ctx, const u8 *s, int pid) {
  ctx->mover = pid;
  ctx->held_moves = 0;
  ctx->movers = (struct processes){{0}};
  add_process(&ctx->movers, pid);
  return moves_of(ctx, s, pid);
}

int model_successors(struct context *ctx, const u8 *s) {
  int count = 0;
  for (int pid = process_count(s) - 1; pid >= 0; pid--) count += moves_by(ctx, s, pid);
  return count;
}

#if MODEL_PARTIAL
int model_processes(const u8 *s) { return process_count(s); }

/* The youngest first. */
int model_moves_of(struct context *ctx, const u8 *s, u64 group) {
  int moves = 0;
  for (; group; group &= ~((u64)1 << (63 - __builtin_clzll(group))))
    moves += moves_by(ctx, s, 63 - __builtin_clzll(group));
  return moves;
}
#endif

int model_may_end(struct context *ctx, const u8 *s) {
  if (MODEL_EMPTY_AT_END && !channels_are_empty(ctx, s)) return 0;
  if (process_count(s) == 0) return 1;
  if (!monitor_may_end(s)) return 0;
  for (int pid = 0; pid < process_count(s); pid++)
    if (!is_end(kind_of(s, pid), position_of(s, pid))) return 0;
  return 1;
}

#endif
