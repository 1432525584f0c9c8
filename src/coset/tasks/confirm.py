"""Confirmation of verdicts: properties are decided again on the plain model, without symmetry and reductions.

An error in merging, symmetry or partial order reduction could make a verdict wrong.  If the plain model is small, the
interpreter decides again every property that was found to hold.  With a cross-check every verdict is decided again, at any
size, by another engine if there is one.  If the two verdicts differ, the result is an internal error, not a verdict.

A violation comes with a run that the interpreter has executed on the plain model, so it needs no confirmation, except for CTL
formulas that no single run can refute.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from coset.engines import contract
from coset.engines.reference import branching, cycles
from coset.engines.reference.engine import explore
from coset.engines.registry import ENGINES
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.fairness import Fairness, fairness_of
from coset.model.implicit import PROGRESS, implicit_properties
from coset.properties.goals import goal
from coset.properties.kinds import BUILTIN, PropertyKind
from coset.results.events import Listener, ignore_events
from coset.results.internal import ConflictingVerdicts
from coset.results.trace import property_named
from coset.results.verdict import Check, Confirmation, PropertyResult, Verdict
from coset.source.budget import Limits, Phases, installed, within
from coset.source.records import dataclass
from coset.source.timing import phase
from coset.tasks import checker

SMALL = 1000
"""The most states of the plain model, and of its product with each property's automaton, that are visited to confirm verdicts:
about 50 milliseconds for most models."""
UNKNOWN_FACTOR = 10
"""How many states a stored one is taken to represent where that is not counted, as with partial order reduction."""
SMALL_STEPS = 50_000
"""The most moves that the interpreter tries to confirm verdicts, for models whose states have very many moves."""
QUICK = 20_000
"""With a cross-check the interpreter tries first; beyond this many states the compiled engine is used."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A verdict on the plain model.  `reason` tells why there is none."""

    verdict: Verdict
    states: int = 0
    engine: str = "reference"
    reason: str | None = None

    @property
    def confirmation(self) -> Confirmation:
        return Confirmation(self.states, self.engine)


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The model and options of a check."""

    model: m.Model
    settings: Settings
    engine: str
    steps: str
    fair: Fairness
    all_errors: bool

    @property
    def merges(self) -> bool:
        is_possible = self.model.sequential is None and ENGINES[self.engine].merges
        return self.steps == "merged" and is_possible and not self.fair

    def is_goal(self, name: str) -> bool:
        """Whether a property is looked for as a goal, which may be with merged steps."""
        found = property_named(self.model, name)
        return isinstance(found, m.CtlProperty) and goal(found.formula) is not None

    def is_reduced(self, property_: PropertyResult, found: Check) -> bool:
        """Whether the verdict on a property may come from a smaller model than the plain one, or from another verdict."""
        if property_.by_symmetry is not None:
            return True
        kind = property_.kind
        is_partial = self.settings.reduction == "por"  # `auto` needs merged steps
        if kind.builtin:
            is_symmetric = found.exploration.symmetry.representative is not None
            return not self.all_errors and (self.merges or is_partial or is_symmetric)
        has_group = found.exploration.symmetry.group.order > 1
        by_orbits = found.engine == "explicit" or (found.engine == "reference" and bool(self.fair) and has_group)
        is_symmetric = self.settings.symmetry != "off" and by_orbits
        is_smaller = self.merges and (kind is PropertyKind.LTL or self.is_goal(property_.name))
        return is_symmetric or is_partial or is_smaller


def check(
    model: m.Model,
    *,
    engine: str = "auto",
    settings: Settings | None = None,
    limits: Limits | None = None,
    properties: Sequence[str] | None = None,
    fair: bool | str | Fairness = False,
    steps: str = "merged",
    all_errors: bool = False,
    cross_check: bool = False,
    keep_going: bool = False,
    listener: Listener = ignore_events,
) -> Check:
    """As `checker.check`, with confirmation of the verdicts.  Raises `ConflictingVerdicts`."""
    settings, limits = settings or Settings(), limits or Limits()
    fairness = fair if isinstance(fair, Fairness) else fairness_of(fair)
    options: dict[str, Any] = {
        "fair": fairness, "all_errors": all_errors, "keep_going": keep_going, "listener": listener,
    }  # fmt: skip
    result = checker.check(
        model, engine=engine, settings=settings, limits=limits, properties=properties, steps=steps, **options
    )
    request = CheckRequest(model, settings, engine, steps, fairness, all_errors)
    began = time.monotonic()
    opinions = Phases()(
        lambda: cross_checked(request, result, limits, listener) if cross_check else small_enough(request, result)
    )
    opinions = opinions or {}
    result.properties = [compared(request, result, each, opinions.get(each.name)) for each in result.properties]
    result.seconds["check"] = round(result.seconds["check"] + time.monotonic() - began, 6)
    return result


def compared(request: CheckRequest, result: Check, found: PropertyResult, opinion: Opinion | None) -> PropertyResult:
    """The verdict, with the opinion that confirms it."""
    if opinion is None:
        return found
    if opinion.verdict is Verdict.UNKNOWN:
        return replace(found, unconfirmed=opinion.reason)
    if opinion.verdict is not found.verdict:
        raise ConflictingVerdicts(
            found.name,
            f"{found.verdict.value} ({means(request, result)}, {found.states:,} states)",
            f"{opinion.verdict.value} ({opinion.engine} engine, plain steps, no symmetry, {opinion.states:,} states)",
        )
    return replace(found, confirmed=opinion.confirmation)


def means(request: CheckRequest, result: Check) -> str:
    """The engine and reductions that produced a verdict."""
    symmetry = result.exploration.symmetry.group.structure if request.settings.symmetry != "off" else "off"
    words = [f"{result.engine} engine", f"{'merged' if request.merges else 'plain'} steps", f"symmetry {symmetry}"]
    return ", ".join([*words, *(["partial order reduction"] if request.settings.reduction == "por" else [])])


def unconfirmed(found: PropertyResult) -> PropertyResult:
    """After a cross-check, a verdict that could not be confirmed says so."""
    is_open = found.verdict is not Verdict.UNKNOWN and found.confirmed is None and found.unconfirmed is None
    return replace(found, unconfirmed="only the interpreter decides this") if is_open else found


# --- where the plain model is small ----------------------------------------------------------------


@phase("confirm")
def small_enough(request: CheckRequest, result: Check) -> dict[str, Opinion]:
    """Opinions on the properties that were decided with reductions, if the plain model is small.  The attempt ends as soon as
    the model turns out to be larger."""
    represents, states = result.exploration.represents, result.exploration.states
    reached = states * UNKNOWN_FACTOR if represents is None else represents
    wanted = [
        each.name
        for each in result.properties
        if needs_opinion(each) and request.is_reduced(each, result) and each.states <= SMALL
    ]
    found: dict[str, Opinion] = {}
    with installed(within(steps=SMALL_STEPS)):
        for name, opinion in interpreted(request, wanted, SMALL) if reached <= SMALL else ():
            if opinion.verdict is Verdict.UNKNOWN:
                break
            found[name] = opinion
    return found


def needs_opinion(found: PropertyResult) -> bool:
    """Whether no replayed run proves the verdict."""
    return found.verdict is Verdict.HOLDS or (found.verdict is Verdict.VIOLATED and found.kind is PropertyKind.CTL)


def interpreted(request: CheckRequest, names: Sequence[str], states: int) -> Iterator[tuple[str, Opinion]]:
    """The interpreter's verdicts on properties of the plain model, each within this many states."""
    safety = [name for name in names if name in BUILTIN]
    if safety:
        found = explore(request.model, Limits(states=states))
        counts = contract.counted_errors(found)
        for name in safety:
            known = Verdict.VIOLATED if counts[name] else Verdict.HOLDS if found.complete else Verdict.UNKNOWN
            yield name, Opinion(known, found.states, reason=found.stopped)
    moves: cycles.Moves = {}
    for property_ in (*request.model.properties, *implicit_properties(request.model)):
        if property_.name in names:
            yield property_.name, temporal(request, property_, Limits(states=states), moves)


