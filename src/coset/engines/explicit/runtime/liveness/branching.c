/* The operators of computation tree logic on the graph of all states.

   A breadth-first search records every edge (graph.h).  A set of states has a byte for each.  `EU` and `EG` are fixpoints: passes over
   all states, by all threads, add or remove those of which it is known (sweeps.h).  Most fixpoints are reached after a few passes,
   against the direction of the search and along it.  If one is not, the edges are turned around, so that the rest is linear in
   the graph: `EU` is a backward search, and for `EG` states are removed until every one that is left has a successor that is left
   (Arnold and Crubille 1988).  A state without successors repeats forever. */
#define _GNU_SOURCE
#include "branching.h"

#include <stdlib.h>

#include "graph.h"
#include "memory.h"

#if MODEL_OBSERVES
#include "sweeps.h"
#include "transfer.h"

/* Passes over all edges before the edges are turned around: as long as that takes.  Tests have none. */
#ifndef MOST_SWEEPS
#define MOST_SWEEPS 8
#endif
#define LOOK_EVERY 1023 /* a mask: how often a computation checks for a request to stop */

/* The edges turned around: the sources of the edges to state s are sources[offsets[s]] up to offsets[s + 1]. */
struct predecessors {
  u64 *offsets;
  number *sources;
};

struct branching {
  struct search *search;
  struct result *result;
  u64 extent; /* one more than the largest number of a state */
  struct predecessors before;
};

static int is_stopped(const struct branching *b) { return b->result->stopped != STOP_DONE; }

static int asked_to_stop(struct branching *b, u64 k) {
  if ((k & LOOK_EVERY) == 0 && b->result->stop_asked) b->result->stopped = STOP_ASKED;
  return is_stopped(b);
}

/* --- the search --------------------------------------------------------------------------------------------------- */

/* Called when predecessors are first asked for; returns whether they are known. */
static int turn_around(struct branching *b) {
  if (b->before.sources || is_stopped(b)) return !is_stopped(b);
  u64 edges = 0, *offsets = calloc(b->extent + 1, sizeof *offsets);
  for (u64 s = 0; s < b->extent && offsets && !asked_to_stop(b, s); s++) {
    struct row row = graph_row(b->search, s);
    for (const struct link *link = row.begin; link < row.end; link++) offsets[link->target]++;
    edges += (u64)(row.end - row.begin);
  }
  u64 most = b->search->request.max_memory, more = (edges + 1) * sizeof(number);
  int has_room = !most || memory_resident() + more < most;
  number *sources = has_room && offsets ? malloc(more) : NULL;
  free(b->before.offsets);
  b->before = (struct predecessors){offsets, sources};
  if (!sources) b->result->stopped = STOP_MEMORY;
  if (is_stopped(b)) return 0;
  for (u64 s = 1; s <= b->extent; s++) offsets[s] += offsets[s - 1];
  /* Each offset moves from the end of its row to the beginning. */
  for (u64 s = b->extent; s-- > 0 && !asked_to_stop(b, s);) {
    struct row row = graph_row(b->search, s);
    for (const struct link *link = row.begin; link < row.end; link++) sources[--offsets[link->target]] = (number)s;
  }
  return !is_stopped(b);
}

void branching_run(struct branching *b) {
  search_run(b->search);
  b->extent = graph_extent(b->search);
}

/* --- sets of states ----------------------------------------------------------------------------------------------- */

void branching_truth(struct branching *b, int condition, u8 *out) {
  for (u64 s = 0; s < b->extent; s++) out[s] = b->search->conditions[s] >> condition & 1;
}

void branching_some_next(struct branching *b, const u8 *holds, u8 *out) {
  struct sweeps sweeps = {.search = b->search, .extent = b->extent, .holds = holds, .out = out, .kind = SWEEP_NEXT};
  sweep(&sweeps, 0);
  if (b->result->stop_asked) b->result->stopped = STOP_ASKED;
}

/* Sweep until the fixpoint is reached; returns whether nothing is left to do. */
static int is_reached(struct branching *b, enum sweep_kind kind, const u8 *holds, u8 *out) {
  struct sweeps sweeps = {.search = b->search, .extent = b->extent, .holds = holds, .out = out, .kind = kind};
  int is_stable = sweep_until_stable(&sweeps, MOST_SWEEPS * b->result->transitions);
  if (b->result->stop_asked) b->result->stopped = STOP_ASKED;
  return is_stable || is_stopped(b);
}

