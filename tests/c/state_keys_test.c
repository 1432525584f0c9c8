/* Keys in compact sets: codes are bijections, and what was put in is there, once, however the set grows and whoever puts it in. */
#include "state_keys.h"

#include "check.h"

#include <pthread.h>
#include <stdio.h>

#define RESERVE ((u64)1 << 30)
#define MANY 300000
#define THREADS 4

static u64 seed = 1;

static u64 random_word(void) {
  seed += 0x9E3779B97F4A7C15u;
  return hash_word(seed);
}

/* --- codes -------------------------------------------------------------------------------------------------------- */

#define SHOWN 400

static struct key_code code;
static int with_rest, extended; /* codes that were tested */

/* A key with random values of some bits: fixed ones, and others that have few values in common. */
static void random_key(u64 width, const u64 *mask, const u64 *fixed, u64 *key) {
  for (u64 k = 0; k < 2; k++)
    key[k] = k < width ? (hash_word(random_word() % 4096 + k) & mask[k]) | (fixed[k] & ~mask[k]) : 0;
}

static void check_code(const u64 *key, u64 width) {
  u64 back[2] = {0, 0};
  struct coded_key coded = encoded(&code, key, width);
  CHECK(coded.rest != NOT_CODED && (coded.hash & 1) && coded.rest >> code.rest == 0);
  decoded(&code, coded, back, width);
  CHECK(back[0] == key[0] && back[1] == key[1]);
}

/* Add keys to a code. */
static int extend(u64 (*keys)[2], int from, int to, u64 width) {
  u64 any[2] = {0, 0}, all[2] = {~(u64)0, ~(u64)0};
  for (int n = from; n < to; n++)
    for (u64 k = 0; k < width; k++) any[k] |= keys[n][k], all[k] &= keys[n][k];
  if (!key_code_extend(&code, any, all, width)) return 0;
  for (int n = from; n < to; n++) key_code_show(&code, keys[n]);
  return key_code_finish(&code);
}

/* Keys are coded and decoded, also mixtures of them; a key that differs in another bit has no code, until the code is extended. */
static void test_code(u64 width, const u64 *mask, const u64 *fixed) {
  static u64 keys[SHOWN][2];
  const u64 none[2] = {0, 0};
  for (int n = 0; n < SHOWN; n++) random_key(width, n < SHOWN / 8 ? none : mask, fixed, keys[n]);
  key_code_begin(&code, keys[0], width);
  if (!extend(keys, 0, SHOWN / 2, width)) return;
  for (int n = 0; n < SHOWN / 2; n++) check_code(keys[n], width);
  for (int n = SHOWN / 2; n < SHOWN; n++) { /* every group has a value of some key: such mixtures are coded, too */
    u64 key[2] = {code.fixed[0], code.fixed[1]};
    for (int g = 0; g < code.groups; g++)
      key[code.group[g].word] |= keys[random_word() % (SHOWN / 2)][code.group[g].word] & code.group[g].mask;
    check_code(key, width);
  }
  for (u64 k = 0; k < width; k++) {
    u64 other = random_word() & ~code.mask[k];
    if (!other) continue;
    keys[SHOWN - 1][k] = keys[0][k] ^ (other & -other);
    keys[SHOWN - 1][1 - k] = keys[0][1 - k];
    CHECK(encoded(&code, keys[SHOWN - 1], width).rest == NOT_CODED);
  }
  if (!extend(keys, SHOWN / 2, SHOWN, width)) return;
  for (int n = 0; n < SHOWN; n++) check_code(keys[n], width);
  with_rest += code.rest > 0;
  extended++;
}

static void test_codes(void) {
  for (int n = 0; n < 300; n++) {
    u64 mask[2], fixed[2];
    for (int k = 0; k < 2; k++) {
      mask[k] = random_word() & (n % 3 ? random_word() : ~(u64)0) & (n % 5 ? ~(u64)0 : random_word() & random_word());
      fixed[k] = random_word() & ~mask[k];
    }
    if (n % 7 == 0) mask[0] = 0;
    if (n % 11 == 0) mask[0] = ~(u64)0;
    if (n % 22 == 0) mask[1] = ~(u64)0;
    mask[1] &= ~(TAKEN | WRITTEN);
    fixed[1] &= ~(TAKEN | WRITTEN);
    test_code(1, mask, fixed);
    test_code(2, mask, fixed);
  }
  CHECK(extended > 300 && with_rest > 20);
}

/* The hash of a code is a permutation: of all numbers with some bits, no two have the same. */
static void test_permutations(void) {
  static u8 seen[1 << 12];
  for (int bits = 1; bits <= 12; bits++) {
    memset(seen, 0, sizeof seen);
    for (u64 x = 0; x < (u64)1 << bits; x++) {
      u64 y = permute_bits(x, bits);
      CHECK(y >> bits == 0 && !seen[y] && permute_back(y, bits) == x);
      seen[y] = 1;
    }
  }
}

/* --- sets --------------------------------------------------------------------------------------------------------- */

/* Keys of a number: `kind` 0 are dense in few bits, 1 scattered in many, 2 dense until another bit appears late, and 3 of a few
   bits that are all used. */
static void key_of(int kind, u64 number, u64 *key) {
  u64 mixed = hash_word(number + 1);
  switch (kind) {
  case 0: key[0] = number << 7 | 1, key[1] = 5; break;
  case 1: key[0] = mixed | 1, key[1] = hash_word(mixed) >> 20 | 1; break;
  case 2: key[0] = number << 3 | 1, key[1] = (number > MANY / 2 ? (number & 31) << 40 : 0) | 1; break;
  default: key[0] = (number & 0xFFFFF) * 8 + 8, key[1] = 3;
  }
  if (kind == 2 && number > MANY / 3) key[0] |= (number & 7) << 50;
}

