/* Stubborn sets of processes: sets that may move alone. engines/explicit/stubborn.py has the theory. */
#ifndef STUBBORN_H
#define STUBBORN_H

#include "coset.h"

#if MODEL_PARTIAL

#define MOST_PROCESSES 64 /* the most processes among which stubborn sets are chosen; with more, all move */

/* The stubborn sets of a state, one after the other. */
struct stubborn {
  u64 all, done;                    /* the processes of the state, and those of the sets so far */
  u64 with[MOST_PROCESSES];         /* for each process, those whose future conflicts with its present */
  u64 known, visible;               /* processes that `with` is known for, and whose steps the property may see */
  const u64 *later[MOST_PROCESSES]; /* what each process may touch from now on */
  const u64 *observed;              /* what the property sees */
  const u64 *(*against)(void *source, int pid); /* what conflicts with the present of a process */
  void *source;
  u64 everywhere[ASPECTS];  /* what all of them may touch */
  u64 sets[MOST_PROCESSES]; /* sets of several processes, the smallest first */
  int count, pid, found, next;
};

/* The masks of a state as the model computes them. */
struct masks_of_state {
  struct context *ctx;
  const u8 *state;
  u64 later[MOST_PROCESSES][ASPECTS], observed[ASPECTS], against[ASPECTS];
};

/* What conflicts with the present of a process: the processes of `with`, by what they may do from now on, and the property. */
static inline void find_conflicts(struct stubborn *b, int pid) {
  const u64 *against = b->against(b->source, pid);
  u64 seen = 0, with = 0, common = 0;
  for (int k = 0; k < ASPECTS; k++) common |= against[k] & b->everywhere[k];
  if (common) with = b->all & ~((u64)1 << pid);
  for (int other = 0; !common && other < b->count; other++) {
    u64 shared = 0;
    for (int k = 0; k < ASPECTS; k++) shared |= against[k] & b->later[other][k];
    if (shared && other != pid) with |= (u64)1 << other;
  }
  for (int k = 0; k < ASPECTS; k++) seen |= against[k] & b->observed[k];
  if (seen) b->visible |= (u64)1 << pid;
  b->with[pid] = with;
  b->known |= (u64)1 << pid;
}

/* Whether a set may move alone, as far as is known of its processes. */
static inline int is_useful(const struct stubborn *b, u64 set) { return set != b->all && !(set & b->visible); }

/* The least stubborn set with a process in it, or a part of it that cannot be used already. */
static inline u64 closure(struct stubborn *b, int pid) {
  u64 set = (u64)1 << pid, open = set;
  while (open && is_useful(b, set)) {
    int next = __builtin_ctzll(open);
    if (!(b->known >> next & 1)) find_conflicts(b, next);
    u64 more = b->with[next] & ~set;
    open = (open & (open - 1)) | more;
    set |= more;
  }
  return set;
}

/* Begin with the processes of a state, whose masks have been set.  Returns 0 if there are too many, or none. */
static inline int stubborn_start(struct stubborn *b, int count) {
  if (count == 0 || count > MOST_PROCESSES) return 0;
  b->all = count == MOST_PROCESSES ? UINT64_MAX : ((u64)1 << count) - 1;
  b->known = b->visible = b->done = 0;
  b->count = count;
  b->pid = count - 1;
  b->next = b->found = 0;
  for (int k = 0; k < ASPECTS; k++) b->everywhere[k] = UINT64_MAX;
  for (int pid = 0; pid < count; pid++)
    for (int k = 0; k < ASPECTS; k++) b->everywhere[k] &= b->later[pid][k];
  return 1;
}

static inline const u64 *against_by_model(void *source, int pid) {
  struct masks_of_state *masks = source;
  model_against(masks->ctx, masks->state, pid, masks->against);
  return masks->against;
}

/* Begin with a state as it is. */
static inline int stubborn_begin(struct context *ctx, const u8 *s, struct stubborn *b, struct masks_of_state *masks) {
  int count = model_processes(s);
  masks->ctx = ctx;
  masks->state = s;
  b->source = masks;
  b->against = against_by_model;
  b->observed = masks->observed;
  model_observed(ctx, s, masks->observed);
  for (int pid = 0; pid < count && count <= MOST_PROCESSES; pid++) {
    model_later(ctx, s, pid, masks->later[pid]);
    b->later[pid] = masks->later[pid];
  }
  return stubborn_start(b, count);
}

static inline u64 without_done(struct stubborn *b, u64 set) {
  u64 fresh = set & ~b->done;
  b->done |= set;
  return fresh;
}

/* The next processes to move, 0 if all have: those of a stubborn set, the smallest first, without the processes of earlier sets,
   and then the rest.  Sets of one process are used as soon as they are found, as one of them mostly suffices. */
static inline u64 stubborn_next(struct stubborn *b) {
  u64 fresh;
  while (b->pid >= 0) {
    int pid = b->pid--;
    u64 set = closure(b, pid);
    if (!is_useful(b, set)) continue;
    if ((set & (set - 1)) == 0) {
      if ((fresh = without_done(b, set))) return fresh;
      continue;
    }
    int at = b->found++;
    for (; at > 0 && __builtin_popcountll(b->sets[at - 1]) > __builtin_popcountll(set); at--)
      b->sets[at] = b->sets[at - 1];
    b->sets[at] = set;
  }
  while (b->next < b->found)
    if ((fresh = without_done(b, b->sets[b->next++]))) return fresh;
  return without_done(b, b->all);
}

#endif
#endif
