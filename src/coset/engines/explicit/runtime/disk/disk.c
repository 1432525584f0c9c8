/* Breadth-first search with its states on disk: delayed detection of duplicates.

   Each level is a run of sorted keys (runs.h).  Its states are read in order and expanded; their successors are candidates
   (candidates.h).  At the end of the level the candidates are merged with the runs of all known states: what none of them has is
   the next level (D. Stern and D. Dill, "Using magnetic disk instead of main memory in the Mur-phi verifier", CAV 1998; R. Korf,
   "Best-first frontier search with delayed duplicate detection", AAAI 2004).  A run of known states is read only where candidates
   fall.  Small runs are merged into larger ones, so that there are few.

   Memory has what was sent lately and one buffer, whatever the number of states.  After every level the files are a checkpoint
   (saved_levels.h). */
#define _GNU_SOURCE
#include "disk.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory.h"
#include "successor.h"

#include "candidates.h"

#define MOST_KNOWN 8           /* runs of known states */
#define LEAST_MERGED 4         /* runs that are merged at once, if there are as many */
#define LOOK_AFTER_STATES 1024 /* states between two checks of the limits */
#define LOOK_AFTER_CANDIDATES 65536

/* The sums at the beginning of a level. */
struct totals {
  u64 states, transitions, errors[ERROR_COUNT];
  orbit_count represents;
};

struct runs {
  struct run **items;
  u64 count, room;
};

struct disk {
  struct search *search;
  const char *folder;
  struct candidates candidates;
  struct runs levels;  /* all levels if runs to states are to be shown, otherwise the last one */
  struct runs known;   /* together, they have all states */
  struct runs garbage; /* removed once a checkpoint does not name them */
  u64 names;           /* the next file name */
  u64 position;        /* of the state that is expanded, in its level */
  u64 first;           /* the number of the first state of the last level */
  struct totals totals;
  u64 saved;        /* when the last checkpoint was written */
  int is_durable;   /* whether the files are to outlive the process */
  int is_resumable; /* whether they do */
  int error;
};

static int failed(struct disk *d, int error) {
  d->error = error ? error : EIO;
  d->search->result->disk_error = d->error;
  stop(d->search, STOP_DISK);
  return 0;
}

static int add_run(struct runs *list, struct run *run) {
  if (list->count == list->room) {
    u64 room = list->room ? 2 * list->room : 16;
    struct run **items = realloc(list->items, room * sizeof(struct run *));
    if (!items) return 0;
    list->items = items;
    list->room = room;
  }
  list->items[list->count++] = run;
  return 1;
}

static int has_run(const struct runs *list, const struct run *run) {
  for (u64 k = 0; k < list->count; k++)
    if (list->items[k] == run) return 1;
  return 0;
}

static void remove_run(struct disk *d, struct run *run) {
  run_remove(run, d->folder);
  free(run);
}

/* Called when a run was taken from a list. */
static void drop_run(struct disk *d, struct run *run) {
  if (has_run(&d->levels, run) || has_run(&d->known, run)) return;
  if (!d->is_durable || !add_run(&d->garbage, run)) remove_run(d, run);
}

static struct run *new_run(struct disk *d, struct run_writer *writer, int has_parents) {
  struct run *run = calloc(1, sizeof *run);
  errno = ENOMEM;
  if (run && run_create(run, d->folder, d->names++, has_parents)) {
    if (writer_open(writer, run)) return run;
    errno = ENOMEM;
    run_remove(run, d->folder);
  }
  failed(d, errno);
  free(run);
  return NULL;
}

/* --- successors --------------------------------------------------------------------------------------------------- */

static void take_waiting(struct disk *d) {
  struct candidates *c = &d->candidates;
  u64 k = c->taken++ % WAITING;
  if (is_sent(&c->sent, c->places[k], c->waiting[k])) return;
  memcpy(c->records + c->count++ * (u64)c->stride, c->waiting[k], (u64)c->stride * sizeof(u64));
  int error = 0;
  if (c->count == c->most && !spill(c, d->folder, &d->names, &error)) failed(d, error);
}

