"""The symmetry of a model on plain and on merged steps, and which of the two a search uses.

`explore` counts the states of the plain model, in which a process that ends is removed: only the youngest can be, which
tells processes apart.  `check` decides most properties on merged steps, where no property can observe such differences.  So
their groups may differ, and both are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from coset.model import model as m
from coset.model.passes import merged, plain
from coset.properties.normal import is_stutter_invariant_syntactically
from coset.results.symmetry import ByExecution, GroupFound
from coset.symmetry.canonical.anonymous import in_any_order
from coset.symmetry.methods.auto import by_constraints
from coset.symmetry.methods.registry import METHODS, Question
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.null_dead_ids import null_dead_ids, null_reset_ids
from coset.symmetry.passes.start_families import start_families
from coset.symmetry.symmetry import Symmetry

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


UNSEEN_ENDS = "no property can observe when a process ends"


def by_execution(model: m.Model, kept: Sequence[m.Property], known: GroupFound, steps: str) -> ByExecution:
    """The groups on plain and on merged steps; the one on `steps` is `known`."""
    names = [each.name for each in kept]
    before = known if steps == "plain" else found(model, kept, "plain")
    prepared = list(stages(model))
    groups = [GroupFound(1, (), "")] * len(prepared)
    last = len(prepared) - 1
    groups[last] = known if steps == "merged" else of_stage(prepared[last][0], names)
    whys = list[str]()
    if groups[last].order == before.order and groups[last].structure != before.structure:
        whys = [UNSEEN_ENDS]
    if groups[last].order > before.order:
        groups[:last] = [of_stage(each, names) for each, _ in prepared[:last]]
        pairs = zip([before, *groups], zip(groups, prepared, strict=True), strict=False)
        whys = [why for earlier, (later, (_, why)) in pairs if later.order > earlier.order]
    plain_for = tuple(each.name for each in kept if not is_decided_on_merged_steps(each))
    return ByExecution(before, groups[last], plain_for, "; ".join(whys) or None)


def stages(model: m.Model) -> Iterator[tuple[m.Model, str]]:
    """The model after each stage that changes it, with why the group may be larger."""
    for prepare, why in STAGES:
        changed = prepare(model)
        if changed is not model or prepare is plain:
            yield changed, why
        model = changed


def of_stage(model: m.Model, names: Sequence[str]) -> GroupFound:
    return found(model, [each for each in model.properties if each.name in names], "merged")


def found(model: m.Model, kept: Sequence[m.Property], steps: str) -> GroupFound:
    """What `auto` finds."""
    program = cast("Symmetry", METHODS["program"].detect(Question(model, kept, moves=0, starts=STARTS[steps])))
    processes = in_any_order(program, kept) if steps == "merged" else None  # `explore` counts states
    if processes is not None:
        return GroupFound(1, (), processes.describe())
    used = program if program.order > 1 else by_constraints(model, kept, 0) or program
    return GroupFound(used.order, tuple(used.generators()), used.describe())


def is_decided_on_merged_steps(property_: m.Property) -> bool:
    """Whether `check` decides a property on merged steps: those that count steps, or branch, are decided on plain ones."""
    return isinstance(property_, m.LtlProperty) and is_stutter_invariant_syntactically(property_.formula)
