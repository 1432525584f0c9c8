/* Representatives: the one state that stands for all states of an orbit.

   The generated model says how a permutation of its points acts on a state, and how the points of a state differ; the
   search for the representative is here.  See symmetry/plan.py for the ideas. */
#ifndef CANONICAL_H
#define CANONICAL_H

#include "coset.h"

typedef uint16_t u16;
typedef unsigned __int128 u128;

enum strategy { STRATEGY_SORT, STRATEGY_CHAIN, STRATEGY_ENUMERATE, STRATEGY_LOCAL };

struct family {
  int first, count, width; /* columns[first + i * width + k] is the k-th point of the i-th column */
};

struct level {
  int base, first, count; /* orbit_points[first + i], and leads[first + i] maps the base to it */
};

/* The model (generated, if MODEL_SYMMETRIC). */
int model_settled(const u8 *s); /* whether the symmetries act on a state at all */
void model_permute(const u8 *s, const u16 *g, u8 *t);
void model_colour(const u8 *s, u64 *sum); /* add to each point a hash of what it holds that no symmetry changes */
void model_refine(const u8 *s, const u64 *key, u64 *sum); /* and of what it has to do with other points */
extern const int strategy, family_count, level_count, generator_count;
extern const u16 orbit_colour[], columns[], orbit_points[];
extern const struct family families[];
extern const struct level levels[];
extern const u16 leads[][POINTS], generators[][POINTS];
extern const u64 group_order[2]; /* low and high half; 0 if it is larger */

/* Write the representative of `s` to `t`; the size of the orbit is returned (0: not known). */
u128 canonical(const u8 *s, u8 *t);

#endif