static inline void send_key(struct disk *d, const u64 *key) {
  struct candidates *c = &d->candidates;
  u64 k = c->arrived++ % WAITING;
  memcpy(c->waiting[k], key, KEY_WORDS * sizeof(u64));
  c->waiting[k][KEY_WORDS] = d->position;
  c->places[k] = sent_place(&c->sent, hash_bytes((const u8 *)key, PACKED_SIZE));
  if (c->arrived - c->taken == WAITING) take_waiting(d);
}

static void send_state(struct context *ctx, const u8 *t) {
  struct worker *w = ctx->worker;
  u64 key[KEY_WORDS];
  w->ordinal++;
  if (!pack_successor(w, t, (u8 *)key)) return;
  represented(w, (u8 *)key);
  if (is_represented(w)) send_key(w->disk, key);
}

#if MODEL_CACHES
#include "recent.h"

static void enter_all(struct worker *w, const u64 (*successors)[PACKED_WORDS], u64 count) {
  w->ordinal += count;
  for (u64 k = 0; k < count; k++) {
    u64 key[PACKED_WORDS];
    memcpy(key, successors[k], sizeof key);
    if (is_recent(w->recent, key, hash_bytes((const u8 *)key, PACKED_SIZE))) continue;
    represented(w, (u8 *)key);
    if (is_represented(w)) send_key(w->disk, key);
  }
}
#endif

#include "expand.h"

#if MODEL_CACHES
static int make_moves(struct worker *w, struct lookup *lookups, int count) { return change_cached(w, lookups, count); }
#endif

/* How many states a stored one stands for. */
static orbit_count orbit_of(struct worker *w, const u64 *key) {
#if MODEL_NUMBERED
  u64 copy[KEY_WORDS];
  memcpy(copy, key, sizeof copy);
  return numbered_representative(w, copy);
#elif MODEL_SYMMETRIC
  return orbit_of_packed(w->search, (const u8 *)key);
#else
  (void)w, (void)key;
  return 1;
#endif
}

/* --- levels ------------------------------------------------------------------------------------------------------- */

static struct run *last_level(const struct disk *d) { return d->levels.items[d->levels.count - 1]; }

static int is_ending(struct search *search) {
  return is_over(search) || atomic_load_explicit(&search->wanted, memory_order_relaxed) != STOP_DONE;
}

static void expand_level(struct disk *d) {
  struct search *search = d->search;
  struct worker *w = &search->workers[0];
  struct run_reader level;
  if (!reader_open(&level, last_level(d))) failed(d, level.error);
  for (u64 steps = 0; !level.is_over && !is_ending(search); reader_next(&level)) {
    memcpy(w->current.packed, level.key, PACKED_SIZE);
    w->unpacked = 0;
    d->position = level.passed;
    w->expanding = d->first + level.passed;
    expand_current(w);
    if (w->is_cut) break;
    atomic_store_explicit(&w->transitions, w->transitions + w->ordinal, memory_order_relaxed);
    if (++steps % LOOK_AFTER_STATES == 0 || search->result->stop_asked) look_at_limits(search);
  }
  if (level.error) failed(d, level.error);
  while (d->candidates.taken < d->candidates.arrived && !is_over(search)) take_waiting(d);
  reader_close(&level);
}

/* Whether a candidate is in none of the known runs; later ones are greater. */
static int is_new(struct run_reader *readers, u64 count, const u64 *key) {
  for (u64 k = count; k-- > 0;) {
    reader_seek(&readers[k], key);
    if (!readers[k].is_over && compare_keys(readers[k].key, key) == 0) return 0;
  }
  return 1;
}

/* Write the candidates that are new to a run; returns it, or NULL if the search ends. */
static struct run *new_level(struct disk *d, orbit_count *represents) {
  struct search *search = d->search;
  struct run_reader readers[MOST_KNOWN + 1];
  struct run_writer writer;
  struct merge m;
  u64 open = 0, seen = 0;
  struct run *run = new_run(d, &writer, search->request.keep_parents);
  if (!run) return NULL;
  if (!merge_candidates(&m, &d->candidates, d->folder, &d->names)) failed(d, m.error);
  for (; open < d->known.count && !is_over(search); open++)
    if (!reader_open(&readers[open], d->known.items[open])) failed(d, readers[open].error);
  for (; !is_ending(search) && !m.is_over; merge_next(&m)) {
    if (is_new(readers, open, m.key)) {
      *represents += orbit_of(&search->workers[0], m.key);
      if (!writer_put(&writer, m.key, m.parent)) failed(d, writer.error);
    }
    if (++seen % LOOK_AFTER_CANDIDATES == 0) look_at_limits(search);
  }
  for (u64 k = 0; k < open; k++) {
    if (readers[k].error) failed(d, readers[k].error);
    reader_close(&readers[k]);
  }
  if (m.error) failed(d, m.error);
  merge_close(&m);
  if (!writer_close(&writer, d->is_durable)) failed(d, writer.error);
  if (!is_ending(search)) return run;
  remove_run(d, run);
  return NULL;
}

