/* Codes of keys: which values the groups of bits have.  See key_code.h. */
#include "key_code.h"

void key_code_begin(struct key_code *code, const u64 *key, u64 width) {
  code->groups = 0;
  atomic_flag_clear(&code->numbering);
  for (u64 n = 0; n < 2; n++) {
    code->mask[n] = 0;
    code->fixed[n] = n < width ? key[n] : 0;
  }
}

/* Number a value of a group, unless it has a number. */
static void number_value(struct group *g, u64 value) {
  if (atomic_load(&g->number[value])) return;
  g->value[g->count++] = (u16)value;
  atomic_store(&g->number[value], (u16)g->count);
}

/* A group of the lowest of some bits that were the same in all keys so far; returns these bits. */
static u64 add_group(struct key_code *code, u64 bits, int word) {
  struct group *g = &code->group[code->groups++];
  memset(g, 0, sizeof *g);
  g->word = word;
  for (int n = 0; n < GROUP_BITS && bits; n++, bits &= bits - 1) g->mask |= bits & -bits;
  number_value(g, extract(code->fixed[word], g->mask));
  return g->mask;
}

int key_code_extend(struct key_code *code, const u64 *any, const u64 *all, u64 width) {
  for (int n = 0; n < (int)width; n++) {
    u64 added = ((any[n] & ~code->fixed[n]) | (code->fixed[n] & ~all[n])) & ~code->mask[n];
    code->mask[n] |= added;
    while (added) {
      if (code->groups == MOST_GROUPS) return 0;
      added &= ~add_group(code, added, n);
    }
    code->fixed[n] &= ~code->mask[n];
  }
  return 1;
}

void key_code_show(struct key_code *code, const u64 *key) {
  for (int n = 0; n < code->groups; n++) {
    struct group *g = &code->group[n];
    number_value(g, extract(key[g->word], g->mask));
  }
}

/* Whether the value of a group has a number, or can get one. */
static int has_number(struct group *g, const u64 *key) {
  return g->count < g->room || atomic_load(&g->number[extract(key[g->word], g->mask)]);
}

int key_code_add(struct key_code *code, const u64 *key) {
  int added = 1;
  while (atomic_flag_test_and_set(&code->numbering)) continue;
  for (int n = 0; n < code->groups && added; n++) added = has_number(&code->group[n], key);
  if (added) key_code_show(code, key);
  atomic_flag_clear(&code->numbering);
  return added;
}

/* How many values a group may have: a quarter more than it has. */
static int room_of(const struct group *g) {
  const int most = 1 << __builtin_popcountll(g->mask), room = g->count + g->count / 4 + 1;
  return room < most ? room : most;
}

static void exchange(struct group *a, struct group *b) {
  struct group c;
  memcpy(&c, a, sizeof c);
  memcpy(a, b, sizeof c);
  memcpy(b, &c, sizeof c);
}

/* Give weights to the groups, as long as their numbers are below a limit; returns how many numbers there are. */
static u64 weigh(struct key_code *code, int from, u64 limit, int *to) {
  u64 numbers = 1;
  *to = from;
  for (int n = from; n < code->groups; n++) {
    u64 room = (u64)room_of(&code->group[n]);
    if (numbers > limit / room) continue;
    code->group[n].room = (int)room;
    code->group[n].weight = numbers;
    numbers *= room;
    if (n > *to) exchange(&code->group[n], &code->group[*to]);
    ++*to;
  }
  return numbers;
}

static int bits_for(u64 numbers) { return numbers > 1 ? 64 - __builtin_clzll(numbers - 1) : 0; }

int key_code_finish(struct key_code *code) {
  int last;
  code->bits = bits_for(weigh(code, 0, (u64)1 << HASH_BITS, &code->in_hash));
  code->rest = bits_for(weigh(code, code->in_hash, (u64)1 << MOST_REST, &last));
  if (code->bits == 0) code->bits = 1;
  return last == code->groups;
}
