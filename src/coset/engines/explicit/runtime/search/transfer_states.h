/* Going on with what another search has found.  See transfer.h.

   Part of search.c: to compile this by itself takes longer than to compile it together with that. */
#ifndef TRANSFER_STATES_H
#define TRANSFER_STATES_H

#include "transfer.h"

#define BATCH 256       /* states that are handed over at a time */
#define NEW_HALVES 1024 /* numbers of halves that are reserved at a time */

/* Labels of fairness are not handed over (labels.h). */
#if defined(MODEL_FAIR) && MODEL_FAIR
#define HAS_LABELS 1
#else
#define HAS_LABELS 0
#endif

/* A state on its way from one program to another. */
#if MODEL_CACHES
typedef uint32_t item[COMPONENTS];
#else
typedef u8 item[STATE_SIZE];
#endif

/* States to be expanded, with consecutive numbers. */
struct waiting_states {
  u64 first, count;
  int is_found; /* they belong to the next level */
};

/* A chunk of states to be expanded, and how many states of the level come before it. */
struct position {
  u64 list, chunk, before, state;
  int is_begun;
};

struct totals {
  u64 states, transitions, number_count, half_count, depth, reduced, errors[ERROR_COUNT];
  orbit_count represents;
};

struct transfer {
  struct search *from;
  void *owner;
  void (*release)(void *owner);
  /* These must be the same for both. */
  u64 item_size, components, condition_size, link_size;
  int storage, threads, is_equivariant;
  struct totals (*totals)(struct search *from);
  u64 (*count_values)(struct search *from, int component, const u64 **values);
  u64 (*visited)(struct search *from, u64 *at, void *items, u64 *numbers); /* a batch of states; 0 at the end */
  int (*waiting)(struct search *from, struct position *at, struct waiting_states *found);
  void (*waiting_items)(struct search *from, const struct position *at, u64 offset, u64 count, void *items);
  const u64 *parents, *first_errors;
  int edges;
  void *conditions, *rows;
  void *(*links)(struct search *from, int thread);
  struct id_block (*numbers)(struct search *from, int thread);
};

/* --- handing over ------------------------------------------------------------------------------------------------- */

static void give(struct search *search, const u8 *packed, item out) {
#if MODEL_CACHES
  u64 words[PACKED_WORDS];
  memcpy(words, packed, PACKED_SIZE);
  for (int k = 0; k < COMPONENTS; k++)
    out[k] = (uint32_t)bit_field_value(words, &search->footprints.dictionary.all[k].field);
#else
  (void)search;
  unpack(packed, out);
#endif
}

static struct totals totals(struct search *search) {
  struct totals t = {.depth = search->depth, .number_count = atomic_load(&search->number_count)};
  t.half_count = atomic_load(&search->store.half_count);
  for (int k = 0; k < search->request.threads; k++) {
    const struct worker *w = &search->workers[k];
    t.states += atomic_load(&w->states);
    t.transitions += atomic_load(&w->transitions);
    t.represents += w->represents;
    t.reduced += w->reduced;
    for (int e = 0; e < ERROR_COUNT; e++) t.errors[e] += atomic_load(&w->errors[e]);
  }
  return t;
}

static u64 count_values(struct search *search, int component, const u64 **values) {
#if MODEL_CACHES
  *values = search->footprints.dictionary.all[component].items;
  return search->footprints.dictionary.all[component].count;
#else
  (void)search, (void)component, (void)values;
  return 0;
#endif
}

/* The packed state of a key. */
static void packed_of_key(const struct store *s, const u64 *key, u8 *packed) {
  if (WHOLE) memcpy(packed, key, PACKED_SIZE);
  else {
    memcpy(packed, intern_item(&s->halves, key[0] >> 32, HALF), HALF);
    memcpy(packed + HALF, intern_item(&s->halves, (key[0] & UINT32_MAX) - 1, HALF), HALF);
  }
}

static u64 visited(struct search *search, u64 *at, void *items, u64 *numbers) {
  struct store *s = &search->store;
  u64 count = 0, keys[BATCH * 2];
  u8 packed[PACKED_SIZE];
  if (STORAGE(s) != STORAGE_STATES) {
    u64 found = keys_next(&s->keys, at, keys, BATCH);
    for (; count < found; count++) {
      packed_of_key(s, keys + count * s->keys.whole.width, packed);
      give(search, packed, ((item *)items)[count]);
    }
    return count;
  }
  for (; *at <= s->states.mask && count < BATCH; ++*at) {
    u64 word = atomic_load_explicit(&s->states.places[*at], memory_order_relaxed);
    if (!word) continue;
    numbers[count] = (word & INDEX_MASK) - 1;
    memcpy(packed, intern_item(&s->states, numbers[count], PACKED_SIZE), PACKED_SIZE);
    give(search, packed, ((item *)items)[count++]);
  }
  return count;
}

