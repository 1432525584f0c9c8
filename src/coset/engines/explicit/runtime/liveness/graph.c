/* The graph of all states: memory, and the packed locations of the automaton.  See graph.h. */
#define _GNU_SOURCE
#include "graph.h"

#include <stdlib.h>

#include "memory.h"

#if MODEL_GRAPH

static void pack_first(struct search *search, int location, u64 *words) {
  u8 state[STATE_SIZE];
  memcpy(state, search->request.initial, STATE_SIZE);
  SET_CLAIM(state, location)
#if MODEL_CACHES
  dictionary_pack(&search->footprints.dictionary, state, NULL, NULL, (u8 *)words);
#else
  pack(state, (u8 *)words);
#endif
}

/* Where the location of the automaton is in a packed state: the bits that differ from one location to another.  Packed in this
   order, locations get their own numbers. */
static void find_locations(struct search *search) {
  struct locations *l = &search->locations;
  for (int q = 0; q < MODEL_CLAIM_STATES; q++) {
    pack_first(search, q, l->words[q]);
    for (int k = 0; k < PACKED_WORDS; k++) l->mask[k] |= l->words[q][k] ^ l->words[0][k];
  }
  for (int q = 0; q < MODEL_CLAIM_STATES; q++)
    for (int k = 0; k < PACKED_WORDS; k++) l->words[q][k] &= l->mask[k];
#if MODEL_CACHES
  for (int n = 0; n < COMPONENTS; n++) {
    const struct bit_field *field = &search->footprints.dictionary.all[n].field;
    if (model_claim_reads[n / 64] >> n % 64 & 1) l->reads[field->word] |= field->mask << field->shift;
  }
#endif
}

static int open_links(struct search *search) {
  u64 capacity = search->capacity < MOST_NUMBERED ? search->capacity : MOST_NUMBERED;
  search->capacity = capacity;
  search->rows.room = capacity;
  search->rows.at = memory_reserve(capacity * sizeof(u64));
  if (MODEL_OBSERVES) search->conditions = memory_reserve(capacity * sizeof(condition_bits));
  int is_open = search->rows.at && (!MODEL_OBSERVES || search->conditions);
  for (int k = 0; k < search->request.threads; k++) {
    struct worker *w = &search->workers[k];
    w->links.source = NO_SOURCE;
    w->links.room = search->request.reserve / sizeof(struct link);
    w->links.items = memory_reserve(w->links.room * sizeof(struct link));
    w->claims = calloc(MODEL_CLAIM_CACHED ? CLAIM_CACHE : 1, sizeof *w->claims);
    w->claim = &search->initial;
    is_open &= w->links.items && w->claims;
#if MODEL_FAIR
    w->recent_labels = calloc(1, sizeof *w->recent_labels);
    is_open &= w->recent_labels != NULL;
#endif
  }
#if MODEL_FAIR
  search->state_labels = memory_reserve(capacity * sizeof *search->state_labels);
  is_open &= labels_open(&search->labels) && search->state_labels;
#endif
  return is_open;
}

struct search *graph_new(const struct request *request, struct result *result) {
  struct request mine = *request;
  mine.storage = STORAGE_STATES;
  mine.order = ORDER_BREADTH;
  struct search *search = search_new(&mine, result);
  if (!search) return NULL;
  search->initial.count = 1;
  if (!open_links(search)) {
    graph_free(search);
    return NULL;
  }
  find_locations(search);
  return search;
}

void graph_free(struct search *search) {
  if (!search) return;
  memory_release(search->rows.at, search->rows.room * sizeof(u64));
  memory_release(search->conditions, search->rows.room * sizeof(condition_bits));
  for (int k = 0; k < search->request.threads; k++) {
    memory_release(search->workers[k].links.items, search->workers[k].links.room * sizeof(struct link));
    free(search->workers[k].claims);
#if MODEL_FAIR
    free(search->workers[k].recent_labels);
#endif
  }
#if MODEL_FAIR
  memory_release(search->state_labels, search->rows.room * sizeof *search->state_labels);
  labels_close(&search->labels);
#endif
  search_free(search);
}

u64 graph_extent(const struct search *search) {
  u64 taken = atomic_load(&search->number_count);
  return taken < search->capacity ? taken : search->capacity;
}

void graph_state(struct search *search, u64 state, u8 *out) {
  const u8 *packed = intern_item(&search->store.states, state, PACKED_SIZE);
#if MODEL_CACHES
  dictionary_unpack(&search->footprints.dictionary, packed, out);
#else
  unpack(packed, out);
#endif
}

#endif
