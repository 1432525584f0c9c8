/* The footprints of processes, as bits of packed states. See transition_cache.h. */
#define _GNU_SOURCE
#include "transition_cache.h"

#include <stddef.h>

#include "memory.h"

#if MODEL_CACHES

#if MODEL_PARTIAL
#define LATER_SIZE (ASPECTS * sizeof(u64))
#else
#define LATER_SIZE 0
#endif

static u64 capacity(const struct footprint_table *k, int component) {
  return k->dictionary.all[component].field.mask + 1;
}

int footprint_table_open(struct footprint_table *k, const struct bit_field *bit_fields) {
  u64 before = 0;
  if (!dictionary_open(&k->dictionary, bit_fields)) return 0;
  for (int pid = 0; pid < CORES; pid++)
    k->bytes += capacity(k, model_cores[pid]) * (sizeof(struct footprint) + LATER_SIZE);
  if (model_counter >= 0) k->bytes += capacity(k, model_counter) * sizeof *k->counts;
  if (!(k->memory = memory_scattered(k->bytes))) return 0;
  for (int pid = 0; pid < CORES; pid++) {
    u64 values = capacity(k, model_cores[pid]);
    k->slots[pid] = (struct process_slot){.field = bit_fields[model_cores[pid]]};
    k->slots[pid].footprints = (struct footprint *)(k->memory + before);
    before += values * sizeof(struct footprint);
#if MODEL_PARTIAL
    k->slots[pid].later = (u64 *)(k->memory + before);
    before += values * LATER_SIZE;
#endif
  }
  k->counts = (uint16_t *)(k->memory + before);
  return 1;
}

void footprint_table_close(struct footprint_table *k) {
  dictionary_close(&k->dictionary);
  memory_release(k->memory, k->bytes);
  k->memory = NULL;
}

static struct footprint footprint_of(const struct footprint_table *k, const struct footprint_spec *spec) {
  struct footprint f = {.is_cacheable = spec->is_cacheable != 0};
  for (int n = 0; n < COMPONENTS; n++) {
    const struct bit_field *field = &k->dictionary.all[n].field;
    if (spec->components[n / 64] >> n % 64 & 1) f.mask[field->word] |= field->mask << field->shift;
  }
  for (int n = 0; n < PACKED_WORDS; n++)
    if (f.mask[n]) f.sides |= n < PACKED_WORDS / 2 ? 1 : 2;
  return f;
}

/* Called when a value of a component gets a number: compute what follows from that value. */
void dictionary_added(struct component_dictionary *c, int component, u64 number, const u8 *state) {
  struct footprint_table *k = (struct footprint_table *)((u8 *)c - offsetof(struct footprint_table, dictionary));
  if (component == model_counter) k->counts[number] = (uint16_t)model_count(state);
  for (int pid = 0; pid < CORES; pid++)
    if (component == model_cores[pid]) {
      struct footprint_spec spec;
      model_footprint(pid, state, &spec);
      k->slots[pid].footprints[number] = footprint_of(k, &spec);
#if MODEL_PARTIAL
      struct context context = {0};
      model_later(&context, state, pid, k->slots[pid].later + number * ASPECTS);
      model_observed(&context, state, k->observed);
#endif
    }
}

/* A footprint depends only on the local state and on components that never change, which have only their first value. */
void footprint_table_refill(struct footprint_table *k) {
  struct component_dictionary *c = &k->dictionary;
  for (int n = 0; n < COMPONENTS; n++)
    for (u64 number = 0; number < c->all[n].count; number++) {
      u64 words[PACKED_WORDS] = {0};
      u8 state[STATE_SIZE];
      words[c->all[n].field.word] = number << c->all[n].field.shift;
      dictionary_unpack(c, (const u8 *)words, state);
      dictionary_added(c, n, number, state);
    }
}

#endif