/* The lists of chunks: the rest of the level, by the positions that no thread has expanded, and what each thread has found. */
static void part_of_level(struct search *search, u64 list, u64 *from, u64 *to) {
  if (list == 0) {
    *from = atomic_load(&search->next_portion);
    *to = search->level_size;
  } else {
    *from = search->workers[list - 1].portion.next;
    *to = search->workers[list - 1].portion.end;
  }
}

/* A chunk of a list; returns whether there is one. */
static int chunk_at(struct search *search, const struct position *at, struct chunk *chunk, u64 *from, u64 *to) {
  u64 threads = (u64)search->request.threads, low, high;
  if (at->list <= threads) {
    if (at->chunk >= search->level.count) return 0;
    *chunk = search->level.items[at->chunk];
    part_of_level(search, at->list, &low, &high);
    *from = low > at->before ? low - at->before : 0;
    *to = high > at->before ? high - at->before : 0;
    if (*to > chunk->count) *to = chunk->count;
    return 1;
  }
  const struct worker *w = &search->workers[at->list - threads - 1];
  if (at->chunk > w->found.count) return 0;
  *chunk = at->chunk == w->found.count ? w->filling : w->found.items[at->chunk];
  *from = 0;
  *to = chunk->count;
  return 1;
}

static int waiting(struct search *search, struct position *at, struct waiting_states *found) {
  u64 threads = (u64)search->request.threads, from, to;
  struct chunk chunk;
  for (; at->list <= 2 * threads; at->list++, at->chunk = at->before = 0, at->is_begun = 0)
    while (chunk_at(search, at, &chunk, &from, &to)) {
      if (!at->is_begun && from < to) {
        *found = (struct waiting_states){chunk.first + from, to - from, at->list > threads};
        at->state = from;
        at->is_begun = 1;
        return 1;
      }
      at->before += chunk.count;
      at->chunk++;
      at->is_begun = 0;
    }
  return 0;
}

static void waiting_items(struct search *search, const struct position *at, u64 offset, u64 count, void *items) {
  struct chunk chunk;
  u64 from, to, size = store_item_size(&search->store);
  if (!chunk_at(search, at, &chunk, &from, &to)) return;
  for (u64 k = 0; k < count; k++) {
    struct halves state;
    u64 position = at->state + offset + k;
    store_recall(&search->store, size ? chunk.items + position * size : NULL, chunk.first + position, &state);
    give(search, state.packed, ((item *)items)[k]);
  }
}

/* The numbers that a thread has reserved and not used. */
static struct id_block unused_numbers(struct search *search, int thread) { return search->workers[thread].numbers; }

#if MODEL_GRAPH
static void *links(struct search *search, int thread) { return &search->workers[thread].links; }
#endif

static void release_search(void *search) { search_free(search); }

static struct transfer described(struct search *search) {
  struct transfer t = {.from = search, .owner = search, .release = release_search};
  t.item_size = sizeof(item);
  t.storage = (int)search->store.storage;
  t.threads = search->request.threads;
  t.totals = totals;
  t.count_values = count_values;
  t.visited = visited;
  t.waiting = waiting;
  t.waiting_items = waiting_items;
  t.numbers = unused_numbers;
  t.parents = search->parents;
  t.first_errors = search->request.first_errors;
  t.edges = search->request.edges;
#if MODEL_CACHES
  t.components = COMPONENTS;
#endif
#if MODEL_EQUIVARIANT
  t.is_equivariant = 1;
#endif
#if MODEL_GRAPH
  t.condition_size = MODEL_OBSERVES ? sizeof(condition_bits) : 0;
  t.link_size = sizeof(struct link);
  t.conditions = search->conditions;
  t.rows = search->rows.at;
  t.links = links;
#endif
  return t;
}

/* The successors of representatives have an order that depends on the packing, so recorded paths would be lost. */
static int keeps_paths(const struct search *search) { return !MODEL_NUMBERED || MODEL_GRAPH || !search->parents; }

struct transfer *transfer_unused(struct search *search) {
  struct transfer *t = search->unused;
  search->unused = NULL;
  return t;
}

