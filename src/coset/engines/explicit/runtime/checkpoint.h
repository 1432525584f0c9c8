/* A search on disk: everything that is needed to go on with it after the process has died. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "worker.h"

/* checkpoint.c is there if somebody asks for checkpoints. */
#define IF_ASKED __attribute__((weak))

IF_ASKED void checkpoint_write(struct search *search); /* while all threads wait and none is halfway; a failure goes to the result */
IF_ASKED int checkpoint_read(struct search *search);   /* 1: the search goes on from there; 0: there is none; -1: it cannot be read */
IF_ASKED u64 checkpoint_clock(void);                   /* milliseconds */

static inline int checkpoint_due(const struct search *search) {
  return search->request.checkpoint && checkpoint_clock() - search->checkpoint_time >= search->request.checkpoint_every;
}

#endif
