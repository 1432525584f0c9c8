/* Representatives of packed states.  See numbered.h. */
#define _GNU_SOURCE
#include "numbered.h"

#include "memory.h"
#include "worker.h"

#if MODEL_NUMBERED

/* Pack a state that is not a successor of the current one; returns whether there are numbers for all of its values. */
static int pack_state(struct worker *w, const u8 *state, u64 *words) {
  int full = dictionary_pack(&w->search->footprints.dictionary, state, NULL, NULL, (u8 *)words);
  if (full != DICTIONARY_FITS) too_wide(w, full);
  return full == DICTIONARY_FITS;
}

/* Two words stay in registers. */
static inline void add_bits(u64 *words, int word, u64 bits) {
  if (PACKED_WORDS == 1) words[0] |= bits;
  else if (PACKED_WORDS == 2) {
    words[0] |= word ? 0 : bits;
    words[1] |= word ? bits : 0;
  } else words[word] |= bits;
}

#if MODEL_SORTED
#include "by_columns.h"
#else
#include "by_elements.h"
#if MODEL_ROTATED
#include "rotation.h"
#endif
#endif

int numbered_open(struct numbered *n, const struct bit_field *bit_fields) {
  u64 starters = model_starter < 0 ? 0 : bit_fields[model_cores[model_starter]].mask + 1;
  for (int a = 0; a < ACTIVE; a++) {
    const struct bit_field field = n->fields[a] = bit_fields[model_active[a]];
    n->start[a + 1] = n->start[a] + field.mask + 1;
    n->mask[field.word] |= field.mask << field.shift;
    for (int bit = 0; field.mask >> bit & 1; bit++) n->place_of[field.word * 64 + field.shift + bit] = (uint16_t)a;
  }
  u64 size = size_of_tables(n);
  n->bytes = size + starters;
  if (!(n->memory = memory_scattered(n->bytes))) return 0;
  open_tables(n);
  n->started = (_Atomic u8 *)(n->memory + size);
  return 1;
}

void numbered_begin(const struct numbered *n, struct numbered_state *state) {
  memset(state, 0, sizeof *state);
  begin_state(n, state);
}

void numbered_close(struct numbered *n) {
  if (n->memory) close_tables(n);
  memory_release(n->memory, n->bytes);
  n->memory = NULL;
}

/* Whether symmetries act on the state. */
static inline int is_started(struct worker *w, const u64 *words) {
  const struct footprint_table *k = &w->search->footprints;
  if (model_starter < 0 || cached_count(k, words) <= model_starter) return 1;
  _Atomic u8 *known = w->search->numbered.started + bit_field_value(words, &k->slots[model_starter].field);
  u8 found = atomic_load_explicit(known, memory_order_relaxed);
  if (__builtin_expect(!found, 0)) {
    u8 state[STATE_SIZE];
    dictionary_unpack(&k->dictionary, (const u8 *)words, state);
    atomic_store_explicit(known, found = model_acts(state) ? 2 : 1, memory_order_relaxed);
  }
  return found == 2;
}

#if MODEL_SORTED
void numbered_expand(struct worker *w, const u64 *words) {
  w->numbered.has_twins = 0;
  if (!is_started(w, words)) return;
  turn_to_parent(w, words);
}
#endif

orbit_count numbered_representative(struct worker *w, u64 *words) {
  return is_started(w, words) ? represent(w, words) : 1;
}

#endif
