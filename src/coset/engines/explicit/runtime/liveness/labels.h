/* Labels of a recorded graph for fairness (MODEL_FAIR): who can begin a step in a state and which conditions hold there, and who
   takes part in a step and how symmetry renumbers the processes after it.

   Few labels are different, so that each gets a number.  All threads share the tables; each remembers recent labels.

   Part of worker.h. */
#ifndef LABELS_H
#define LABELS_H

#include "automaton.h"
#include "coset.h"

#if MODEL_FAIR

#include <pthread.h>

/* What is said of a state: the processes that can begin a step, and which conditions of constraints hold: bit 2k for what the
   k-th one begins with, bit 2k + 1 for what follows. */
struct state_label {
  struct processes able;
  u64 holds;
};

/* What is said of a step: who takes part, and which number each process has after it. */
struct step_label {
  struct processes movers;
  u64 ways[WAY_WORDS]; /* numbers of 16 bits */
};

struct label_table {
  u8 *items;
  u64 size, count, room;
  uint32_t *places; /* numbers plus 1 */
  u64 mask;
};

struct labels {
  struct label_table states, steps;
  int has_failed; /* there was no memory */
#if !SINGLE_THREADED
  pthread_mutex_t lock;
#endif
};

#define RECENT_LABELS 256

/* Labels that a thread has met recently. */
struct recent_labels {
  struct state_label states[RECENT_LABELS];
  struct step_label steps[RECENT_LABELS];
  uint32_t state_numbers[RECENT_LABELS], step_numbers[RECENT_LABELS]; /* plus 1 */
};

int labels_open(struct labels *labels);
void labels_close(struct labels *labels);
uint32_t label_state(struct labels *labels, struct recent_labels *recent, const struct state_label *label);
uint32_t label_step(struct labels *labels, struct recent_labels *recent, const struct step_label *label);

static inline const struct state_label *state_label_of(const struct labels *labels, uint32_t number) {
  return (const struct state_label *)(const void *)(labels->states.items + number * sizeof(struct state_label));
}
static inline const struct step_label *step_label_of(const struct labels *labels, uint32_t number) {
  return (const struct step_label *)(const void *)(labels->steps.items + number * sizeof(struct step_label));
}
static inline int has_process(const struct processes *set, int pid) { return (int)(set->of[pid / 64] >> pid % 64 & 1); }

#endif
#endif
