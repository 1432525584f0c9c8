"""Passes from model to model that preserve properties and make the state space smaller.

    plain(model)      the model itself: every statement is a step, every variable is kept (`--steps plain`)
    merged(model)     private steps merged, dead variables reset, unused ones removed (`--steps merged`)

Each pass is a function of a model and `Facts` about it, states in its docstring for which properties it is sound, and returns
a well-formed model.  Runs of a merged model are not runs of the plain model: to show one, search the plain model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from itertools import cycle, islice

from coset.model.analysis.facts import Facts, gather
from coset.model.analysis.occurrences import Spot, visible_locations, visible_variables
from coset.model.model import Model, Variable
from coset.model.passes.compact import compact
from coset.model.passes.merge import merge_steps
from coset.model.passes.reset import reset_dead
from coset.model.passes.transient_choices import make_choices_transient
from coset.model.passes.unify import unify_locations
from coset.model.passes.unused import remove_unused
from coset.source.records import dataclass

__all__ = ["LAST", "PASSES", "Needs", "Pass", "merged", "plain", "visible_locations", "visible_variables"]

MOST_ROUNDS = 50
"""The most rounds; each one removes something, so that a fixed point, which no pass changes, is reached long before."""


class Needs(Enum):
    """What a pass requires of the properties to be checked."""

    NOTHING = "any property: strong bisimulation"
    NO_NEXT = "properties without next: branching bisimulation that respects divergence"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass: its name, its function, what it requires of properties, and the condition under which it changes something."""

    name: str
    run: Callable[[Model, Facts], Model]
    needs: Needs
    condition: str


PASSES = (
    Pass("unused", remove_unused, Needs.NOTHING, "nothing that matters is computed from the variable"),
    Pass("merge", merge_steps, Needs.NO_NEXT, "the step is private, or its location is never observed"),
    Pass(
        "transient choices", make_choices_transient, Needs.NO_NEXT, "exactly one of several private steps is possible"
    ),
    Pass("reset", reset_dead, Needs.NOTHING, "the variable is private and written before it is read again"),
    Pass("unify", unify_locations, Needs.NOTHING, "the locations have equal marks and equal edges to equal locations"),
)
"""The passes, in an order in which each enables the next."""

LAST = Pass("compact", compact, Needs.NOTHING, "the location is unreachable, and location numbers are not observed")
"""The last pass, which runs once, as it renumbers locations."""


def plain(model: Model) -> Model:
    """The model as it is."""
    return model


def merged(
    model: Model,
    visible: Collection[Variable] | None = None,
    keep_locations: Collection[Spot] = (),
    next_free: bool = True,
    marks: bool = True,
) -> Model:
    """The reduced model, for properties about `visible` variables (by default those that the properties of the model mention)
    and about being at one of `keep_locations`.  `next_free` means that no property counts steps; otherwise no steps are
    merged.  Without `marks`, accept and progress marks of locations are ignored: for properties of single states."""
    if model.stuttering:  # without a variable that nothing reads, a step that changes it would lead back
        return model
    wanted = visible_variables(model) if visible is None else visible
    chosen = [p for p in PASSES if next_free or p.needs is Needs.NOTHING]
    facts, idle = gather(model, wanted, keep_locations, marks), 0
    for pass_ in islice(cycle(chosen), MOST_ROUNDS * len(chosen)):
        changed = pass_.run(model, facts)
        idle = idle + 1 if changed == model else 0
        if not idle:
            model, facts = changed, gather(changed, wanted, keep_locations, marks)
        if idle == len(chosen):
            break
    return LAST.run(model, facts)