def temporal(request: CheckRequest, property_: m.Property, limits: Limits, moves: cycles.Moves) -> Opinion:
    """The interpreter's verdict on one formula or claim; `moves` caches the moves of states."""
    if isinstance(property_, m.CtlProperty):
        (decision,) = branching.check_properties(request.model, [property_], limits, fairness=request.fair)
        if decision.holds is None:
            return Opinion(Verdict.UNKNOWN, reason=decision.reason)
        return Opinion(Verdict.HOLDS if decision.holds else Verdict.VIOLATED, decision.states)
    try:
        stays = property_.name != PROGRESS
        visited, trace = cycles.check_property(request.model, property_, limits, request.fair, stays, moves)
    except (cycles.OutOfLimits, Fault) as reason:
        return Opinion(Verdict.UNKNOWN, reason=str(reason))
    return Opinion(Verdict.HOLDS if trace is None else Verdict.VIOLATED, visited)


# --- at any size -----------------------------------------------------------------------------------


@phase("confirm")
def cross_checked(request: CheckRequest, result: Check, limits: Limits, listener: Listener) -> dict[str, Opinion]:
    """Opinions on all verdicts, by another engine: by the interpreter, or, if that takes too long, by the compiled engine on the
    plain model, unless that has produced the verdict."""
    found: dict[str, Opinion] = {}
    decided = {each.name: each for each in result.properties if each.verdict is not Verdict.UNKNOWN}
    if result.engine == "explicit":
        found |= interpreted(request, list(decided), min(QUICK, limits.states or QUICK))
    again = [name for name in decided if name not in found or found[name].verdict is Verdict.UNKNOWN]
    if result.engine == "explicit":
        again = [name for name in again if request.is_reduced(decided[name], result)]
    if again:
        found |= compiled(request, again, Limits(limits.states, limits.seconds, limits.memory), listener)
    return found


def compiled(
    request: CheckRequest, names: Sequence[str], limits: Limits, listener: Listener
) -> Iterator[tuple[str, Opinion]]:
    """The compiled engine's verdicts on properties of the plain model."""
    from coset.engines.contract import NoCompiler, Unsupported

    try:
        result = checker.check(
            request.model,
            engine="explicit",
            settings=Settings(request.settings.threads),
            limits=limits,
            properties=names,
            fair=request.fair,
            steps="plain",
            listener=listener,
        )
    except (NoCompiler, Unsupported) as reason:
        yield from ((name, Opinion(Verdict.UNKNOWN, reason=f"the explicit engine: {reason}")) for name in names)
        return
    for each in result.properties:
        yield each.name, Opinion(each.verdict, each.states, result.engine, each.reason)
