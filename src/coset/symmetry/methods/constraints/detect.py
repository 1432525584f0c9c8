"""Symmetry by constraints: from a sequential model to a group of permutations of its literals.

S. J. Zhang, J. Sun, C. Sun, Y. Liu, J. Ma, J. S. Dong: Constraint-based automatic symmetry detection, ASE 2013.
"""

from __future__ import annotations

import time
from dataclasses import field, replace
from functools import cached_property

from coset.model.sequential_model import SequentialModel
from coset.source.budget import current_budget
from coset.source.records import dataclass
from coset.symmetry.groups.aside import TooMuchMemory
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.recognition import describe
from coset.symmetry.groups.structure import name
from coset.symmetry.literal_action import LiteralAction, Point, cycles, names
from coset.symmetry.methods.constraints.certify import certify
from coset.symmetry.methods.constraints.domains import Occurring
from coset.symmetry.methods.constraints.graph import MOST_VERTICES, ConstraintGraph
from coset.symmetry.methods.constraints.problem import TooLarge
from coset.symmetry.methods.constraints.tables import forget
from coset.symmetry.methods.constraints.versions import Unknowns, parts

MOVES = 40_000
"""Steps that are compared for certification: about a second."""


@dataclass(frozen=True)
class ConstraintSymmetry:
    """The symmetries of a sequential model.  Point i of the group is the literal `points[i]`: an element of the state with
    one of its values."""

    model: SequentialModel
    points: tuple[Point, ...]
    group: Group
    vertices: int
    """The size of the coloured graph."""
    certified: int
    """On how many reachable states the generators were tried."""
    seconds: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def order(self) -> int:
        return self.group.order

    @cached_property
    def actions(self) -> tuple[LiteralAction, ...]:
        size = len(self.model.elements)
        return tuple(LiteralAction(self.points, generator, size) for generator in self.group.generators)

    def generators(self) -> list[str]:
        """The generators in cycle notation, by the names of elements and literals."""
        known = names(self.model)
        return [cycles(generator, self.points, known) for generator in self.group.generators]

    def describe(self) -> str:
        """The structure of the group, as `S3 x S2`."""
        return "trivial" if self.order == 1 else name(describe(self.group))


def detect_constraints(
    model: SequentialModel, *, moves: int = MOVES, most_vertices: int = MOST_VERTICES
) -> ConstraintSymmetry:
    """All symmetries that the constraint problem of a model shows, certified.  Raises `TooLarge` if its variables have too
    many values.

    >>> from coset.languages.sequential.parse import parse_text
    >>> found = detect_constraints(parse_text("process p(0..2 x) = next { x = (x + 1) % 3; } init p(*);"))
    >>> found.order, found.generators()
    (3, ['(x=0 x=1 x=2)'])
    """
    found = uncertified(model, most_vertices)
    began = time.monotonic()
    tried = certify(model, found.actions, moves)
    return replace(found, certified=tried, seconds={**found.seconds, "certification": time.monotonic() - began})


def constraint_graph(model: SequentialModel, most_vertices: int = MOST_VERTICES) -> ConstraintGraph:
    """The coloured graph of a model.  Raises `TooLarge` if it has more vertices."""
    forget()
    try:
        unknowns = Unknowns(model)
        occurring = Occurring(model, unknowns, list(parts(model, unknowns)))
        return ConstraintGraph(model, occurring, most_vertices)
    finally:
        forget()


def uncertified(model: SequentialModel, most_vertices: int = MOST_VERTICES) -> ConstraintSymmetry:
    """The symmetries of a model, tried on no state.  Raises `TooLarge` if the graph has more vertices."""
    began = time.monotonic()
    built = constraint_graph(model, most_vertices)
    constructed = time.monotonic()
    current_budget().demand()
    try:
        group = built.graph.group(built.vertices)
    except TooMuchMemory as error:
        raise TooLarge(str(error)) from None
    spent = {"construction": constructed - began, "automorphisms": time.monotonic() - constructed}
    return ConstraintSymmetry(model, tuple(built.points), group, len(built.graph.colours), 0, spent)
