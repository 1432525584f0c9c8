/* The interface between the generated model and the search.

   A state is STATE_SIZE bytes (from the generated "model.h").  The model produces the successors of a state and hands each
   one to `successor`; the search stores them.  Nothing here depends on the language of the model. */
#ifndef COSET_H
#define COSET_H

#include "model.h"
#include "numbers.h"
#include "types.h"

/* The most moves in a row through unobservable states; each takes a frame of the stack. */
#define MOST_HELD ((int)(STACK_SIZE / 4 / (3 * STATE_SIZE + 1024)))
#define MOST_DETERMINISTIC 1000000 /* the most statements of one deterministic step */
#define TOO_LONG (1 << 20)         /* the slot of an overflow if one of these two limits was exceeded */
#define STACK_SIZE ((size_t)256 << 20)

/* A set of processes. */
#define PROCESS_WORDS (MODEL_SLOTS / 64 + 1)
struct processes {
  u64 of[PROCESS_WORDS];
};
static inline void add_process(struct processes *set, int pid) { set->of[pid / 64] |= (u64)1 << pid % 64; }

/* A permutation of processes: the number that each one gets, in 16 bits. */
#define WAY_WORDS (MODEL_SLOTS / 4 + 1)

struct context;

enum fault {
  FAULT_NONE,
  FAULT_INDEX,
  FAULT_DIVISION,
  FAULT_CHANNEL,
  FAULT_POLL,
  FAULT_MESSAGE,
  FAULT_PROCESSES,
  FAULT_PRIORITY,
  FAULT_BLOCKED,
  FAULT_ENDLESS,
  FAULT_UNDEFINED,
  FAULT_RANGE,
  FAULT_ERROR,
  FAULT_ASSUME, /* no error: there is no such step */
  FAULT_COUNT
};

enum error { ERROR_ASSERTION = FAULT_COUNT, ERROR_END, ERROR_TRACE, ERROR_COUNT };

/* A state in which a process held control, linked to the earlier ones since the last stored state. */
struct held {
  const u8 *state;
  int pid;
  const struct held *before;
};

/* The context of an expansion: what expressions and effects may read besides the state. */
struct context {
  int fault;                      /* set by an expression that has no value */
  int timeout;                    /* the value of `timeout` */
  int started;                    /* the process that was created last */
  int asking;                     /* the depth of nested tests whether a process is enabled */
  int depth;                      /* moves since the last state that was stored */
  int changes;                    /* whether some move does not lead back, if the model is `stuttering` */
  int held_moves;                 /* moves with held control since a process began to move */
  const volatile int *stop_asked; /* nonzero if the search is to end; long sequences of held control then stop early */
  const struct held *held;        /* the latest state with held control */
  const struct held *mark;        /* an earlier one, to detect long loops */
  int offered;                    /* the channel number of the handshake in progress, 0 if none */
  const int *message;             /* and its message */
  int overflow_slot;              /* number and kind of a process that the layout has no room for */
  int overflow_kind;
  int is_whole;            /* compute all successors as they are: no representatives, no reduction */
  int mover;               /* the process whose moves are being made */
  struct processes movers; /* all that moved since the last stored state: the mover and its handshake partners */
#if MODEL_FAIR
  uint16_t way[4 * WAY_WORDS]; /* the number that each process has in the representative of the successor */
#endif
  u64 work;          /* moves and statements within transitions */
  orbit_count orbit; /* how many states the successor represents (0: unknown) */
  void *worker;      /* data of the search */
  void (*successor)(struct context *ctx, const u8 *t);
  int (*enough)(struct context *ctx); /* whether no more stubborn sets need to move; NULL: all move */
  void (*report)(struct context *ctx, int error, int edge);
};

/* The model (generated). */
int model_successors(struct context *ctx, const u8 *s); /* calls `successor` for each; returns the number of moves */
#if MODEL_PARTIAL
/* What processes touch, as ASPECTS masks of objects (emit/stubborn.py). */
int model_processes(const u8 *s);
void model_against(struct context *ctx, const u8 *s, int pid,
                   u64 *against);                                     /* what conflicts with a process's present */
void model_later(struct context *ctx, const u8 *s, int pid, u64 *of); /* what it may touch from now on */
void model_observed(struct context *ctx, const u8 *s, u64 *of);       /* what the property sees */
int model_moves_of(struct context *ctx, const u8 *s, u64 group);      /* the moves of some processes */
#endif
int model_may_end(struct context *ctx, const u8 *s);
u64 run_steps(const u8 *states, u64 count, u64 *steps); /* run_steps.h */
/* The edges of the property's automaton that can be taken from its state `q` in state `s`: targets and marks. */
int model_claim(struct context *ctx, const u8 *s, int q, int *targets, u64 *marks);

