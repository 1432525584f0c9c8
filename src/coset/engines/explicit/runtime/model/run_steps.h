/* Which steps a run takes, for an interpreter that repeats them: it need not search for a step from each state to the next.

   Part of the generated model, after its moves. */
#ifndef RUN_STEPS_H
#define RUN_STEPS_H

#include "moves.h"

/* A step that is looked for: its number among those that one process begins. */
struct wanted_step {
  const u8 *target;
  int mover, number, is_found;
};

static void compare_step(struct context *ctx, const u8 *t) {
  struct wanted_step *step = ctx->worker;
  if (step->is_found) return;
  step->number = ctx->mover == step->mover ? step->number + 1 : 0;
  step->mover = ctx->mover;
  step->is_found = memcmp(t, step->target, STATE_SIZE) == 0;
}

static void ignore_fault(struct context *ctx, int error, int edge) { (void)ctx, (void)error, (void)edge; }

/* Write, for each step between `count` states, the process that begins it and its number among the steps of that process.
   Returns how many steps were found; a step that needs a timeout ends it. */
u64 run_steps(const u8 *states, u64 count, u64 *steps) {
  for (u64 k = 0; k + 1 < count; k++, states += STATE_SIZE) {
    struct wanted_step step = {.target = states + STATE_SIZE, .mover = -1};
    struct context ctx = {
        .overflow_slot = -1, .is_whole = 1, .worker = &step, .successor = compare_step, .report = ignore_fault};
    model_successors(&ctx, states);
    if (!step.is_found) return k;
    steps[2 * k] = (u64)step.mover;
    steps[2 * k + 1] = (u64)step.number;
  }
  return count ? count - 1 : 0;
}

#endif
