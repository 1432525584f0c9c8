"""Properties by decision diagrams: all on one state space, that of the plain model, with symmetries that keep all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from coset.engines import contract as c
from coset.engines.analysis import Analysis
from coset.engines.branching import Decision
from coset.engines.contract import PropertyEngine
from coset.engines.reduction import Reduction
from coset.engines.symbolic.engine import NAME, Refused, SymbolicEngine
from coset.model import model as m
from coset.properties.kinds import BUILTIN, PropertyKind
from coset.results.exploration import Exploration
from coset.results.symmetry import SymmetryUsed
from coset.results.verdict import PropertyResult


class SymbolicProperties(PropertyEngine):
    """Decides by decision diagrams.  `reduced` is a symmetry that keeps all properties that will be asked for."""

    name = NAME
    looks_for_goals = False  # it has the graph of all states in any case

    def __init__(self, analysis: Analysis, reduced: Reduction) -> None:
        self.analysis, self.model, self.reduced = analysis, analysis.model, reduced
        if analysis.fair and not analysis.fair.is_weak_only:
            raise Refused("strong fairness and fairness constraints are for the explicit and the reference engine")

    @cached_property
    def engine(self) -> SymbolicEngine:
        """The state space, which is made when it is first asked for."""
        analysis, reduced = self.analysis, self.reduced
        representative = reduced.used.representative or "sort"
        found = SymbolicEngine(
            self.model, analysis.limits, analysis.listener, reduced.symmetry, representative, bool(analysis.fair)
        )
        found.exploration.symmetry = reduced.used
        return found

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        return self.reduced.used

    def safety(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        engine = self.engine
        return engine.exploration, [
            self.result(name, BUILTIN[name], lambda name=name: engine.error(BUILTIN[name].errors[0]))  # type: ignore[misc]
            for name in names
        ]

    def all_errors(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        raise Refused("all errors are for the other engines")

    def temporal(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        return self.result(property_.name, property_.kind, lambda: self.engine.decision(property_))

    def branching(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        return [
            self.result(each.name, each.kind, lambda each=each: self.engine.decision(each))  # type: ignore[misc]
            for each in properties
        ]

    def result(self, name: str, kind: PropertyKind, decide: Callable[[], Decision]) -> PropertyResult:
        found, counts = decide(), self.engine.exploration
        if kind is PropertyKind.CTL:
            c.branching_evidence(self.model, name, found.trace, is_whole=found.reason is None)
        elif found.trace is not None:
            c.confirmed(self.model, found.trace)
        c.branching_evidence(self.model, name, found.witness, is_whole=False)
        return PropertyResult(
            name,
            kind,
            found.verdict,
            found.trace,
            found.reason,
            counts.states,
            counts.transitions,
            witness=found.witness,
        )
