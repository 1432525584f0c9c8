/* Successors in a product with an automaton, on their way to the store, which records the edges to them.

   A successor of the model enters the queue once for each edge that the automaton can take.  Its representative is found once.

   Part of insert_queue.h. */
#ifndef PRODUCT_QUEUE_H
#define PRODUCT_QUEUE_H

static inline void add_link(struct worker *w, const struct waiting *next, u64 target) {
  struct links *links = &w->links;
  struct search *search = w->search;
  u64 source = next->parent & INDEX_MASK;
  if (links->count + 2 > links->room) {
    stop(search, STOP_MEMORY);
    return;
  }
  if (links->source != source) {
    links->source = source;
    links->begin = links->count++;
    search->rows.at[source] = ((u64)(w - search->workers) << ROW_BITS | links->begin) + 1;
  }
  struct link *link = &links->items[links->count++];
  link->target = (number)target;
#if MODEL_MARKED
  link->marks = next->marks;
#endif
#if MODEL_FAIR
  link->label = next->label;
#endif
  links->items[links->begin].target++;
}

/* Forget the row of the current state, which is not complete. */
static void drop_row(struct worker *w) {
  struct links *links = &w->links;
  if (links->source != w->expanding) return;
  w->search->rows.at[links->source] = 0;
  memset(links->items + links->begin, 0, (links->count - links->begin) * sizeof *links->items);
  links->count = links->begin;
  links->source = NO_SOURCE;
}

static int put_linked(struct worker *w, const struct waiting *next) {
  u64 fresh = w->numbers.next;
  u64 target = intern_put(&w->search->store.states, next->entry.packed, next->entry.hash, fresh, PACKED_SIZE);
  if (next->is_kept) add_link(w, next, target);
  return target == fresh;
}

/* Queue a packed state of the model with every location that the automaton may move to. */
static inline void enter_product(struct worker *w, const u64 *words, orbit_count orbit) {
  const struct locations *locations = &w->search->locations;
  for (int edge = 0; edge < w->claim->count; edge++) {
    const struct claim_edge *taken = &w->claim->of[edge];
    struct waiting *new = last_in_queue(w);
    u64 *packed = (u64 *)(void *)new->entry.packed;
    for (int k = 0; k < PACKED_WORDS; k++)
      packed[k] = (words[k] & ~locations->mask[k]) | locations->words[taken->target][k];
    new->parent = PARENT(w->expanding, w->ordinal++);
    new->marks = taken->marks;
    new->is_kept = taken->is_kept;
#if MODEL_FAIR
    new->label = w->label;
#endif
    entry_stands_for(&new->entry, orbit);
    u64 hash = hash_bytes(new->entry.packed, PACKED_SIZE);
    int recent = !MODEL_OBSERVES && is_recent(w->recent, words_of(new), hash);
    store_begin(&w->search->store, &w->current, &new->entry, hash);
    w->queued += (u64)(taken->is_kept | !recent);
    if (__builtin_expect(w->queued - w->stored == QUEUE, 0)) advance(w, STORE_AFTER);
  }
}

#if MODEL_FAIR
/* Say of the step to the next successor who takes part, and how processes are renumbered after it. */
static void label_next(struct worker *w, const struct processes *movers, const uint16_t *way) {
  struct step_label label = {*movers, {0}};
  if (MODEL_SYMMETRIC) memcpy(label.ways, way, sizeof label.ways);
  w->label = label_step(&w->search->labels, w->recent_labels, &label);
}
#endif

static void enter(struct worker *w) {
#if MODEL_FAIR
  add_process(&w->able, w->ctx.mover);
  label_next(w, &w->ctx.movers, w->ctx.way);
#endif
  u64 words[PACKED_WORDS];
  memcpy(words, last_in_queue(w)->entry.packed, PACKED_SIZE);
  orbit_count orbit = represented(w, (u8 *)words);
  if (is_represented(w)) enter_product(w, words, orbit);
}

#if MODEL_CACHES
static __attribute__((noinline)) void enter_all(struct worker *w, u64 (*successors)[PACKED_WORDS], u64 count) {
  for (u64 k = 0; k < count; k++) {
    orbit_count orbit = represented(w, (u8 *)successors[k]);
    if (is_represented(w)) enter_product(w, successors[k], orbit);
  }
}

/* Products are not stored in halves. */
static inline void enter_pair(struct worker *w, u64 left, u64 right) { (void)w, (void)left, (void)right; }
#endif

#endif
