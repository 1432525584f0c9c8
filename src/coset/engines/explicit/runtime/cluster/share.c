/* A share of a distributed search.  See share.h. */
#define _GNU_SOURCE
#include "share.h"

#include <stdlib.h>

#include "memory.h"
#include "sent_lately.h"
#include "successor.h"

#define WAITING 32                /* successors whose places in the table of those sent lately are fetched */
#define MOST_SENT ((u64)64 << 20) /* bytes of that table, which grows as it fills */
#define PART_SENT 16              /* and at most such a part of the memory */
#define TOGETHER ((u64)1 << 10)   /* states that are stored in one batch */
#define AHEAD 12                  /* states for which memory is fetched */
#define FETCHED 32
#define LOOK_AFTER ((u64)1 << 12) /* states between two checks of the limits */
#define MOST_OPEN ((u64)1 << 13)  /* states that wait for numbers */
#define MOST_ASKED                                                                                                     \
  ((u64)1 << 12) /* values that are asked for at once: room for more is left, as a state may need several */

struct key_list {
  u64 *words;
  u64 count, room; /* keys */
};

struct share {
  struct search *search;
  int processes, own;
  u64 block; /* the keys of a full block */
  uint16_t owners[PARTITIONS];
  u64 initial[PACKED_WORDS];
  struct sent_lately sent;
  struct key_list level, next; /* states of this level and of the next one */
  struct key_list open, again; /* states that wait for numbers, and those that have waited */
  struct key_list *blocks;     /* by owner */
  u64 begin[PARTITIONS + 1];   /* of the partitions in the level */
  u64 expanded, weighed;       /* states of the level */
  u64 tried;                   /* states of `again` */
  u64 known;                   /* states that are stored */
  u64 sent_count, received_count;
  int has_full_block;
  const u8 *wanted; /* the successor that is looked for, instead of storing any */
  int is_found;
  u64 waiting[WAITING][PACKED_WORDS], hashes[WAITING], places[WAITING], arrived, taken;
  u64 failed[PACKED_WORDS];
#if MODEL_CACHES
  struct missing_values missing;
#endif
};

static struct worker *worker_of(struct share *share) { return &share->search->workers[0]; }

/* Tell the caller why the search has to stop, if it has to. */
static void tell(struct share *share) {
  struct search *search = share->search;
  int stopped = atomic_load(&search->stopped), wanted = atomic_load(&search->wanted);
  sum_up(search);
  search->result->stopped = stopped != STOP_DONE ? stopped : wanted;
}

static int is_ending(struct share *share) {
  struct search *search = share->search;
  return is_over(search) || atomic_load_explicit(&search->wanted, memory_order_relaxed) != STOP_DONE;
}

/* --- lists of keys ------------------------------------------------------------------------------------------------ */

static int make_room(struct key_list *list, u64 more) {
  if (list->count + more <= list->room) return 1;
  u64 room = list->count + more + list->count / 2 + 64;
  u64 *words = realloc(list->words, room * PACKED_SIZE);
  if (!words) return 0;
  list->words = words;
  list->room = room;
  return 1;
}

static u64 *key_at(const struct key_list *list, u64 k) { return list->words + k * PACKED_WORDS; }

static void add_key(struct share *share, struct key_list *list, const u64 *key) {
  if (__builtin_expect(list->count == list->room, 0) && !make_room(list, 1)) {
    stop(share->search, STOP_MEMORY);
    return;
  }
  u64 *place = key_at(list, list->count++);
  for (int k = 0; k < PACKED_WORDS; k++) place[k] = key[k];
}

static void drop_keys(struct key_list *list) {
  free(list->words);
  *list = (struct key_list){0};
}

/* --- storing ------------------------------------------------------------------------------------------------------ */

/* Room for some more states; asks the search to end if there is none. */
static int grow(struct share *share, u64 more) {
  struct search *search = share->search;
  struct store *s = &search->store;
  u64 states = share->known + more, most = search->request.max_memory;
  atomic_store(&s->half_count, worker_of(share)->half_numbers.next + 2 * more);
  if (in_halves(s) && atomic_load(&s->half_count) > s->halves.capacity) return stop(search, STOP_MEMORY), 0;
  if (store_fits(s, states)) return 1;
  int is_small = !most || memory_resident() + store_growth(s, states) < most;
  if (!is_small || !store_may_grow(s, states) || !store_grow(s, states)) return stop(search, STOP_MEMORY), 0;
  keys_settle(&s->keys);
  return 1;
}

/* Prefetch what the entry of a key needs. */
static inline void begin_entry(struct store *s, struct entry *e, const u8 *key) {
  struct halves none = {.left = 0};
  memcpy(e->packed, key, PACKED_SIZE);
  if (in_halves(s)) /* no half is known */
    for (int n = 0; n < PACKED_SIZE; n++) none.packed[n] = (u8)~e->packed[n];
  store_begin(s, &none, e, hash_bytes(e->packed, PACKED_SIZE));
  store_locate(s, e);
}

