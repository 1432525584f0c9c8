/* A search on disk: everything that is needed to go on with it after the process has died. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "worker.h"

int checkpoint_due(const struct search *search);
void checkpoint_write(struct search *search); /* while all threads wait and none is halfway; a failure goes to the result */
int checkpoint_read(struct search *search);   /* 1: the search goes on from there; 0: there is none; -1: it cannot be read */
u64 checkpoint_clock(void);                   /* milliseconds */

#endif
