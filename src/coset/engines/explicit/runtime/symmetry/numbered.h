/* Representatives of states that are packed as numbers of components (component_dictionary.h).

   A symmetry moves the components of a state and renames what is inside of them.  So the image of a component's value is again a
   number, which is computed, by way of an unpacked state, when it is first needed.  A state is neither unpacked nor packed, so
   that transitions can be memoised under symmetry, too.

   There are two methods: by_elements.h for small groups, by_columns.h for products of symmetric groups (MODEL_SORTED). */
#ifndef NUMBERED_H
#define NUMBERED_H

#include "transition_cache.h"

#if MODEL_NUMBERED

/* The model (generated).  Components that no symmetry changes are not listed. */
extern const uint16_t model_active[ACTIVE]; /* the components, by their places in a comparison */
extern const int model_starter;             /* the process that starts the others, or -1 */

#if MODEL_SORTED
#define LANES ((COLUMNS + 7) / 8 * 8)
#define IMAGE_BITS 14 /* the binary logarithm of the number of images that a thread remembers */

extern const u8 model_owner[ACTIVE];                  /* the column that a component belongs to, or NO_COLUMN */
extern const u8 model_row[ACTIVE];                    /* its position there */
extern const uint16_t model_at[COLUMNS][COLUMN_SIZE]; /* the place of the component at a position of a column */
extern const u8 model_families[FAMILIES][2];          /* the first column of a family, and how many there are */

/* On unpacked states (columns_of_model.h). */
void model_colours(const u8 *s, u64 *keys);                /* the keys of the columns (group.h) */
void model_arranged(const u8 *s, const u8 *target, u8 *t); /* the state with each column moved to another one */
orbit_count model_orbit_size(orbit_count stabiliser);

typedef int32_t eight __attribute__((vector_size(32), aligned(4)));
struct lanes { /* a number for each column */
  eight of[LANES / 8];
};

#define IMAGE_WORDS (PACKED_WORDS <= 2 ? PACKED_WORDS : PACKED_WORDS + 1) /* with a free bit in the last one */

/* What is known of a component's value (column_values.h). */
struct column_value {
  uint32_t keys[LANES] __attribute__((aligned(32))); /* what it adds to the key of each column */
  u64 dependencies;                                  /* four bits for each column that it depends on */
  _Atomic u64 *images;  /* by the columns that these come to, if it depends on at most two */
  uint32_t entry, home; /* `home`: the number of the image in the first column plus 1, or 0 if it names other columns */
  uint32_t stride;      /* of the first of these in the table */
  uint16_t related;     /* a bit for each column that it relates to others */
  u8 columns[2];        /* that it depends on, or COLUMNS */
  u8 has_many;          /* it depends on more */
  u8 is_pair, pair[2];  /* whether it relates two columns, and which */
};

struct old_value {
  int place;
  const struct column_value *value;
};

/* The image of a value that depends on many columns. */
struct image {
  u64 columns;    /* where the columns come to that the value depends on */
  uint32_t entry; /* the value's own entry plus 1 */
  u64 bits[IMAGE_WORDS];
};
#else
extern const uint16_t model_source[ELEMENTS]
                                  [ACTIVE];  /* the place whose image comes to a place; element 0 is the identity */
extern const uint16_t model_first[ELEMENTS]; /* the same for the first place */
void model_element(const u8 *s, int element, u8 *t); /* the image of a state */
#endif

struct numbered {
  struct bit_field fields[ACTIVE];
  u64 start[ACTIVE + 1];                /* where the numbers of each component begin in a table */
  u64 mask[PACKED_WORDS];               /* the bits of all these components */
  uint16_t place_of[PACKED_WORDS * 64]; /* the component of each of these bits */
  _Atomic u8 *started; /* by the number of the starter's local state: 1 if it is before the start, 2 after */
  u8 *memory;
  u64 bytes;
#if MODEL_SORTED
  _Atomic(struct column_value *) *values; /* by entry, NULL if it is not known yet */
  struct memory_block *blocks;            /* the memory of these values */
  uint32_t base[LANES];                   /* the keys of a state in which all of these components have number 0 */
  int has_base;
  pthread_mutex_t lock;              /* of a thread that writes to these tables */
  struct lanes family, later[LANES]; /* the first column of each one's family; -1 for the columns after one */
#else
  _Atomic IMAGE *images; /* a table for each element: the number of the image plus 1, or 0 if it is not known yet */
#endif
};

/* The state that a thread expands: its successors have most of its numbers. */
struct numbered_state {
  u64 words[PACKED_WORDS];
#if MODEL_SORTED
  int has_begun;
  struct lanes key;
  u64 naming;   /* a bit for each component whose value depends on other columns than its own */
  u64 relating; /* a bit for each component whose value relates columns */
  const struct column_value *values[ACTIVE];
  struct image images[1 << IMAGE_BITS]; /* of values that depend on many columns, by a hash */
#else
  uint32_t entry[ACTIVE]; /* the entries of its numbers in the tables */
#endif
};

struct worker;
int numbered_open(struct numbered *n, const struct bit_field *bit_fields);
void numbered_begin(const struct numbered *n, struct numbered_state *state);
/* A state whose successors are represented next. */
void numbered_expand(struct worker *w, const u64 *words);
void numbered_close(struct numbered *n);
/* Replace a packed state by the representative of its orbit; returns the size of the orbit. */
orbit_count numbered_representative(struct worker *w, u64 *words);

#endif
#endif
