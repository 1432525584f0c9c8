/* Accepting cycles of the product of the model and a property's automaton, on the recorded graph (links.h).

   Only edges within an accepting component of the automaton are recorded, as every cycle of the product is in one component
   (Renault, Duret-Lutz, Kordon, Poitrenaud, "Strength-based decomposition of the property Büchi automaton", TACAS 2013).  If all
   edges of such components have all marks (the automaton is weak, MODEL_MARKED is 0), every cycle is accepting.

   States that are on no cycle are removed first, by passes of all threads over the graph: those without a successor that is left
   (the elimination of Fisler, Fraer, Kamhi, Vardi, Yang, TACAS 2001, "one way catch them young").  If all are removed, there is no
   cycle.  Components of what is left are found by a depth-first search of one thread (Couvreur, FM 1999; Gabow 2000).

   This is done not only at the end, but whenever the graph has become some times larger: a cycle that is there early ends the
   search early.

   If only fair runs count, components are searched by fair.h instead. */
#define _GNU_SOURCE
#include "product.h"

#include <stdlib.h>

#include "graph.h"

#if MODEL_GRAPH && !MODEL_OBSERVES
#include "fair.h"
#include "lasso.h"
#include "transfer.h"
#include "sweeps.h"

#define DEAD UINT32_MAX
#ifndef FIRST_LOOK
#define FIRST_LOOK ((u64)1 << 20) /* edges before the first search for cycles; tests have fewer */
#endif
#define LOOK_AGAIN 4 /* then it is repeated when there are so many times as many */
#ifndef MOST_SWEEPS
#define MOST_SWEEPS 3 /* passes over all edges to remove states; tests have none */
#endif
#define LOOK_EVERY 4095 /* a mask: how often it checks for a request to stop */

struct frame {
  const struct link *next, *end;
  number state;
  uint32_t entry; /* the marks of the edge by which it was entered */
};

struct part {
  uint32_t number, marks, entry;
};

struct product {
  struct search *search;
  u64 looked_at;     /* the number of edges at the last search for cycles */
  uint32_t *visited; /* by state: the order of visit; 0 before the visit, DEAD once the component is finished */
  u64 extent;        /* of this table */
  uint32_t visits, accepting_from;
  number root; /* a state of the accepting component */
  STACK(struct frame) frames;
  STACK(struct part) components;
  STACK(number) live;
  STACK(struct lasso_step) steps;
#if MODEL_FAIR
  struct fair fair;
#endif
};

static uint32_t marks_of(const struct link *link) {
#if MODEL_MARKED
  return link->marks;
#else
  (void)link;
  return MODEL_REQUIRED;
#endif
}

static int is_stopped(const struct product *p) { return is_over(p->search); }

static void look_for_request(struct product *p, u64 count) {
  if ((count & LOOK_EVERY) == 0 && p->search->result->stop_asked) stop(p->search, STOP_ASKED);
}

/* --- components --------------------------------------------------------------------------------------------------- */

static void visit(struct product *p, number state, uint32_t entry) {
  struct row row = graph_row(p->search, state);
  p->visited[state] = ++p->visits;
  for (const struct link *link = row.begin; link < row.end; link++) __builtin_prefetch(&p->visited[link->target]);
  struct part alone = {p->visits, 0, entry};
  struct frame frame = {row.begin, row.end, state, entry};
  PUSH(p->components, alone);
  PUSH(p->live, state);
  PUSH(p->frames, frame);
}

static void leave(struct product *p, number state) {
  number member;
  if (p->components.items[p->components.count - 1].number != p->visited[state]) return;
  p->components.count--;
  do {
    member = p->live.items[--p->live.count];
    p->visited[member] = DEAD;
  } while (member != state);
}

/* An edge closes a cycle: it joins all components since the one that it leads to. */
static void join(struct product *p, uint32_t number, uint32_t marks) {
  while (p->components.items[p->components.count - 1].number > number) {
    struct part inner = p->components.items[--p->components.count];
    marks |= inner.marks | inner.entry;
  }
  struct part *top = &p->components.items[p->components.count - 1];
  top->marks |= marks;
  if ((top->marks & MODEL_REQUIRED) != MODEL_REQUIRED) return;
  u64 at = p->live.count;
  while (p->visited[p->live.items[--at]] != top->number) {}
  p->root = p->live.items[at];
  p->accepting_from = top->number;
  stop(p->search, STOP_ERROR);
}

