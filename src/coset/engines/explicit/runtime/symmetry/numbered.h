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
extern const uint16_t model_others[];                 /* the places of components in no column: OTHERS */
extern const u8 model_template[STATE_SIZE];           /* a state in which symmetries act */
#if MODEL_NESTED
extern const u8 model_parent[COLUMNS]; /* the column that a column moves with (nested_columns.h), or NO_COLUMN */
extern const u8
    model_siblings[COLUMNS];           /* how many columns of its family have this parent: itself and those after it */
extern const u8 model_eldest[COLUMNS]; /* the first of these */
extern const u8 model_is_parent[COLUMNS];  /* whether columns move with it */
extern const u8 model_generation[COLUMNS]; /* the number of its family */
#endif

/* On unpacked states (columns_of_model.h). */
void model_colours(const u8 *s, u64 *keys);                /* the keys of the columns (group.h) */
void model_arranged(const u8 *s, const u8 *target, u8 *t); /* the state with each column moved to another one */
orbit_count model_orbit_size(orbit_count stabiliser);

typedef int32_t eight __attribute__((vector_size(32), aligned(4)));
struct lanes { /* a number for each column */
  eight of[LANES / 8];
};

/* What is known of a component's value (column_values.h): a cache line, if there are up to eight columns. */
struct column_value {
  uint32_t keys[LANES]; /* what it adds to the key of each column */
  _Atomic u64 *images;  /* by the columns that one or two come to: the bits of the image (column_values.h) */
  uint16_t home;        /* the number of the image in the first column plus 1, or 0 if it names columns */
  uint16_t related;     /* a bit for each column that it belongs to or names */
  u8 columns[2];        /* that it depends on, or COLUMNS */
  _Atomic u8 flags;
} __attribute__((aligned(64)));

#define VALUE_IS_KNOWN 1
#define VALUE_NAMES 2    /* it depends on other columns than its own */
#define VALUE_RELATES 4  /* it relates columns */
#define VALUE_IS_PAIR 8  /* it relates two columns */
#define VALUE_IS_WIDE 16 /* its images are not in a table */
#define VALUE_BINDS 32   /* states with it are not ordered by the numbers of their columns (aligned_columns.h) */

/* Where a number stands in a packed state. */
struct destination {
  u8 word, shift;
};

/* A column, or a component in no column, of a packed state. */
struct column_part {
  u64 bits;
  u8 is_other, which;
};

struct old_value {
  int place;
  const struct column_value *value;
};

/* The image of a value that depends on many columns. */
struct image {
  u64 columns;    /* where the columns come to that the value depends on */
  uint32_t entry; /* the value's own entry plus 1 */
  uint32_t number;
};
#else
extern const uint16_t model_source[ELEMENTS]
                                  [ACTIVE];  /* the place whose image comes to a place; element 0 is the identity */
extern const uint16_t model_first[ELEMENTS]; /* the same for the first place */
struct component_orbit {
  int count;
  uint16_t places[ACTIVE]; /* the first one is its head */
};
extern const struct component_orbit model_orbits[ORBITS]; /* places that are moved to one another */
void model_element(const u8 *s, int element, u8 *t);      /* the image of a state */
#if MODEL_ROTATED
extern const int model_ring[2]; /* the first components of the first two columns */
extern const int model_other_count;
extern const uint16_t model_others[]; /* the places of components that are in no column */
#endif

/* The images of a value at the head of its component's orbit. */
struct first_images {
  _Atomic uint32_t greatest; /* the number of the greatest plus 1, or 0 if it is not known yet */
  u64 elements;              /* a bit for each element that yields it */
};
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
  struct column_value *values;        /* by entry */
  struct memory_block *blocks;        /* the memory of their tables */
  _Atomic u64 no_image[PACKED_WORDS]; /* of values without a table: 0 */
  uint32_t base[LANES];               /* the keys of a state in which symmetries act */
  u64 base_words[PACKED_WORDS];       /* that state */
  int has_base;
  uint32_t role_mask;                /* 0 if symmetries change that state, else ones */
  pthread_mutex_t lock;              /* of a thread that writes to these tables */
  uint16_t process_of[ACTIVE];       /* the process that a component is, plus 1, or 0 */
  struct lanes family, later[LANES]; /* the first column of each one's family; -1 for the columns after one */
#if MODEL_EQUIVARIANT
  struct bit_field columns[COLUMNS];           /* all numbers of a column together */
  _Atomic u8 *kinds[COLUMNS];                  /* by that number: whether the column names others (aligned_columns.h) */
  int has_kinds;                               /* whether there are these tables */
  struct column_part parts[PACKED_WORDS * 64]; /* by their bits */
  struct destination column_to[COLUMNS];       /* where a column stands */
  u64 column_mask[PACKED_WORDS];               /* the bits of all columns */
  struct lanes place, used, lane[COLUMNS + 1]; /* the number of each column; -1 for all columns, for one, or for none */
#endif
#else
  _Atomic IMAGE *images; /* a table for each element: the number of the image plus 1, or 0 if it is not known yet */
  struct first_images *firsts; /* by entry */
  pthread_mutex_t lock;        /* of a thread that writes to the latter */
#if MODEL_ROTATED
  struct bit_field ring; /* all columns */
  int stride;            /* the bits of a column */
#endif
#endif
};

/* The state that a thread expands: its successors have most of its numbers. */
struct numbered_state {
  u64 words[PACKED_WORDS];
#if MODEL_SORTED
  int has_begun;
  struct lanes key;
#if MODEL_EQUIVARIANT
  int is_plain; /* whether its columns name no others; its keys then */
  struct lanes plain_key;
  u64 plain_words[PACKED_WORDS];
#endif
  u64 naming;               /* a bit for each component whose value depends on other columns than its own */
  u64 relating;             /* a bit for each component whose value relates columns */
  u64 binding;              /* a bit for each component whose value binds columns */
  int has_twins;            /* whether exchanging some of its columns changes nothing */
  uint16_t twin_of[CORES];  /* a process of another such column whose moves are made before, plus 1, or 0 */
  int8_t successors[CORES]; /* how many successors its moves have, or -1 if they were not cached */
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
#if MODEL_SORTED
/* How many successors the moves of a process have, if they only repeat those of another process up to symmetry, else -1. */
static inline int numbered_repeated(const struct numbered_state *current, int pid) {
  return current->has_twins && current->twin_of[pid] ? current->successors[current->twin_of[pid] - 1] : -1;
}
#endif
void numbered_close(struct numbered *n);
/* Replace a packed state by the representative of its orbit; returns the size of the orbit. */
orbit_count numbered_representative(struct worker *w, u64 *words);

#endif
#endif
