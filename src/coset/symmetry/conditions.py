"""The conditions on single states that properties look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil


def property_conditions(properties: Sequence[m.Property]) -> list[e.Expr]:
    """The conditions that properties look at."""
    found: list[e.Expr] = []
    for property_ in properties:
        if isinstance(property_, m.Claim):
            found += [edge.guard for _, edge in property_.automaton.edges() if not owned(edge.guard)]
        else:
            found += conditions(property_.formula)
    return found


def owned(x: e.Expr) -> bool:
    """Whether a condition of a claim asks for something of the claim's own, which cannot be tried without it."""
    return any(
        isinstance(part, e.Otherwise | e.Youngest) or (isinstance(part, e.Get) and part.variable.owner is not None)
        for part in x.walk()
    )


def conditions(formula: f.Formula[e.Expr]) -> Iterator[e.Expr]:
    """The largest parts of a formula that speak of one state: what its automaton looks at."""
    whole = propositional(formula)
    if whole is not None:
        yield whole
        return
    match formula:
        case f.Not(operand) | f.Modal(_, operand) | Branching(_, _, operand):
            yield from conditions(operand)
        case f.Logic(_, left, right) | f.Until(_, left, right) | BranchingUntil(_, _, left, right):
            yield from conditions(left)
            yield from conditions(right)


def propositional(formula: f.Formula[e.Expr]) -> e.Expr | None:
    """A formula without temporal operators as one expression."""
    match formula:
        case f.Constant(truth):
            return e.Const(int(truth))
        case f.Atom():
            atom: e.Expr = formula.value
            return atom
        case f.Not(operand):
            inner = propositional(operand)
            return None if inner is None else e.Unary("!", inner)
        case f.Logic(operator, left, right):
            one, other = propositional(left), propositional(right)
            if one is None or other is None:
                return None
            match operator:
                case "->":
                    return e.Binary("||", e.Unary("!", one), other)
                case "<->":
                    return e.Binary("==", e.Unary("!", one), e.Unary("!", other))
            return e.Binary(operator, one, other)
    return None
