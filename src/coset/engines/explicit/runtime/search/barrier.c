/* A barrier for the threads of a search. See barrier.h. */
#define _GNU_SOURCE
#include "barrier.h"

#include <sched.h>

#define LOOKS 4000  /* some tens of microseconds of spinning, then the thread yields */
#define YIELDS 4000 /* some milliseconds of yielding, then the thread sleeps */

void barrier_open(struct barrier *m, int threads) {
  *m = (struct barrier){.threads = threads};
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->over, NULL);
}

void barrier_close(struct barrier *m) {
  pthread_cond_destroy(&m->over);
  pthread_mutex_destroy(&m->lock);
}

/* Spinning threads starved the worker: the scheduler did not move it to another processor, as a spinning thread never
   sleeps. So threads begin on different processors; the system may move them later. */
void barrier_spread(int number, int home) {
#ifdef __linux__
  cpu_set_t allowed, one;
  if (number == 0 || home < 0 || sched_getaffinity(0, sizeof allowed, &allowed) || CPU_COUNT(&allowed) <= number)
    return;
  for (int cpu = home; number > 0;) {
    cpu = (cpu + 1) % CPU_SETSIZE;
    number -= CPU_ISSET(cpu, &allowed) != 0;
    if (number) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
  }
#else
  (void)number, (void)home;
#endif
}

int barrier_home(void) {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

static int is_over(struct barrier *m, unsigned round) { return atomic_load(&m->round) != round; }

static void relax(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

static void sleep_until_over(struct barrier *m, unsigned round) {
  pthread_mutex_lock(&m->lock);
  atomic_fetch_add(&m->sleeping, 1);
  while (!is_over(m, round)) pthread_cond_wait(&m->over, &m->lock);
  atomic_fetch_sub(&m->sleeping, 1);
  pthread_mutex_unlock(&m->lock);
}

void barrier_wait(struct barrier *m) {
  unsigned round = atomic_load(&m->round);
  if (atomic_fetch_add(&m->arrived, 1) + 1 == m->threads) {
    atomic_store(&m->arrived, 0);
    atomic_fetch_add(&m->round, 1);
    if (!atomic_load(&m->sleeping)) return; /* a thread about to sleep will see that the round is over */
    pthread_mutex_lock(&m->lock);
    pthread_cond_broadcast(&m->over);
    pthread_mutex_unlock(&m->lock);
    return;
  }
  for (int look = 0; look < LOOKS; look++) {
    if (is_over(m, round)) return;
    relax();
  }
  for (int look = 0; look < YIELDS; look++) {
    if (is_over(m, round)) return;
    sched_yield();
  }
  sleep_until_over(m, round);
}
