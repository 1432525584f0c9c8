/* Stubborn sets of processes: sets that may move alone. engines/explicit/stubborn.py has the theory.

   The generated model includes this after its masks of what processes touch. */
#ifndef STUBBORN_H
#define STUBBORN_H

struct conflicts {
  u64 with[MOST_PROCESSES]; /* for each process, those whose future conflicts with its present */
  u64 visible;              /* processes whose steps the property may see */
};

static void find_conflicts(struct context *ctx, const u8 *s, int count, struct conflicts *c) {
  u64 later[MOST_PROCESSES][ASPECTS], observed[ASPECTS] = {0};
  for (int pid = 0; pid < count; pid++) {
    memset(later[pid], 0, sizeof later[pid]);
    model_later(ctx, s, pid, later[pid]);
  }
  model_observed(ctx, s, observed);
  c->visible = 0;
  for (int pid = 0; pid < count; pid++) {
    u64 now[ASPECTS] = {0}, against[ASPECTS], seen = 0;
    model_now(ctx, s, pid, now);
    oppose(now, against);
    c->with[pid] = 0;
    for (int other = 0; other < count; other++) {
      u64 common = 0;
      for (int k = 0; k < ASPECTS; k++) common |= against[k] & later[other][k];
      c->with[pid] |= (u64)(common != 0 && other != pid) << other;
    }
    for (int k = 0; k < ASPECTS; k++) seen |= against[k] & observed[k];
    c->visible |= (u64)(seen != 0) << pid;
  }
}

/* The least stubborn set with a process in it. */
static u64 closure(const struct conflicts *c, int pid) {
  u64 set = (u64)1 << pid, open = set;
  while (open) {
    u64 more = c->with[__builtin_ctzll(open)] & ~set;
    open = (open & (open - 1)) | more;
    set |= more;
  }
  return set;
}

/* Sets of processes in the order in which they are to move: stubborn sets, the smallest first, each without the processes
   of earlier sets, and then the rest.  Returns how many there are; 0 if there are too many processes. */
int model_groups(struct context *ctx, const u8 *s, u64 *groups) {
  struct conflicts c;
  u64 sets[MOST_PROCESSES], done = 0;
  int count = process_count(s), found = 0, group_count = 0;
  if (count > MOST_PROCESSES) return 0;
  u64 all = count == MOST_PROCESSES ? UINT64_MAX : ((u64)1 << count) - 1;
  find_conflicts(ctx, s, count, &c);
  for (int pid = count - 1; pid >= 0; pid--) {
    u64 set = closure(&c, pid);
    if (set == all || (set & c.visible)) continue;
    int at = found++;
    for (; at > 0 && __builtin_popcountll(sets[at - 1]) > __builtin_popcountll(set); at--) sets[at] = sets[at - 1];
    sets[at] = set;
  }
  for (int k = 0; k < found; k++) {
    if (sets[k] & ~done) groups[group_count++] = sets[k] & ~done;
    done |= sets[k];
  }
  if (all & ~done) groups[group_count++] = all & ~done;
  return group_count;
}

/* The moves of some processes, the youngest first. */
int model_moves_of(struct context *ctx, const u8 *s, u64 group) {
  int moves = 0;
  for (; group; group &= ~((u64)1 << (63 - __builtin_clzll(group))))
    moves += moves_by(ctx, s, 63 - __builtin_clzll(group));
  return moves;
}

#endif
