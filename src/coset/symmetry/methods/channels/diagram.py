"""Static channel diagrams (Definition 2 of the paper): who sends to which channel, and who receives from it.

The vertices are the processes and the static channels: those that are declared globally, elements of arrays included.
A process has an edge to a channel that it has a send statement for, and one from a channel that it has a receive statement
for, after its parameters have been replaced by what it was started with.  Channels that are picked at run time make no
edge.  Colours are the kinds of processes and the types of channels.  With `shared`, shared variables are vertices too
(Section 5.5): an edge to a variable that a process may write, and one from a variable that it may read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import edge_expressions, places
from coset.model.domain import Refers
from coset.source.records import dataclass
from coset.symmetry.action import Points
from coset.symmetry.constants import Constants
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation

PROCESS, CHANNEL, VARIABLE = "process", "channel", "variable"


@dataclass(frozen=True, slots=True)
class ChannelNode:
    """A process (by number), a static channel (by number), or a shared variable (by its place in the model, with the
    element if it is a node of its own)."""

    what: str
    number: int
    name: str
    kind: str
    """What it is an instance of: the kind of process, the type of channel or variable."""
    element: int | None = None


@dataclass(frozen=True)
class ChannelDiagram:
    """The nodes, and the edges between them by their numbers; `ties` bind the element i of an array to process i."""

    model: str
    nodes: tuple[ChannelNode, ...]
    edges: tuple[tuple[int, int], ...]
    ties: tuple[tuple[int, int], ...] = ()

    @cached_property
    def graph(self) -> ColouredGraph:
        graph = ColouredGraph()
        for node in self.nodes:
            graph.vertex((node.what, node.kind))
        for source, target in self.edges:
            graph.edge(source, target)
        for source, target in self.ties:
            graph.edge(source, target, "tie")
        return graph

    @cached_property
    def group(self) -> Group:
        """The candidates: Aut(C(P))."""
        return self.graph.group()

    def show(self, permutation: Permutation) -> str:
        return permutation.show([node.name for node in self.nodes])

    def count(self, what: str) -> int:
        return sum(node.what == what for node in self.nodes)

    def __str__(self) -> str:
        names = [node.name if node.what != PROCESS else f"{node.kind}({node.name})" for node in self.nodes]
        return "\n".join(f"{names[source]} -> {names[target]}" for source, target in self.edges)


def channel_diagram(points: Points, shared: bool = False) -> ChannelDiagram:
    """The static channel diagram of a model, if wanted with its shared variables."""
    drafter = Drafter(points)
    drafter.channels()
    if shared:
        drafter.variables()
    return ChannelDiagram(
        points.interpreter.model.name, tuple(drafter.nodes), tuple(sorted(drafter.edges)), tuple(drafter.ties)
    )


class Drafter:
    def __init__(self, points: Points) -> None:
        self.points, self.model, self.state = points, points.interpreter.model, points.started.state
        self.nodes: list[ChannelNode] = []
        self.numbers: dict[tuple[str, int, int | None], int] = {}
        self.edges: set[tuple[int, int]] = set()
        self.ties: list[tuple[int, int]] = []
        self.constants = Constants(points)
        for number, process in enumerate(self.state.processes):
            self.node(PROCESS, number, str(number), self.model.kinds[process.kind].name)

    def node(self, what: str, number: int, name: str, kind: str, element: int | None = None) -> int:
        self.numbers[what, number, element] = len(self.nodes)
        self.nodes.append(ChannelNode(what, number, name, kind, element))
        return len(self.nodes) - 1

    # --- channels --------------------------------------------------------------------------------

    def channels(self) -> None:
        first = 1
        for variable in self.model.variables:
            if isinstance(variable.initial, m.NewChannel):
                for element in range(variable.size):
                    name, type_ = variable.element(element), variable.initial.type
                    kind = f"[{type_.capacity}] of {{{', '.join(map(str, type_.fields))}}}"
                    node = self.node(CHANNEL, first + element, name, kind)
                    if len(variable.shape) == 1:
                        self.tie(node, variable, element)
                first += variable.size
        for process, edge in self.constants.steps():
            for effect in edge.effects:
                if isinstance(effect, m.Send | m.Receive):
                    for channel in self.named(effect.channel, process):
                        ends = self.numbers[PROCESS, process, None], self.numbers.get((CHANNEL, channel, None))
                        if ends[1] is not None:
                            self.edges.add((ends[0], ends[1]) if isinstance(effect, m.Send) else (ends[1], ends[0]))

    def tie(self, node: int, variable: m.Variable, element: int) -> None:
        """An array that is indexed by process ids moves as they do."""
        process = self.numbers.get((PROCESS, element, None))
        if process is not None and self.points.sorts.index(variable, 0) is self.points.sorts.process.leader:
            self.ties.append((process, node))

    def named(self, channel: e.Expr, process: int) -> list[int]:
        """The channels that an expression names by its text: one, none, or all of an array."""
        number = self.constants.value(channel, process)
        if number is not None:
            return [number]
        if (
            isinstance(channel, e.Get)
            and channel.variable.owner is None
            and channel.variable not in self.constants.changing
        ):
            start = self.constants.start[channel.variable]
            return list(self.state.values[start : start + channel.variable.size])
        return []

    # --- shared variables ------------------------------------------------------------------------

    def variables(self) -> None:
        """Nodes for variables that some process mentions, and for the elements of arrays whose indices are names."""
        accesses = list(dict.fromkeys(self.accesses()))
        for variable in dict.fromkeys(variable for _, variable, _, _ in accesses):
            number = self.model.variables.index(variable)
            kind = f"{variable.domain}{''.join(f'[{n}]' for n in variable.shape)}"
            if self.has_elements(variable):
                for element in range(variable.size):
                    self.node(VARIABLE, number, variable.element(element), kind, element)
            else:
                self.node(VARIABLE, number, variable.name, kind)
        for process, variable, indices, writes in accesses:
            number, owner = self.model.variables.index(variable), self.numbers[PROCESS, process, None]
            elements: list[int | None] = [None]
            if self.has_elements(variable):
                known = self.constants.value(indices[0], process) if indices else None
                elements = [*range(variable.size)] if known is None else [known]
            for node in (self.numbers.get((VARIABLE, number, element)) for element in elements):
                if node is not None:
                    self.edges.add((owner, node) if writes else (node, owner))

    def accesses(self) -> Iterator[tuple[int, m.Variable, tuple[e.Expr, ...], bool]]:
        """Which process reads (or else writes) which shared variable, with the indices."""
        for process, edge in self.constants.steps():
            for x in (part for whole in edge_expressions(edge) for part in whole.walk()):
                if isinstance(x, e.Get) and self.is_shared(x.variable):
                    yield process, x.variable, x.indices, False
            for place in (place for effect in edge.effects for place in places(effect)):
                if place.variable is not None and self.is_shared(place.variable):
                    yield process, place.variable, place.indices, True

    def is_shared(self, variable: m.Variable) -> bool:
        is_channel = isinstance(variable.initial, m.NewChannel) and variable.domain.refers is Refers.CHANNEL
        return variable.owner is None and not is_channel

    def has_elements(self, variable: m.Variable) -> bool:
        """Whether elements may be exchanged on their own: not if processes index them, or numbers that are computed."""
        if len(variable.shape) != 1:
            return False
        sorts = self.points.sorts
        index = sorts.index(variable, 0)
        computed = {
            sort.leader.number
            for arithmetic in sorts.arithmetic
            for sort in (arithmetic.target, *map(sorts.of, arithmetic.leaves))
            if sort is not None
        }
        return index.mobile and index is not sorts.process.leader and index.number not in computed
