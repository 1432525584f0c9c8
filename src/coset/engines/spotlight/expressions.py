"""Expressions of a program, and the questions that abstraction asks about them.

A listed process has a number, its *slot*; `i.x` of the process in slot 3 is `Remote(kind, Const(3), x)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.model.rewrite import rewrite
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.source.records import dataclass
from coset.source.text import Span

if TYPE_CHECKING:
    from coset.engines.spotlight.program import Move

MACHINE_INT = "int32"
"""The name of a domain of 32 bits that wraps; others of that size stand for all numbers (see `is_unbounded`)."""


class Obstacle(Exception):
    """Why there is no proof for all sizes, and where in the text."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span


@dataclass(frozen=True, slots=True)
class Fit(e.Expr):
    """The value that a variable of a domain has after the assignment of `operand`."""

    operand: e.Expr
    domain: Domain


@dataclass(frozen=True, slots=True)
class Deadlock(e.Expr):
    """No process can move."""


def negation(x: e.Expr) -> e.Expr:
    match x:
        case e.Const(value):
            return e.FALSE if value else e.TRUE
        case e.Unary("!", operand):
            return operand
    return e.Unary("!", x)


ARITHMETIC = frozenset(("+", "-", "*", ">", "<", ">=", "<=", "==", "!=", "&&", "||"))
REASONS: dict[type[e.Expr], str] = {
    e.Self: "a process asks for its own number, so that processes are not interchangeable",
    e.ProcessCount: "a process asks how many processes there are",
    e.AtLocation: "a process looks at the location of another one",
    e.Remote: "a process reads the local variables of another one",
    e.Enabled: "a process asks whether another one can move",
    e.Timeout: "a process waits until no other can move (timeout)",
    e.LastMover: "a process refers to the last one that moved (_last)",
}


def check_expression(x: e.Expr, span: Span | None) -> None:
    """Raises `Obstacle` for what has no meaning in a family, or no form here."""
    for part in x.walk():
        match part:
            case e.Const() | e.Unary("-" | "!", _) | e.Conditional():
                continue
            case e.Get(variable, indices):
                if indices or variable.shape:
                    raise Obstacle(f"{variable.name} is an array", span)
            case e.Binary("/" | "%" as operator, _, divisor):
                if not isinstance(divisor, e.Const) or divisor.value <= 0:
                    raise Obstacle(f"`{operator}` is supported with a positive number on its right only", span)
            case e.Binary(operator, _, _):
                if operator not in ARITHMETIC:
                    raise Obstacle(f"the operator `{operator}` is not supported", span)
            case _:
                raise Obstacle(REASONS.get(type(part), f"`{part}` is not supported"), span)


def is_unbounded(domain: Domain) -> bool:
    """Whether a domain stands for all numbers from its lowest on.  A proof for all sizes knows no largest number: what
    is said of a program that counts is said as long as its numbers fit."""
    return domain.high >= 2**31 - 1 and domain.name != MACHINE_INT


def fitted(x: e.Expr, domain: Domain) -> e.Expr:
    """The value after assignment; nothing to do where it is clear that the value fits.

    >>> from coset.model.domain import BYTE
    >>> fitted(e.Const(3), BYTE), fitted(e.Const(300), BYTE)
    (Const(value=3, domain=None), Const(value=44, domain=None))
    """
    if isinstance(x, e.Const):
        return e.Const(domain.fit(x.value))
    if isinstance(x, e.Get) and is_unbounded(domain) and domain.low <= x.variable.domain.low:
        return x
    low, high = bounds(x)
    if low is not None and high is not None and domain.low <= low and high <= domain.high:
        return x
    return Fit(x, domain)


def bounds(x: e.Expr) -> tuple[int | None, int | None]:
    """An interval that the value is in, as far as types tell."""
    match x:
        case e.Const(value):
            return value, value
        case e.Get(variable, _) | e.Remote(_, _, variable, _):
            domain = variable.domain
            return (None, None) if is_unbounded(domain) else (domain.low, domain.high)
        case Fit(_, domain):
            return (None, None) if is_unbounded(domain) else (domain.low, domain.high)
        case e.Unary("!", _) | e.AtLocation() | Deadlock():
            return 0, 1
        case e.Binary("&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=", _, _):
            return 0, 1
        case e.Unary("-", operand):
            low, high = bounds(operand)
            return (None, None) if low is None or high is None else (-high, -low)
        case e.Conditional(_, yes, no):
            found = [*bounds(yes), *bounds(no)]
            known = [number for number in found if number is not None]
            return (min(known), max(known)) if len(known) == 4 else (None, None)
        case e.Binary("+" | "-" | "*" as operator, left, right):
            (a, b), (c, d) = bounds(left), bounds(right)
            if a is None or b is None or c is None or d is None:
                return None, None
            if operator == "*":
                corners = [a * c, a * d, b * c, b * d]
                return min(corners), max(corners)
            return (a + c, b + d) if operator == "+" else (a - d, b - c)
        case e.Binary("%", left, e.Const(divisor)):
            low, _ = bounds(left)
            return (0 if low is not None and low >= 0 else 1 - divisor, divisor - 1)
        case e.Binary("/", left, e.Const(divisor)):
            low, high = bounds(left)
            if low is None or high is None:
                return None, None
            return min(low, 0), max(high, 0)
    return None, None


