/* Checkpoints of a search.  See checkpoint.h.

   The file is a header and, unless the search is over, the tables of the store, the parents, the recorded edges, the states left
   in the level and those found for the next, in blocks (blocks.h).  The header and every block have a checksum.  The file is written
   under another name and renamed once it is on disk, so that a complete checkpoint exists at any moment.

   A damaged file must not change a result: nothing is used before its checksum has been verified, and every size and index
   is checked against the memory available. */
#define _GNU_SOURCE
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "blocks.h"
#include "memory.h"

#define MAGIC ((u64)0x544E494F504B4843) /* "CHKPOINT" */
#define VERSION 7

struct header {
  u64 magic, version, size; /* of this header */
  u64 identity, state_size, storage;
  u64 seed, bytes, digest; /* of the blocks that follow */
  u64 finished, states, transitions, errors[ERROR_COUNT], depth, represents[2];
  u64 number_count, half_count, places, keys, bit_words;
  u64 has_parents, left, found; /* `left`, `found`: chunks of this level and of the next */
  u64 checksum;                 /* of all that is above */
};

static u64 header_checksum(const struct header *h) {
  return hash_bytes((const u8 *)h, offsetof(struct header, checksum));
}

u64 checkpoint_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

/* Different for every file. */
static u64 new_seed(const struct search *search) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  u64 words[4] = {(u64)now.tv_sec, (u64)now.tv_nsec, (u64)getpid(), search->result->checkpoints};
  return hash_bytes((const u8 *)words, sizeof words);
}

/* The intern table that a storage has; its places are NULL if it has none. */
static struct intern_table *intern_of(struct store *s) {
  return s->storage == STORAGE_STATES ? &s->states : &s->halves;
}

static u64 thing_size(const struct store *s) { return s->storage == STORAGE_STATES ? PACKED_SIZE : HALF; }

static u64 thing_count(const struct store *s, const struct header *h) {
  return s->storage == STORAGE_STATES ? h->number_count : h->half_count;
}

#include "saved_dictionaries.h"
#include "saved_graph.h"

/* --- writing ------------------------------------------------------------------------------------------------------ */

#define KEYS_AT_ONCE 256

static int put_keys(const struct keys *k, struct blocks *b) {
  u64 words[2 * KEYS_AT_ONCE], at = 0, count;
  while ((count = keys_next(k, &at, words, KEYS_AT_ONCE)) > 0)
    if (!blocks_put(b, words, count * k->whole.width * sizeof(u64))) return 0;
  return 1;
}

static int put_tables(struct search *search, const struct header *h, struct blocks *b) {
  struct store *s = &search->store;
  struct intern_table *n = intern_of(s);
#if MODEL_CACHES
  if (!put_dictionaries(&search->footprints.dictionary, b)) return 0;
#endif
  if (h->places && !blocks_put(b, (const void *)n->places, h->places * sizeof(u64))) return 0;
  if (h->places && !blocks_put(b, n->pool, thing_count(s, h) * thing_size(s))) return 0;
  if (h->keys && !put_keys(&s->keys, b)) return 0;
  if (h->bit_words && !blocks_put(b, (const void *)s->bits, h->bit_words * sizeof(u64))) return 0;
  if (h->has_parents && !blocks_put(b, search->parents, h->number_count * sizeof(u64))) return 0;
  return put_graph(search, h->number_count, b);
}

static int put_chunk(const struct search *search, struct blocks *b, struct chunk chunk, u64 from, u64 to) {
  u64 numbers[2] = {chunk.first + from, to - from}, size = store_item_size(&search->store);
  return blocks_put(b, numbers, sizeof numbers) &&
         (!size || blocks_put(b, chunk.items + from * size, (to - from) * size));
}

/* The states of the level in these positions; `count` grows by the number of chunks. */
static int put_positions(const struct search *search, struct blocks *b, u64 from, u64 to, u64 *count) {
  for (u64 k = 0, before = 0; k < search->level.count; before += search->level.items[k++].count) {
    struct chunk chunk = search->level.items[k];
    u64 low = from > before ? from - before : 0, high = to > before ? to - before : 0;
    if (high > chunk.count) high = chunk.count;
    if (low >= high) continue;
    if (!put_chunk(search, b, chunk, low, high)) return 0;
    ++*count;
  }
  return 1;
}

/* The states of the level that no thread has expanded. */
static int put_level(struct search *search, struct blocks *b, u64 *count) {
  if (!put_positions(search, b, atomic_load(&search->next_portion), search->level_size, count)) return 0;
  for (int w = 0; w < search->request.threads; w++) {
    struct id_block portion = search->workers[w].portion;
    if (!put_positions(search, b, portion.next, portion.end, count)) return 0;
  }
  return 1;
}

