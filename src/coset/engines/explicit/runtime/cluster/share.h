/* A share of a distributed search: the states of some partitions.

   States are owned: the hash of a packed state tells its partition, and a table which process has that partition (U. Stern and
   D. Dill, "Parallelizing the Murphi verifier", CAV 1997).  The search goes from level to level.  In each one a process expands its
   states, replaces successors by representatives, drops those that it has sent lately, and collects the others in a block for
   each owner.  Blocks are moved by the caller (engines/distributed/).  An owner stores what it is sent; what is new belongs to the next
   level.

   All processes give the values of components the same numbers, so that a packed state means the same everywhere and has one
   representative.  A state with a successor whose values have no numbers yet waits; the caller takes these values
   (`share_missing`), decides on an order, and tells it to all processes (`share_agree`).  Then the state is expanded again. */
#ifndef SHARE_H
#define SHARE_H

#include "search.h"

#define PARTITIONS 4096
#define MOST_OWNERS 4096

struct share;

/* The share of process `own` of some; a block is full with so many bytes.  NULL: there is no memory. */
struct share *share_new(const struct request *request, struct result *result, int processes, int own, u64 block_bytes);
void share_free(struct share *share);
void share_owners(struct share *share, const uint16_t *owners); /* the process that has each partition */

/* The following return 0, or what is left, if the search has to stop, with the reason in the result. */
void share_begin(struct share *share); /* store the initial state, if it belongs here */
u64 share_expand(
    struct share *share,
    u64 most); /* some states of the level, until they or their successors are so many; returns how many are left */
void share_insert(struct share *share, const u8 *keys, u64 count); /* successors that were sent here */
void share_known(struct share *share, const u8 *keys, u64 count);  /* states of earlier levels */
u64 share_settle(struct share *share);               /* go to the next level; returns how many states it has */
u64 share_weigh(struct share *share, u64 most);      /* find the sizes of their orbits; returns how many are left */
void share_counts(struct share *share, u64 *counts); /* of states that were sent, and that were received */

/* The block for a process, and how many states it has; to send it is to empty it. */
u64 share_block(const struct share *share, int process, const u8 **keys);
void share_sent(struct share *share, int process);
/* The states of the level, ordered by partitions, and where each of these begins: PARTITIONS + 1 numbers. */
u64 share_level(const struct share *share, const u8 **keys, const u64 **begin);

/* Values that need numbers: for each a component, and a state that has the value. */
u64 share_missing(const struct share *share, const int **components, const u8 **states);
void share_agree(struct share *share, u64 count, const int *components, const u8 *states);

/* The state with the error that ended the search. */
void share_failed(const struct share *share, u8 *key);
/* The first of some states with a successor that has this representative, or `count`. */
u64 share_predecessor(struct share *share, const u8 *keys, u64 count, const u8 *wanted);
void share_state(const struct share *share, const u8 *key, u8 *state);

#endif