struct transfer *search_transfer(struct search *search) {
  if (search->unused) {
    struct transfer *unused = transfer_unused(search);
    search_free(search);
    return unused;
  }
  int is_exact = search->store.storage == STORAGE_PACKED || search->store.storage == STORAGE_STATES;
  int is_deep = search->request.order == ORDER_DEPTH;
  if (!is_exact || is_deep || HAS_LABELS || !keeps_paths(search)) return NULL;
  struct transfer *t = malloc(sizeof *t);
  if (t) *t = described(search);
  return t;
}

int transfer_counts(struct transfer *t, u64 *counts) {
  const u64 *values;
  for (u64 k = 0; k < t->components; k++) counts[k] = t->count_values(t->from, (int)k, &values);
  return t->components != 0;
}

void transfer_owner(struct transfer *t, void *owner, void (*release)(void *owner)) {
  t->owner = owner;
  t->release = release;
}

void transfer_drop(struct transfer *t) {
  if (!t) return;
  t->release(t->owner);
  free(t);
}

/* --- taking over -------------------------------------------------------------------------------------------------- */

static int is_alike(struct search *search, const struct transfer *t) {
  struct transfer mine = described(search);
  return mine.item_size == t->item_size && mine.components == t->components && mine.storage == t->storage &&
         mine.threads == t->threads && mine.is_equivariant == t->is_equivariant &&
         mine.condition_size == t->condition_size && mine.link_size == t->link_size && keeps_paths(search) &&
         (mine.parents == NULL) == (t->parents == NULL) && mine.edges == t->edges &&
         (mine.first_errors == NULL) == (t->first_errors == NULL);
}

/* The values of components keep their numbers.  Some may have been entered already, in the same order. */
static int take_values(struct search *search, const struct transfer *t) {
#if MODEL_CACHES
  struct component_dictionary *c = &search->footprints.dictionary;
  for (int k = 0; k < COMPONENTS; k++) {
    struct dictionary *d = &c->all[k];
    const u64 *values;
    u64 words = (u64)model_components[k].words, count = t->count_values(t->from, k, &values);
    if (count > d->field.mask + 1 || d->count > count) return 0;
    if (memcmp(d->items, values, d->count * words * sizeof(u64)) != 0) return 0;
  }
  for (int k = 0; k < COMPONENTS; k++) {
    const u64 *values;
    u64 words = (u64)model_components[k].words, count = t->count_values(t->from, k, &values);
    memcpy(c->all[k].items, values, count * words * sizeof(u64));
    dictionary_refill(c, k, count);
  }
  footprint_table_refill(&search->footprints);
#else
  (void)search, (void)t;
#endif
  return 1;
}

/* Room for all states.  This thread is the only one. */
static int make_room(struct store *s, u64 numbers) {
  if (!store_may_grow(s, numbers)) return 0;
  if (!store_fits(s, numbers) && !store_grow(s, numbers)) return 0;
  keys_settle(&s->keys);
  return 1;
}

static struct id_block more_halves(struct store *s) {
  u64 first = atomic_fetch_add(&s->half_count, NEW_HALVES);
  if (!intern_fits(&s->halves, first + NEW_HALVES)) intern_grow(&s->halves, first + NEW_HALVES, HALF);
  return (struct id_block){first, first + NEW_HALVES};
}

/* Pack a state as this program does; returns whether it fits. */
static int take_item(struct worker *w, const item in, struct entry *e) {
  struct search *search = w->search;
  struct halves none = {.left = 0};
#if MODEL_CACHES
  u64 words[PACKED_WORDS] = {0};
  if (PACKED_WORDS == 1) words[0] = (u64)1 << 63; /* as in dictionary_pack */
  for (int k = 0; k < COMPONENTS; k++) {
    const struct bit_field *field = &search->footprints.dictionary.all[k].field;
    words[field->word] |= (u64)in[k] << field->shift;
  }
#if MODEL_NUMBERED
  numbered_representative(w, words);
  if (w->is_cut) return 0;
#endif
  memcpy(e->packed, words, PACKED_SIZE);
#else
  if (pack(in, e->packed)) {
    too_wide(w, 0);
    return 0;
  }
#endif
  for (int k = 0; k < PACKED_SIZE; k++) none.packed[k] = (u8)~e->packed[k]; /* no half is known */
  store_begin(&search->store, &none, e, hash_bytes(e->packed, PACKED_SIZE));
  store_locate(&search->store, e);
  if (in_halves(&search->store)) {
    if (w->half_numbers.next + 2 > w->half_numbers.end) w->half_numbers = more_halves(&search->store);
    store_word(&search->store, &w->half_numbers, e);
  }
  return 1;
}

