/* The levels of a search on disk as its checkpoint: a file that names the runs, with the sums and the dictionaries.

   The runs of a level are never changed, so that the file is all that has to be written.  It is written under another name and
   renamed; runs that it does not name any more are removed afterwards.

   Part of disk.c. */
#ifndef SAVED_LEVELS_H
#define SAVED_LEVELS_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "blocks.h"
#include "saved_dictionaries.h"

#define LEVELS_MAGIC ((u64)0x534C4556454C4B43) /* "CKLEVELS" */
#define LEVELS_VERSION 1
#define MOST_RUNS ((u64)1 << 24)

struct levels_header {
  u64 magic, version, size; /* of this header */
  u64 identity;             /* of the search */
  u64 runs, names, first, depth, bytes;
  u64 states, transitions, errors[ERROR_COUNT], represents[2];
};

struct saved_run {
  u64 name, count, bytes, digest;
  uint32_t has_parents, is_level, is_known, unused;
};

static u64 clock_of_disk(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

static int levels_path(const struct disk *d, const char *ending, char *path) {
  int length = snprintf(path, PATH_MAX, "%s/levels%s", d->folder, ending);
  errno = ENAMETOOLONG;
  return length > 0 && length < PATH_MAX;
}

static void remove_levels(const struct disk *d) {
  char path[PATH_MAX];
  if (levels_path(d, "", path)) unlink(path);
  if (levels_path(d, ".new", path)) unlink(path);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int put_run(const struct disk *d, const struct run *run, struct blocks *b) {
  struct saved_run saved = {run->name, run->count, run->bytes, run->digest, .has_parents = (uint32_t)run->has_parents};
  saved.is_level = (uint32_t)has_run(&d->levels, run);
  saved.is_known = (uint32_t)has_run(&d->known, run);
  return blocks_put(b, &saved, sizeof saved);
}

static u64 run_count(const struct disk *d) {
  u64 count = d->levels.count;
  for (u64 k = 0; k < d->known.count; k++) count += !has_run(&d->levels, d->known.items[k]);
  return count;
}

static int put_levels(const struct disk *d, struct blocks *b) {
  const struct totals *sums = &d->totals;
  struct levels_header h = {.magic = LEVELS_MAGIC, .version = LEVELS_VERSION, .size = sizeof h};
  h.identity = d->search->request.identity;
  h.runs = run_count(d);
  h.names = d->names;
  h.first = d->first;
  h.depth = d->search->depth;
  h.states = sums->states;
  h.transitions = sums->transitions;
  memcpy(h.errors, sums->errors, sizeof h.errors);
  h.represents[0] = (u64)sums->represents;
  h.represents[1] = (u64)(sums->represents >> 32 >> 32);
  if (!blocks_put(b, &h, sizeof h)) return 0;
#if MODEL_CACHES
  if (!put_dictionaries(&d->search->footprints.dictionary, b)) return 0;
#endif
  for (u64 k = 0; k < d->levels.count; k++)
    if (!put_run(d, d->levels.items[k], b)) return 0;
  for (u64 k = 0; k < d->known.count; k++)
    if (!has_run(&d->levels, d->known.items[k]) && !put_run(d, d->known.items[k], b)) return 0;
  return blocks_flush(b);
}

static int write_levels(const struct disk *d, const char *path) {
  struct blocks b = {0};
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  int done =
      file >= 0 && blocks_open(&b, file, d->search->request.identity, 0) && put_levels(d, &b) && fsync(file) == 0;
  blocks_close(&b);
  if (file >= 0) close(file);
  return done;
}

/* A checkpoint that cannot be written leaves the one before. */
static void save_levels(struct disk *d) {
  char path[PATH_MAX], new[PATH_MAX];
  d->saved = clock_of_disk();
  errno = 0;
  if (!levels_path(d, "", path) || !levels_path(d, ".new", new) || !write_levels(d, new) || rename(new, path) != 0) {
    d->search->result->checkpoint_error = errno ? errno : EIO;
    return;
  }
  d->search->result->checkpoints++;
  while (d->garbage.count) remove_run(d, d->garbage.items[--d->garbage.count]);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int get_run(struct disk *d, struct blocks *b) {
  struct saved_run saved;
  if (!blocks_get(b, &saved, sizeof saved)) return 0;
  struct run *run = calloc(1, sizeof *run);
  b->error = ENOMEM;
  if (!run) return 0;
  *run = (struct run){.name = saved.name,
                      .count = saved.count,
                      .bytes = saved.bytes,
                      .digest = saved.digest,
                      .has_parents = saved.has_parents != 0,
                      .file = -1};
  if (!run_open(run, d->folder)) {
    b->error = errno ? errno : EBADMSG;
    free(run);
    return 0;
  }
  if ((saved.is_level && !add_run(&d->levels, run)) || (saved.is_known && !add_run(&d->known, run))) return 0;
  b->error = 0;
  return 1;
}

static int get_levels(struct disk *d, struct blocks *b) {
  struct search *search = d->search;
  struct worker *w = &search->workers[0];
  struct levels_header h;
  b->error = EBADMSG;
  if (b->bytes < sizeof h) return 0;
  b->error = 0;
  if (!blocks_get(b, &h, sizeof h)) return 0;
  b->error = EBADMSG;
  if (h.magic != LEVELS_MAGIC || h.version != LEVELS_VERSION || h.size != sizeof h) return 0;
  if (h.identity != search->request.identity || h.runs == 0 || h.runs > MOST_RUNS) return 0;
  b->error = 0;
#if MODEL_CACHES
  if (!get_dictionaries(&search->footprints.dictionary, b)) return 0;
  footprint_table_refill(&search->footprints);
#endif
  for (u64 k = 0; k < h.runs; k++)
    if (!get_run(d, b)) return 0;
  b->error = EBADMSG;
  if (d->levels.count == 0 || d->known.count == 0 || d->known.count > MOST_KNOWN + 1) return 0;
  b->error = 0;
  d->names = h.names;
  d->first = h.first;
  search->depth = h.depth;
  search->level_size = last_level(d)->count;
  d->totals.states = h.states;
  d->totals.transitions = h.transitions;
  d->totals.represents = (orbit_count)h.represents[1] << 32 << 32 | h.represents[0];
  atomic_store(&w->states, h.states);
  atomic_store(&w->transitions, h.transitions);
  for (int e = 0; e < ERROR_COUNT; e++) {
    d->totals.errors[e] = h.errors[e];
    atomic_store(&w->errors[e], h.errors[e]);
  }
  w->represents = d->totals.represents;
  return 1;
}

/* Go on with the levels that are there: 1 if there are any, 0 if not, -1 if they cannot be used. */
static int read_levels(struct disk *d) {
  char path[PATH_MAX];
  struct blocks b = {0};
  errno = 0;
  if (!levels_path(d, "", path)) return failed(d, errno), -1;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 && errno == ENOENT) return 0;
  off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
  u64 blocks = ((u64)size + BLOCK + 7) / (BLOCK + 8), bytes = (u64)size - blocks * sizeof(u64);
  int done = file >= 0 && size > 8 && lseek(file, 0, SEEK_SET) == 0 &&
             blocks_open(&b, file, d->search->request.identity, bytes) && get_levels(d, &b);
  int error = b.error ? b.error : errno;
  blocks_close(&b);
  if (file >= 0) close(file);
  if (done) return 1;
  d->search->result->checkpoint_error = error ? error : EBADMSG;
  stop(d->search, STOP_SYSTEM);
  return -1;
}

#endif
