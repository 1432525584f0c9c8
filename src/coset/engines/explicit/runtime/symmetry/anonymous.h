/* Representatives of states whose processes may be arranged in any order: they are sorted by their kinds, and then by the
   bytes of their slots.  Process 0 keeps its place if no other process is of its kind; those that are over come last.

   Part of the generated model, after its processes.  Each slot has room for a process of any kind. */
#ifndef ANONYMOUS_H
#define ANONYMOUS_H

#include "processes.h"

static inline int precedes(const u8 *s, int a, int b) {
  int one = kind_of(s, a), other = kind_of(s, b);
  if (one == other) return memcmp(s + bases[a], s + bases[b], (size_t)kind_sizes[one]) < 0;
  if (one == kind_that_stays || other == kind_that_stays) return one == kind_that_stays;
  return one < other;
}

static orbit_count canonical(const u8 *s, u8 *t) {
  int count = process_count(s), left = 0, is_sorted = 1;
  u8 order[MODEL_SLOTS + 1];
  for (int pid = 0; pid < count; pid++) {
    if (model_is_over(s, pid)) continue;
    int k = left++;
    for (; k > 0 && precedes(s, pid, order[k - 1]); k--) order[k] = order[k - 1];
    order[k] = (u8)pid;
    is_sorted &= k == pid;
  }
  memcpy(t, s, STATE_SIZE);
  if (is_sorted && left == count) return 0;
  for (int pid = 0; pid < count; pid++) memset(t + bases[pid], 0, (size_t)kind_sizes[kind_of(s, pid)]);
  for (int k = 0; k < left; k++) {
    int kind = kind_of(s, order[k]);
    set_kind(t, k, kind);
    memcpy(t + bases[k], s + bases[order[k]], (size_t)kind_sizes[kind]);
  }
  for (int k = left; k < count; k++) {
    set_kind(t, k, kind_that_ends);
    model_end(t + bases[k]);
  }
  return 0;
}

/* --- certificates ------------------------------------------------------------------------------------------------- */

const int model_generators = MODEL_SLOTS > 1 ? MODEL_SLOTS - 1 : 1;

int model_acts(const u8 *s) { return process_count(s) > 1; }

static inline int may_exchange(const u8 *s, int pid) {
  return kind_of(s, pid) != kind_that_stays && !model_is_over(s, pid);
}

/* Exchange a process and the following one. */
static void exchange(u8 *t, int pid) {
  u8 copy[STATE_SIZE];
  if (pid + 1 >= process_count(t) || !may_exchange(t, pid) || !may_exchange(t, pid + 1)) return;
  int one = kind_of(t, pid), other = kind_of(t, pid + 1);
  memcpy(copy, t, STATE_SIZE);
  memset(t + bases[pid], 0, (size_t)kind_sizes[one]);
  memset(t + bases[pid + 1], 0, (size_t)kind_sizes[other]);
  set_kind(t, pid, other);
  set_kind(t, pid + 1, one);
  memcpy(t + bases[pid], copy + bases[pid + 1], (size_t)kind_sizes[other]);
  memcpy(t + bases[pid + 1], copy + bases[pid], (size_t)kind_sizes[one]);
}

void model_image(const u8 *s, int first, int second, u8 *t) {
  memcpy(t, s, STATE_SIZE);
  exchange(t, first);
  if (second != NO_GENERATOR) exchange(t, second);
}

#endif
