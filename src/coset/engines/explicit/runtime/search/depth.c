/* Depth-first search by one thread, with an explicit stack: the states on it are the path to the current state. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "memory.h"
#include "stubborn.h"
#include "worker.h"

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

/* Keep a successor for later. */
static void put_aside(struct context *ctx, const u8 *t) {
  struct worker *w = ctx->worker;
  struct depth *d = w->depth;
  count(&w->transitions);
  if (is_over(w->search) || !has_room(w)) return;
  if (d->pending_count == d->most_pending) {
    stop(w->search, STOP_MEMORY);
    return;
  }
  struct entry *last = &d->pending[d->pending_count++];
  entry_stands_for(last, ctx->orbit);
  int is_too_wide = pack(t, last->packed) != 0;
  store_begin(&w->search->store, &w->current, last, hash_bytes(last->packed, PACKED_SIZE));
  store_locate(&w->search->store, last);
  if (is_too_wide) too_wide(w, 0);
  if (in_halves(&w->search->store)) store_word(&w->search->store, &w->half_numbers, last);
}

/* Make the state on top of the stack the current one. */
static void recall(struct depth *d, const struct frame *frame) {
  struct worker *w = d->worker;
  const struct entry *state = &d->pending[frame->state];
  memcpy(w->current.packed, state->packed, PACKED_SIZE);
  unpack(w->current.packed, w->current.state);
  w->current.left = state->left;
  w->current.right = state->right;
}

#if MODEL_PARTIAL
/* Let the next stubborn sets move, until one of them has a successor. */
static void expand_more(struct depth *d, struct frame *frame) {
  struct worker *w = d->worker;
  struct stubborn sets;
  struct masks_of_state masks;
  sets.all = sets.done = 0;
  w->ctx.timeout = 0;
  if (stubborn_begin(&w->ctx, w->current.state, &sets, &masks))
    for (int k = 0; k < frame->sets; k++) stubborn_next(&sets);
  while (sets.done != sets.all && d->pending_count == frame->end) {
    frame->moves += model_moves_of(&w->ctx, w->current.state, stubborn_next(&sets));
    frame->sets++;
  }
  frame->is_done = sets.done == sets.all;
  frame->is_reduced = !frame->is_done;
  if (frame->is_done && frame->moves == 0) {
    expand(w); /* a timeout, or the end */
    return;
  }
  look_for_overflow(w);
  if (MODEL_SYMMETRIC) certify_current(w, frame->moves);
}
#else
static void expand_more(struct depth *d, struct frame *frame) {
  expand(d->worker);
  frame->is_done = 1;
}
#endif

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
  expand_more(d, frame);
  frame->end = d->pending_count;
  search->level_size = d->height;
  if (d->height - 1 > search->depth) search->depth = d->height - 1;
}

static void keep_stack(struct depth *d) {
  struct search *search = d->worker->search;
  search->stack = malloc(d->height * STATE_SIZE);
  if (!search->stack) return;
  search->stack_size = d->height;
  for (u64 k = 0; k < d->height; k++) unpack(d->pending[d->frames[k].state].packed, search->stack + k * STATE_SIZE);
}

void depth_first(struct search *search) {
  struct worker *w = &search->workers[0];
  u64 reserve = search->request.reserve, steps = 0;
  struct depth d = {
      .worker = w, .most_frames = reserve / sizeof(struct frame), .most_pending = reserve / sizeof(struct entry)};
  d.pending = memory_reserve(d.most_pending * sizeof *d.pending);
  d.frames = memory_reserve(d.most_frames * sizeof *d.frames);
  if (!d.pending || !d.frames) stop(search, STOP_SYSTEM);
  w->ctx.successor = put_aside;
  w->depth = &d;
  if (!is_over(search)) {
    pack(search->request.initial, w->current.packed);
    for (int k = 0; k < PACKED_SIZE; k++) w->current.packed[k] = (u8)~w->current.packed[k];
    put_aside(&w->ctx, search->request.initial);
    atomic_store(&w->transitions, 0);
    visit(&d, 0);
  }
  while (d.height && !is_over(search)) {
    struct frame *top = &d.frames[d.height - 1];
    if (top->next < top->end) {
      visit(&d, top->next++);
    } else if (!top->is_done) {
      recall(&d, top);
      expand_more(&d, top);
      top->end = d.pending_count;
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
