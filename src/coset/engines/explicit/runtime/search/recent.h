/* The latest successors of a thread: many recur soon, by another order of the same steps.

   Part of breadth.c and disk.c. */
#ifndef RECENT_H
#define RECENT_H

#include "worker.h"

static u64 *recent_place(u64 *table, u64 hash) { return table + hash % RECENT * PACKED_WORDS; }

/* Clear a table of recent states: every slot gets a state that does not hash to it. */
static void forget_recent(u64 *table) {
  u64 other[PACKED_WORDS] = {0};
  memset(table, 0, RECENT * PACKED_SIZE);
  u64 *own = recent_place(table, hash_bytes((const u8 *)other, PACKED_SIZE));
  do other[0]++;
  while (recent_place(table, hash_bytes((const u8 *)other, PACKED_SIZE)) == own);
  memcpy(own, other, PACKED_SIZE);
}

static void forget(struct worker *w) {
  forget_recent(w->recent);
#if MODEL_NUMBERED
  forget_recent(w->recent_moved);
#endif
}

/* Whether this state is in a table of recent ones; enters it. */
static inline int is_recent(u64 *table, const u64 *words, u64 hash) {
  u64 *kept = recent_place(table, hash), differs = 0;
  for (int k = 0; k < PACKED_WORDS; k++) {
    differs |= kept[k] ^ words[k];
    kept[k] = words[k];
  }
  return differs == 0;
}

#endif
