"""The orders of the groups that all methods find."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.source.diagnostics import InputError
from coset.symmetry.methods.channels import detect_channels
from coset.symmetry.methods.constraints.carried import CarriedSymmetry, detect_literals
from coset.symmetry.methods.hypergraph import detect_hypergraph
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.startup import UnknownProcesses, startup
from coset.symmetry.symmetry import Symmetry
from tests.support.state_graph import StateGraph, of_model

Method = Callable[[m.Model, Sequence[m.Property]], Symmetry | CarriedSymmetry]
METHODS: dict[str, Method] = {
    "program": lambda model, kept: detect(model, kept, moves=0),
    "channels": lambda model, kept: detect_channels(model, kept, tries=5_000),
    "hypergraph": lambda model, kept: detect_hypergraph(model, kept, moves=0),
    "constraints": lambda model, kept: detect_literals(model, kept, moves=0),
}


def orders(model: m.Model, most: int) -> dict[str, int]:
    """The orders of the groups, all of whose generators are automorphisms of the graph; a method may refuse."""
    interpreter = Interpreter(model)
    started = startup(interpreter)
    if isinstance(started, UnknownProcesses):
        return {}
    graph: StateGraph[State] | None = None
    found: dict[str, int] = {}
    for name, method in METHODS.items():
        try:
            symmetry = method(model, model.properties)
        except InputError:
            continue
        found[name] = symmetry.order
        for action in symmetry.actions:
            graph = graph or of_model(interpreter, started.states, model.properties, most)
            assert graph.is_automorphism(graph.images(action)), f"{name}: {symmetry.generators()}"
    return found
