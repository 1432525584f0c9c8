"""What the names of a program stand for: types, constants, variables, classes of processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from coset.languages.shared import tree as t
from coset.languages.shared.flow import Automaton
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import BOOL, INT, Domain
from coset.model.evaluate import OPERATORS, Fault, wrap
from coset.model.family import REFERENCE
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """`what` is "bool", "number", "enumeration" or "process"; values of one `name` can be compared, and all numbers."""

    what: str
    name: str
    domain: Domain

    def __str__(self) -> str:
        match self.what:
            case "bool":
                return "a truth value"
            case "number":
                return "a number"
            case "process":
                return {ANY_PROCESS: "a process", NO_PROCESS: "no process"}.get(self.name, f"a process of {self.name}")
        return f"a value of {self.name}"

    def compares(self, other: Type) -> bool:
        """Whether values of the two types can be compared."""
        return self.takes(other) or other.takes(self)

    def takes(self, other: Type) -> bool:
        """Whether a value of the other type can be where one of this type is needed."""
        if self.what == other.what == "process":
            return self.name == ANY_PROCESS or other.name in (self.name, NO_PROCESS)
        return self.what == other.what and (self.what != "enumeration" or self.name == other.name)


ANY_PROCESS, NO_PROCESS = "process", "none"
TRUTH = Type("bool", "bool", BOOL)
WHOLE = Type("number", "int", INT)
NATURAL = Domain("nat", 0, INT.high)
SEMAPHORE = Domain("sem", 0, INT.high)


@dataclass(frozen=True, slots=True)
class Process:
    """A process: its number in the model, the class that it is of, and which member of it (from 0), if that is known."""

    of: str
    pid: e.Expr
    member: e.Expr | None = None


@dataclass(frozen=True, slots=True)
class Value:
    expr: e.Expr
    type: Type
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """A variable; `dimensions` are classes or numbers.  `bounds` are those of a range that depends on parameters.
    `sharers` has for every element the numbers of the processes that may use it, None if all may."""

    variable: m.Variable
    type: Type
    dimensions: tuple[str | int, ...] = ()
    bounds: tuple[e.Expr, e.Expr] | None = None
    sharers: tuple[frozenset[int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Members:
    """A class: the numbers of its processes, of which there is any number if `size` is a parameter.  `number` is the
    variable in which each has its own place in the class, if its program needs to know."""

    name: str
    size: int | m.Variable
    start: int
    single: bool
    automaton: Automaton
    variables: Mapping[str, Declared]
    number: m.Variable | None = None

    @property
    def count(self) -> int:
        assert isinstance(self.size, int)
        return self.size

    @property
    def range(self) -> range:
        return range(self.start, self.start + self.count)

    def member(self, place: int) -> Process:
        """The process at a place of the class, from 0, around the ring."""
        place %= self.count
        return Process(self.name, e.Const(self.start + place), e.Const(place))

    def called(self, place: int) -> str:
        """What the user calls the member at a place."""
        return self.name if self.single else f"{self.name}[{place + 1}]"


@dataclass(slots=True)
class Symbols:
    """All names of a program.  With `symbolic`, parameters are variables of a family, and processes have no numbers."""

    symbolic: bool
    constants: dict[str, Value] = field(default_factory=dict)
    abbreviations: dict[str, t.Expression] = field(default_factory=dict)
    parameters: dict[str, m.Variable] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    variables: dict[str, Declared] = field(default_factory=dict)
    classes: dict[str, Members] = field(default_factory=dict)
    synchronous: bool = False

    @property
    def processes(self) -> int:
        return sum(each.count for each in self.classes.values())

    def reference(self, of: str = ANY_PROCESS) -> Type:
        return self.types.get(f"ref {of}") or Type("process", of, Domain(REFERENCE, 0, 255))


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands: in the program of a process, and under quantifiers."""

    itself: Process | None = None
    bound: Mapping[str, Process] = field(default_factory=dict)
    spelled_out: tuple[str, ...] = ()
    """The abbreviations that it is part of."""

    def binding(self, name: str, process: Process) -> Scope:
        return replace(self, bound={**self.bound, name: process})


# --- expressions that are simplified as they are made ----------------------------------------------


def truth(value: bool) -> e.Expr:
    return e.Const(int(value))


def negation(x: e.Expr) -> e.Expr:
    """`!x`.

    >>> str(negation(e.TRUE))
    '0'
    """
    return truth(not x.value) if isinstance(x, e.Const) else e.Unary("!", x)


def binary(operator: str, left: e.Expr, right: e.Expr) -> e.Expr:
    """An operation; it is done at once if both sides are constants, or one decides it.

    >>> str(binary("+", e.Const(1), e.Const(2))), str(binary("&&", e.Self(), e.FALSE))
    ('3', '0')
    """
    for one, other in ((left, right), (right, left)):
        if operator in ("&&", "||") and isinstance(one, e.Const):
            return other if bool(one.value) == (operator == "&&") else truth(operator == "||")
        if operator in ("&&", "||") and one == e.Unary("!", other):
            return truth(operator == "||")
    if isinstance(left, e.Const) and isinstance(right, e.Const) and operator in OPERATORS:
        try:
            return e.Const(int(OPERATORS[operator](left.value, right.value)))
        except Fault:
            pass
    return e.Binary(operator, left, right)


def minus(x: e.Expr) -> e.Expr:
    return e.Const(wrap(-x.value)) if isinstance(x, e.Const) else e.Unary("-", x)
