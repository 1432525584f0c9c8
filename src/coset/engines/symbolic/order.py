"""In which order the elements come in a diagram: what is read and written together should be near to each other.

F. A. Aloul, I. L. Markov, K. A. Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI 2003:
every group of elements pulls them to its centre; the order that results is tried again as long as the groups
get shorter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from coset.model import expression as e
from coset.model.model import Variable
from coset.model.sequential import Assign, SequentialModel, Statement, Summand
from coset.model.sequential.fold import substituted, with_value
from coset.model.sequential.ways import is_false

Order = Sequence[int]
ROUNDS = 200
MOST_CHOICES = 4096
WIDE = 0.5
"""A group with more than this part of all elements tells nothing about the order."""


def static_order(model: SequentialModel) -> list[int]:
    """An order of the elements of a model by what its summands read and write."""
    count = len(model.elements)
    first = firsts(model)
    found = (support(model, each, first) for summand in model.summands for each in instances(summand))
    groups = [group for group in found if 1 < len(group) <= max(4, WIDE * count)]
    return min((force(start, groups) for start in starts(model, groups)), key=lambda order: span(order, groups))


def starts(model: SequentialModel, groups: Sequence[Collection[int]]) -> Iterator[list[int]]:
    """Orders to begin with: that of the model, and one in which everything comes where it is first met."""
    count = len(model.elements)
    yield list(range(count))
    met = dict.fromkeys(element for group in groups for element in sorted(group))
    yield [*met, *(element for element in range(count) if element not in met)]


def force(order: list[int], groups: Sequence[Collection[int]]) -> list[int]:
    """The order after elements have moved to the centres of their groups, as long as that is better.

    >>> force([0, 1, 2, 3], [{0, 3}, {1, 2}, {3, 1}])
    [0, 2, 1, 3]
    """
    best, length = order, span(order, groups)
    for _ in range(ROUNDS):
        place = positions(order)
        pull: list[list[float]] = [[] for _ in order]
        for group in groups:
            centre = sum(place[element] for element in group) / len(group)
            for element in group:
                pull[element].append(centre)
        wanted = [sum(row) / len(row) if row else place[element] for element, row in enumerate(pull)]
        order = sorted(order, key=lambda element: (wanted[element], place[element]))
        now = span(order, groups)
        if now >= length:
            break
        best, length = order, now
    return best


def span(order: Order, groups: Sequence[Collection[int]]) -> int:
    """How long the groups are together."""
    place = positions(order)
    return sum(max(row) - min(row) for group in groups for row in [[place[element] for element in group]])


def positions(order: Order) -> list[int]:
    place = [0] * len(order)
    for position, element in enumerate(order):
        place[element] = position
    return place


def instances(summand: Summand) -> Iterator[Summand]:
    """The summand for each choice of its own variables that is not ruled out at once, if these are not too many."""
    if not summand.choices or prod(v.domain.high - v.domain.low + 1 for v in summand.choices) > MOST_CHOICES:
        yield summand
        return
    first, *rest = summand.choices
    for value in range(first.domain.low, first.domain.high + 1):
        guard = substituted(summand.guard, {first: e.Const(value)})
        if not is_false(guard):
            program = tuple(with_value(each, first, value) for each in summand.program)
            yield from instances(replace(summand, choices=tuple(rest), guard=guard, program=program))


def firsts(model: SequentialModel) -> dict[Variable, int]:
    """The number of the first element of each variable."""
    return {variable: number for number, (variable, offset) in enumerate(model.elements) if offset == 0}


def support(model: SequentialModel, summand: Summand, first: Mapping[Variable, int]) -> frozenset[int]:
    """The elements that a summand may read or write, but for the one that says who holds control.  Of an array with an
    index that is not known these are all elements."""
    found: set[int] = set()
    for variable, indices in accesses(summand):
        if variable not in first or variable == model.control:
            continue
        known = [index.value for index in indices if isinstance(index, e.Const)]
        if len(known) == len(indices) and all(0 <= k < n for k, n in zip(known, variable.shape, strict=True)):
            offset = 0
            for k, length in zip(known, variable.shape, strict=True):
                offset = offset * length + k
            found.add(first[variable] + offset)
        else:
            found |= {first[variable] + k for k in range(variable.size)}
    return frozenset(found)


def accesses(summand: Summand) -> Iterator[tuple[Variable, tuple[e.Expr, ...]]]:
    """Variables with their indices, wherever they are read or written."""
    yield from read(summand.guard)
    for statement in summand.program:
        yield from accessed(statement)


def accessed(statement: Statement) -> Iterator[tuple[Variable, tuple[e.Expr, ...]]]:
    if isinstance(statement, Assign):
        assert statement.place.variable is not None
        yield statement.place.variable, statement.place.indices
        for x in (*statement.place.indices, statement.value):
            yield from read(x)
        return
    yield from read(statement.condition)
    for each in (*statement.yes, *statement.no):
        yield from accessed(each)


def read(x: e.Expr) -> Iterator[tuple[Variable, tuple[e.Expr, ...]]]:
    for part in x.walk():
        if isinstance(part, e.Get):
            yield part.variable, part.indices