static int put_found(struct search *search, struct blocks *b, u64 *count) {
  for (int w = 0; w < search->request.threads; w++) {
    const struct worker *worker = &search->workers[w];
    for (u64 k = 0; k < worker->found.count; k++, ++*count)
      if (!put_chunk(search, b, worker->found.items[k], 0, worker->found.items[k].count)) return 0;
    if (!worker->filling.count) continue;
    if (!put_chunk(search, b, worker->filling, 0, worker->filling.count)) return 0;
    ++*count;
  }
  return 1;
}

static struct header header_of(struct search *search) {
  struct store *s = &search->store;
  const struct intern_table *n = intern_of(s);
  struct header h = {.magic = MAGIC, .version = VERSION, .size = sizeof h, .identity = search->request.identity};
  h.state_size = PACKED_SIZE;
  h.storage = s->storage;
  h.seed = new_seed(search);
  /* The graph is needed also when all states are there. */
  h.finished = !MODEL_GRAPH && atomic_load(&search->stopped) == STOP_DONE && search->over;
  h.states = search->result->states;
  h.transitions = search->result->transitions - 1;
  for (int e = 0; e < ERROR_COUNT; e++) h.errors[e] = search->result->errors[e];
  h.depth = search->depth;
  orbit_count represents = 0;
  for (int k = 0; k < search->request.threads; k++) represents += search->workers[k].represents;
  h.represents[0] = (u64)represents;
  h.represents[1] = (u64)(represents >> 64);
  if (h.finished) return h;
  h.number_count = atomic_load(&search->number_count);
  h.half_count = atomic_load(&s->half_count);
  h.places = n->places ? n->mask + 1 : 0;
  h.keys = s->keys.whole.places ? h.states : 0;
  h.bit_words = s->bit_words;
  h.has_parents = search->parents != NULL;
  return h;
}

/* The header comes first in the file, but is written last. */
static int put_all(struct search *search, int file) {
  struct header h = header_of(search), none = {0};
  struct blocks b;
  if (!put_bytes(file, &none, sizeof none)) return 0;
  int done = blocks_open(&b, file, h.seed, 0);
  if (done && !h.finished)
    done = put_tables(search, &h, &b) && put_level(search, &b, &h.left) && put_found(search, &b, &h.found);
  done = done && blocks_flush(&b);
  blocks_close(&b);
  if (!done) {
    errno = b.error;
    return 0;
  }
  h.bytes = b.bytes;
  h.digest = b.digest;
  h.checksum = header_checksum(&h);
  return lseek(file, 0, SEEK_SET) == 0 && put_bytes(file, &h, sizeof h);
}

