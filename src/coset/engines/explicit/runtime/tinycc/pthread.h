/* A program of the quick tier has one thread: there is nothing to lock. */
#ifndef PTHREAD_H
#define PTHREAD_H

typedef int pthread_mutex_t;
typedef int pthread_cond_t;

#endif
