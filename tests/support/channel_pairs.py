"""Pairs that a channel diagram may exchange."""

from __future__ import annotations

from coset.symmetry.action import Action
from coset.symmetry.symmetry import Symmetry
from tests.support.symmetry_naive import Pair


def pairs(symmetry: Symmetry) -> set[Pair]:
    """What the elements of a group do with processes and channels."""
    assert symmetry.points is not None
    state, found = symmetry.points.started.state, set()
    for element in symmetry.group.elements():
        action = Action(symmetry.points, element)
        processes = tuple(action.process.get(k, k) for k in range(len(state.processes)))
        channels = tuple(action.channel.get(k, k) for k in range(1, len(state.channels) + 1))
        found.add((processes, (0, *channels)))
    return found
