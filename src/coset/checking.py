"""Checking a model: every property that it states, each with a verdict and its evidence.

Errors in single states (violated assertions, invalid end states, faults) are searched breadth first, so that traces are
shortest; temporal properties one by one.  Every trace is replayed by the interpreter before it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from coset.engines import reference, reference_cycles
from coset.engines.explicit import cycles
from coset.engines.explicit import engine as explicit
from coset.engines.explicit.build import NoCompiler
from coset.engines.explicit.path import Disagreement
from coset.engines.limits import Limits
from coset.model import expression as e
from coset.model import model as m
from coset.model.passes import merged
from coset.properties import formula as f
from coset.properties.normal import is_stutter_invariant_syntactically
from coset.results.events import Listener, Warned, nobody
from coset.results.exploration import Exploration
from coset.results.trace import Trace, replay, shortest_safety_trace
from coset.results.verdict import Check, PropertyResult, Verdict

ASSERTIONS, END_STATES, FAULTS = "assertions", "end states", "faults"
ACCEPTANCE, PROGRESS = "acceptance cycles", "progress"
SAFETY = {ASSERTIONS: "assertion", END_STATES: "deadlock", FAULTS: "safety"}
"""The properties that every model has, and the kind of each."""


def check(
    model: m.Model,
    *,
    engine: str = "auto",
    threads: int = 1,
    limits: Limits | None = None,
    properties: Sequence[str] | None = None,
    fair: bool = False,
    steps: str = "merged",
    listener: Listener = nobody,
) -> Check:
    """Verify the properties with these names (all if None).  `fair` leaves out runs in which a process that can
    always move never does.  `steps` is "merged" (private steps joined where no property can tell) or "plain"."""
    checker = Checker(model, limits or Limits(), listener, threads, fair, engine, steps)
    temporal = [*model.properties, *labelled(model)]
    wanted = [name for name in (*SAFETY, *(p.name for p in temporal)) if properties is None or name in properties]
    began = time.monotonic()
    result = Check(model.name, checker.engine_name, Exploration(model.name, checker.engine_name))
    safety = [name for name in wanted if name in SAFETY]
    if safety:
        result.exploration, found = checker.safety(safety)
        result.properties += found
    for property_ in temporal:
        if property_.name in wanted:
            result.properties.append(checker.temporal(property_))
    result.engine = checker.engine_name
    result.seconds = {"check": round(time.monotonic() - began, 6)}
    return result


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


class Checker:
    """Verifies one model with one engine; falls back to the interpreter where the compiled engine cannot serve.

    With merged steps the compiled engine decides on a smaller model that no property can tell from the user's own;
    only if something is violated there, the user's own model is searched for a run that shows it.
    """

    def __init__(
        self, model: m.Model, limits: Limits, listener: Listener, threads: int, fair: bool, engine: str, steps: str
    ) -> None:
        self.model, self.limits, self.listener, self.fair = model, limits, listener, fair
        self.threads, self.merges = threads, steps == "merged"
        self.compiled: explicit.Engine | None = None
        if engine == "explicit" or (engine == "auto" and not self.is_small()):
            try:
                self.compiled = explicit.Engine(model, limits, listener, threads)
                self.compiled.layout()
            except (NoCompiler, explicit.Unsupported) as reason:
                if engine == "explicit":
                    raise
                self.compiled = None
                listener(Warned(f"the compiled engine cannot be used ({reason}); the reference engine serves"))

    def is_small(self) -> bool:
        """Whether the interpreter is done before a compiler would be."""
        return reference.explore(self.model, Limits(states=2000, seconds=0.3)).complete

    @property
    def engine_name(self) -> str:
        return "reference" if self.compiled is None else "explicit"

    def smaller(self, next_free: bool = True) -> explicit.Engine | None:
        """The engine for the model with merged steps, if they are wanted and allowed."""
        if not self.merges or self.fair:
            return None
        model = merged(self.model, next_free=next_free)
        return explicit.Engine(model, self.limits, self.listener, self.threads)

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
                if found is None and exploration.complete:
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
                results[name] = self.result(name, verdict, exploration, reason=exploration.stopped)
        return exploration, [results[name] for name in names]

    def safety_by_reference(self, names: list[str]) -> tuple[Exploration, list[PropertyResult]]:
        exploration = reference.explore(self.model, self.limits, self.listener)
        counts = {ASSERTIONS: exploration.errors.assertions, END_STATES: exploration.errors.invalid_end_states}
        counts[FAULTS] = sum(exploration.errors.faults.values()) + exploration.errors.trace
        results = []
        for name in names:
            if counts[name]:
                wants = (
                    ["assertion"] if name == ASSERTIONS else ["deadlock"] if name == END_STATES else ["fault", "trace"]
                )
                trace = next(t for want in wants if (t := shortest_safety_trace(self.model, want)) is not None)
                results.append(self.result(name, Verdict.VIOLATED, exploration, self.confirmed(trace)))
            elif exploration.complete:
                results.append(self.result(name, Verdict.HOLDS, exploration))
            else:
                results.append(self.result(name, Verdict.UNKNOWN, exploration, reason=exploration.stopped))
        return exploration, results

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
            if self.compiled is None:
                states, trace = reference_cycles.check_property(self.model, property_, self.limits, self.fair, stays)
                transitions, stopped = 0, None
            else:
                result, trace = self.temporal_compiled(self.compiled, property_, stays)
                states, transitions = result.states, result.transitions
                stopped = explicit.stopped_by(result, self.limits)
        except (explicit.Unsupported, reference_cycles.OutOfLimits) as reason:
            return PropertyResult(property_.name, kind, Verdict.UNKNOWN, reason=str(reason))
        if trace is not None:
            found = Verdict.VIOLATED
            self.confirmed(trace)
        else:
            found = Verdict.UNKNOWN if stopped else Verdict.HOLDS
        return PropertyResult(property_.name, kind, found, trace, stopped, states, transitions)

    def temporal_compiled(
        self, engine: explicit.Engine, property_: m.Claim | m.Temporal, stays: bool
    ) -> tuple[explicit.Result, Trace | None]:
        """Decided on the smaller model where that is allowed, shown on the user's own."""
        # A claim written by hand may count steps, so it is only decided on the plain model.
        next_free = isinstance(property_, m.Temporal) and is_stutter_invariant_syntactically(property_.formula)
        first = self.smaller() if next_free else None
        if first is not None:
            model = first.interpreter.model
            same = next(p for p in (*model.properties, *labelled(model)) if p.name == property_.name)
            result, _ = cycles.check_property(first, same, self.fair, stays, show=False)
            if not cycles.violated(result):
                return result, None
        return cycles.check_property(engine, property_, self.fair, stays)


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
