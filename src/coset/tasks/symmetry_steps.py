"""The symmetry of a model on plain and on merged steps, and which of the two a search uses.

`explore` counts the states of the plain model, in which a process that ends is removed: only the youngest can be, which
tells processes apart.  `check` decides most properties on merged steps, where no property can observe such differences.  So
their groups may differ, and both are right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from coset.model import model as m
from coset.model.passes import merged, plain
from coset.properties.normal import is_stutter_invariant_syntactically
from coset.results.symmetry import ByExecution, GroupFound
from coset.symmetry.methods.auto import by_constraints
from coset.symmetry.methods.registry import METHODS, Question
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.null_dead_ids import null_dead_ids, null_reset_ids
from coset.symmetry.passes.start_families import start_families

STARTS = {"plain": "REACHED", "merged": "FREE"}
"""What symmetries may do to initial values: as `explore` and `check` use them."""

Stage = tuple[Callable[[m.Model], m.Model], str]
STAGES: tuple[Stage, ...] = (
    (plain, "initial values that name a process need to be kept for counts only"),
    (start_families, "processes that others start at their beginning are started together with them"),
    (null_dead_ids, "an id that has not been written yet names no process"),
    (partial(merged, marks=False), "invisible steps are merged, and dead variables reset"),
    (null_reset_ids, "an id that is not read any more names no process"),
    (keep_terminated, "processes that have ended keep their numbers, which no property can observe"),
)
"""How a model is prepared for `check` (`merged_for_symmetry`), and why each stage may enlarge the group."""


def by_execution(model: m.Model, kept: Sequence[m.Property], known: GroupFound, steps: str) -> ByExecution:
    """The groups on plain and on merged steps; the one on `steps` is `known`."""
    names = [each.name for each in kept]
    before = known if steps == "plain" else found(model, kept, "plain")
    after, whys = before, list[str]()
    for prepare, why in STAGES:
        changed = prepare(model)
        if changed is model and prepare is not plain:
            continue
        model, order = changed, after.order
        after = found(model, [each for each in model.properties if each.name in names], "merged")
        if after.order > order:
            whys.append(why)
    plain_for = tuple(each.name for each in kept if not is_decided_on_merged_steps(each))
    return ByExecution(before, known if steps == "merged" else after, plain_for, "; ".join(whys) or None)


def found(model: m.Model, kept: Sequence[m.Property], steps: str) -> GroupFound:
    """What `auto` finds."""
    program = METHODS["program"].detect(Question(model, kept, moves=0, starts=STARTS[steps]))
    used = program if program.order > 1 else by_constraints(model, kept, 0) or program
    return GroupFound(used.order, tuple(used.generators()), used.describe())


def is_decided_on_merged_steps(property_: m.Property) -> bool:
    """Whether `check` decides a property on merged steps: those that count steps, or branch, are decided on plain ones."""
    return isinstance(property_, m.LtlProperty) and is_stutter_invariant_syntactically(property_.formula)