static int put(struct keys *k, int kind, u64 number) {
  u64 key[2], width = k->whole.width;
  key_of(kind, number, key);
  u64 hash = hash_bytes((const u8 *)key, 8 * width);
  return width == 1 ? keys_put(k, key, keys_place(k, key, hash, 1), 1)
                    : keys_put(k, key, keys_place(k, key, hash, 2), 2);
}

static void grow(struct keys *k, u64 count) {
  if (keys_fit(k, count)) return;
  CHECK(keys_may_grow(k, count));
  CHECK(keys_grow(k, count));
  keys_settle(k);
  CHECK(keys_fit(k, count));
}

static void test_growth(u64 width, int kind) {
  struct keys k;
  CHECK(keys_open(&k, width, RESERVE));
  k.whole.alone = 1;
  u64 words[2 * 64], at = 0, count, total = 0;
  for (u64 n = 0; n < MANY; n++) {
    grow(&k, n + 1);
    CHECK(put(&k, kind, n));
    CHECK(!put(&k, kind, n));
    if (n % 7 == 0) CHECK(!put(&k, kind, n / 2));
  }
  CHECK(!COMPACTS || keys_are_compact(&k) || kind == 1); /* of scattered keys, a position tells too little */
  for (u64 n = 0; n < MANY; n++) CHECK(!put(&k, kind, n));
  while ((count = keys_next(&k, &at, words, 64)) > 0) {
    total += count;
    for (u64 n = 0; n < count; n++) {
      const u64 *key = words + n * width;
      u64 hash = hash_bytes((const u8 *)key, 8 * width);
      CHECK(!(width == 1 ? keys_put(&k, key, keys_place(&k, key, hash, 1), 1)
                         : keys_put(&k, key, keys_place(&k, key, hash, 2), 2)));
    }
  }
  CHECK(total == MANY);
  keys_close(&k);
}

/* Keys are read in an order in which they do not crowd if they are put into another set, which grows meanwhile. */
static void test_order(u64 width) {
  struct keys k, l;
  u64 words[2 * 64], at = 0, count, total = 0, upper = 0, early = 0;
  CHECK(keys_open(&k, width, RESERVE) && keys_open(&l, width, RESERVE));
  k.whole.alone = l.whole.alone = 1;
  for (u64 n = 0; n < MANY; n++) {
    grow(&k, n + 1);
    CHECK(put(&k, 0, n));
  }
  while ((count = keys_next(&k, &at, words, 64)) > 0) {
    grow(&l, total += count);
    for (u64 n = 0; n < count; n++) {
      const u64 *key = words + n * width;
      u64 hash = hash_bytes((const u8 *)key, 8 * width);
      if (total < MANY / 4) early++, upper += keys_place(&k, key, hash, width).hash >> 63;
      CHECK(width == 1 ? keys_put(&l, key, keys_place(&l, key, hash, 1), 1)
                       : keys_put(&l, key, keys_place(&l, key, hash, 2), 2));
    }
  }
  CHECK(total == MANY && upper > early / 5 * 2 && upper < early / 5 * 3);
  for (u64 n = 0; n < MANY; n++) CHECK(!put(&l, 0, n));
  keys_close(&k);
  keys_close(&l);
}

struct job {
  struct keys *k;
  int kind;
  u64 fresh, turn, begin;
};

static void *put_all(void *argument) {
  struct job *job = argument;
  for (u64 n = 0; n < 20000; n++)
    job->fresh += (u64)put(job->k, job->kind, job->begin + (n + job->turn * 3000) % 20000);
  return NULL;
}

static void *move_all(void *argument) {
  keys_move(((struct job *)argument)->k);
  return NULL;
}

static void together(struct job *jobs, void *(*what)(void *)) {
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&threads[t], NULL, what, &jobs[t]) == 0);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
}

static void test_threads(u64 width, int kind) {
  struct keys k;
  struct job jobs[THREADS];
  u64 fresh = 0;
  CHECK(keys_open(&k, width, RESERVE));
  for (u64 t = 0; t < THREADS; t++) jobs[t] = (struct job){&k, kind, 0, t, 0};
  for (u64 round = 1; round <= 15; round++) {
    if (!keys_fit(&k, round * 20000)) CHECK(keys_grow(&k, round * 20000));
    while (keys_are_growing(&k)) {
      together(jobs, move_all);
      keys_moved(&k);
    }
    together(jobs, put_all);
    for (int t = 0; t < THREADS; t++) jobs[t].begin = round * 20000;
  }
  for (int t = 0; t < THREADS; t++) {
    fresh += jobs[t].fresh;
    jobs[t].begin = 0;
  }
  CHECK(fresh == 300000);
  together(jobs, put_all);
  for (int t = 0; t < THREADS; t++) fresh -= jobs[t].fresh;
  CHECK(fresh == 0);
  keys_close(&k);
}

int main(void) {
  test_codes();
  test_permutations();
  for (u64 width = 1; width <= 2; width++)
    for (int kind = 0; kind < 4; kind++) test_growth(width, kind);
  for (u64 width = 1; width <= 2; width++) test_order(width);
  for (u64 width = 1; width <= 2; width++)
    for (int kind = 0; kind < 3; kind++) test_threads(width, kind);
  printf("ok\n");
  return 0;
}
