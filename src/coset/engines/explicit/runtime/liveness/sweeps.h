/* Passes over all states of a graph, by all threads.

   A state is looked at with its successors, and its byte of a set may change.  Changes are seen at once, by the other threads, too:
   all of them go in one direction, towards a fixpoint that does not depend on their order.

   Part of branching.c and product.c. */
#ifndef SWEEPS_H
#define SWEEPS_H

#include <pthread.h>

#include "graph.h"

#if MODEL_GRAPH

#ifndef SWEEP_PORTION
#define SWEEP_PORTION 8192 /* states that a thread takes at once; tests have fewer */
#endif
#define MOST_SWEEPERS 64

enum sweep_kind {
  SWEEP_NEXT,   /* `EX`: a successor is in `holds` */
  SWEEP_UNTIL,  /* `EU`: states of `holds` with a successor in `out` are added to it */
  SWEEP_ALWAYS, /* `EG`: states are removed from `out` if none of their successors is in it */
  SWEEP_CYCLES  /* the same, and states without successors are removed, too */
};

struct sweeps {
  const struct search *search;
  u64 extent;
  const u8 *holds;
  u8 *out;
  enum sweep_kind kind;
  int is_up; /* in the order of the search, or against it */
  _Atomic u64 next, changed, scanned;
};

#if SINGLE_THREADED
#define READ_BYTE(place) (*(place))
#define WRITE_BYTE(place, value) (*(place) = (u8)(value))
#else
#define READ_BYTE(place) __atomic_load_n(place, __ATOMIC_RELAXED)
#define WRITE_BYTE(place, value) __atomic_store_n(place, (u8)(value), __ATOMIC_RELAXED)
#endif

static inline int is_end(struct row row) { return row.begin == row.end; }

/* Whether some successor is in a set; counts the edges that were looked at. */
static inline int leads_to(struct row row, const u8 *set, u64 *scanned) {
  const struct link *link = row.begin;
  while (link < row.end && !READ_BYTE(&set[link->target])) link++;
  *scanned += 1 + (u64)(link - row.begin);
  return link < row.end;
}

/* Look at one state; returns whether its byte changed. */
static inline int sweep_state(const struct sweeps *s, u64 state, u64 *scanned) {
  struct row row;
  switch (s->kind) {
  case SWEEP_NEXT:
    row = graph_row(s->search, state);
    WRITE_BYTE(&s->out[state], is_end(row) ? s->holds[state] : leads_to(row, s->holds, scanned));
    return 0;
  case SWEEP_UNTIL:
    if (!s->holds[state] || READ_BYTE(&s->out[state])) return 0;
    if (!leads_to(graph_row(s->search, state), s->out, scanned)) return 0;
    WRITE_BYTE(&s->out[state], 1);
    return 1;
  default:
    if (!READ_BYTE(&s->out[state])) return 0;
    row = graph_row(s->search, state);
    if ((s->kind == SWEEP_ALWAYS && is_end(row)) || leads_to(row, s->out, scanned)) return 0;
    WRITE_BYTE(&s->out[state], 0);
    return 1;
  }
}

static void *sweep_portions(void *argument) {
  struct sweeps *s = argument;
  u64 begin, changed = 0, scanned = 0;
  while ((begin = atomic_fetch_add(&s->next, SWEEP_PORTION)) < s->extent && !s->search->result->stop_asked)
    for (u64 k = begin; k < begin + SWEEP_PORTION && k < s->extent; k++)
      changed += (u64)sweep_state(s, s->is_up ? k : s->extent - 1 - k, &scanned);
  atomic_fetch_add(&s->changed, changed);
  atomic_fetch_add(&s->scanned, scanned);
  return NULL;
}

/* Look at all states once; returns how many changed. */
static u64 sweep(struct sweeps *s, int is_up) {
  s->is_up = is_up;
  atomic_store(&s->next, 0);
  atomic_store(&s->changed, 0);
#if !SINGLE_THREADED
  pthread_t others[MOST_SWEEPERS];
  int started = 0, wanted = s->extent > SWEEP_PORTION ? s->search->request.threads - 1 : 0;
  while (started < wanted && started < MOST_SWEEPERS && pthread_create(&others[started], NULL, sweep_portions, s) == 0)
    started++;
#endif
  sweep_portions(s);
#if !SINGLE_THREADED
  while (started > 0) pthread_join(others[--started], NULL);
#endif
  return atomic_load(&s->changed);
}

/* Sweep up and down in turns until nothing changes, or until so many edges have been looked at; returns whether nothing changed in
   the end. */
static int sweep_until_stable(struct sweeps *s, u64 most) {
  u64 changed = 1;
  for (int is_up = 0; changed && atomic_load(&s->scanned) <= most && !s->search->result->stop_asked; is_up = !is_up)
    changed = sweep(s, is_up);
  return changed == 0;
}

#endif
#endif
