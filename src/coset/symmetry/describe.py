"""The structure of a symmetry group in a few words, by the names of the processes that it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.symmetry.groups.recognition import describe as recognise
from coset.symmetry.groups.structure import name

if TYPE_CHECKING:
    from coset.symmetry.detect import Symmetry


def describe(symmetry: Symmetry) -> str:
    """As `S4 on client{1,2,4,5}`, `S3 wr S2 on client x S3 on server`, or `trivial`."""
    points = symmetry.points
    if points is None or symmetry.order == 1:
        return "trivial"
    model, state = symmetry.model, points.settled.state
    names, kinds = points.names(), []
    for point in points.points:
        is_process = point.what == "value" and points.sort(point.number).objects == "process"
        in_state = is_process and 0 <= point.item < len(state.processes)
        kinds.append(model.kinds[state.processes[point.item].kind].name if in_state else "")
    labelled = [f"{kind}{name_}" if kind else name_ for name_, kind in zip(names, kinds, strict=True)]
    return name(recognise(symmetry.group), labelled, kinds)
