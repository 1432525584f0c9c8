"""Checking a model: every property that it states, each with a verdict and its evidence.

Errors in single states (violated assertions, invalid end states, faults) are searched breadth first, so that traces are
shortest; temporal properties one by one.  Every trace is replayed by the interpreter before it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

from coset.engines import errors, reference, reference_branching, reference_cycles
from coset.engines.branching import Decision
from coset.engines.explicit import branching, cycles
from coset.engines.explicit import engine as explicit
from coset.engines.explicit import errors as explicit_errors
from coset.engines.explicit.build import NoCompiler
from coset.engines.explicit.checkpoint import Reservation, prepare
from coset.engines.explicit.path import Disagreement
from coset.engines.limits import SMALL_STATES, SMALL_STEPS, Limits
from coset.engines.settings import Settings
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.passes import merged
from coset.properties import formula as f
from coset.properties.normal import is_stutter_invariant_syntactically
from coset.reduction import Reduction, folding, reduction
from coset.results.events import Listener, Warned, nobody
from coset.results.exploration import Exploration
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import Trace, replay, shortest_safety_trace
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.source.budget import INTERRUPTED, OutOfBudget, Phases, current_budget, installed, within

ASSERTIONS, END_STATES, FAULTS = "assertions", "end states", "faults"
ACCEPTANCE, PROGRESS = "acceptance cycles", "progress"
SAFETY = {ASSERTIONS: "assertion", END_STATES: "deadlock", FAULTS: "safety"}
"""The properties that every model has, and the kind of each."""
Decided = tuple[int, int, str | None, Trace | None]
"""States, transitions, the limit that ended the search, and the run that violates the property, if there is one."""
PLAIN_STEPS = 4 * SMALL_STEPS
"""Steps of the interpreter on the plain model, after which the compiled engine is asked."""
T = TypeVar("T")
TRACED = {ASSERTIONS: "assertion", END_STATES: "deadlock", FAULTS: "fault"}
"""What a trace that violates each of them shows."""


def check(
    model: m.Model,
    *,
    engine: str = "auto",
    threads: int = 1,
    settings: Settings | None = None,
    limits: Limits | None = None,
    properties: Sequence[str] | None = None,
    fair: bool = False,
    steps: str = "merged",
    all_errors: bool = False,
    listener: Listener = nobody,
) -> Check:
    """Verify the properties with these names (all if None).  `fair` leaves out runs in which a process that can
    always move never does.  `steps` is "merged" (private steps joined where no property can tell) or "plain".  With
    `all_errors` the search goes on after the first error in a single state: all are counted, on the plain model, and
    each different one gets a trace."""
    temporal = [*model.properties, *labelled(model)]
    if engine == "symbolic":
        asked = [name for name in (*SAFETY, *(p.name for p in temporal)) if properties is None or name in properties]
        chosen = settings or Settings(threads)
        return symbolic_check(model, asked, temporal, limits or Limits(), chosen, fair, all_errors, listener)
    wanted = [name for name in (*SAFETY, *(p.name for p in temporal)) if properties is None or name in properties]
    checker = Checker(model, limits or Limits(), listener, settings or Settings(threads), fair, engine, steps)
    began, phases = time.monotonic(), Phases()
    phases(checker.prepare)
    with checker.reservation:
        result = checked(checker, phases, wanted, temporal, all_errors)
    result.seconds = {"check": round(time.monotonic() - began, 6)}
    return result


def checked(
    checker: Checker, phases: Phases, wanted: Sequence[str], temporal: Sequence[m.Property], all_errors: bool
) -> Check:
    """Every property that is wanted, by one checker, for as long as the budget lasts."""
    model = checker.model
    result = Check(model.name, checker.engine_name, Exploration(model.name, checker.engine_name))
    safety = [name for name in wanted if name in SAFETY]
    if safety:
        single = phases(partial(checker.all_errors if all_errors else checker.safety, safety))
        result.exploration, found = single or checker.stopped(safety, phases.stopped)
        result.properties += found
    for property_ in temporal:
        if property_.name in wanted and not isinstance(property_, m.Branching):
            result.properties.append(
                phases(partial(checker.temporal, property_)) or undecided(property_, phases.stopped)
            )
    branching = [each for each in temporal if isinstance(each, m.Branching) and each.name in wanted]
    decided = phases(partial(checker.branching, branching))
    result.properties += [undecided(each, phases.stopped) for each in branching] if decided is None else decided
    result.engine = checker.engine_name
    result.exploration.steps = "merged" if checker.merges and not all_errors else "plain"
    if not all_errors and phases.stopped is None:
        result.exploration.symmetry = checker.symmetry_used(bool(safety))
    return result


def undecided(property_: m.Property, reason: str | None) -> PropertyResult:
    return PropertyResult(property_.name, kind_of(property_), Verdict.UNKNOWN, reason=reason)


def labelled(model: m.Model) -> list[m.Temporal]:
    """What labels say: a cycle through `accept` must not be, and one without `progress` neither."""
    locations = [location for kind in model.kinds for location in kind.locations]
    found = []
    if any(location.accept for location in locations):
        accepting: f.Formula[e.Expr] = f.Atom(e.Accepting())
        found.append(m.Temporal(ACCEPTANCE, f.Modal("<>", f.Modal("[]", f.Not(accepting)))))
    if any(location.progress for location in locations):
        without: f.Formula[e.Expr] = f.Atom(e.NonProgress())
        found.append(m.Temporal(PROGRESS, f.Modal("[]", f.Modal("<>", f.Not(without)))))
    return found


def symbolic_check(
    model: m.Model,
    asked: Sequence[str],
    temporal: Sequence[m.Property],
    limits: Limits,
    settings: Settings,
    fair: bool,
    all_errors: bool,
    listener: Listener,
) -> Check:
    """Every property that is asked for, on one state space in decision diagrams: of the plain model, with symmetries that
    keep all of them."""
    from coset.engines.symbolic.engine import Refused, SymbolicEngine

    if all_errors:
        raise Refused("all errors are for the other engines")
    began = time.monotonic()
    phases = Phases()
    reduced = phases(lambda: folding(model, [each for each in temporal if each.name in asked], settings, fair))
    if reduced is None:
        unknown = [
            PropertyResult(n, k, Verdict.UNKNOWN, reason=phases.stopped) for n, k in SAFETY.items() if n in asked
        ]
        unknown += [undecided(each, phases.stopped) for each in temporal if each.name in asked]
        exploration = Exploration(model.name, "symbolic", stopped=phases.stopped)
        return Check(model.name, "symbolic", exploration, unknown, {"check": round(time.monotonic() - began, 6)})
    engine = SymbolicEngine(model, limits, listener, reduced.symmetry, reduced.used.representative or "sort", fair)
    counts = engine.exploration
    counts.symmetry = reduced.used
    result = Check(model.name, engine.name, counts)
    decisions = [(name, kind, partial(engine.error, TRACED[name])) for name, kind in SAFETY.items()]
    decisions += [(each.name, kind_of(each), partial(engine.decision, each)) for each in temporal]
    for name, kind, decision in decisions:
        if name in asked:
            found = decision()
            if found.trace is not None:
                shown = replay(model, found.trace)
                if kind == "ctl" and found.reason is None and not shown.message.endswith("is violated"):
                    raise Disagreement(f"{name}: {shown.message}")
            verdict = {True: Verdict.HOLDS, False: Verdict.VIOLATED, None: Verdict.UNKNOWN}[found.holds]
            result.properties.append(
                PropertyResult(name, kind, verdict, found.trace, found.reason, counts.states, counts.transitions)
            )
    result.seconds = {"check": round(time.monotonic() - began, 6)}
    return result


def kind_of(property_: m.Property) -> str:
    return {m.Branching: "ctl", m.Temporal: "ltl"}.get(type(property_), "never")


class Checker:
    """Verifies one model with one engine; falls back to the interpreter where the compiled engine cannot serve.

    With merged steps verdicts come from a smaller model that no property can tell from the user's own; only if
    something is violated there, the user's own model is searched for a run that shows it.  The reference engine, if it
    is asked for by name, always looks at the user's own.
    """

    def __init__(
        self,
        model: m.Model,
        limits: Limits,
        listener: Listener,
        settings: Settings,
        fair: bool,
        engine: str,
        steps: str,
    ) -> None:
        self.model, self.limits, self.listener, self.fair = model, limits, listener, fair
        self.settings = settings
        self.merges = steps == "merged" and model.sequential is None and engine != "reference" and not fair
        self.compiled: explicit.Engine | None = None
        self.reservation = Reservation()
        self.explored: Exploration | None = None
        self.last_used = SymmetryUsed()
        self.engine_asked = engine

    def prepare(self) -> None:
        """Choose the engine, and make it ready."""
        model, settings, engine = self.model, self.settings, self.engine_asked
        if engine == "explicit" or (engine == "auto" and not self.is_small()):
            current_budget().demand()
            try:
                partial = settings.reduction == "por"
                bare = replace(model, properties=()) if partial else model
                found = reduction(model, (), settings, self.fair) if self.merges else self.single[1]
                self.compiled = explicit.Engine(bare, self.limits, self.listener, settings, found.plan, partial)
                self.compiled.layout()
                self.reservation = prepare(model, settings)
            except (NoCompiler, explicit.Unsupported) as reason:
                if engine == "explicit":
                    raise
                self.compiled = None
                self.listener(Warned(f"the compiled engine cannot be used ({reason}); the reference engine serves"))

    @cached_property
    def single(self) -> tuple[m.Model, Reduction]:
        """The model in which errors in single states are looked for, the smaller one if there is one, and its symmetry."""
        model = self.smaller_model() or self.model
        return model, reduction(model, (), self.settings, self.fair)

    def is_small(self) -> bool:
        """Whether the interpreter is done before a compiler would be."""
        model, found = self.single
        with installed(within(steps=SMALL_STEPS)):
            self.explored = reference.explore(model, Limits(SMALL_STATES), representatives=found.representatives())
        if not self.explored.complete:
            return False
        # Runs are shown, and formulas decided, on all states: a small quotient does not make these few.
        represents, needs_all = self.explored.represents, self.explored.errors.total > 0 or bool(self.model.properties)
        return not needs_all or (represents is not None and represents <= 2 * SMALL_STATES)

    def stopped(self, names: list[str], reason: str | None) -> tuple[Exploration, list[PropertyResult]]:
        """What is known of single states when the budget ends before the search for errors in them does."""
        exploration = self.explored or Exploration(self.model.name, self.engine_name)
        exploration.stopped, exploration.complete = reason, False
        exploration.interrupted = reason == INTERRUPTED
        return exploration, [self.result(name, Verdict.UNKNOWN, exploration, reason=reason) for name in names]

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        """What the search through single states made use of, or the last one if there was none."""
        if not safety:
            return self.last_used
        _, found = self.single
        if self.compiled is None and found.used.representative is not None:
            visited = found.representatives() is not None
            return replace(found.used, representative="enumerate" if visited else None)
        return found.used

    @property
    def engine_name(self) -> str:
        return "reference" if self.compiled is None else "explicit"

    def smaller_model(self, property_: m.Claim | m.Temporal | None = None) -> m.Model | None:
        """The model with merged steps, if they are wanted and allowed: for one property, which is then the only one
        that the model has, or for errors in single states.  What neither asks about can be merged away."""
        if not self.merges:
            return None
        # A claim written by hand may count steps, so it is only decided on the plain model.
        if isinstance(property_, m.Claim):
            return None
        if property_ is not None and not is_stutter_invariant_syntactically(property_.formula):
            return None
        model = replace(self.model, properties=() if property_ is None else (property_,))
        if self.settings.symmetry == "off":
            return merged(model, marks=False)
        from coset.symmetry.constraints.form import has_form
        from coset.symmetry.death import outlive
        from coset.symmetry.neutral import neutral

        model = outlive(merged(neutral(model), marks=False))
        return None if self.settings.symmetry == "constraints" and not has_form(model) else model

    def smaller(self, property_: m.Claim | m.Temporal | None = None) -> explicit.Engine | None:
        """The compiled engine for the smaller model."""
        if property_ is None:
            model, found = self.single
            return None if model is self.model else self.engine(model, found, partial=True)
        smaller = self.smaller_model(property_)
        if smaller is None:
            return None
        return self.engine(smaller, reduction(smaller, smaller.properties, self.settings, self.fair), partial=True)

    def own(self, property_: m.Property) -> explicit.Engine:
        """The compiled engine for the user's own model, with the symmetries that keep a property."""
        return self.engine(self.model, reduction(self.model, (property_,), self.settings, self.fair))

    def engine(self, model: m.Model, found: Reduction, partial: bool = False) -> explicit.Engine:
        """An engine for a model that makes use of symmetries; `partial` if it may leave out orders of independent steps, as
        no property counts steps."""
        self.last_used = found.used
        partial = partial and self.settings.reduction == "por" and not self.fair
        return explicit.Engine(model, self.limits, self.listener, self.settings, found.plan, partial)

    # --- single states ---------------------------------------------------------------------------

    def safety(self, names: list[str]) -> tuple[Exploration, list[PropertyResult]]:
        if self.compiled is None:
            return self.safety_by_reference(names)
        results: dict[str, PropertyResult] = {}
        exploration = Exploration(self.model.name, "explicit")
        first = self.smaller()
        while open_ := [name for name in names if name not in results]:
            stop_at = sum(bits_of(name) for name in open_)
            exploration, found = explicit.search_states(first or self.compiled, stop_at, show=first is None)
            if isinstance(found, str):
                name = shown_by(found)
                exploration, found = explicit.search_states(self.compiled, bits_of(name))
                if found is None and exploration.complete and self.settings.exact:
                    raise Disagreement(f"{name}: violated with merged steps, but not with plain ones")
                if found is None:
                    reason = f"violated with merged steps; the run to show it was not found: {exploration.stopped}"
                    results[name] = self.result(name, Verdict.UNKNOWN, exploration, reason=reason)
                    continue
            if isinstance(found, Trace):
                name = shown_by(found.kind)
                results[name] = self.result(name, Verdict.VIOLATED, exploration, self.confirmed(found))
                continue
            verdict = Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN
            for name in open_:
                results[name] = self.result(name, verdict, exploration, reason=reservation(exploration))
        return exploration, [results[name] for name in names]

    def all_errors(self, names: list[str]) -> tuple[Exploration, list[PropertyResult]]:
        """Everything counted on the plain model, and of each different error the shortest run."""
        if self.compiled is None:
            exploration = reference.explore(self.model, self.limits, self.listener)
            found = errors.all_errors(self.model, self.limits) if exploration.errors.total else []
        else:
            exploration, found = explicit_errors.all_errors(
                explicit.Engine(self.model, self.limits, self.listener, self.settings)
            )
        results = []
        for name in names:
            shown = tuple(each for each in found if shown_by(each.kind) == name)
            for each in shown:
                self.confirmed(each.trace)
            if shown:
                reason = None if exploration.complete else f"there may be more: {exploration.stopped}"
                result = self.result(name, Verdict.VIOLATED, exploration, shown[0].trace, reason)
            else:
                verdict = Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN
                result = self.result(name, verdict, exploration, reason=reservation(exploration))
            results.append(replace(result, errors=shown))
        return exploration, results

    def safety_by_reference(self, names: list[str]) -> tuple[Exploration, list[PropertyResult]]:
        exploration = self.explored if self.explored is not None and self.explored.complete else None
        if exploration is None or self.limits.exceeded(exploration.states):
            model, found = self.single
            exploration = reference.explore(model, self.limits, self.listener, found.representatives())
        counts = counted_errors(exploration)
        results = []
        for name in names:
            if counts[name]:
                wants = (
                    ["assertion"] if name == ASSERTIONS else ["deadlock"] if name == END_STATES else ["fault", "trace"]
                )
                try:
                    trace = self.by_either(partial(self.shortest, wants), partial(self.compiled_run, name))
                    results.append(self.result(name, Verdict.VIOLATED, exploration, self.confirmed(trace)))
                except OutOfBudget as limit:
                    reason = f"an error was found, but not a shortest run to it: {limit}"
                    results.append(self.result(name, Verdict.UNKNOWN, exploration, reason=reason))
            elif exploration.complete:
                results.append(self.result(name, Verdict.HOLDS, exploration))
            else:
                results.append(self.result(name, Verdict.UNKNOWN, exploration, reason=exploration.stopped))
        return exploration, results

    def shortest(self, wants: Sequence[str]) -> Trace:
        """A shortest run to an error of one of these kinds, which there is, by the interpreter."""
        return next(trace for want in wants if (trace := shortest_safety_trace(self.model, want)) is not None)

    def compiled_run(self, name: str) -> Trace:
        """The same by the compiled engine."""
        found = reduction(self.model, (), self.settings, self.fair)
        exploration, trace = explicit.search_states(self.engine(self.model, found), bits_of(name))
        if not isinstance(trace, Trace):
            raise OutOfBudget(exploration.stopped or "no run was found")
        return trace

    def by_either(self, by_interpreter: Callable[[], T], by_compiled: Callable[[], T]) -> T:
        """What the interpreter finds, or the compiled engine where that would take long: a model may be small with merged
        steps, and large as it is."""
        if self.engine_asked != "auto":
            return by_interpreter()
        try:
            with installed(within(steps=PLAIN_STEPS)):
                return by_interpreter()
        except OutOfBudget:
            current_budget().demand()
        try:
            return by_compiled()
        except (NoCompiler, explicit.Unsupported):
            return by_interpreter()

    def result(
        self,
        name: str,
        verdict: Verdict,
        exploration: Exploration,
        trace: Trace | None = None,
        reason: str | None = None,
    ) -> PropertyResult:
        return PropertyResult(name, SAFETY[name], verdict, trace, reason, exploration.states, exploration.transitions)

    def confirmed(self, trace: Trace) -> Trace:
        """The trace, after the interpreter has executed it."""
        replay(self.model, trace)
        return trace

    # --- infinite runs ---------------------------------------------------------------------------

    def temporal(self, property_: m.Claim | m.Temporal) -> PropertyResult:
        kind = "ltl" if isinstance(property_, m.Temporal) else "never"
        stays = property_.name != PROGRESS  # a run that ends is no cycle without progress
        try:
            compiled = partial(self.temporal_compiled, property_, stays)
            if self.compiled is None:
                found = self.by_either(partial(self.temporal_by_reference, property_, stays), compiled)
            else:
                found = compiled()
            states, transitions, stopped, trace = found
            if trace is not None:
                self.confirmed(trace)
        except (explicit.Unsupported, reference_cycles.OutOfLimits, OutOfBudget, Fault) as reason:
            return PropertyResult(property_.name, kind, Verdict.UNKNOWN, reason=str(reason))
        if trace is not None:
            verdict = Verdict.VIOLATED
        else:
            verdict = Verdict.UNKNOWN if stopped else Verdict.HOLDS
        return PropertyResult(property_.name, kind, verdict, trace, stopped, states, transitions)

    def temporal_by_reference(self, property_: m.Claim | m.Temporal, stays: bool) -> Decided:
        """Decided on the smaller model where that is allowed, shown on the user's own."""
        first = self.smaller_model(property_)
        if first is not None:
            states, trace = reference_cycles.check_property(first, only(first), self.limits, self.fair, stays)
            if trace is None:
                return states, 0, None, None
        states, trace = reference_cycles.check_property(self.model, property_, self.limits, self.fair, stays)
        if first is not None and trace is None:
            raise Disagreement(f"{property_.name}: violated with merged steps, but not with plain ones")
        return states, 0, None, trace

    def temporal_compiled(self, property_: m.Claim | m.Temporal, stays: bool) -> Decided:
        """Decided on the smaller model where that is allowed, shown on the user's own."""
        first = self.smaller(property_)
        if first is not None:
            result, _ = cycles.check_property(first, only(first.interpreter.model), self.fair, stays, show=False)
            if not cycles.violated(result):
                return result.states, result.transitions, explicit.stopped_by(result, self.limits), None
        result, trace = cycles.check_property(self.own(property_), property_, self.fair, stays)
        stopped = explicit.stopped_by(result, self.limits)
        if first is not None and trace is None and stopped is None:
            raise Disagreement(f"{property_.name}: violated with merged steps, but not with plain ones")
        return result.states, result.transitions, stopped, trace

    # --- branching time --------------------------------------------------------------------------

    def branching(self, properties: Sequence[m.Branching]) -> list[PropertyResult]:
        """All formulas on one graph, of the plain model always."""
        if not properties:
            return []
        if self.fair:
            reason = "this engine does not know weak fairness in computation tree logic; try --engine symbolic"
            return [PropertyResult(each.name, "ctl", Verdict.UNKNOWN, reason=reason) for each in properties]
        if self.compiled is None:
            decisions = reference_branching.check_properties(self.model, properties, self.limits)
        else:
            decisions = self.branching_compiled(properties)
        return [
            self.branching_result(each.name, decision) for each, decision in zip(properties, decisions, strict=True)
        ]

    def branching_compiled(self, properties: Sequence[m.Branching]) -> list[Decision]:
        """A formula that leaves some symmetry gets a graph of its own, the others share one with every state."""
        decided: dict[str, Decision] = {}
        together = []
        for each in properties:
            engine = self.own(each)
            if engine.symmetry is None:
                together.append(each)
            else:
                (decided[each.name],) = branching.check_properties(engine, [each])
        if together:
            engine = explicit.Engine(self.model, self.limits, self.listener, self.settings)
            found = branching.check_properties(engine, together)
            decided |= {each.name: decision for each, decision in zip(together, found, strict=True)}
        return [decided[each.name] for each in properties]

    def branching_result(self, name: str, found: Decision) -> PropertyResult:
        verdict = {True: Verdict.HOLDS, False: Verdict.VIOLATED, None: Verdict.UNKNOWN}[found.holds]
        if found.trace is not None:
            run = replay(self.model, found.trace)
            if found.reason is None and not run.message.endswith("is violated"):
                raise Disagreement(f"{name}: {run.message}")
        return PropertyResult(name, "ctl", verdict, found.trace, found.reason, found.states, found.transitions)