/* Merge the latest runs of known states with larger ones, until no run is less than twice as large as those after it. */
static int merge_known(struct disk *d) {
  u64 first = d->known.count - 1, sum = d->known.items[first]->count;
  while (first > 0 && (d->known.count - first < LEAST_MERGED || d->known.items[first - 1]->count <= 2 * sum))
    sum += d->known.items[--first]->count;
  struct run_writer writer;
  struct merge m;
  struct run *run = new_run(d, &writer, 0);
  if (!run) return 0;
  if (!merge_runs(&m, d->known.items + first, d->known.count - first)) failed(d, m.error);
  for (u64 seen = 0; !is_over(d->search) && !m.is_over; merge_next(&m)) {
    if (!writer_put(&writer, m.key, 0)) failed(d, writer.error);
    if (++seen % LOOK_AFTER_CANDIDATES == 0 && d->search->result->stop_asked) break;
  }
  int is_whole = m.is_over && !m.error;
  if (m.error) failed(d, m.error);
  merge_close(&m);
  if (!writer_close(&writer, d->is_durable)) failed(d, writer.error);
  if (!is_whole || is_over(d->search)) {
    remove_run(d, run);
    return !is_over(d->search); /* there are more runs than wanted, but the search ends anyway */
  }
  u64 count = d->known.count;
  d->known.count = first;
  for (u64 k = first; k < count; k++) drop_run(d, d->known.items[k]);
  d->known.items[d->known.count++] = run;
  return 1;
}

/* The bytes of all files. */
static u64 bytes_of_files(const struct disk *d) {
  u64 bytes = 0;
  for (u64 k = 0; k < d->levels.count; k++) bytes += d->levels.items[k]->bytes;
  for (u64 k = 0; k < d->known.count; k++)
    if (!has_run(&d->levels, d->known.items[k])) bytes += d->known.items[k]->bytes;
  for (u64 k = 0; k < d->garbage.count; k++) bytes += d->garbage.items[k]->bytes;
  for (u64 k = 0; k < d->candidates.run_count; k++) bytes += d->candidates.runs[k].bytes;
  return bytes;
}

static void note_disk(struct disk *d) {
  u64 bytes = bytes_of_files(d);
  if (bytes > d->search->result->disk) d->search->result->disk = bytes;
}

static void note_totals(struct disk *d, const struct run *level, orbit_count represents) {
  struct worker *w = &d->search->workers[0];
  atomic_store(&w->states, d->totals.states + level->count);
  w->represents = d->totals.represents + represents;
  d->totals = (struct totals){.states = w->states, .transitions = w->transitions, .represents = w->represents};
  for (int e = 0; e < ERROR_COUNT; e++) d->totals.errors[e] = w->errors[e];
  d->search->level_size = level->count;
}

/* Go from one level to the next; returns whether there is one. */
static int settle(struct disk *d) {
  struct search *search = d->search;
  orbit_count represents = 0;
  struct run *level = new_level(d, &represents);
  struct candidates *c = &d->candidates;
  note_disk(d);
  for (u64 k = 0; k < c->run_count; k++) run_remove(&c->runs[k], d->folder);
  c->run_count = c->count = 0;
  if (!level) return 0;
  d->first += last_level(d)->count;
  if (level->count == 0) {
    note_totals(d, level, 0);
    remove_run(d, level);
    search->over = 1;
    return 0;
  }
  struct run *before = last_level(d);
  if (!search->request.keep_parents) d->levels.count--;
  if (!add_run(&d->levels, level) || !add_run(&d->known, level)) return failed(d, ENOMEM);
  drop_run(d, before);
  note_totals(d, level, represents);
  search->depth++;
  return d->known.count <= MOST_KNOWN || merge_known(d);
}

#include "saved_levels.h"

