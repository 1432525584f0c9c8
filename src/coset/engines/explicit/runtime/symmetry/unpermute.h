/* From a path of orbits to a run of the model.

   If s is in the orbit of a state and that state has a successor in another orbit, then s has one, too.  So a run goes from its first
   state through all orbits of the path, by any successor in the next one.

   Part of the generated model, after its representatives, which must be exact. */
#ifndef UNPERMUTE_H
#define UNPERMUTE_H

/* A successor in an orbit. */
struct step_to_orbit {
  u8 orbit[STATE_SIZE]; /* its representative */
  u8 found[STATE_SIZE];
  int is_found;
};

static void try_orbit(struct context *ctx, const u8 *t) {
  struct step_to_orbit *step = ctx->worker;
  u8 image[STATE_SIZE];
  if (step->is_found) return;
  representative(t, image);
  if (memcmp(image, step->orbit, STATE_SIZE) != 0) return;
  memcpy(step->found, t, STATE_SIZE);
  step->is_found = 1;
}

static void ignore_error(struct context *ctx, int error, int edge) { (void)ctx, (void)error, (void)edge; }

static void find_step(const u8 *s, struct step_to_orbit *step) {
  struct context ctx = {
      .overflow_slot = -1, .is_whole = 1, .worker = step, .successor = try_orbit, .report = ignore_error};
  if (model_successors(&ctx, s)) return;
#if MODEL_TIMES_OUT
  ctx.timeout = 1;
  model_successors(&ctx, s);
#endif
}

/* Write the states of a run after `start` through the orbits of `count` states; returns how many there are. */
u64 unpermuted(const u8 *start, const u8 *wanted, u64 count, u8 *out) {
  const u8 *here = start;
  for (u64 k = 0; k < count; k++, here = out, out += STATE_SIZE) {
    struct step_to_orbit step = {.is_found = 0};
    representative(wanted + k * STATE_SIZE, step.orbit);
    find_step(here, &step);
    if (!step.is_found) return k;
    memcpy(out, step.found, STATE_SIZE);
  }
  return count;
}

#endif
