"""Decides properties by the processes of a cluster: those of single states.  Others are refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from coset.engines import contract as c
from coset.engines.analysis import Analysis
from coset.engines.contract import PropertyEngine, Unsupported
from coset.engines.distributed import connection
from coset.engines.distributed.cluster import Cluster
from coset.engines.distributed.engine import NAME, search_states
from coset.engines.explicit.checkpoint import prepare
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.properties import bits_of
from coset.model import model as m
from coset.properties.kinds import violated_by
from coset.results.exploration import Exploration
from coset.results.internal import Disagreement
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import Trace
from coset.results.verdict import PropertyResult, Verdict

OTHERS = "the distributed engine decides errors in single states only; --engine explicit without --cluster decides this"


class DistributedProperties(PropertyEngine):
    """Decides on the merged model where that is sound, and shows violations on the plain one.  The cluster is started for the
    first question, and ended with the `with` block."""

    name = NAME
    looks_for_goals = False

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.model = analysis, analysis.model
        target, reduced = analysis.safety_target
        self.first = self.engine(target)
        self.used = reduced.used
        self.first.layout()
        self.reservation = prepare(self.model, analysis.settings)
        self.connection: Cluster | None = None

    def __exit__(self, *unused: object) -> None:
        try:
            if self.connection is not None:
                self.connection.close()
        finally:
            self.reservation.__exit__()

    @property
    def cluster(self) -> Cluster:
        if self.connection is None:
            address = self.analysis.settings.cluster
            assert address is not None
            self.connection = connection.connected(address)
        return self.connection

    def engine(self, model: m.Model) -> Engine:
        analysis = self.analysis
        plan = analysis.reduction(model).plan
        return Engine(model, analysis.limits, analysis.listener, analysis.settings, plan)

    @cached_property
    def plain(self) -> Engine:
        """The engine for the user's own model, which shows errors."""
        return self.first if self.first.interpreter.model is self.model else self.engine(self.model)

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        return self.used

    def safety(self, names: Sequence[str]) -> c.Answer:
        results: dict[str, PropertyResult] = {}
        exploration = Exploration(self.model.name, NAME)
        while open_ := [name for name in names if name not in results]:
            shows = self.plain is self.first
            exploration, found = search_states(self.first, self.cluster, sum(map(bits_of, open_)), shows)
            if found is not None:
                name = violated_by(found.kind)
                results[name] = self.shown(name, exploration, found if isinstance(found, Trace) else None)
                continue
            verdict = Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN
            reason = c.reservation_about(exploration)
            results |= {name: c.safety_result(name, verdict, exploration, reason=reason) for name in open_}
        return exploration, [results[name] for name in names]

    def shown(self, name: str, exploration: Exploration, trace: Trace | None) -> PropertyResult:
        """A violation, with a shortest run of the plain model."""
        if trace is None:
            exploration, found = search_states(self.plain, self.cluster, bits_of(name))
            if found is None and exploration.complete:
                raise Disagreement(f"{name}: violated with merged steps, but not with plain ones")
            if found is None:
                reason = f"violated with merged steps; the run to show it was not found: {exploration.stopped}"
                return c.safety_result(name, Verdict.UNKNOWN, exploration, reason=reason)
            assert isinstance(found, Trace)
            trace = found
        return c.safety_result(name, Verdict.VIOLATED, exploration, c.confirmed(self.model, trace))

    def all_errors(self, names: Sequence[str]) -> c.Answer:
        raise Unsupported("all errors: the distributed engine stops at the first one")

    def temporal(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        return c.undecided(property_, OTHERS)

    def branching(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        return [c.undecided(each, OTHERS) for each in properties]
