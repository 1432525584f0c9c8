/* States with numbers: a numbering of whole states.  Searches that must come back to a state by its number use it. */
#ifndef VISITED_H
#define VISITED_H

#include "coset.h"
#include "numbering.h"

struct visited {
  struct numbering states;
};

static inline u64 hash_state(const u8 *state) { return hash_bytes(state, STATE_SIZE); }
static inline int visited_open(struct visited *v, u64 reserve) {
  return numbering_open(&v->states, reserve / STATE_SIZE, STATE_SIZE);
}
static inline void visited_close(struct visited *v) { numbering_close(&v->states, STATE_SIZE); }
static inline void visited_grow(struct visited *v, u64 states) { numbering_grow(&v->states, states, STATE_SIZE); }
static inline u8 *visited_state(const struct visited *v, u64 index) {
  return numbering_item(&v->states, index, STATE_SIZE);
}
FETCHES visited_fetch_place(const struct visited *v, u64 hash) { numbering_fetch_place(&v->states, hash); }
static inline u64 visited_find(const struct visited *v, const u8 *state, u64 hash) {
  return numbering_find(&v->states, state, hash, STATE_SIZE);
}
static inline u64 visited_put(struct visited *v, const u8 *state, u64 hash, u64 fresh) {
  return numbering_put(&v->states, state, hash, fresh, STATE_SIZE);
}

#endif
