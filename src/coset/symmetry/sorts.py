"""Which numbers name the same sort of thing: processes, channels, indices of an array, colours of a message.

Two places of a model share a *sort* if a value can flow from one to the other, or is compared with the other: by
assignment, message, parameter, index, `==`.  Sorts are found by unification, so that a `byte` that is compared with `_pid`
is a process id, whatever its declaration says.  What a channel carries is part of its sort.

Arithmetic and order do not unify: `(i + 1) % N` takes values of one sort to values of another, or the same, and *which*
to which is its meaning (`Arithmetic`).  The values that a sort can have are the least set that contains what
the started state holds, the literals, and all results of arithmetic.  (An index that is not among them names an element that
no step can access.)  A sort is *mobile* if they are few and known: then
a symmetry may permute them.  Otherwise it is *pinned*, with the reason.

    byte turn; ... turn = 1 - _pid; turn == _pid      turn is a process id, and 1 - _pid exchanges 0 and 1
"""

from __future__ import annotations

from dataclasses import field

from coset.model import expression as e
from coset.model import model as m
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(eq=False, slots=True)
class Sort:
    """A set of values that are of one sort, while it is being found a node of a forest (`leader` is its root)."""

    number: int
    parent: Sort | None = None
    name: str = ""
    objects: str = ""
    """What its values name: "process", "channel", or "" for plain data."""
    dimensions: list[tuple[m.Variable, int]] = field(default_factory=list)
    cells: list[m.Variable] = field(default_factory=list)
    fields: dict[int, Sort] = field(default_factory=dict)
    """The sorts of what is in a message, if the values are channels."""
    literals: dict[int, Span | None] = field(default_factory=dict)
    values: set[int] = field(default_factory=set)
    pinned: str | None = None
    """Why its values cannot be permuted; None if they can."""
    pinned_at: Span | None = None
    known: bool = True
    """Whether `values` has all that it may hold; if not, it is pinned."""

    @property
    def leader(self) -> Sort:
        sort = self
        while sort.parent is not None:
            sort = sort.parent
        return sort

    @property
    def mobile(self) -> bool:
        return self.pinned is None

    def pin(self, why: str, span: Span | None = None) -> bool:
        """Say that values cannot be permuted; whether that is news."""
        if self.pinned is not None:
            return False
        self.pinned, self.pinned_at = why, span
        return True

    def pin_unknown(self, why: str, span: Span | None = None) -> bool:
        """The same where it may hold unknown values."""
        self.known = False
        return self.pin(why, span)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An expression that computes with values of sorts: its leaves, and the sort of its result (None: a plain number
    or a truth value)."""

    whole: e.Expr
    leaves: tuple[e.Expr, ...]
    target: Sort | None
    span: Span | None
    truth: bool = False
    """Whether only being zero or not counts."""


@dataclass(slots=True)
class Sorts:
    """The sorts of a model."""

    of_variable: dict[m.Variable, Sort]
    of_dimension: dict[tuple[m.Variable, int], Sort]
    process: Sort
    arithmetic: list[Arithmetic]
    processes: int
    """How many processes there are."""
    all: list[Sort] = field(default_factory=list)
    remotes: dict[e.Remote, Sort] = field(default_factory=dict)
    """The remote references of the model, with the sort of what they read."""
    missing: set[e.Remote] = field(default_factory=set)
    """Those that may find no process of their kind: then they read 0 (see `missing.py`)."""
    constants: dict[m.Variable, set[int]] = field(default_factory=dict)
    """What variables hold that never change from the started states on, such as parameters."""

    def of(self, x: e.Expr) -> Sort | None:
        """The sort of an expression's value; None if it is a literal, computed, or plain."""
        match x:
            case e.Get(variable) | e.Remote(variable=variable):
                return self.of_variable[variable].leader
            case e.Self() | e.LastMover() | e.Started():
                return self.process.leader
            case e.Conditional(_, yes, no):
                return self.of(yes) or self.of(no)
            case e.Checked(operand):
                return self.of(operand)
        return None

    def index(self, variable: m.Variable, dimension: int) -> Sort:
        return self.of_dimension[variable, dimension].leader

    def field(self, channel: Sort, number: int) -> Sort:
        return channel.leader.fields[number].leader

    def is_mobile(self, x: e.Expr) -> bool:
        sort = self.of(x)
        return sort is not None and sort.mobile
