/* A short queue of successors on their way to the store.  Each one waits while the memory that it needs is fetched.

   About half of the successors were queued recently, by another order of the same steps; these are dropped.  Under symmetry, many
   are found to recur before their representatives are looked for.

   Part of breadth.c. */
#ifndef INSERT_QUEUE_H
#define INSERT_QUEUE_H

#include "recent.h"
#include "successor.h"

#define LOOK_AFTER 16 /* successors between two stages of one */
#define NAME_AFTER 32
#define STORE_AFTER 48
#define TOGETHER 128 /* successors stored in one batch */

#if MODEL_GRAPH
static int put_linked(struct worker *w, const struct waiting *next); /* product_queue.h */
#endif

/* Insert a state; returns whether it is new. */
static inline int put(struct worker *w, const struct waiting *next) {
#if MODEL_GRAPH
  return put_linked(w, next);
#else
  return store_put(&w->search->store, &next->entry, w->numbers.next);
#endif
}

static void store(struct worker *w, const struct waiting *next) {
  struct search *search = w->search;
  if (next->entry.hash == 0 || (w->numbers.next == w->numbers.end && !take_numbers(w))) return;
  if (!put(w, next)) return;
  if (!w->filling.room) open_chunk(w);
  store_keep(&search->store, w->filling.items + w->filling.count++ * store_item_size(&search->store), &next->entry);
  if (search->parents) search->parents[w->numbers.next] = next->parent;
  w->numbers.next++;
  w->represents += entry_orbit(&next->entry);
  count(&w->states);
}

static void name(struct worker *w, struct entry *e) {
  e->hash = 0;
  if (w->half_numbers.next + 2 > w->half_numbers.end && !take_half_numbers(w)) return;
  store_word(&w->search->store, &w->half_numbers, e);
}

static inline const u64 *words_of(const struct waiting *next) { return (const u64 *)(const void *)next->entry.packed; }

/* The next slot of the queue. */
static struct waiting *last_in_queue(struct worker *w) { return &w->queue[w->queued % QUEUE]; }

static u64 least(u64 a, u64 b) { return a < b ? a : b; }

/* Advance the queued successors through the stages, until only `waiting` of them are not stored. */
static void advance(struct worker *w, u64 waiting) {
  struct store *s = &w->search->store;
  if (!WHOLE || STORAGE(s) == STORAGE_STATES)
    for (u64 room = least(waiting, LOOK_AFTER); w->looked + room < w->queued; w->looked++)
      store_look(s, &w->queue[w->looked % QUEUE].entry);
  if (in_halves(s))
    for (u64 room = least(waiting, NAME_AFTER); w->named + room < w->queued; w->named++)
      name(w, &w->queue[w->named % QUEUE].entry);
  for (; w->stored + waiting < w->queued; w->stored++) store(w, &w->queue[w->stored % QUEUE]);
}

/* Find the places of queued successors again: another code of keys has been chosen. */
static void place_queue(struct worker *w) {
  struct store *s = &w->search->store;
  w->codes = s->keys.codes;
  for (u64 k = w->stored; k < (in_halves(s) ? w->named : w->queued); k++) store_replace(s, &w->queue[k % QUEUE].entry);
}

#if MODEL_GRAPH
#include "product_queue.h"
#else
/* Queue the successor in the last slot.  It is as likely as not to be recent, so this code has no unpredictable
   branches. */
static inline void enter(struct worker *w) {
  struct waiting *new = last_in_queue(w);
  new->parent = PARENT(w->expanding, w->ordinal++);
  entry_stands_for(&new->entry, represented(w, new->entry.packed));
  u64 hash = hash_bytes(new->entry.packed, PACKED_SIZE);
  int recent = is_recent(w->recent, words_of(new), hash);
  store_begin(&w->search->store, &w->current, &new->entry, hash);
  store_locate(&w->search->store, &new->entry);
  w->queued += (u64)((recent == 0) & is_represented(w));
  if (__builtin_expect(w->queued - w->stored == QUEUE, 0)) advance(w, STORE_AFTER);
}

