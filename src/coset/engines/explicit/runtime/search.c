/* Breadth-first search by one or several threads.

   The pool of states is the queue: each thread appends the states that it finds to stretches of the pool of its own, and
   the stretches of one level are what all threads together work on in the next.  Successors wait in a short line while
   the memory that they need is fetched.  At the end of a level, or when the table is nearly full, threads meet. */
#define _GNU_SOURCE
#include "search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "visited.h"

#define LINE 32            /* successors that wait for the memory: half of them for the table, half for the pool */
#define STRETCH 1024       /* states that a thread takes from the pool at once */
#define PORTION 64         /* states that a thread takes from the level at once */
#define MOST_THREADS 64

struct waiting {
  u8 state[STATE_SIZE];
  u64 hash, parent;
};

struct stretch {
  u64 first, end;
};

struct stretches {
  struct stretch *items;
  u64 count, room;
};

struct worker {
  struct context x;
  struct search *search;
  struct waiting line[LINE];
  u64 queued, stored;        /* successors that entered the line, and left it */
  u64 fresh, fresh_end;      /* what is left of this thread's stretch of the pool */
  u64 fresh_first;           /* where the states of the next level begin in it */
  struct stretches found;    /* states of the next level */
  u64 expanding;             /* index of the state being expanded */
  int halfway;               /* meets the others with a state that is not done */
  _Atomic u64 states, transitions, errors[ERROR_COUNT];
};

struct search {
  struct request request;
  struct result *result;
  struct visited visited;
  struct worker *workers;
  struct stretches level;
  _Atomic u64 next_portion;  /* position in the level */
  _Atomic u64 next_stretch;  /* position in the pool */
  u64 level_size, depth;
  _Atomic int halt;          /* finish the state at hand and meet the others */
  _Atomic int stopped;       /* the first reason to end the search */
  pthread_barrier_t meeting;
  int over;
};

static void add_stretch(struct stretches *list, u64 first, u64 end) {
  if (first == end) return;
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->items = realloc(list->items, list->room * sizeof *list->items);
    if (!list->items) abort();
  }
  list->items[list->count++] = (struct stretch){first, end};
}

/* Counters are written by one thread and read by others. */
static void count(_Atomic u64 *counter) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* End the search; whether this is the first reason to. */
static int stop(struct search *search, int reason) {
  int none = STOP_DONE;
  int is_first = atomic_compare_exchange_strong(&search->stopped, &none, reason);
  atomic_store(&search->halt, 1);
  return is_first;
}

static int is_over(const struct search *search) {
  return atomic_load_explicit(&search->stopped, memory_order_relaxed) != STOP_DONE;
}

static void look_at_limits(struct search *search);
static void meet(struct worker *w);

/* --- storing ------------------------------------------------------------------------------------------------------ */

/* Take a stretch of the pool.  The table always has places for all stretches that have been taken: if it must grow for
   this one, all threads meet, even if this one is in the middle of a state with very many successors. */
static int take_stretch(struct worker *w) {
  struct search *search = w->search;
  const struct request *request = &search->request;
  if (is_over(search)) return 0;
  add_stretch(&w->found, w->fresh_first, w->fresh);
  w->fresh = w->fresh_first = atomic_fetch_add(&search->next_stretch, STRETCH);
  w->fresh_end = w->fresh + STRETCH;
  if (w->fresh_end > search->visited.capacity) stop(search, STOP_MEMORY);
  if (request->max_states && w->fresh >= request->max_states + (u64)request->threads * STRETCH) stop(search, STOP_STATES);
  if (w == search->workers && w->fresh / STRETCH % 64 == 63) look_at_limits(search);
  while (!is_over(search) && !visited_fits(&search->visited, w->fresh_end)) {
    atomic_store(&search->halt, 1);
    w->halfway = 1;
    meet(w);
    w->halfway = 0;
  }
  if (!is_over(search)) return 1;
  w->fresh = w->fresh_first = w->fresh_end = 0;
  return 0;
}

static void store(struct worker *w, const struct waiting *next) {
  if (w->fresh == w->fresh_end && !take_stretch(w)) return;
  if (visited_put(&w->search->visited, next->state, next->hash, w->fresh, next->parent) == w->fresh) {
    w->fresh++;
    count(&w->states);
  }
}

