/* Where threads wait for each other.

   They meet thousands of times in a second, and mostly arrive together: to sleep and to be woken takes longer than the rest of
   the wait.  So a thread looks for a while whether the last one has come, and sleeps only then. */
#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

#include "types.h"

struct barrier {
  int threads;
  _Atomic int arrived;
  _Atomic unsigned round; /* how many meetings there were */
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
                    int home);        /* away from the others, if this is thread `number` and the first one is there */
void barrier_wait(struct barrier *m); /* until all threads are here */
#endif

#endif