/* --- start and end ------------------------------------------------------------------------------------------------ */

static int begin(struct disk *d, const u64 *key) {
  struct run_writer writer;
  struct run *run = new_run(d, &writer, d->search->request.keep_parents);
  if (!run) return 0;
  if (!writer_put(&writer, key, 0) || !writer_close(&writer, d->is_durable)) return failed(d, writer.error);
  if (!add_run(&d->levels, run) || !add_run(&d->known, run)) return failed(d, ENOMEM);
  note_totals(d, run, d->search->workers[0].ctx.orbit);
  return 1;
}

static int open_disk(struct search *search) {
  struct disk *d = calloc(1, sizeof *d);
  struct worker *w = &search->workers[0];
  u64 key[KEY_WORDS];
  if (!d) return stop(search, STOP_MEMORY), 0;
  search->disk = w->disk = d;
  d->search = search;
  d->folder = search->request.disk;
  d->is_durable = search->request.is_durable;
  w->ctx.successor = send_state;
  open_cache(w);
#if MODEL_CACHES
  forget(w);
#endif
  if (!pack_successor(w, search->request.initial, (u8 *)key)) return 0;
  represented(w, (u8 *)key);
  if (!candidates_open(&d->candidates, search->request.disk_memory, search->request.keep_parents, key))
    return stop(search, STOP_MEMORY), 0;
  d->saved = clock_of_disk();
  int found = search->request.resume ? read_levels(d) : 0;
  if (found < 0) d->is_resumable = 1; /* its files are left as they are */
  return found < 0 ? 0 : found || begin(d, key);
}

void disk_search(struct search *search) {
  if (!open_disk(search)) return;
  struct disk *d = search->disk;
  while (!is_ending(search)) {
    expand_level(d);
    if (is_ending(search) || !settle(d)) break;
    look_at_limits(search);
    if (d->is_durable && clock_of_disk() - d->saved >= search->request.checkpoint_every) save_levels(d);
  }
  int wanted = atomic_load(&search->wanted);
  if (!is_over(search) && wanted) stop(search, wanted);
  int stopped = atomic_load(&search->stopped);
  d->is_resumable = d->is_durable && d->levels.count && !search->over && stopped != STOP_OVERFLOW &&
                    stopped != STOP_ERROR && stopped != STOP_UNCERTIFIED;
  candidates_close(&d->candidates, d->folder);
  if (d->is_resumable) save_levels(d);
}

/* Close the files; those of a search that is over, or that cannot be resumed, are removed. */
void disk_close(struct search *search) {
  struct disk *d = search->disk;
  if (!d) return;
  struct runs *lists[] = {&d->garbage, &d->known, &d->levels};
  candidates_close(&d->candidates, d->folder);
  for (int k = 0; k < 3; k++)
    while (lists[k]->count) {
      struct run *run = lists[k]->items[--lists[k]->count];
      if (has_run(&d->levels, run) || has_run(&d->known, run)) continue;
      if (d->is_resumable) {
        run_close(run);
        free(run);
      } else remove_run(d, run);
    }
  for (int k = 0; k < 3; k++) free(lists[k]->items);
  if (!d->is_resumable) remove_levels(d);
  free(d);
  search->disk = NULL;
}

/* --- the path to a state ------------------------------------------------------------------------------------------ */

u64 disk_path(struct search *search, u64 number, u8 *states, u64 room) {
  struct disk *d = search->disk;
  u64 level = 0, before = 0;
  if (!d || !search->request.keep_parents) return 0;
  while (level < d->levels.count && before + d->levels.items[level]->count <= number)
    before += d->levels.items[level++]->count;
  if (level == d->levels.count) return 0;
  if (room < level + 1) return level + 1;
  u64 position = number - before, length = level + 1;
  for (u64 at = length; at-- > 0;) {
    struct run_reader reader;
    int found = reader_open(&reader, d->levels.items[at]) && reader_at(&reader, position);
    if (found) {
      u8 *state = states + at * STATE_SIZE;
#if MODEL_CACHES
      dictionary_unpack(&search->footprints.dictionary, (const u8 *)reader.key, state);
#else
      unpack((const u8 *)reader.key, state);
#endif
      position = reader.parent;
    }
    reader_close(&reader);
    if (!found) return 0;
  }
  return length;
}