/* Called by the model: the search stores successors and notes errors. */
#if MODEL_SYMMETRIC
void successor(struct context *ctx, const u8 *t); /* canonical.h: passes on the representative of its orbit */
void representative(const u8 *s, u8 *t);
u64 unpermuted(const u8 *start, const u8 *wanted, u64 count, u8 *out); /* unpermute.h */

/* The group (generators.h). */
#define NO_GENERATOR (-1)
extern const int model_generators;
int model_acts(const u8 *s); /* whether symmetries act on the state: all processes have been started */
void model_image(const u8 *s, int first, int second,
                 u8 *t); /* under `first`, then under `second` unless NO_GENERATOR */
#else
static inline void successor(struct context *ctx, const u8 *t) { ctx->successor(ctx, t); }
#endif
static inline void report(struct context *ctx, int error, int edge) { ctx->report(ctx, error, edge); }

/* --- sequences that do not end ------------------------------------------------------------------------------------ */

#define SHORT_LOOP 64
#define MANY_HELD_MOVES 100000

/* Whether the process has held control in the same state before: then the sequence can repeat forever.  Only the latest
   states are compared, and one older state, at a distance that doubles, so that every loop is eventually found (R. P.
   Brent, "An improved Monte Carlo factorization algorithm", 1980). */
static inline int is_repeated(struct context *ctx, const u8 *t, int pid) {
  int left = SHORT_LOOP;
  for (const struct held *h = ctx->held; h && left; h = h->before, left--)
    if (h->pid == pid && !memcmp(h->state, t, STATE_SIZE)) return 1;
  return ctx->mark && ctx->mark->pid == pid && !memcmp(ctx->mark->state, t, STATE_SIZE);
}

/* Abandon the sequence and end the search: it cannot be complete. */
static inline void too_long(struct context *ctx) {
  ctx->overflow_slot = TOO_LONG;
  ctx->fault = FAULT_ENDLESS;
}

/* Whether to abandon an atomic sequence.  Its alternatives multiply, so a single state may have more paths than can be
   followed. A request to end the search is otherwise noticed only between two states. */
static inline int is_hopeless(struct context *ctx) {
  if (ctx->depth >= MOST_HELD) return 1;
  if (++ctx->held_moves < MANY_HELD_MOVES) return 0;
  ctx->held_moves = 0;
  return ctx->stop_asked && *ctx->stop_asked;
}

/* The same for a deterministic step after `steps` statements. */
static __attribute__((noinline, unused)) void look_for_loop(struct context *ctx, const u8 *t, int steps) {
  static _Thread_local u8 mark[STATE_SIZE];
  if ((steps & (steps - 1)) == 0) memcpy(mark, t, STATE_SIZE);
  else if (!memcmp(mark, t, STATE_SIZE)) ctx->fault = FAULT_ENDLESS;
  if (steps > MOST_DETERMINISTIC) too_long(ctx);
}

/* --- values that may not exist ------------------------------------------------------------------------------------ */

static inline int fault_value(struct context *ctx, int fault) {
  if (!ctx->fault) ctx->fault = fault;
  return 0;
}
#ifdef __TINYC__ /* see numbers.h */
#define bounded(ctx, index, length)                                                                                    \
  ({                                                                                                                   \
    int index_ = (index);                                                                                              \
    (unsigned)index_ < (unsigned)(length) ? index_ : fault_value(ctx, FAULT_INDEX);                                    \
  })
#else
static inline int bounded(struct context *ctx, int index, int length) {
  return (unsigned)index < (unsigned)length ? index : fault_value(ctx, FAULT_INDEX);
}
#endif
static inline int checked(struct context *ctx, int value, int low, int high, enum fault fault) {
  return value >= low && value <= high ? value : fault_value(ctx, fault);
}
static inline int divide(struct context *ctx, int a, int b) {
  if (b == 0) return fault_value(ctx, FAULT_DIVISION);
  return b == -1 ? (int)-(unsigned)a : a / b;
}
static inline int modulo(struct context *ctx, int a, int b) {
  if (b == 0) return fault_value(ctx, FAULT_DIVISION);
  return b == -1 ? 0 : a % b;
}
static inline int fit_range(int value, int low, int high) {
  int64_t size = (int64_t)high - low + 1, rest = ((int64_t)value - low) % size;
  return (int)(rest < 0 ? rest + size : rest) + low;
}

#endif
