"""The coloured graph of a constraint problem (Puget, CP 2005), and what its automorphisms do to states.

Every constraint is a set of *cases*: if all literals of `when` hold and none of `unless`, then those of one of the *rows* do.
A table is one case; a write to an array has a case for each cell, so that it stays as small as the array and loses nothing
of the index.  The graph has a vertex for each element and each literal of it before and after a step, tied to each other;
for each summand, its other unknowns and their literals; its constraints, cases and rows.  Whatever a summand means can be
read off the graph without the names of things, so that an automorphism maps summands to summands that do the same to
the images of the states: it is a symmetry by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from coset.model.sequential.data import SequentialModel
from coset.symmetry.constraints.domains import Narrowed, Occurring, Values, mentioned, values_of
from coset.symmetry.constraints.problem import (
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
from coset.symmetry.constraints.tables import fitted, rows, support
from coset.symmetry.groups.automorphisms import ColouredGraph

MOST_VERTICES = 300_000

Literals = tuple[tuple[Unknown, Value], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """If all of `when` and none of `unless`, then one of the rows; in the `faulty` ones the step goes wrong."""

    rows: tuple[Literals, ...]
    when: Literals = ()
    unless: Literals = ()
    faulty: tuple[Literals, ...] = ()


def equal(a: Operand, b: Operand, domains: Values) -> tuple[Literals, ...]:
    """All ways for two operands to have one value."""
    other = set(values_of(b, domains))
    return tuple(literals(((a, v), (b, v))) for v in values_of(a, domains) if v in other)


def literals(pairs: Iterable[tuple[Operand, Value]]) -> Literals:
    return tuple((operand, value) for operand, value in pairs if isinstance(operand, Unknown))


def cases(constraint: Constraint, domains: Values) -> Iterator[Case]:
    """The constraint written out.

    >>> from coset.model.expression import Const
    >>> i, a, r = (Unknown(k, "version", name, 0, 1) for k, name in enumerate("iar"))
    >>> for case in cases(Select(r, i, (a, Const(1))), {i: (0, 1), a: (0, 1), r: (0, 1)}):
    ...     print(*(f"{x}={v}" for x, v in case.when), "=>", *(" ".join(f"{x}={v}" for x, v in row) for row in case.rows))
    i=0 => a=0 r=0 a=1 r=1
    i=1 => r=1
    """
    match constraint:
        case Define(output, tree, fit):
            inputs, allowed = support(tree), set(domains[output])
            found = ((values, fitted(value, fit)) for values, value in rows(tree, inputs, domains))
            yield Case(tuple((*zip(inputs, values, strict=True), (output, v)) for values, v in found if v in allowed))
        case Require(tree):
            inputs = support(tree)
            table = [(tuple(zip(inputs, values, strict=True)), v) for values, v in rows(tree, inputs, domains)]
            yield Case(tuple(row for row, v in table if v), faulty=tuple(row for row, v in table if v is None))
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
                ways = (((output, None),),) if chosen is None else equal(operand, output, domains)
                yield Case(ways, ((condition, chosen),))
        case Several(output, every, inputs):
            yield from several(output, every, inputs, domains)
        case Defined(operand, path):
            if None in domains[operand] and all(value in domains[condition] for condition, value in path):
                yield Case(tuple(((operand, v),) for v in domains[operand] if v is not None), path)


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

    def __init__(self, model: SequentialModel, occurring: Occurring) -> None:
        self.graph = ColouredGraph()
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
            if len(self.graph.colours) > MOST_VERTICES:
                raise TooLarge(f"the constraints take a graph of more than {MOST_VERTICES} vertices")
        if model.control is not None:
            self.graph.edge(self.graph.vertex("observable"), self.free(occurring.unknowns.offset[model.control]))
        for start in model.starts:
            vertex = self.graph.vertex("start")
            for element, value in enumerate(start):
                if value is not None and element not in self.constant:
                    self.graph.edge(vertex, self.state["before", element, value])

    def free(self, control: int) -> int:
        """The literal by which nobody holds control."""
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
        own: dict[tuple[Unknown, Value], int] = {}
        for constraint in narrowed.constraints:
            for unknown in mentioned(constraint):
                if unknown.element < 0 and (unknown, domains[unknown][0]) not in own:
                    vertex = graph.vertex(unknown.role)
                    for value in domains[unknown]:
                        own[unknown, value] = graph.vertex("undefined" if value is None else "literal")
                        graph.edge(vertex, own[unknown, value])
        written = [(constraint, list(cases(constraint, domains))) for constraint in narrowed.constraints]
        # A guard goes wrong only if what comes before in it holds: then the order means something.
        is_ordered = any(case.faulty for _, found in written for case in found)
        for number, (constraint, found) in enumerate(written):
            if found:
                place = number if is_ordered and isinstance(constraint, Require) else -1
                vertex = graph.vertex((type(constraint).__name__, place))
                graph.edge(root, vertex)
                for case in found:
                    self.case(vertex, case, own)

    def case(self, constraint: int, case: Case, own: dict[tuple[Unknown, Value], int]) -> None:
        """`when` leads to the case, `unless` and the rows lead from it."""
        graph = self.graph
        if any(map(self.impossible, case.when)) or any(
            x.element in self.constant for x, v in case.unless if v is not None
        ):
            return
        vertex = graph.vertex("case")
        graph.edge(constraint, vertex)
        for literal in self.vertices_of(case.when, own):
            graph.edge(literal, vertex)
        for literal in self.vertices_of(case.unless, own):
            graph.edge(vertex, literal)
        for colour, ways in (("row", case.rows), ("fault", case.faulty)):
            for way in ways:
                if any(map(self.impossible, way)):
                    continue
                row = graph.vertex(colour)
                graph.edge(vertex, row)
                for literal in self.vertices_of(way, own):
                    graph.edge(row, literal)

    def impossible(self, literal: tuple[Unknown, Value]) -> bool:
        """Whether no step has such a literal: it is none of a state."""
        unknown, value = literal
        return unknown.role == "after" and value not in self.occurring.elements[unknown.element]

    def vertices_of(self, literals: Literals, own: dict[tuple[Unknown, Value], int]) -> Iterator[int]:
        for unknown, value in literals:
            if self.impossible((unknown, value)):
                continue
            if unknown.element < 0:
                yield own[unknown, value]
            elif unknown.element not in self.constant:
                yield self.state[unknown.role, unknown.element, value]
