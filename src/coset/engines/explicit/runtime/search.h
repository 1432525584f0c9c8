/* The search as its caller sees it: a request, and a result that can be read while the search goes on. */
#ifndef SEARCH_H
#define SEARCH_H

#include "coset.h"

struct request {
  const u8 *initial;
  u64 max_states;    /* 0: no limit */
  u64 max_memory;    /* bytes; 0: no limit */
  u64 reserve;       /* bytes of address space for states */
  int threads;
  int keep_parents;  /* remember where each state was found first, for counterexamples */
  unsigned stop_at;  /* bit per kind of error: end the search at the first one */
  int stays;         /* in a search for cycles: a state in which nothing can happen stays for ever */
};

enum stop { STOP_DONE, STOP_ASKED, STOP_STATES, STOP_MEMORY, STOP_ERROR, STOP_OVERFLOW, STOP_SYSTEM };

struct result {
  volatile u64 states, transitions, depth, frontier, memory;
  volatile u64 errors[ERROR_COUNT];
  volatile int stop_asked; /* set by the caller to end the search soon */
  int stopped;             /* why it ended */
  int error_kind, error_edge;
  u64 error_state;         /* the state in which the first error was met */
  int overflow_slot, overflow_kind;
};

struct search;

struct search *search_new(const struct request *request, struct result *result);
void search_run(struct search *search);
void search_state(struct search *search, u64 index, u8 *out);
u64 search_parent(struct search *search, u64 index);
void search_free(struct search *search);
u64 search_state_size(void);

#endif
