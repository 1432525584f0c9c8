/* The numbering of states by itself: what was put in is there, once, however the table grows and whoever puts it in. */
#include "visited.h"
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MANY 300000
#define THREADS 4
#define RESERVE ((u64)256 << 20)

/* The state with a number; all its bytes matter. */
static void make(u8 *state, u64 number) {
  memset(state, (int)(number % 7), STATE_SIZE);
  memcpy(state, &number, sizeof number);
  state[STATE_SIZE - 1] = (u8)(number * 31);
}

static u64 put(struct visited *v, u64 number, u64 fresh) {
  u8 state[STATE_SIZE];
  make(state, number);
  return visited_put(v, state, hash_state(state), fresh);
}

static u64 find(struct visited *v, u64 number) {
  u8 state[STATE_SIZE];
  make(state, number);
  return visited_find(v, state, hash_state(state));
}

static void test_insert_and_duplicates(void) {
  struct visited v;
  CHECK(visited_open(&v, RESERVE));
  for (u64 k = 0; k < 1000; k++) {
    CHECK(find(&v, k) == NO_INDEX);
    CHECK(put(&v, k, k) == k);
    CHECK(put(&v, k, k + 1) == k);
  }
  for (u64 k = 0; k < 1000; k++) CHECK(put(&v, k, 1000) == k && find(&v, k) == k);
  CHECK(find(&v, 1000) == NO_INDEX);
  visited_close(&v);
}

static void test_growth(void) {
  struct visited v;
  CHECK(visited_open(&v, RESERVE));
  u64 first = v.states.mask;
  for (u64 k = 0; k < MANY; k++) {
    visited_grow(&v, k + 1);
    CHECK(intern_fits(&v.states, k + 1));
    CHECK(put(&v, k, k) == k);
  }
  CHECK(v.states.mask > first);
  for (u64 k = 0; k < MANY; k++) CHECK(find(&v, k) == k);
  for (u64 k = MANY; k < 2 * MANY; k++) CHECK(find(&v, k) == NO_INDEX);
  visited_close(&v);
}

/* Runs of entries around the end of the table are what a growth in place can get wrong: begin with a table that is
   full at its end.  A state that hashes to a wanted place is found by trying. */
static void test_growth_of_a_table_with_a_run_across_its_end(void) {
  enum { RUN = 40 };
  for (u64 start = 0; start < 4; start++) {
    struct visited v;
    u64 numbers[2 * RUN], count = 0;
    CHECK(visited_open(&v, RESERVE));
    for (u64 number = start << 32; count < RUN; number++) {
      u8 state[STATE_SIZE];
      make(state, number);
      u64 place = hash_state(state) & v.states.mask;
      if (place < v.states.mask - 8 && place > 4) continue;
      CHECK(visited_put(&v, state, hash_state(state), count) == count);
      numbers[count++] = number;
    }
    CHECK(v.states.places[v.states.mask] != 0 && v.states.places[0] != 0);
    for (int times = 0; times < 4; times++) {
      visited_grow(&v, v.states.mask);
      for (u64 k = 0; k < count; k++) CHECK(find(&v, numbers[k]) == k);
    }
    visited_close(&v);
  }
}

static void test_nearly_full(void) {
  struct visited v;
  CHECK(visited_open(&v, RESERVE));
  u64 most = v.states.mask / 4 * 3;
  for (u64 k = 0; k < most; k++) CHECK(put(&v, k * 977, k) == k);
  CHECK(intern_fits(&v.states, most) && !intern_fits(&v.states, most + 1));
  visited_grow(&v, most + 1);
  for (u64 k = 0; k < most; k++) CHECK(find(&v, k * 977) == k);
  visited_close(&v);
}

static void test_hash_uses_every_byte(void) {
  u8 state[STATE_SIZE] = {0};
  u64 zero = hash_state(state);
  for (int k = 0; k < STATE_SIZE; k++) {
    for (int bit = 0; bit < 8; bit++) {
      state[k] = (u8)(1 << bit);
      CHECK(hash_state(state) != zero);
      state[k] = 0;
    }
  }
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct job {
  struct visited *v;
  u64 fresh, found, turn;
};

/* Everybody puts in the same states, each thread beginning somewhere else. */
static void *put_all(void *argument) {
  struct job *job = argument;
  u64 count = 40000;
  for (u64 k = 0; k < count; k++) {
    u64 number = (k + job->turn * count / 3) % count;
    u64 index = put(job->v, number, job->fresh);
    if (index == job->fresh) {
      job->fresh++;
      job->found++;
    }
    u8 state[STATE_SIZE];
    make(state, number);
    CHECK(memcmp(visited_state(job->v, index), state, STATE_SIZE) == 0);
  }
  return NULL;
}

static void test_threads_put_in_the_same_states(void) {
  struct visited v;
  struct job jobs[THREADS];
  pthread_t threads[THREADS];
  u64 found = 0;
  CHECK(visited_open(&v, RESERVE));
  visited_grow(&v, 40000);
  for (u64 k = 0; k < THREADS; k++) {
    jobs[k] = (struct job){&v, k * 100000, 0, k % 2};
    CHECK(pthread_create(&threads[k], NULL, put_all, &jobs[k]) == 0);
  }
  for (int k = 0; k < THREADS; k++) {
    pthread_join(threads[k], NULL);
    found += jobs[k].found;
  }
  CHECK(found == 40000);
  visited_close(&v);
}

int main(void) {
  test_insert_and_duplicates();
  test_growth();
  test_growth_of_a_table_with_a_run_across_its_end();
  test_nearly_full();
  test_hash_uses_every_byte();
  test_threads_put_in_the_same_states();
  printf("ok\n");
  return 0;
}
