"""Verdicts: those that the shipped models state, and SPIN's on its own examples (for random ones see `random_formulas`).

A wrong verdict is the worst error that a model checker can make, so every one has a second opinion here, and every
violated property a run that the interpreter executes.

SPIN's search with weak fairness (`pan -f`) misses runs that stop (https://github.com/nimble-code/Spin/issues/38):

    byte x; active proctype P() { x = 0; false } ltl f { <> [] (x == 1) }      pan -a: violated, pan -a -f: no errors

A run that stops is fair, as nobody can move, so the verdict is violated.  Where Coset shows such a run and SPIN with
fairness has none, SPIN is not asked.  Nor is it asked about fairness where there is a `provided` clause: it takes a
process that is kept from moving by one for a process that could move, and leaves out runs in which it does not.

    byte x; active proctype P() provided (false) { x = 1 } active proctype R() { do :: true; true od }
    ltl f { <> (x == 1) }                                                      pan -a: violated, pan -a -f: no errors
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import coset
from coset.properties.kinds import BUILTIN
from coset.results.verdict import Check, Verdict
from coset.source.budget import Limits
from coset.tasks.checker import check
from tests.support.confirmation import confirmed, stops
from tests.support.expectations import expectations
from tests.support.paths import MODELS
from tests.support.spin_claims import HOLDS, VIOLATED, spin_verdicts, without_assertions
from tests.support.spin_examples import EMBEDDED_C, EXAMPLES, REJECTED, examples

BEYOND = {"email.pml", "email_symmetric.pml"}
SMALL, LARGEST = 5_000, 200_000
PROPERTY = re.compile(r"^\s*\*\s*property (\w+): (holds|violated)$", re.MULTILINE)

# --- the shipped models ------------------------------------------------------------------------------


def stated(path: Path) -> dict[str, str]:
    """The verdicts that a head comment tells."""
    head = path.read_text().split("*/", 1)[0]
    return {"never_0" if name == "never" else name: verdict for name, verdict in PROPERTY.findall(head)}


def counts(path: Path) -> dict[str, int]:
    """The counts of the usual configuration."""
    return next((dict(each.counts) for each in expectations(path) if not each.defines), {})


def verdicts(result: Check) -> dict[str, str]:
    return {each.name: each.verdict.value for each in result.properties}


def shipped(engine: str) -> Iterator[Path]:
    for path in sorted(MODELS.glob("*.pml")):
        if path.name not in BEYOND and (engine == "explicit" or counts(path).get("states", SMALL) < SMALL):
            yield path


@pytest.mark.parametrize(
    ("engine", "path"),
    [(engine, path) for engine in ("explicit", "reference") for path in shipped(engine)],
    ids=lambda value: value if isinstance(value, str) else value.stem,
)
def test_shipped_models_are_as_they_say(engine: str, path: Path) -> None:
    model, expected = coset.load(path), counts(path)
    result = check(model, engine=engine)
    found = verdicts(result)
    assert result.engine == engine
    assert found["assertions"] == (VIOLATED if expected["assertions"] else HOLDS)
    assert found["end states"] == (VIOLATED if expected["invalid_end_states"] else HOLDS)
    assert found["faults"] == HOLDS
    assert {name: verdict for name, verdict in found.items() if name not in BUILTIN} == stated(path)
    confirmed(model, result)


def test_models_state_a_verdict_for_every_property() -> None:
    for path in MODELS.glob("*.pml"):
        if path.name not in BEYOND:
            assert {each.name for each in coset.load(path).properties} == set(stated(path)), path


# --- SPIN's own examples -----------------------------------------------------------------------------


def with_claims() -> list[Path]:
    found = []
    for path in examples():
        text = path.read_text(errors="replace")
        if path.name not in REJECTED and not EMBEDDED_C.search(text) and re.search(r"\b(ltl|never)\b", text):
            found.append(path)
    return found


@pytest.mark.long
@pytest.mark.parametrize("path", with_claims(), ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_examples_have_spins_verdicts(path: Path, tmp_path: Path) -> None:
    for other in path.parent.iterdir():
        if other.name != path.name:
            (tmp_path / other.name).symlink_to(other)
    copy = tmp_path / path.name
    copy.write_text(without_assertions(path.read_text(errors="replace")))
    model = coset.load(copy)
    names = [each.name for each in model.properties]
    questions = [(name, fair) for name in names for fair in (False, True)]
    theirs = dict(zip(questions, spin_verdicts(copy, questions, seconds=3.0)))
    for fair in (False, True):
        asked = [name for name in names if theirs[name, fair] in (HOLDS, VIOLATED)]
        if not asked:
            continue
        result = check(model, engine="auto", properties=asked, fair=fair, limits=Limits(states=LARGEST))
        confirmed(model, result, fair, copy)
        for each in result.properties:
            if each.verdict is not Verdict.UNKNOWN and not (fair and stops(each)):
                assert (each.name, each.verdict.value) == (each.name, theirs[each.name, fair])


# --- cases that were wrong, or that SPIN sees otherwise -----------------------------------------------

STUCK = """\
byte x;
active proctype P() { atomic { x = 1; x == 2 } }
active proctype R() { do :: true; true od }
ltl f { <> (x == 2) }
"""
"""The cycle begins where P has control but is stuck, and ends where nobody has control: the same for all that follows."""
HANDED_ON = """\
chan c = [0] of { bit }; byte x; bit y;
active proctype S() { do :: atomic { x = 1; c!0 } od }
active proctype R() { do :: c?_ :: y = 1 - y od }
ltl f { <> (y == 1) }
"""
"""R moves for ever, though only in the second half of what S begins: a fair run."""
OVERLOOKED = """\
chan c = [0] of { bit }; bit y;
active proctype S() { do :: c!0 od }
active proctype R() { do :: c?_ od }
active proctype Q() { c?_; y = 1 }
ltl f { <> (y == 1) }
"""
"""Is Q neglected when S always hands to R?  Not in SPIN, where the receiver of a handshake cannot move by itself."""


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(STUCK, id="stuck"),
        pytest.param(HANDED_ON, id="handed on"),
        pytest.param(OVERLOOKED, id="overlooked"),
    ],
)
def test_fairness_is_spins(text: str, engine: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(text)
    model = coset.load(path)
    for fair in (False, True):
        result = check(model, engine=engine, properties=["f"], fair=fair)
        confirmed(model, result, fair)
        assert [each.verdict.value for each in result.properties] == spin_verdicts(path, [("f", fair)])


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize(
    "text",
    [
        "byte x; active proctype P() { x = 0; false } ltl f { <> [] (x == 1) }",
        "byte x; active proctype P() provided (false) { x = 1 } active proctype R() { do :: true; true od }"
        " ltl f { <> (x == 1) }",
    ],
    ids=["stops", "provided"],
)
def test_what_spin_misses_with_fairness(text: str, engine: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(text)
    assert spin_verdicts(path, [("f", False), ("f", True)]) == [VIOLATED, HOLDS]
    model = coset.load(path)
    result = check(model, engine=engine, properties=["f"], fair=True)
    confirmed(model, result, fair=True)
    assert result.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("name", ["peterson", "cache_coherence", "readers_writers", "two_phase_commit"])
@pytest.mark.parametrize("limit", [20, 100])
def test_a_limit_below_what_was_explored(name: str, limit: int) -> None:
    """The search that is begun again under the limit once mixed the user's model with the symmetry of the smaller one."""
    path = MODELS / f"{name}.pml"
    whole, limited = coset.check(path), coset.check(path, max_states=limit)
    for full, some in zip(whole.properties, limited.properties, strict=True):
        assert some.verdict in (full.verdict, Verdict.UNKNOWN)
    assert limited.exploration.steps == whole.exploration.steps == "merged"
