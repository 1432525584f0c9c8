"""`cover` inside of rules: whether a rule ever gets to it when its condition holds.

A rule is one step, so that nothing can be asked in the middle of it.  The question is asked of the state before: the weakest
precondition of the condition (Dijkstra, A Discipline of Programming, 1976, chapter 4), for what is executed up to there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from coset.languages.murphi import folding
from coset.languages.murphi.statements import Branch, Check, Cover, Set, Statement, While, branch, read_by, written
from coset.model import expression as e
from coset.model.rewrite import rewrite

LARGEST = 4000
"""A condition with more parts is given up."""
Conditions = dict[int, e.Expr | None]
"""For each `cover`, by the identity of its node, when it is reached with its condition; None if that is no expression."""


def covered(statements: Sequence[Statement]) -> Conditions:
    """When the covers among some statements are reached, asked before the first statement.

    >>> from coset.model.domain import BYTE
    >>> from coset.model.model import Variable
    >>> x = Variable("x", BYTE)
    >>> add = Set(e.Place(x), e.Binary("+", e.Get(x), e.Const(1)))
    >>> str(covered([add, Cover(7, e.Binary("==", e.Get(x), e.Const(3)))])[7])
    'x + 1 == 3'
    """
    found = before(statements, {})
    return {node: None if x is not None and is_unknown(x) else x for node, x in found.items()}


def is_unknown(x: e.Expr) -> bool:
    """Whether a condition depends on a variable of a rule, or is too large."""
    return folding.size(x, LARGEST) >= LARGEST or any(variable.owner is not None for variable in read_by(x))


def before(statements: Sequence[Statement], after: Conditions) -> Conditions:
    """The conditions before some statements, from those after them."""
    found = dict(after)
    for each in reversed(statements):
        match each:
            case Cover(node, condition):
                found[node] = either(found[node], condition) if node in found else condition
            case Set(place, value):
                found = mapped(found, partial(assigned, place=place, value=value))
            case Check(e.Checked(condition, 1, 1, "error" | "assume")):
                found = mapped(found, partial(folding.binary, "&&", condition))
            case Branch(condition, yes, no):
                positive, negative = before(yes, found), before(no, found)
                found = {
                    node: chosen(condition, positive.get(node, folding.FALSE), negative.get(node, folding.FALSE))
                    for node in positive | negative
                }
            case While(_, body):
                changed = written(body)
                found = {node: x if x is not None and not read_by(x) & changed else None for node, x in found.items()}
                found |= dict.fromkeys(before(body, {}))
    return found


def mapped(conditions: Conditions, change: partial[e.Expr]) -> Conditions:
    return {
        node: None if x is None or folding.size(x, LARGEST) >= LARGEST else change(x) for node, x in conditions.items()
    }


def either(one: e.Expr | None, other: e.Expr | None) -> e.Expr | None:
    return None if one is None or other is None else folding.binary("||", one, other)


def chosen(condition: e.Expr, yes: e.Expr | None, no: e.Expr | None) -> e.Expr | None:
    return None if yes is None or no is None else folding.choice(condition, yes, no, is_truth=True)


def assigned(x: e.Expr, place: e.Place, value: e.Expr) -> e.Expr:
    """A condition after an assignment, asked before it."""

    def read(part: e.Expr) -> e.Expr:
        if not isinstance(part, e.Get) or part.variable is not place.variable:
            return part
        pairs = zip(part.indices, place.indices, strict=True)
        return folding.choice(folding.joined("&&", (folding.binary("=", i, j) for i, j in pairs)), value, part)

    return rewrite(x, read)


def without_covers(statements: Sequence[Statement]) -> Iterator[Statement]:
    """What is executed."""
    for each in statements:
        match each:
            case Cover():
                pass
            case Branch(condition, yes, no):
                positive, negative = tuple(without_covers(yes)), tuple(without_covers(no))
                if positive or negative:
                    yield branch(condition, positive, negative)
            case While(condition, body):
                yield While(condition, tuple(without_covers(body)))
            case _:
                yield each


def added(known: Conditions, more: Mapping[int, e.Expr | None], guard: e.Expr) -> None:
    """Add what a rule with this guard reaches."""
    for node, x in more.items():
        here = None if x is None else folding.binary("&&", guard, x)
        known[node] = either(known[node], here) if node in known else here
