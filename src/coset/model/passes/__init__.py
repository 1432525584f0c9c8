"""Fewer steps: passes from model to model that keep what a property can tell and make the state space smaller.

    plain(model)      the model as it is: every statement a step, every variable kept (`--steps plain`)
    merged(model)     private steps joined, dead variables reset, unused ones removed (`--steps merged`)

Each pass is a function of the model and of `Facts` about it, says in its own file for which properties it is correct,
and returns a well-formed model.  Some are correct for every property (they leave a strong bisimulation), the others
for linear time without next.  Runs of a merged model have to be replayed on the plain one to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from coset.model.model import Model, Variable
from coset.model.passes.compact import compact
from coset.model.passes.facts import Facts, Spot, gather, visible_locations, visible_variables
from coset.model.passes.merge import merge_steps
from coset.model.passes.reset import reset_dead
from coset.model.passes.settle import settle_choices
from coset.model.passes.unify import unify_locations
from coset.model.passes.unused import remove_unused

__all__ = ["PASSES", "Facts", "Pass", "merged", "plain", "visible_locations", "visible_variables"]

MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass: what it is called, whether it needs a property that cannot count steps, and what it does."""

    name: str
    run: Callable[[Model, Facts], Model]
    next_free: bool


PASSES = (
    Pass("unused", remove_unused, next_free=False),
    Pass("merge", merge_steps, next_free=True),
    Pass("settle", settle_choices, next_free=True),
    Pass("reset", reset_dead, next_free=False),
    Pass("unify", unify_locations, next_free=False),
)
"""In the order in which they help each other."""


def plain(model: Model) -> Model:
    """The model as it is."""
    return model


def merged(
    model: Model,
    visible: Collection[Variable] | None = None,
    keep_locations: Collection[Spot] = (),
    next_free: bool = True,
) -> Model:
    wanted = visible_variables(model) if visible is None else visible
    chosen = [p for p in PASSES if next_free or not p.next_free]
    for _ in range(MOST_ROUNDS):
        before = model
        for pass_ in chosen:
            model = pass_.run(model, gather(model, wanted, keep_locations))
        if model == before:
            break
    return compact(model, gather(model, wanted, keep_locations))
