"""Diagrams that show the symmetry of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from coset.formats.dot import Arrow, Diagram, DiagramNode, Part

if TYPE_CHECKING:
    from coset.model.model import Model
    from coset.symmetry.methods.channels.diagram import ChannelDiagram, ChannelNode
    from coset.symmetry.methods.features import FeatureDiagram
    from coset.symmetry.methods.hypergraph import Hyperedge, Hypergraph
    from coset.symmetry.symmetry import Symmetry


LONG = 100
"""The longest description of a group's structure that is shown."""


class Undrawable(Exception):
    """There is nothing to draw; the message tells why."""


def channels(model: Model, shared_variables: bool = False) -> Diagram:
    """The static channel diagram of a model: processes, channels, and which processes send and receive.  Nodes in one orbit of
    the model's symmetry group have the same colour."""
    from coset.symmetry.methods.channels.diagram import channel_diagram
    from coset.symmetry.methods.program.detect import detect, points_of
    from coset.symmetry.symmetry import Finding

    symmetry = detect(model)
    points = symmetry.points or points_of(model, model.properties)
    if isinstance(points, Finding):
        raise Undrawable(f"the set of processes is not known: {points.text}")
    return picture(channel_diagram(points, shared_variables), symmetry)


def picture(diagram: ChannelDiagram, symmetry: Symmetry) -> Diagram:
    names = [f"{node.what}{node.number}.{node.element}" for node in diagram.nodes]
    touched = {end for edge in diagram.edges for end in edge}
    starter = symmetry.points.started.starter if symmetry.points is not None else None
    shown = [
        k for k, node in enumerate(diagram.nodes) if k in touched or node.what != "process" or node.number != starter
    ]
    orbits, edges = orbits_of(diagram, symmetry), frozenset(diagram.edges)
    nodes = [shown_node(names[k], diagram.nodes[k], orbits.get(k)) for k in shown]
    arrows = [
        Arrow(names[source], names[target], marks=frozenset({"both"} if (target, source) in edges else ()))
        for source, target in diagram.edges
        if (target, source) not in edges or diagram.nodes[source].what == "process"
    ]
    whats = {diagram.nodes[k].what for k in shown}
    legend = ["nodes", *(["variables"] if "variable" in whats else []), *(["orbit"] if orbits else [])]
    level = [tuple(names[k] for k in members if k in shown) for members in alike(diagram)]
    part = Part(
        diagram.model, tuple(nodes), tuple(arrows), headline(symmetry), tuple(row for row in level if len(row) > 1)
    )
    return Diagram(diagram.model, (part,), tuple(legend), "ring" if is_ring(len(nodes), diagram.edges) else "across")


def headline(symmetry: Symmetry) -> str:
    structure = symmetry.describe()
    found = f"{symmetry.order:,} symmetries" if symmetry.order > 1 else "no symmetry"
    return f"{found}: {structure}" if symmetry.order > 1 and len(structure) < LONG else found


def shown_node(name: str, node: ChannelNode, orbit: int | None) -> DiagramNode:
    if node.what == "process":
        return DiagramNode(name, f"{node.kind} {node.name}", "", frozenset({node.what}), orbit)
    return DiagramNode(name, node.name, node.kind, frozenset({node.what}), orbit)


def alike(diagram: ChannelDiagram) -> list[list[int]]:
    """Groups of nodes with the same role: of one kind, with neighbours of the same kinds."""
    found: dict[Hashable, list[int]] = {}
    for k, node in enumerate(diagram.nodes):
        to = frozenset(diagram.nodes[target].kind for source, target in diagram.edges if source == k)
        from_ = frozenset(diagram.nodes[source].kind for source, target in diagram.edges if target == k)
        around = () if node.what == "process" else (to, from_)
        found.setdefault((node.what, node.kind, around), []).append(k)
    return list(found.values())


def orbits_of(diagram: ChannelDiagram, symmetry: Symmetry) -> dict[int, int]:
    """The number of the orbit of each node that moves."""
    points = symmetry.points
    if points is None:
        return {}
    keys = {}
    for orbit, members in enumerate(symmetry.group.moved):
        for point in (points.points[k] for k in members):
            if point.what == "value" and points.sort(point.number).objects:
                keys[points.sort(point.number).objects, point.item] = orbit
            elif point.what == "global":
                keys["variable", point.item] = orbit
    found = {
        k: keys[node.what, node.number] for k, node in enumerate(diagram.nodes) if (node.what, node.number) in keys
    }
    numbers = {orbit: number for number, orbit in enumerate(dict.fromkeys(found.values()))}
    return {k: numbers[orbit] for k, orbit in found.items()}


