"""Second opinions: a reduction that loses a violation is caught, and what was confirmed is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines import analysis, reduction
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.passes import merged
from coset.results.internal import ConflictingVerdicts, InternalError
from coset.results.verdict import Confirmation, Verdict
from coset.symmetry import passes
from coset.symmetry.canonical.representative import Representatives
from coset.tasks import confirm as confirming
from tests.support.paths import MODELS

SAFE = """
byte x;
active [2] proctype P() { do :: x < 5 -> x++ :: x == 5 -> break od }
"""
UNSAFE = SAFE + "active proctype Q() { byte y; y = x; assert(y < 5) }"
SYMMETRIC = """
byte x;
active [2] proctype P() { end: do :: x < 5 -> x++ od }
active proctype Q() { end: do :: assert(x < 5) od }
"""
TEMPORAL = SAFE + "ltl low { [] (x < 5) } ltl rises { <> (x == 5) }"


def lossy(model: m.Model, **options: object) -> m.Model:
    """A pass that loses what should be found: assertions, and the last increment of x."""

    def cut(kind: m.Kind) -> m.Kind:
        locations = tuple(replace(each, edges=tuple(map(emptied, each.edges))) for each in kind.locations)
        return replace(kind, locations=locations)

    def emptied(edge: m.Edge) -> m.Edge:
        return replace(edge, effects=tuple(effect for effect in edge.effects if not isinstance(effect, m.Assert)))

    made = merged(model, **options)  # type: ignore[arg-type]
    return replace(made, kinds=tuple(map(cut, made.kinds)))


def stopped(model: m.Model, **options: object) -> m.Model:
    """A pass that keeps processes from moving at all."""
    made = merged(model, **options)  # type: ignore[arg-type]
    kinds = tuple(
        replace(kind, locations=tuple(replace(each, edges=(), end=True) for each in kind.locations))
        for kind in made.kinds
    )
    return replace(made, kinds=kinds)


# --- broken reductions -----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "explicit"])
@pytest.mark.parametrize("cross_check", [False, True])
def test_a_pass_that_loses_an_assertion(engine: str, cross_check: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "merged", lossy)
    monkeypatch.setattr(passes, "merged", lossy)
    with pytest.raises(ConflictingVerdicts) as raised:
        coset.parse_text(UNSAFE).check(["assertions"], engine=engine, cross_check=cross_check)
    message = str(raised.value)
    assert "'assertions'" in message and "holds" in message and "violated" in message and "merged steps" in message


@pytest.mark.parametrize("engine", ["auto", "explicit"])
@pytest.mark.parametrize("cross_check", [False, True])
def test_a_pass_that_loses_a_run(engine: str, cross_check: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "merged", stopped)
    monkeypatch.setattr(passes, "merged", stopped)
    with pytest.raises(ConflictingVerdicts, match="'low'"):
        coset.parse_text(TEMPORAL).check(["low"], engine=engine, cross_check=cross_check)


REMOTE = """
byte cnt; pid owner = 9; pid turn = 9;
active [3] proctype P() { pid x = _pid;
  do :: cnt < 100 -> cnt++
     :: atomic { cnt == 100 && owner == 9 -> owner = _pid }
     :: atomic { owner == _pid && turn == 9 -> turn = P[3]:x; assert(turn == owner) }
  od }
active proctype S() { (false) }
"""


@pytest.mark.parametrize("engine", ["auto", "explicit"])
def test_a_late_asymmetry_gives_no_wrong_verdict(engine: str) -> None:
    """A remote reference that misses reads 0, which names process 0: this shows after a hundred steps."""
    try:
        found = coset.parse_text(REMOTE).check(["assertions"], engine=engine)
    except InternalError:
        return
    assert found.verdict is Verdict.VIOLATED


def test_only_a_cross_check_sees_it_in_a_large_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "merged", lossy)
    monkeypatch.setattr(passes, "merged", lossy)
    monkeypatch.setattr(confirming, "SMALL", 10)
    model = coset.parse_text(UNSAFE)
    assert model.check(["assertions"]).verdict is Verdict.HOLDS
    with pytest.raises(ConflictingVerdicts):
        model.check(["assertions"], cross_check=True)
    monkeypatch.setattr(confirming, "QUICK", 10)
    with pytest.raises(ConflictingVerdicts, match="explicit engine, plain steps"):
        model.check(["assertions"], engine="explicit", cross_check=True)


@pytest.mark.parametrize("cross_check", [False, True])
def test_a_symmetry_that_loses_an_assertion(cross_check: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All states are said to be in the orbit of the first."""

    class Broken(Representatives):
        def __call__(self, state: object) -> object:  # type: ignore[override]
            self.first = getattr(self, "first", state)
            self.sizes[self.first] = 1  # type: ignore[index]
            return self.first

    monkeypatch.setattr(reduction.Reduction, "representatives", lambda self: Broken([]))
    monkeypatch.setattr("coset.engines.reference.engine.certify", lambda *_: 0)
    with pytest.raises(ConflictingVerdicts, match="symmetry"):
        coset.parse_text(SYMMETRIC).check(["assertions"], steps="plain", symmetry="program", cross_check=cross_check)


