"""The Python side of the seam between Python and the C runtime: structures, enumerations, constants and functions.

Everything here has a counterpart in a header of `runtime/`, under the same name.
`tests/engines/explicit/test_seam.py` compiles a program against the headers and compares the two, so that neither side can
change alone.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from enum import IntEnum

from coset.source.records import dataclass

# --- enumerations: the member INDEX of `enum fault` is FAULT_INDEX in C ------------------------------------------------


class Fault(IntEnum):
    """`enum fault` of coset.h: why an expression or an effect has no value."""

    NONE = 0
    INDEX = 1
    DIVISION = 2
    CHANNEL = 3
    POLL = 4
    MESSAGE = 5
    PROCESSES = 6
    PRIORITY = 7
    BLOCKED = 8
    ENDLESS = 9
    UNDEFINED = 10
    RANGE = 11
    ERROR = 12
    ASSUME = 13
    COUNT = 14


class Error(IntEnum):
    """`enum error` of coset.h: errors in a state that are not faults.  Their numbers follow those of faults."""

    ASSERTION = Fault.COUNT
    END = 15
    TRACE = 16
    COUNT = 17


class Stop(IntEnum):
    """`enum stop` of search.h: why a search ended."""

    DONE = 0
    ASKED = 1
    STATES = 2
    MEMORY = 3
    ERROR = 4
    OVERFLOW = 5
    SYSTEM = 6
    PROPERTY = 7
    UNCERTIFIED = 8
    ALLOWANCE = 9
    DISK = 10


class Storage(IntEnum):
    """`enum storage` of store.h, with the names of `choices.STORAGES`."""

    PACKED = 0
    STATES = 1
    FINGERPRINTS = 2
    BITS = 3
    DISK = 4


class Order(IntEnum):
    """`enum order` of search.h, with the names of `choices.ORDERS`."""

    BREADTH = 0
    DEPTH = 1


ENUMS: dict[str, type[IntEnum]] = {"fault": Fault, "error": Error, "stop": Stop, "storage": Storage, "order": Order}
"""Every enumeration, by its name in C."""
FAULTS = tuple(fault for fault in Fault if fault not in (Fault.NONE, Fault.ASSUME, Fault.COUNT))
"""The faults that a search can report."""

# --- constants ---------------------------------------------------------------------------------------------------------

TOO_LONG = 1 << 20
"""The slot of an overflow if a sequence of moves has no end within the limits."""
NO_BITS = -2
"""The slot of an overflow if a value has more bits than are stored."""
NO_GENERATOR = -1
"""The second generator of a failure that has only one."""
NO_STATE = (1 << 64) - 1
"""The first state with an error of some kind, if there is none."""
STACK_SIZE = 256 << 20
"""The stack size of a search thread: generated code recurses deeply."""
FAIR_SHIFT = 32
"""The first bit of the fairness marks, one for each process."""

PARTITIONS = 4096
"""The partitions of the states of a distributed search."""

CONSTANTS = {
    "TOO_LONG": TOO_LONG, "NO_BITS": NO_BITS, "NO_GENERATOR": NO_GENERATOR, "NO_STATE": NO_STATE,
    "STACK_SIZE": STACK_SIZE, "FAIR_SHIFT": FAIR_SHIFT,
    "PARTITIONS": PARTITIONS,
}  # fmt: skip
"""Every constant, by its name in C."""

# --- structures --------------------------------------------------------------------------------------------------------


class BitField(ctypes.Structure):
    """`struct bit_field` of component_dictionary.h."""

    _fields_ = [("word", ctypes.c_int), ("shift", ctypes.c_int), ("mask", ctypes.c_uint64)]


class Failure(ctypes.Structure):
    """`struct failure` of search.h."""

    first: int
    second: int
    _fields_ = [("first", ctypes.c_int), ("second", ctypes.c_int)]


class Allowance(ctypes.Structure):
    """`struct allowance` of search.h."""

    _fields_ = [("states", ctypes.c_uint64), ("transitions", ctypes.c_uint64)]


Extend = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Allowance))
"""The type of `extend` in a request."""


class Request(ctypes.Structure):
    """`struct request` of search.h."""

    _fields_ = [
        ("initial", ctypes.c_char_p),
        ("max_states", ctypes.c_uint64),
        ("max_memory", ctypes.c_uint64),
        ("allowance", Allowance),
        ("reserve", ctypes.c_uint64),
        ("threads", ctypes.c_int),
        ("keep_parents", ctypes.c_int),
        ("stop_at", ctypes.c_uint),
        ("stays", ctypes.c_int),
        ("storage", ctypes.c_int),
        ("order", ctypes.c_int),
        ("log_bits", ctypes.c_int),
        ("resume", ctypes.c_int),
        ("checkpoint", ctypes.c_char_p),
        ("checkpoint_every", ctypes.c_uint64),
        ("identity", ctypes.c_uint64),
        ("edges", ctypes.c_int),
        ("bit_fields", ctypes.c_void_p),
        ("witness", ctypes.c_void_p),
        ("extend", ctypes.c_void_p),
        ("first_errors", ctypes.POINTER(ctypes.c_uint64)),
        ("before", ctypes.c_void_p),
        ("disk", ctypes.c_char_p),
        ("disk_memory", ctypes.c_uint64),
        ("is_durable", ctypes.c_int),
    ]


class Result(ctypes.Structure):
    """`struct result` of search.h."""

    failure: Failure
    _fields_ = [
        ("states", ctypes.c_uint64),
        ("transitions", ctypes.c_uint64),
        ("depth", ctypes.c_uint64),
        ("frontier", ctypes.c_uint64),
        ("memory", ctypes.c_uint64),
        ("errors", ctypes.c_uint64 * Error.COUNT),
        ("stop_asked", ctypes.c_int),
        ("stopped", ctypes.c_int),
        ("error_kind", ctypes.c_int),
        ("error_edge", ctypes.c_int),
        ("error_state", ctypes.c_uint64),
        ("overflow_slot", ctypes.c_int),
        ("overflow_kind", ctypes.c_int),
        ("memory_before", ctypes.c_uint64),
        ("peak", ctypes.c_uint64),
        ("omission", ctypes.c_double),
        ("checkpoints", ctypes.c_uint64),
        ("checkpoint_error", ctypes.c_int),
        ("represents", ctypes.c_uint64 * 2),
        ("certified", ctypes.c_uint64),
        ("failure", Failure),
        ("reduced", ctypes.c_uint64),
        ("taken", ctypes.c_uint64),
        ("disk_error", ctypes.c_int),
        ("disk", ctypes.c_uint64),
    ]


STRUCTS: dict[str, type[ctypes.Structure]] = {
    "request": Request,
    "result": Result,
    "allowance": Allowance,
    "failure": Failure,
    "bit_field": BitField,
}
"""Every structure, by its name in C."""

# --- functions ---------------------------------------------------------------------------------------------------------

PROTOTYPES = """
void representative(const u8 *, u8 *);
void annotated(const u8 *, u8 *, uint16_t *);
u64 unpermuted(const u8 *, const u8 *, u64, u8 *);
u64 run_steps(const u8 *, u64, u64 *);

