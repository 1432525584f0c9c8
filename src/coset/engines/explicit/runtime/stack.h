/* Stacks that grow.  Without memory the process ends: stacks are small beside the states that they are about. */
#ifndef STACK_H
#define STACK_H

#include <stdlib.h>

#include "types.h"

#define STACK(type)                                                                                                    \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    u64 count, room;                                                                                                   \
  }
#define PUSH(stack, value)                                                                                             \
  do {                                                                                                                 \
    if ((stack).count == (stack).room) {                                                                               \
      (stack).room = (stack).room ? 2 * (stack).room : 1024;                                                           \
      (stack).items = realloc((stack).items, (stack).room * sizeof *(stack).items);                                    \
      if (!(stack).items) abort();                                                                                     \
    }                                                                                                                  \
    (stack).items[(stack).count++] = (value);                                                                          \
  } while (0)

#endif