static inline void end_entry(struct share *share, struct entry *e, struct key_list *fresh) {
  if (!store_put(&share->search->store, e, share->known)) return;
  share->known++;
  if (!fresh) return;
  count(&worker_of(share)->states);
  add_key(share, fresh, (const u64 *)(const void *)e->packed);
}

/* Store up to TOGETHER keys, each one while memory is fetched for those after it.  New ones are added to a list, unless it is NULL. */
static void store_batch(struct share *share, const u8 *keys, u64 size, struct key_list *fresh) {
  struct store *s = &share->search->store;
  struct worker *w = worker_of(share);
  struct entry entries[FETCHED];
  if (!grow(share, size)) return;
  for (u64 k = 0; k < size + 2 * AHEAD; k++) {
    if (k < size) begin_entry(s, &entries[k % FETCHED], keys + k * PACKED_SIZE);
    if (k >= 2 * AHEAD) end_entry(share, &entries[(k - 2 * AHEAD) % FETCHED], fresh);
    if (!in_halves(s) || k < AHEAD || k >= size + AHEAD) continue;
    store_look(s, &entries[(k - AHEAD) % FETCHED]);
    store_word(s, &w->half_numbers, &entries[(k - AHEAD) % FETCHED]);
  }
}

static void store_keys(struct share *share, const u8 *keys, u64 count, struct key_list *fresh) {
  for (u64 k = 0; k < count && !is_over(share->search); k += TOGETHER)
    store_batch(share, keys + k * PACKED_SIZE, count - k < TOGETHER ? count - k : TOGETHER, fresh);
}

static void store_own(struct share *share) {
  struct key_list *own = &share->blocks[share->own];
  store_keys(share, (const u8 *)own->words, own->count, &share->next);
  own->count = 0;
}

/* --- successors --------------------------------------------------------------------------------------------------- */

/* The partition of a key by its hash, from bits that tables of states do not look at. */
static inline u64 partition_of(u64 hash) { return hash_word(hash) >> 52; }

static u64 hash_of(const u64 *key) { return hash_bytes((const u8 *)key, PACKED_SIZE); }

static void take_waiting(struct share *share) {
  u64 k = share->taken++ % WAITING;
  if (is_sent(&share->sent, share->places[k], share->waiting[k])) return;
  int owner = share->owners[partition_of(share->hashes[k])];
  struct key_list *block = &share->blocks[owner];
  add_key(share, block, share->waiting[k]);
  if (owner == share->own) {
    if (block->count >= TOGETHER) store_own(share);
  } else if (block->count >= share->block) share->has_full_block = 1;
}

/* Also successors for this share are looked up among those sent lately, which takes less time than in the store. */
static inline void send_key(struct share *share, const u64 *key) {
  if (__builtin_expect(share->wanted != NULL, 0)) {
    share->is_found |= memcmp(share->wanted, key, PACKED_SIZE) == 0;
    return;
  }
  u64 k = share->arrived++ % WAITING;
  memcpy(share->waiting[k], key, PACKED_SIZE);
  share->hashes[k] = hash_of(key);
  share->places[k] = sent_place(&share->sent, share->hashes[k]);
  if (share->arrived - share->taken == WAITING) take_waiting(share);
}

static void send_state(struct context *ctx, const u8 *t) {
  struct worker *w = ctx->worker;
  u64 key[PACKED_WORDS];
  w->ordinal++;
  if (!pack_successor(w, t, (u8 *)key)) return;
  represented(w, (u8 *)key);
  if (is_represented(w)) send_key(w->share, key);
}

#if MODEL_CACHES
#include "recent.h"

static void enter_all(struct worker *w, const u64 (*successors)[PACKED_WORDS], u64 count) {
  w->ordinal += count;
  for (u64 k = 0; k < count; k++) {
    u64 key[PACKED_WORDS];
    memcpy(key, successors[k], sizeof key);
    if (is_recent(w->recent, key, hash_of(key))) continue;
    represented(w, (u8 *)key);
    if (is_represented(w)) send_key(w->share, key);
    else forget(w); /* it was not sent */
  }
}
#endif

#include "expand.h"

#if MODEL_CACHES
static int make_moves(struct worker *w, struct lookup *lookups, int count) { return change_cached(w, lookups, count); }

static void forget_all(struct worker *w) { forget(w); }
#else
static void forget_all(struct worker *w) { (void)w; }
#endif

/* --- states of the level ------------------------------------------------------------------------------------------ */

typedef void visit(struct share *share, const u64 *key);

