/* Sorted keys in files: what was written is read again, in order, from any key or position on, and damage is noticed. */
#define _GNU_SOURCE
#include "runs.h"

#include "check.h"
#include "hash.h"
#include "sorting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MANY 60000

static u64 seed = 1;

static u64 random_word(void) {
  seed += 0x9E3779B97F4A7C15u;
  return hash_word(seed);
}

static u64 records[MANY * (KEY_WORDS + 1)], other[MANY * (KEY_WORDS + 1)];

/* Random keys with their numbers as parents; few bits vary in the first word, so that differences are short and long. */
static u64 *sorted_records(u64 *count) {
  for (u64 k = 0; k < MANY; k++) {
    for (int i = 0; i < KEY_WORDS; i++)
      records[k * (KEY_WORDS + 1) + (u64)i] =
          random_word() & (i < KEY_WORDS - 1 ? 0x8000000000000007u : random_word() << 3);
    records[k * (KEY_WORDS + 1) + KEY_WORDS] = k;
  }
  u64 *sorted = sort_records(records, other, MANY, KEY_WORDS + 1), left = 1;
  for (u64 k = 1; k < MANY; k++) {
    const u64 *before = sorted + (left - 1) * (KEY_WORDS + 1), *here = sorted + k * (KEY_WORDS + 1);
    int order = compare_keys(before, here);
    CHECK(order < 0 || (order == 0 && before[KEY_WORDS] < here[KEY_WORDS])); /* the sort is stable */
    if (order < 0) memmove(sorted + left++ * (KEY_WORDS + 1), here, (KEY_WORDS + 1) * sizeof(u64));
  }
  *count = left;
  return sorted;
}

static void check_reading(const struct run *run, const u64 *sorted, u64 count) {
  struct run_reader reader;
  CHECK(reader_open(&reader, run));
  for (u64 k = 0; k < count; k++, reader_next(&reader)) {
    CHECK(!reader.is_over && compare_keys(reader.key, sorted + k * (KEY_WORDS + 1)) == 0);
    CHECK(reader.parent == sorted[k * (KEY_WORDS + 1) + KEY_WORDS]);
  }
  CHECK(reader.is_over && !reader.error);
  reader_close(&reader);
  CHECK(reader_open(&reader, run));
  for (u64 k = 0; k < count; k += 1 + random_word() % 5000) {
    u64 key[KEY_WORDS];
    memcpy(key, sorted + k * (KEY_WORDS + 1), sizeof key);
    reader_seek(&reader, key);
    CHECK(compare_keys(reader.key, key) == 0);
    key[KEY_WORDS - 1]++; /* perhaps no key: the next one is found */
    reader_seek(&reader, key);
    CHECK(k + 1 == count ? reader.is_over : compare_keys(reader.key, sorted + (k + 1) * (KEY_WORDS + 1)) == 0);
  }
  reader_close(&reader);
  for (u64 k = 0; k < count; k += 1 + random_word() % 9000) {
    CHECK(reader_open(&reader, run) && reader_at(&reader, k));
    CHECK(compare_keys(reader.key, sorted + k * (KEY_WORDS + 1)) == 0);
    reader_close(&reader);
  }
}

int main(void) {
  char folder[] = "/tmp/coset-runs-XXXXXX";
  u64 count, *sorted = sorted_records(&count);
  struct run run, again;
  struct run_writer writer;
  struct run_reader reader;
  CHECK(mkdtemp(folder) && run_create(&run, folder, 7, 1) && writer_open(&writer, &run));
  for (u64 k = 0; k < count; k++)
    CHECK(writer_put(&writer, sorted + k * (KEY_WORDS + 1), sorted[k * (KEY_WORDS + 1) + KEY_WORDS]));
  CHECK(writer_close(&writer, 1) && run.count == count && run.chunk_count > 3);
  check_reading(&run, sorted, count);
  again = run;
  CHECK(run_open(&again, folder) && again.count == count);
  check_reading(&again, sorted, count);
  run_close(&again);

  u8 byte;
  off_t at = (off_t)(run.bytes / 2);
  CHECK(pread(run.file, &byte, 1, at) == 1);
  byte ^= 4;
  CHECK(pwrite(run.file, &byte, 1, at) == 1);
  CHECK(reader_open(&reader, &run));
  while (!reader.is_over) reader_next(&reader);
  CHECK(reader.error == EBADMSG && reader.passed < count);
  reader_close(&reader);
  run_remove(&run, folder);
  CHECK(rmdir(folder) == 0);
  puts("ok");
  return 0;
}
