"""Decides properties by the compiled engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from coset.engines import contract as c
from coset.engines import errors
from coset.engines.analysis import Analysis, only
from coset.engines.branching import Decision
from coset.engines.contract import PropertyEngine
from coset.engines.explicit import branching, cycles
from coset.engines.explicit import errors as explicit_errors
from coset.engines.explicit.checkpoint import prepare
from coset.engines.explicit.compile import Unsupported
from coset.engines.explicit.engine import Engine, stopped_by
from coset.engines.explicit.safety import search_states
from coset.engines.explicit.seam import FAULTS, Error, Result
from coset.engines.reference.properties import NO_FAIR_CTL
from coset.model import model as m
from coset.model.implicit import PROGRESS
from coset.properties.kinds import violated_by
from coset.results.exploration import Exploration
from coset.results.internal import Disagreement
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import Trace
from coset.results.verdict import PropertyResult, Verdict
from coset.source.budget import OutOfBudget

if TYPE_CHECKING:
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import Plan


class ExplicitProperties(PropertyEngine):
    """Decides properties by compiled searches, with one library for each kind of request.  As a context manager it reserves
    the checkpoint folder.  The constructor raises `NoCompiler` and `Unsupported`."""

    name = "explicit"

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.model = analysis, analysis.model
        self.limits, self.settings, self.fair = analysis.limits, analysis.settings, analysis.fair
        self.last_used = SymmetryUsed()
        target, _ = analysis.safety_target
        self.is_plain = target is self.model
        self.first = self.plain if self.is_plain else self.engine(target, (), self.partial)
        """What decides about errors in single states."""
        self.first.layout()
        self.reservation = prepare(self.model, self.settings)

    def __exit__(self, *unused: object) -> None:
        self.reservation.__exit__()

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        return self.analysis.safety_target[1].used if safety else self.last_used

    def engine(self, model: m.Model, kept: Sequence[m.Property] = (), partial: bool = False) -> Engine:
        """An engine for a model that makes use of the symmetries that keep some properties; `partial` if it may leave out orders
        of independent steps."""
        found = self.analysis.reduction(model, kept)
        self.last_used = found.used

        def more_symmetry() -> Plan | LiteralPlan | None:
            more = self.analysis.reduction(model, kept, thorough=True)
            self.last_used = more.used
            return more.plan

        return Engine(
            model, self.limits, self.analysis.listener, self.settings, found.plan, partial and found.allows_partial_order,
            begin_quick=True, more_symmetry=more_symmetry,
        )  # fmt: skip

    @cached_property
    def plain(self) -> Engine:
        """The engine for the user's own model, which shows errors in single states; no property has to be kept for that."""
        bare = replace(self.model, properties=()) if self.settings.reduction == "por" else self.model
        return self.engine(bare, (), self.settings.reduction == "por")

    @property
    def partial(self) -> bool:
        """Whether some orders of independent steps may be left out where no property counts steps."""
        is_free = self.settings.reduction == "auto" and self.analysis.merges
        return (is_free or self.settings.reduction == "por") and not self.fair

    def for_property(self, property_: m.Property) -> Engine:
        """The engine for the user's own model, with the symmetries that keep a property."""
        return self.engine(self.model, (property_,))

    # --- single states ---------------------------------------------------------------------------

    def safety(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        """Decide on the reduced model where that is sound, and show violations on the plain model."""
        results: dict[str, PropertyResult] = {}
        exploration = Exploration(self.model.name, self.name)
        while open_ := [name for name in names if name not in results]:
            stop_at = sum(bits_of(name) for name in open_)
            exploration, found = search_states(self.first, stop_at, show=self.is_plain)
            if isinstance(found, str):
                name = violated_by(found)
                exploration, found = search_states(self.plain, bits_of(name))
                if found is None and exploration.complete and self.settings.exact:
                    raise Disagreement(f"{name}: violated with merged steps, but not with plain ones")
                if found is None:
                    reason = f"violated with merged steps; the run to show it was not found: {exploration.stopped}"
                    results[name] = c.safety_result(name, Verdict.UNKNOWN, exploration, reason=reason)
                    continue
            if isinstance(found, Trace):
                name = violated_by(found.kind)
                trace = c.confirmed(self.model, found)
                results[name] = c.safety_result(name, Verdict.VIOLATED, exploration, trace)
                continue
            verdict = Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN
            for name in open_:
                results[name] = c.safety_result(name, verdict, exploration, reason=c.reservation_about(exploration))
        return exploration, [results[name] for name in names]

    def all_errors(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        engine = Engine(self.model, self.limits, self.analysis.listener, self.settings, begin_quick=True)
        exploration, found = explicit_errors.all_errors(engine)
        return exploration, [errors.result(self.model, name, exploration, found) for name in names]

    # --- infinite runs ---------------------------------------------------------------------------

    def temporal(self, property_: m.Claim | m.Temporal) -> PropertyResult:
        """Decide on the reduced model where that is sound, and show a violation on the plain model."""
        try:
            return self.decided(property_)
        except (Unsupported, OutOfBudget) as reason:
            return c.undecided(property_, str(reason))

    def decided(self, property_: m.Claim | m.Temporal) -> PropertyResult:
        stays = property_.name != PROGRESS  # a finite run is not a non-progress cycle
        smaller = self.analysis.smaller_model(property_)
        if smaller is not None:
            engine = self.engine(smaller, smaller.properties, self.partial)
            result, _ = cycles.check_property(engine, only(smaller), self.fair, stays, show=False)
            if not cycles.violated(result):
                return self.temporal_result(property_, result, None)
        result, trace = cycles.check_property(self.for_property(property_), property_, self.fair, stays)
        if smaller is not None and trace is None and stopped_by(result, self.limits) is None:
            raise Disagreement(f"{property_.name}: violated with merged steps, but not with plain ones")
        return self.temporal_result(property_, result, trace)

    def temporal_result(self, property_: m.Claim | m.Temporal, result: Result, trace: Trace | None) -> PropertyResult:
        stopped = stopped_by(result, self.limits)
        verdict = Verdict.UNKNOWN if stopped else Verdict.HOLDS
        if trace is not None:
            verdict = Verdict.VIOLATED
            c.confirmed(self.model, trace)
        kind = property_.kind
        return PropertyResult(property_.name, kind, verdict, trace, stopped, result.states, result.transitions)

    # --- branching time --------------------------------------------------------------------------

    def branching(self, properties: Sequence[m.Branching]) -> list[PropertyResult]:
        """A formula that preserves some symmetry gets its own graph; the others share the full graph."""
        if self.fair:
            return [c.undecided(each, NO_FAIR_CTL) for each in properties]
        decided: dict[str, Decision] = {}
        together = []
        for each in properties:
            engine = self.for_property(each)
            if engine.symmetry is None:
                together.append(each)
            else:
                (decided[each.name],) = branching.check_properties(engine, [each])
        if together:
            engine = Engine(self.model, self.limits, self.analysis.listener, self.settings, begin_quick=True)
            found = branching.check_properties(engine, together)
            decided |= {each.name: decision for each, decision in zip(together, found, strict=True)}
        return [decided[each.name].result(self.model, each.name) for each in properties]


def bits_of(name: str) -> int:
    """The kinds of error that a property forbids, as a bit set."""
    match name:
        case c.ASSERTIONS:
            return 1 << Error.ASSERTION
        case c.END_STATES:
            return 1 << Error.END
    return sum(1 << fault for fault in FAULTS) | 1 << Error.TRACE
