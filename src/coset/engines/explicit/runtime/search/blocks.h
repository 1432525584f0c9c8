/* A file in blocks of at most 1 MB, each with a checksum.

   The checksum of a block depends on its position and on a seed that is different for every file, so that swapped blocks
   and blocks of an older file are detected.  Bytes are returned only after the checksum of their block has been
   verified. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "hash.h"

#define BLOCK ((u64)1 << 20)

struct blocks {
  int file;
  int error; /* a number of errno.h: EBADMSG if a checksum does not match */
  u64 seed;
  u64 bytes;      /* bytes written, or still to be read */
  u64 count;      /* blocks written or read so far */
  u64 digest;     /* the hash of their checksums */
  u64 at, filled; /* position in the buffer, and bytes in it */
  u8 *buffer;
};

int blocks_open(struct blocks *b, int file, u64 seed, u64 bytes); /* `bytes`: how many to read */
void blocks_close(struct blocks *b);
int blocks_put(struct blocks *b, const void *data,
               u64 bytes); /* a multiple of 8 bytes; both functions return 0 on failure */
int blocks_get(struct blocks *b, void *data, u64 bytes);
int blocks_flush(struct blocks *b); /* write the last block */

int put_bytes(int file, const void *data, u64 bytes);
int get_bytes(int file, void *data, u64 bytes); /* EBADMSG if the file is too short */

/* The size in the file of this many bytes. */
static inline u64 blocks_size(u64 bytes) { return bytes + (bytes / BLOCK + (bytes % BLOCK != 0)) * sizeof(u64); }

#endif
