/* A search on disk: everything that is needed to go on with it after the process has died. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "worker.h"

/* checkpoint.c is compiled in only if checkpoints are written. */
#define IF_ASKED __attribute__((weak))

/* Write a checkpoint, while all threads wait and none is halfway; why it failed goes to the result. */
IF_ASKED void checkpoint_write(struct search *search);

/* 1: the search goes on from there; 0: there is none; -1: it cannot be used, and the result says why: EBADMSG if the file is
   damaged or not of this search, ENOMEM if it has no room here, or an error of the system. */
IF_ASKED int checkpoint_read(struct search *search);

IF_ASKED u64 checkpoint_clock(void); /* milliseconds */

static inline int checkpoint_due(const struct search *search) {
  return search->request.checkpoint && checkpoint_clock() - search->checkpoint_time >= search->request.checkpoint_every;
}

#endif