def only(model: m.Model) -> m.Temporal:
    """The one property that a model was made smaller for."""
    (property_,) = model.properties
    assert isinstance(property_, m.Temporal)
    return property_


def reservation(exploration: Exploration) -> str | None:
    """What must be said about a search that found no error."""
    if exploration.complete and exploration.omission_probability:
        return f"a state was omitted with a probability of at most {exploration.omission_probability:.1g}"
    return exploration.stopped if exploration.storage != "bits" else f"no error was found; {exploration.stopped}"


def counted_errors(exploration: Exploration) -> dict[str, int]:
    """How many errors there are that violate each of the properties that every model has."""
    errors = exploration.errors
    faults = sum(errors.faults.values()) + errors.trace
    return {ASSERTIONS: errors.assertions, END_STATES: errors.invalid_end_states, FAULTS: faults}


def bits_of(name: str) -> int:
    """The kinds of error that a property forbids, as bits for the search."""
    match name:
        case "assertions":
            return 1 << explicit.ASSERTION
        case "end states":
            return 1 << explicit.END
    return sum(1 << k for k in range(1, len(explicit.FAULTS))) | 1 << explicit.TRACE


def shown_by(kind: str) -> str:
    """The property that an error of this kind violates."""
    return {"assertion": ASSERTIONS, "deadlock": END_STATES}.get(kind, FAULTS)
