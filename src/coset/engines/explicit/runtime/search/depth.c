/* Depth-first search by one thread, with an explicit stack: the states on it are the path to the current state. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "memory.h"
#include "stubborn.h"
#include "successor.h"

#define HALF_ID_BLOCK 256

/* A state on the stack: its index in `pending`, and which of its successors are still to be visited.  With stubborn sets,
   it also has how many of them have moved, and whether a successor was new: that one is expanded later than this state, so
   that the other sets need not move (stubborn.h). */
struct frame {
  u64 state, next, end;
  int sets, moves, is_done, is_reduced;
};

struct depth {
  struct worker *worker;
  struct entry *pending; /* successors to be visited */
  struct frame *frames;
  u64 height, most_frames, pending_count, most_pending;
};

static int has_room(struct worker *w) {
  struct search *search = w->search;
  struct store *store = &search->store;
  if (w->half_numbers.next + 2 > w->half_numbers.end) {
    u64 first = atomic_fetch_add(&store->half_count, HALF_ID_BLOCK);
    if (in_halves(store) && first + HALF_ID_BLOCK > store->halves.capacity) return stop(search, STOP_MEMORY), 0;
    w->half_numbers = (struct id_block){first, first + HALF_ID_BLOCK};
  }
  if (store_fits(store, w->numbers.next + 1)) return 1;
  u64 most = search->request.max_memory;
  int allowed = !most || memory_resident() + store_growth(store, w->numbers.next + 1) < most;
  if (w->numbers.next + 1 >= search->capacity || !allowed || !store_grow(store, w->numbers.next + 1))
    return stop(search, STOP_MEMORY), 0;
  keys_settle(&store->keys);
  return 1;
}

/* The next place for a pending state, or NULL if there is no room. */
static struct entry *next_place(struct worker *w) {
  struct depth *d = w->depth;
  w->ordinal++;
  if (is_over(w->search) || !has_room(w)) return NULL;
  if (d->pending_count < d->most_pending) return &d->pending[d->pending_count];
  stop(w->search, STOP_MEMORY);
  return NULL;
}

/* Keep the packed successor in the next place for later. */
static void put_aside(struct worker *w, struct entry *last) {
  entry_stands_for(last, represented(w, last->packed));
  store_begin(&w->search->store, &w->current, last, hash_bytes(last->packed, PACKED_SIZE));
  store_locate(&w->search->store, last);
  if (in_halves(&w->search->store)) store_word(&w->search->store, &w->half_numbers, last);
  w->depth->pending_count++;
}

static void put_state_aside(struct context *ctx, const u8 *t) {
  struct worker *w = ctx->worker;
  struct entry *last = next_place(w);
  if (last && pack_successor(w, t, last->packed)) put_aside(w, last);
}

/* Make the state on top of the stack the current one. */
static void recall(struct depth *d, const struct frame *frame) {
  struct worker *w = d->worker;
  const struct entry *state = &d->pending[frame->state];
  memcpy(w->current.packed, state->packed, PACKED_SIZE);
  w->unpacked = 0;
  w->current.left = state->left;
  w->current.right = state->right;
}

#if MODEL_CACHES
static void enter_all(struct worker *w, const u64 (*successors)[PACKED_WORDS], u64 count) {
  for (u64 k = 0; k < count; k++) {
    struct entry *last = next_place(w);
    if (!last) return;
    memcpy(last->packed, successors[k], PACKED_SIZE);
    put_aside(w, last);
  }
}
#endif

#include "expand.h"

#if MODEL_CACHES
static int make_moves(struct worker *w, struct lookup *lookups, int count) { return change_cached(w, lookups, count); }
#endif

#if MODEL_PARTIAL
/* Let the next stubborn sets move, until one of them has a successor. */
static void expand_more(struct depth *d, struct frame *frame) {
  struct worker *w = d->worker;
  struct sets_of_state sets;
  begin_current(w);
  if (sets_begin(w, &sets))
    for (int k = 0; k < frame->sets; k++) stubborn_next(&sets.stubborn);
  else sets.stubborn.all = sets.stubborn.done = 0;
  while (sets.stubborn.done != sets.stubborn.all && d->pending_count == frame->end) {
    frame->moves += moves_of_group(w, stubborn_next(&sets.stubborn));
    frame->sets++;
  }
  frame->is_done = sets.stubborn.done == sets.stubborn.all;
  frame->is_reduced = !frame->is_done;
  if (frame->is_done && frame->moves == 0) {
    unpacked(w);
    expand(w); /* a timeout, or the end */
    return;
  }
  look_for_overflow(w);
  if (MODEL_SYMMETRIC) certify_current(w, frame->moves);
}
#else
static void expand_more(struct depth *d, struct frame *frame) {
  expand_current(d->worker);
  frame->is_done = 1;
}
#endif

