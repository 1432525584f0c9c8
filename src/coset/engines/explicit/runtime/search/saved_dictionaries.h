/* The dictionaries of components in a file: they give the numbers in packed states their meaning.

   Part of checkpoint.c and disk.c. */
#ifndef SAVED_DICTIONARIES_H
#define SAVED_DICTIONARIES_H

#include <errno.h>

#include "blocks.h"
#include "worker.h"

static inline int damaged(struct blocks *b) {
  b->error = EBADMSG;
  return 0;
}

#if MODEL_CACHES
static int put_dictionaries(const struct component_dictionary *c, struct blocks *b) {
  for (int k = 0; k < COMPONENTS; k++) {
    const struct dictionary *d = &c->all[k];
    if (!blocks_put(b, &d->count, sizeof d->count)) return 0;
    if (!blocks_put(b, d->items, d->count * (u64)model_components[k].words * sizeof(u64))) return 0;
  }
  return 1;
}

static int get_dictionaries(struct component_dictionary *c, struct blocks *b) {
  for (int k = 0; k < COMPONENTS; k++) {
    const struct dictionary *d = &c->all[k];
    u64 count, words = (u64)model_components[k].words;
    if (!blocks_get(b, &count, sizeof count)) return 0;
    if (count > d->field.mask + 1 || count > b->bytes / (words * sizeof(u64))) return damaged(b);
    if (!blocks_get(b, d->items, count * words * sizeof(u64))) return 0;
    if (!dictionary_refill(c, k, count)) return damaged(b);
  }
  return 1;
}
#endif

#endif
