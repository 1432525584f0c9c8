/* Successors that may be new: what was sent lately is dropped, the rest waits in memory and, when that is full, in sorted runs.

   Part of disk.c. */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "runs.h"
#include "sent_lately.h"
#include "sorting.h"

#define MOST_RECORDS ((u64)1 << 24) /* that are sorted at once: in about a second, which a limit or Ctrl-C waits for */
#define WAITING 32                  /* successors whose places in the table of those sent lately are fetched */

struct candidates {
  struct sent_lately sent; /* these are no candidates again */
  u64 *records, *other;    /* the buffer, and as much room to sort it */
  u64 count, most, bytes;
  int stride; /* the words of a record: a key and, if runs are to be shown, the position of its parent */
  struct run *runs;
  u64 run_count, room;
  u64 waiting[WAITING][KEY_WORDS + 1], places[WAITING], arrived, taken;
};

/* The candidates of a level in order, each key once. */
struct merge {
  const u64 *records; /* if there are no runs */
  u64 left;
  int stride;
  struct run_reader *readers;
  u64 reader_count, *heap, heap_size;
  u64 key[KEY_WORDS], parent;
  int is_over, error;
};

/* --- collecting --------------------------------------------------------------------------------------------------- */

static int candidates_open(struct candidates *c, u64 bytes, int has_parents, const u64 *initial) {
  c->stride = KEY_WORDS + has_parents;
  c->most = (bytes - bytes / 4) / 2 / ((u64)c->stride * sizeof(u64));
  if (c->most > MOST_RECORDS) c->most = MOST_RECORDS;
  c->bytes = c->most * (u64)c->stride * sizeof(u64);
  c->records = memory_reserve(c->bytes);
  c->other = memory_reserve(c->bytes);
  return sent_open(&c->sent, bytes / 4, initial) && c->records && c->other;
}

static void candidates_close(struct candidates *c, const char *folder) {
  for (u64 k = 0; k < c->run_count; k++) run_remove(&c->runs[k], folder);
  free(c->runs);
  sent_close(&c->sent);
  memory_release(c->records, c->bytes);
  memory_release(c->other, c->bytes);
  memset(c, 0, sizeof *c);
}

static void sort_candidates(struct candidates *c) {
  u64 *sorted = sort_records(c->records, c->other, c->count, c->stride);
  if (sorted != c->records) {
    c->other = c->records;
    c->records = sorted;
  }
}

/* Write what is in the buffer to a run. */
static int spill(struct candidates *c, const char *folder, u64 *names, int *error) {
  if (c->run_count == c->room) {
    u64 room = c->room ? 2 * c->room : 8;
    struct run *runs = realloc(c->runs, room * sizeof *runs);
    if (!runs) return *error = ENOMEM, 0;
    c->runs = runs;
    c->room = room;
  }
  struct run *run = &c->runs[c->run_count];
  struct run_writer writer = {.error = 0};
  sort_candidates(c);
  errno = 0;
  int done = run_create(run, folder, (*names)++, c->stride > KEY_WORDS);
  if (done) c->run_count++;
  if (!done) writer.error = errno ? errno : EIO;
  done = done && writer_open(&writer, run);
  const u64 *before = NULL;
  for (u64 k = 0; done && k < c->count; k++) {
    const u64 *record = c->records + k * (u64)c->stride;
    if (before && compare_keys(before, record) == 0) continue;
    done = writer_put(&writer, record, c->stride > KEY_WORDS ? record[KEY_WORDS] : 0);
    before = record;
  }
  done = done && writer_close(&writer, 0);
  if (!done) {
    *error = writer.error;
    free(writer.buffer);
  }
  c->count = 0;
  return done;
}

/* --- in order ----------------------------------------------------------------------------------------------------- */

/* Whether a reader's key comes first; of equal keys the one that was sent first. */
static int is_before(const struct merge *m, u64 a, u64 b) {
  int order = compare_keys(m->readers[a].key, m->readers[b].key);
  return order ? order < 0 : a < b;
}

static void sink(struct merge *m, u64 at) {
  for (u64 next; (next = 2 * at + 1) < m->heap_size; at = next) {
    if (next + 1 < m->heap_size && is_before(m, m->heap[next + 1], m->heap[next])) next++;
    if (is_before(m, m->heap[at], m->heap[next])) return;
    u64 other = m->heap[at];
    m->heap[at] = m->heap[next];
    m->heap[next] = other;
  }
}

static void merge_next(struct merge *m) {
  if (!m->readers) {
    const u64 *last = m->key;
    while (m->left && compare_keys(m->records, last) == 0) m->records += m->stride, m->left--;
    m->is_over = m->left == 0;
    if (m->is_over) return;
    memcpy(m->key, m->records, sizeof m->key);
    m->parent = m->stride > KEY_WORDS ? m->records[KEY_WORDS] : 0;
    return;
  }
  while (m->heap_size) {
    struct run_reader *first = &m->readers[m->heap[0]];
    if (compare_keys(first->key, m->key) != 0) {
      memcpy(m->key, first->key, sizeof m->key);
      m->parent = first->parent;
      return;
    }
    reader_next(first);
    if (first->error) m->error = first->error;
    if (first->is_over) m->heap[0] = m->heap[--m->heap_size];
    sink(m, 0);
  }
  m->is_over = 1;
}

/* Begin with the least key of some runs. */
static int merge_runs(struct merge *m, struct run *const *runs, u64 count) {
  *m = (struct merge){.readers = calloc(count + 1, sizeof *m->readers), .heap = calloc(count + 1, sizeof *m->heap)};
  if (!m->readers || !m->heap) return m->error = ENOMEM, 0;
  for (u64 k = 0; k < count && !m->error; k++) {
    struct run_reader *reader = &m->readers[m->reader_count++];
    if (!reader_open(reader, runs[k])) m->error = reader->error;
    if (!reader->is_over) m->heap[m->heap_size++] = k;
  }
  for (u64 k = m->heap_size; k-- > 0;) sink(m, k);
  m->is_over = m->heap_size == 0;
  if (!m->is_over) {
    memcpy(m->key, m->readers[m->heap[0]].key, sizeof m->key);
    m->parent = m->readers[m->heap[0]].parent;
  }
  return !m->error;
}

static void merge_close(struct merge *m) {
  for (u64 k = 0; k < m->reader_count; k++) reader_close(&m->readers[k]);
  free(m->readers);
  free(m->heap);
}

/* Begin with the least candidate. */
static int merge_candidates(struct merge *m, struct candidates *c, const char *folder, u64 *names) {
  *m = (struct merge){.stride = c->stride, .is_over = 1};
  if (c->run_count == 0) {
    sort_candidates(c);
    m->records = c->records;
    m->left = c->count;
    m->is_over = c->count == 0;
    if (m->is_over) return 1;
    memcpy(m->key, m->records, sizeof m->key);
    m->parent = m->stride > KEY_WORDS ? m->records[KEY_WORDS] : 0;
    return 1;
  }
  int error = 0;
  if (c->count && !spill(c, folder, names, &error)) return m->error = error, 0;
  struct run **runs = calloc(c->run_count, sizeof *runs);
  if (!runs) return m->error = ENOMEM, 0;
  for (u64 k = 0; k < c->run_count; k++) runs[k] = &c->runs[k];
  int done = merge_runs(m, runs, c->run_count);
  free(runs);
  return done;
}

#endif
