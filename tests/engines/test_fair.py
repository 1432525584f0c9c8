"""Weak and strong fairness of processes, and fairness constraints, with and without symmetry.

The naive twin and thousands of random programs are in `tests/support/fair_random.py`; some of them are tried here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines.contract import Unsupported
from coset.engines.fair_runs import unfairness
from coset.engines.reduction import UnusableSymmetry
from coset.engines.settings import Settings
from coset.engines.symbolic.engine import Refused
from coset.model.fairness import STRONG, WEAK, Fairness, ProcessFairness
from coset.results.trace import Choice, Trace
from coset.results.verdict import Verdict
from coset.source.diagnostics import InputError
from tests.support.fair_random import branching_differences, compare_seed, compiled_differences
from tests.support.spin_claims import spin_verdicts

HOLDS, VIOLATED = Verdict.HOLDS, Verdict.VIOLATED
ENGINES = ("reference", "explicit")
LOCK = """
bit lock; bool in[N];
active [N] proctype P() {
  do :: atomic { lock == 0 -> lock = 1 }; in[_pid] = true; in[_pid] = false; lock = 0 od
}
ltl some { [] <> (in[0] || in[1] || in[2]) }
ltl mine { [] <> in[0] }
ltl all { [] <> in[0] && [] <> in[1] && [] <> in[2] }
ltl wrong { <> [] !in[2] }
"""
PAIRS = 26
STREETT = "\n".join([
    "byte x;",
    "active proctype P() { do "
    + " ".join(f":: x == {k} -> if :: x = {k + 1} :: x = 0 fi" for k in range(PAIRS))
    + f" :: x == {PAIRS} -> x = 0 od }}",
    f"ltl f {{ [] <> (x == {PAIRS}) }}",
    "ltl g { [] <> (x == 0) }",
    "ltl h { <> [] (x != 3) }",
])  # fmt: skip
"""A chain that may begin again at any place: to be at k + 1 infinitely often is a choice at each k."""


def write(tmp_path: Path, text: str, n: int = 3) -> Path:
    path = tmp_path / "model.pml"
    path.write_text(f"#define N {n}\n{text}")
    return path


def verdicts(path: Path, fair: object, engine: str, symmetry: str = "auto", threads: int = 1) -> dict[str, str]:
    """The verdicts on all formulas."""
    settings = Settings(threads=threads, symmetry=symmetry)
    found = coset.check(path, fair=fair, engine=engine, settings=settings)  # type: ignore[arg-type]
    assert all(each.reason is None for each in found.properties)
    return {each.name: each.verdict.value for each in found.properties if not each.kind.builtin}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("symmetry", ["off", "auto"])
def test_a_lock_starves_nobody_only_with_strong_fairness(engine: str, symmetry: str, tmp_path: Path) -> None:
    """Whoever waits for the lock can take it again and again, but not always."""
    path = write(tmp_path, LOCK)
    weak = {"some": "holds", "mine": "violated", "all": "violated", "wrong": "violated"}
    assert verdicts(path, True, engine, symmetry) == weak
    assert verdicts(path, "strong", engine, symmetry) == {**weak, "mine": "holds", "all": "holds"}
    assert verdicts(path, ["weak", "[]<> in[0]"], engine, symmetry) == {**weak, "mine": "holds"}


@pytest.mark.parametrize("engine", ENGINES)
def test_constraints_are_not_unfolded(engine: str, tmp_path: Path) -> None:
    """With 26 constraints, an automaton for all of them would have more than 2^26 states."""
    path = write(tmp_path, STREETT)
    constraints = [f"[]<> (x == {k}) -> []<> (x == {k + 1})" for k in range(PAIRS)]
    assert verdicts(path, constraints, engine) == {"f": "holds", "g": "holds", "h": "violated"}
    assert verdicts(path, constraints[1:], engine) == {"f": "violated", "g": "holds", "h": "violated"}
    assert verdicts(path, [*constraints, "<>[] (x != 3)"], engine) == {"f": "holds", "g": "holds", "h": "holds"}


@pytest.mark.parametrize("engine", ENGINES)
def test_more_processes_than_a_word_has_bits(engine: str, tmp_path: Path) -> None:
    text = """byte turn; active [N] proctype P() { do :: turn == _pid -> turn = (turn + 1) % N od }
    active proctype Idle() { do :: true od }
    ltl f { [] <> (turn == 0) } ltl g { <> [] (turn != N - 1) }"""
    path = write(tmp_path, text, 70)
    assert verdicts(path, False, engine, "off") == {"f": "violated", "g": "violated"}
    assert verdicts(path, True, engine, "off") == {"f": "holds", "g": "violated"}


def test_the_quotient_is_used_and_small(tmp_path: Path) -> None:
    path = write(tmp_path, LOCK.replace("ltl mine", "/*").replace("[] <> in[2] }", "*/"), 3)
    path.write_text(path.read_text().split("ltl wrong")[0])
    for engine in ENGINES:
        found = coset.check(path, fair="strong", engine=engine, properties=["some"])
        assert found.exploration.symmetry.group.order == 6 and found.properties[0].states < 10


def test_threads_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_QUICK", "off")
    path = write(tmp_path, LOCK)
    assert verdicts(path, "strong", "explicit", "auto", 2) == verdicts(path, "strong", "reference")


@pytest.mark.parametrize("seed", range(16))
def test_random_programs_agree_with_the_definition(seed: int) -> None:
    counts, problems = compare_seed(seed, threads=(1,))
    assert not problems and counts


@pytest.mark.parametrize("seed", [1, 2])
def test_random_programs_agree_in_optimised_programs(seed: int) -> None:
    counts, problems = compare_seed(seed, threads=(2,))
    assert not problems and counts["with symmetry"]


@pytest.mark.parametrize("seed", range(6))
def test_both_logics_agree(seed: int, tmp_path: Path) -> None:
    assert list(branching_differences(seed, tmp_path)) == []


def test_branching_time_with_strong_fairness(tmp_path: Path) -> None:
    path = write(tmp_path, LOCK.partition("ltl")[0])
    formulas = ["AF in[0]", "AG (lock == 0 -> EF in[1])", "EG !in[2]"]

    def known(fair: object) -> list[Verdict]:
        found = coset.check(path, ctl=formulas, fair=fair, engine="reference")  # type: ignore[arg-type]
        return [each.verdict for each in found.properties]

    assert known("weak") == [VIOLATED, HOLDS, HOLDS]
    assert known("strong") == known(["[]<> in[0]", "[]<> in[2]"]) == [HOLDS, HOLDS, VIOLATED]
    more = [*formulas, "AF EG in[0]"]
    for fair in ("weak", "strong", ["[]<> in[0]", "[]<> in[2]"]):
        found = coset.check(path, ctl=more, fair=fair, engine="explicit", keep_going=True).properties
        *those, last = found
        is_open = not isinstance(fair, str)  # with constraints, a finite run need not have a fair continuation
        assert [each.verdict for each in those if each.name != "ctl_2" or not is_open] == [
            verdict for k, verdict in enumerate(known(fair), 1) if k != 2 or not is_open
        ]
        assert last.verdict is Verdict.UNKNOWN and "--engine reference" in str(last.reason)
        assert is_open == (those[1].verdict is Verdict.UNKNOWN)


@pytest.mark.parametrize(("seed", "symmetry"), [(1, "auto"), (2, "off"), (3, "auto")])
def test_the_compiled_engine_agrees_on_branching_time(seed: int, symmetry: str, tmp_path: Path) -> None:
    decided, wrong = compiled_differences(seed, tmp_path, symmetry)
    assert decided and not wrong


def test_a_run_that_ends_in_an_error_counts_in_branching_time(tmp_path: Path) -> None:
    """It is no run in linear time, so that `AF` is left open where there are runtime errors."""
    path = tmp_path / "m.pml"
    path.write_text("byte a[2], k; active proctype P() { do :: k < 5 -> k++; a[k] = 1 od }")
    for engine, verdict in (("reference", Verdict.VIOLATED), ("explicit", Verdict.UNKNOWN)):
        (found,) = coset.check(path, ctl=["AF (k == 4)"], fair=True, engine=engine).properties
        assert found.verdict is verdict


def test_weak_fairness_of_a_lock_is_spins(tmp_path: Path) -> None:
    path = write(tmp_path, LOCK)
    names = ("some", "mine", "all", "wrong")
    theirs = spin_verdicts(path, [(name, True) for name in names])
    assert theirs == list(verdicts(path, True, "explicit").values())


def test_a_run_that_is_not_fair_is_noticed() -> None:
    model = coset.parse_text(
        "bit l; active proctype A() { do :: l = 1; l = 0 od } active proctype B() { do :: l == 0 -> skip od } "
        "ltl f { <> [] (l == 0) }"
    )
    alternating = Trace(model.name, "f", "ltl", (Choice(0, 0), Choice(0, 0)), 0)
    assert unfairness(model, alternating, WEAK) is None
    assert unfairness(model, alternating, STRONG) == "process 1 can move again and again, and never does"


# --- what is asked for -------------------------------------------------------------------------------


def test_fairness_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write(tmp_path, LOCK))

    def fairness(*arguments: str) -> object:
        main(["check", *arguments, "--property", "mine", "--json"])
        return json.loads(capsys.readouterr().out)["fairness"]

    assert fairness(path) == {"processes": "none", "constraints": []}
    weak = {"processes": "weak", "constraints": []}
    assert fairness("--fair", path) == fairness(path, "--fair") == fairness(path, "--fair=weak") == weak
    assert fairness(path, "--fair", "strong", "--fair", "G F in[1]") == {
        "processes": "strong",
        "constraints": ["G F in[1]"],
    }
    assert main(["check", path, "--fair=often"]) == 2
    assert "--fair:1:1: error" in capsys.readouterr().err


def test_constraints_and_formulas_of_the_command_line(tmp_path: Path) -> None:
    """Constraints are no properties, and formulas are none of the constraints."""
    path = write(tmp_path, LOCK)
    found = coset.check(path, ltl=["[]<> in[0]"], invariants=["lock < 2"], fair=["weak", "[]<> in[0]", "[]<> in[1]"])
    assert {each.name: each.verdict for each in found.properties} == {
        "command_line_1": HOLDS,
        "invariant_1": HOLDS,
        "faults": HOLDS,
    }


def test_what_is_no_constraint(tmp_path: Path) -> None:
    path = write(tmp_path, LOCK)
    for formula in ("[] in[0]", "[]<> (in[0] U in[1])", "[]<> in[0] || []<> in[1]"):
        with pytest.raises(InputError, match="a fairness constraint is"):
            coset.check(path, fair=formula)
    with pytest.raises(ValueError, match="read together with a model"):
        coset.check(coset.parse_text("byte x; active proctype P() { x = 1 }"), fair="[]<> x")


def test_what_is_not_supported(tmp_path: Path) -> None:
    path = write(tmp_path, LOCK)
    with pytest.raises(Refused, match="strong fairness"):
        coset.check(path, fair="strong", engine="symbolic")
    with pytest.raises(UnusableSymmetry, match="permutations of literals"):
        coset.check(path, fair=True, symmetry="constraints")
    many = Fairness(ProcessFairness.NONE, tuple(STRONG.constraints) * 33)
    assert not many
    with pytest.raises((Unsupported, InputError)):
        coset.check(path, fair=["[]<> nothing"])
