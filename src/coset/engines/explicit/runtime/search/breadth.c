/* Breadth-first search by one or several threads.

   Each thread numbers the states that it finds and keeps them in its own chunks; all threads together expand the chunks of
   one level to find the next.  Successors wait in a short queue while the memory that they need is fetched.  At the end of
   a level, or when a table is nearly full, the threads synchronise at a barrier. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "checkpoint.h"
#include "memory.h"
#include "transfer.h"

#define ID_BLOCK 1024                /* state numbers that a thread takes at once */
#define HALF_ID_BLOCK 256            /* numbers of halves that a thread takes at once */
#define SPARE_NUMBERS ((u64)1 << 16) /* numbers reserved for states being expanded */
#define LEAST_PORTION 16             /* the fewest states that a thread takes from the level at once */
#define MOST_PORTION 1024 /* the most: enough for duplicates to meet in the queue, and few enough to balance the load */
#define AHEAD 4           /* states of the level that are fetched before they are needed */

static void meet(struct worker *w);
static int take_numbers(
    struct worker *w); /* for states that this thread will find; returns whether the search continues */
static int take_half_numbers(struct worker *w); /* the same for halves */
static void open_chunk(struct worker *w);       /* for states of the next level */

#include "insert_queue.h"
#include "expand_halves.h"
#if MODEL_GRAPH
#include "product_expand.h"
#else
static inline void expand_next(struct worker *w) { expand_current(w); }
#endif

/* --- chunks ------------------------------------------------------------------------------------------------------- */

void add_chunk(struct chunks *list, struct chunk chunk) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->items = realloc(list->items, list->room * sizeof *list->items);
    if (!list->items) abort();
  }
  list->items[list->count++] = chunk;
}

static void drop_chunks(struct chunks *list) {
  for (u64 k = 0; k < list->count; k++) free(list->items[k].items);
  list->count = 0;
}

/* Reuse the memory of the chunks of a finished level. (With free and malloc, threads would wait for the system.) */
static void reuse_chunks(struct search *search) {
  struct chunks *done = &search->level;
  for (u64 k = 0; k < done->count; k++)
    if (done->items[k].room == ID_BLOCK)
      add_chunk(&search->workers[k % (u64)search->request.threads].spare, done->items[k]);
    else free(done->items[k].items);
  done->count = 0;
}

/* Finish the current chunk of the thread; the next state begins a new one. */
static void close_chunk(struct worker *w) {
  if (w->filling.count) add_chunk(&w->found, w->filling);
  else free(w->filling.items);
  w->filling = (struct chunk){0};
}