static void expand_key(struct share *share, const u64 *key) {
  struct worker *w = worker_of(share);
  memcpy(w->current.packed, key, PACKED_SIZE);
  w->unpacked = 0;
  w->expanding++;
  expand_current(w);
  if (atomic_load_explicit(&share->search->stopped, memory_order_relaxed) == STOP_ERROR)
    memcpy(share->failed, key, PACKED_SIZE);
  if (__builtin_expect(w->is_cut, 0)) {
    for (int e = 0; w->noted_in == w->expanding && e < ERROR_COUNT; e++)
      atomic_store(&w->errors[e], atomic_load(&w->errors[e]) - w->noted[e]);
    return;
  }
  atomic_store_explicit(&w->transitions, w->transitions + w->ordinal, memory_order_relaxed);
}

/* Find out how many states a stored one stands for. */
static void weigh_key(struct share *share, const u64 *key) {
  struct worker *w = worker_of(share);
  orbit_count orbit = 1;
#if MODEL_NUMBERED
  u64 copy[PACKED_WORDS];
  memcpy(copy, key, sizeof copy);
  orbit = numbered_representative(w, copy);
#elif MODEL_SYMMETRIC
  orbit = orbit_of_packed(share->search, (const u8 *)key);
#else
  (void)key;
#endif
  if (!w->is_cut) w->represents += orbit;
}

static u64 missing_count(const struct share *share) {
#if MODEL_CACHES
  return share->missing.count;
#else
  return (void)share, 0;
#endif
}

/* Visit a state; it is visited again if a value has no number. */
static void try_key(struct share *share, const u64 *key, visit *each) {
  struct worker *w = worker_of(share);
  each(share, key);
  if (__builtin_expect(w->is_cut, 0)) {
    w->is_cut = 0;
#if MODEL_NUMBERED
    numbered_begin(&share->search->numbered, &w->numbered); /* it may rely on what could not be found out */
#endif
    if (!is_over(share->search)) add_key(share, &share->open, key);
  }
}

/* Visit states of the level from `done` on; first those that have waited for numbers.  Returns how many are left. */
static u64 visit_some(struct share *share, u64 *done, u64 most, visit *each) {
  struct search *search = share->search;
  if (missing_count(share) == 0 && share->tried == share->again.count) {
    struct key_list again = share->again;
    share->again = share->open;
    share->open = again;
    share->open.count = share->tried = 0;
  }
  u64 visited = 0, sent = share->arrived;
  for (; visited < most && share->arrived - sent < most && !is_ending(share) && !share->has_full_block; visited++) {
    if (share->open.count == MOST_OPEN || missing_count(share) >= MOST_ASKED) break;
    if (share->tried < share->again.count) try_key(share, key_at(&share->again, share->tried++), each);
    else if (*done < share->level.count) try_key(share, key_at(&share->level, (*done)++), each);
    else break;
    if (visited % LOOK_AFTER == LOOK_AFTER - 1 || search->result->stop_asked) look_at_limits(search);
  }
  return share->level.count - *done + share->again.count - share->tried + share->open.count;
}

u64 share_expand(struct share *share, u64 most) {
  u64 left = visit_some(share, &share->expanded, most, expand_key);
  while (share->taken < share->arrived && !is_over(share->search)) take_waiting(share);
  store_own(share);
  tell(share);
  return left;
}

u64 share_weigh(struct share *share, u64 most) {
  u64 left = visit_some(share, &share->weighed, most, weigh_key);
  tell(share);
  return left;
}

void share_insert(struct share *share, const u8 *keys, u64 count) {
  share->received_count += count;
  store_keys(share, keys, count, &share->next);
  tell(share);
}

void share_known(struct share *share, const u8 *keys, u64 count) {
  store_keys(share, keys, count, NULL);
  tell(share);
}

void share_begin(struct share *share) {
  if (share->owners[partition_of(hash_of(share->initial))] == share->own)
    store_keys(share, (const u8 *)share->initial, 1, &share->next);
  tell(share);
}

u64 share_settle(struct share *share) {
  struct key_list *level = &share->level, *next = &share->next;
  u64 place[PARTITIONS + 1] = {0};
  level->count = 0;
  if (!make_room(level, next->count)) stop(share->search, STOP_MEMORY);
  else {
    for (u64 k = 0; k < next->count; k++) place[partition_of(hash_of(key_at(next, k))) + 1]++;
    for (int p = 0; p < PARTITIONS; p++) place[p + 1] += place[p];
    memcpy(share->begin, place, sizeof place);
    for (u64 k = 0; k < next->count; k++)
      memcpy(key_at(level, place[partition_of(hash_of(key_at(next, k)))]++), key_at(next, k), PACKED_SIZE);
    level->count = next->count;
  }
  next->count = share->expanded = share->weighed = 0;
  share->search->level_size = level->count;
  tell(share);
  return level->count;
}

