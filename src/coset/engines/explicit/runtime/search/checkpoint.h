/* Checkpoints: a search on disk, complete enough to be resumed by another process. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "worker.h"

/* checkpoint.c is linked only if checkpoints are written. */
#define IF_ASKED __attribute__((weak))

/* Write a checkpoint while all threads wait and no state is being expanded; a failure is noted in the result. */
IF_ASKED void checkpoint_write(struct search *search);

/* Returns 1 if the search resumes from the checkpoint, 0 if there is none, -1 if it cannot be used.  The result then has
   the reason: EBADMSG if the file is damaged or of another search, ENOMEM if there is too little memory, or a system
   error. */
IF_ASKED int checkpoint_read(struct search *search);

IF_ASKED u64 checkpoint_clock(void); /* milliseconds */

static inline int checkpoint_due(const struct search *search) {
  return search->request.checkpoint && checkpoint_clock() - search->checkpoint_time >= search->request.checkpoint_every;
}

#endif
