/* The recorded edges of a search (links.h) in a checkpoint: the rows of all threads, one after the other.

   The search goes on with as many threads as it likes: what is read belongs to the first one.

   Part of checkpoint.c. */
#ifndef SAVED_GRAPH_H
#define SAVED_GRAPH_H

#include "blocks.h"
#include "links.h"

#if MODEL_GRAPH

#define MOST_THREADS 4096
#define ROW_MASK (((u64)1 << ROW_BITS) - 1)

/* Blocks hold whole words.  The bytes that are added belong to the same reserved memory. */
static u64 in_words(u64 bytes) { return (bytes + 7) / 8 * 8; }

static int put_graph(const struct search *search, u64 states, struct blocks *b) {
  u64 threads = (u64)search->request.threads;
  if (!blocks_put(b, &threads, sizeof threads) || !blocks_put(b, search->rows.at, states * sizeof(u64))) return 0;
  if (MODEL_OBSERVES && !blocks_put(b, search->conditions, in_words(states * sizeof(condition_bits)))) return 0;
  for (u64 k = 0; k < threads; k++) {
    const struct links *links = &search->workers[k].links;
    if (!blocks_put(b, &links->count, sizeof links->count)) return 0;
    if (!blocks_put(b, links->items, in_words(links->count * sizeof(struct link)))) return 0;
  }
  return 1;
}

/* Read the rows of one thread after those of the others; `begin[k]` is where they begin. */
static int get_rows(struct links *all, struct blocks *b) {
  u64 count;
  if (!blocks_get(b, &count, sizeof count)) return 0;
  if (count > b->bytes / sizeof(struct link)) return damaged(b);
  b->error = ENOMEM;
  if (count + 2 > all->room - all->count) return 0;
  b->error = 0;
  if (!blocks_get(b, all->items + all->count, in_words(count * sizeof(struct link)))) return 0;
  all->count += count;
  return 1;
}

/* Where the row of a state is now, or 0 if it is not within the rows of its thread or an edge leads nowhere. */
static u64 moved_row(const struct links *all, const u64 *begin, u64 threads, u64 at, u64 states) {
  u64 thread = (at - 1) >> ROW_BITS, first = (at - 1) & ROW_MASK;
  if (thread >= threads || first >= begin[thread + 1] - begin[thread]) return 0;
  first += begin[thread];
  const struct link *head = all->items + first;
  if (head->target > begin[thread + 1] - first - 1) return 0;
  for (u64 k = 1; k <= head->target; k++)
    if (head[k].target >= states) return 0;
  return first + 1;
}

static int get_graph(struct search *search, u64 states, struct blocks *b) {
  struct links *all = &search->workers[0].links;
  u64 threads, begin[MOST_THREADS + 1] = {0};
  if (!blocks_get(b, &threads, sizeof threads)) return 0;
  if (threads == 0 || threads > MOST_THREADS) return damaged(b);
  if (!blocks_get(b, search->rows.at, states * sizeof(u64))) return 0;
  if (MODEL_OBSERVES && !blocks_get(b, search->conditions, in_words(states * sizeof(condition_bits)))) return 0;
  for (u64 k = 0; k < threads; k++) {
    if (!get_rows(all, b)) return 0;
    begin[k + 1] = all->count;
  }
  for (u64 state = 0; state < states; state++) {
    u64 *at = &search->rows.at[state];
    if (*at && !(*at = moved_row(all, begin, threads, *at, states))) return damaged(b);
  }
  return 1;
}

#else

static int put_graph(const struct search *search, u64 states, struct blocks *b) {
  (void)search, (void)states, (void)b;
  return 1;
}

static int get_graph(struct search *search, u64 states, struct blocks *b) {
  (void)search, (void)states, (void)b;
  return 1;
}

#endif
#endif
