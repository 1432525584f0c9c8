"""The result of a detection method: the group of a model, and the findings about it."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

from coset.model import model as m
from coset.source.records import dataclass
from coset.source.text import Span
from coset.symmetry.action import Action, Points
from coset.symmetry.describe import describe
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.sorts import Sorts


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark about the model, with its span in the source."""

    text: str
    span: Span | None = None


@dataclass(frozen=True)
class Symmetry:
    """The symmetry of a model, found by some method.  Without `points` there is none, and `findings` tell why."""

    method: str
    model: m.Model
    points: Points | None
    group: Group
    candidate: Group | None = None
    findings: tuple[Finding, ...] = ()
    certified: int = 0
    """The number of reachable states on which the generators were tried."""
    candidate_generators: tuple[str, ...] = field(default=(), compare=False)
    """The generators of the `candidate` group, by name."""
    log: tuple[str, ...] = field(default=(), compare=False)
    """The steps of the detection, line by line."""
    sums: bool = True
    """Whether orbits of reachable states have reachable states only, so that their sizes add up to the unreduced count."""
    read: m.Model | None = None
    """The model that the symmetries were read off, with the same observable steps; None if it is the model as it is written."""

    @property
    def order(self) -> int:
        return self.group.order

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The generators as actions on states."""
        points = self.points
        return () if points is None else tuple(Action(points, generator) for generator in self.group.generators)

    def generators(self) -> list[str]:
        """The generators in cycle notation, by name."""
        return [self.show(generator) for generator in self.group.generators]

    def show(self, permutation: Permutation) -> str:
        """A symmetry in terms of the source text: processes, channels, variables, values."""
        if self.points is None:
            return "()"
        return self.points.show(permutation)

    def describe(self) -> str:
        """The structure of the group in a few words, as `S4 on client{1,2,4,5}`."""
        return "trivial" if self.points is None or self.order == 1 else describe(self.group, self.points)


def pinned_objects(sorts: Sorts) -> tuple[Finding, ...]:
    """Why processes or channels of some sorts cannot be permuted."""
    return tuple(
        Finding(f"{sort.name}: {sort.pinned}", sort.pinned_at)
        for sort in sorts.all
        if sort.pinned is not None and sort.objects
    )
