/* What is known before the search: the bits of packed states that matter to each process.  See known.h. */
#define _GNU_SOURCE
#include "known.h"

#include <stdlib.h>

#if MODEL_KNOWS

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

int knowledge_open(struct knowledge *k, const struct spot *spots) {
  u64 count = 0;
  if (!codes_open(&k->codes, spots)) return 0;
  for (int pid = 0; pid < MODEL_SLOTS; pid++) count += (u64)model_locations[pid];
  struct footprint *next = k->footprints = calloc(count, sizeof *next);
  if (!next) return 0;
  for (int pid = 0; pid < MODEL_SLOTS; pid++) {
    const struct dictionary *core = &k->codes.all[model_cores[pid]];
    k->seats[pid] = (struct seat){core->spot, core->numbers, next};
    for (int at = 0; at < model_locations[pid]; at++) *next++ = footprint_of(k, &model_reaches[pid][at]);
  }
  return 1;
}

void knowledge_close(struct knowledge *k) {
  codes_close(&k->codes);
  free(k->footprints);
  k->footprints = NULL;
}

#endif
