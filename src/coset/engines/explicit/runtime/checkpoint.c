/* A search on disk.  See checkpoint.h.

   The file is a header and, unless the search is over, the tables of the store, the parents, what is left of the level
   and what has been found of the next one.  It is written under another name and renamed when all of it is on the disk,
   so that there is a whole checkpoint at any moment. */
#define _GNU_SOURCE
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

#define MAGIC ((u64)0x5445534F434B4333)

struct header {
  u64 magic, identity, state_size, storage, finished;
  u64 states, transitions, errors[ERROR_COUNT], depth, represents[2];
  u64 number_count, half_count, places, keys, key_extent, bit_words;
  u64 has_parents, left, found; /* chunks of this level and of the next */
};

u64 checkpoint_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

/* --- blocks of a file --------------------------------------------------------------------------------------------- */

typedef int transfer(int file, void *data, u64 bytes);

static int put(int file, void *data, u64 bytes) {
  for (u64 done = 0; done < bytes;) {
    u64 part = bytes - done < ((u64)64 << 20) ? bytes - done : (u64)64 << 20;
    ssize_t written = write(file, (u8 *)data + done, part);
    if (written < 0 && errno != EINTR) return 0;
    if (written > 0) done += (u64)written;
  }
  return 1;
}

static int get(int file, void *data, u64 bytes) {
  for (u64 done = 0; done < bytes;) {
    ssize_t got = read(file, (u8 *)data + done, bytes - done);
    if (got == 0 || (got < 0 && errno != EINTR)) return 0;
    if (got > 0) done += (u64)got;
  }
  return 1;
}

#if MODEL_KNOWS
/* What the numbers in packed states mean. */
static int dictionaries(struct codes *c, int file, transfer *move) {
  for (int k = 0; k < COMPONENTS; k++) {
    struct dictionary *d = &c->all[k];
    u64 count = d->count, words = (u64)model_components[k].words;
    if (!move(file, &count, sizeof count) || count > d->spot.mask + 1) return 0;
    if (!move(file, d->items, count * words * sizeof(u64)) || !codes_refill(c, k, count)) return 0;
  }
  return 1;
}
#endif