def is_ring(count: int, edges: Sequence[tuple[int, int]]) -> bool:
    """Whether the nodes form a single ring.

    >>> is_ring(3, [(0, 1), (1, 2), (2, 0)]), is_ring(4, [(0, 1), (1, 0), (2, 3), (3, 2)])
    (True, False)
    """
    neighbours: dict[int, set[int]] = {}
    for source, target in edges:
        neighbours.setdefault(source, set()).add(target)
        neighbours.setdefault(target, set()).add(source)
    if len(neighbours) != count or Counter(map(len, neighbours.values())) != {2: count}:
        return False
    seen, todo = set(), [next(iter(neighbours))]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += neighbours[node]
    return len(seen) == count


# --- hypergraphs ---------------------------------------------------------------------------------


def hypergraph(model: Model) -> Diagram:
    """The hypergraph of shared variables of a model: processes, and the variables and channels that join them.  Nodes in one
    orbit of its symmetry group have the same colour."""
    from coset.symmetry.methods.hypergraph import detect_hypergraph
    from coset.symmetry.methods.hypergraph.orbits import orbits

    symmetry = detect_hypergraph(model)
    if symmetry.points is None:
        raise Undrawable(f"the set of processes is not known: {symmetry.findings[0].text}")
    found = symmetry.hypergraph
    assert found is not None
    state, starter = symmetry.points.started.state, symmetry.points.started.starter
    joined = {process for edge in found.edges for process in edge.members}
    processes = [number for number in range(len(state.processes)) if number in joined or number != starter]
    of_process, of_edge = orbits(found, symmetry.group)
    nodes = [
        DiagramNode(
            f"process{n}", f"{model.kinds[state.processes[n].kind].name} {n}", "", frozenset({"process"}), of_process[n]
        )
        for n in processes
    ]
    letters = roles(found)
    arrows = []
    for edge in found.edges:
        what = "channel" if edge.is_channel else "variable"
        name = f"{what}.{edge.name}"
        nodes.append(DiagramNode(name, edge.name, edge.kind, frozenset({what}), of_edge[edge.target]))
        for process, role in edge.roles:
            label = letters.get((state.processes[process].kind, role))
            arrows.append(Arrow(f"process{process}", name, (label,) if label else (), frozenset({"line"})))
    title = symmetry.points.interpreter.model.name
    part = Part(title, tuple(nodes), tuple(arrows), headline(symmetry))
    legend = ("hyperedges", *(["roles"] if letters else []), *(["orbit"] if symmetry.order > 1 else []))
    numbers = {node.name: k for k, node in enumerate(nodes)}
    ring = is_ring(len(nodes), [(numbers[arrow.source], numbers[arrow.target]) for arrow in arrows])
    return Diagram(title, (part,), legend, "ring" if ring else "across")


def roles(found: Hypergraph) -> dict[tuple[int, Hashable], str]:
    """Letters for the roles that variables have for processes of a kind, where similar variables have several roles."""
    state = found.points.started.state
    seen: dict[tuple[int, str], dict[Hashable, None]] = {}
    for edge in found.edges:
        for process, role in edge.roles:
            seen.setdefault((state.processes[process].kind, family(edge)), {})[role] = None
    letters: dict[tuple[int, Hashable], str] = {}
    for (kind, _), among in seen.items():
        for each in among if len(among) > 1 else ():
            letters[kind, each] = chr(ord("a") + len(letters) % 26) + "'" * (len(letters) // 26)
    return letters


def family(edge: Hyperedge) -> str:
    return edge.name.split("[")[0]


# --- featured networks ---------------------------------------------------------------------------


def features(diagram: FeatureDiagram, title: str) -> Diagram:
    """A feature configuration diagram: components with their unary features, and an arrow from the host of a binary feature to
    its partner.  Components in one orbit of its automorphisms have the same colour."""
    orbits = {k: orbit for orbit, members in enumerate(diagram.group.moved) for k in members}
    nodes = [
        DiagramNode(str(number), f"{type_} {number}", ", ".join(sorted(names)), frozenset({"process"}), orbits.get(k))
        for k, (number, type_, names) in enumerate(diagram.components)
    ]
    arrows = [Arrow(str(host), str(partner), tuple(sorted(names))) for host, partner, names in diagram.edges]
    order = diagram.group.order
    generators = ", ".join(diagram.show(generator) for generator in diagram.group.generators)
    subtitle = f"{order:,} symmetries: {generators}" if order > 1 else "no symmetry"
    legend = ("features", *(["orbit"] if orbits else []))
    return Diagram(title, (Part(title, tuple(nodes), tuple(arrows), subtitle[:LONG]),), legend, "across")


def model_features(model: Model) -> Diagram:
    """The feature configuration diagram of a generated specification."""
    from coset.symmetry.methods.features import diagram_of
    from coset.symmetry.methods.program.detect import points_of
    from coset.symmetry.symmetry import Finding

    points = points_of(model, ())
    if isinstance(points, Finding):
        raise Undrawable(f"the set of processes is not known: {points.text}")
    return features(diagram_of(points), model.name)
