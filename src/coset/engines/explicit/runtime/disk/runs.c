/* Sorted keys in files.  See runs.h. */
#define _GNU_SOURCE
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "blocks.h"

/* What is before the bytes of a chunk in the file. */
struct chunk_head {
  uint32_t bytes, count;
  u64 sum;
  u64 key[KEY_WORDS];
};

/* The checksum of a chunk, which depends on its place. */
static u64 sum_of(const struct chunk_head *head, const u8 *bytes, u64 name, u64 at) {
  u64 sum = fold(name ^ 0x8EBC6AF09C88C6E3u, at ^ 0x9E3779B97F4A7C15u);
  sum = fold(sum ^ head->bytes, head->count ^ 0xA0761D6478BD642Fu);
  for (int k = 0; k < KEY_WORDS; k++) sum = fold(sum ^ head->key[k], 0xE7037ED1A0B428DBu);
  return sum ^ hash_bytes(bytes, (head->bytes + 7) / 8 * 8);
}

static u64 digest_of(u64 digest, u64 sum) { return fold(digest ^ sum, 0x589965CC75374CC3u); }

static int path_of(char *path, const char *folder, u64 name) {
  int length = snprintf(path, PATH_MAX, "%s/%llu.run", folder, (unsigned long long)name);
  errno = ENAMETOOLONG;
  return length > 0 && length < PATH_MAX;
}

int run_create(struct run *run, const char *folder, u64 name, int has_parents) {
  char path[PATH_MAX];
  *run = (struct run){.name = name, .has_parents = has_parents, .file = -1};
  if (!path_of(path, folder, name)) return 0;
  run->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  return run->file >= 0;
}

void run_close(struct run *run) {
  if (run->file >= 0) close(run->file);
  run->file = -1;
  free(run->chunks);
  run->chunks = NULL;
  run->chunk_count = run->room = 0;
}

void run_remove(struct run *run, const char *folder) {
  char path[PATH_MAX];
  run_close(run);
  if (path_of(path, folder, run->name)) unlink(path);
}

static int add_start(struct run *run, const struct chunk_head *head) {
  if (run->chunk_count == run->room) {
    u64 room = run->room ? 2 * run->room : 16;
    struct chunk_start *chunks = realloc(run->chunks, room * sizeof *chunks);
    if (!chunks) return 0;
    run->chunks = chunks;
    run->room = room;
  }
  struct chunk_start *start = &run->chunks[run->chunk_count++];
  *start = (struct chunk_start){.at = run->bytes, .bytes = head->bytes, .count = head->count};
  memcpy(start->key, head->key, sizeof start->key);
  run->bytes += sizeof *head + head->bytes;
  run->count += head->count;
  run->digest = digest_of(run->digest, head->sum);
  return 1;
}