static void open_chunk(struct worker *w) {
  u64 size = store_item_size(&w->search->store);
  u8 *items = w->spare.count ? w->spare.items[--w->spare.count].items : size ? malloc(ID_BLOCK * size) : NULL;
  w->filling = (struct chunk){w->numbers.next, 0, ID_BLOCK, items};
  if (size && !w->filling.items) abort();
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static int fits(struct search *search) { return store_fits(&search->store, atomic_load(&search->number_count)); }

/* Tables always have room for all numbers that have been taken.  If one must grow, all threads synchronise, even if this
   one is in the middle of expanding a state.  Returns whether the search continues. */
static int wait_for_room(struct worker *w) {
  struct search *search = w->search;
  while (!is_over(search) && !fits(search)) {
    if (search->tight) {
      if (!store_holds(&search->store, atomic_load(&search->number_count))) stop(search, STOP_MEMORY);
      break;
    }
    atomic_store(&search->halt, 1);
    w->halfway = 1;
    meet(w);
    w->halfway = 0;
  }
  return !is_over(search);
}

/* A search that is stopped in the middle of a state cannot be resumed.  So it is asked to end while some numbers are left,
   and stopped at once only if these do not suffice. */
static void look_at_capacity(struct search *search, u64 taken, u64 capacity) {
  if (taken > capacity) stop(search, STOP_MEMORY);
  else if (taken + SPARE_NUMBERS > capacity) want(search, STOP_MEMORY);
}

static int take_numbers(struct worker *w) {
  struct search *search = w->search;
  const struct request *request = &search->request;
  if (is_over(search)) return 0;
  close_chunk(w);
  u64 first = atomic_fetch_add(&search->number_count, ID_BLOCK);
  look_at_capacity(search, first + ID_BLOCK, search->capacity);
  if (request->max_states && first >= request->max_states + (u64)request->threads * ID_BLOCK) want(search, STOP_STATES);
  if (w == search->workers && first / ID_BLOCK % 64 == 63) look_at_limits(search);
  if (!wait_for_room(w)) return 0;
  w->numbers = (struct id_block){first, first + ID_BLOCK};
  return 1;
}

static int take_half_numbers(struct worker *w) {
  struct store *store = &w->search->store;
  if (is_over(w->search)) return 0;
  u64 first = atomic_fetch_add(&store->half_count, HALF_ID_BLOCK);
  look_at_capacity(w->search, first + HALF_ID_BLOCK, store->halves.capacity);
  if (!wait_for_room(w)) return 0;
  w->half_numbers = (struct id_block){first, first + HALF_ID_BLOCK};
  return 1;
}

/* --- levels ------------------------------------------------------------------------------------------------------- */

#define LOOK_AFTER_STATES (SINGLE_THREADED ? 128 : 4096) /* states between two checks of the limits */

static u64 portion_size(const struct search *search) {
  u64 size = search->level_size / (32 * (u64)search->request.threads);
  return size < LEAST_PORTION ? LEAST_PORTION : size > MOST_PORTION ? MOST_PORTION : size;
}

/* Store all successors in the queue. */
static void flush_queue(struct worker *w) {
  advance(w, 0);
  w->states_before = atomic_load_explicit(&w->states, memory_order_relaxed);
}

/* Whether the stubborn sets that have moved suffice: one of their successors is new, so that it belongs to the next level
   and is expanded later than this state. */
static int has_new_successor(struct context *ctx) {
  struct worker *w = ctx->worker;
  advance(w, 0);
  return atomic_load_explicit(&w->states, memory_order_relaxed) > w->states_before;
}

/* Take some states of the level to expand, if any are left. */
static int take_portion(struct worker *w, u64 size) {
  struct search *search = w->search;
  if (w->portion.next < w->portion.end) return 1;
  u64 first = atomic_fetch_add(&search->next_portion, size);
  if (first >= search->level_size) return 0;
  w->portion = (struct id_block){first, first + size < search->level_size ? first + size : search->level_size};
  return 1;
}

/* Whether the search is to end before the next state is expanded. */
static int is_ending(struct search *search) {
  if (__builtin_expect(search->result->stop_asked, 0)) want(search, STOP_ASKED);
  return is_over(search) || atomic_load_explicit(&search->wanted, memory_order_relaxed) != STOP_DONE;
}

/* A state with a successor that does not fit is expanded again (transfer.h): forget what this has found but its states. */
static void forget_current(struct worker *w) {
  advance(w, 0);
  for (int e = 0; w->noted_in == w->expanding && e < ERROR_COUNT; e++)
    atomic_store(&w->errors[e], atomic_load(&w->errors[e]) - w->noted[e]);
#if MODEL_GRAPH
  drop_row(w);
#endif
}

/* Expand states of the level until it is finished or a halt is requested. */
static void work(struct worker *w) {
  struct search *search = w->search;
  const struct chunk *chunk = search->level.items;
  u64 done = 0, before = 0, size = store_item_size(&search->store), portion = portion_size(search);
  flush_queue(w);
  while (!atomic_load_explicit(&search->halt, memory_order_relaxed) && take_portion(w, portion)) {
    u64 first = w->portion.next, end = w->portion.end, k = first;
    for (; k < end && !is_ending(search); k++) {
      while (k >= before + chunk->count) before += chunk++->count;
      u64 at = k - before;
      if (at + AHEAD < chunk->count) store_fetch_halves(&search->store, chunk->items + (at + AHEAD) * size);
      store_recall(&search->store, chunk->items + at * size, chunk->first + at, &w->current);
      w->unpacked = 0;
      w->expanding = chunk->first + at;
      expand_next(w);
      if (__builtin_expect(w->is_cut, 0)) {
        forget_current(w);
        break;
      }
      atomic_store_explicit(&w->transitions, w->transitions + w->ordinal, memory_order_relaxed);
      if (MODEL_PARTIAL) flush_queue(w);
      else if (w->queued - w->stored >= STORE_AFTER + TOGETHER) advance(w, STORE_AFTER);
    }
    w->portion.next = k;
    done += k - first;
    if (w == search->workers && done >= LOOK_AFTER_STATES) {
      done = 0;
      look_at_limits(search);
      if (checkpoint_due(search)) atomic_store(&search->halt, 1);
    }
  }
  advance(w, 0);
}

static void next_level(struct search *search) {
  reuse_chunks(search);
  search->level_size = 0;
  for (int k = 0; k < search->request.threads; k++) {
    struct worker *w = &search->workers[k];
    close_chunk(w);
    for (u64 i = 0; i < w->found.count; i++) {
      add_chunk(&search->level, w->found.items[i]);
      search->level_size += w->found.items[i].count;
    }
    w->found.count = 0;
  }
  atomic_store(&search->next_portion, 0);
#if MODEL_GRAPH
  if (search->after_level) search->after_level(search);
#endif
  if (search->level_size == 0 || is_over(search)) search->over = 1;
  else search->depth++;
}

/* Whether the limits permit the tables to grow. */
static int may_grow(struct search *search) {
  u64 states = atomic_load(&search->number_count), most = search->request.max_memory;
  if (most && memory_resident() + store_growth(&search->store, states) >= most) return 0;
  return store_may_grow(&search->store, states);
}

/* Run by one thread while the others wait: grow the tables, and begin the next level if this one is finished.  States
   being expanded are finished before the search ends, so that a checkpoint can be written. */
static void between(struct search *search) {
  look_at_limits(search);
  if (!fits(search) && !may_grow(search)) {
    search->tight = 1;
    want(search, STOP_MEMORY);
  }
  int wanted = atomic_load(&search->wanted), halfway = 0;
  for (int k = 0; k < search->request.threads; k++) halfway |= search->workers[k].halfway;
  if (!halfway && !is_over(search)) {
    if (search->request.checkpoint && (wanted || checkpoint_due(search))) checkpoint_write(search);
    if (wanted) stop(search, wanted);
  }
  if (!is_over(search) && !fits(search) && !search->tight &&
      !store_grow(&search->store, atomic_load(&search->number_count)))
    stop(search, STOP_MEMORY);
  if (is_over(search)) {
    search->over = 1;
    return;
  }
  atomic_store(&search->halt, wanted != STOP_DONE);
  if (atomic_load(&search->next_portion) < search->level_size) return; /* the level is not finished */
  if (!halfway) next_level(search);
}

static void meet(struct worker *w) {
  struct search *search = w->search;
  struct keys *keys = &search->store.keys;
  int several = search->request.threads > 1, first = w == search->workers;
  if (several) barrier_wait(&search->barrier);
  if (first) between(search);
  if (several) barrier_wait(&search->barrier);
  while (keys_are_growing(keys)) {
    keys_move(keys);
    if (several) barrier_wait(&search->barrier);
    if (first) keys_moved(keys);
    if (several) barrier_wait(&search->barrier);
  }
  if (w->codes != keys->codes) place_queue(w);
}

static void *run(void *argument) {
  struct worker *w = argument;
  barrier_spread((int)(w - w->search->workers), w->search->home);
  while (!w->search->over) {
    work(w);
    if (!w->search->over) meet(w); /* it is over if the other threads have ended the search meanwhile */
  }
  return NULL;
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

/* The initial state has no parent to share halves with. */
static void store_initial(struct worker *w) {
  const u8 *initial = w->search->request.initial;
  w->unpacked = 0;
  pack_successor(w, initial, w->current.packed);
  for (int k = 0; k < PACKED_SIZE; k++) w->current.packed[k] = (u8)~w->current.packed[k];
  w->expanding = NO_INDEX;
  queue(&w->ctx, initial);
  flush_queue(w);
  if (w->is_cut) stop(w->search, STOP_OVERFLOW);
}

/* Begin from another search, a checkpoint or the initial state; returns whether there is anything to do. */
static int begin(struct search *search) {
  int taken = search->request.before ? transfer_take(search) : 0;
  if (taken < 0) stop(search, atomic_load(&search->wanted) ? atomic_load(&search->wanted) : STOP_SYSTEM);
  if (taken != 0) return taken > 0;
  if (search->request.checkpoint) search->checkpoint_time = checkpoint_clock();
  int found = search->request.resume ? checkpoint_read(search) : 0;
  if (found < 0) stop(search, STOP_SYSTEM);
  if (found != 0) return found > 0 && !search->over;
  store_initial(&search->workers[0]);
  next_level(search);
  search->depth = 0;
  return 1;
}

/* A finished search is written to the checkpoint, too. */
static void end(struct search *search) {
  search->request.allowance = (struct allowance){0, 0};
  look_at_limits(search);
  if (search->request.checkpoint && !is_over(search)) checkpoint_write(search);
}

void breadth_first(struct search *search) {
  struct worker *w = &search->workers[0];
  int threads = search->request.threads;
  for (int k = 0; k < threads; k++) {
    search->workers[k].ctx.successor = queue;
    search->workers[k].ctx.enough = has_new_successor;
    forget(&search->workers[k]);
    open_cache(&search->workers[k]);
  }
  if (!begin(search)) return;
  if (threads == 1) {
    run(w);
    end(search);
    return;
  }
#if !SINGLE_THREADED
  pthread_t handles[threads];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  barrier_open(&search->barrier, threads);
  search->home = barrier_home();
  for (int k = 1; k < threads; k++)
    if (pthread_create(&handles[k], &attributes, run, &search->workers[k])) abort();
  run(w);
  for (int k = 1; k < threads; k++) pthread_join(handles[k], NULL);
  barrier_close(&search->barrier);
  pthread_attr_destroy(&attributes);
  end(search);
#endif
}

void breadth_free(struct search *search) {
  for (int k = 0; search->workers && k < search->request.threads; k++) {
    struct worker *w = &search->workers[k];
    close_chunk(w);
    drop_chunks(&w->found);
    drop_chunks(&w->spare);
    free(w->found.items);
    free(w->spare.items);
  }
  drop_chunks(&search->level);
  free(search->level.items);
}
