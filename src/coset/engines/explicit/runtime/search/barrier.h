/* A barrier for the threads of a search.

   Threads synchronise thousands of times per second and mostly arrive together, so that sleeping and waking up would take
   longer than the wait itself.  So a thread spins for a while, and sleeps only if the last thread has still not
   arrived. */
#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

#include "types.h"

struct barrier {
  int threads;
  _Atomic int arrived;
  _Atomic unsigned round; /* how many times all threads have arrived */
  _Atomic int sleeping;
  pthread_mutex_t lock;
  pthread_cond_t over;
};

#if SINGLE_THREADED
static inline void barrier_spread(int number, int home) { (void)number, (void)home; }
static inline void barrier_wait(struct barrier *m) { (void)m; }
#else
void barrier_open(struct barrier *m, int threads);
void barrier_close(struct barrier *m);
int barrier_home(void); /* the processor of this thread, or -1 */
void barrier_spread(int number,
                    int home); /* move thread `number` away from the others; `home` is the processor of the first */
void barrier_wait(struct barrier *m); /* until all threads have arrived */
#endif

#endif
