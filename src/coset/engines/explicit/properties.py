"""Decides properties by the compiled engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING

from coset.engines import contract as c
from coset.engines import errors
from coset.engines.analysis import Analysis, only
from coset.engines.branching import Decision
from coset.engines.contract import PropertyEngine, Unsupported
from coset.engines.explicit import branching, cycles
from coset.engines.explicit import errors as explicit_errors
from coset.engines.explicit.ahead import Ahead
from coset.engines.explicit.checkpoint import prepare
from coset.engines.explicit.deep_search import DeepSearch, FoundDeep, usable_cores
from coset.engines.explicit.engine import Engine, stopped_by
from coset.engines.explicit.layout import SlotPlan
from coset.engines.explicit.safety import LongRun, Violation, fill, search_states, trace_along
from coset.engines.explicit.seam import FAULTS, Error, Result
from coset.engines.fair_formulas import is_as_without_fairness
from coset.engines.fair_runs import confirm_fair
from coset.engines.guided import guided_lasso, guided_run
from coset.engines.lasso import Lasso
from coset.engines.reference.properties import NO_FAIR_CTL
from coset.model import model as m
from coset.model.implicit import PROGRESS
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.properties.kinds import violated_by
from coset.results.events import Warned
from coset.results.exploration import Exploration
from coset.results.internal import Disagreement
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import ReplayError, Trace, property_named
from coset.results.verdict import PropertyResult, Verdict
from coset.source.budget import Limits, OutOfBudget
from coset.source.records import dataclass
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.engines.reduction import Reduction
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import SymmetryPlan


LONG_RUN, MANY_STATES, MANY_TIMES = 20_000, 200_000, 20
"""A run of so many states is too long to be shown if another search finds a shorter one: within so many states, or so many times
as many as it took to find the error."""

GRAPHS = "temporal and branching-time properties"


class ExplicitProperties(PropertyEngine):
    """Decides properties by compiled searches, with one library for each kind of request; errors in single states are searched in
    the model `target`.  As a context manager it reserves the checkpoint folder.  The constructor raises `NoCompiler` and
    `Unsupported`."""

    name = "explicit"
    has_fair_graphs = False

    def __init__(self, analysis: Analysis, target: m.Model) -> None:
        self.analysis, self.model = analysis, analysis.model
        self.limits, self.settings, self.fair = analysis.limits, analysis.settings, analysis.fair
        self.last_used = SymmetryUsed()
        self.postpones, self.has_violation, self.has_told = False, False, False
        self.engines: dict[tuple[int, tuple[str, ...], bool, bool], Engine] = {}
        self.ahead = Ahead()
        self.first = self.engine(target, (), self.partial)
        """What decides about errors in single states."""
        self.first.may_drop_symmetry = self.settings.leaves_symmetry_open
        self.first.layout()
        self.reservation = prepare(self.model, self.settings)

    def __exit__(self, *unused: object) -> None:
        self.ahead.close()
        self.reservation.__exit__()

    def postpone(self, is_wanted: bool) -> None:
        self.postpones = is_wanted

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        return self.first.symmetry_used(self.analysis.safety_target[1].used) if safety else self.last_used

    def engine(
        self, model: m.Model, kept: Sequence[m.Property] = (), partial: bool = False, shows: bool = False
    ) -> Engine:
        """An engine for a model that makes use of the symmetries that keep some properties; `partial` if it may leave out orders
        of independent steps.  One that `shows` runs is another one than the one that decides: its searches may be longer."""
        key = id(model), tuple(each.name for each in kept), partial, shows
        found = self.analysis.reduction(model, kept)
        self.last_used = found.used
        if key in self.engines:
            return self.engines[key]

        def is_postponed() -> bool:
            return self.postpones or (self.has_violation and not self.analysis.keep_going)

        made = self.engines[key] = Engine(
            model, self.limits, self.analysis.listener, self.settings, found.plan, partial and found.allows_partial_order,
            begin_quick=True, is_postponed=is_postponed, more_symmetry=ThoroughDetection(self, model, kept),
        )  # fmt: skip
        made.ahead = None if shows else self.ahead
        joined = reduce(SlotPlan.joined, (each.plan for each in self.engines.values()))
        if made.symmetry is None or joined.is_fixed:  # a group acts on processes whose kinds never change
            made.plan = joined
        return made

    @cached_property
    def plain(self) -> Engine:
        """The engine for the user's own model, which shows errors in single states; no property has to be kept for that."""
        bare = replace(self.model, properties=()) if self.settings.reduction == "por" else self.model
        return self.engine(bare, (), self.settings.reduction == "por", shows=True)

    @cached_property
    def deep(self) -> Engine:
        """The engine for the user's own model that finds some run to an error, depth first."""
        storage = "packed" if self.settings.storage == "disk" else self.settings.storage
        settings = replace(self.settings, order="depth", threads=1, checkpoints=None, storage=storage)
        model, listener = self.plain.interpreter.model, self.analysis.listener
        made = Engine(model, self.limits, listener, settings, begin_quick=True, is_sure=True)
        made.plan = made.plan.joined(self.plain.plan)
        return made

    @property
    def partial(self) -> bool:
        """Whether some orders of independent steps may be left out where no property counts steps."""
        is_free = self.settings.reduction == "auto" and self.analysis.merges and self.settings.storage != "disk"
        return (is_free or self.settings.reduction == "por") and not self.fair

    def for_property(self, property_: m.Property) -> Engine:
        """The engine for the plain model, with the symmetries that preserve a property."""
        return self.engine(self.model, (property_,))

    # --- single states ---------------------------------------------------------------------------

    def safety(self, names: Sequence[str]) -> c.Answer:
        """Decide on the reduced model where that is sound, and show violations on the plain model."""
        if self.alternative is not None and self.analysis.limits.states is None and self.settings.is_free:
            self.first.alternative = partial(self.alternative, names)
        try:
            return self.searched(names)
        except c.AnsweredElsewhere as another:
            return another.answer

    def searched(self, names: Sequence[str]) -> c.Answer:
        results: dict[str, PropertyResult] = {}
        exploration = Exploration(self.model.name, self.name)
        while open_ := [name for name in names if name not in results]:
            try:
                if results and self.first.is_long and not self.analysis.keep_going:
                    raise c.Postponed
                exploration, found = self.decided_states(sum(map(bits_of, open_)))
            except c.Postponed:
                if not results or self.analysis.keep_going:  # what has been found is not given away
                    raise
                results |= {
                    name: c.safety_result(name, Verdict.UNKNOWN, exploration, reason=c.SKIPPED) for name in open_
                }
                break
            if found is not None:
                assert isinstance(found, Violation)
                name = violated_by(found.kind)
                results[name] = self.shown(name, exploration, found)
                continue
            verdict, reason = (
                Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN,
                c.reservation_about(exploration),
            )
            results |= {name: c.safety_result(name, verdict, exploration, reason=reason) for name in open_}
        return exploration, [results[name] for name in names]

    def decided_states(self, stop_at: int) -> tuple[Exploration, Trace | Violation | None]:
        """Search all states, or until an error; a long search has a companion where there is a core for it."""
        engine = self.first
        if not self.settings.is_free or self.limits.memory is not None or self.settings.threads >= usable_cores():
            return search_states(engine, stop_at, show=False)
        with DeepSearch(engine, stop_at) as engine.companion:
            try:
                return search_states(engine, stop_at, show=False)
            except FoundDeep as deep:
                exploration = Exploration(self.model.name, "explicit", storage=self.settings.storage)
                fill(exploration, deep.result, engine)
                return exploration, deep.violation
            finally:
                engine.companion = None

    def shown(self, name: str, first: Exploration, violation: Violation) -> PropertyResult:
        """A violation, with a run of the plain model: a shortest one, unless it takes more than the quick tier and need not be
        shortest; then one that was found depth first, and made shorter."""
        trace = None if self.settings.shortest else self.quick_run(name) or self.guided_run(violation)
        exploration = first
        if trace is None:
            is_deep = self.plain.is_long and not self.settings.shortest
            exploration, found = self.deep_run(name, first) if is_deep else search_states(self.plain, bits_of(name))
            if found is None and exploration.complete and self.settings.exact:
                raise Disagreement(f"{name}: violated with merged steps, but not with plain ones")
            if found is None:
                reason = f"violated with merged steps; the run to show it was not found: {exploration.stopped}"
                return c.safety_result(name, Verdict.UNKNOWN, exploration, reason=reason)
            assert isinstance(found, Trace)
            trace = found
        self.has_violation = True
        return c.safety_result(name, Verdict.VIOLATED, exploration, c.confirmed(self.model, trace))

    @phase("evidence")
    def guided_run(self, violation: Violation) -> Trace | None:
        """A run along the one by which an error was found in the merged model."""
        plain = self.plain.interpreter
        if violation.run is None:
            return None
        if self.first.interpreter.model is plain.model:
            run: Sequence[State] | None = violation.run
        else:
            run = guided_run(plain, self.first.interpreter, violation.run, violation.kind)
        return None if run is None else trace_along(plain, run, violation.kind, is_deep=True)

    def deep_run(self, name: str, first: Exploration) -> tuple[Exploration, Trace | Violation | None]:
        """Some run to an error; if the one that was found depth first is very long, rather a shortest one, unless that takes very
        many states."""
        self.deep.most_moves = LONG_RUN
        try:
            return search_states(self.deep, bits_of(name))
        except LongRun:
            self.deep.most_moves = None
        broad, most = self.plain.optimised(), max(MANY_STATES, MANY_TIMES * first.states)
        broad.limits = Limits(most, self.limits.seconds, self.limits.memory, self.limits.began)
        exploration, found = search_states(broad, bits_of(name))
        if found is None and exploration.states >= most:
            return search_states(self.deep, bits_of(name))
        return exploration, found

    def quick_run(self, name: str) -> Trace | None:
        """A shortest run to an error, if the quick tier finds one."""
        if not self.plain.quick:
            return None
        postpones, self.postpones = self.postpones, True
        try:
            _, found = search_states(self.plain, bits_of(name))
        except c.Postponed:
            return None
        finally:
            self.postpones = postpones
        return found if isinstance(found, Trace) else None

    def all_errors(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        engine = Engine(self.model, self.limits, self.analysis.listener, self.settings, begin_quick=True)
        exploration, found = explicit_errors.all_errors(engine)
        return exploration, [errors.result(self.model, name, exploration, found) for name in names]

    def tell_of_graphs(self) -> None:
        """Warn once of settings that are not for searches of graphs, which are decided exactly."""
        if not self.has_told and (not self.settings.exact or self.settings.storage == "disk"):
            self.analysis.listener(
                Warned(f"{GRAPHS} are always decided exactly and in memory: --storage is for errors in single states")
            )
        if not self.has_told and self.fair and self.settings.checkpoints is not None:
            self.analysis.listener(Warned("no checkpoints are made of searches under fairness"))
        self.has_told = True

    # --- infinite runs ---------------------------------------------------------------------------

    def temporal(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        """Decide on the reduced model where that is sound, and show a violation on the plain model."""
        self.tell_of_graphs()
        try:
            return self.decided(property_)
        except (Unsupported, OutOfBudget) as reason:
            return c.undecided(property_, str(reason))

    def decided(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        stays = property_.name != PROGRESS  # a finite run is not a non-progress cycle
        smaller, guided = self.analysis.smaller_model(property_), None
        if smaller is not None:
            engine = self.engine(smaller, smaller.properties, self.partial)
            result, lasso = cycles.decide_property(engine, only(smaller), self.fair, stays)
            if not cycles.violated(result):
                return self.temporal_result(property_, result, None)
            if lasso is not None and not self.settings.shortest:
                guided = partial(self.guided_trace, result, engine.interpreter, lasso, property_)
        engine = self.for_property(property_)
        is_violated = smaller is not None
        result, trace = cycles.check_property(engine, property_, self.fair, stays, is_violated, guided)
        if smaller is not None and trace is None and stopped_by(result, self.limits) is None:
            raise Disagreement(f"{property_.name}: violated with merged steps, but not with plain ones")
        return self.temporal_result(property_, result, trace)

    @phase("evidence")
    def guided_trace(
        self, result: Result, merged: Interpreter, lasso: Lasso, property_: m.Claim | m.LtlProperty
    ) -> tuple[Result, Trace] | None:
        """A violating run along the one by which a violation was found in the merged model, with the result of that search."""
        plain = Interpreter(self.model)
        found = guided_lasso(plain, merged, lasso)
        if found is None:
            return None
        trace = found.short_trace(plain, property_, bool(self.fair))
        try:
            return result, c.confirmed(self.model, trace)
        except ReplayError:
            return None

    def temporal_result(
        self, property_: m.Claim | m.LtlProperty, result: Result, trace: Trace | None
    ) -> PropertyResult:
        stopped = stopped_by(result, self.limits)
        verdict = Verdict.UNKNOWN if stopped else Verdict.HOLDS
        if trace is not None:
            verdict = Verdict.VIOLATED
            c.confirmed(self.model, trace)
            confirm_fair(self.model, trace, self.fair)
            self.has_violation |= not isinstance(property_named(self.model, property_.name), m.CtlProperty)  # a goal
        kind = property_.kind
        return PropertyResult(property_.name, kind, verdict, trace, stopped, result.states, result.transitions)

    # --- branching time --------------------------------------------------------------------------

    def branching(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        """A formula that preserves some symmetry gets its own graph; the others share the full graph."""
        if properties:
            self.tell_of_graphs()
        decided: dict[str, Decision] = {}
        elsewhere: dict[str, PropertyResult] = {}
        together = []
        for each in properties:
            if self.fair and not is_as_without_fairness(each.formula, self.fair):
                decided[each.name] = Decision(None, reason=NO_FAIR_CTL)
                if self.fair_formulas is not None:
                    (elsewhere[each.name],) = self.fair_formulas().branching([each])
                continue
            engine = self.for_property(each)
            if engine.symmetry is None:
                together.append(each)
            else:
                (decided[each.name],) = branching.check_properties(engine, [each])
        if together:
            engine = Engine(self.model, self.limits, self.analysis.listener, self.settings, begin_quick=True)
            found = branching.check_properties(engine, together)
            decided |= {each.name: decision for each, decision in zip(together, found, strict=True)}
        return [elsewhere.get(each.name) or decided[each.name].result(self.model, each.name) for each in properties]


@dataclass(slots=True)
class ThoroughDetection:
    """Looks for more symmetry of a model than a short search has time for."""

    engine: ExplicitProperties
    model: m.Model
    kept: Sequence[m.Property]
    found: Reduction | None = None

    def find(self) -> SymmetryPlan | LiteralPlan | AnonymousPlan | None:
        self.found = self.engine.analysis.thorough_reduction(self.model, self.kept)
        return self.found.plan

    def adopt(self) -> None:
        if self.found is not None:
            self.engine.analysis.adopt(self.model, self.kept, self.found)
            self.engine.last_used = self.found.used


def bits_of(name: str) -> int:
    """The kinds of error that a property forbids, as a bit set."""
    match name:
        case c.ASSERTIONS:
            return 1 << Error.ASSERTION
        case c.END_STATES:
            return 1 << Error.END
    return sum(1 << fault for fault in FAULTS) | 1 << Error.TRACE
