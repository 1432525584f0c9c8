/* Shared by breadth-first and depth-first search: workers, counters, limits, errors. */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>

#include "transition_cache.h"
#include "numbered.h"
#include "barrier.h"
#include "search.h"
#include "store.h"
#include "automaton.h"
#include "links.h"
#include "labels.h"

#define QUEUE 256 /* successors that wait for memory to be fetched */
#define RECENT                                                                                                         \
  (PACKED_SIZE <= 16   ? 4096                                                                                          \
   : PACKED_SIZE <= 64 ? 1024                                                                                          \
                       : 256) /* recent successors, few enough to stay in the processor's cache */

#define RECENT_PAIRS 4096

/* Whether it pays to look for recent successors before they are represented (insert_queue.h). */
struct trial {
  u64 tried, left, without;
};

struct waiting {
  struct entry entry;
  u64 parent;
#if MODEL_GRAPH
  uint32_t marks;
  int is_kept; /* whether the edge to it is recorded (links.h) */
#endif
#if MODEL_FAIR
  uint32_t label;
#endif
};

/* States with consecutive numbers that wait to be expanded; the store defines what is kept of each (store_item_size). */
struct chunk {
  u64 first, count, room;
  u8 *items;
};

struct chunks {
  struct chunk *items;
  u64 count, room;
};

/* One thread of the search. */
struct worker {
  struct context ctx;
  struct search *search;
  struct halves current;   /* the state being expanded */
  u64 expanding, ordinal;  /* its number, and the index of its next successor */
  struct id_block numbers; /* numbers for states that this thread will find */
  struct id_block half_numbers;
  struct waiting queue[QUEUE];
  u64 recent[RECENT * PACKED_WORDS] __attribute__((aligned(64))); /* the latest successors: many recur soon */
#if MODEL_NUMBERED
  u64 recent_moved[RECENT * PACKED_WORDS]
      __attribute__((aligned(64))); /* the same, as they were before they were represented */
  struct trial trial;
#endif
  u64 recent_pairs[RECENT_PAIRS];    /* the same as pairs of half numbers */
  u64 states_before;                 /* how many states it had found before the current one was expanded */
  u64 codes;                         /* the code of keys for which those in the queue have places */
  u64 queued, looked, named, stored; /* successors that entered the queue, and that passed each stage */
  struct transition_cache *cache;
  struct cached_moves *learning; /* the moves that are being added to the cache, or NULL */
  int unpacked;                  /* whether `current.state` has been filled */
#if MODEL_NUMBERED
  struct numbered_state numbered;
#endif
#if MODEL_GRAPH
  struct links links;
  const struct claim_edges *claim; /* what the automaton can do in the current state */
  struct cached_claim *claims;     /* CLAIM_CACHE entries */
  struct cached_claim uncached;
#endif
#if MODEL_FAIR
  struct processes able; /* who can begin a step in the current state */
  uint32_t label;        /* of the step to the successor that is entered next */
  struct recent_labels *recent_labels;
#endif
  struct depth *depth;        /* the stack of a depth-first search */
  struct disk *disk;          /* of a search with its states on disk */
  struct share *share;        /* of a distributed search */
  struct id_block portion;    /* positions in the level that it has taken and not expanded yet */
  struct chunk filling;       /* states of the next level */
  struct chunks found, spare; /* chunks of the next level, and chunks for reuse */
  int halfway;                /* at the barrier in the middle of expanding a state */
  int is_cut;                 /* a successor of the current state does not fit (too_wide) */
  u64 noted_in;               /* the state with the errors `noted`, by kind */
  u64 noted[ERROR_COUNT];
  _Atomic u64 states, transitions, errors[ERROR_COUNT];
  struct certificates certificates;
  u64 reduced;            /* states in which only some of the processes moved */
  orbit_count represents; /* the sum of the orbit sizes of all states that it has found */
};

struct search {
  struct request request;
  u8 first[STATE_SIZE]; /* the representative of the initial state */
  struct result *result;
  struct store store;
#if MODEL_CACHES
  struct footprint_table footprints;
#endif
#if MODEL_NUMBERED
  struct numbered numbered;
#endif
#if MODEL_GRAPH
  struct rows rows;
  struct locations locations;
  struct claim_edges initial; /* the initial locations of the automaton, as edges */
  condition_bits *conditions; /* by state number (MODEL_OBSERVES) */
  _Atomic int fault;          /* why a condition has no value, and in which state */
  u64 fault_state;
#if MODEL_FAIR
  struct labels labels;
  uint32_t *state_labels; /* by state number */
#endif
  void (*after_level)(struct search *search); /* called by one thread, or NULL */
  void *owner;
#endif
  u64 *parents; /* by state number: the parent's number, and which of its successors the state is */
  u64 capacity; /* the number of state numbers */
  struct worker *workers;
  _Atomic u64 number_count; /* numbers that threads have taken */
  struct chunks level;
  _Atomic u64 next_portion; /* position in the level */
  u64 level_size, depth;
  _Atomic int halt;        /* finish the current state, then go to the barrier */
  _Atomic int stopped;     /* the first reason to end the search at once */
  _Atomic int wanted;      /* a reason to end it once no state is being expanded */
  struct transfer *unused; /* what it could not take over, as it was too narrow itself */
  int tight;               /* tables cannot grow any more: the room left is for states being expanded */
  u64 measured;            /* how many states there were when memory was last measured */
  u64 checkpoint_time;     /* when the last one was written */
  struct barrier barrier;
  int home; /* the processor of the first thread when the others began */
  int over;
  struct disk *disk; /* of a search with its states on disk */
  u8 *stack;         /* of a depth-first search: the states on the path to the error */
  u64 stack_size;
};

#define NUMBER_BITS INDEX_BITS
#define PARENT(number, ordinal) ((number) | (ordinal) << NUMBER_BITS)

/* Counters are written by one thread and read by others. */
static inline void count(_Atomic u64 *counter) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}
static inline int is_over(const struct search *search) {
  return atomic_load_explicit(&search->stopped, memory_order_relaxed) != STOP_DONE;
}

int stop(struct search *search, int reason); /* end the search at once; returns whether this is the first reason */
int want(struct search *search, int reason); /* end it once no state is being expanded, so that it can be resumed */
void look_at_limits(struct search *search);
void sum_up(struct search *search);             /* all counters, for the result */
void too_wide(struct worker *w, int component); /* a successor, or an image of one, has a value that does not fit */
void note(struct context *ctx, int error, int edge); /* report an error in the current state */
int successors(struct context *ctx,
               const u8 *state); /* passes all successors to `ctx->successor`; returns the number of moves */
int expand(struct worker *w);    /* the state in `w->current`; returns the number of moves */
void certify_current(struct worker *w, int successors);               /* try generators on some of the states */
orbit_count orbit_of_packed(struct search *search, const u8 *packed); /* how many states a representative stands for */
void look_for_overflow(struct worker *w); /* report a process that the layout has no room for */

void add_chunk(struct chunks *list, struct chunk chunk);
void breadth_first(struct search *search);
void breadth_free(struct search *search);
__attribute__((weak)) void depth_first(struct search *search); /* depth.c is linked only for a depth-first search */

#endif
