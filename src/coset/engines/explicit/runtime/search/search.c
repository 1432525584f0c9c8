/* The search: its interface, and everything that does not depend on the order in which states are visited. */
#define _GNU_SOURCE
#include "search.h"

#include <stdlib.h>

#if !SINGLE_THREADED
#include "disk.h"
#endif
#include "memory.h"
#include "stubborn.h"
#include "transfer.h"
#include "worker.h"
#if MODEL_SYMMETRIC
#include "certify.h"
#endif

#define MOST_THREADS 64

/* --- limits ------------------------------------------------------------------------------------------------------- */

int stop(struct search *search, int reason) {
  int none = STOP_DONE;
  int is_first = atomic_compare_exchange_strong(&search->stopped, &none, reason);
  atomic_store(&search->halt, 1);
  return is_first;
}

int want(struct search *search, int reason) {
  int none = STOP_DONE;
  int is_first = atomic_compare_exchange_strong(&search->wanted, &none, reason);
  atomic_store(&search->halt, 1);
  return is_first;
}

/* Sum up the counters; called by one thread while the others wait, and from time to time during a level. */
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

#define MEASURE_AFTER ((u64)1 << 15) /* states between two measurements of memory, which are slow */

static void measure(struct result *result) {
  result->memory = memory_resident();
  if (result->memory > result->peak) result->peak = result->memory;
}

/* Sum up what reductions did. */
static void add_up_reduced(struct search *search) {
  struct result *result = search->result;
  orbit_count represents = 0;
  result->reduced = 0;
  for (int k = 0; k < search->request.threads; k++) {
    represents += search->workers[k].represents;
    result->reduced += search->workers[k].reduced;
  }
  result->represents[0] = (u64)represents;
  result->represents[1] = (u64)(represents >> 32 >> 32);
}

/* Whether the caller allows for more. */
static int is_extended(struct search *search) {
  add_up_reduced(search);
  return search->request.extend && search->request.extend(&search->request.allowance);
}

void look_at_limits(struct search *search) {
  const struct request *request = &search->request;
  struct result *result = search->result;
  add_up(search);
  if (!search->measured || result->states >= search->measured + MEASURE_AFTER) {
    measure(result);
    search->measured = result->states;
  }
  int reason = result->stop_asked                                             ? STOP_ASKED
               : request->max_states && result->states >= request->max_states ? STOP_STATES
               : request->max_memory && result->memory >= request->max_memory ? STOP_MEMORY
               : exceeds(&request->allowance, result->states, result->transitions, search->workers[0].ctx.work)
                   ? STOP_ALLOWANCE
                   : STOP_DONE;
  if (reason == STOP_ALLOWANCE && is_extended(search)) reason = STOP_DONE;
  if (reason != STOP_DONE) want(search, reason);
}

/* --- expanding ---------------------------------------------------------------------------------------------------- */

