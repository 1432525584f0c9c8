/* Breadth-first search by one or several threads.

   The pool of states is the queue: each thread appends the states that it finds to stretches of the pool of its own, and
   the stretches of one level are what all threads together work on in the next.  Successors wait in a short line while
   the cache line that they need is fetched.  At the end of a level, or when the table is nearly full, threads meet. */
#define _GNU_SOURCE
#include "search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "visited.h"

#define LINE 16            /* successors that wait for the memory */
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
  unsigned head, waiting;
  u64 fresh, fresh_end;      /* what is left of this thread's stretch of the pool */
  u64 fresh_first;           /* where the states of the next level begin in it */
  struct stretches found;    /* states of the next level */
  u64 expanding;             /* index of the state being expanded */
  u64 states, transitions, errors[ERROR_COUNT];
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
  _Atomic int error_taken;
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

/* --- storing ------------------------------------------------------------------------------------------------------ */

static void store(struct worker *w, const struct waiting *next) {
  struct search *search = w->search;
  if (w->fresh == w->fresh_end) {
    add_stretch(&w->found, w->fresh_first, w->fresh);
    w->fresh = w->fresh_first = atomic_fetch_add(&search->next_stretch, STRETCH);
    w->fresh_end = w->fresh + STRETCH;
    if (w->fresh_end > search->visited.capacity) {
      search->result->stopped = STOP_MEMORY;
      atomic_store(&search->halt, 1);
      w->fresh = w->fresh_first = w->fresh_end = 0;
      return;
    }
  }
  if (visited_put(&search->visited, next->state, next->hash, w->fresh, next->parent) == w->fresh) {
    w->fresh++;
    w->states++;
  }
}

static void store_oldest(struct worker *w) {
  store(w, &w->line[w->head]);
  w->head = (w->head + 1) % LINE;
  w->waiting--;
}

static void queue(struct context *x, const u8 *t) {
  struct worker *w = x->worker;
  w->transitions++;
  if (w->waiting == LINE) store_oldest(w);
  struct waiting *last = &w->line[(w->head + w->waiting++) % LINE];
  memcpy(last->state, t, STATE_SIZE);
  last->hash = hash_state(t);
  last->parent = w->expanding;
  visited_prefetch(&w->search->visited, last->hash);
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

static void note(struct context *x, int error, int edge) {
  struct worker *w = x->worker;
  struct search *search = w->search;
  w->errors[error]++;
  int nobody = 0;
  if (!(search->request.stop_at >> error & 1)) return;
  if (atomic_compare_exchange_strong(&search->error_taken, &nobody, 1)) {
    search->result->error_kind = error;
    search->result->error_edge = edge;
    search->result->error_state = w->expanding;
    search->result->stopped = STOP_ERROR;
    atomic_store(&search->halt, 1);
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
  if (x->overflow_slot >= 0) {
    w->search->result->stopped = STOP_OVERFLOW;
    w->search->result->overflow_slot = x->overflow_slot;
    w->search->result->overflow_kind = x->overflow_kind;
    atomic_store(&w->search->halt, 1);
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
    states += w->states;
    transitions += w->transitions;
    for (int e = 0; e < ERROR_COUNT; e++) errors[e] += w->errors[e];
  }
  result->states = states;
  result->transitions = transitions;
  for (int e = 0; e < ERROR_COUNT; e++) result->errors[e] = errors[e];
  result->depth = search->depth;
  result->frontier = search->level_size;
}

static void look_at_limits(struct search *search) {
  struct result *result = search->result;
  add_up(search);
  if (result->stop_asked && result->stopped == STOP_DONE) result->stopped = STOP_ASKED;
  if (search->request.max_states && result->states >= search->request.max_states && result->stopped == STOP_DONE)
    result->stopped = STOP_STATES;
  result->memory = resident_bytes();
  if (search->request.max_memory && result->memory >= search->request.max_memory && result->stopped == STOP_DONE)
    result->stopped = STOP_MEMORY;
  if (result->stopped != STOP_DONE) atomic_store(&search->halt, 1);
}

/* Work on the level until it is done or somebody calls for a halt. */
static void work(struct worker *w, int first) {
  struct search *search = w->search;
  u64 done = 0, stretch = 0, before = 0;
  while (!atomic_load_explicit(&search->halt, memory_order_relaxed)) {
    u64 portion = atomic_fetch_add(&search->next_portion, PORTION);
    if (portion >= search->level_size) break;
    u64 end = portion + PORTION < search->level_size ? portion + PORTION : search->level_size;
    for (u64 k = portion; k < end; k++) {
      while (k >= before + (search->level.items[stretch].end - search->level.items[stretch].first)) {
        before += search->level.items[stretch].end - search->level.items[stretch].first;
        stretch++;
      }
      expand(w, search->level.items[stretch].first + (k - before));
    }
    if (first && (++done & 63) == 0) look_at_limits(search);
    /* The table must not fill up within a level: meet and let it grow. */
    if (atomic_load_explicit(&search->next_stretch, memory_order_relaxed) > (search->visited.mask >> 1) + (search->visited.mask >> 2))
      atomic_store(&search->halt, 1);
  }
  while (w->waiting) store_oldest(w);
}

/* What one thread does while the others wait: more room, and the next level if this one is done. */
static void between(struct search *search) {
  struct request *request = &search->request;
  look_at_limits(search);
  if (search->result->stopped == STOP_DONE) {
    atomic_store(&search->halt, 0);
    u64 used = atomic_load(&search->next_stretch) + (u64)request->threads * STRETCH;
    if (!visited_grow(&search->visited, used + used / 2)) search->result->stopped = STOP_MEMORY;
  }
  if (search->result->stopped != STOP_DONE) {
    search->over = 1;
    return;
  }
  if (atomic_load(&search->next_portion) < search->level_size) return; /* the level goes on after the growth */
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

static void *run(void *argument) {
  struct worker *w = argument;
  struct search *search = w->search;
  int first = w == search->workers, several = search->request.threads > 1;
  while (!search->over) {
    work(w, first);
    if (several) pthread_barrier_wait(&search->meeting);
    if (first) between(search);
    if (several) pthread_barrier_wait(&search->meeting);
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
