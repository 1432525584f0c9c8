"""A second opinion on verdicts: decided again on the plain model, without symmetry and without reductions.

Merged steps, symmetry and partial order reduction are what a verdict can be wrong by.  Where the plain model is small, the
interpreter decides at once every property that was found to hold.  With a cross-check every verdict is decided again at
any size, by another engine where there is one.  If the two do not agree, there is no verdict but an internal error.

A violation comes with a run that the interpreter has executed on the plain model, so that it needs no second opinion;
but for formulas of computation tree logic that no single run can refute.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coset.engines import reference, reference_branching, reference_cycles
from coset.engines.limits import Limits
from coset.engines.reference_properties import counted_errors
from coset.engines.registry import ENGINES
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.implicit import PROGRESS, implicit_properties
from coset.properties.kinds import BUILTIN, PropertyKind
from coset.results.events import Listener, ignore_events
from coset.results.internal import ConflictingVerdicts
from coset.results.verdict import Check, Confirmation, PropertyResult, Verdict
from coset.source.budget import Phases, installed, within
from coset.tasks import checker

SMALL = 1000
"""States of the plain model, and of its product with the automaton of each property, that are visited for second opinions:
about 50 milliseconds for most models."""
SMALL_STEPS = 50_000
"""Moves that the interpreter tries for second opinions, where single states have very many of them."""
QUICK = 20_000
"""With a cross-check the interpreter is asked first; beyond so many states the compiled engine is."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A verdict on the plain model.  `reason` is why it is not known."""

    verdict: Verdict
    states: int = 0
    engine: str = "reference"
    reason: str | None = None

    @property
    def confirmation(self) -> Confirmation:
        return Confirmation(self.states, self.engine)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a check was asked for."""

    model: m.Model
    settings: Settings
    engine: str
    steps: str
    fair: bool
    all_errors: bool

    @property
    def merges(self) -> bool:
        is_possible = self.model.sequential is None and ENGINES[self.engine].merges
        return self.steps == "merged" and is_possible and not self.fair

    def is_reduced(self, kind: PropertyKind, found: Check) -> bool:
        """Whether the verdict on a property of this kind may come from a smaller model than the plain one."""
        is_partial = self.settings.reduction == "por"
        if kind.builtin:
            is_symmetric = found.exploration.symmetry.representative is not None
            return not self.all_errors and (self.merges or is_partial or is_symmetric)
        is_symmetric = self.settings.symmetry != "off" and found.engine == "explicit" and not self.fair
        return is_symmetric or is_partial or (self.merges and kind is PropertyKind.LTL)


def check(
    model: m.Model,
    *,
    engine: str = "auto",
    settings: Settings | None = None,
    limits: Limits | None = None,
    properties: Sequence[str] | None = None,
    fair: bool = False,
    steps: str = "merged",
    all_errors: bool = False,
    cross_check: bool = False,
    listener: Listener = ignore_events,
) -> Check:
    """As `checker.check`, with second opinions.  Raises `ConflictingVerdicts`."""
    settings, limits = settings or Settings(), limits or Limits()
    options: dict[str, Any] = {"fair": fair, "all_errors": all_errors, "listener": listener}
    result = checker.check(
        model, engine=engine, settings=settings, limits=limits, properties=properties, steps=steps, **options
    )
    asked = Asked(model, settings, engine, steps, fair, all_errors)
    began = time.monotonic()
    opinions = Phases()(
        lambda: cross_checked(asked, result, limits, listener) if cross_check else small_enough(asked, result)
    )
    opinions = opinions or {}
    result.properties = [compared(asked, result, each, opinions.get(each.name)) for each in result.properties]
    result.seconds["check"] = round(result.seconds["check"] + time.monotonic() - began, 6)
    return result


def compared(asked: Asked, result: Check, found: PropertyResult, opinion: Opinion | None) -> PropertyResult:
    """The verdict with the second opinion on it."""
    if opinion is None:
        return found
    if opinion.verdict is Verdict.UNKNOWN:
        return replace(found, unconfirmed=opinion.reason)
    if opinion.verdict is not found.verdict:
        raise ConflictingVerdicts(
            found.name,
            f"{found.verdict.value} ({means(asked, result)}, {found.states:,} states)",
            f"{opinion.verdict.value} ({opinion.engine} engine, plain steps, no symmetry, {opinion.states:,} states)",
        )
    return replace(found, confirmed=opinion.confirmation)


def means(asked: Asked, result: Check) -> str:
    """By which engine and reductions a verdict was found."""
    symmetry = result.exploration.symmetry.group.structure if asked.settings.symmetry != "off" else "off"
    words = [f"{result.engine} engine", f"{'merged' if asked.merges else 'plain'} steps", f"symmetry {symmetry}"]
    return ", ".join([*words, *(["partial order reduction"] if asked.settings.reduction == "por" else [])])


def told(found: PropertyResult) -> PropertyResult:
    """After a cross-check: a verdict without a second opinion says so."""
    is_open = found.verdict is not Verdict.UNKNOWN and found.confirmed is None and found.unconfirmed is None
    return replace(found, unconfirmed="only the interpreter decides this") if is_open else found


# --- where the plain model is small ----------------------------------------------------------------


def small_enough(asked: Asked, result: Check) -> dict[str, Opinion]:
    """Opinions on the properties that were decided by reductions, if the plain model is small.  If it turns out not to be
    small, that ends it."""
    reached = result.exploration.represents or result.exploration.states
    wanted = [
        each.name
        for each in result.properties
        if needs_opinion(each) and asked.is_reduced(each.kind, result) and each.states <= SMALL
    ]
    found: dict[str, Opinion] = {}
    with installed(within(steps=SMALL_STEPS)):
        for name, opinion in interpreted(asked, wanted, SMALL) if reached <= SMALL else ():
            if opinion.verdict is Verdict.UNKNOWN:
                break
            found[name] = opinion
    return found


def needs_opinion(found: PropertyResult) -> bool:
    """What no run shows."""
    return found.verdict is Verdict.HOLDS or (found.verdict is Verdict.VIOLATED and found.kind is PropertyKind.CTL)


def interpreted(asked: Asked, names: Sequence[str], states: int) -> Iterator[tuple[str, Opinion]]:
    """What the interpreter says about properties of the plain model, each within so many states."""
    safety = [name for name in names if name in BUILTIN]
    if safety:
        found = reference.explore(asked.model, Limits(states=states))
        counts = counted_errors(found)
        for name in safety:
            known = Verdict.VIOLATED if counts[name] else Verdict.HOLDS if found.complete else Verdict.UNKNOWN
            yield name, Opinion(known, found.states, reason=found.stopped)
    moves: reference_cycles.Moves = {}
    for property_ in (*asked.model.properties, *implicit_properties(asked.model)):
        if property_.name in names:
            yield property_.name, temporal(asked, property_, Limits(states=states), moves)


def temporal(asked: Asked, property_: m.Property, limits: Limits, moves: reference_cycles.Moves) -> Opinion:
    """The verdict of the interpreter on one formula or claim; `moves` are those that are known."""
    if isinstance(property_, m.Branching):
        if asked.fair:
            return Opinion(Verdict.UNKNOWN, reason="the interpreter does not know fairness in computation tree logic")
        (decision,) = reference_branching.check_properties(asked.model, [property_], limits)
        if decision.holds is None:
            return Opinion(Verdict.UNKNOWN, reason=decision.reason)
        return Opinion(Verdict.HOLDS if decision.holds else Verdict.VIOLATED, decision.states)
    try:
        stays = property_.name != PROGRESS
        visited, trace = reference_cycles.check_property(asked.model, property_, limits, asked.fair, stays, moves)
    except (reference_cycles.OutOfLimits, Fault) as reason:
        return Opinion(Verdict.UNKNOWN, reason=str(reason))
    return Opinion(Verdict.HOLDS if trace is None else Verdict.VIOLATED, visited)


# --- at any size -----------------------------------------------------------------------------------


def cross_checked(asked: Asked, result: Check, limits: Limits, listener: Listener) -> dict[str, Opinion]:
    """Opinions on all verdicts, by another engine.  The interpreter is another one than the compiled engine; where it takes too
    long, the compiled engine looks at the plain model, if it did not do so before."""
    found: dict[str, Opinion] = {}
    kinds = {each.name: each.kind for each in result.properties if each.verdict is not Verdict.UNKNOWN}
    if result.engine == "explicit":
        found |= interpreted(asked, list(kinds), min(QUICK, limits.states or QUICK))
    again = [name for name in kinds if name not in found or found[name].verdict is Verdict.UNKNOWN]
    if result.engine == "explicit":
        again = [name for name in again if asked.is_reduced(kinds[name], result)]
    if again:
        found |= compiled(asked, again, Limits(limits.states, limits.seconds, limits.memory), listener)
    return found


def compiled(asked: Asked, names: Sequence[str], limits: Limits, listener: Listener) -> Iterator[tuple[str, Opinion]]:
    """What the compiled engine says about properties of the plain model."""
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.engine import Unsupported

    try:
        result = checker.check(
            asked.model,
            engine="explicit",
            settings=Settings(asked.settings.threads),
            limits=limits,
            properties=names,
            fair=asked.fair,
            steps="plain",
            listener=listener,
        )
    except (NoCompiler, Unsupported) as reason:
        yield from ((name, Opinion(Verdict.UNKNOWN, reason=f"the explicit engine: {reason}")) for name in names)
        return
    for each in result.properties:
        yield each.name, Opinion(each.verdict, each.states, result.engine, each.reason)