/* Expand the state on top of the stack, which is the current one, further. */
static void go_on(struct depth *d, struct frame *top) {
  struct worker *w = d->worker;
  expand_more(d, top);
  atomic_store_explicit(&w->transitions, w->transitions + w->ordinal, memory_order_relaxed);
  top->end = d->pending_count;
}

/* Visit a pending state, unless it has been seen. */
static void visit(struct depth *d, u64 at) {
  struct worker *w = d->worker;
  struct search *search = w->search;
  struct entry *state = &d->pending[at];
  if (!has_room(w)) return;
  if (keys_are_compact(&search->store.keys)) store_replace(&search->store, state); /* it may have waited for long */
  if (!store_put(&search->store, state, w->numbers.next)) return;
  if (d->height == d->most_frames) {
    stop(search, STOP_MEMORY);
    return;
  }
  w->numbers.next++;
  w->represents += entry_orbit(state);
  count(&w->states);
  if (d->height) d->frames[d->height - 1].is_done = 1;
  struct frame *frame = &d->frames[d->height++];
  *frame = (struct frame){.state = at, .next = d->pending_count, .end = d->pending_count};
  recall(d, frame);
  go_on(d, frame);
  search->level_size = d->height;
  if (d->height - 1 > search->depth) search->depth = d->height - 1;
}

static void keep_stack(struct depth *d) {
  struct search *search = d->worker->search;
  search->stack = malloc(d->height * STATE_SIZE);
  if (!search->stack) return;
  search->stack_size = d->height;
  for (u64 k = 0; k < d->height; k++) {
    recall(d, &d->frames[k]);
    memcpy(search->stack + k * STATE_SIZE, unpacked(d->worker), STATE_SIZE);
  }
}

/* The initial state has no parent to share halves with. */
static void begin(struct depth *d) {
  struct worker *w = d->worker;
  const u8 *initial = w->search->request.initial;
  if (!pack_successor(w, initial, w->current.packed)) return;
  for (int k = 0; k < PACKED_SIZE; k++) w->current.packed[k] = (u8)~w->current.packed[k];
  put_state_aside(&w->ctx, initial);
  if (d->pending_count) visit(d, 0);
}

void depth_first(struct search *search) {
  struct worker *w = &search->workers[0];
  u64 reserve = search->request.reserve, steps = 0;
  struct depth d = {
      .worker = w, .most_frames = reserve / sizeof(struct frame), .most_pending = reserve / sizeof(struct entry)};
  d.pending = memory_reserve(d.most_pending * sizeof *d.pending);
  d.frames = memory_reserve(d.most_frames * sizeof *d.frames);
  if (!d.pending || !d.frames) stop(search, STOP_SYSTEM);
  w->ctx.successor = put_state_aside;
  w->depth = &d;
  open_cache(w);
  if (!is_over(search)) begin(&d);
  while (d.height && !is_over(search)) {
    struct frame *top = &d.frames[d.height - 1];
    if (top->next < top->end) {
      visit(&d, top->next++);
    } else if (!top->is_done) {
      recall(&d, top);
      go_on(&d, top);
    } else {
      w->reduced += (u64)top->is_reduced;
      d.height--;
      d.pending_count = d.height ? d.frames[d.height - 1].end : 0;
    }
    if ((++steps & 127) == 0 || search->result->stop_asked) look_at_limits(search);
    if (atomic_load_explicit(&search->wanted, memory_order_relaxed)) stop(search, atomic_load(&search->wanted));
  }
  if (atomic_load(&search->stopped) == STOP_ERROR) keep_stack(&d);
  w->depth = NULL;
  memory_release(d.pending, d.most_pending * sizeof *d.pending);
  memory_release(d.frames, d.most_frames * sizeof *d.frames);
}