static int is_asked_to_end(struct search *search) {
  if (search->result->stop_asked) stop(search, STOP_ASKED);
  u64 most = search->request.max_memory;
  if (most && memory_resident() >= most) stop(search, STOP_MEMORY);
  return is_over(search);
}

/* All states; returns how many they are, or NO_INDEX if one does not fit. */
static u64 take_visited(struct worker *w, const struct transfer *t) {
  struct search *search = w->search;
  static _Thread_local item items[BATCH];
  u64 numbers[BATCH] = {0}, at = 0, count, taken = 0;
  for (u64 batch = 0; (count = t->visited(t->from, &at, items, numbers)) > 0; batch++) {
    struct entry entries[BATCH];
    if (!make_room(&search->store, taken + count)) {
      want(search, STOP_MEMORY);
      return NO_INDEX;
    }
    for (u64 k = 0; k < count; k++)
      if (!take_item(w, items[k], &entries[k])) return NO_INDEX;
    for (u64 k = 0; k < count; k++) taken += (u64)store_put(&search->store, &entries[k], numbers[k]);
    if (batch % 1024 == 1023 && is_asked_to_end(search)) break;
  }
  return taken;
}

/* States to be expanded. */
static int take_waiting(struct worker *w, const struct transfer *t) {
  struct search *search = w->search;
  static _Thread_local item items[BATCH];
  struct position at = {0};
  struct waiting_states found;
  u64 size = store_item_size(&search->store);
  while (t->waiting(t->from, &at, &found)) {
    struct chunk chunk = {found.first, found.count, found.count, size ? malloc(found.count * size) : NULL};
    if (size && !chunk.items) abort();
    for (u64 k = 0; size && k < found.count; k += BATCH) {
      u64 count = found.count - k < BATCH ? found.count - k : BATCH;
      t->waiting_items(t->from, &at, k, count, items);
      for (u64 i = 0; i < count; i++) {
        struct entry e;
        if (!take_item(w, items[i], &e)) return 0;
        store_keep(&search->store, chunk.items + (k + i) * size, &e);
      }
    }
    add_chunk(found.is_found ? &w->found : &search->level, chunk);
    if (!found.is_found) search->level_size += found.count;
  }
  return 1;
}

static void take_totals(struct search *search, const struct totals *t) {
  struct worker *w = &search->workers[0];
  atomic_store(&w->states, t->states);
  atomic_store(&w->transitions, t->transitions);
  for (int e = 0; e < ERROR_COUNT; e++) atomic_store(&w->errors[e], t->errors[e]);
  w->represents = t->represents;
  w->reduced = t->reduced;
  search->depth = t->depth;
  atomic_store(&search->number_count, t->number_count);
}

/* Edges are between numbers of states, which stay the same. */
static void take_edges(struct search *search, const struct transfer *t, u64 numbers) {
#if MODEL_GRAPH
  memcpy(search->rows.at, t->rows, numbers * sizeof(u64));
  if (MODEL_OBSERVES) memcpy(search->conditions, t->conditions, numbers * sizeof(condition_bits));
  for (int k = 0; k < t->threads; k++) {
    struct links *mine = &search->workers[k].links, *theirs = t->links(t->from, k), kept = *mine;
    *mine = *theirs;
    *theirs = kept;
  }
#else
  (void)search, (void)t, (void)numbers;
#endif
}

int transfer_take(struct search *search) {
  struct transfer *t = search->request.before;
  struct totals totals = t->totals(t->from);
  struct worker *w = &search->workers[0];
  search->request.before = NULL;
  if (!totals.states || !is_alike(search, t) || totals.number_count > search->capacity || !take_values(search, t)) {
    transfer_drop(t);
    return 0;
  }
  int has_room = store_may_grow(&search->store, totals.number_count);
  if (!has_room) want(search, STOP_MEMORY);
  int done = has_room && take_visited(w, t) == totals.states && !is_over(search);
  done = done && make_room(&search->store, totals.number_count) && take_waiting(w, t);
  if (done) {
    if (search->parents) memcpy(search->parents, t->parents, totals.number_count * sizeof(u64));
    if (t->first_errors)
      memcpy(search->request.first_errors, t->first_errors, ERROR_COUNT * ((u64)t->edges + 1) * sizeof(u64));
    take_edges(search, t, totals.number_count);
    for (int k = 0; k < t->threads; k++) search->workers[k].numbers = t->numbers(t->from, k);
    search->result->taken = totals.states;
  }
  take_totals(search, &totals); /* even if a limit ends the search now */
  if (w->is_cut) search->unused = t;
  else transfer_drop(t);
  return done ? 1 : -1;
}

#endif