#if MODEL_CACHES
/* Fill a slot of the queue; returns whether the successor was not recent. */
static inline int enter_next(struct worker *w, struct waiting *new, const u64 *successor, u64 parent) {
  memcpy(new->entry.packed, successor, PACKED_SIZE);
  entry_stands_for(&new->entry, represented(w, new->entry.packed));
  u64 hash = hash_bytes(new->entry.packed, PACKED_SIZE);
  new->parent = parent;
  store_begin(&w->search->store, &w->current, &new->entry, hash);
  return (is_recent(w->recent, words_of(new), hash) == 0) & is_represented(w);
}

#if MODEL_NUMBERED
#define TRIAL 4096     /* successors after which it is decided whether it pays to look for recent ones */
#define WITHOUT 131072 /* successors that are not looked for if not */
#define LEAST_SHARE 16 /* it pays if at least one in so many recurs */

/* Drop successors that were met recently, before looking for their representatives; returns how many are left, and which.  Where
   messages name processes, few recur before they are represented: then most are not looked for. */
static inline u64 drop_met(struct worker *w, const u64 (*successors)[PACKED_WORDS], u64 count, u8 *left) {
  u64 found = 0;
  struct trial *trial = &w->trial;
  if (trial->without) {
    for (u64 k = 0; k < count; k++) left[k] = (u8)k;
    trial->without = trial->without > count ? trial->without - count : 0;
    return count;
  }
  for (u64 k = 0; k < count; k++) {
    left[found] = (u8)k;
    found += !is_recent(w->recent_moved, successors[k], hash_bytes((const u8 *)successors[k], PACKED_SIZE));
  }
  trial->tried += count;
  trial->left += found;
  if (trial->tried >= TRIAL) {
    if ((trial->tried - trial->left) * LEAST_SHARE < trial->tried) trial->without = WITHOUT;
    trial->tried = trial->left = 0;
  }
  return found;
}
#endif

/* Queue several successors, as above. */
static __attribute__((noinline)) void enter_all(struct worker *w, const u64 (*successors)[PACKED_WORDS], u64 count) {
  if (__builtin_expect(w->queued - w->stored + count > QUEUE, 0)) advance(w, STORE_AFTER);
  u64 queued = w->queued, parent = PARENT(w->expanding, w->ordinal);
#if MODEL_NUMBERED
  u8 left[256];
  u64 left_count = drop_met(w, successors, count, left);
  for (u64 k = 0; k < left_count; k++)
    queued += enter_next(w, &w->queue[queued % QUEUE], successors[left[k]], parent + PARENT(0, (u64)left[k]));
#else
  for (u64 k = 0; k < count; k++)
    queued += enter_next(w, &w->queue[queued % QUEUE], successors[k], parent + PARENT(0, k));
#endif
  for (; w->queued < queued; w->queued++) store_locate(&w->search->store, &w->queue[w->queued % QUEUE].entry);
  w->ordinal += count;
}

/* Queue a successor whose halves have numbers. */
static inline void enter_pair(struct worker *w, u64 left, u64 right) {
  struct waiting *new = last_in_queue(w);
  u64 word = left << 32 | (right + 1), *kept = &w->recent_pairs[hash_word(word) % RECENT_PAIRS];
  new->parent = PARENT(w->expanding, w->ordinal++);
  new->entry.left = left;
  new->entry.right = right;
  new->entry.new_left = new->entry.new_right = 0;
  w->queued += *kept != word;
  *kept = word;
  if (__builtin_expect(w->queued - w->stored == QUEUE, 0)) advance(w, STORE_AFTER);
}
#endif
#endif

static void queue(struct context *ctx, const u8 *t) {
  struct worker *w = ctx->worker;
  if (pack_successor(w, t, last_in_queue(w)->entry.packed)) enter(w);
  else w->ordinal++;
}

#endif