struct search *search_new(const struct request *, struct result *);
void search_run(struct search *);
void search_state(struct search *, u64, u8 *);
u64 search_path(struct search *, u64, u8 *, u64);
void search_free(struct search *);
struct transfer *search_transfer(struct search *);
int transfer_counts(struct transfer *, u64 *);
void transfer_drop(struct transfer *);

struct share *share_new(const struct request *, struct result *, int, int, u64);
void share_free(struct share *);
void share_owners(struct share *, const uint16_t *);
void share_begin(struct share *);
u64 share_expand(struct share *, u64);
void share_insert(struct share *, const u8 *, u64);
void share_known(struct share *, const u8 *, u64);
u64 share_settle(struct share *);
u64 share_weigh(struct share *, u64);
void share_counts(struct share *, u64 *);
u64 share_block(const struct share *, int, const u8 **);
void share_sent(struct share *, int);
u64 share_level(const struct share *, const u8 **, const u64 **);
u64 share_missing(const struct share *, const int **, const u8 **);
void share_agree(struct share *, u64, const int *, const u8 *);
void share_failed(const struct share *, u8 *);
u64 share_predecessor(struct share *, const u8 *, u64, const u8 *);
void share_state(const struct share *, const u8 *, u8 *);

struct cycles *cycles_new(const struct request *, struct result *);
void cycles_run(struct cycles *, int);
u64 cycles_lasso(struct cycles *, u64 *, u64, u64 *);
void cycles_state(struct cycles *, u64, u8 *);
void cycles_free(struct cycles *);

