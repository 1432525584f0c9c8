/* A file in blocks with checksums.  See blocks.h. */
#define _GNU_SOURCE
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int put_bytes(int file, const void *data, u64 bytes) {
  for (u64 done = 0; done < bytes;) {
    ssize_t written = write(file, (const u8 *)data + done, bytes - done);
    if (written < 0 && errno != EINTR) return 0;
    if (written > 0) done += (u64)written;
  }
  return 1;
}

int get_bytes(int file, void *data, u64 bytes) {
  for (u64 done = 0; done < bytes;) {
    ssize_t got = read(file, (u8 *)data + done, bytes - done);
    if (got == 0) errno = EBADMSG;
    if (got == 0 || (got < 0 && errno != EINTR)) return 0;
    if (got > 0) done += (u64)got;
  }
  return 1;
}

int blocks_open(struct blocks *b, int file, u64 seed, u64 bytes) {
  *b = (struct blocks){.file = file, .seed = seed, .bytes = bytes, .buffer = malloc(BLOCK + sizeof(u64))};
  if (!b->buffer) b->error = ENOMEM;
  return b->buffer != NULL;
}

void blocks_close(struct blocks *b) {
  free(b->buffer);
  b->buffer = NULL;
}

static int fail(struct blocks *b, int error) {
  b->error = error ? error : EIO;
  return 0;
}

/* The checksum of the next block, which is in the buffer. */
static u64 checksum(struct blocks *b) {
  u64 sum = fold(hash_bytes(b->buffer, b->filled) ^ b->seed, hash_word(++b->count)) ^ b->filled;
  b->digest = fold(b->digest ^ sum, 0x9E3779B97F4A7C15u) ^ b->count;
  return sum;
}

int blocks_flush(struct blocks *b) {
  if (b->filled == 0) return 1;
  u64 sum = checksum(b);
  memcpy(b->buffer + b->filled, &sum, sizeof sum);
  errno = 0;
  if (!put_bytes(b->file, b->buffer, b->filled + sizeof sum)) return fail(b, errno);
  b->filled = 0;
  return 1;
}

int blocks_put(struct blocks *b, const void *data, u64 bytes) {
  for (u64 done = 0, part; done < bytes; done += part) {
    part = bytes - done < BLOCK - b->filled ? bytes - done : BLOCK - b->filled;
    memcpy(b->buffer + b->filled, (const u8 *)data + done, part);
    b->filled += part;
    if (b->filled == BLOCK && !blocks_flush(b)) return 0;
  }
  b->bytes += bytes;
  return 1;
}

/* Read the next block; `left` bytes in all are not in the buffer yet. */
static int next_block(struct blocks *b, u64 left) {
  u64 sum;
  b->at = 0;
  b->filled = left < BLOCK ? left : BLOCK;
  errno = 0;
  if (!get_bytes(b->file, b->buffer, b->filled + sizeof sum)) return fail(b, errno);
  memcpy(&sum, b->buffer + b->filled, sizeof sum);
  return sum == checksum(b) || fail(b, EBADMSG);
}

int blocks_get(struct blocks *b, void *data, u64 bytes) {
  if (bytes > b->bytes) return fail(b, EBADMSG);
  for (u64 done = 0, part; done < bytes; done += part) {
    if (b->at == b->filled && !next_block(b, b->bytes)) return 0;
    part = bytes - done < b->filled - b->at ? bytes - done : b->filled - b->at;
    memcpy((u8 *)data + done, b->buffer + b->at, part);
    b->at += part;
    b->bytes -= part;
  }
  return 1;
}