/* Synchronise the folder, so that the renaming is on disk. */
static void sync_folder(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *end = strrchr(folder, '/');
  if (end) *end = 0;
  int file = open(!end ? "." : *folder ? folder : "/", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

static int write_file(struct search *search, const char *partial) {
  unlink(partial);
  int file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return 0;
  int done = put_all(search, file) && fsync(file) == 0, error = errno;
  if (close(file) && done) return 0;
  errno = error;
  return done;
}

void checkpoint_write(struct search *search) {
  const char *path = search->request.checkpoint;
  char partial[PATH_MAX];
  int length = snprintf(partial, sizeof partial, "%s.%ld.new", path, (long)getpid());
  errno = ENAMETOOLONG;
  int done = length > 0 && (size_t)length < sizeof partial && write_file(search, partial) && rename(partial, path) == 0;
  if (done) {
    sync_folder(path);
    search->result->checkpoints++;
  } else {
    search->result->checkpoint_error = errno ? errno : EIO;
    unlink(partial);
  }
  search->checkpoint_time = checkpoint_clock();
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

#if MODEL_CACHES
/* Whether all numbers of a packed state are in the dictionaries. */
static int has_meaning(const struct search *search, const u8 *packed) {
  const struct component_dictionary *c = &search->footprints.dictionary;
  u64 words[PACKED_WORDS];
  memcpy(words, packed, PACKED_SIZE);
  for (int k = 0; k < COMPONENTS; k++)
    if (bit_field_value(words, &c->all[k].field) >= c->all[k].count) return 0;
  return 1;
}
#else
static int has_meaning(const struct search *search, const u8 *packed) {
  (void)search, (void)packed;
  return 1;
}
#endif

/* Whether there is room for the sizes in the header. The blocks hold no more than fits into memory. */
static int has_room(struct search *search, const struct header *h, struct blocks *b) {
  struct store *s = &search->store;
  struct intern_table *n = intern_of(s);
  u64 things = thing_count(s, h);
  if (h->bit_words != s->bit_words || h->has_parents != (search->parents != NULL)) return damaged(b);
  if ((h->places != 0) != (n->places != NULL) || (h->keys != 0) != (s->keys.whole.places != NULL)) return damaged(b);
  if (h->states == 0 || h->states > h->number_count) return damaged(b);
  if (h->places && (h->places & (h->places - 1) || h->places < 2 || things >= h->places)) return damaged(b);
  if (h->keys && (h->keys != h->states || h->keys > b->bytes / (s->keys.whole.width * sizeof(u64)))) return damaged(b);
  b->error = ENOMEM; /* the file may come from a larger machine */
  if (h->number_count > search->capacity || (h->places && (h->places > n->room || things > n->capacity))) return 0;
  if (h->keys && !keys_may_grow(&s->keys, h->number_count)) return 0;
  if (h->places) n->mask = h->places - 1;
  b->error = 0;
  return 1;
}

/* Whether all numbers in a table refer to existing items; `used` counts the slots in use. */
static int are_numbers(const struct intern_table *n, u64 things, u64 *used) {
  for (u64 slot = 0; slot <= n->mask; slot++) {
    u64 word = atomic_load_explicit(&n->places[slot], memory_order_relaxed);
    if (word == 0) continue;
    if ((word & INDEX_MASK) == 0 || (word & INDEX_MASK) > things) return 0;
    ++*used;
  }
  return *used <= things;
}

static int is_pair(u64 word, u64 halves) {
  return word >> 32 < halves && (word & UINT32_MAX) != 0 && (word & UINT32_MAX) <= halves;
}

/* Room for this many keys; returns 0 if there is no memory. */
static int make_room(struct store *s, u64 count) {
  if (!keys_fit(&s->keys, count) && !keys_grow(&s->keys, count)) return 0;
  keys_settle(&s->keys);
  return 1;
}

/* Read all keys: each occurs once and, in halves, is a pair of existing numbers. */
static int get_keys(struct store *s, const struct header *h, struct blocks *b) {
  const u64 width = s->keys.whole.width;
  u64 words[2 * KEYS_AT_ONCE];
  for (u64 done = 0, count; done < h->keys; done += count) {
    count = h->keys - done < KEYS_AT_ONCE ? h->keys - done : KEYS_AT_ONCE;
    if (!blocks_get(b, words, count * width * sizeof(u64))) return 0;
    b->error = ENOMEM;
    if (!make_room(s, done + count)) return 0;
    b->error = 0;
    for (u64 k = 0; k < count; k++) {
      const u64 *key = words + k * width;
      if (key[width - 1] == 0 || (width > 1 && key[1] & (TAKEN | WRITTEN))) return damaged(b);
      if (in_halves(s) && !is_pair(key[0], h->half_count)) return damaged(b);
      u64 hash = width == 1 ? hash_word(key[0]) : hash_bytes((const u8 *)key, 16);
      struct coded_key place = keys_place(&s->keys, key, hash, width);
      if (!keys_put(&s->keys, key, place, width)) return damaged(b);
    }
  }
  b->error = ENOMEM;
  if (!make_room(s, h->number_count)) return 0;
  b->error = 0;
  return 1;
}

static int get_parents(struct search *search, const struct header *h, struct blocks *b) {
  if (!blocks_get(b, search->parents, h->number_count * sizeof(u64))) return 0;
  for (u64 k = 0; k < h->number_count; k++) {
    u64 parent = search->parents[k] & INDEX_MASK;
    if (parent >= h->number_count && parent != NO_INDEX) return damaged(b);
  }
  return 1;
}

static int get_tables(struct search *search, const struct header *h, struct blocks *b) {
  struct store *s = &search->store;
  struct intern_table *n = intern_of(s);
  u64 things = 0;
#if MODEL_CACHES
  if (!get_dictionaries(&search->footprints.dictionary, b)) return 0;
#endif
  if (h->places) {
    if (!blocks_get(b, (void *)n->places, h->places * sizeof(u64))) return 0;
    if (!are_numbers(n, thing_count(s, h), &things)) return damaged(b);
    if (!blocks_get(b, n->pool, thing_count(s, h) * thing_size(s))) return 0;
  }
  if (h->keys && !get_keys(s, h, b)) return 0;
  if (s->storage == STORAGE_STATES && things != h->states) return damaged(b);
  if (h->bit_words && !blocks_get(b, (void *)s->bits, h->bit_words * sizeof(u64))) return 0;
  if (h->has_parents && !get_parents(search, h, b)) return 0;
  return get_graph(search, h->number_count, b);
}

/* Whether the states of a chunk can be expanded. */
static int is_usable(struct search *search, const struct header *h, const struct chunk *chunk) {
  u64 size = store_item_size(&search->store), word;
  struct halves state;
  for (u64 k = 0; k < chunk->count; k++) {
    if (in_halves(&search->store)) {
      memcpy(&word, chunk->items + k * size, sizeof word);
      if (!is_pair(word, h->half_count)) return 0;
    }
    store_recall(&search->store, size ? chunk->items + k * size : NULL, chunk->first + k, &state);
    if (!has_meaning(search, state.packed)) return 0;
  }
  return 1;
}

/* Read chunks of states to be expanded, at most `most` states; sets how many there are. */
static int get_chunks(struct search *search, const struct header *h, struct blocks *b, struct chunks *list, u64 count,
                      u64 *most) {
  u64 size = store_item_size(&search->store);
  for (u64 k = 0; k < count; k++) {
    u64 numbers[2];
    if (!blocks_get(b, numbers, sizeof numbers)) return 0;
    if (numbers[1] == 0 || numbers[1] > *most || numbers[0] > h->number_count - numbers[1]) return damaged(b);
    if (size && numbers[1] > b->bytes / size) return damaged(b);
    struct chunk chunk = {numbers[0], numbers[1], numbers[1], size ? malloc(numbers[1] * size) : NULL};
    if (size && !chunk.items) {
      b->error = ENOMEM;
      return 0;
    }
    add_chunk(list, chunk);
    if (size && !blocks_get(b, chunk.items, numbers[1] * size)) return 0;
    if (!is_usable(search, h, &chunk)) return damaged(b);
    *most -= numbers[1];
  }
  return 1;
}

static int is_whole(const struct header *h, const struct search *search, u64 file_size) {
  if (h->magic != MAGIC || h->version != VERSION || h->size != sizeof *h || h->checksum != header_checksum(h)) return 0;
  if (h->identity != search->request.identity || h->state_size != PACKED_SIZE || h->storage != search->store.storage)
    return 0;
  if (h->finished > 1 || (h->finished && h->bytes) || h->bytes > file_size || h->bytes % 8) return 0;
  return file_size == sizeof *h + blocks_size(h->bytes);
}

static int get_search(struct search *search, const struct header *h, struct blocks *b) {
  struct worker *w = &search->workers[0];
  u64 most = h->states;
  if (!has_room(search, h, b) || !get_tables(search, h, b)) return 0;
  if (!get_chunks(search, h, b, &search->level, h->left, &most)) return 0;
  search->level_size = h->states - most;
  if (!get_chunks(search, h, b, &w->found, h->found, &most)) return 0;
  if (b->bytes != 0 || b->digest != h->digest) return damaged(b);
  atomic_store(&search->number_count, h->number_count);
  atomic_store(&search->store.half_count, h->half_count);
#if MODEL_CACHES
  footprint_table_refill(&search->footprints);
#endif
  return 1;
}

/* 0, or a number of errno.h. */
static int get_all(struct search *search, int file) {
  struct header h;
  struct blocks b;
  struct worker *w = &search->workers[0];
  struct stat about;
  if (fstat(file, &about)) return errno;
  if (!S_ISREG(about.st_mode)) return EBADMSG;
  if (!get_bytes(file, &h, sizeof h)) return errno;
  if (!is_whole(&h, search, (u64)about.st_size)) return EBADMSG;
  if (!h.finished) {
    int done = blocks_open(&b, file, h.seed, h.bytes) && get_search(search, &h, &b);
    blocks_close(&b);
    if (!done) return b.error ? b.error : EBADMSG;
  }
  atomic_store(&w->states, h.states);
  w->represents = (orbit_count)h.represents[1] << 64 | h.represents[0];
  atomic_store(&w->transitions, h.transitions);
  for (int e = 0; e < ERROR_COUNT; e++) atomic_store(&w->errors[e], h.errors[e]);
  search->depth = h.depth;
  search->over = (int)h.finished;
  return 0;
}

int checkpoint_read(struct search *search) {
  int file = open(search->request.checkpoint, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return 0;
  int error = file < 0 ? errno : get_all(search, file);
  if (file >= 0) close(file);
  search->result->checkpoint_error = error;
  return error ? -1 : 1;
}
