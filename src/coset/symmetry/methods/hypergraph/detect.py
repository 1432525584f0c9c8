"""`hypergraph`: from a model to its group by the hypergraph of shared variables (Clarke et al., CAV 1998).

Theorem 3: a permutation pi of the processes that maps shared variables to shared variables (*consistent*), and the text
of each process K_i to that of K_pi(i), is an automorphism of the state graph.  Automorphisms of the hypergraph are asked
for exactly that.  Where one does not pass, because roles that look alike piece by piece do not as a whole, the largest
subgroup of those that do is looked for, and if that takes too long what the hypergraph with exact roles has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import NamedTuple

from coset.model import model as m
from coset.source.records import dataclass
from coset.symmetry.action import Action
from coset.symmetry.certify import MOVES, certify, certify_steps
from coset.symmetry.certify_text import Text
from coset.symmetry.conditions import property_conditions
from coset.symmetry.groups.aside import TooMuchMemory
from coset.symmetry.groups.automorphisms import TooManyVertices
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.largest import largest_valid_subgroup
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.hypergraph.diagram import Hypergraph, hypergraph
from coset.symmetry.methods.program.detect import on_states_of, points_of, readings
from coset.symmetry.symmetry import Finding, Symmetry, pinned_objects

METHOD = "hypergraph"
TRIES = 20_000
"""Elements that are tried before it is looked only at the exact diagram."""


@dataclass(frozen=True)
class HypergraphSymmetry(Symmetry):
    """A symmetry found by the hypergraph of shared variables."""

    hypergraph: Hypergraph | None = field(default=None, compare=False)


def detect_hypergraph(
    model: m.Model, properties: Sequence[m.Property] | None = None, *, moves: int = MOVES
) -> HypergraphSymmetry:
    """The symmetries of the hypergraph of shared variables that preserve the properties; `candidate` is the group of the
    hypergraph itself.  The model is read in the same ways as by `program`."""
    kept = model.properties if properties is None else tuple(properties)
    whole = replace(model, properties=kept)
    tried = [by_hypergraph(read, kept) for read in readings(whole)]
    found = [each for each in tried if not isinstance(each, Finding)]
    if not found:
        assert isinstance(tried[0], Finding)
        return HypergraphSymmetry(METHOD, model, None, Group(0), findings=(tried[0],))
    diagram, group = max(found, key=lambda each: each.group.order)
    points = diagram.points
    read = points.interpreter.model
    if read is not whole:
        points = on_states_of(whole, points)
    actions = [Action(points, g) for g in group.generators]
    certified = certify(actions, property_conditions(kept), moves)
    if read is not whole:
        certify_steps(actions, moves)
    return HypergraphSymmetry(
        METHOD,
        model,
        points,
        group,
        diagram.group,
        pinned_objects(points.sorts),
        certified,
        candidate_generators=tuple(map(points.show, diagram.group.generators)),
        read=read,
        hypergraph=diagram,
    )


class Detected(NamedTuple):
    """A group before it is tried on states."""

    diagram: Hypergraph
    group: Group


def by_hypergraph(model: m.Model, kept: tuple[m.Property, ...]) -> Detected | Finding:
    """The group of a model as it is read."""
    points = points_of(model, kept)
    if isinstance(points, Finding):
        return points
    try:
        diagram = hypergraph(points, kept)
        group = diagram.group
        text = Text(points, kept)

        def is_symmetry(g: Permutation) -> bool:
            """Whether pi(K_i) = K_pi(i) for all processes, and the beginning and the properties stay."""
            return text.difference(Action(points, g)) is None

        valid = [g for g in group.generators if is_symmetry(g)]
        if len(valid) < len(group.generators):
            largest = largest_valid_subgroup(group, is_symmetry, TRIES)
            group = largest.group.join(*valid)
            if not largest.complete:
                exact = hypergraph(points, kept, exact=True).group
                group = group.join(*filter(is_symmetry, exact.generators))
    except (TooManyVertices, TooMuchMemory) as error:
        return Finding(f"the model is too large for its hypergraph: {error}")
    return Detected(diagram, group)
