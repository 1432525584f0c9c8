/* Going on with what another search has found.

   A component of a packed state has a fixed number of bits (component_dictionary.h, packing.h).  If a value does not fit, the
   search ends, and another one with wider components takes over its states, the edges between them, and the states that wait to be
   expanded.  The state whose successor did not fit is expanded again, as if that had not been begun.

   Both searches are of the same model and layout, but may be different programs.  So a state is handed over as the numbers of its
   components, which stay what they are, or else unpacked. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "search.h"

struct transfer;

/* Programs of the quick tier do without: they keep whole states. */
#define IF_PACKED __attribute__((weak, cold))

/* What a search has found; the search belongs to it from now on.  NULL if nothing can be handed over. */
IF_PACKED struct transfer *search_transfer(struct search *search);

/* What a search was given and could not take over, as an image did not fit: it is for the next one. */
IF_PACKED struct transfer *transfer_unused(struct search *search);
/* How many values each component has, if components are numbered; returns whether they are. */
IF_PACKED int transfer_counts(struct transfer *transfer, u64 *counts);

IF_PACKED void transfer_drop(struct transfer *transfer);

/* Take over what another search has found, and drop it.  Returns 0 if that is not possible, so that this one has to begin with
   the initial state, 1 if it was done, or -1 if it failed halfway; what was not taken over because a value did not fit is kept. */
IF_PACKED int transfer_take(struct search *search);

/* For a search that is part of something larger: what frees the whole. */
IF_PACKED void transfer_owner(struct transfer *transfer, void *owner, void (*release)(void *owner));

#endif