/* Record the first error of each kind on each edge. */
static void keep_first(struct search *search, int error, int edge, u64 state) {
  u64 none = NO_STATE, *first = &search->request.first_errors[error * (search->request.edges + 1) + edge + 1];
  __atomic_compare_exchange_n(first, &none, state, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Whether a value has no number yet only because all processes of a distributed search have to agree on it. */
static int awaits_number(const struct search *search, int component) {
#if MODEL_CACHES
  const struct component_dictionary *dictionary = &search->footprints.dictionary;
  return dictionary->missing && dictionary_has_room(dictionary, component);
#else
  return (void)search, (void)component, 0;
#endif
}

void too_wide(struct worker *w, int component) {
  int is_deep = w->search->request.order == ORDER_DEPTH || w->search->disk;
  w->is_cut = 1;
  w->learning = NULL;
  if (awaits_number(w->search, component)) return;
  if (!(is_deep ? stop(w->search, STOP_OVERFLOW) : want(w->search, STOP_OVERFLOW))) return;
  w->search->result->overflow_slot = NO_BITS;
  w->search->result->overflow_kind = component;
}

void note(struct context *ctx, int error, int edge) {
  struct worker *w = ctx->worker;
  struct search *search = w->search;
  count(&w->errors[error]);
  if (w->noted_in != w->expanding) memset(w->noted, 0, sizeof w->noted);
  w->noted_in = w->expanding;
  w->noted[error]++;
  w->learning = NULL;
  if (search->request.first_errors) keep_first(search, error, edge, w->expanding);
  if (!(search->request.stop_at >> error & 1)) return;
  if (stop(search, STOP_ERROR)) {
    search->result->error_kind = error;
    search->result->error_edge = edge;
    search->result->error_state = w->expanding;
  }
}

#if MODEL_PARTIAL
/* Let one stubborn set after the other move, until they suffice. */
static int moves_of_sets(struct context *ctx, const u8 *state) {
  struct stubborn sets;
  struct masks_of_state masks;
  int moves = 0;
  if (!stubborn_begin(ctx, state, &sets, &masks)) return model_successors(ctx, state);
  while (sets.done != sets.all) {
    moves += model_moves_of(ctx, state, stubborn_next(&sets));
    if (moves && ctx->enough && sets.done != sets.all && ctx->enough(ctx)) {
      ((struct worker *)ctx->worker)->reduced++;
      break;
    }
  }
  return moves;
}
#else
static int moves_of_sets(struct context *ctx, const u8 *state) { return model_successors(ctx, state); }
#endif

int successors(struct context *ctx, const u8 *state) {
  ctx->timeout = 0;
  int moves = moves_of_sets(ctx, state);
#if MODEL_TIMES_OUT
  if (moves == 0) {
    ctx->timeout = 1;
    moves = model_successors(ctx, state);
  }
#endif
  return moves;
}

/* A failed certificate overrides every other result. (Inlined, this function would enlarge the stack frames of the model's
   functions, which can cost them a fifth of their speed.) */
__attribute__((noinline)) void certify_current(struct worker *w, int successors) {
#if MODEL_SYMMETRIC
  struct search *search = w->search;
  struct failure failure;
  if (!is_due(&w->certificates, (u64)successors)) return;
#if MODEL_CACHES
  if (!w->unpacked) dictionary_unpack(&search->footprints.dictionary, w->current.packed, w->current.state);
#endif
  if (certify_state(&w->certificates, w->current.state, &failure)) return;
  atomic_store(&search->halt, 1);
  if (atomic_exchange(&search->stopped, STOP_UNCERTIFIED) == STOP_UNCERTIFIED) return; /* another thread was first */
  search->result->failure = failure;
  if (search->request.witness) memcpy(search->request.witness, w->current.state, STATE_SIZE);
#else
  (void)w, (void)successors;
#endif
}

int expand(struct worker *w) {
  struct context *ctx = &w->ctx;
  w->ordinal = 0;
  ctx->changes = 0;
  int moves = successors(ctx, w->current.state);
  int is_stuck = MODEL_STUTTERING ? !ctx->changes : moves == 0;
  if (is_stuck && !model_may_end(ctx, w->current.state)) note(ctx, ERROR_END, -1);
  look_for_overflow(w);
  if (MODEL_SYMMETRIC) certify_current(w, moves);
  return moves;
}

void look_for_overflow(struct worker *w) {
  struct context *ctx = &w->ctx;
  if (ctx->overflow_slot >= 0 && stop(w->search, STOP_OVERFLOW)) {
    w->search->result->overflow_slot = ctx->overflow_slot;
    w->search->result->overflow_kind = ctx->overflow_kind;
  }
}

/* --- the path to a state ------------------------------------------------------------------------------------------ */

struct choice {
  u64 wanted, seen;
  u8 state[STATE_SIZE];
};

static void choose(struct context *ctx, const u8 *t) {
  struct choice *choice = ctx->worker;
  if (choice->seen++ == choice->wanted) memcpy(choice->state, t, STATE_SIZE);
}

static void ignore(struct context *ctx, int error, int edge) {
  (void)ctx;
  (void)error;
  (void)edge;
}

/* The stored state of the orbit, if the model does not hand it over. */
static void represent(struct search *search, u8 *state) {
#if MODEL_NUMBERED
  struct component_dictionary *dictionary = &search->footprints.dictionary;
  u64 words[PACKED_WORDS];
  dictionary_pack(dictionary, state, NULL, NULL, (u8 *)words);
  numbered_representative(search->workers, words);
  dictionary_unpack(dictionary, (const u8 *)words, state);
#else
  (void)search, (void)state;
#endif
}

#if !MODEL_CACHES
void search_state(struct search *search, u64 number, u8 *state) {
  unpack(intern_item(&search->store.states, number, PACKED_SIZE), state);
}
#endif

/* Follow the recorded successors from the initial state to another one.  Returns how many states the path has; they are
   written if there is room for them. */
u64 search_path(struct search *search, u64 number, u8 *states, u64 room) {
  u64 length = 1;
#if !SINGLE_THREADED
  if (search->disk) return disk_path(search, number, states, room);
#endif
  if (search->stack) {
    length = search->stack_size;
    if (room >= length) memcpy(states, search->stack, length * STATE_SIZE);
    return length;
  }
  if (!search->parents) return 0;
  for (u64 k = number; (search->parents[k] & INDEX_MASK) != NO_INDEX; k = search->parents[k] & INDEX_MASK) length++;
  if (room < length) return length;
  u64 *ordinals = malloc(length * sizeof *ordinals);
  if (!ordinals) return 0;
  for (u64 at = length - 1; at > 0; at--, number = search->parents[number] & INDEX_MASK)
    ordinals[at] = search->parents[number] >> NUMBER_BITS;
  memcpy(states, search->request.initial, STATE_SIZE);
  represent(search, states);
  for (u64 at = 1; at < length; at++) {
    struct choice choice = {.wanted = ordinals[at]};
    struct context ctx = {.overflow_slot = -1, .worker = &choice, .successor = choose, .report = ignore};
    successors(&ctx, states + (at - 1) * STATE_SIZE);
    represent(search, choice.state);
    memcpy(states + at * STATE_SIZE, choice.state, STATE_SIZE);
  }
  free(ordinals);
  return length;
}

/* The representative of the initial state: a symmetry may change values of it that no run reads. */
static void take_image(struct context *ctx, const u8 *t) { memcpy(ctx->worker, t, STATE_SIZE); }

static orbit_count find_first(struct search *search) {
  struct context ctx = {
      .overflow_slot = -1, .worker = search->first, .successor = take_image, .report = ignore, .orbit = 1};
  successor(&ctx, search->request.initial);
  search->request.initial = search->first;
  return ctx.orbit;
}

orbit_count orbit_of_packed(struct search *search, const u8 *packed) {
  u8 state[STATE_SIZE], image[STATE_SIZE];
  struct context ctx = {.overflow_slot = -1, .worker = image, .successor = take_image, .report = ignore, .orbit = 1};
#if MODEL_CACHES
  dictionary_unpack(&search->footprints.dictionary, packed, state);
#else
  (void)search;
  unpack(packed, state);
#endif
  successor(&ctx, state);
  return ctx.orbit;
}

#if !SINGLE_THREADED
#include "transfer_states.h"
#endif

/* --- functions for Python ----------------------------------------------------------------------------------------- */

struct search *search_new(const struct request *request, struct result *result) {
  struct search *search = calloc(1, sizeof *search);
  if (!search) return NULL;
  search->request = *request;
  search->result = result;
  result->memory_before = memory_resident();
  int is_alone = request->order == ORDER_DEPTH || request->disk || SINGLE_THREADED;
  if (search->request.threads < 1 || is_alone) search->request.threads = 1;
  if (search->request.threads > MOST_THREADS) search->request.threads = MOST_THREADS;
  u64 size = (sizeof(struct worker) * (u64)search->request.threads + 63) / 64 * 64;
  search->workers = aligned_alloc(64, size);
  if (search->workers) memset(search->workers, 0, size);
  int has_store = store_open(&search->store, (enum storage)request->storage, request->reserve, request->log_bits);
#if MODEL_CACHES
  has_store = footprint_table_open(&search->footprints, request->bit_fields) && has_store;
#endif
#if MODEL_NUMBERED
  has_store = numbered_open(&search->numbered, request->bit_fields) && has_store;
#endif
  search->store.keys.whole.alone = search->request.threads == 1;
  int has_parents = request->keep_parents && request->order == ORDER_BREADTH && !request->disk;
  search->capacity = request->storage == STORAGE_STATES ? search->store.states.capacity
                     : has_parents                      ? request->reserve / sizeof(u64)
                                                        : INDEX_MASK - 1;
  if (has_parents) search->parents = memory_reserve(search->capacity * sizeof(u64));
  if (!search->workers || !has_store || (has_parents && !search->parents)) {
    search_free(search);
    return NULL;
  }
  orbit_count orbit = find_first(search);
  for (int k = 0; k < search->request.threads; k++) {
    search->workers[k].search = search;
#if MODEL_NUMBERED
    numbered_begin(&search->numbered, &search->workers[k].numbered);
#endif
    search->workers[k].ctx.worker = &search->workers[k];
    search->workers[k].ctx.overflow_slot = -1;
    search->workers[k].ctx.stop_asked = &search->result->stop_asked;
    search->workers[k].ctx.orbit = orbit; /* of the initial state */
    search->workers[k].ctx.report = note;
  }
  return search;
}

void sum_up(struct search *search) {
  add_up(search);
  measure(search->result);
  add_up_reduced(search);
  search->result->certified = 0;
  for (int k = 0; k < search->request.threads; k++) search->result->certified += search->workers[k].certificates.states;
}

void search_run(struct search *search) {
#if !SINGLE_THREADED
  if (search->request.disk) disk_search(search);
  else
#endif
      if (search->request.order == ORDER_DEPTH)
    depth_first(search);
  else breadth_first(search);
  sum_up(search);
  search->result->omission = store_omission(&search->store, search->result->states);
  search->result->stopped = atomic_load(&search->stopped);
}

void search_free(struct search *search) {
  if (!search) return;
  if (search->unused) transfer_drop(search->unused);
#if !SINGLE_THREADED
  if (search->disk) disk_close(search);
#endif
  breadth_free(search);
  memory_release(search->parents, search->capacity * sizeof(u64));
  store_close(&search->store);
#if MODEL_CACHES
  footprint_table_close(&search->footprints);
#endif
#if MODEL_NUMBERED
  numbered_close(&search->numbered);
#endif
  for (int k = 0; search->workers && k < search->request.threads; k++) free(search->workers[k].cache);
  free(search->workers);
  free(search->stack);
  free(search);
}
