/* The successors of a state in the product of the model with an automaton.

   What the automaton can do depends on few components of the state, so it is remembered by their numbers.

   Part of breadth.c. */
#ifndef PRODUCT_EXPAND_H
#define PRODUCT_EXPAND_H

/* The location of the automaton in the current state. */
static inline int current_location(struct worker *w) {
#if MODEL_CACHES
  const struct bit_field *field = &w->search->footprints.dictionary.all[CLAIM_COMPONENT].field;
  return (int)bit_field_value((const u64 *)w->current.packed, field);
#else
  return GET_CLAIM(unpacked(w));
#endif
}

/* The property has no value in the current state. */
static __attribute__((noinline)) void note_fault(struct worker *w) {
  struct search *search = w->search;
  int none = FAULT_NONE;
  if (!MODEL_OBSERVES) stop(search, STOP_PROPERTY);
  else if (atomic_compare_exchange_strong(&search->fault, &none, w->ctx.fault)) search->fault_state = w->expanding;
  w->ctx.fault = FAULT_NONE;
}

/* Evaluate the automaton's conditions; returns whether they have values. */
static __attribute__((noinline)) int evaluate(struct worker *w, int location, struct cached_claim *found) {
  int targets[MODEL_CLAIM_EDGES];
  u64 marks[MODEL_CLAIM_EDGES];
  w->ctx.timeout = 0;
  int count = model_claim(&w->ctx, unpacked(w), location, targets, marks), is_well = !w->ctx.fault;
  if (!is_well) {
    note_fault(w);
    count = 0;
  }
  found->conditions = 0;
  found->edges.count = MODEL_OBSERVES ? 1 : count;
  found->edges.of[0] = (struct claim_edge){.is_kept = 1};
  for (int k = 0; k < count; k++) {
    int group = model_claim_group[location];
    if (MODEL_OBSERVES) found->conditions |= (u64)1 << targets[k];
    else
      found->edges.of[k] = (struct claim_edge){(uint32_t)targets[k], (uint32_t)marks[k],
                                               group != 0 && group == model_claim_group[targets[k]]};
  }
  return is_well;
}

static inline struct cached_claim *claim_place(struct worker *w, const u64 *key, int location) {
  u64 hash = (u64)location;
  for (int k = 0; k < PACKED_WORDS; k++) hash = hash_word(hash ^ key[k]);
  return &w->claims[hash >> (64 - CLAIM_BITS)];
}

/* What the automaton can do in the current state. */
static inline const struct cached_claim *current_claim(struct worker *w) {
  int location = current_location(w);
  if (!MODEL_CLAIM_CACHED) {
    evaluate(w, location, &w->uncached);
    return &w->uncached;
  }
  const u64 *words = (const u64 *)w->current.packed, *reads = w->search->locations.reads;
  u64 key[PACKED_WORDS], differs = 0;
  for (int k = 0; k < PACKED_WORDS; k++) key[k] = words[k] & reads[k];
  struct cached_claim *cached = claim_place(w, key, location);
  for (int k = 0; k < PACKED_WORDS; k++) differs |= cached->key[k] ^ key[k];
  if (__builtin_expect(differs != 0 || cached->location != location + 1, 0)) {
    memcpy(cached->key, key, sizeof key);
    cached->location = evaluate(w, location, cached) ? location + 1 : 0;
  }
  return cached;
}

#if MODEL_FAIR
/* Say of the current state, after its steps are known, who can begin one, and which conditions of constraints hold. */
static void label_current(struct worker *w) {
  struct search *search = w->search;
  w->ctx.timeout = 0;
  struct state_label label = {w->able, model_constraints(&w->ctx, unpacked(w))};
  if (w->ctx.fault) note_fault(w);
  search->state_labels[w->expanding] = label_state(&search->labels, w->recent_labels, &label);
  if (search->labels.has_failed) stop(search, STOP_MEMORY);
}
#endif

static inline void expand_next(struct worker *w) {
  struct search *search = w->search;
  const struct cached_claim *claim = current_claim(w);
  if (MODEL_OBSERVES) search->conditions[w->expanding] = (condition_bits)claim->conditions;
  w->claim = &claim->edges;
  w->ordinal = 0;
  if (claim->edges.count == 0) return;
#if MODEL_FAIR
  w->able = (struct processes){{0}};
#endif
  if (!expand_current(w) && search->request.stays && !w->is_cut) {
    u64 words[PACKED_WORDS];
    memcpy(words, w->current.packed, PACKED_SIZE);
#if MODEL_FAIR
    static const struct processes no_process;
    label_next(w, &no_process, model_identity);
#endif
    enter_product(w, words, 1);
  }
#if MODEL_FAIR
  label_current(w);
#endif
}

#endif
