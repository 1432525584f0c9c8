"""Check the assertions of a file, where each assertion has its own process (CSP#).

Every assertion has a model and a property of that model.  Each asserted process is also checked for an index or a value out
of range, which would make all verdicts void.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from coset.engines.contract import ASSERTIONS, END_STATES, FAULTS
from coset.engines.labelled import Answer, is_deterministic, is_divergence_free
from coset.model import model as m
from coset.model.suite import Asserted, Suite
from coset.properties.kinds import PropertyKind
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.source.budget import Limits

RANGES = "ranges"
"""The name of the property that variables stay in their ranges; the front end turns ranges into assertions."""
LABELLED: dict[str, Callable[[m.Model, Limits], Answer]] = {
    "deterministic": is_deterministic,
    "divergencefree": is_divergence_free,
}
CheckModel = Callable[[m.Model, Sequence[str]], Check]


def names(suite: Suite) -> list[str]:
    """The names of the suite's properties."""
    return [*(each.name for each in suite.assertions), FAULTS, *([RANGES] if any(map(asserts, suite.models)) else [])]


def check_suite(suite: Suite, check: CheckModel, limits: Limits, wanted: Sequence[str] | None = None) -> Check:
    """Decide every assertion (or those with these names).  `check` verifies properties of one model."""
    began = time.monotonic()
    chosen = [each for each in suite.assertions if wanted is None or each.name in wanted]
    results: dict[str, PropertyResult] = {}
    models: dict[str, m.Model] = {}
    first: Check | None = None
    for number, model in enumerate(suite.models):
        here = [each for each in chosen if each.model == number and each.what not in LABELLED]
        safety = list(general(model, suite, number, wanted))
        if here or safety:
            found = check(model, list(dict.fromkeys([each.property for each in here] + safety)))
            first = first or found
            for name, result in renamed(found, here, safety):
                if name not in results or results[name].verdict is Verdict.HOLDS:
                    results[name], models[name] = result, model
        for each in chosen:
            if each.model == number and each.what in LABELLED:
                results[each.name], models[each.name] = labelled(model, each, limits), model
    if first is None:
        first = check(suite.models[0], [])
    order = [*(each.name for each in chosen), FAULTS, RANGES]
    seconds = {**first.seconds, "check": round(time.monotonic() - began, 6)}
    found_all = [results[name] for name in order if name in results]
    return replace(first, properties=found_all, models=models, seconds=seconds)


def general(model: m.Model, suite: Suite, number: int, wanted: Sequence[str] | None) -> Iterator[str]:
    """Decide the implicit properties on the first model of each process; its other models only observe events in addition."""
    if any(suite.processes[earlier] == suite.processes[number] for earlier in range(number)):
        return
    if wanted is None or FAULTS in wanted:
        yield FAULTS
    if asserts(model) and (wanted is None or RANGES in wanted):
        yield ASSERTIONS


def asserts(model: m.Model) -> bool:
    effects = (effect for kind in model.kinds for _, edge in kind.edges() for effect in edge.effects)
    return any(isinstance(effect, m.Assert) for effect in effects)


def renamed(found: Check, here: Sequence[Asserted], safety: Sequence[str]) -> Iterator[tuple[str, PropertyResult]]:
    """The results under the names of the assertions."""
    for result in found.properties:
        for each in here:
            if each.property == result.name:
                yield each.name, replace(result, name=each.name)
        if result.name in safety and result.name != END_STATES:
            name = RANGES if result.name == ASSERTIONS else result.name
            yield name, replace(result, name=name)


def labelled(model: m.Model, asserted: Asserted, limits: Limits) -> PropertyResult:
    """Decide a property on the labelled transition system."""
    answer = LABELLED[asserted.what](model, limits)
    verdict = Verdict.VIOLATED if answer.trace is not None else Verdict.UNKNOWN if answer.stopped else Verdict.HOLDS
    return PropertyResult(
        asserted.name, PropertyKind.SAFETY, verdict, answer.trace, answer.stopped, answer.states, answer.transitions
    )
