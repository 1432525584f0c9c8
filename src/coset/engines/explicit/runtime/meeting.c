/* Where threads wait for each other.  See meeting.h. */
#define _GNU_SOURCE
#include "meeting.h"

#define LOOKS 20000 /* some ten microseconds */

void meeting_open(struct meeting *m, int threads) {
  *m = (struct meeting){.threads = threads};
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->over, NULL);
}

void meeting_close(struct meeting *m) {
  pthread_cond_destroy(&m->over);
  pthread_mutex_destroy(&m->lock);
}

static int is_over(struct meeting *m, unsigned round) { return atomic_load(&m->round) != round; }

static void relax(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

static void sleep_until_over(struct meeting *m, unsigned round) {
  pthread_mutex_lock(&m->lock);
  atomic_fetch_add(&m->sleeping, 1);
  while (!is_over(m, round)) pthread_cond_wait(&m->over, &m->lock);
  atomic_fetch_sub(&m->sleeping, 1);
  pthread_mutex_unlock(&m->lock);
}

void meeting_wait(struct meeting *m) {
  unsigned round = atomic_load(&m->round);
  if (atomic_fetch_add(&m->arrived, 1) + 1 == m->threads) {
    atomic_store(&m->arrived, 0);
    atomic_fetch_add(&m->round, 1);
    if (!atomic_load(&m->sleeping)) return; /* who is about to sleep will see that the round is over */
    pthread_mutex_lock(&m->lock);
    pthread_cond_broadcast(&m->over);
    pthread_mutex_unlock(&m->lock);
    return;
  }
  for (int look = 0; look < LOOKS; look++) {
    if (is_over(m, round)) return;
    relax();
  }
  sleep_until_over(m, round);
}
