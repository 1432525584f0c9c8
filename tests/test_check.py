"""Verdicts: those that the shipped models state, and SPIN's on its own examples and on random formulas.

    python -m tests.test_check FROM TO        random programs with seeds from FROM to below TO, both engines

A wrong verdict is the worst error that a model checker can make, so every one has a second opinion here, and every
violated property a run that the interpreter executes.

SPIN's search with weak fairness (`pan -f`) misses runs that stop (https://github.com/nimble-code/Spin/issues/38):

    byte x; active proctype P() { x = 0; false } ltl f { <> [] (x == 1) }      pan -a: violated, pan -a -f: no errors

A run that stops is fair, as nobody can move, so the verdict is violated.  Where Coset shows such a run and SPIN with
fairness has none, SPIN is not asked; every other program gets a process that never stops, so that SPIN can be.
Nor is it asked about fairness where there is a `provided` clause: it takes a process that is kept from moving by one for
a process that could move, and leaves out runs in which it does not.

    byte x; active proctype P() provided (false) { x = 1 } active proctype R() { do :: true; true od }
    ltl f { <> (x == 1) }                                                      pan -a: violated, pan -a -f: no errors
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import coset
from coset.checking import SAFETY, check
from coset.engines.limits import Limits
from coset.model.interpreter import Move
from coset.model.model import Model, Temporal
from coset.results.trace import Run, in_control, replay
from coset.results.verdict import Check, PropertyResult, Verdict
from tests.expectations import MODELS, expectations
from tests.promela_random import generate
from tests.spin_claims import HOLDS, VIOLATED, Question, plain, spin_verdicts, without_assertions
from tests.test_spin_examples import EMBEDDED_C, EXAMPLES, REJECTED, examples

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


def confirmed(model: Model, result: Check, fair: bool = False) -> None:
    """Every violated property has a run that shows it, and no other has one."""
    for each in result.properties:
        assert (each.trace is not None) == (each.verdict is Verdict.VIOLATED)
        if each.trace is not None:
            run = replay(model, each.trace)
            assert not fair or is_fair(run)


def is_fair(run: Run) -> bool:
    """Whether every process that can always move in the cycle does, by the definition."""
    start = run.trace.loop_start
    if start is None or start == len(run.moves):
        return True
    neglected = set(range(len(run.states[start].processes)))
    for state, holder, move in list(zip(run.states, run.holders, run.moves))[start:]:
        neglected -= movers(move)
        if in_control(run.interpreter, state, holder) is None:
            able: set[int] = set()
            for step in run.interpreter.steps(state):
                able |= movers(step.moves[0])
            neglected &= able
    return not neglected


def movers(move: Move) -> set[int]:
    return {move.process} | ({move.partner[0]} if move.partner else set())


def stops(result: PropertyResult) -> bool:
    """Whether the run that shows the violation comes to a halt."""
    return result.trace is not None and result.trace.loop_start in (None, len(result.trace))


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
    assert {name: verdict for name, verdict in found.items() if name not in SAFETY} == stated(path)
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
        confirmed(model, result, fair)
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
        pytest.param(OVERLOOKED, id="overlooked", marks=pytest.mark.xfail(strict=True, reason="to be decided")),
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


# --- random formulas ---------------------------------------------------------------------------------

CHUNKS, PER_CHUNK, FORMULAS = 12, 5, 4
RESTLESS = "active proctype Restless() { do :: true; true od }\n"
BINARY, PREFIXES = ("U", "V", "&&", "||", "->"), ("[]", "<>", "!", "[] <>", "<> []")


def conditions(model: Model) -> list[str]:
    """Comparisons of global variables with small numbers."""
    found = []
    for variable in model.variables:
        if variable.domain.name in ("bit", "bool", "byte") and not variable.hidden:
            for k in range(variable.size):
                found += [f"({variable.element(k)} == {value})" for value in (0, 1)]
                found += [f"({variable.element(k)} >= 1)", f"({variable.element(k)} != 2)"]
    return found


def formula(chance: random.Random, atoms: Sequence[str], size: int) -> str:
    """A formula with at most so many operators, in brackets wherever precedence could matter."""
    if size <= 0 or chance.random() < 0.1:
        return chance.choice(atoms)
    if size == 1 or chance.random() < 0.5:
        return f"({chance.choice(PREFIXES)} {formula(chance, atoms, size - 1)})"
    left = chance.randrange(size)
    operator = chance.choice(BINARY)
    return f"({formula(chance, atoms, left)} {operator} {formula(chance, atoms, size - 1 - left)})"


def random_case(seed: int, folder: Path, most: int = 2 * SMALL) -> tuple[Path, list[Question]] | None:
    """A program with formulas; None if it has no variable to speak of, or if there is no end to it."""
    chance, text = random.Random(seed), plain(generate(seed))
    bare = coset.parse_text(text)
    atoms = conditions(bare)
    if not atoms or not coset.explore(bare, engine="reference", max_states=most).complete:
        return None
    blocks = "".join(f"ltl f{k} {{ {formula(chance, atoms, chance.randint(1, 5))} }}\n" for k in range(FORMULAS))
    path = folder / f"seed-{seed}.pml"
    path.write_text(text + RESTLESS * (seed % 2) + blocks)
    fairness = (False,) if "provided" in text else (False, True)
    return path, [(f"f{k}", fair) for k in range(FORMULAS) for fair in fairness]


def differences(path: Path, questions: Sequence[Question], engines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is different, and of each verdict the name for counting."""
    model = coset.load(path)
    theirs = dict(zip(questions, spin_verdicts(path, questions, seconds=5.0)))
    formulas = {each.name: each.text for each in model.properties if isinstance(each, Temporal)}
    for engine in engines:
        for fair in sorted({fair for _, fair in questions}):
            names = [name for name, each in questions if each == fair]
            result = check(model, engine=engine, properties=names, fair=fair, limits=Limits(states=10 * SMALL))
            confirmed(model, result, fair)
            for each in result.properties:
                spin, ours = theirs[each.name, fair], each.verdict.value
                if spin not in (HOLDS, VIOLATED) or each.verdict is Verdict.UNKNOWN:
                    yield "not compared", f"{path.name} {each.name}: SPIN {spin}, {each.reason}"
                elif spin != ours and fair and stops(each):
                    yield "not found by SPIN", ""
                elif spin != ours:
                    how = f"{engine}{', fair' * fair}"
                    yield "DIFFERENT", f"{path.name} {each.name} ({how}): {formulas[each.name]}: {ours}, SPIN {spin}"
                else:
                    yield ours + " fair" * fair, ""


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_formulas_have_spins_verdicts(chunk: int, tmp_path: Path) -> None:
    found: list[tuple[str, str]] = []
    for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK):
        case = random_case(seed, tmp_path, most=1_500)
        if case is not None:
            found += differences(*case, engines=("reference",))
    assert [text for verdict, text in found if verdict == "DIFFERENT"] == []
    assert sum(verdict != "not compared" for verdict, _ in found) > len(found) / 2


def main(arguments: Sequence[str]) -> int:
    first, last = map(int, arguments)
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="coset-check-") as folder:
        for seed in range(first, last):
            try:
                case = random_case(seed, Path(folder))
                if case is None:
                    counted["left out"] += 1
                    continue
                for verdict, text in differences(*case, engines=("reference", "explicit")):
                    counted[verdict] += 1
                    if verdict == "DIFFERENT":
                        print(text, flush=True)
            except Exception as error:
                counted["FAILED"] += 1
                print(f"seed {seed}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    print(dict(counted))
    return 1 if counted["DIFFERENT"] or counted["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
