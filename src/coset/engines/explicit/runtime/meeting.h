/* Where threads wait for each other.

   They meet thousands of times in a second, and mostly arrive together: to sleep and to be woken takes longer than the rest of
   the wait.  So a thread looks for a while whether the last one has come, and sleeps only then. */
#ifndef MEETING_H
#define MEETING_H

#include <pthread.h>
#include <stdatomic.h>

struct meeting {
  int threads;
  _Atomic int arrived;
  _Atomic unsigned round; /* how many meetings there were */
  _Atomic int sleeping;
  pthread_mutex_t lock;
  pthread_cond_t over;
};

void meeting_open(struct meeting *m, int threads);
void meeting_close(struct meeting *m);
int meeting_home(void);                      /* the processor of this thread, or -1 */
void meeting_spread(int number, int home);   /* away from the others, if this is thread `number` and the first one is there */
void meeting_wait(struct meeting *m); /* until all threads are here */

#endif
