"""The diagnostic codes of featured networks."""

from __future__ import annotations

from coset.source.diagnostics import register

MISSING_FILE = register("W001", "a file of a featured network is missing")
BAD_DEFINITION = register(
    "W002", "a line of procs.def is not a definition", "Write `3: client <- [1] of {pid, pid}`, one per line."
)
BAD_FEATURE = register(
    "W003", "a line of features.def is not a feature", "Write `AUTORESP[1,2]` or `FILTER[(3,5),(4,5)]`, one per line."
)
UNKNOWN_FEATURE = register("W004", "no template asks for a feature of that name", "Features are written in capitals.")
WRONG_ARITY = register("W005", "a feature is used or switched on both for one component and for pairs")
NO_COMPONENT = register("W006", "there is no component with that number")
BAD_GLOBAL = register("W007", "globals.def has types, mtypes and variables only, and no channels")
BAD_OPTION = register(
    "W008", "a template option is not well formed", "Write `:: for i in client { ... }`, with a new name for `i`."
)
FORBIDDEN = register(
    "W010",
    "a template uses a construct that may distinguish components",
    "docs/features.md lists what templates may use.",
)
LITERAL_ID = register("W011", "a template names a component by its number", "Use `:: for i in client { ... }`.")
ID_ARITHMETIC = register("W012", "ids can be compared by == and !=, copied, sent and used as indices, nothing else")
MIXED = register("W013", "an id is mixed with a value that is no id")
BAD_INDEX = register("W014", "an array of NCOMP elements is indexed by ids, and no other array is")
CHANNEL_USE = register("W015", "a channel is used in a way that templates do not allow")
MESSAGE = register("W016", "a message does not fit the channel of its receiver")
NOT_OPEN = register("W017", "the generated specification is not open symmetric")
BAD_PROPERTY = register("W020", "a line of properties.def is not a property", "docs/features.md has the format.")
BAD_INSTANCE = register("W021", "a feature or property is given parameters that it cannot have")
