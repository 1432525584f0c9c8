"""The vertices of the graph of a program that a symmetry permutes, or that several expressions share.

Each value of a mobile sort, each variable that the text mentions and each location has one vertex.  Its colour is what sets it
apart at first sight; two of one colour may be exchanged, as far as these vertices are concerned.
"""

from __future__ import annotations

from collections.abc import Hashable

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions
from coset.model.interpreter import Interpreter
from coset.symmetry.action import Point
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.methods.program.copies import find_copies
from coset.symmetry.sorts import Sort, Sorts
from coset.symmetry.startup import StartedStates

MOST_VERTICES = 100_000
"""Larger graphs are given up: it would take many seconds to build them, and gigabytes to find their automorphisms."""


class PointGraph:
    def __init__(self, interpreter: Interpreter, started: StartedStates, sorts: Sorts) -> None:
        self.interpreter, self.started, self.sorts = interpreter, started, sorts
        self.model = interpreter.model
        self.count = [sum(p.kind == k for p in started.state.processes) for k in range(len(self.model.kinds))]
        occurring = (*process_expressions(self.model), *property_expressions(self.model))
        self.numbered = any(isinstance(part, e.Position) for x in occurring for part in x.walk())
        """Whether the model refers to numbers of locations."""
        self.copies = find_copies(self.model, self.count, sorts, self.numbered)
        self.graph = ColouredGraph(MOST_VERTICES)
        self.points: dict[Point, int] = {}
        self.shared: dict[Hashable, int] = {}
        """Vertices of expressions that have been built, by what they are."""

    def node(self, colour: Hashable, *parts: tuple[Hashable, int]) -> int:
        """A vertex with edges to its parts, each with the colour of its role."""
        vertex = self.graph.vertex(colour)
        for role, part in parts:
            self.graph.edge(vertex, part, role)
        return vertex

    def nature(self, sort: Sort, value: int) -> Hashable:
        """What sets a value apart at first sight: the process or channel that it names, the arrays that have it."""
        state = self.started.state
        lengths = sorted({variable.shape[d] for variable, d in sort.dimensions})
        inside = tuple(0 <= value < length for length in lengths)
        if sort.objects == "process":
            if not 0 <= value < len(state.processes):
                return "no process", value
            process = state.processes[value]
            dies = self.may_die(value)
            return "process", self.copies.kind(process.kind), process.priority, value if dies else None, inside
        if sort.objects == "channel":
            if not 1 <= value <= len(state.channels):
                return "no channel", value
            type_ = self.interpreter.channel_types[state.channels[value - 1].type]
            return "channel", type_.capacity, tuple((d.low, d.high) for d in type_.fields), inside
        return "value", inside

    def may_die(self, process: int) -> bool:
        """A process that may end is told from others by its number: only the youngest can."""
        kind = self.model.kinds[self.started.state.processes[process].kind]
        return any(
            edge.target == m.GONE for spot in self.started.locations[process] for edge in kind.locations[spot].edges
        )

    def value(self, sort: Sort | None, value: int) -> int:
        """The vertex of a value, coloured by what is known of it, or one for the number if the sort is pinned.  A value
        that nothing ever asks for gets none: to permute it would change no state."""
        if sort is None or not sort.leader.mobile or value not in sort.leader.values:
            return self.once(("number", value))
        point = Point("value", sort.leader.number, value)
        if point not in self.points:
            self.points[point] = self.new_value(sort.leader, value, None)
        return self.points[point]

    def new_value(self, sort: Sort, value: int, unasked: int | None) -> int:
        """A vertex for a value; `unasked` is the value itself if nothing asks for it."""
        colour = ("value", self.copies.sort(sort.number), self.nature(sort, value))
        vertex = self.graph.vertex(colour if unasked is None else (colour, unasked))
        self.belongs(vertex, "sort", sort.number)
        processes = self.started.state.processes
        if sort.objects == "process" and 0 <= value < len(processes):
            self.belongs(vertex, "kind", processes[value].kind)
        return vertex

    def belongs(self, vertex: int, what: str, number: int, role: Hashable = "member") -> None:
        """Say that something belongs to a kind or a sort that may be exchanged with others."""
        if (what, number) not in self.copies.several:
            return
        key = what, number
        if key not in self.shared:
            first = self.copies.kind(number) if what == "kind" else self.copies.sort(number)
            self.shared[key] = self.graph.vertex((what, first))
        self.graph.edge(vertex, self.shared[key], role)

    def once(self, key: Hashable) -> int:
        """The vertex that stands for something that there is once."""
        if key not in self.shared:
            self.shared[key] = self.graph.vertex(key)
        return self.shared[key]

    def variable(self, variable: m.Variable, unmentioned: int | None = None) -> int:
        """The vertex of a variable that the text mentions, or one of a copied kind (`unmentioned` is its position then)."""
        if variable in self.shared:
            return self.shared[variable]
        if variable.owner is None:
            index = next((k for k, v in enumerate(self.model.variables) if v is variable), None)
            point = Point("global", 0, index) if index is not None else None
        else:
            point = self.local_point(variable)
        look = self.look(variable)
        vertex = self.shared[variable] = self.graph.vertex(look if unmentioned is None else (look, unmentioned))
        if point is not None:
            self.points[point] = vertex
            if point.what == "local":
                self.belongs(vertex, "kind", point.number)
        self.belongs(vertex, "sort", self.sorts.of_variable[variable].leader.number, "values")
        for dimension, sort in enumerate(self.index_sorts(variable)):
            self.belongs(vertex, "sort", sort.number, ("index", dimension))
        return vertex

    def look(self, variable: m.Variable) -> Hashable:
        """Variables that look alike may be exchanged: global ones, those of a process that is the only one of its kind, and
        those that hold processes or channels.  A symmetry that exchanges variables of a kind does so in all of its
        processes at once: it renames the text of the kind, and the values that each process holds go along.  Other variables
        of several processes could be exchanged as well, but that hardly ever saves a state."""
        sort = self.sorts.of_variable[variable].leader
        alike: Hashable = (
            "variable", variable.domain.low, variable.domain.high, variable.shape,
            *(self.copies.sort(s.number) if s.mobile else 0 for s in (sort, *self.index_sorts(variable))), variable.hidden,
        )  # fmt: skip
        if variable.owner is None:
            return alike
        point = self.local_point(variable)
        holds_references = sort.mobile and bool(sort.objects)
        if point is None:
            return alike, variable.owner, variable.name
        kind = self.copies.kind(point.number)
        return (alike, kind) if self.count[point.number] == 1 or holds_references else (alike, kind, point.item)

    def local_point(self, variable: m.Variable) -> Point | None:
        for number, kind in enumerate(self.model.kinds):
            for index, other in enumerate(kind.variables):
                if other is variable:
                    return Point("local", number, index)
        return None

    def index_sorts(self, variable: m.Variable) -> list[Sort]:
        return [self.sorts.index(variable, d) for d in range(len(variable.shape))]

    def locations(self) -> None:
        for process, spots in zip(self.started.state.processes, self.started.locations, strict=True):
            for spot in sorted(spots):
                point = Point("location", process.kind, spot)
                if point not in self.points:
                    location = self.model.kinds[process.kind].locations[spot]
                    kind = self.copies.kind(process.kind)
                    colour = ("location", kind, location.end, location.accept, location.progress,
                              location.transient, spot if self.numbered else None)  # fmt: skip
                    self.points[point] = self.graph.vertex(colour)
                    self.belongs(self.points[point], "kind", process.kind)
