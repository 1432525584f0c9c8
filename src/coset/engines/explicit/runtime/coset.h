/* What the generated model and the search know of each other.

   A state is STATE_SIZE bytes (from the generated "model.h").  The model produces the successors of a state and
   hands each one to `successor`; the search stores them.  Nothing here depends on the language of the model. */
#ifndef COSET_H
#define COSET_H

#include "model.h"
#include "types.h"

#define MOST_PROCESSES 64 /* from which stubborn sets are chosen; where there are more, all move */
#define MOST_HELD 20000 /* moves without a state that can be observed: more are a loop */
#define STACK_SIZE ((size_t)256 << 20)

struct context;

enum fault {
  FAULT_NONE, FAULT_INDEX, FAULT_DIVISION, FAULT_CHANNEL, FAULT_POLL, FAULT_MESSAGE, FAULT_PROCESSES, FAULT_PRIORITY,
  FAULT_BLOCKED, FAULT_ENDLESS, FAULT_COUNT
};

enum error { ERROR_ASSERTION = FAULT_COUNT, ERROR_END, ERROR_TRACE, ERROR_COUNT };

/* The moment of an expansion: what expressions and effects may ask for besides the state. */
struct context {
  int fault;          /* set by an expression that has no value */
  int timeout;        /* the value of `timeout` */
  int started;        /* the process that was created last */
  int asking;         /* questions whether a process is enabled that are being answered, one within the other */
  int depth;          /* moves since the last state that was stored */
  int offered;        /* number of the channel of a handshake under way, 0 if none */
  const int *message; /* and its message */
  int overflow_slot;  /* a process that the layout has no room for: number and kind */
  int overflow_kind;
  int is_whole;       /* all successors are wanted as they are: no representatives, no reduction */
  int mover;          /* the process whose moves are being made */
  u64 movers;         /* all that have moved since the last state that was stored: it, and who answered in handshakes */
  unsigned __int128 orbit; /* how many states the successor stands for (0: not known) */
  void *worker;       /* the search's own */
  void (*successor)(struct context *x, const u8 *t);
  int (*enough)(struct context *x); /* whether no more stubborn sets need to move; NULL: all move */
  void (*report)(struct context *x, int error, int edge);
};

/* The model (generated). */
int model_successors(struct context *x, const u8 *s); /* calls `successor` for each; how many moves there were */
#if MODEL_PARTIAL
int model_groups(struct context *x, const u8 *s, u64 *groups); /* see stubborn.h; at most MOST_PROCESSES + 1 */
int model_moves_of(struct context *x, const u8 *s, u64 group);
#endif
int model_may_end(struct context *x, const u8 *s);
/* The edges of the property's automaton that can be taken from its state `q` in state `s`: targets and marks. */
int model_claim(struct context *x, const u8 *s, int q, int *targets, u64 *marks);

/* What the search does with what the model finds. */
#if MODEL_SYMMETRIC
void successor(struct context *x, const u8 *t); /* canonical.h: the representative of its orbit is handed on */

/* The group (generators.h). */
#define NO_GENERATOR (-1)
extern const int model_generators;
int model_acts(const u8 *s); /* whether symmetries act on the state: all processes have been started */
void model_image(const u8 *s, int first, int second, u8 *t); /* by one generator and then, perhaps, another */
#else
static inline void successor(struct context *x, const u8 *t) { x->successor(x, t); }
#endif
static inline void report(struct context *x, int error, int edge) { x->report(x, error, edge); }

/* --- numbers in a state ------------------------------------------------------------------------------------------- */

static inline int get16(const u8 *at) { int16_t v; memcpy(&v, at, 2); return v; }
static inline int getu16(const u8 *at) { uint16_t v; memcpy(&v, at, 2); return v; }
static inline int get32(const u8 *at) { int32_t v; memcpy(&v, at, 4); return v; }
static inline void set16(u8 *at, int value) { int16_t v = (int16_t)value; memcpy(at, &v, 2); }
static inline void set32(u8 *at, int value) { int32_t v = value; memcpy(at, &v, 4); }
static inline void set_bits(u8 *at, int shift, int mask, int value) {
  *at = (u8)((*at & ~(mask << shift)) | ((value & mask) << shift));
}

/* --- values that may not exist ------------------------------------------------------------------------------------ */

static inline int fault_value(struct context *x, int fault) {
  if (!x->fault) x->fault = fault;
  return 0;
}
static inline int bounded(struct context *x, int index, int length) {
  return (unsigned)index < (unsigned)length ? index : fault_value(x, FAULT_INDEX);
}
static inline int divide(struct context *x, int a, int b) {
  if (b == 0) return fault_value(x, FAULT_DIVISION);
  return b == -1 ? (int)-(unsigned)a : a / b;
}
static inline int modulo(struct context *x, int a, int b) {
  if (b == 0) return fault_value(x, FAULT_DIVISION);
  return b == -1 ? 0 : a % b;
}
static inline int fit_range(int value, int low, int high) {
  int64_t size = (int64_t)high - low + 1, rest = ((int64_t)value - low) % size;
  return (int)(rest < 0 ? rest + size : rest) + low;
}

#endif
