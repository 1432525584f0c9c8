"""The coloured hypergraph of a program (Clarke, Emerson, Jha and Sistla, CAV 1998, Definitions 1 and 2).

The vertices are the processes; every shared variable, element of a shared array and channel is a hyperedge between the
processes that use it.  In the paper a vertex has the colour of its process up to isomorphism, where *every* consistent
permutation must map process to process; a ring whose processes take their left fork first then has none.  Here the
membership of a process in a hyperedge has a colour of its own, the role of the variable for that process (`uses`), and
processes have one colour if their texts look alike.  A permutation of processes and variables that keeps roles maps the
text of each process to that of its image, as the proof of Theorem 3 needs.

What can be permuted besides is tied to what it stands for: an array element to the array and to the index, a channel to
the variable that holds it, and all to what they hold at the beginning.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property

from coset.model import model as m
from coset.model.state import offsets
from coset.source.records import dataclass
from coset.symmetry.action import Point, Points
from coset.symmetry.certify_text import Text as Natures
from coset.symmetry.certify_text import flags
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.groups.group import Group
from coset.symmetry.methods.hypergraph.uses import Element, Reader, Role, Table, Target, Text
from coset.symmetry.sorts import Sort


@dataclass(frozen=True, slots=True)
class Hyperedge:
    """A shared variable, an element of one or a channel, with the role that it has for each process that uses it."""

    target: Target
    name: str
    kind: str
    roles: tuple[tuple[int, Role], ...]

    @property
    def members(self) -> frozenset[int]:
        """The processes that share it: its subscript in the paper."""
        return frozenset(process for process, _ in self.roles)

    @property
    def is_channel(self) -> bool:
        return isinstance(self.target, Point) and self.target.what == "value"


@dataclass(frozen=True)
class Hypergraph:
    """The hypergraph of a model, and the graph that has its automorphisms."""

    points: Points
    texts: tuple[Text, ...]
    """Of each process."""
    edges: tuple[Hyperedge, ...]
    graph: ColouredGraph
    vertices: tuple[int, ...]
    """Those of the points."""

    @cached_property
    def group(self) -> Group:
        """Its automorphisms, as they act on the points of the model."""
        return self.graph.group(self.vertices)

    @cached_property
    def colours(self) -> tuple[int, ...]:
        """The colour of each process: one for those whose texts look alike."""
        number: dict[Hashable, int] = {}
        processes = self.points.started.state.processes
        return tuple(
            number.setdefault((process.kind, text.look), len(number)) for process, text in zip(processes, self.texts)
        )

    def neighbourhood(self, process: int) -> frozenset[int]:
        """The processes that it shares a variable with, itself included."""
        return frozenset({process}).union(*(edge.members for edge in self.edges if process in edge.members))


def hypergraph(points: Points, properties: tuple[m.Property, ...], exact: bool = False) -> Hypergraph:
    """The hypergraph of a model; with `exact` roles it does not matter which operand may take the place of which, so that
    there are fewer automorphisms, but each is a symmetry."""
    reader = Reader(points, exact)
    texts = tuple(reader.of_process(number) for number in range(len(points.started.state.processes)))
    watchers = [(property_.name, reader.of_property(property_)) for property_ in properties]
    monitor = points.interpreter.model.monitor
    if monitor is not None:
        watchers.append(("monitor", reader.of_watcher(monitor.automaton)))
    builder = Builder(points, reader)
    builder.build(texts, watchers)
    vertices = tuple(builder.vertex(point) for point in points.points)
    return Hypergraph(points, texts, tuple(hyperedges(points, texts)), builder.graph, vertices)


def hyperedges(points: Points, texts: tuple[Text, ...]) -> Iterator[Hyperedge]:
    """The shared variables, with who uses them in which role."""
    model, names = points.interpreter.model, points.channel_names()
    channels = [Point("value", sort.number, k) for sort in points.sorts.all for k in names if sort.objects == "channel"]
    targets: list[Target] = [*(Point("global", 0, k) for k in range(len(model.variables)))]
    targets += [Element(k, offset) for k, variable in enumerate(model.variables) for offset in range(variable.size)]
    for target in (*targets, *channels):
        roles = tuple((n, text.roles[target]) for n, text in enumerate(texts) if target in text.roles)
        if not roles:
            continue
        if isinstance(target, Element):
            variable = model.variables[target.variable]
            yield Hyperedge(target, variable.element(target.offset), str(variable.domain), roles)
        elif isinstance(target, Point) and target.what == "global":
            variable = model.variables[target.item]
            shape = "".join(f"[{length}]" for length in variable.shape)
            yield Hyperedge(target, variable.name, f"{variable.domain}{shape}", roles)
        elif isinstance(target, Point):
            type_ = points.interpreter.channel_types[points.started.state.channels[target.item - 1].type]
            yield Hyperedge(target, names[target.item], str(type_), roles)


class Builder:
    """Makes the graph."""

    def __init__(self, points: Points, reader: Reader) -> None:
        self.points, self.sorts, self.model, self.reader = points, points.sorts, points.interpreter.model, reader
        self.graph = ColouredGraph()
        self.natures = Natures(points, ())
        self.vertices: dict[Target, int] = {}
        self.numbers: dict[int, int] = {}

    def build(self, texts: tuple[Text, ...], watchers: list[tuple[str, Text]]) -> None:
        for number, text in enumerate(texts):
            for location, option in text.options:
                self.option(number, location, option)
        for name, text in watchers:
            self.incidences(self.graph.vertex(("watcher", name)), text)
        self.settled_states()

    def option(self, process: int, location: Point | None, text: Text) -> None:
        """A vertex for an option of a process: what it does, at which location."""
        vertex = self.graph.vertex(("option", text.look))
        self.graph.edge(vertex, self.process(process), "of")
        if location is not None:
            self.graph.edge(vertex, self.vertex(location), "at")
        self.incidences(vertex, text)

    def incidences(self, user: int, text: Text) -> None:
        for target, role in text.roles.items():
            self.graph.edge(user, self.vertex(target), role)

    # --- vertices --------------------------------------------------------------------------------

    def vertex(self, target: Target) -> int:
        if target not in self.vertices:
            match target:
                case Table():
                    self.vertices[target] = self.table(target)
                case Element():
                    self.vertices[target] = self.element(target)
                case Point():
                    self.vertices[target] = self.graph.vertex(self.colour(target))
        return self.vertices[target]

    def colour(self, point: Point) -> Hashable:
        if point not in self.points.known:
            return "stays", point
        nature = self.natures.nature(point, None)
        if point.what == "location":
            return point.what, point.number, nature, flags(self.model.kinds[point.number].locations[point.item])
        return point.what, point.number, nature

    def process(self, number: int) -> int:
        return self.vertex(Point("value", self.sorts.process.leader.number, number))

    def value(self, sort: Sort | None, value: int) -> int:
        """The vertex of a value, or of the number that it is."""
        if sort is not None and sort.leader.mobile:
            point = Point("value", sort.leader.number, value)
            if point in self.points.known:
                return self.vertex(point)
        if value not in self.numbers:
            self.numbers[value] = self.graph.vertex(("number", value))
        return self.numbers[value]

    def element(self, element: Element) -> int:
        """An element is tied to its array and to its indices."""
        variable = self.model.variables[element.variable]
        vertex = self.graph.vertex("element")
        self.graph.edge(vertex, self.vertex(Point("global", 0, element.variable)), "array")
        for d, index in enumerate(variable.indices(element.offset)):
            self.graph.edge(vertex, self.value(self.sorts.index(variable, d), index), ("index", d))
        return vertex

    def table(self, table: Table) -> int:
        """A vertex with one for each row."""
        known = self.reader.tables[table]
        vertex, target = self.graph.vertex("table"), None
        if table.sort is not None:
            target = self.points.sort(table.sort)
        for values, result in known.rows:
            row = self.graph.vertex("fault" if result is None else "row")
            self.graph.edge(vertex, row)
            for k, leaf, value in zip(known.alike, known.operands, values, strict=True):
                self.graph.edge(row, self.value(self.sorts.of(leaf), value), k)
            if result is not None:
                self.graph.edge(row, self.value(target, result), "result")
        return vertex

    # --- the beginning ---------------------------------------------------------------------------

    def settled_states(self) -> None:
        for state in self.points.started.states:
            root = self.graph.vertex("started state")
            for variable, start in offsets(self.model.variables).items():
                point = Point("global", 0, self.model.variables.index(variable))
                if point in self.points.known:
                    for k in range(variable.size):
                        place = self.vertex(Element(point.item, k) if variable.shape else point)
                        held = self.value(self.sorts.of_variable[variable], state.values[start + k])
                        self.cell(root, "shared", of=place, holds=held)
            for number, process in enumerate(state.processes):
                place = self.vertex(Point("location", process.kind, process.at))
                self.cell(root, "at", of=self.process(number), holds=place)
                for point, sort, value in self.locals(process.kind, process.values):
                    held = self.value(sort, value)
                    self.cell(root, "local", of=self.process(number), variable=self.vertex(point), holds=held)

    def locals(self, kind: int, values: tuple[int, ...]) -> Iterator[tuple[Point, Sort | None, int]]:
        """What the local variables hold that symmetries act on."""
        for item, (variable, start) in enumerate(offsets(self.model.kinds[kind].variables).items()):
            point = Point("local", kind, item)
            if point in self.points.known and not variable.shape:  # certificates look at elements
                yield point, self.sorts.of_variable[variable], values[start]

    def cell(self, root: int, what: Hashable, **parts: int) -> None:
        """What something holds at the beginning."""
        cell = self.graph.vertex(("cell", what))
        self.graph.edge(cell, root, "in")
        for role, part in parts.items():
            self.graph.edge(cell, part, role)
