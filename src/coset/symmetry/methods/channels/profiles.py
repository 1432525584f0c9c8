"""What the text says of each process and channel, without names: the same for any two that a valid permutation exchanges.

The largest valid subgroup is searched for among the automorphisms of the diagram.  Where these are very many and few of
them valid, the search of the paper goes through cosets in vain: twelve clients that all differ have 12! of them.  So the
diagram is coloured.

Lemma.  If a permutation alpha of the diagram is valid and takes x to y, then x and y have the same profile.  Proof: alpha
takes the steps that mention x to those that mention y, up to the renaming.  A profile has these steps with one name for
what follows x and another one for everything else that may move, so renaming does not change it; likewise the conditions
of properties, which stay where they are, and what the started states hold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator

from coset.model.domain import Refers
from coset.model.state import offsets
from coset.symmetry.action import Point
from coset.symmetry.certify_text import Text
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.groups.group import Group
from coset.symmetry.methods.channels.diagram import CHANNEL, PROCESS, ChannelDiagram, ChannelNode
from coset.symmetry.normal_form import Normal, unordered
from coset.symmetry.sorts import Sort

MARKED, OTHER = -1, -2
"""The names of what follows one node, and of everything else that may move."""


class Profiles:
    """The profiles of the nodes of one diagram."""

    def __init__(self, diagram: ChannelDiagram, text: Text) -> None:
        self.diagram, self.text, self.points = diagram, text, text.points
        self.mentioning: dict[Point, list[tuple[Hashable, int]]] = defaultdict(list)
        """By point, the steps that mention it: a place that no permutation changes, and the number of the step."""
        self.steps = [(spot[0], step) for spot, steps in text.steps.items() for step in steps]
        self.steps += [((what, number), step) for number, (what, step) in enumerate(text.fixed)]  # type: ignore[misc]
        for number, (place, step) in enumerate(self.steps):
            for point in step.mentions:
                self.mentioning[point].append(((place, step.place), number))

    def narrowed(self) -> Group:
        """The automorphisms of the diagram that preserve profiles: all valid ones, and fewer others."""
        graph = ColouredGraph()
        for node in self.diagram.nodes:
            graph.vertex((node.what, node.kind, self.profile(node)))
        for source, target in self.diagram.edges:
            graph.edge(source, target)
        for source, target in self.diagram.ties:
            graph.edge(source, target, "tie")
        return graph.group()

    def profile(self, node: ChannelNode) -> Hashable:
        marked = frozenset(self.followers(node))
        tables: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        for point in self.points.points:
            tables[point.what, point.number][point.item] = MARKED if point in marked else OTHER
        normal = Normal(self.text.vocabulary, tables, blind=True)
        mentioned = {(place, number) for point in marked for place, number in self.mentioning.get(point, ())}
        said = unordered((place, normal.edge(self.steps[number][1].edge)) for place, number in mentioned)
        return said, self.started(node, marked)

    def followers(self, node: ChannelNode) -> Iterator[Point]:
        """The points that go where the node goes, whatever else moves."""
        for sort in self.points.sorts.all:
            if (node.what == PROCESS and holds_ids(sort)) or (node.what == CHANNEL and sort.objects == "channel"):
                yield Point("value", sort.number, node.number)

    def started(self, node: ChannelNode, marked: frozenset[Point]) -> Hashable:
        """What a process holds in the started states, and how often the node is held, by the kind of the holder."""
        model, sorts = self.points.interpreter.model, self.points.sorts
        found = []
        for state in self.points.started.states:
            held: Counter[str] = Counter()
            own: Hashable = None
            rows = [("", -1, model.variables, state.values)]
            rows += [
                (model.kinds[p.kind].name, n, model.kinds[p.kind].variables, p.values)
                for n, p in enumerate(state.processes)
            ]
            for name, number, variables, values in rows:
                plain = []
                for variable, start in offsets(variables).items():
                    sort = sorts.of_variable[variable].leader
                    part = values[start : start + variable.size]
                    if sort.mobile and is_moved(sort):
                        held[name] += sum(Point("value", sort.number, value) in marked for value in part)
                    elif len(variable.shape) == 0:
                        plain.append(part)
                if node.what == PROCESS and number == node.number:
                    own = unordered(plain)  # variables of a process may change places
            found.append((own, frozenset(held.items())))
        return unordered(found)


def holds_ids(sort: Sort) -> bool:
    return sort.objects == "process" or any(variable.domain.refers is Refers.PROCESS for variable in sort.cells)


def is_moved(sort: Sort) -> bool:
    """Whether a permutation of the diagram may rename values of a sort (`extension`): processes, channels, elements of arrays.
    Other values stay as they are, so that processes that hold different ones are not exchanged."""
    return holds_ids(sort) or sort.objects == "channel" or bool(sort.dimensions)
