/* The set of keys by itself, of one and of two words: what was put in is there, once, however the table grows and whoever puts it in. */
#include "key_set.h"
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MANY 1000000
#define RESERVE ((u64)1 << 30)
#define THREADS 4
#define FIRST_SIZE ((u64)1 << 14)

static u64 word(u64 number) { return number * 0x9E3779B97F4A7C15u | 1; } /* never 0 */

/* With two words every second key has the second word of another one. */
static int put(struct key_set *k, u64 number) {
  u64 key[2] = {word(number), word(number / 4) & ~(TAKEN | WRITTEN)};
  return k->width == 1 ? key_set_put(k, key, hash_bytes((u8 *)key, 8), 1)
                       : key_set_put(k, key, hash_bytes((u8 *)key, 16), 2);
}

static void grow(struct key_set *k, u64 words) {
  if (key_set_fit(k, words)) return;
  CHECK(key_set_grow(k, words));
  while (k->growing) {
    key_set_move(k);
    key_set_moved(k);
  }
}

static void test_growth(u64 width) {
  struct key_set k;
  CHECK(key_set_open(&k, width, RESERVE));
  u64 first = k.size, in = 0;
  for (u64 n = 0; n < MANY; n++) {
    grow(&k, in + 1);
    in += (u64)put(&k, 2 * n);
    CHECK(!put(&k, 2 * n));
  }
  CHECK(in == MANY && k.size > first && key_set_fit(&k, in));
  for (u64 n = 0; n < MANY; n++) CHECK(!put(&k, 2 * n));
  key_set_close(&k);
}

/* Words that belong into the last line are found behind it, and wherever the table grows to. */
static void test_the_end_of_the_table(void) {
  struct key_set k;
  CHECK(key_set_open(&k, 1, RESERVE));
  u64 found[20], count = 0;
  for (u64 n = 1; count < 20; n++)
    if (key_set_place(k.size, hash_word(n), 1) >= k.size - 8) found[count++] = n;
  for (u64 n = 0; n < count; n++) CHECK(key_set_put(&k, &found[n], hash_word(found[n]), 1));
  CHECK(k.places[k.size - 1] != 0 && k.places[0] == 0 && key_set_extent(&k) == k.size + 12);
  for (int times = 0; times < 4; times++) {
    grow(&k, k.size);
    for (u64 n = 0; n < count; n++) CHECK(!key_set_put(&k, &found[n], hash_word(found[n]), 1));
  }
  key_set_close(&k);
}

struct job {
  struct key_set *k;
  u64 fresh, turn;
};

static void *put_all(void *argument) {
  struct job *job = argument;
  for (u64 n = 0; n < 10000; n++) job->fresh += (u64)put(job->k, (n + job->turn * 3000) % 10000);
  return NULL;
}

static void *move_all(void *argument) {
  key_set_move(((struct job *)argument)->k);
  return NULL;
}

static void together(struct job *jobs, void *(*what)(void *)) {
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&threads[t], NULL, what, &jobs[t]) == 0);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
}

static void test_threads(u64 width) {
  struct key_set k;
  struct job jobs[THREADS];
  u64 fresh = 0;
  CHECK(key_set_open(&k, width, RESERVE));
  for (u64 t = 0; t < THREADS; t++) jobs[t] = (struct job){&k, 0, t};
  together(jobs, put_all);
  for (u64 size = 20 * FIRST_SIZE; size < 4 * MANY; size *= 2) {
    CHECK(key_set_grow(&k, size));
    while (k.growing) {
      together(jobs, move_all);
      key_set_moved(&k);
    }
  }
  together(jobs, put_all);
  for (int t = 0; t < THREADS; t++) fresh += jobs[t].fresh;
  CHECK(fresh == 10000);
  key_set_close(&k);
}

int main(void) {
  for (u64 width = 1; width <= 2; width++) test_growth(width);
  test_the_end_of_the_table();
  for (u64 width = 1; width <= 2; width++) test_threads(width);
  printf("ok\n");
  return 0;
}