void branching_some_until(struct branching *b, const u8 *holds, const u8 *reaches, u8 *out) {
  memcpy(out, reaches, b->extent);
  if (is_reached(b, SWEEP_UNTIL, holds, out) || !turn_around(b)) return;
  number *todo = malloc((b->extent + 1) * sizeof *todo);
  u64 top = 0;
  if (!todo) b->result->stopped = STOP_MEMORY;
  for (u64 s = 0; s < b->extent && todo; s++)
    if (out[s]) todo[top++] = (number)s;
  for (u64 done = 0; top && !asked_to_stop(b, done); done++) {
    u64 s = todo[--top];
    for (u64 k = b->before.offsets[s]; k < b->before.offsets[s + 1]; k++) {
      number source = b->before.sources[k];
      if (!holds[source] || out[source]) continue;
      out[source] = 1;
      todo[top++] = source;
    }
  }
  free(todo);
}

void branching_some_always(struct branching *b, const u8 *holds, u8 *out) {
  memcpy(out, holds, b->extent);
  if (is_reached(b, SWEEP_ALWAYS, holds, out) || !turn_around(b)) return;
  number *todo = malloc((b->extent + 1) * sizeof *todo), *left = malloc((b->extent + 1) * sizeof *left);
  u64 top = 0;
  if (!todo || !left) b->result->stopped = STOP_MEMORY;
  for (u64 s = 0; s < b->extent && todo && left && !asked_to_stop(b, s); s++) {
    struct row row = graph_row(b->search, s);
    left[s] = (number)is_end(row);
    for (const struct link *link = row.begin; link < row.end; link++) left[s] += out[link->target];
    if (out[s] && !left[s]) todo[top++] = (number)s;
  }
  for (u64 done = 0; top && !asked_to_stop(b, done); done++) {
    u64 s = todo[--top];
    out[s] = 0;
    for (u64 k = b->before.offsets[s]; k < b->before.offsets[s + 1]; k++) {
      number source = b->before.sources[k];
      if (--left[source] == 0 && out[source]) todo[top++] = source;
    }
  }
  free(todo);
  free(left);
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

u64 branching_path(struct branching *b, u64 start, const u8 *inside, const u8 *goal, int steps, u64 *out) {
  if (goal[start] && !steps) {
    out[0] = start;
    return 1;
  }
  number *parents = malloc((b->extent + 1) * sizeof *parents), *queue = malloc((b->extent + 1) * sizeof *queue);
  u8 *seen = calloc(b->extent + 1, 1);
  u64 length = 0, first = 0, last = 0;
  if (!parents || !queue || !seen) b->result->stopped = STOP_MEMORY;
  else if (inside[start]) queue[last++] = (number)start, seen[start] = 1;
  for (; first < last && !length && !asked_to_stop(b, first); first++) {
    u64 s = queue[first];
    struct row row = graph_row(b->search, s);
    for (const struct link *link = row.begin; link < row.end && !length; link++) {
      number target = link->target;
      if (goal[target]) {
        out[length++] = target;
        for (out[length++] = s; out[length - 1] != start; length++) out[length] = parents[out[length - 1]];
      } else if (inside[target] && !seen[target]) {
        seen[target] = 1;
        parents[target] = (number)s;
        queue[last++] = target;
      }
    }
  }
  free(parents);
  free(queue);
  free(seen);
  return length;
}

/* --- functions for Python ----------------------------------------------------------------------------------------- */

void branching_free(struct branching *b) {
  if (!b) return;
  free(b->before.offsets);
  free(b->before.sources);
  graph_free(b->search);
  free(b);
}

struct branching *branching_new(const struct request *request, struct result *result) {
  struct branching *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->result = result;
  b->search = graph_new(request, result);
  if (b->search) return b;
  branching_free(b);
  return NULL;
}

static void release_branching(void *b) { branching_free(b); }

struct transfer *branching_transfer(struct branching *b) {
  struct transfer *unused = transfer_unused(b->search), *t = unused ? unused : search_transfer(b->search);
  if (unused) branching_free(b);
  else if (t) transfer_owner(t, b, release_branching);
  return t;
}

u64 branching_extent(struct branching *b) { return b->extent; }

int branching_fault(struct branching *b, u64 *state) {
  *state = b->search->fault_state;
  return atomic_load(&b->search->fault);
}

void branching_state(struct branching *b, u64 state, u8 *out) { graph_state(b->search, state, out); }

u64 branching_following(struct branching *b, u64 state, const uint32_t **out) {
  struct row row = graph_row(b->search, state);
  *out = (const uint32_t *)row.begin; /* without marks, an edge is its target */
  return (u64)(row.end - row.begin);
}

#endif