static inline void search_from(struct product *p, number state) {
  visit(p, state, 0);
  for (u64 count = 1; p->frames.count && !is_stopped(p); count++) {
    struct frame *frame = &p->frames.items[p->frames.count - 1];
    look_for_request(p, count);
    if (frame->next == frame->end) {
      p->frames.count--;
      leave(p, frame->state);
      continue;
    }
    const struct link *link = frame->next++;
    uint32_t number = p->visited[link->target];
    if (number == 0) visit(p, link->target, marks_of(link));
    else if (number != DEAD) join(p, number, marks_of(link));
  }
}

static u64 edge_count(const struct search *search) {
  u64 sum = 0;
  for (int k = 0; k < search->request.threads; k++) sum += search->workers[k].links.count;
  return sum;
}

/* Remove states that are on no cycle; returns whether some are left. */
static int trim(struct product *p, u8 *left) {
  struct sweeps sweeps = {.search = p->search, .extent = p->extent, .out = left, .kind = SWEEP_CYCLES};
  u64 count = 0;
  for (u64 state = 0; state < p->extent; state++) left[state] = p->search->rows.at[state] != 0;
  sweep_until_stable(&sweeps, MOST_SWEEPS * edge_count(p->search));
  for (u64 state = 0; state < p->extent; state++) {
    count += left[state];
    if (!left[state] && p->search->rows.at[state]) p->visited[state] = DEAD;
  }
  return count != 0;
}

/* Look for an accepting cycle through some of the states. */
static void look_among(struct product *p, const u8 *left) {
#if MODEL_FAIR
  if (!fair_look(&p->fair, p->search, p->extent, left)) return;
  p->root = p->fair.states[p->fair.found.begin];
  for (u64 k = p->fair.found.begin; k < p->fair.found.end; k++)
    if (p->fair.states[k] < p->root) p->root = p->fair.states[k];
  stop(p->search, STOP_ERROR);
#else
  for (u64 state = 0; state < p->extent && !is_stopped(p); state++) {
    look_for_request(p, state);
    if (left[state] && p->visited[state] == 0) search_from(p, (number)state);
  }
#endif
}

/* Look for an accepting cycle among the edges that have been recorded so far. */
static void look_for_cycle(struct product *p) {
  memory_release(p->visited, p->extent * sizeof *p->visited);
  p->extent = graph_extent(p->search);
  p->visits = 0;
  p->visited = memory_reserve(p->extent * sizeof *p->visited);
  u8 *left = memory_reserve(p->extent);
  if (!p->visited || !left) stop(p->search, STOP_MEMORY);
  else if (trim(p, left)) look_among(p, left);
  memory_release(left, p->extent);
}

/* The last look, also if the limit of states has ended the search: a cycle among these states is a cycle. */
static void look_at_the_end(struct product *p) {
  int reason = atomic_load(&p->search->stopped);
  if (reason != STOP_DONE && reason != STOP_STATES) return;
  atomic_store(&p->search->stopped, STOP_DONE);
  look_for_cycle(p);
  if (!is_stopped(p)) atomic_store(&p->search->stopped, reason);
}

static void after_level(struct search *search) {
  struct product *p = search->owner;
  u64 edges = edge_count(search);
  if (edges < FIRST_LOOK || edges < LOOK_AGAIN * p->looked_at || is_over(search)) return;
  p->looked_at = edges;
  look_for_cycle(p);
}

/* --- the counterexample ------------------------------------------------------------------------------------------- */

static int is_member(const struct product *p, number state) {
  return state < p->extent && p->visited[state] != DEAD && p->visited[state] >= p->accepting_from;
}

static u64 steps_inside(void *graph, u64 state, const struct lasso_step **steps) {
  struct product *p = graph;
  struct row row = graph_row(p->search, state);
  p->steps.count = 0;
  for (const struct link *link = row.begin; link < row.end; link++) {
    struct lasso_step step = {link->target, marks_of(link)};
    if (is_member(p, link->target)) PUSH(p->steps, step);
  }
  *steps = p->steps.items;
  return p->steps.count;
}

