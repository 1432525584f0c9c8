/* What matters to each process, as bits of packed states.  See known.h. */
#define _GNU_SOURCE
#include "known.h"

#include <stddef.h>

#include "memory.h"

#if MODEL_KNOWS

static u64 capacity(const struct knowledge *k, int component) { return k->codes.all[component].spot.mask + 1; }

int knowledge_open(struct knowledge *k, const struct spot *spots) {
  u64 before = 0;
  if (!codes_open(&k->codes, spots)) return 0;
  for (int pid = 0; pid < MODEL_SLOTS; pid++) k->bytes += capacity(k, model_cores[pid]) * sizeof(struct footprint);
  if (model_counter >= 0) k->bytes += capacity(k, model_counter) * sizeof *k->counts;
  if (!(k->memory = memory_scattered(k->bytes))) return 0;
  for (int pid = 0; pid < MODEL_SLOTS; pid++) {
    k->seats[pid] = (struct seat){spots[model_cores[pid]], (struct footprint *)(k->memory + before)};
    before += capacity(k, model_cores[pid]) * sizeof(struct footprint);
  }
  k->counts = (uint16_t *)(k->memory + before);
  return 1;
}

void knowledge_close(struct knowledge *k) {
  codes_close(&k->codes);
  memory_release(k->memory, k->bytes);
  k->memory = NULL;
}

static struct footprint footprint_of(const struct knowledge *k, const struct reach *reach) {
  struct footprint f = {.is_known = reach->is_known != 0};
  for (int n = 0; n < COMPONENTS; n++) {
    const struct spot *spot = &k->codes.all[n].spot;
    if (reach->components[n / 64] >> n % 64 & 1) f.mask[spot->word] |= spot->mask << spot->shift;
  }
  for (int n = 0; n < PACKED_WORDS; n++)
    if (f.mask[n]) f.sides |= n < PACKED_WORDS / 2 ? 1 : 2;
  return f;
}

/* The value of a component gets a number: what does that mean? */
void codes_added(struct codes *c, int component, u64 number, const u8 *state) {
  struct knowledge *k = (struct knowledge *)((u8 *)c - offsetof(struct knowledge, codes));
  if (component == model_counter) k->counts[number] = (uint16_t)model_count(state);
  for (int pid = 0; pid < MODEL_SLOTS; pid++)
    if (component == model_cores[pid]) {
      struct reach reach;
      model_reach(pid, state, &reach);
      k->seats[pid].footprints[number] = footprint_of(k, &reach);
    }
}

/* A local state tells all that matters, together with what never changes: that is the first value, if there is one. */
void knowledge_refill(struct knowledge *k) {
  struct codes *c = &k->codes;
  for (int n = 0; n < COMPONENTS; n++)
    for (u64 number = 0; number < c->all[n].count; number++) {
      u64 words[PACKED_WORDS] = {0};
      u8 state[STATE_SIZE];
      words[c->all[n].spot.word] = number << c->all[n].spot.shift;
      codes_unpack(c, (const u8 *)words, state);
      codes_added(c, n, number, state);
    }
}

#endif
