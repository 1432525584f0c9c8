/* Fair components of a recorded graph (engines/streett.py explains the method, and is its naive twin).

   Every requirement is a Streett pair.  From a component in which some pair is not satisfied, the states in which its first part holds
   are removed, and the components of the rest are searched (Emerson, Lei, Science of Computer Programming 8, 1987).

   On a quotient, the processes of a component are followed along a spanning tree: the label of a state tells under which number
   each process of the first state, a *thread*, is found there.  Every other edge says which threads become one (Emerson, Sistla,
   TOPLAS 19, 1997; Gyuris, Sistla, FMSD 15, 1999).

   Part of product.c. */
#ifndef FAIR_H
#define FAIR_H

#include "graph.h"
#include "memory.h"
#include "stack.h"

#if MODEL_FAIR

enum { FAIR_TO_CONSTRAINTS, FAIR_WEAKLY, FAIR_STRONGLY };

#define CONSTRAINT_BEGINS 0x5555555555555555u /* the bits of what constraints begin with (labels.h) */
#define FAIR_PLACES 4096

/* States of one part of the graph: those from `begin` to below `end` of `states`. */
struct segment {
  u64 begin, end;
};

struct tarjan_frame {
  const struct link *next, *end;
  number state;
  uint32_t low;
};

/* A step as it is seen from the first state of a component: who takes part, and the label after it. */
struct seen_step {
  u64 key; /* the label before it and that of the step, plus 1; 0 if the entry is free */
  uint32_t after;
  struct processes movers;
};

struct fair {
  struct search *search;
  u64 extent;
  uint32_t *part;  /* by state: which part of the graph it is in; 0 if it is on no fair cycle */
  uint32_t *visit; /* by state: the order of visit; 0 before */
  uint32_t *label; /* by state: the number of its label plus 1; 0 before */
  number *states, *scratch;
  uint32_t parts;
  struct segment found; /* the fair component */
  struct seen_step *seen;
  STACK(struct segment) todo;
  STACK(struct segment) components;
  STACK(struct tarjan_frame) frames;
  STACK(number) live;
};

/* What happens to the threads of a component, in the numbers of its first state. */
struct threads {
  struct processes able, unable, moved;
  uint16_t parent[MODEL_SLOTS + 1];
};

static int fair_is_over(struct fair *f, u64 count) {
  if ((count & 4095) == 0 && f->search->result->stop_asked) stop(f->search, STOP_ASKED);
  return is_over(f->search);
}

/* --- components --------------------------------------------------------------------------------------------------- */

static void fair_visit(struct fair *f, number state, uint32_t *order) {
  struct row row = graph_row(f->search, state);
  f->visit[state] = ++*order;
  struct tarjan_frame frame = {row.begin, row.end, state, *order};
  PUSH(f->live, state);
  PUSH(f->frames, frame);
}

/* A component is complete: its states get a part of their own. */
static void fair_leave(struct fair *f, number state, u64 *out) {
  number member;
  struct segment segment = {*out, *out};
  f->parts++;
  do {
    member = f->live.items[--f->live.count];
    f->part[member] = f->parts;
    f->scratch[segment.end++] = member;
  } while (member != state);
  *out = segment.end;
  PUSH(f->components, segment);
}