struct shortest *shortest_new(const struct request *, struct result *, int);
void shortest_run(struct shortest *, const int *, int);
u64 shortest_lasso(struct shortest *, u64 *, u64, u64 *);
void shortest_state(struct shortest *, u64, u8 *);
void shortest_free(struct shortest *);
int claim_location(const u8 *);

struct product *product_new(const struct request *, struct result *);
void product_run(struct product *, const int *, int);
u64 product_lasso(struct product *, u64 *, u64, u64 *);
void product_state(struct product *, u64, u8 *);
u64 product_stem(struct product *, u64 *, u64);
u64 product_component(struct product *, u64 *, u64);
u64 product_edges(struct product *, u64, u64 *, u64);
u64 product_state_label(struct product *, u64, u64 *);
u64 product_step_label(struct product *, u64, u64 *);
void product_free(struct product *);
struct transfer *product_transfer(struct product *);

struct branching *branching_new(const struct request *, struct result *);
void branching_run(struct branching *);
u64 branching_extent(struct branching *);
int branching_fault(struct branching *, u64 *);
void branching_state(struct branching *, u64, u8 *);
u64 branching_following(struct branching *, u64, const uint32_t **);
void branching_truth(struct branching *, int, u8 *);
void branching_some_next(struct branching *, const u8 *, u8 *);
void branching_some_until(struct branching *, const u8 *, const u8 *, u8 *);
void branching_some_always(struct branching *, const u8 *, u8 *);
u64 branching_path(struct branching *, u64, const u8 *, const u8 *, int, u64 *);
void branching_free(struct branching *);
struct transfer *branching_transfer(struct branching *);
"""
"""The functions that Python calls, as C: the test compiles this text after the headers, which must agree with it."""

SCALARS = {"void": None, "int": ctypes.c_int, "u64": ctypes.c_uint64}
"""The types of C that are not pointers; Python passes every pointer as an address."""
PROTOTYPE = re.compile(r"^(.+?)(\w+)\((.*)\);$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of a function of a library."""

    name: str
    result: type[ctypes.c_int | ctypes.c_uint64 | ctypes.c_void_p] | None
    arguments: tuple[type[ctypes.c_int | ctypes.c_uint64 | ctypes.c_void_p] | None, ...]


def signatures() -> Iterator[Signature]:
    """The signatures of all prototypes.

    >>> path = next(each for each in signatures() if each.name == "search_path")
    >>> path.result is ctypes.c_uint64, path.arguments[:2] == (ctypes.c_void_p, ctypes.c_uint64)
    (True, True)
    """
    for result, name, arguments in PROTOTYPE.findall(PROTOTYPES):
        yield Signature(name, in_python(result), tuple(map(in_python, arguments.split(","))))


def in_python(type_: str) -> type[ctypes.c_int | ctypes.c_uint64 | ctypes.c_void_p] | None:
    return ctypes.c_void_p if type_.strip().endswith("*") else SCALARS[type_.strip()]


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """Declare the types of a library's functions.  A library has only the functions that it was built for."""
    for each in signatures():
        function = getattr(library, each.name, None)
        if function is not None:
            function.restype, function.argtypes = each.result, each.arguments
    return library
