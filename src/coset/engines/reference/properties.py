"""Properties by the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from coset.engines import contract as c
from coset.engines import errors
from coset.engines.analysis import Analysis, only
from coset.engines.branching import Decision
from coset.engines.contract import PropertyEngine
from coset.engines.fair_runs import confirm_fair
from coset.engines.reduction import MOST_VISITED, Reduction
from coset.engines.reference import branching, cycles
from coset.engines.reference.annotated import AnnotatedOrbits
from coset.engines.reference.engine import SMALL_STEPS, explore
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.implicit import PROGRESS
from coset.properties.kinds import BUILTIN
from coset.results.exploration import Exploration
from coset.results.internal import Disagreement
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import Trace, shortest_safety_trace
from coset.results.verdict import PropertyResult, Verdict
from coset.source.budget import OutOfBudget, current_budget, installed, within
from coset.symmetry.symmetry import Symmetry

PLAIN_STEPS = 4 * SMALL_STEPS
"""Steps of the interpreter on the plain model, after which another engine is asked."""
T = TypeVar("T")


class ReferenceProperties(PropertyEngine):
    """Decides by the interpreter.  `other` makes the engine that is asked where the interpreter would take long: a model may be
    small with merged steps, and large as it is."""

    name = "reference"

    def __init__(
        self,
        analysis: Analysis,
        other: Callable[[], PropertyEngine | None] | None = None,
    ) -> None:
        self.analysis, self.other = analysis, other
        self.model, self.limits = analysis.model, analysis.limits
        self.last_used = SymmetryUsed()
        self.looks_for_goals = other is not None  # the interpreter builds every product in full

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        return used_by_interpreter(self.analysis.safety_target[1]) if safety else self.last_used

    # --- single states ---------------------------------------------------------------------------

    def safety(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        exploration = self.analysis.explored
        if exploration is None or not exploration.complete or self.limits.exceeded(exploration.states):
            model, found = self.analysis.safety_target
            exploration = explore(model, self.limits, self.analysis.listener, found.representatives())
        return exploration, [self.safety_of(name, exploration) for name in names]

    def safety_of(self, name: str, exploration: Exploration) -> PropertyResult:
        if not c.counted_errors(exploration)[name]:
            verdict = Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN
            return c.safety_result(name, verdict, exploration, reason=exploration.stopped)
        try:
            found = self.by_either(
                lambda: c.safety_result(name, Verdict.VIOLATED, exploration, self.shortest(name)),
                lambda engine: self.run_of(engine, name),
            )
        except OutOfBudget as limit:
            reason = f"an error was found, but not a shortest run to it: {limit}"
            return c.safety_result(name, Verdict.UNKNOWN, exploration, reason=reason)
        assert found.trace is not None
        return c.safety_result(name, Verdict.VIOLATED, exploration, c.confirmed(self.model, found.trace))

    def shortest(self, name: str) -> Trace:
        """A shortest run to an error, which there is."""
        found = (shortest_safety_trace(self.model, want) for want in BUILTIN[name].errors)
        return next(trace for trace in found if trace is not None)

    def run_of(self, engine: PropertyEngine, name: str) -> PropertyResult:
        _, (found,) = engine.safety([name])
        if found.trace is None:
            raise OutOfBudget(found.reason or "no run was found")
        return found

    def all_errors(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        exploration = explore(self.model, self.limits, self.analysis.listener)
        found = errors.all_errors(self.model, self.limits) if exploration.errors.total else []
        return exploration, [errors.result(self.model, name, exploration, found) for name in names]

    # --- infinite runs ---------------------------------------------------------------------------

    def temporal(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        try:
            found = self.by_either(partial(self.decided, property_), lambda engine: engine.temporal(property_))
        except (cycles.OutOfLimits, OutOfBudget, Fault) as reason:
            return c.undecided(property_, str(reason))
        if found.trace is not None:
            c.confirmed(self.model, found.trace)
            confirm_fair(self.model, found.trace, self.analysis.fair)
        return found

    def decided(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        """Decided on the smaller model where that is allowed, shown on the user's own."""
        stays = property_.name != PROGRESS  # a run that ends is no cycle without progress
        kind, fair = property_.kind, self.analysis.fair
        first = self.analysis.smaller_model(property_)
        if first is not None:
            states, trace = cycles.check_property(first, only(first), self.limits, fair, stays)
            if trace is None:
                return PropertyResult(property_.name, kind, Verdict.HOLDS, None, None, states, 0)
        orbits = self.annotated_orbits(property_) if fair else None
        states, trace = cycles.check_property(self.model, property_, self.limits, fair, stays, orbits=orbits)
        if first is not None and trace is None:
            raise Disagreement(f"{property_.name}: violated with merged steps, but not with plain ones")
        verdict = Verdict.HOLDS if trace is None else Verdict.VIOLATED
        return PropertyResult(property_.name, kind, verdict, trace, None, states, 0)

    def annotated_orbits(self, property_: m.Property) -> AnnotatedOrbits | None:
        """The orbits that a fair run is looked for in, if there is a symmetry that is small enough."""
        found = self.analysis.reduction(self.model, (property_,))
        self.last_used = used_by_interpreter(found)
        if found.representatives() is None or not isinstance(found.symmetry, Symmetry):
            return None
        return AnnotatedOrbits(found.symmetry)

    # --- branching time --------------------------------------------------------------------------

    def branching(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        """On the plain model always: on a graph of orbits if a formula keeps some symmetry, else on the graph of all states."""
        if not properties:
            return []
        if self.analysis.fair:
            return self.fairly_decided(properties)
        return self.by_either(
            partial(self.on_orbits, properties),
            lambda engine: engine.branching(properties),
            is_for_other=any(map(self.has_large_group, properties)),
        )

    def fairly_decided(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        """On the graph of all states, where only fair runs count."""
        self.last_used = SymmetryUsed(note=ALL_STATES)
        found = branching.check_properties(self.model, properties, self.limits, fairness=self.analysis.fair)
        for decision in found:
            if decision.trace is not None:
                confirm_fair(self.model, decision.trace, self.analysis.fair)
        return [decision.result(self.model, each.name) for each, decision in zip(properties, found, strict=True)]

    def has_large_group(self, property_: m.CtlProperty) -> bool:
        """Whether the compiled engine makes use of a symmetry that is too large for the interpreter."""
        found = self.analysis.reduction(self.model, (property_,))
        return found.plan is not None and found.representatives() is None

    def on_orbits(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        decided: dict[str, Decision] = {}
        for each in properties:
            found = self.analysis.reduction(self.model, (each,))
            self.last_used = used_by_interpreter(found)
            representatives = found.representatives()
            if representatives is not None:
                (decided[each.name],) = branching.check_properties(self.model, [each], self.limits, representatives)
        others = [each for each in properties if each.name not in decided]
        if others:
            together = branching.check_properties(self.model, others, self.limits)
            decided |= {each.name: decision for each, decision in zip(others, together, strict=True)}
        if self.other is not None and any(decision.holds is None for decision in decided.values()):
            current_budget().demand()
        return [decided[each.name].result(self.model, each.name) for each in properties]

    # --- the other engine ------------------------------------------------------------------------

    def by_either(
        self, by_interpreter: Callable[[], T], by_other: Callable[[PropertyEngine], T], is_for_other: bool = False
    ) -> T:
        """What the interpreter finds, or the other engine, if there is one, where that would take long; `is_for_other` if this is
        known beforehand."""
        if self.other is None:
            return by_interpreter()
        if not is_for_other:
            try:
                with installed(within(steps=PLAIN_STEPS)):
                    try:
                        return by_interpreter()
                    except cycles.OutOfLimits:
                        current_budget().demand()  # if these steps were too few, the other engine is asked
                        raise
            except OutOfBudget:
                current_budget().demand()
        engine = self.other()
        if engine is None:
            return by_interpreter()
        with engine:
            found = by_other(engine)
            self.last_used = engine.symmetry_used(safety=False)
            return found


def used_by_interpreter(found: Reduction) -> SymmetryUsed:
    """The interpreter visits orbits whole, so it makes no use of large groups."""
    if found.used.representative is None or found.representatives() is not None:
        name = None if found.used.representative is None else "enumerate"
        return replace(found.used, representative=name)
    note = f"not used: the reference engine visits orbits whole, of groups up to the order {MOST_VISITED:,}"
    return replace(found.used, representative=None, note=note)


ALL_STATES = "not used: computation tree logic with fairness is decided on all states"
NO_FAIR_CTL = (
    "this engine does not support fairness in such a formula of computation tree logic; try --engine reference, or "
    "--engine symbolic for weak fairness"
)
