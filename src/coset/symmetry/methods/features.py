"""`features`: the group of a featured network by its feature configuration diagram (Miller, Calder and Donaldson 2007).

The vertices of the diagram are the components, coloured by type and by the unary features that they have; an edge leads from
the host of a binary feature to its partner, coloured by the features that lead there (Definition 10).  An automorphism
keeps both colours (Definition 11).  In a specification that was generated from templates every automorphism is a symmetry
of the model (Theorem 3), so no valid subgroup needs to be searched for; only the property may ask for less.  All the
same every generator is compared with the text and certified on states.

    >>> diagram = FeatureDiagram.of({1: "client", 2: "client", 3: "client", 4: "client", 5: "client", 6: "mailer"},
    ...     {"AUTORESP": [(1,)]}, {"FILTER": [(2, 1)]})
    >>> diagram.group.order, sorted(map(diagram.show, diagram.group.generators))
    (6, ['(3 4)', '(4 5)'])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from coset.model import model as m
from coset.model.analysis.occurrences import places
from coset.model.evaluate import flat
from coset.model.state import offsets
from coset.source.records import dataclass
from coset.symmetry.action import Action, Points
from coset.symmetry.certify import certify
from coset.symmetry.certify_text import Text
from coset.symmetry.conditions import property_conditions
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.largest import largest_valid_subgroup
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.channels.detect import Validity
from coset.symmetry.methods.channels.diagram import CHANNEL, PROCESS, ChannelDiagram, ChannelNode
from coset.symmetry.methods.channels.extension import Extension, put
from coset.symmetry.methods.program.detect import points_of
from coset.symmetry.symmetry import Finding, Symmetry

METHOD = "features"
INBOX = "in"
"""What a template calls the channel of its component."""


@dataclass(frozen=True)
class FeatureDiagram:
    """The components with their types and unary features, and the pairs of components with their binary features."""

    components: tuple[tuple[int, str, frozenset[str]], ...]
    edges: tuple[tuple[int, int, frozenset[str]], ...]

    @staticmethod
    def of(
        types: Mapping[int, str],
        unary: Mapping[str, Iterable[Sequence[int]]],
        binary: Mapping[str, Iterable[Sequence[int]]],
    ) -> FeatureDiagram:
        """The diagram of a configuration: who has which feature."""
        hosts: dict[int, set[str]] = {number: set() for number in types}
        for name, members in unary.items():
            for (host,) in members:
                hosts[host].add(name)
        edges: dict[tuple[int, int], set[str]] = {}
        for name, members in binary.items():
            for host, partner in members:
                edges.setdefault((host, partner), set()).add(name)
        return FeatureDiagram(
            tuple((number, name, frozenset(hosts[number])) for number, name in types.items()),
            tuple((host, partner, frozenset(names)) for (host, partner), names in sorted(edges.items())),
        )

    @cached_property
    def graph(self) -> ColouredGraph:
        graph = ColouredGraph()
        place = {}
        for number, type_, features in self.components:
            place[number] = graph.vertex((type_, features))
        for host, partner, features in self.edges:
            graph.edge(place[host], place[partner], features)
        return graph

    @cached_property
    def group(self) -> Group:
        """Aut(FCD): the k-th component is the point k of the group."""
        return self.graph.group()

    def show(self, permutation: Permutation) -> str:
        return permutation.show([str(number) for number, _, _ in self.components])


def feature_arrays(points: Points) -> Iterator[m.Variable]:
    """Arrays with an element for every process, or for every pair, that no component writes to."""
    model, processes = points.interpreter.model, points.started.state.processes
    written = set()
    for number, spots in enumerate(points.started.locations):
        for spot in spots:
            for edge in model.kinds[processes[number].kind].locations[spot].edges:
                written |= {place.variable for effect in edge.effects for place in places(effect)}
    for variable in model.variables:
        square = set(variable.shape) == {len(processes)} and len(variable.shape) <= 2
        if square and variable not in written:
            yield variable


def diagram_of(points: Points) -> FeatureDiagram:
    """The feature configuration diagram of a specification whose features have been switched on."""
    model, state, starter = points.interpreter.model, points.started.state, points.started.starter
    components = [n for n in range(len(state.processes)) if n != starter]
    types = {n: model.kinds[state.processes[n].kind].name for n in components}
    start = offsets(model.variables)
    unary: dict[str, list[tuple[int, ...]]] = {}
    binary: dict[str, list[tuple[int, ...]]] = {}
    for variable in feature_arrays(points):
        table = unary if len(variable.shape) == 1 else binary
        table[variable.name] = []
        pairs = [(i,) for i in components] if table is unary else [(i, j) for i in components for j in components]
        for index in pairs:
            value = state.values[start[variable] + flat(index, variable.shape)]
            if value:
                table.setdefault(f"{variable.name}={value}", []).append(index)
    return FeatureDiagram.of(types, unary, binary)


class FeatureExtension(Extension):
    """What follows from a permutation of components: in feature arrays every index is that of a component."""

    def __init__(self, diagram: ChannelDiagram, text: Text) -> None:
        super().__init__(diagram, text)
        arrays = feature_arrays(self.points)
        self.indices = [self.points.sorts.index(array, k) for array in arrays for k in range(len(array.shape))]

    def tables(self, alpha: Permutation) -> dict[tuple[str, int], dict[int, int]]:
        found = super().tables(alpha)
        nodes = self.diagram.nodes
        moves = {nodes[k].number: nodes[alpha(k)].number for k in alpha.support() if nodes[k].what == PROCESS}
        for sort in self.indices:
            key = ("value", sort.number)
            for source, target in moves.items():
                if source in sort.values or target in sort.values:
                    found.setdefault(key, {})
                    put(found, key, source, target)
        return found


def lifted(points: Points, diagram: FeatureDiagram) -> tuple[ChannelDiagram, Group] | Finding:
    """The components and their channels as nodes, and the group of the diagram on them: channels go with components."""
    model, state = points.interpreter.model, points.started.state
    numbers = [number for number, _, _ in diagram.components]
    inbox = {}
    for number in numbers:
        process = state.processes[number]
        kind = model.kinds[process.kind]
        place = next((k for k, variable in enumerate(kind.variables) if variable.name == INBOX), None)
        if place is None or not points.is_channel(process.values[offsets(kind.variables)[kind.variables[place]]]):
            return Finding(f"process {number} has no channel `{INBOX}`: the model is not one of a featured network")
        inbox[number] = process.values[offsets(kind.variables)[kind.variables[place]]]
    if len(set(inbox.values())) < len(inbox):
        return Finding("two processes have the same channel: the model is not one of a featured network")
    names = points.channel_names()
    nodes = [ChannelNode(PROCESS, number, str(number), kind) for number, kind, _ in diagram.components]
    nodes += [
        ChannelNode(CHANNEL, inbox[number], names.get(inbox[number], "channel"), kind)
        for number, kind, _ in diagram.components
    ]
    count = len(numbers)
    generators = [
        Permutation([*(g(k) for k in range(count)), *(count + g(k) for k in range(count))])
        for g in diagram.group.generators
    ]
    return ChannelDiagram(model.name, tuple(nodes), ()), Group(2 * count, generators, diagram.group.order)


def detect_features(model: m.Model, properties: Sequence[m.Property] | None = None) -> Symmetry:
    """The automorphisms of the feature configuration diagram that keep the properties."""
    kept = model.properties if properties is None else tuple(properties)
    points = points_of(model, kept)
    if isinstance(points, Finding):
        return Symmetry(METHOD, model, None, Group(0), findings=(points,))
    diagram = diagram_of(points)
    nodes = lifted(points, diagram)
    if isinstance(nodes, Finding):
        return Symmetry(METHOD, model, points, Group(len(points.points)), diagram.group, (nodes,))
    text = Text(points, kept)
    search = Validity(nodes[0], text)
    search.extend = FeatureExtension(nodes[0], text)
    found = largest_valid_subgroup(nodes[1], search.is_valid)
    group = search.group(found)
    actions = [Action(points, generator) for generator in group.generators]
    tried = certify(actions, property_conditions(kept))
    findings = []
    if not kept and found.group.order < diagram.group.order:
        findings.append(
            Finding("the specification is not open symmetric: not all automorphisms of the diagram are valid")
        )
    candidates = tuple(map(diagram.show, diagram.group.generators))
    return Symmetry(METHOD, model, points, group, diagram.group, tuple(findings), tried, candidates)
