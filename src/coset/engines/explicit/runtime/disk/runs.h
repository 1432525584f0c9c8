/* Runs: sorted keys in a file, as differences, some with the position of a predecessor in the level before.

   A run is written and read from beginning to end, in chunks.  The first key of each chunk is also kept in memory, so that a
   reader that looks for a greater key passes over chunks that cannot have it. */
#ifndef RUNS_H
#define RUNS_H

#include "keys_of_run.h"

#define CHUNK ((u64)1 << 16) /* the bytes of a chunk */

struct chunk_start {
  u64 key[KEY_WORDS];
  u64 at; /* in the file */
  uint32_t bytes, count;
};

struct run {
  u64 name;        /* the number in its file name */
  u64 count;       /* of keys */
  u64 bytes;       /* of the file */
  u64 digest;      /* of the checksums of its chunks */
  int has_parents; /* whether each key has a position in the level before */
  int file;        /* open for reading, or -1 */
  struct chunk_start *chunks;
  u64 chunk_count, room;
};

struct run_writer {
  struct run *run;
  u8 *buffer, *at;
  u64 first[KEY_WORDS], last[KEY_WORDS]; /* of the keys in the buffer */
  uint32_t count;                        /* of keys in the buffer */
  int error;                             /* a number of errno.h */
};

struct run_reader {
  const struct run *run;
  u8 *buffer;
  const u8 *at;
  u64 chunk;     /* the number of the next one to be read */
  uint32_t left; /* keys that are left in the buffer */
  u64 passed;    /* keys up to the current one */
  u64 key[KEY_WORDS], parent;
  int is_over, error;
};

int run_create(struct run *run, const char *folder, u64 name,
               int has_parents);                   /* all return 0 on failure, with errno */
int run_open(struct run *run, const char *folder); /* one that is described by `name`, `count`, `bytes` and `digest` */
void run_close(struct run *run);
void run_remove(struct run *run, const char *folder);

int writer_open(struct run_writer *w, struct run *run);
int writer_put(struct run_writer *w, const u64 *key, u64 parent);
int writer_close(struct run_writer *w, int durably);

int reader_open(struct run_reader *r, const struct run *run); /* on the first key */
void reader_next(struct run_reader *r);
void reader_seek(struct run_reader *r, const u64 *key); /* to the first key from the current one on that is not less */
int reader_at(struct run_reader *r, u64 position);
void reader_close(struct run_reader *r);

#endif
