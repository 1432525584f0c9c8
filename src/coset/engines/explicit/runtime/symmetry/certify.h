/* Certificates during the search: the generators of the group are tried on states that the search visits.

   If g is a symmetry, the successors of g(s) are the images of the successors of s, with as many errors of each kind.
   Both are valid end states or neither is, and the automaton of the property can take the same edges in both.  Successors
   are compared as multisets, by the sum of their hashes; where processes come and go (anonymous.h), a symmetry of a state need not
   act on its successors, and their representatives are compared.  If this fails in one state, the reduction is unsound, so the
   search ends without a verdict.

   At the beginning all generators are tried on all states; then on as many as keep the cost below a fixed share of the
   search.  The cost is counted in successors and not in seconds, so that a search tries the same states on every machine,
   at all depths.  (With several threads, the choice depends on their scheduling.)

   Part of search.c, cycles.c and branching.c. */
#ifndef CERTIFY_H
#define CERTIFY_H

#include "hash.h"
#include "search.h"

#define FREE_WORK 12000 /* successors that may be computed for certificates at the beginning */
#define SHARE 40        /* then one for this many of the search: it costs a sixth of those, as it is not stored */

extern const int model_claim_edges, model_claim_states;

/* The behaviour of a state that symmetries preserve. */
struct behaviour {
  u64 successors, sum, claim, errors[ERROR_COUNT];
  int is_stuck, may_end, is_known;
  int first, second; /* the symmetry applied to successors before they are added, or NO_GENERATOR */
};

static void add_successor(struct context *ctx, const u8 *t) {
  struct behaviour *b = ctx->worker;
  u8 image[STATE_SIZE];
#if MODEL_ANONYMOUS
  representative(t, image);
  t = image;
#else
  if (b->first != NO_GENERATOR) {
    model_image(t, b->first, b->second, image);
    t = image;
  }
#endif
  b->successors++;
  b->sum += hash_bytes(t, STATE_SIZE);
}

static void add_error(struct context *ctx, int error, int edge) {
  struct behaviour *b = ctx->worker;
  (void)edge;
  b->errors[error]++;
}

/* The edges of the property's automaton that can be taken, from each of its states. */
static u64 claim_in(struct context *ctx, const u8 *s) {
  int targets[model_claim_edges];
  u64 marks[model_claim_edges], hash = 0;
  ctx->timeout = 0;
  for (int q = 0; q < model_claim_states; q++) {
    int count = model_claim(ctx, s, q, targets, marks);
    hash = hash_word(hash ^ (u64)ctx->fault);
    if (ctx->fault) count = 0;
    ctx->fault = FAULT_NONE;
    for (int k = 0; k < count; k++) hash = hash_word(hash_word(hash ^ (u64)targets[k]) ^ marks[k]);
    hash = hash_word(hash ^ (u64)count);
  }
  return hash;
}

static struct behaviour behaviour_of(const u8 *s, int first, int second) {
  struct behaviour b = {.first = first, .second = second};
  static const int at_once = 1; /* states with very many successors are not compared */
  struct context ctx = {.overflow_slot = -1,
                        .stop_asked = &at_once,
                        .is_whole = 1,
                        .worker = &b,
                        .successor = add_successor,
                        .report = add_error};
  b.claim = claim_in(&ctx, s);
  int moves = model_successors(&ctx, s);
#if MODEL_TIMES_OUT
  if (moves == 0) {
    ctx.timeout = 1;
    moves = model_successors(&ctx, s);
  }
#endif
  b.is_stuck = moves == 0;
  ctx.timeout = 0;
  b.may_end = model_may_end(&ctx, s);
  b.is_known = ctx.overflow_slot < 0; /* otherwise the search ends and begins again with more room */
  return b;
}

static int is_same_behaviour(const struct behaviour *a, const struct behaviour *b) {
  return a->successors == b->successors && a->sum == b->sum && a->claim == b->claim && a->is_stuck == b->is_stuck &&
         a->may_end == b->may_end && memcmp(a->errors, b->errors, sizeof a->errors) == 0;
}

/* Try the next symmetry on a state; returns whether it holds.  Each generator is tried alone and after another one, as the
   stored states are representatives, and their images need not be. */
static int try_next(struct certificates *c, const u8 *s, struct failure *failure) {
  u64 count = (u64)model_generators, first = c->tries % count, round = c->tries / count, second = 0;
  int is_product = count > 1 && round % 2;
  if (is_product) second = (first + 1 + round / 2 % (count - 1)) % count;
  *failure = (struct failure){(int)first, is_product ? (int)second : NO_GENERATOR};
  u8 image[STATE_SIZE];
  model_image(s, failure->first, failure->second, image);
  struct behaviour mine = behaviour_of(s, failure->first, failure->second);
  struct behaviour theirs = behaviour_of(image, NO_GENERATOR, NO_GENERATOR);
  c->tries++;
  c->spent += 2 + mine.successors + theirs.successors + (u64)model_claim_states;
  return !mine.is_known || !theirs.is_known || is_same_behaviour(&mine, &theirs);
}

static __attribute__((noinline)) int certify_state(struct certificates *c, const u8 *s, struct failure *failure) {
  if (!model_acts(s)) return 1;
  c->states++;
  int is_well = 1;
  for (int k = c->spent < FREE_WORK ? model_generators : 1; k > 0 && is_well; k--) is_well = try_next(c, s, failure);
  return is_well;
}

/* Called when the search has expanded a state with this many successors; returns whether symmetries are to be tried on it. */
static inline int is_due(struct certificates *c, u64 successors) {
  c->work += 1 + successors;
  return __builtin_expect(c->spent <= FREE_WORK + c->work / SHARE, 0);
}

/* The same, and try them; returns whether no symmetry has failed. */
static inline int certify(struct certificates *c, const u8 *s, u64 successors, struct failure *failure) {
  return !is_due(c, successors) || certify_state(c, s, failure);
}

/* The same for a search by one thread, which ends if a symmetry fails. */
static inline void certify_expanded(struct certificates *c, const u8 *s, u64 successors, const struct request *request,
                                    struct result *result) {
  if (!certify(c, s, successors, &result->failure)) {
    result->stopped = STOP_UNCERTIFIED;
    if (request->witness) memcpy(request->witness, s, STATE_SIZE);
  }
  result->certified = c->states;
}

#endif