static void queue(struct context *x, const u8 *t) {
  struct worker *w = x->worker;
  const struct visited *visited = &w->search->visited;
  struct waiting *last = &w->line[w->queued % LINE];
  count(&w->transitions);
  if (w->queued - w->stored == LINE) {
    store(w, last);
    w->stored++;
  }
  memcpy(last->state, t, STATE_SIZE);
  last->hash = hash_state(t);
  last->parent = w->expanding;
  visited_fetch_place(visited, last->hash);
  if (w->queued - w->stored >= LINE / 2) visited_fetch_state(visited, w->line[(w->queued - LINE / 2) % LINE].hash);
  w->queued++;
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

static void note(struct context *x, int error, int edge) {
  struct worker *w = x->worker;
  struct search *search = w->search;
  count(&w->errors[error]);
  if (!(search->request.stop_at >> error & 1)) return;
  if (stop(search, STOP_ERROR)) {
    search->result->error_kind = error;
    search->result->error_edge = edge;
    search->result->error_state = w->expanding;
  }
}

/* --- expanding ---------------------------------------------------------------------------------------------------- */

static void expand(struct worker *w, u64 index) {
  struct context *x = &w->x;
  const u8 *state = visited_state(&w->search->visited, index);
  w->expanding = index;
  x->timeout = 0;
  int moves = model_successors(x, state);
#if MODEL_TIMES_OUT
  if (moves == 0) {
    x->timeout = 1;
    moves = model_successors(x, state);
  }
#endif
  if (moves == 0 && !model_may_end(x, state)) note(x, ERROR_END, -1);
  if (x->overflow_slot >= 0 && stop(w->search, STOP_OVERFLOW)) {
    w->search->result->overflow_slot = x->overflow_slot;
    w->search->result->overflow_kind = x->overflow_kind;
  }
}

static u64 resident_bytes(void) {
  u64 pages = 0, ignored;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%lu %lu", &ignored, &pages) != 2) pages = 0;
  fclose(file);
  return pages * (u64)sysconf(_SC_PAGESIZE);
}

/* Called by one thread while the others wait, or every now and then. */
static void add_up(struct search *search) {
  struct result *result = search->result;
  u64 states = 0, transitions = 1, errors[ERROR_COUNT] = {0};
  for (int k = 0; k < search->request.threads; k++) {
    struct worker *w = &search->workers[k];
    states += atomic_load_explicit(&w->states, memory_order_relaxed);
    transitions += atomic_load_explicit(&w->transitions, memory_order_relaxed);
    for (int e = 0; e < ERROR_COUNT; e++) errors[e] += atomic_load_explicit(&w->errors[e], memory_order_relaxed);
  }
  result->states = states;
  result->transitions = transitions;
  for (int e = 0; e < ERROR_COUNT; e++) result->errors[e] = errors[e];
  result->depth = search->depth;
  result->frontier = search->level_size;
}

static void look_at_limits(struct search *search) {
  const struct request *request = &search->request;
  struct result *result = search->result;
  add_up(search);
  result->memory = resident_bytes();
  if (result->stop_asked) stop(search, STOP_ASKED);
  if (request->max_states && result->states >= request->max_states) stop(search, STOP_STATES);
  if (request->max_memory && result->memory >= request->max_memory) stop(search, STOP_MEMORY);
}

/* Work on the level until it is done or somebody calls for a halt. */
static void work(struct worker *w, int first) {
  struct search *search = w->search;
  u64 done = 0, stretch = 0, before = 0;
  while (!atomic_load_explicit(&search->halt, memory_order_relaxed)) {
    u64 portion = atomic_fetch_add(&search->next_portion, PORTION);
    if (portion >= search->level_size) break;
    u64 end = portion + PORTION < search->level_size ? portion + PORTION : search->level_size;
    for (u64 k = portion; k < end && !is_over(search); k++) {
      while (k >= before + (search->level.items[stretch].end - search->level.items[stretch].first)) {
        before += search->level.items[stretch].end - search->level.items[stretch].first;
        stretch++;
      }
      expand(w, search->level.items[stretch].first + (k - before));
    }
    if (first && (++done & 63) == 0) look_at_limits(search);
  }
  for (; w->stored < w->queued; w->stored++) store(w, &w->line[w->stored % LINE]);
}

/* What one thread does while the others wait: more room, and the next level if this one is done. */
static void between(struct search *search) {
  struct request *request = &search->request;
  look_at_limits(search);
  if (is_over(search)) {
    search->over = 1;
    return;
  }
  visited_grow(&search->visited, atomic_load(&search->next_stretch));
  atomic_store(&search->halt, 0);
  if (atomic_load(&search->next_portion) < search->level_size) return; /* the level goes on after the growth */
  for (int k = 0; k < request->threads; k++)
    if (search->workers[k].halfway) return;
  search->level.count = 0;
  search->level_size = 0;
  for (int k = 0; k < request->threads; k++) {
    struct worker *w = &search->workers[k];
    add_stretch(&w->found, w->fresh_first, w->fresh);
    w->fresh_first = w->fresh;
    for (u64 i = 0; i < w->found.count; i++) {
      add_stretch(&search->level, w->found.items[i].first, w->found.items[i].end);
      search->level_size += w->found.items[i].end - w->found.items[i].first;
    }
    w->found.count = 0;
  }
  atomic_store(&search->next_portion, 0);
  if (search->level_size == 0) search->over = 1;
  else search->depth++;
}

static void meet(struct worker *w) {
  struct search *search = w->search;
  int several = search->request.threads > 1;
  if (several) pthread_barrier_wait(&search->meeting);
  if (w == search->workers) between(search);
  if (several) pthread_barrier_wait(&search->meeting);
}

static void *run(void *argument) {
  struct worker *w = argument;
  while (!w->search->over) {
    work(w, w == w->search->workers);
    if (!w->search->over) meet(w); /* it is over if others met in the meantime to end the search */
  }
  return NULL;
}

/* --- the caller's side -------------------------------------------------------------------------------------------- */

struct search *search_new(const struct request *request, struct result *result) {
  struct search *search = calloc(1, sizeof *search);
  if (!search) return NULL;
  search->request = *request;
  search->result = result;
  if (search->request.threads < 1) search->request.threads = 1;
  if (search->request.threads > MOST_THREADS) search->request.threads = MOST_THREADS;
  search->workers = aligned_alloc(64, (sizeof(struct worker) * (u64)search->request.threads + 63) / 64 * 64);
  if (!search->workers || !visited_open(&search->visited, request->reserve, request->keep_parents)) {
    search_free(search);
    return NULL;
  }
  memset(search->workers, 0, sizeof(struct worker) * (u64)search->request.threads);
  for (int k = 0; k < search->request.threads; k++) {
    search->workers[k].search = search;
    search->workers[k].x.worker = &search->workers[k];
    search->workers[k].x.overflow_slot = -1;
    search->workers[k].x.successor = queue;
    search->workers[k].x.report = note;
  }
  return search;
}

void search_run(struct search *search) {
  struct worker *w = &search->workers[0];
  struct waiting first = {.parent = NO_INDEX};
  int threads = search->request.threads;
  memcpy(first.state, search->request.initial, STATE_SIZE);
  first.hash = hash_state(first.state);
  store(w, &first);
  between(search);
  search->depth = 0;
  if (threads == 1) {
    run(w);
  } else {
    pthread_t handles[MOST_THREADS];
    pthread_attr_t attributes;
    int started = 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_barrier_init(&search->meeting, NULL, (unsigned)threads);
    for (int k = 1; k < threads; k++, started++)
      if (pthread_create(&handles[k], &attributes, run, &search->workers[k])) abort();
    run(w);
    for (int k = 1; k < started; k++) pthread_join(handles[k], NULL);
    pthread_barrier_destroy(&search->meeting);
    pthread_attr_destroy(&attributes);
  }
  add_up(search);
  search->result->memory = resident_bytes();
  search->result->stopped = atomic_load(&search->stopped);
}

void search_state(struct search *search, u64 index, u8 *out) {
  memcpy(out, visited_state(&search->visited, index), STATE_SIZE);
}

u64 graph_edges(const struct visited *visited, u64 states, u64 *offsets, u64 *targets, u64 room);
void graph_conditions(const struct visited *visited, u64 states, u64 *conditions);

u64 search_edges(struct search *search, u64 *offsets, u64 *targets, u64 room) {
  return graph_edges(&search->visited, search->result->states, offsets, targets, room);
}

void search_conditions(struct search *search, u64 *conditions) {
  graph_conditions(&search->visited, search->result->states, conditions);
}

u64 search_parent(struct search *search, u64 index) { return search->visited.parents[index]; }

void search_free(struct search *search) {
  if (!search) return;
  for (int k = 0; search->workers && k < search->request.threads; k++) free(search->workers[k].found.items);
  free(search->level.items);
  free(search->workers);
  visited_close(&search->visited);
  free(search);
}

u64 search_state_size(void) { return STATE_SIZE; }
