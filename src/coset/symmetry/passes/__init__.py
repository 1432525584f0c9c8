"""Passes for symmetry: the model with merged steps, without needless differences between processes."""

from __future__ import annotations

from coset.model import model as m
from coset.model.passes import merged
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.null_dead_ids import null_dead_ids, null_reset_ids


def merged_for_symmetry(model: m.Model, marks: bool = True) -> m.Model:
    """The model with merged steps, in which processes that others start at their beginning exist as soon as these do, dead ids
    name no process and terminated processes stay at their ends, where no property can observe that; `marks` as for `merged`."""
    return keep_terminated(null_reset_ids(merged(null_dead_ids(with_families(model)), marks=marks)))


def with_families(model: m.Model) -> m.Model:
    """The model in which processes are started together with those that they start at their beginning."""
    edges = (edge for kind in model.kinds for location in kind.locations for edge in location.edges)
    if not any(isinstance(effect, m.Run) for edge in edges for effect in edge.effects):
        return model
    from coset.symmetry.passes.start_families import start_families  # which many models do not need

    return start_families(model)
