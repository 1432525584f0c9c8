/* Numbered states: an intern table of whole states, for searches that access states by number. */
#ifndef VISITED_H
#define VISITED_H

#include "coset.h"
#include "intern_table.h"

struct visited {
  struct intern_table states;
};

static inline u64 hash_state(const u8 *state) { return hash_bytes(state, STATE_SIZE); }
static inline int visited_open(struct visited *v, u64 reserve) {
  return intern_open(&v->states, reserve / STATE_SIZE, STATE_SIZE);
}
static inline void visited_close(struct visited *v) { intern_close(&v->states, STATE_SIZE); }
static inline void visited_grow(struct visited *v, u64 states) { intern_grow(&v->states, states, STATE_SIZE); }
static inline u8 *visited_state(const struct visited *v, u64 index) {
  return intern_item(&v->states, index, STATE_SIZE);
}
FETCHES visited_fetch_place(const struct visited *v, u64 hash) { intern_fetch_place(&v->states, hash); }
static inline u64 visited_find(const struct visited *v, const u8 *state, u64 hash) {
  return intern_find(&v->states, state, hash, STATE_SIZE);
}
static inline u64 visited_put(struct visited *v, const u8 *state, u64 hash, u64 fresh) {
  return intern_put(&v->states, state, hash, fresh, STATE_SIZE);
}

#endif
