"""The coloured graph of the constraint problem of a model, as a diagram (Puget, CP 2005; Zhang et al., ASE 2013).

For `process p(bit x) = flip { x = 1 - x; } init p(*);` it has the literals x=0 and x=1 before the step and x'=0 and x'=1 after
it, and a constraint with two rows: x=0 with x'=1, x=1 with x'=0.  Its one non-trivial automorphism exchanges the values.
"""

from __future__ import annotations

from collections.abc import Hashable

from coset.formats.dot import Arrow, Diagram, DiagramNode, Part
from coset.model.model import Model
from coset.source.diagnostics import InputError
from coset.symmetry.literal_action import names
from coset.symmetry.methods.constraints import TooLarge
from coset.symmetry.methods.constraints.detect import constraint_graph
from coset.symmetry.methods.constraints.form import sequential_form
from coset.symmetry.methods.constraints.graph import ConstraintGraph
from coset.symmetry.startup import UnknownProcesses
from coset.tasks.draw import Undrawable

MOST_DRAWN = 400
"""The most vertices of a graph that is drawn; Graphviz takes very long for larger ones, and they cannot be read."""


def constraints(model: Model) -> Diagram:
    """The graph whose automorphisms are the symmetries that the method `constraints` finds.  Vertices in one orbit have the same
    colour.  Raises `Undrawable`."""
    try:
        form = sequential_form(model, model.properties)
        if isinstance(form, UnknownProcesses):
            raise Undrawable(f"the set of processes is not known: {form.why}")
        built = constraint_graph(form.flat, MOST_DRAWN)
    except InputError as error:
        raise Undrawable(f"the model has no sequential form: {error.diagnostics[0].message}") from None
    except TooLarge as reason:
        raise Undrawable(f"{reason}; make the model smaller (-D NAME=VALUE)") from None
    if len(built.graph.colours) > MOST_DRAWN:
        raise Undrawable(f"the graph has {len(built.graph.colours):,} vertices; make the model smaller (-D NAME=VALUE)")
    return pictured(built, model.name)


def pictured(built: ConstraintGraph, title: str) -> Diagram:
    graph = built.graph
    group = graph.group(range(len(graph.colours)))
    orbit = {vertex: number for number, members in enumerate(group.moved) for vertex in members}
    labels = literals(built)
    nodes = [
        DiagramNode(str(k), labels.get(k) or label(colour), "", frozenset(mark(colour)), orbit.get(k))
        for k, colour in enumerate(graph.colours)
    ]
    arrows = [
        Arrow(
            str(source), str(target), (), frozenset({"line"} if graph.colours[source] in ("element", "before") else ())
        )
        for source, targets in enumerate(graph.edges)
        for target in targets
    ]
    order = graph.group(built.vertices).order
    found = f"{order:,} symmetries" if order > 1 else "no symmetry"
    part = Part(title, tuple(nodes), tuple(arrows), f"{found}, {len(nodes)} vertices")
    return Diagram(title, (part,), ("constraints", *(["orbit"] if orbit else [])), "across")


def literals(built: ConstraintGraph) -> dict[int, str]:
    """The labels of elements and of their literals before and after a step."""
    known = names(built.model)
    found = {}
    for (role, element, value), vertex in built.state.items():
        found[vertex] = f"{known[element]}{chr(39) if role == 'after' else ''}={value}"
    for vertex, colour in enumerate(built.graph.colours):
        if colour == "element":
            first = min(built.graph.edges[vertex])
            found[vertex] = known[next(element for (_, element, _), k in built.state.items() if k == first)]
    return found


def label(colour: Hashable) -> str:
    """The text of any other vertex: summands have their events, constraints their kinds."""
    if isinstance(colour, tuple):
        what, which = colour
        return str(which) if what == "summand" else f"{what} {which}" if what == "condition" else str(what)
    return str(colour)


def mark(colour: Hashable) -> list[str]:
    """Elements are drawn as variables, summands and starts as processes, all others as boxes."""
    if colour == "element":
        return ["variable"]
    return ["process"] if colour == "start" or (isinstance(colour, tuple) and colour[0] == "summand") else []
