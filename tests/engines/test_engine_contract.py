"""The contract of engines: whatever decides properties passes these tests, and a new engine needs no more than an entry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import coset
from coset.engines import reduction
from coset.engines.analysis import Analysis
from coset.engines.contract import PropertyEngine
from coset.engines.distributed import connection
from coset.engines.distributed.cluster import InProcess
from coset.engines.registry import ENGINES, Engine, explore_by_reference
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.fairness import Fairness
from coset.model.implicit import implicit_properties
from coset.properties.kinds import BUILTIN
from coset.results.exploration import Exploration
from coset.results.internal import ConflictingVerdicts
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import replay
from coset.results.verdict import PropertyResult, Verdict

LOCK = """bool busy; byte count;
active [3] proctype P() { do :: atomic { !busy -> busy = true }; count++; assert(count == 1); count--; busy = false od }
ltl returns { [] (busy -> <> !busy) }
ltl stays_free { [] !busy }
"""
BROKEN = """byte x, y;
active [2] proctype P() { byte t; t = x; t++; x = t; assert(t == x); y = 6 / (x - 1) }
active proctype Q() { x == 3 }
"""
LABELLED = "byte x; active proctype P() { accept: do :: x = 1 - x od } active proctype Q() { progress: skip }"
MODELS = {
    "a lock": (LOCK, {"stays_free": "violated"}),
    "errors": (BROKEN, {"assertions": "violated", "end states": "violated", "faults": "violated"}),
    "labels": (LABELLED, {"acceptance cycles": "violated", "progress": "violated"}),
}
SAFETY = set(BUILTIN.values())
CTL = {"EF (busy)": "holds", "AG EF (!busy)": "holds", "AG (!busy)": "violated", "AF (busy)": "holds"}


@pytest.fixture(autouse=True)
def workers_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connected", lambda address: InProcess(2))


def engine_for(name: str, model: m.Model, **choices: str) -> tuple[PropertyEngine, list[m.Property]]:
    kept = [*model.properties, *implicit_properties(model)]
    cluster = "local:2" if name == "distributed" else None
    settings = Settings(cluster=cluster, **choices)  # type: ignore[arg-type]
    return ENGINES[name].properties(Analysis(model, settings=settings), kept), kept


@pytest.mark.parametrize("symmetry", ["auto", "off"])
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("text, expected", MODELS.values(), ids=MODELS)
def test_verdicts_and_evidence(text: str, expected: dict[str, str], name: str, symmetry: str) -> None:
    model = coset.parse_text(text)
    engine, kept = engine_for(name, model, symmetry=symmetry)
    with engine:
        exploration, results = engine.safety(list(BUILTIN))
        results += [engine.temporal(each) for each in kept if isinstance(each, m.LtlProperty)]
    assert exploration.complete or exploration.errors.total or any(each.trace for each in results)
    for result in results:
        if result.verdict is Verdict.UNKNOWN:  # what an engine cannot decide it says by name
            is_refused = (name == "symbolic" and text == LABELLED) or (
                name == "distributed" and result.kind not in SAFETY
            )
            assert is_refused and result.reason
            continue
        assert result.verdict.value == expected.get(result.name, "holds"), result.name
        if result.verdict is Verdict.VIOLATED:
            assert result.trace is not None and replay(model, result.trace).shows_violation


@pytest.mark.parametrize("name", ENGINES)
def test_branching_time(name: str, tmp_path: Path) -> None:
    file = tmp_path / "lock.pml"
    file.write_text(LOCK)
    model = coset.load(file, ctl=list(CTL))
    formulas = [each for each in model.properties if isinstance(each, m.CtlProperty)]
    engine, _ = engine_for(name, model)
    with engine:
        found = engine.branching(formulas)
    if name == "distributed":
        assert all(each.verdict is Verdict.UNKNOWN and each.reason for each in found)
        return
    assert [each.verdict.value for each in found] == list(CTL.values())
    for result in found:
        if result.trace is not None:
            replay(model, result.trace)


@pytest.mark.parametrize("name", ENGINES)
def test_a_question_about_nothing(name: str) -> None:
    engine, _ = engine_for(name, coset.parse_text(LOCK))
    with engine:
        assert engine.branching([]) == [] and engine.safety([])[1] == []
        assert isinstance(engine.symmetry_used(safety=True), SymmetryUsed)


def test_a_detection_for_each_different_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many properties ask."""
    asked: list[tuple[int, tuple[str, ...]]] = []
    detect = reduction.reduction

    def counted(
        model: m.Model, properties: Sequence[m.Property], settings: Settings, fair: Fairness, thorough: bool
    ) -> object:
        asked.append((id(model), tuple(each.name for each in properties)))
        return detect(model, properties, settings, fair, thorough)

    monkeypatch.setattr("coset.engines.analysis.reduction", counted)
    coset.check(coset.parse_text(LOCK), engine="explicit")
    assert len(asked) == len(set(asked)) > 0


class Optimist(PropertyEngine):
    """A toy: everything holds."""

    name = "optimist"

    def __init__(self, analysis: Analysis, kept: Sequence[m.Property]) -> None:
        self.analysis = analysis

    def safety(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        found = [PropertyResult(name, BUILTIN[name], Verdict.HOLDS) for name in names]
        return Exploration(self.analysis.model.name, self.name), found

    def all_errors(self, names: Sequence[str]) -> tuple[Exploration, list[PropertyResult]]:
        return self.safety(names)

    def temporal(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        return PropertyResult(property_.name, property_.kind, Verdict.HOLDS)

    def branching(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        return [PropertyResult(each.name, each.kind, Verdict.HOLDS) for each in properties]

    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        return SymmetryUsed()


def test_an_engine_is_a_class_and_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a second opinion does not let it pass."""
    toy = Engine("optimist", "everything holds", explore_by_reference, Optimist, merges=True)
    monkeypatch.setitem(ENGINES, "optimist", toy)
    model = coset.parse_text("byte x; active proctype P() { x = 1; x = 0 }")
    found = coset.check(model, engine="optimist")
    assert found.engine == "optimist" and found.verdict is Verdict.HOLDS
    with pytest.raises(ConflictingVerdicts):
        coset.check(coset.parse_text(LOCK), engine="optimist")