/* The strongly connected components of a part (Tarjan 1972): its states are sorted by them. */
static void fair_split(struct fair *f, struct segment s) {
  uint32_t order = 0, whole = ++f->parts;
  u64 out = s.begin;
  f->components.count = 0;
  for (u64 k = s.begin; k < s.end; k++) {
    f->part[f->states[k]] = whole;
    f->visit[f->states[k]] = 0;
  }
  for (u64 k = s.begin, count = 0; k < s.end && !is_over(f->search); k++) {
    if (f->visit[f->states[k]]) continue;
    fair_visit(f, f->states[k], &order);
    while (f->frames.count && !fair_is_over(f, ++count)) {
      struct tarjan_frame *frame = &f->frames.items[f->frames.count - 1];
      if (frame->next < frame->end) {
        number target = frame->next++->target;
        if (f->part[target] != whole) continue;
        if (!f->visit[target]) fair_visit(f, target, &order);
        else if (f->visit[target] < frame->low) frame->low = f->visit[target];
        continue;
      }
      number state = frame->state;
      uint32_t low = frame->low;
      f->frames.count--;
      if (low == f->visit[state]) fair_leave(f, state, &out);
      else if (low < f->frames.items[f->frames.count - 1].low) f->frames.items[f->frames.count - 1].low = low;
    }
  }
  f->frames.count = f->live.count = 0;
  if (!is_over(f->search)) memcpy(f->states + s.begin, f->scratch + s.begin, (s.end - s.begin) * sizeof *f->states);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static inline const struct state_label *fair_state(const struct fair *f, number state) {
  return state_label_of(&f->search->labels, f->search->state_labels[state]);
}

static inline int way_of(const struct step_label *label, int pid) {
  return MODEL_SYMMETRIC ? ((const uint16_t *)(const void *)label->ways)[pid] : pid;
}

/* A set of processes of a state with a label, as threads. */
static struct processes as_threads(const struct step_label *label, const struct processes *set) {
  struct processes found = {{0}};
  if (!MODEL_SYMMETRIC) return *set;
  for (int thread = 0; thread < MODEL_SLOTS; thread++)
    if (has_process(set, way_of(label, thread))) add_process(&found, thread);
  return found;
}

static uint32_t label_of_way(struct fair *f, const struct step_label *label) {
  uint32_t number = label_step(&f->search->labels, f->search->workers[0].recent_labels, label);
  if (f->search->labels.has_failed) stop(f->search, STOP_MEMORY);
  return number;
}

static uint32_t first_label(struct fair *f) {
  struct step_label label = {{{0}}, {0}};
  if (MODEL_SYMMETRIC) memcpy(label.ways, model_identity, sizeof label.ways);
  return label_of_way(f, &label);
}

/* A step from a state with a label. */
static const struct seen_step *seen_step(struct fair *f, uint32_t before, uint32_t step) {
  u64 key = ((u64)before << 32 | step) + 1;
  struct seen_step *seen = &f->seen[hash_word(key) % FAIR_PLACES];
  if (seen->key == key) return seen;
  const struct labels *labels = &f->search->labels;
  struct step_label one = *step_label_of(labels, before), other = *step_label_of(labels, step), after = {{{0}}, {0}};
  seen->movers = as_threads(&one, &other.movers);
  seen->after = 0;
  if (MODEL_SYMMETRIC) {
    memcpy(after.ways, model_identity, sizeof after.ways);
    for (int thread = 0; thread < MODEL_SLOTS; thread++)
      ((uint16_t *)(void *)after.ways)[thread] = (uint16_t)way_of(&other, way_of(&one, thread));
    seen->after = label_of_way(f, &after);
  }
  seen->key = key;
  return seen;
}

static int class_of_thread(const struct threads *t, int thread) {
  while (t->parent[thread] != thread) thread = t->parent[thread];
  return thread;
}

/* Two labels of one state: threads that have the same number are one. */
static void join_threads(struct fair *f, struct threads *t, uint32_t one, uint32_t other) {
  const struct step_label *a = step_label_of(&f->search->labels, one), *b = step_label_of(&f->search->labels, other);
  uint16_t there[MODEL_SLOTS + 1];
  for (int thread = 0; thread < MODEL_SLOTS; thread++) there[way_of(b, thread)] = (uint16_t)thread;
  for (int thread = 0; thread < MODEL_SLOTS; thread++)
    t->parent[class_of_thread(t, thread)] = (uint16_t)class_of_thread(t, there[way_of(a, thread)]);
}

static void see_state(struct fair *f, struct threads *t, number state) {
  struct processes able =
      as_threads(step_label_of(&f->search->labels, f->label[state] - 1), &fair_state(f, state)->able);
  for (int k = 0; k < PROCESS_WORDS; k++) {
    t->able.of[k] |= able.of[k];
    t->unable.of[k] |= ~able.of[k];
  }
}

/* Follow the threads of a component. */
static void follow_threads(struct fair *f, struct segment s, struct threads *t) {
  uint32_t part = f->part[f->states[s.begin]], first = first_label(f);
  u64 last = s.begin;
  memset(t, 0, sizeof *t);
  for (int thread = 0; thread <= MODEL_SLOTS; thread++) t->parent[thread] = (uint16_t)thread;
  for (u64 k = s.begin; k < s.end; k++) f->label[f->states[k]] = 0;
  f->scratch[last++] = f->states[s.begin];
  f->label[f->states[s.begin]] = first + 1;
  for (u64 k = s.begin; k < last && !fair_is_over(f, k); k++) {
    number state = f->scratch[k];
    struct row row = graph_row(f->search, state);
    see_state(f, t, state);
    for (const struct link *link = row.begin; link < row.end; link++) {
      if (f->part[link->target] != part) continue;
      const struct seen_step *step = seen_step(f, f->label[state] - 1, link->label);
      uint32_t after = MODEL_SYMMETRIC ? step->after : first;
      for (int i = 0; i < PROCESS_WORDS; i++) t->moved.of[i] |= step->movers.of[i];
      if (!f->label[link->target]) {
        f->label[link->target] = after + 1;
        f->scratch[last++] = link->target;
      } else if (f->label[link->target] != after + 1) {
        join_threads(f, t, after, f->label[link->target] - 1);
      }
    }
  }
}

/* Add to the flags of a class those of all its threads. */
static void flags_of_classes(const struct threads *t, struct processes *flags) {
  struct processes of_class = {{0}}, found = {{0}};
  for (int thread = 0; thread < MODEL_SLOTS; thread++)
    if (has_process(flags, thread)) add_process(&of_class, class_of_thread(t, thread));
  for (int thread = 0; thread < MODEL_SLOTS; thread++)
    if (has_process(&of_class, class_of_thread(t, thread))) add_process(&found, thread);
  *flags = found;
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

/* Whether a component has an edge, and edges of all marks of the automaton; collects the conditions that hold somewhere. */
static int has_marks(const struct fair *f, struct segment s, u64 *holds) {
  uint32_t part = f->part[f->states[s.begin]];
  u64 marks = 0, count = 0;
  *holds = 0;
  for (u64 k = s.begin; k < s.end; k++) {
    struct row row = graph_row(f->search, f->states[k]);
    *holds |= fair_state(f, f->states[k])->holds;
    for (const struct link *link = row.begin; link < row.end; link++) {
      if (f->part[link->target] != part) continue;
      count++;
#if MODEL_MARKED
      marks |= link->marks;
#else
      marks = MODEL_REQUIRED;
#endif
    }
  }
  return count && (marks & MODEL_REQUIRED) == MODEL_REQUIRED;
}

/* Go on with the states of a component in which none of these conditions holds, and no thread of a set can begin a step. */
static void fair_remove(struct fair *f, struct segment s, u64 conditions, const struct processes *threads) {
  struct segment rest = {s.begin, s.begin};
  for (u64 k = s.begin; k < s.end; k++) {
    number state = f->states[k];
    const struct state_label *label = fair_state(f, state);
    int is_removed = (label->holds & conditions) != 0;
    if (threads) {
      struct processes able = as_threads(step_label_of(&f->search->labels, f->label[state] - 1), &label->able);
      for (int i = 0; i < PROCESS_WORDS; i++) is_removed |= (able.of[i] & threads->of[i]) != 0;
    }
    if (is_removed) f->part[state] = 0;
    else f->states[rest.end++] = state;
  }
  if (rest.end > rest.begin) PUSH(f->todo, rest);
}

/* Whether a component has a fair run that is accepted.  If not, what is left of it is looked at later. */
static int has_fair_run(struct fair *f, struct segment s) {
  u64 holds;
  if (s.end - s.begin == 1 && graph_row(f->search, f->states[s.begin]).begin == NULL) return 0;
  if (!has_marks(f, s, &holds)) return 0;
  u64 broken = holds & ~(holds >> 1) & CONSTRAINT_BEGINS;
  if (broken) {
    fair_remove(f, s, broken, NULL);
    return 0;
  }
  if (MODEL_FAIR_PROCESSES == FAIR_TO_CONSTRAINTS) return 1;
  struct threads t;
  follow_threads(f, s, &t);
  if (is_over(f->search)) return 0;
  if (MODEL_SYMMETRIC) {
    flags_of_classes(&t, &t.able);
    flags_of_classes(&t, &t.unable);
    flags_of_classes(&t, &t.moved);
  }
  int are_starved = 0;
  struct processes starved = {{0}};
  for (int thread = 0; thread < MODEL_SLOTS; thread++) {
    int is_served =
        MODEL_FAIR_PROCESSES == FAIR_WEAKLY ? has_process(&t.unable, thread) : !has_process(&t.able, thread);
    if (is_served || has_process(&t.moved, thread)) continue;
    are_starved = 1;
    add_process(&starved, thread);
  }
  if (!are_starved) return 1;
  if (MODEL_FAIR_PROCESSES == FAIR_STRONGLY) fair_remove(f, s, 0, &starved);
  return 0;
}

/* --- the search --------------------------------------------------------------------------------------------------- */

static void fair_close(struct fair *f) {
  u64 bytes = f->extent * sizeof(uint32_t);
  memory_release(f->part, bytes);
  memory_release(f->visit, bytes);
  memory_release(f->label, bytes);
  memory_release(f->states, bytes);
  memory_release(f->scratch, bytes);
  free(f->seen);
  free(f->todo.items);
  free(f->components.items);
  free(f->frames.items);
  free(f->live.items);
  memset(f, 0, sizeof *f);
}

/* Look for a fair component among some states; returns whether there is one, which `found` and `part` then tell. */
static int fair_look(struct fair *f, struct search *search, u64 extent, const u8 *among) {
  fair_close(f);
  u64 bytes = extent * sizeof(uint32_t), count = 0;
  f->search = search;
  f->extent = extent;
  f->part = memory_reserve(bytes);
  f->visit = memory_reserve(bytes);
  f->label = memory_reserve(bytes);
  f->states = memory_reserve(bytes);
  f->scratch = memory_reserve(bytes);
  f->seen = calloc(FAIR_PLACES, sizeof *f->seen);
  if (!f->part || !f->visit || !f->label || !f->states || !f->scratch || !f->seen) {
    stop(search, STOP_MEMORY);
    return 0;
  }
  for (u64 state = 0; state < extent; state++)
    if (among[state]) f->states[count++] = (number)state;
  struct segment all = {0, count};
  if (count) PUSH(f->todo, all);
  while (f->todo.count && !is_over(search)) {
    fair_split(f, f->todo.items[--f->todo.count]);
    for (u64 k = 0; k < f->components.count && !fair_is_over(f, k); k++) {
      struct segment s = f->components.items[k];
      if (has_fair_run(f, s)) {
        f->found = s;
        return 1;
      }
    }
  }
  return 0;
}

#endif
#endif
