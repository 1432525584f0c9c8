/* The interface of the search: a request, and a result that can be read while the search runs. */
#ifndef SEARCH_H
#define SEARCH_H

#include "coset.h"

struct bit_field;
struct transfer;

enum order { ORDER_BREADTH, ORDER_DEPTH };

/* How far a search of the quick tier may go (quick.py); 0: no limit.  Statements within a transition count, too. */
struct allowance {
  u64 states, transitions;
};

typedef int extend_function(struct allowance *allowance); /* sets a larger allowance and returns 1, or returns 0 */

struct request {
  const u8 *initial;
  u64 max_states; /* 0: no limit */
  u64 max_memory; /* bytes; 0: no limit */
  struct allowance allowance;
  u64 reserve; /* bytes of address space for states */
  int threads;
  int keep_parents;                   /* record the parent of each state, for counterexamples */
  unsigned stop_at;                   /* one bit per kind of error: end the search at the first error of such a kind */
  int stays;                          /* in a search for cycles: a state in which nothing can happen repeats forever */
  int storage;                        /* enum storage, see store.h */
  int order;                          /* enum order */
  int log_bits;                       /* with STORAGE_BITS: the binary logarithm of the number of bits */
  int resume;                         /* resume from the checkpoint, if there is one */
  const char *checkpoint;             /* the file for checkpoints, or NULL */
  u64 checkpoint_every;               /* milliseconds */
  u64 identity;                       /* a hash of model and request: a checkpoint is valid only for its own search */
  int edges;                          /* the number of edges of the model */
  const struct bit_field *bit_fields; /* of the components of a packed state (component_dictionary.h), or NULL */
  u8 *witness;                        /* buffer for a state on which a generator fails, or NULL */
  extend_function *extend;            /* asked when the allowance is used up; or NULL */
  u64 *first_errors;       /* by kind and edge (and one more for no edge): the state of the first error; or NULL */
  struct transfer *before; /* another search to go on from (transfer.h), or NULL */
  const char *disk;        /* with STORAGE_DISK: the folder for its files */
  u64 disk_memory;         /* the bytes of its buffers */
  int is_durable;          /* whether the files are to outlive the process if the search can be resumed */
};

#define NO_STATE UINT64_MAX /* in `first_errors`: no such error */
#define NO_BITS (-2)        /* the slot of an overflow if a value has more bits than are stored */

enum stop {
  STOP_DONE,
  STOP_ASKED,
  STOP_STATES,
  STOP_MEMORY,
  STOP_ERROR,
  STOP_OVERFLOW,
  STOP_SYSTEM,
  STOP_PROPERTY,
  STOP_UNCERTIFIED, /* a generator is not a symmetry: the results of the search are void */
  STOP_ALLOWANCE,   /* the search is larger than the quick tier is for */
  STOP_DISK         /* a file cannot be written or read (disk_error) */
};

/* Counters of the certificates (certify.h). */
struct certificates {
  u64 work;   /* states that the search has expanded, plus their successors */
  u64 spent;  /* the same for certificates */
  u64 tries;  /* how often a symmetry was tried */
  u64 states; /* on how many states */
};

/* A symmetry that failed on a state: a generator, and another one after it or NO_GENERATOR (certify.h). */
struct failure {
  int first, second;
};

struct result {
  volatile u64 states, transitions, depth, frontier, memory;
  volatile u64 errors[ERROR_COUNT];
  volatile int stop_asked; /* set by the caller to end the search */
  int stopped;             /* why it ended */
  int error_kind, error_edge;
  u64 error_state; /* the state of the first error */
  int overflow_slot, overflow_kind;
  u64 memory_before;             /* resident bytes when the search began */
  u64 peak;                      /* the most resident bytes measured */
  double omission;               /* see store_omission */
  volatile u64 checkpoints;      /* how many were written */
  volatile int checkpoint_error; /* why the last one failed, a number of errno.h */
  u64 represents[2];             /* how many states the stored ones represent: low and high half */
  u64 certified;                 /* on how many states generators were tried */
  struct failure failure;
  u64 reduced;       /* states in which only some of the processes moved (stubborn.h) */
  u64 taken;         /* states that it has taken over from another search (transfer.h) */
  int disk_error;    /* a number of errno.h */
  volatile u64 disk; /* the bytes of its files */
};

#define WORK_OF_TRANSITION 5 /* statements within a transition that take as long as storing its target */

static inline int exceeds(const struct allowance *allowance, u64 states, u64 transitions, u64 statements) {
  return (allowance->states && states >= allowance->states) ||
         (allowance->transitions && transitions + statements / WORK_OF_TRANSITION >= allowance->transitions);
}

struct search;

struct search *search_new(const struct request *request, struct result *result);
void search_run(struct search *search);
void search_state(struct search *search, u64 number, u8 *state);          /* a stored state, if whole states are */
u64 search_path(struct search *search, u64 number, u8 *states, u64 room); /* the states on the path to a state */
void search_free(struct search *search);

#endif