/* Tables and pools, in the same order for writing and for reading. */
static int tables(struct search *search, const struct header *h, int file, transfer *move) {
  struct store *s = &search->store;
  struct numbering *n = s->storage == STORAGE_STATES ? &s->states : &s->halves;
  u64 size = s->storage == STORAGE_STATES ? PACKED_SIZE : HALF;
  u64 things = s->storage == STORAGE_STATES ? h->number_count : h->half_count;
#if MODEL_KNOWS
  if (!dictionaries(&search->knowledge.codes, file, move)) return 0;
#endif
  if (h->places && !(move(file, (void *)n->places, h->places * sizeof(u64)) && move(file, n->pool, things * size))) return 0;
  if (h->keys && !move(file, (void *)s->keys.places, h->key_extent * s->keys.width * sizeof(u64))) return 0;
  if (h->bit_words && !move(file, (void *)s->bits, h->bit_words * sizeof(u64))) return 0;
  return !h->has_parents || move(file, search->parents, h->number_count * sizeof(u64));
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int put_chunk(const struct search *search, int file, struct chunk chunk, u64 from) {
  u64 numbers[2] = {chunk.first + from, chunk.count - from}, size = store_item_size(&search->store);
  return put(file, numbers, sizeof numbers) && put(file, chunk.items + from * size, (chunk.count - from) * size);
}

static struct header header_of(struct search *search) {
  const struct store *s = &search->store;
  const struct numbering *n = s->storage == STORAGE_STATES ? &s->states : &s->halves;
  struct header h = {.magic = MAGIC, .identity = search->request.identity, .state_size = PACKED_SIZE, .storage = s->storage};
  h.finished = atomic_load(&search->stopped) == STOP_DONE && search->over;
  h.states = search->result->states;
  h.transitions = search->result->transitions - 1;
  for (int e = 0; e < ERROR_COUNT; e++) h.errors[e] = search->result->errors[e];
  h.depth = search->depth;
  unsigned __int128 represents = 0;
  for (int k = 0; k < search->request.threads; k++) represents += search->workers[k].represents;
  h.represents[0] = (u64)represents;
  h.represents[1] = (u64)(represents >> 64);
  if (h.finished) return h;
  h.number_count = atomic_load(&search->number_count);
  h.half_count = atomic_load(&s->half_count);
  h.places = n->places ? n->mask + 1 : 0;
  h.keys = s->keys.places ? s->keys.size : 0;
  h.key_extent = s->keys.places ? keys_extent(&s->keys) : 0;
  h.bit_words = s->bit_words;
  h.has_parents = search->parents != NULL;
  return h;
}

static int put_all(struct search *search, int file) {
  struct header h = header_of(search);
  u64 before = 0, next = atomic_load(&search->next_portion);
  for (u64 k = 0; k < search->level.count; before += search->level.items[k++].count)
    h.left += next < before + search->level.items[k].count;
  for (int w = 0; w < search->request.threads; w++)
    h.found += search->workers[w].found.count + (search->workers[w].filling.count > 0);
  if (!put(file, &h, sizeof h)) return 0;
  if (h.finished) return 1;
  if (!tables(search, &h, file, put)) return 0;
  before = 0;
  for (u64 k = 0; k < search->level.count; before += search->level.items[k++].count) {
    struct chunk chunk = search->level.items[k];
    if (next < before + chunk.count && !put_chunk(search, file, chunk, next > before ? next - before : 0)) return 0;
  }
  for (int w = 0; w < search->request.threads; w++) {
    const struct worker *worker = &search->workers[w];
    for (u64 k = 0; k < worker->found.count; k++)
      if (!put_chunk(search, file, worker->found.items[k], 0)) return 0;
    if (worker->filling.count && !put_chunk(search, file, worker->filling, 0)) return 0;
  }
  return put(file, &h.magic, sizeof h.magic);
}

/* The renaming is on the disk when the folder is. */
static void settle(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *end = strrchr(folder, '/');
  if (end) *end = 0;
  int file = open(end ? folder : ".", O_RDONLY);
  if (file < 0) return;
  fsync(file);
  close(file);
}

void checkpoint_write(struct search *search) {
  const char *path = search->request.checkpoint;
  char partial[PATH_MAX];
  snprintf(partial, sizeof partial, "%s.new", path);
  int file = open(partial, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int done = file >= 0 && put_all(search, file) && fsync(file) == 0;
  if (file >= 0 && close(file)) done = 0;
  if (done && rename(partial, path)) done = 0;
  if (done) {
    settle(path);
    search->result->checkpoints++;
  } else {
    search->result->checkpoint_error = errno ? errno : EIO;
    unlink(partial);
  }
  search->checkpoint_time = checkpoint_clock();
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int get_chunks(struct search *search, int file, struct chunks *list, u64 count) {
  u64 size = store_item_size(&search->store);
  for (u64 k = 0; k < count; k++) {
    u64 numbers[2];
    if (!get(file, numbers, sizeof numbers)) return 0;
    struct chunk chunk = {numbers[0], numbers[1], numbers[1], size ? malloc(numbers[1] * size + 1) : NULL};
    if (size && !chunk.items) return 0;
    add_chunk(list, chunk);
    if (!get(file, chunk.items, numbers[1] * size)) return 0;
  }
  return 1;
}

static int has_room(struct search *search, const struct header *h) {
  struct store *s = &search->store;
  struct numbering *n = s->storage == STORAGE_STATES ? &s->states : &s->halves;
  if (h->bit_words != s->bit_words || (h->has_parents && !search->parents) || h->number_count > search->capacity) return 0;
  if (h->places) {
    if (h->places > n->room) return 0;
    n->mask = h->places - 1;
  }
  return !h->keys || keys_resize(&s->keys, h->keys, h->key_extent);
}

static int get_all(struct search *search, int file) {
  struct header h;
  struct worker *w = &search->workers[0];
  u64 end;
  if (!get(file, &h, sizeof h) || h.magic != MAGIC || h.identity != search->request.identity) return 0;
  if (h.state_size != PACKED_SIZE || h.storage != search->store.storage) return 0;
  atomic_store(&w->states, h.states);
  w->represents = (unsigned __int128)h.represents[1] << 64 | h.represents[0];
  atomic_store(&w->transitions, h.transitions);
  for (int e = 0; e < ERROR_COUNT; e++) atomic_store(&w->errors[e], h.errors[e]);
  search->depth = h.depth;
  search->over = h.finished != 0;
  if (h.finished) return 1;
  atomic_store(&search->number_count, h.number_count);
  atomic_store(&search->store.half_count, h.half_count);
  if (!has_room(search, &h) || !tables(search, &h, file, get)) return 0;
#if MODEL_KNOWS
  knowledge_refill(&search->knowledge);
#endif
  if (!get_chunks(search, file, &search->level, h.left) || !get_chunks(search, file, &w->found, h.found)) return 0;
  for (u64 k = 0; k < search->level.count; k++) search->level_size += search->level.items[k].count;
  return get(file, &end, sizeof end) && end == MAGIC;
}

int checkpoint_read(struct search *search) {
  int file = open(search->request.checkpoint, O_RDONLY);
  if (file < 0) return errno == ENOENT ? 0 : -1;
  int done = get_all(search, file);
  close(file);
  return done ? 1 : -1;
}