/* The shortest path to the root. */
static struct lasso_way way_to_root(const struct product *p) {
  struct lasso_way way = {0};
  const u64 *parents = p->search->parents;
  u64 state = p->root;
  PUSH(way, state);
  while ((parents[state] & INDEX_MASK) != NO_INDEX) {
    state = parents[state] & INDEX_MASK;
    PUSH(way, state);
  }
  for (u64 k = 0; k < way.count / 2; k++) {
    u64 *one = &way.items[k], *other = &way.items[way.count - 1 - k], kept = *one;
    *one = *other;
    *other = kept;
  }
  return way;
}

u64 product_lasso(struct product *p, u64 *out, u64 room, u64 *stem) {
  struct lasso_component component = {p, p->extent, p->root, MODEL_REQUIRED, steps_inside};
  struct lasso_way way = way_to_root(p);
  *stem = way.count;
  int is_whole = append_cycle(&component, &way);
  return write_lasso(&way, is_whole, out, room);
}

#if MODEL_FAIR
u64 product_stem(struct product *p, u64 *out, u64 room) {
  struct lasso_way way = way_to_root(p);
  return write_lasso(&way, 1, out, room);
}

u64 product_component(struct product *p, u64 *out, u64 room) {
  struct segment s = p->fair.found;
  u64 count = s.end - s.begin;
  for (u64 k = 0; k < count && room >= count; k++) out[k] = p->fair.states[s.begin + k];
  return count;
}

u64 product_edges(struct product *p, u64 state, u64 *out, u64 room) {
  struct row row = graph_row(p->search, state);
  u64 count = 0;
  for (const struct link *link = row.begin; link < row.end; link++) {
    if (p->fair.part[link->target] != p->fair.part[state]) continue;
    if (3 * count + 3 <= room) {
      out[3 * count] = link->target;
      out[3 * count + 1] = marks_of(link);
      out[3 * count + 2] = link->label;
    }
    count++;
  }
  return 3 * count;
}

u64 product_state_label(struct product *p, u64 state, u64 *out) {
  const struct state_label *label = fair_state(&p->fair, (number)state);
  memcpy(out, label->able.of, sizeof label->able);
  out[PROCESS_WORDS] = label->holds;
  return PROCESS_WORDS;
}

u64 product_step_label(struct product *p, u64 number, u64 *out) {
  memcpy(out, step_label_of(&p->search->labels, (uint32_t)number), sizeof(struct step_label));
  return PROCESS_WORDS;
}
#endif

/* --- functions for Python ----------------------------------------------------------------------------------------- */

struct product *product_new(const struct request *request, struct result *result) {
  struct product *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  if (!(p->search = graph_new(request, result))) {
    free(p);
    return NULL;
  }
  p->search->owner = p;
  p->search->after_level = after_level;
  return p;
}

void product_run(struct product *p, const int *initial, int count) {
  struct search *search = p->search;
  struct claim_edges first = {0};
  for (int k = 0; k < count && k < MODEL_CLAIM_EDGES; k++)
    first.of[first.count++] = (struct claim_edge){.target = (uint32_t)initial[k]};
  search->initial = first;
  search_run(search);
  look_at_the_end(p);
  search->result->stopped = atomic_load(&search->stopped);
  search->result->transitions--; /* the initial state is no transition here */
}

static void release_product(void *p) { product_free(p); }

struct transfer *product_transfer(struct product *p) {
  struct transfer *unused = transfer_unused(p->search), *t = unused ? unused : search_transfer(p->search);
  if (unused) product_free(p);
  else if (t) transfer_owner(t, p, release_product);
  return t;
}

void product_state(struct product *p, u64 state, u8 *out) { graph_state(p->search, state, out); }

void product_free(struct product *p) {
  if (!p) return;
  memory_release(p->visited, p->extent * sizeof *p->visited);
  free(p->frames.items);
  free(p->components.items);
  free(p->live.items);
  free(p->steps.items);
#if MODEL_FAIR
  fair_close(&p->fair);
#endif
  graph_free(p->search);
  free(p);
}

#endif
