"""`coset prove`: verdicts for every number of processes, against single members of the family."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines.reference.branching import check_properties
from coset.engines.spotlight.abstraction import Abstraction, Here
from coset.engines.spotlight.context import Context
from coset.engines.spotlight.expressions import Obstacle
from coset.engines.spotlight.invariants import knowledge
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.members import fair_value, member, small_members
from coset.engines.spotlight.program import program_of
from coset.engines.spotlight.refine import Bounds, Outcome, Refinement, question
from coset.engines.spotlight.sizes import lowest
from coset.engines.spotlight.solver import Solver
from coset.engines.spotlight.state import AbstractState, Cause
from coset.engines.spotlight.structure import Step
from coset.model import model as m
from coset.model.family import Family, FamilyProperty
from coset.results.proof import Proof, PropertyProof
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.source.diagnostics import InputError
from coset.tasks import check as check_task
from coset.tasks import every_size as proving
from coset.tasks import load as load_task
from coset.tasks import prove as prove_task
from tests.support.families_random import Families
from tests.support.paths import MODELS

MODELS = MODELS / "prove"
PATHS = sorted(MODELS.glob("*.spl"))
MOST_MEMBERS = 27
_LINE = re.compile(r"^ \* prove (fair )?(\w+): (holds|violated|unknown)((?: \w+)*)$", re.MULTILINE)


def family_of(path: Path | str) -> Family:
    return prove_task.load_family(path)


def expected(path: Path, fair: bool) -> dict[str, tuple[str, str]]:
    """What the head comment of a model says: verdict and spotlight of each property."""
    lines = _LINE.findall(path.read_text("utf-8").split("*/")[0])
    return {name: (verdict, words.strip()) for is_fair, name, verdict, words in lines if bool(is_fair) is fair}


def spotlight(found: PropertyProof, family: Family) -> str:
    """`2` or `Reader 1 Writer 2`, as in head comments."""
    counts = {each.name: sum(name.startswith(f"{each.name} ") for name in found.spotlight) for each in family.classes}
    if len(counts) == 1:
        return str(next(iter(counts.values())))
    return " ".join(f"{name} {count}" for name, count in counts.items() if count)


# --- the shipped models --------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_shipped_models(path: Path) -> None:
    family = family_of(path)
    for fair in (False, True):
        wanted = expected(path, fair)
        if not fair:
            assert set(wanted) == {each.name for each in family.properties}, "every property has its expectation"
        if wanted:
            result = proving.prove(family, fair=fair, properties=list(wanted))
            for found in result.properties:
                verdict, words = wanted[found.name]
                assert found.verdict.value == verdict, found.name
                if verdict != "unknown":
                    assert found.general.value == verdict
                    assert spotlight(found, family) == (words or "0") or (not words and not found.spotlight)
                if verdict == "violated" and not fair:
                    assert found.trace is not None and found.model is not None
            agrees_with_members(family, result, fair, 3)


def agrees_with_members(family: Family, result: Proof, fair: bool, largest: int, states: int = 3000) -> None:
    """What is claimed for all sizes is so for those up to a largest one."""
    solver = Solver()
    for found in result.properties:
        if found.name == "assertions" or found.verdict is Verdict.UNKNOWN:
            continue
        decided = {}
        for number, values in enumerate(small_members(family, solver, {})):
            if max(values.values(), default=0) <= largest and number < MOST_MEMBERS:
                truth = in_member(family, found.name, values, fair, states)
                if truth is not None:
                    decided[tuple(values.items())] = truth
        if found.verdict is Verdict.HOLDS:
            assert all(decided.values()), f"{found.name}: {decided}"
        if found.general is Verdict.VIOLATED:
            least = {
                text.split()[0]: int(text.split()[2]) for text in (found.for_all or "").split(", ") if ">=" in text
            }
            covered = [truth for key, truth in decided.items() if all(value >= least.get(k, 0) for k, value in key)]
            assert not any(covered), f"{found.name}: {decided}"


def in_member(family: Family, name: str, values: dict[str, int], fair: bool, states: int) -> bool | None:
    """The verdict of the interpreter on one member, None if it is too large."""
    model = member(family, values)
    property_ = next(each for each in model.properties if each.name == name)
    assert isinstance(property_, m.CtlProperty)
    if fair:
        truth, _, _ = fair_value(model, property_, Limits(states=states))
        return {Truth.TRUE: True, Truth.FALSE: False, Truth.UNKNOWN: None}[truth]
    (decision,) = check_properties(model, [property_], Limits(states=states))
    return decision.holds


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_shipped_models_up_to_six_processes(path: Path) -> None:
    family = family_of(path)
    largest = 6 if len(family.parameters) == 1 else 3
    agrees_with_members(family, proving.prove(family), False, largest, 100_000)


# --- the examples of the paper -------------------------------------------------------------------


def proved(path: str, name: str) -> PropertyProof:
    (found,) = proving.prove(family_of(MODELS / f"{path}.spl"), properties=[name]).properties
    return found


def test_what_is_claimed_is_said_precisely() -> None:
    exclusion = proved("mutex", "F1")
    assert (exclusion.for_all, exclusion.paper) == ("n >= 2", Verdict.HOLDS)
    assert exclusion.answer == "holds for every number of processes"
    assert {(each.sizes, each.how) for each in exclusion.sizes if each.general} == {
        ("n >= 2", "spotlight"),
        ("n = 1", "vacuous"),
    }
    starvation = proved("mutex", "F4")
    assert (starvation.verdict, starvation.paper) == (Verdict.VIOLATED, Verdict.UNKNOWN), "a process had to be drawn"
    assert starvation.answer == "violated for n >= 2; holds for n = 1"
    assert starvation.at == "n = 2"
    writers = proved("readers_writers", "F3")
    assert (writers.for_all, writers.spotlight) == (
        "readers >= 1, writers >= 2",
        ("Reader i", "Writer j1", "Writer j2"),
    )


def test_a_size_that_differs_is_named(tmp_path: Path) -> None:
    """True for two and more, false for one: the abstraction says true, the small size refutes it."""
    path = tmp_path / "alone.spl"
    path.write_text(
        """
        global x : nat where x = n;
        class P[n] { a: skip; b: halt; }
        property many: forall i in P: AG (i@b -> x >= 2);
        """
    )
    (found,) = coset.prove(path).properties
    assert found.verdict is Verdict.VIOLATED and found.at == "n = 1"
    assert any(each.sizes == "n = 1" and each.verdict is Verdict.VIOLATED for each in found.sizes)


def test_what_depends_on_a_size_is_split(tmp_path: Path) -> None:
    path = tmp_path / "five.spl"
    path.write_text(
        """
        global x : nat where x = n;
        class P[n] { a: skip; b: halt; }
        property many: forall i in P: AG (i@b -> x >= 5);
        """
    )
    (found,) = coset.prove(path).properties
    verdicts = {each.sizes: each.verdict.value for each in found.sizes if each.general}
    assert verdicts == {"n >= 5": "holds", **{f"n = {k}": "violated" for k in range(1, 5)}}


def test_other_parameters_are_not_split(tmp_path: Path) -> None:
    """A verdict for large values of a parameter that is no size would be claimed for all values."""
    path = tmp_path / "cap.spl"
    path.write_text(
        """
        parameter cap;
        global x : nat where x = cap;
        class P[n] { a: skip; b: halt; }
        property many: forall i in P: AG (i@b -> x >= 2);
        property any: forall i in P: AG (i@b -> x >= 0);
        """
    )
    many, any_ = coset.prove(path).properties
    assert (many.verdict, many.general, many.for_all) == (Verdict.VIOLATED, Verdict.UNKNOWN, None)
    assert many.at == "cap = 0, n = 1"
    assert any_.verdict is Verdict.HOLDS
    path.write_text("parameter cap; assume cap < 0; class P[n] { a: halt; } property p: forall i in P: AG i@a;")
    with pytest.raises(InputError, match="assumptions"):
        coset.prove(path)


def test_lemmas_that_do_not_hold_are_not_used(tmp_path: Path) -> None:
    text = (MODELS / "mutex.spl").read_text("utf-8") + "invariant wrong: y = 1;\ninvariant right: y <= 1;\n"
    path = tmp_path / "m.spl"
    path.write_text(text)
    result = coset.prove(path, properties=["F1", "F2"])
    assert result.dropped == ("wrong",)
    assert [each.verdict for each in result.properties] == [Verdict.HOLDS, Verdict.VIOLATED]


def test_a_set_of_lemmas_that_is_not_inductive_is_dropped(tmp_path: Path) -> None:
    """Tickets differ only because none is drawn twice: without that `next` is beyond all, nothing can be proved."""
    text = (MODELS / "ticket_lemmas.spl").read_text("utf-8")
    path = tmp_path / "t.spl"
    path.write_text(re.sub(r"invariant drawn: .*\n", "", text))
    result = coset.prove(path, max_spotlight=2)
    assert "different" in result.dropped
    (found,) = result.properties
    assert {each.truth for each in found.rounds} == {"unknown"} and found.sizes[0].how == "backward"


# --- shortcuts that would be wrong ---------------------------------------------------------------


class ShadeMust(Abstraction):
    """Steps of the shade taken for granted."""

    def steps(self, state: AbstractState) -> list[Step]:
        return [replace(step, truth=Truth.TRUE) for step in super().steps(state)]


class NoIdleStep(Abstraction):
    """Nothing happens but what changes something that is known."""

    def stays(self, here: Here) -> list[tuple[AbstractState, Truth, Cause]]:
        return []


class PaperShade(Abstraction):
    """The shade of the paper, for any program: it never makes true what is false."""

    def steps(self, state: AbstractState) -> list[Step]:
        def literal(step: Step) -> bool:
            pairs = zip(state.values, self.states[step.target].values, strict=True)
            return step.mover is not None or all(new is old or old is not Truth.FALSE for old, new in pairs)

        return [step for step in super().steps(state) if literal(step)]


def outcome(
    path: str, name: str, made: type[Abstraction] = Abstraction, derive: bool = True, merged: bool = False
) -> Outcome:
    family = family_of(MODELS / f"{path}.spl")
    program, solver = program_of(family), Solver()
    known = knowledge(program, solver, derive=derive)
    asked = question(known.context.program, next(each for each in family.properties if each.name == name))
    return Refinement(known.context, asked, Bounds(), merges_shade=merged, made=made).outcome()


@pytest.mark.parametrize(
    ("shortcut", "path", "name", "wrong", "right"),
    [
        (ShadeMust, "fuel", "ends", Truth.FALSE, Truth.UNKNOWN),
        (NoIdleStep, "idle", "ends", Truth.TRUE, Truth.FALSE),
        (PaperShade, "rogue_release", "exclusion", Truth.TRUE, Truth.FALSE),
    ],
)
def test_shortcuts_are_wrong(shortcut: type[Abstraction], path: str, name: str, wrong: Truth, right: Truth) -> None:
    assert outcome(path, name).truth is right
    assert outcome(path, name, shortcut).truth is wrong, "the model shows what the shortcut does"
    truth = in_member(family_of(MODELS / f"{path}.spl"), name, sizes(path), False, 3000)
    assert truth is None or truth is not (wrong is Truth.TRUE)


def sizes(path: str) -> dict[str, int]:
    return {"n": 2, "m": 1} if path == "rogue_release" else {"m": 1}


def test_without_invariants_exclusion_is_not_known() -> None:
    assert outcome("mutex", "F1").truth is Truth.TRUE
    assert outcome("mutex", "F1", derive=False).truth is Truth.UNKNOWN
    assert outcome("readers_writers", "F3", derive=False).truth is Truth.UNKNOWN
    assert outcome("mutex", "F2", derive=False).truth is Truth.FALSE


def test_deadlock_needs_every_location_by_itself() -> None:
    """Locations that hold the same share a count, but not what they wait for."""
    program, solver = program_of(family_of(MODELS / "two_locks.spl")), Solver()
    with pytest.raises(ValueError, match="separately"):
        knowledge(program, solver).context.deadlock({})
    assert outcome("two_locks", "no_deadlock").truth is Truth.FALSE


@pytest.mark.parametrize(
    ("path", "name"),
    [("mutex", "F1"), ("mutex", "F2"), ("mutex", "F4"), ("readers_writers", "F3"), ("test_then_set", "exclusion"),
     ("rogue_release", "exclusion"), ("counting_semaphore", "three_exclude"), ("barrier", "separation")],
)  # fmt: skip
def test_one_step_for_the_whole_shade_gives_the_same_verdicts(path: str, name: str) -> None:
    assert outcome(path, name, merged=True).truth is outcome(path, name).truth


def test_trying_harder(tmp_path: Path) -> None:
    """Two laws that need each other, and that a copy is not shared while it is owned."""
    path = tmp_path / "msi.spl"
    path.write_text(
        """
        global sharers: nat where sharers = 0, owned: bool where owned = false;
        class Cache[n] {
            invalid: !owned -> sharers := sharers + 1 : valid;
            invalid: !owned & sharers = 0 -> owned := true : modified;
            valid: sharers = 1 -> sharers := 0 || owned := true : modified;
            valid: true -> sharers := sharers - 1 : invalid;
            modified: true -> owned := false || sharers := 1 : valid;
            modified: true -> owned := false : invalid;
        }
        property one_writer: forall i, j in Cache: AG !(i@modified & j@modified);
        """
    )
    program, solver = program_of(family_of(path)), Solver()
    assert knowledge(program, solver).context.laws == ()
    laws = [str(law) for law in knowledge(program, solver, deep=True).context.laws]
    assert laws == ["sharers == 0 + #Cache@valid", "owned == 0 + #Cache@modified"]
    result = coset.prove(path)
    assert result.verdict is Verdict.HOLDS
    assert set(laws) <= set(result.invariants)


def test_invariants_are_those_of_the_program() -> None:
    def laws(path: str) -> list[str]:
        context: Context = knowledge(program_of(family_of(MODELS / path)), Solver()).context
        return [str(law) for law in context.laws]

    assert laws("mutex.spl") == ["y == 1 - #P@2|3"]
    assert laws("readers_writers.spl") == ["y == readers - #Reader@2|3 - readers * #Writer@2|3"]
    assert laws("rogue_release.spl") == []
    assert laws("ticket.spl") == ["next - serving == 0 + #P@wait|crit|done"]


# --- random families -----------------------------------------------------------------------------


def compare(seeds: Sequence[int], fair: bool = False) -> dict[str, int]:
    """Every definite outcome on random families against single members; how many there were."""
    counts = {"definite": 0, "compared": 0}
    for seed in seeds:
        family = Families(seed).family()
        program, solver = program_of(family), Solver()
        known = knowledge(program, solver, deep=seed % 3 == 0)
        for property_ in family.properties:
            bounds = Bounds(growth=1, predicates=5, states=200)
            asked = question(known.context.program, property_)
            found = Refinement(known.context, asked, bounds, fair, merges_shade=seed % 5 == 0).outcome()
            if found.truth.definite:
                counts["definite"] += 1
                counts["compared"] += compared(family, property_, found, solver, fair, seed)
    return counts


def compared(family: Family, property_: FamilyProperty, found: Outcome, solver: Solver, fair: bool, seed: int) -> int:
    least = lowest(family, found)
    count = 0
    for number, values in enumerate(small_members(family, solver, least)):
        if number == 4:
            break
        truth = in_member(family, property_.name, values, fair, 600)
        if truth is not None:
            count += 1
            assert truth is (found.truth is Truth.TRUE), f"seed {seed}, {property_.name}, {values}: {found.truth}"
    return count


@pytest.mark.parametrize("part", range(10))
def test_random_families(part: int) -> None:
    counts = compare(range(8 * part, 8 * part + 8))
    assert counts["definite"] >= 10 and counts["compared"] >= 20


@pytest.mark.parametrize("part", range(3))
def test_random_families_with_fairness(part: int) -> None:
    assert compare(range(1000 + 8 * part, 1008 + 8 * part), fair=True)["definite"] >= 5


@pytest.mark.long
@pytest.mark.parametrize("part", range(40))
def test_many_random_families(part: int) -> None:
    assert compare(range(5000 + 25 * part, 5025 + 25 * part))["definite"] >= 20


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_random_families_with_fairness(part: int) -> None:
    assert compare(range(9000 + 25 * part, 9025 + 25 * part), fair=True)["definite"] >= 10


@pytest.mark.parametrize("seed", [3, 14, 25])
def test_whole_proofs_of_random_families(seed: int) -> None:
    """All sizes together: nothing that is said to hold for all fails for some."""
    family = Families(seed).family()
    agrees_with_members(family, proving.prove(family), False, 2, 600)


# --- other languages -----------------------------------------------------------------------------

LOCK = """
byte lock, inside;
active [3] proctype P() {
  byte k;
  do
  :: atomic { lock == 0 -> lock = 1 };
     inside++;
crit:  assert(inside == 1);
     inside--;
     lock = 0
  :: k = 1; if :: k == 1 -> skip :: else -> k = 2 fi
  :: d_step { k = 0; inside = inside + 0 }
  :: break
  od
}
ltl mutex { [] !(P[0]@crit && P[1]@crit) }
ltl count { [] (inside <= 1) }
ltl live { [] (lock == 1 -> <> (lock == 0)) }
ltl persistent { <> [] (lock == 0) }
"""


def test_promela() -> None:
    model = load_task.parse_text(LOCK)
    result = prove_task.prove(model)
    verdicts = {each.name: each.verdict for each in result.properties}
    assert verdicts == {
        "mutex": Verdict.HOLDS,
        "count": Verdict.HOLDS,
        "live": Verdict.VIOLATED,
        "persistent": Verdict.UNKNOWN,
        "assertions": Verdict.HOLDS,
    }
    ordinary = {each.name: each.verdict for each in check_task.check(model).properties}
    assert ordinary["mutex"] is ordinary["count"] is ordinary["assertions"] is Verdict.HOLDS
    assert ordinary["live"] is Verdict.VIOLATED


STEPS = """
byte lock, turns; bool odd;
active [2] proctype P() {
  do
  :: atomic { lock == 0 -> lock = 1; if :: odd -> odd = 0 :: else -> odd = 1 fi };
     turns = 1 - turns;
     d_step { turns++; if :: turns > 1 -> turns = 0 :: else fi; lock = 0 }
  od
}
active proctype Q() { do :: odd -> lock = lock :: turns == 1 -> odd = odd od }
"""


def test_a_lifted_model_is_a_member_of_its_family() -> None:
    """With as many processes as the text has, the family has the states of the model."""
    model = load_task.parse_text(STEPS)
    family = prove_task.load_family(model)
    plain = coset.explore(model, engine="reference", symmetry="off")
    lifted = coset.explore(member(family, {"N": 2}), engine="reference", symmetry="off")
    assert (lifted.states, lifted.transitions) == (plain.states, plain.transitions)


def test_csp() -> None:
    """Arguments that are only printed tell nobody apart."""
    family = prove_task.load_family(MODELS.parent / "readers_writers.csp")
    assert [each.name for each in family.parameters] == ["N_Reader", "N_Writer"]


def test_promela_wraps_around() -> None:
    """A byte that is counted up for ever is 0 again; one that never passes 255 processes stays small."""
    text = "byte x; active [2] proctype P() { do :: x++ od } ltl grows { [] (x > 0 -> [] (x > 0)) }"
    (found,) = prove_task.prove(load_task.parse_text(text)).properties
    assert found.verdict is Verdict.VIOLATED
    text = "byte x; active [2] proctype P() { x++ } ltl grows { [] (x > 0 -> [] (x > 0)) }"
    (found,) = prove_task.prove(load_task.parse_text(text)).properties
    assert found.verdict is Verdict.HOLDS
    assert found.for_all is not None and "N <= 255" in found.for_all


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("byte x;\nactive [2] proctype P() {\n x = _pid }", 3, "its own number"),
        ("chan c = [1] of { byte };\nactive [2] proctype P() { c!1 }", 1, "is a channel"),
        ("byte a[2];\nactive [2] proctype P() { a[0] = 1 }", 1, "is an array"),
        ("byte x;\nproctype P() { x = 1 }\ninit { run P() }", 3, "created by `run`"),
        ("byte x;\nactive [2] proctype P() {\n atomic { x = 1; x == 0 } }", 3, "stopped half way"),
        ("byte x, y;\nactive [2] proctype P() {\n x = y << 1 }", 3, "`<<` is not supported"),
        ("byte x;\nactive proctype P() { x = 1 }", None, "one member"),
        ("byte x;\nactive [2] proctype P() { x = 1 }\nnever { do :: x == 0 od }", 3, "automaton"),
        ("byte x;\nactive [2] proctype P() {\n timeout -> x = 1 }", 3, "timeout"),
    ],
)
def test_what_is_no_family_is_refused_with_the_line(text: str, line: int | None, why: str) -> None:
    with pytest.raises(InputError) as caught:
        prove_task.prove(load_task.parse_text(text))
    (diagnostic,) = caught.value.diagnostics
    assert why in diagnostic.message
    assert (diagnostic.span.line if diagnostic.span else None) == line


def test_obstacles_in_families_are_refused() -> None:
    family = Families(1).family()
    numbered = replace(family.properties[0], formula=family.properties[0].formula)
    broken = replace(family, variables=(m.Variable("a", family.variables[0].domain, (2,)),), properties=(numbered,))
    with pytest.raises(Obstacle, match="array"):
        program_of(broken)


# --- the command ---------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["prove", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_exit_codes_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    import jsonschema

    from coset.formats.json_output import schema

    path = str(MODELS / "mutex.spl")
    codes = {}
    for name in ("F1", "F2", "recoverable"):
        code, out, _ = run(capsys, path, "--json", "--property", name)
        document = json.loads(out)
        jsonschema.Draft202012Validator(schema("prove")).validate(document)
        codes[name] = code, document["verdict"]
    assert codes == {"F1": (0, "holds"), "F2": (1, "violated"), "recoverable": (3, "unknown")}
    code, out, _ = run(capsys, path, "--json", "--property", "F4")
    document = json.loads(out)
    assert document["for_all"] == "n >= 2" and document["iterations"] == 3
    assert document["spotlight"] == ["P i", "P #2"] and document["predicates"] == ["y >= 1"]
    assert document["properties"][0]["trace"]["steps"]


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(MODELS / "mutex.spl"), "--property", "F2")
    assert code == 1
    assert "for all sizes: y == 1 - #P@2|3" in out
    assert "spotlight {P i, P j}, predicates {y >= 1}: false in 16 states" in out
    assert "A run that violates 'F2' for n = 2" in out
    code, out, _ = run(capsys, str(MODELS / "peterson.spl"), "--weak-fair", "--property", "gets_in", "--no-steps")
    assert code == 0 and "gets_in  holds for every number of processes" in out and "fair runs only" in out


def test_a_fair_run_of_a_member(capsys: pytest.CaptureFixture[str]) -> None:
    """A semaphore is weak: who waits for it may be passed over for ever, fairly."""
    code, out, _ = run(capsys, str(MODELS / "mutex.spl"), "--weak-fair", "--property", "F4", "--no-steps")
    assert code == 1
    assert "F4  violated for n = 2; unknown for n >= 3; holds for n = 1" in out
    assert "A run that violates 'F4' for n = 2" in out


def test_fixed_numbers_are_just_checked(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(MODELS / "mutex.spl"), "-D", "n=2", "--property", "F1", "--property", "F4")
    assert code == 1
    assert "F1  holds for the only model" in out and "F4  violated for the only model" in out


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(MODELS / "mutex.spl")
    code, _, err = run(capsys, path, "--property", "nothing")
    assert code == 2 and "the model has no property 'nothing'" in err
    code, _, err = run(capsys, path, "--shade", "deep")
    assert code == 2 and "fine, merged" in err
    code, _, err = run(capsys, str(MODELS / "none.spl"))
    assert code == 2 and "none.spl" in err


def test_a_limit_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(MODELS / "ticket.spl"), "--property", "exclusion", "--max-seconds", "0.01")
    assert code == 3 and "--max-seconds" in out + err
