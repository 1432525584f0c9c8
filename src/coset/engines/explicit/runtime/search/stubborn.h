/* Stubborn sets of processes: sets that may move alone. engines/explicit/stubborn.py has the theory.

   The generated model includes this after its masks of what processes touch. */
#ifndef STUBBORN_H
#define STUBBORN_H

/* What conflicts with the present of a process: the processes of `with`, by what they may do from now on, and the property. */
static void find_conflicts(struct context *ctx, const u8 *s, struct stubborn *b, int pid) {
  u64 now[ASPECTS] = {0}, against[ASPECTS], seen = 0, with = 0, common = 0;
  model_now(ctx, s, pid, now);
  oppose(now, against);
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
static u64 closure(struct context *ctx, const u8 *s, struct stubborn *b, int pid) {
  u64 set = (u64)1 << pid, open = set;
  while (open && is_useful(b, set)) {
    int next = __builtin_ctzll(open);
    if (!(b->known >> next & 1)) find_conflicts(ctx, s, b, next);
    u64 more = b->with[next] & ~set;
    open = (open & (open - 1)) | more;
    set |= more;
  }
  return set;
}

/* Begin with a state.  Returns 0 if it has too many processes, or none. */
int stubborn_begin(struct context *ctx, const u8 *s, struct stubborn *b) {
  int count = process_count(s);
  if (count == 0 || count > MOST_PROCESSES) return 0;
  b->all = count == MOST_PROCESSES ? UINT64_MAX : ((u64)1 << count) - 1;
  b->known = b->visible = b->done = 0;
  b->count = count;
  b->pid = count - 1;
  b->next = b->found = 0;
  for (int k = 0; k < ASPECTS; k++) {
    b->everywhere[k] = UINT64_MAX;
    b->observed[k] = 0;
  }
  for (int pid = 0; pid < count; pid++) {
    for (int k = 0; k < ASPECTS; k++) b->later[pid][k] = 0;
    model_later(ctx, s, pid, b->later[pid]);
    for (int k = 0; k < ASPECTS; k++) b->everywhere[k] &= b->later[pid][k];
  }
  model_observed(ctx, s, b->observed);
  return 1;
}

static u64 without_done(struct stubborn *b, u64 set) {
  u64 fresh = set & ~b->done;
  b->done |= set;
  return fresh;
}

/* The next processes to move: those of a stubborn set, the smallest first, without the processes of earlier sets, and then
   the rest.  Sets of one process are used as soon as they are found, as one of them mostly suffices. */
u64 stubborn_next(struct context *ctx, const u8 *s, struct stubborn *b) {
  u64 fresh;
  while (b->pid >= 0) {
    int pid = b->pid--;
    u64 set = closure(ctx, s, b, pid);
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

/* The moves of some processes, the youngest first. */
int model_moves_of(struct context *ctx, const u8 *s, u64 group) {
  int moves = 0;
  for (; group; group &= ~((u64)1 << (63 - __builtin_clzll(group))))
    moves += moves_by(ctx, s, 63 - __builtin_clzll(group));
  return moves;
}

#endif
