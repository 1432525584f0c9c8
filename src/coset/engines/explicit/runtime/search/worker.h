/* What the two orders of search, breadth first and depth first, have in common: workers, counters, limits, errors. */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>

#include "transition_cache.h"
#include "barrier.h"
#include "search.h"
#include "store.h"

#define QUEUE 256 /* successors that wait for the memory */
#define RECENT                                                                                                         \
  (PACKED_SIZE <= 16 ? 4096 : PACKED_SIZE <= 64 ? 1024 : 256) /* that are remembered where memory is fast */

#define RECENT_PAIRS 4096

struct waiting {
  struct entry entry;
  u64 parent;
};

/* States with numbers one after the other that wait to be expanded; of each the store tells what is kept. */
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
  u64 expanding, ordinal;  /* its number, and that of its next successor */
  struct id_block numbers; /* numbers for states that this thread will find */
  struct id_block half_numbers;
  struct waiting queue[QUEUE];
  u64 recent[RECENT * PACKED_WORDS] __attribute__((aligned(64))); /* the latest successors: many come again soon */
  u64 recent_pairs[RECENT_PAIRS];                                 /* and the latest whose halves had numbers */
  u64 settled;                       /* how many states it had found before the one that is being expanded */
  u64 queued, looked, named, stored; /* how many have entered the queue, and how many have taken each step */
  struct transition_cache *cache;
  struct cached_moves *learning; /* the moves that are being added to the cache, or NULL */
  int unpacked;                  /* whether `current.state` is there yet */
  struct depth *depth;           /* the stack, if the search is depth first */
  struct id_block portion;       /* positions in the level that it has taken and not expanded yet */
  struct chunk filling;          /* states of the next level */
  struct chunks found, spare;    /* and memory for more */
  int halfway;                   /* meets the others with a state that is not done */
  _Atomic u64 states, transitions, errors[ERROR_COUNT];
  struct certificates certificates;
  orbit_size represents; /* the sizes of the orbits of all states that it has found */
};

struct search {
  struct request request;
  struct result *result;
  struct store store;
#if MODEL_CACHES
  struct footprint_table footprints;
#endif
  u64 *parents; /* by number: that of the state where it was found, and which successor it was */
  u64 capacity; /* numbers that there are */
  struct worker *workers;
  _Atomic u64 number_count; /* numbers that threads have taken */
  struct chunks level;
  _Atomic u64 next_portion; /* position in the level */
  u64 level_size, depth;
  _Atomic int halt;    /* finish the state at hand and meet the others */
  _Atomic int stopped; /* the first reason to end the search at once */
  _Atomic int wanted;  /* a reason to end it when no state is half done */
  int tight;           /* there is no memory to grow: room for what is half done is all that is left */
  u64 measured;        /* how many states there were when memory was looked at */
  u64 checkpoint_time; /* when the last one was written */
  struct barrier barrier;
  int home; /* where the first thread was when the others began */
  int over;
  u8 *stack; /* of a search depth first: the states on the way to the error */
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

int stop(struct search *search, int reason);  /* end the search at once; whether this is the first reason to */
void want(struct search *search, int reason); /* end it when no state is half done, so that it can go on later */
void look_at_limits(struct search *search);
void too_wide(struct worker *w, int component);      /* a successor has a value that does not fit */
void note(struct context *ctx, int error, int edge); /* an error in the state that is being expanded */
int successors(struct context *ctx,
               const u8 *state); /* all of them go to `ctx->successor`; how many moves there were */
void expand(struct worker *w);   /* the state in `w->current` */
void certify_current(struct worker *w, int successors); /* generators are tried on the state, now and then */
void look_for_overflow(struct worker *w);               /* a process for which there is no room */

void add_chunk(struct chunks *list, struct chunk chunk);
void breadth_first(struct search *search);
void breadth_free(struct search *search);
__attribute__((weak)) void depth_first(
    struct search *search); /* depth.c is compiled in only for a search depth first */

#endif
