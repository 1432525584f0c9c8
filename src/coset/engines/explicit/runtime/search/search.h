/* The search as its caller sees it: a request, and a result that can be read while the search goes on. */
#ifndef SEARCH_H
#define SEARCH_H

#include "coset.h"

struct bit_field;

enum order { ORDER_BREADTH, ORDER_DEPTH };

struct request {
  const u8 *initial;
  u64 max_states; /* 0: no limit */
  u64 max_memory; /* bytes; 0: no limit */
  u64 reserve;    /* bytes of address space for states */
  int threads;
  int keep_parents;                   /* remember where each state was found first, for counterexamples */
  unsigned stop_at;                   /* bit per kind of error: end the search at the first one */
  int stays;                          /* in a search for cycles: a state in which nothing can happen stays for ever */
  int storage;                        /* enum storage, see store.h */
  int order;                          /* enum order */
  int log_bits;                       /* with storage by bits: the logarithm of their number */
  int resume;                         /* go on from the checkpoint, if there is one */
  const char *checkpoint;             /* the file to write every now and then, or NULL */
  u64 checkpoint_every;               /* milliseconds */
  u64 identity;                       /* of the model and of what is asked: a checkpoint is only for its own search */
  int edges;                          /* how many edges the model has */
  const struct bit_field *bit_fields; /* of the components of a packed state (component_dictionary.h), or NULL */
  u8 *witness;                        /* where a state goes on which a generator fails, or NULL */
  u64 *first_errors; /* by kind and edge (and one more for no edge): the state of the first error, or NULL */
};

#define NO_STATE UINT64_MAX /* among the first errors: there was none */
#define NO_BITS (-2)        /* as the slot of an overflow: a value has more bits than are kept */

enum stop {
  STOP_DONE,
  STOP_ASKED,
  STOP_STATES,
  STOP_MEMORY,
  STOP_ERROR,
  STOP_OVERFLOW,
  STOP_SYSTEM,
  STOP_PROPERTY,
  STOP_UNCERTIFIED /* what should be a symmetry is none: nothing that was found means anything */
};

/* How generators were tried on states of the search (certify.h). */
struct certificates {
  u64 work;   /* states that the search has expanded, and their successors, */
  u64 spent;  /* the same for certificates, */
  u64 tries;  /* how often a symmetry was tried, */
  u64 states; /* and on how many states */
};

/* A symmetry that failed on a state: a generator, and another one after it or NO_GENERATOR (certify.h). */
struct failure {
  int first, second;
};

struct result {
  volatile u64 states, transitions, depth, frontier, memory;
  volatile u64 errors[ERROR_COUNT];
  volatile int stop_asked; /* set by the caller to end the search soon */
  int stopped;             /* why it ended */
  int error_kind, error_edge;
  u64 error_state; /* the state in which the first error was met */
  int overflow_slot, overflow_kind;
  u64 memory_before;             /* what the process had when the search began, */
  u64 peak;                      /* and the most that it was seen to have */
  double omission;               /* see store_omission */
  volatile u64 checkpoints;      /* that were written */
  volatile int checkpoint_error; /* why the last one was not: a number of errno.h */
  u64 represents[2];             /* how many states the visited ones stand for: low and high half */
  u64 certified;                 /* on how many of them generators were tried */
  struct failure failure;
};

struct search;

struct search *search_new(const struct request *request, struct result *result);
void search_run(struct search *search);
u64 search_path(struct search *search, u64 number, u8 *states, u64 room); /* the states on the way to one */
void search_free(struct search *search);

#endif