def substituted(x: e.Expr, values: Mapping[m.Variable, e.Expr]) -> e.Expr:
    """An expression with values in the places of variables."""
    if not values:
        return x
    return rewrite(x, lambda part: values.get(part.variable, part) if isinstance(part, e.Get) else part)


# --- slots ---------------------------------------------------------------------------------------


def at_slot(x: e.Expr, kind: str, slot: int) -> e.Expr:
    """An expression of a process as one about the process in a slot."""

    def own(part: e.Expr) -> e.Expr:
        if isinstance(part, e.Get) and part.variable.owner == kind:
            return e.Remote(kind, e.Const(slot), part.variable)
        return part

    return rewrite(x, own)


def after(x: e.Expr, move: Move, kind: str, slot: int) -> e.Expr:
    """The weakest precondition: what must hold before a move of the process in a slot for `x` to hold after it.
    E. W. Dijkstra, "A Discipline of Programming" (1976)."""
    updates = {variable: at_slot(value, kind, slot) for variable, value in move.updates}

    def before(part: e.Expr) -> e.Expr:
        match part:
            case e.Get(variable):
                return updates.get(variable, part)
            case e.Remote(_, e.Const(number), variable) if number == slot:
                return updates.get(variable, part)
            case e.AtLocation(_, e.Const(number), _, locations) if number == slot:
                return e.TRUE if move.target in locations else e.FALSE
        return part

    return rewrite(x, before)


def moved(x: e.Expr, slots: Mapping[int, int]) -> e.Expr:
    """An expression about other slots."""

    def renamed(part: e.Expr) -> e.Expr:
        match part:
            case e.Remote(kind, e.Const(number), variable) if number in slots:
                return e.Remote(kind, e.Const(slots[number]), variable)
            case e.AtLocation(kind, e.Const(number), label, locations) if number in slots:
                return e.AtLocation(kind, e.Const(slots[number]), label, locations)
        return part

    return rewrite(x, renamed)


def variables_of(x: e.Expr) -> set[tuple[m.Variable, int | None]]:
    """The variables that an expression reads: each with its slot, if it is local."""
    found: set[tuple[m.Variable, int | None]] = set()
    for part in x.walk():
        match part:
            case e.Get(variable):
                found.add((variable, None))
            case e.Remote(_, e.Const(slot), variable):
                found.add((variable, slot))
    return found


def atoms(x: e.Expr) -> Iterator[e.Expr]:
    """The conditions that a condition is put together from, by `!`, `&&` and `||`."""
    match x:
        case e.Const():
            return
        case e.Unary("!", operand):
            yield from atoms(operand)
        case e.Binary("&&" | "||", left, right):
            yield from atoms(left)
            yield from atoms(right)
        case _:
            yield x


def split(formula: f.Formula[e.Expr]) -> f.Formula[e.Expr]:
    """A formula whose atoms are put together from others no more."""

    def taken_apart(x: e.Expr) -> f.Formula[e.Expr]:
        match x:
            case e.Const(value):
                return f.Constant(bool(value))
            case e.Unary("!", operand):
                return f.Not(taken_apart(operand))
            case e.Binary("&&" | "||" as operator, left, right):
                return f.Logic(operator, taken_apart(left), taken_apart(right))
        return f.Atom(x)

    match formula:
        case f.Atom(x):
            return taken_apart(x)
        case f.Not(operand):
            return f.Not(split(operand))
        case f.Logic(operator, left, right):
            return f.Logic(operator, split(left), split(right))
        case Branching(quantifier, operator, operand):
            return Branching(quantifier, operator, split(operand))
        case BranchingUntil(quantifier, operator, left, right):
            return BranchingUntil(quantifier, operator, split(left), split(right))
    return formula
