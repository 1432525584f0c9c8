"""The coloured graph of a constraint problem (Puget, CP 2005), and what its automorphisms do to states.

Every constraint is a set of *cases*: if all literals of `when` hold and none of `unless`, then those of one of the *rows* do.
A table is one case, by its rows or by what is rarer: the rows that it does not have, or those with the rarer of two
results, from which the others follow.  A write to an array has a case for each cell, so that it stays as small as the array
and loses nothing of the index.  The graph has a vertex for each element and each literal of it before and after a step, tied
to each other; for each summand, its other unknowns and their literals; its constraints, cases and rows.  Whatever a summand
means can be read off the graph without the names of things, so that an automorphism maps summands to summands that do the
same to the images of the states: it is a symmetry by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from coset.model.sequential_model import SequentialModel
from coset.source.records import dataclass
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.methods.constraints.domains import Narrowed, Occurring, Values, mentioned, values_of
from coset.symmetry.methods.constraints.problem import (
    Constraint,
    Define,
    Defined,
    Merge,
    Operand,
    Require,
    Select,
    Several,
    Store,
    TooLarge,
    Unknown,
    Value,
)
from coset.symmetry.methods.constraints.tables import fitted, rows, support

MOST_VERTICES = 300_000

Literals = tuple[tuple[Unknown, Value], ...]
Places = dict[tuple[Unknown, Value], int]
"""The vertices of literals."""
CERTAIN, IMPOSSIBLE = -1, -2
"""Literals without a vertex: of an element that never changes, and those that no state has."""


@dataclass(frozen=True, slots=True)
class Case:
    """If all of `when` and none of `unless`, then one of the rows; in the `faulty` ones the step goes wrong.  The colour of
    the rows is "row", or "never" if none of them may hold, or "rare" if the result of all other combinations is the
    other one."""

    rows: tuple[Literals, ...]
    when: Literals = ()
    unless: Literals = ()
    faulty: tuple[Literals, ...] = ()
    colour: str = "row"


def equal(a: Operand, b: Operand, domains: Values) -> tuple[Literals, ...]:
    """All ways for two operands to have one value."""
    other = set(values_of(b, domains))
    return tuple(literals(((a, v), (b, v))) for v in values_of(a, domains) if v in other)


def literals(pairs: Iterable[tuple[Operand, Value]]) -> Literals:
    return tuple((operand, value) for operand, value in pairs if isinstance(operand, Unknown))


def cases(constraint: Constraint, domains: Values, whole: AbstractSet[Unknown] = frozenset()) -> Iterator[Case]:
    """The constraint written out.  The domains of unknowns that are `whole` have all of their literals.

    >>> from coset.model.expression import Const
    >>> i, a, r = (Unknown(k, "version", name, 0, 1) for k, name in enumerate("iar"))
    >>> for case in cases(Select(r, i, (a, Const(1))), {i: (0, 1), a: (0, 1), r: (0, 1)}):
    ...     print(*(f"{x}={v}" for x, v in case.when), "=>", *(" ".join(f"{x}={v}" for x, v in row) for row in case.rows))
    i=0 => a=0 r=0 a=1 r=1
    i=1 => r=1
    """
    match constraint:
        case Define(output, tree, fit):
            inputs = support(tree)
            results = [(values, fitted(value, fit)) for values, value in rows(tree, inputs, domains)]
            rare = rarest([value for _, value in results], domains[output]) if whole >= set(inputs) else None
            allowed = domains[output] if rare is None else (rare,)
            ways = tuple((*zip(inputs, values, strict=True), (output, v)) for values, v in results if v in allowed)
            yield Case(ways, colour="row" if rare is None else "rare")
        case Require(tree):
            inputs = support(tree)
            table = [(tuple(zip(inputs, values, strict=True)), v) for values, v in rows(tree, inputs, domains)]
            some, never = [row for row, v in table if v], [row for row, v in table if v == 0]
            if len(some) + len(never) < len(table) or len(some) <= len(never) or not whole >= set(inputs):
                yield Case(tuple(some), faulty=tuple(row for row, v in table if v is None))
            elif never:
                yield Case(tuple(never), colour="never")
        case Select(output, index, cells):
            for k in domains[index]:
                inside = k is not None and 0 <= k < len(cells)
                cell = cells[k] if inside else None  # type: ignore[index]
                yield Case((((output, None),),) if cell is None else equal(cell, output, domains), ((index, k),))
        case Store(index, value, before, after):
            outside = [k for k in domains[index] if k is None or not 0 <= k < len(after)]
            for k, (old, new) in enumerate(zip(before, after, strict=True)):
                elsewhere = [*outside, k] if k in domains[index] else outside
                for lost in outside:
                    yield Case((((new, None),),), ((index, lost),))
                if k in domains[index]:
                    yield Case(equal(value, new, domains), ((index, k),))
                if len(elsewhere) < len(domains[index]):
                    yield Case(equal(old, new, domains), (), tuple((index, i) for i in elsewhere))
        case Merge(output, condition, yes, no):
            for chosen in domains[condition]:
                operand = yes if chosen else no
                either = (((output, None),),) if chosen is None else equal(operand, output, domains)
                yield Case(either, ((condition, chosen),))
        case Several(output, every, inputs):
            yield from several(output, every, inputs, domains)
        case Defined(operand, path):
            if None in domains[operand] and all(value in domains[condition] for condition, value in path):
                yield Case(tuple(((operand, v),) for v in domains[operand] if v is not None), path)


def rarest(results: Sequence[Value], values: Sequence[Value]) -> Value:
    """The rarer of two results, if there are two, and each combination has one of them; else None.

    >>> rarest([0, 1, 0], (0, 1)), rarest([0, 1], (0, 1)), rarest([0, 1, 2, 1], (0, 1))
    (1, None, None)
    """
    if len(values) != 2 or None in values:
        return None
    (few, rare), (many, _) = sorted((results.count(value), value) for value in values)
    return rare if 0 < few < many and few + many == len(results) else None


def several(output: Unknown | None, every: bool, inputs: Sequence[Unknown], domains: Values) -> Iterator[Case]:
    """A disjunction holds iff one of its parts does, and else none does; a conjunction the other way round."""
    deciding = int(not every)
    decided = tuple(((x, deciding),) for x in inputs if deciding in domains[x])
    undecided = [(((x, 1 - deciding),),) if 1 - deciding in domains[x] else () for x in inputs]
    for value in (0, 1) if output is not None else (1,):
        if output is None or value in domains[output]:
            when = () if output is None else ((output, value),)
            yield from [Case(decided, when)] if value == deciding else (Case(each, when) for each in undecided)


class ConstraintGraph:
    """The graph of a whole model.  `points` are the literals of the state: an element and one of its values; elements that
    never change have none."""

    def __init__(self, model: SequentialModel, occurring: Occurring, most_vertices: int = MOST_VERTICES) -> None:
        self.graph, self.most_vertices = ColouredGraph(), most_vertices
        self.model, self.occurring = model, occurring
        self.points: list[tuple[int, int]] = []
        self.vertices: list[int] = []
        self.constant: dict[int, int] = {}
        self.state: dict[tuple[str, int, Value], int] = {}
        for element, values in enumerate(occurring.elements):
            self.element(element, sorted(values))
        for number in range(len(occurring.parts)):
            part = occurring.exact(number)
            if part is not None:
                self.part(part)
        if model.control is not None:
            self.graph.edge(self.graph.vertex("observable"), self.free(occurring.unknowns.offset[model.control]))
        for start in model.starts:
            vertex = self.graph.vertex("start")
            for element, value in enumerate(start):
                if value is not None and element not in self.constant:
                    self.graph.edge(vertex, self.state["before", element, value])

    def free(self, control: int) -> int:
        """The literal by which no process holds control."""
        return self.state.get(("before", control, 0), self.graph.vertex("nothing to hold"))

    def element(self, element: int, values: list[int]) -> None:
        if len(values) == 1:
            self.constant[element] = values[0]
            return
        variable = self.graph.vertex("element")
        for value in values:
            before, after = self.graph.vertex("before"), self.graph.vertex("after")
            self.state["before", element, value], self.state["after", element, value] = before, after
            self.graph.edge(variable, before)
            self.graph.edge(before, after)
            self.points.append((element, value))
            self.vertices.append(before)

    def part(self, narrowed: Narrowed) -> None:
        """A summand or a condition: its unknowns, then its constraints."""
        graph, domains = self.graph, narrowed.domains
        root = graph.vertex(narrowed.part.colour)
        places: Places = {}
        for constraint in narrowed.constraints:
            for unknown in mentioned(constraint):
                if (unknown, domains[unknown][0]) not in places:
                    self.unknown(unknown, domains[unknown], places)
        elements = self.occurring.elements
        whole = {x for x, values in domains.items() if x.element < 0 or len(values) == len(elements[x.element])}
        written = [(constraint, list(cases(constraint, domains, whole))) for constraint in narrowed.constraints]
        # A guard goes wrong only if what comes before in it holds: then the order means something.
        is_ordered = any(case.faulty for _, found in written for case in found)
        for number, (constraint, found) in enumerate(written):
            if found:
                place = number if is_ordered and isinstance(constraint, Require) else -1
                vertex = graph.vertex((type(constraint).__name__, place))
                graph.edge(root, vertex)
                for case in found:
                    self.case(vertex, case, places)

    def unknown(self, unknown: Unknown, values: Sequence[Value], places: Places) -> None:
        """The vertices of the literals of an unknown."""
        graph, element = self.graph, unknown.element
        if element < 0:
            vertex = graph.vertex(unknown.role)
            for value in values:
                places[unknown, value] = literal = graph.vertex("undefined" if value is None else "literal")
                graph.edge(vertex, literal)
            return
        for value in values:
            if unknown.role == "after" and value not in self.occurring.elements[element]:
                places[unknown, value] = IMPOSSIBLE
            else:
                places[unknown, value] = (
                    CERTAIN if element in self.constant else self.state[unknown.role, element, value]
                )

    def case(self, constraint: int, case: Case, places: Places) -> None:
        """`when` leads to the case, `unless` from it; a row leads to its case and to what it consists of."""
        graph = self.graph
        when = [places[literal] for literal in case.when]
        unless = [places[literal] for literal in case.unless]
        if IMPOSSIBLE in when or CERTAIN in unless:
            return
        if len(graph.colours) + len(case.rows) > self.most_vertices:
            raise TooLarge(f"the constraints take a graph of more than {self.most_vertices} vertices")
        vertex = graph.vertex("case", (literal for literal in unless if literal != IMPOSSIBLE))
        graph.edge(constraint, vertex)
        for literal in when:
            if literal != CERTAIN:
                graph.edge(literal, vertex)
        for colour, ways in ((case.colour, case.rows), ("fault", case.faulty)):
            for way in ways:
                found = {vertex, *(places[literal] for literal in way)} - {CERTAIN}
                if IMPOSSIBLE not in found:
                    graph.vertex(colour, found)
