"""Expressions over unknowns, written out for all values; those with too many are broken down first.

A disjunction or a conjunction is broken down without an order, so that what is symmetric in it stays so; any other
operator is, with new versions for its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod

from coset.model import expression as e
from coset.model.domain import Domain
from coset.model.evaluate import Fault
from coset.model.sequential.fold import truth
from coset.model.sequential.interpreter import Evaluator, Row, binary, unary
from coset.source.budget import current_budget
from coset.symmetry.methods.constraints.problem import Constraint, Define, Require, Several, TooLarge, Unknown, Value
from coset.symmetry.operators import flattened

MOST_ROWS = 4096
"""An expression with more combinations of values is broken down."""
FEWEST_ROWS, WORTH = 64, 3
"""Smaller tables are left as they are, and so are conditions whose parts are not that many times smaller: together they may
be symmetric where their parts are not."""
MOST_VALUES = 20_000
"""Combinations of two operands that cannot be broken down any more."""

Table = tuple[tuple[tuple[Value, ...], Value], ...]
Domains = Mapping[Unknown, Sequence[Value]]
New = Callable[[e.Expr, str], Unknown]
"""Makes the version for a part of an expression, always the same for the same part."""


@lru_cache(maxsize=4096)
def support(tree: e.Expr) -> tuple[Unknown, ...]:
    """The unknowns in an expression, each once."""
    return tuple(dict.fromkeys(part for part in tree.walk() if isinstance(part, Unknown)))


def rows(tree: e.Expr, inputs: tuple[Unknown, ...], domains: Domains) -> Table:
    """All values of the inputs with that of the expression.

    >>> x = Unknown(0, "before", "x", 0, 2)
    >>> rows(e.Binary("+", x, x), (x,), {x: (0, 1)})
    (((0,), 0), ((1,), 2))
    """
    return table(shape(tree), tuple(tuple(domains[unknown]) for unknown in inputs))


@lru_cache(maxsize=4096)
def shape(tree: e.Expr) -> e.Expr:
    """The expression with numbers for its unknowns: what is said of many elements alike has one shape."""
    return placed(tree, {unknown: Unknown(k, "input", "", 0, 0) for k, unknown in enumerate(support(tree))})


def placed(tree: e.Expr, images: Mapping[Unknown, Unknown]) -> e.Expr:
    return images[tree] if isinstance(tree, Unknown) else replaced(tree, lambda part: placed(part, images))


@lru_cache(maxsize=1024)
def table(shape: e.Expr, columns: tuple[tuple[Value, ...], ...]) -> Table:
    """Domains grow and shrink step by step, so that most tables are asked for several times."""
    function = compiled(shape, {unknown: unknown.number for unknown in support(shape)})
    found: list[tuple[tuple[Value, ...], Value]] = []
    budget = current_budget()
    for values in product(*columns):
        budget.check()
        try:
            found.append((values, int(function(values))))  # type: ignore[arg-type]
        except Fault:
            found.append((values, None))
    return tuple(found)


@lru_cache(maxsize=1024)
def image(shape: e.Expr, columns: tuple[tuple[Value, ...], ...], fit: Domain | None) -> tuple[Value, ...]:
    """All values of an expression, made to fit a domain."""
    return ordered(fitted(value, fit) for _, value in table(shape, columns))


def forget() -> None:
    """Drop the tables that are kept: they are of no use to the next model, and what is counted must not depend on the last."""
    for kept in (support, shape, table, image, divides):
        kept.cache_clear()


def ordered(values: Iterable[Value]) -> tuple[Value, ...]:
    """Values, each once, the undefined one last."""
    found = set(values)
    defined = sorted(value for value in found if value is not None)
    return (*defined, None) if None in found else tuple(defined)


def compiled(tree: e.Expr, places: Mapping[Unknown, int]) -> Evaluator:
    match tree:
        case Unknown():
            place = places[tree]

            def leaf(row: Row) -> int:
                value = row[place]
                if value is None:
                    raise Fault("undefined", "")
                return value

            return leaf
        case e.Const(value):
            return lambda row: value
        case e.Unary(operator, operand):
            return unary(operator, compiled(operand, places))
        case e.Binary(operator, left, right):
            return binary(operator, compiled(left, places), compiled(right, places))
        case e.Conditional(condition, yes, no):
            c, y, n = (compiled(part, places) for part in (condition, yes, no))
            return lambda row: y(row) if c(row) else n(row)
    raise TypeError(f"{type(tree).__name__} is no expression over unknowns")


def count(tree: e.Expr, domains: Domains) -> int:
    """How many combinations of values there are."""
    return prod(len(domains[unknown]) for unknown in support(tree))


def broken_down(constraint: Define | Require, domains: Domains, new: New) -> list[Constraint] | None:
    """Smaller constraints that say the same, None if it is small enough.  The domains of their versions are not known yet:
    they are to be worked through in order."""
    tree = constraint.tree
    size = count(tree, domains)
    if size <= FEWEST_ROWS:
        return None
    match tree:
        case e.Binary("||" | "&&" as operator):
            operands = list(flattened(tree, operator))
            worth = size > MOST_ROWS or sum(count(part, domains) for part in operands) * WORTH <= size
            if worth and not any(may_fail(part, domains) for part in operands):
                inputs = [new(truth(part), "part") for part in operands]
                defined: list[Constraint] = [Define(x, truth(part)) for x, part in zip(inputs, operands, strict=True)]
                output = constraint.output if isinstance(constraint, Define) else None
                return [*defined, Several(output, operator == "&&", tuple(inputs))]
    if size <= MOST_ROWS:
        return None
    defined, images = [], {}
    for part in tree.children():
        if not isinstance(part, Unknown | e.Const):
            images[part] = new(part, "part")
            defined.append(Define(images[part], part))
    if not defined:
        if size <= MOST_VALUES:
            return None
        raise TooLarge(f"`{shown(tree)}` has too many values to be written out")
    smaller = replaced(tree, lambda part: images.get(part, part))
    if isinstance(constraint, Define):
        return [*defined, Define(constraint.output, smaller, constraint.fit)]
    return [*defined, Require(smaller)]


def may_fail(tree: e.Expr, domains: Domains) -> bool:
    """Whether an expression may have no value; if not, it does not matter in which order parts are tried."""
    return divides(tree) or any(None in domains[unknown] for unknown in support(tree))


@lru_cache(maxsize=4096)
def divides(tree: e.Expr) -> bool:
    """Whether an expression divides by something that might be 0."""
    return any(isinstance(x, e.Binary) and x.operator in "/%" and not is_divisor(x.right) for x in tree.walk())


def is_divisor(x: e.Expr) -> bool:
    return isinstance(x, e.Const) and x.value != 0


def replaced(tree: e.Expr, image: Callable[[e.Expr], e.Expr]) -> e.Expr:
    """The expression with its immediate parts replaced."""
    match tree:
        case e.Const():
            return tree
        case e.Unary(operator, operand):
            return e.Unary(operator, image(operand))
        case e.Binary(operator, left, right):
            return e.Binary(operator, image(left), image(right))
        case e.Conditional(condition, yes, no):
            return e.Conditional(image(condition), image(yes), image(no))
    raise TypeError(f"{type(tree).__name__} is no expression over unknowns")


def fitted(value: Value, domain: Domain | None) -> Value:
    return value if value is None or domain is None else domain.fit(value)


def shown(tree: e.Expr) -> str:
    """An expression over unknowns as text."""
    match tree:
        case e.Unary(operator, operand):
            return f"{operator}{shown(operand)}"
        case e.Binary(operator, left, right):
            return f"({shown(left)} {operator} {shown(right)})"
        case e.Conditional(condition, yes, no):
            return f"({shown(condition)} ? {shown(yes)} : {shown(no)})"
        case e.Const(value):
            return str(value)
    return str(tree)
