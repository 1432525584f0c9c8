/* A file in blocks of at most 1 MB, each with a checksum.

   The checksum of a block depends on its position and on a seed that is different for every file: blocks that were exchanged,
   or that belong to an older file, do not pass.  Bytes are handed out only after the block that they are in has passed. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "hash.h"

#define BLOCK ((u64)1 << 20)

struct blocks {
  int file;
  int error; /* a number of errno.h: EBADMSG if a checksum does not match */
  u64 seed;
  u64 bytes;      /* that have been put in, or that are still to be read */
  u64 count;      /* blocks written or read so far, */
  u64 digest;     /* and the hash of their checksums */
  u64 at, filled; /* in the buffer */
  u8 *buffer;
};

int blocks_open(struct blocks *b, int file, u64 seed, u64 bytes); /* `bytes`: how many there are to read */
void blocks_close(struct blocks *b);
int blocks_put(struct blocks *b, const void *data, u64 bytes); /* a multiple of 8; these return 0 on failure */
int blocks_get(struct blocks *b, void *data, u64 bytes);
int blocks_flush(struct blocks *b); /* write the last block */

int put_bytes(int file, const void *data, u64 bytes);
int get_bytes(int file, void *data, u64 bytes); /* EBADMSG if the file ends before */

/* What so many bytes take in a file. */
static inline u64 blocks_size(u64 bytes) { return bytes + (bytes / BLOCK + (bytes % BLOCK != 0)) * sizeof(u64); }

#endif