def test_the_command_ends_with_70(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "unsafe.pml"
    file.write_text(UNSAFE)
    monkeypatch.setattr(analysis, "merged", lossy)
    monkeypatch.setattr(passes, "merged", lossy)
    assert main(["check", str(file), "--property", "assertions"]) == 70
    said = capsys.readouterr()
    assert said.out == ""
    assert "two verdicts on 'assertions'" in said.err and "No verdict is given" in said.err
    assert "the model, the command line and the version" in said.err
    assert main(["check", str(file), "--property", "assertions", "--json"]) == 70
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "internal"


# --- what is confirmed -----------------------------------------------------------------------------


def test_a_small_model_is_confirmed() -> None:
    result = coset.parse_text(TEMPORAL).check()
    plain = coset.parse_text(TEMPORAL).explore(engine="reference", symmetry="off")
    assert result["assertions"].confirmed == Confirmation(plain.states, "reference")
    assert result["rises"].verdict is Verdict.HOLDS and result["rises"].confirmed is not None
    assert result["low"].verdict is Verdict.VIOLATED and result["low"].confirmed is None  # its run was executed
    assert result.confirmed is not None and result.confirmed.states >= plain.states


def test_nothing_is_confirmed_where_nothing_was_reduced() -> None:
    result = coset.parse_text(TEMPORAL).check(steps="plain", symmetry="off")
    assert result.confirmed is None and all(each.confirmed is None for each in result.properties)


def test_a_large_model_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirming, "interpreted", lambda *_: pytest.fail("it was begun"))
    assert coset.check(MODELS / "peterson.pml").confirmed is None


def cross_checked(name: str, **options: object) -> tuple[str, dict[str, tuple[str, str | None]]]:
    """The engine that decided, and for each property the engine that confirmed its verdict."""
    result = coset.check(MODELS / name, cross_check=True, **options)  # type: ignore[arg-type]
    return result.engine, {
        each.name: (each.confirmed.engine if each.confirmed else "none", each.unconfirmed) for each in result.properties
    }


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("peterson.pml", {}),
        ("dekker.pml", {"engine": "explicit"}),
        ("dekker.pml", {"engine": "reference"}),
        ("dekker.pml", {"engine": "symbolic"}),
        ("dekker.pml", {"fair": True}),
        ("dekker.pml", {"engine": "explicit", "settings": Settings(symmetry="auto", reduction="por")}),
        ("dekker.pml", {"ctl": ["AG EF false", "EF true"]}),
        ("philosophers.seq", {}),
        ("peterson.spl", {}),
        ("peterson.csp", {}),
    ],
)
def test_every_verdict_is_cross_checked(name: str, options: dict[str, object]) -> None:
    decided, found = cross_checked(name, **options)
    other = "reference" if decided == "explicit" else "explicit"
    assert found and set(found.values()) == {(other, None)}


def test_a_limit_is_said() -> None:
    _, found = cross_checked("peterson.pml", max_states=2500, properties=["assertions"])
    assert found == {"assertions": ("none", "the limit of states (--max-states)")}


def test_what_only_one_engine_decides_is_said() -> None:
    found = set(cross_checked("vending.csp")[1].values())
    assert found == {("explicit", None), ("none", "only the interpreter decides this")}


def test_the_command_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "safe.pml"
    file.write_text(TEMPORAL)
    assert main(["check", str(file), "--property", "rises"]) == 0
    assert "confirmed on the plain model (" in capsys.readouterr().out
    assert main(["check", str(file), "--property", "rises", "--cross-check"]) == 0
    assert "confirmed on the plain model by the explicit engine (" in capsys.readouterr().out
    assert main(["check", str(file), "--property", "rises", "--cross-check", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    expected = {"states": document["confirmed"]["states"], "engine": "explicit", "steps": "plain", "symmetry": "off"}
    assert document["confirmed"] == document["properties"][0]["confirmed"] == expected
    assert document["properties"][0]["unconfirmed"] is None
    limited = ["check", str(MODELS / "peterson.pml"), "--cross-check", "--max-states", "2500"]
    assert main([*limited, "--property", "assertions"]) == 0
    assert "assertions: not cross-checked (the limit of states" in capsys.readouterr().out