/* --- for the caller ----------------------------------------------------------------------------------------------- */

void share_counts(struct share *share, u64 *counts) {
  counts[0] = share->sent_count;
  counts[1] = share->received_count;
}

u64 share_block(const struct share *share, int process, const u8 **keys) {
  *keys = (const u8 *)share->blocks[process].words;
  return process == share->own ? 0 : share->blocks[process].count;
}

void share_sent(struct share *share, int process) {
  share->sent_count += share->blocks[process].count;
  share->blocks[process].count = 0;
  share->has_full_block = 0;
  for (int k = 0; k < share->processes; k++)
    if (k != share->own && share->blocks[k].count >= share->block) share->has_full_block = 1;
}

u64 share_level(const struct share *share, const u8 **keys, const u64 **begin) {
  *keys = (const u8 *)share->level.words;
  *begin = share->begin;
  return share->level.count;
}

u64 share_missing(const struct share *share, const int **components, const u8 **states) {
#if MODEL_CACHES
  *components = share->missing.components;
  *states = share->missing.states[0];
#else
  (void)components, (void)states;
#endif
  return missing_count(share);
}

void share_agree(struct share *share, u64 count, const int *components, const u8 *states) {
#if MODEL_CACHES
  struct search *search = share->search;
  struct component_dictionary *dictionary = &search->footprints.dictionary;
  dictionary->missing = NULL;
  for (u64 k = 0, number; k < count && !is_over(search); k++)
    if (!dictionary_number(dictionary, components[k], states + k * STATE_SIZE, &number)) {
      stop(search, STOP_OVERFLOW);
      search->result->overflow_slot = NO_BITS;
      search->result->overflow_kind = components[k];
    }
  forget_missing(&share->missing);
  dictionary->missing = &share->missing;
#else
  (void)count, (void)components, (void)states;
#endif
  tell(share);
}

void share_owners(struct share *share, const uint16_t *owners) { memcpy(share->owners, owners, sizeof share->owners); }

void share_failed(const struct share *share, u8 *key) { memcpy(key, share->failed, PACKED_SIZE); }

u64 share_predecessor(struct share *share, const u8 *keys, u64 count, const u8 *wanted) {
  struct search *search = share->search;
  u64 at = 0;
  search->request.stop_at = 0;
  atomic_store(&search->stopped, STOP_DONE);
  atomic_store(&search->wanted, STOP_DONE);
  share->wanted = wanted;
  share->is_found = 0;
  forget_all(worker_of(share));
  for (; at < count && !search->result->stop_asked; at++) {
    u64 key[PACKED_WORDS];
    memcpy(key, keys + at * PACKED_SIZE, PACKED_SIZE);
    expand_key(share, key);
    if (share->is_found || is_over(search)) break;
  }
  share->wanted = NULL;
  return share->is_found ? at : count;
}

void share_state(const struct share *share, const u8 *key, u8 *state) {
#if MODEL_CACHES
  dictionary_unpack(&share->search->footprints.dictionary, key, state);
#else
  (void)share;
  unpack(key, state);
#endif
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

struct share *share_new(const struct request *request, struct result *result, int processes, int own, u64 block_bytes) {
  struct share *share = calloc(1, sizeof *share);
  if (!share) return NULL;
  share->processes = processes;
  share->own = own;
  share->block = block_bytes / PACKED_SIZE + 1;
  share->blocks = calloc((size_t)processes, sizeof *share->blocks);
  share->search = search_new(request, result);
  if (!share->blocks || !share->search) return share_free(share), NULL;
  struct worker *w = worker_of(share);
  w->share = share;
  w->ctx.successor = send_state;
  open_cache(w);
  forget_all(w);
  if (pack_successor(w, share->search->request.initial, (u8 *)share->initial)) represented(w, (u8 *)share->initial);
  if (w->is_cut) stop(share->search, STOP_OVERFLOW);
  u64 part = request->max_memory / PART_SENT;
  if (!sent_open(&share->sent, part && part < MOST_SENT ? part : MOST_SENT, share->initial))
    return share_free(share), NULL;
#if MODEL_CACHES
  memcpy(share->missing.initial, share->search->request.initial, STATE_SIZE);
  share->search->footprints.dictionary.missing = &share->missing;
#endif
  tell(share);
  return share;
}

void share_free(struct share *share) {
  if (!share) return;
  struct key_list *lists[] = {&share->level, &share->next, &share->open, &share->again};
  for (int k = 0; k < 4; k++) drop_keys(lists[k]);
  for (int k = 0; share->blocks && k < share->processes; k++) drop_keys(&share->blocks[k]);
  free(share->blocks);
  if (share->sent.keys) sent_close(&share->sent);
  search_free(share->search);
  free(share);
}