/* Read where the chunks of a run begin; its contents are verified when they are read. */
int run_open(struct run *run, const char *folder) {
  struct run found = {.name = run->name, .has_parents = run->has_parents, .file = -1};
  struct chunk_head head;
  char path[PATH_MAX];
  if (!path_of(path, folder, run->name)) return 0;
  found.file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  int done = found.file >= 0;
  while (done && found.bytes < run->bytes) {
    errno = EBADMSG;
    done = pread(found.file, &head, sizeof head, (off_t)found.bytes) == sizeof head && head.bytes <= CHUNK &&
           head.count > 0 && add_start(&found, &head);
  }
  if (done && (found.bytes != run->bytes || found.count != run->count || found.digest != run->digest)) {
    errno = EBADMSG;
    done = 0;
  }
  int error = errno;
  if (!done) run_close(&found);
  errno = error;
  *run = found;
  return done;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

#define SPARE ((u64)(MOST_ENCODED + 10)) /* bytes that a key may take */

int writer_open(struct run_writer *w, struct run *run) {
  *w = (struct run_writer){.run = run, .buffer = malloc(CHUNK + 8)};
  w->at = w->buffer;
  if (!w->buffer) w->error = ENOMEM;
  return w->buffer != NULL;
}

static int write_chunk(struct run_writer *w) {
  struct chunk_head head = {.bytes = (uint32_t)(w->at - w->buffer), .count = w->count};
  if (w->count == 0) return 1;
  memcpy(head.key, w->first, sizeof head.key);
  memset(w->at, 0, 8); /* the checksum is of whole words */
  head.sum = sum_of(&head, w->buffer, w->run->name, w->run->bytes);
  errno = 0;
  if (!put_bytes(w->run->file, &head, sizeof head) || !put_bytes(w->run->file, w->buffer, head.bytes) ||
      !add_start(w->run, &head)) {
    w->error = errno ? errno : EIO;
    return 0;
  }
  w->at = w->buffer;
  w->count = 0;
  return 1;
}

int writer_put(struct run_writer *w, const u64 *key, u64 parent) {
  if ((u64)(w->at - w->buffer) + SPARE > CHUNK && !write_chunk(w)) return 0;
  if (w->count == 0) memcpy(w->first, key, sizeof w->first);
  else w->at = put_difference(w->at, w->last, key);
  if (w->run->has_parents) w->at = put_number(w->at, parent);
  memcpy(w->last, key, sizeof w->last);
  w->count++;
  return 1;
}

/* Write what is left.  `durably`: the file is on the disk afterwards. */
int writer_close(struct run_writer *w, int durably) {
  int done = w->buffer && !w->error && write_chunk(w);
  if (done && durably && fdatasync(w->run->file) != 0) {
    w->error = errno;
    done = 0;
  }
  free(w->buffer);
  w->buffer = NULL;
  return done;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void fail(struct run_reader *r, int error) {
  r->error = error ? error : EIO;
  r->is_over = 1;
}

/* Read a chunk; its first key is the current one. */
static void read_chunk(struct run_reader *r, u64 chunk) {
  const struct chunk_start *start = &r->run->chunks[chunk];
  struct chunk_head head;
  r->chunk = chunk + 1;
  errno = 0;
  if (pread(r->run->file, &head, sizeof head, (off_t)start->at) != sizeof head ||
      pread(r->run->file, r->buffer, start->bytes, (off_t)(start->at + sizeof head)) != (ssize_t)start->bytes) {
    fail(r, errno);
    return;
  }
  memset(r->buffer + start->bytes, 0, 16);
  if (head.bytes != start->bytes || head.count != start->count ||
      head.sum != sum_of(&head, r->buffer, r->run->name, start->at)) {
    fail(r, EBADMSG);
    return;
  }
  memcpy(r->key, head.key, sizeof r->key);
  r->at = r->buffer;
  r->left = head.count - 1;
  if (r->run->has_parents) r->at = get_number(r->at, &r->parent);
}

int reader_open(struct run_reader *r, const struct run *run) {
  *r = (struct run_reader){.run = run, .buffer = malloc(CHUNK + 16)};
  if (!r->buffer) fail(r, ENOMEM);
  else if (run->chunk_count == 0) r->is_over = 1;
  else read_chunk(r, 0);
  return !r->error;
}

void reader_close(struct run_reader *r) {
  free(r->buffer);
  r->buffer = NULL;
}

void reader_next(struct run_reader *r) {
  r->passed++;
  if (__builtin_expect(r->left == 0, 0)) {
    if (r->chunk < r->run->chunk_count) read_chunk(r, r->chunk);
    else r->is_over = 1;
    return;
  }
  r->left--;
  r->at = get_difference(r->at, r->key);
  if (r->run->has_parents) r->at = get_number(r->at, &r->parent);
}

/* Go to the last chunk that does not begin after a key: in steps that double, and back by halves. */
static void seek_chunk(struct run_reader *r, const u64 *key) {
  const struct chunk_start *chunks = r->run->chunks;
  u64 count = r->run->chunk_count, low = r->chunk - 1, step = 1;
  while (low + step < count && compare_keys(chunks[low + step].key, key) <= 0) {
    low += step;
    step *= 2;
  }
  for (; step; step /= 2)
    if (low + step < count && compare_keys(chunks[low + step].key, key) <= 0) low += step;
  if (low + 1 != r->chunk) read_chunk(r, low);
}

void reader_seek(struct run_reader *r, const u64 *key) {
  if (r->is_over || compare_keys(r->key, key) >= 0) return;
  seek_chunk(r, key);
  while (!r->is_over && compare_keys(r->key, key) < 0) reader_next(r);
}

/* Go to the key at a position; returns 0 if it cannot be read. */
int reader_at(struct run_reader *r, u64 position) {
  u64 chunk = 0, before = 0;
  while (chunk < r->run->chunk_count && before + r->run->chunks[chunk].count <= position)
    before += r->run->chunks[chunk++].count;
  if (chunk == r->run->chunk_count) return 0;
  read_chunk(r, chunk);
  for (; !r->is_over && before < position; before++) reader_next(r);
  return !r->is_over;
}
