"""The model as a search on the quotient visits it: with merged steps, and without what needlessly tells processes apart."""

from __future__ import annotations

from coset.model import model as m
from coset.model.passes import merged
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.null_dead_ids import null_dead_ids


def merged_for_symmetry(model: m.Model, marks: bool = True) -> m.Model:
    """The model with merged steps, in which dead ids name no process and processes stay at their ends, where no property can
    notice; `marks` as for `merged`."""
    return keep_terminated(merged(null_dead_ids(model), marks=marks))
