"""Backward reachability: proofs and violations for all sizes, against single members and against a check of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from coset.engines.backward.forward import reached_by_members
from coset.engines.backward.identities import has_identities, program_with_identities
from coset.engines.backward.lemmas import lemma
from coset.engines.backward.recheck import is_proof
from coset.engines.backward.search import Found, always, backward
from coset.engines.reference.branching import check_properties
from coset.engines.spotlight.context import Context
from coset.engines.spotlight.invariants import Knowledge, knowledge
from coset.engines.spotlight.members import member, small_members
from coset.engines.spotlight.program import SLOTS, program_of
from coset.engines.spotlight.refine import Question, question
from coset.engines.spotlight.solver import Solver
from coset.model import expression as e
from coset.model import model as m
from coset.model.family import Family
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.tasks.prove import load_family, prove
from tests.support.families_random import Families
from tests.support.paths import MODELS

FUTEX = """
global v: 0..2 where v = 0;
class P[n] {
  rest: true -> skip : try;
  try: v = 0 -> v := 1 : crit;
  try: v != 0 -> skip : slow;
  slow: v = 0 -> v := 2 : crit;
  slow: v != 0 -> v := 2 : sleep;
  sleep: v != 2 -> skip : slow;
  crit: true -> v := 0 : rest;
}
property exclusion: forall i, j in P: AG !(i@crit & j@crit);
"""
ONCE = """
global done: 0..2 where done = 0, runs: nat where runs = 0;
class P[n] {
  start: done = 0 -> done := 1 : run;
  start: done != 0 -> skip : wait;
  run: true -> runs := runs + 1 : publish;
  publish: true -> done := 2 : fin;
  wait: done = 2 -> skip : fin;
}
property once: AG runs <= 1;
property ran: forall i in P: AG (i@fin -> runs = 1);
"""
SEQUENCE_LOCK = """
global seq: nat where seq = 0, a: nat where a = 0, b: nat where b = 0, busy: bool where busy = false;
class Writer[nw] { loop forever do {
  lock: < await !busy; busy := true >; odd: seq := seq + 1; one: a := a + 1; other: b := b + 1; even: seq := seq + 1;
  unlock: busy := false; } }
class Reader[nr] { local s: nat where s = 0, x: nat where x = 0, y: nat where y = 0;
  loop forever do { look: s := seq; if s % 2 = 0 then { first: x := a; second: y := b; again: if s = seq then { got: skip; } } } }
property consistent: forall i in Reader: AG (i@got -> i.x = i.y);
"""


def asked(family: Family, name: str) -> tuple[Knowledge, Question, e.Expr]:
    if has_identities(family):
        known = Knowledge(Context(program_with_identities(family), Solver()))
        family = known.context.program.family
    else:
        known = knowledge(program_of(family), Solver())
    wanted = question(known.context.program, next(each for each in family.properties if each.name == name))
    condition = always(wanted.formula)
    assert condition is not None
    return known, wanted, condition


def decided(known: Knowledge, wanted: Question) -> Found:
    context = known.context
    found = backward(context, wanted, lambda: reached_by_members(context.program, context.solver))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "name"),
    [(FUTEX, "exclusion"), (ONCE, "once"), (ONCE, "ran"), (SEQUENCE_LOCK, "consistent"), ("ticket.spl", "exclusion")],
)
def test_what_spotlights_do_not_prove(tmp_path: Path, text: str, name: str) -> None:
    """Without any lemma of the user; and every set of states is needed, so that the second check has something to find."""
    path = MODELS / "prove" / text if text.endswith(".spl") else tmp_path / "model.spl"
    if not text.endswith(".spl"):
        path.write_text(text)
    known, wanted, condition = asked(load_family(path), name)
    found = decided(known, wanted)
    assert found.holds
    assert is_proof(found.cubes, known.context, wanted, condition)
    weaker = [
        is_proof(found.cubes[:k] + found.cubes[k + 1 :], known.context, wanted, condition)
        for k in range(len(found.cubes))
    ]
    assert not all(weaker)


def test_lemmas_are_in_the_words_of_the_program(tmp_path: Path) -> None:
    """They can be given to the program as its own, and are accepted."""
    path = tmp_path / "futex.spl"
    path.write_text(FUTEX)
    family = load_family(path)
    known, wanted, _ = asked(family, "exclusion")
    lemmas = [lemma(cube, known.context.program) for cube in decided(known, wanted).cubes]
    assert "forall i, j in P: !(i@crit & j@crit)" in lemmas
    assert any(text.endswith("j@crit & v = 0)") for text in lemmas)
    path.write_text(FUTEX + "".join(f"invariant found{k}: {text};\n" for k, text in enumerate(lemmas)))
    assert not prove(load_family(path)).dropped


def test_proofs_that_are_none(tmp_path: Path) -> None:
    """A release without a lock: the exclusion fails for two processes, and its negation alone is no invariant."""
    path = tmp_path / "wrong.spl"
    path.write_text(
        FUTEX.replace("rest: true -> skip : try;", "rest: true -> skip : try; rest: true -> v := 0 : rest;")
    )
    known, wanted, condition = asked(load_family(path), "exclusion")
    found = decided(known, wanted)
    assert found.holds is False and found.at is not None and len(found.at.places) <= 3
    assert [step.move.text for step in found.run if "v := 1" in step.move.text or "v := 2" in step.move.text]
    sound = tmp_path / "futex.spl"
    sound.write_text(FUTEX)
    right, question_, _ = asked(load_family(sound), "exclusion")
    assert not is_proof(decided(right, question_).cubes, known.context, wanted, condition)


def test_other_questions_are_left_to_others() -> None:
    family = load_family(MODELS / "prove" / "mutex.spl")
    program = program_of(family)
    known = knowledge(program, Solver())
    for name in ("F2", "recoverable", "no_deadlock"):
        each = next(p for p in family.properties if p.name == name)
        assert backward(known.context, question(known.context.program, each)) is None


def test_the_command_uses_it(tmp_path: Path) -> None:
    path = tmp_path / "once.spl"
    path.write_text(ONCE)
    result = prove(path)
    assert result.verdict is Verdict.HOLDS
    assert {each.name: each.sizes[0].how for each in result.properties} == {"once": "backward", "ran": "backward"}
    assert all(each.for_all == "n >= 1" and each.general is Verdict.HOLDS for each in result.properties)
    assert any("i@run" in text for text in result.invariants)


def test_sizes_do_not_overlap(tmp_path: Path) -> None:
    """A violation that needs three processes, of which a spotlight sees too few; and what is left beside decided sizes."""
    path = tmp_path / "three.spl"
    path.write_text(
        """
        global c: nat where c = 0;
        class P[n] { a: c := c + 1; b: await c >= 3; inside: skip; }
        property never: forall i in P: AG !i@inside;
        """
    )
    (found,) = prove(path, max_spotlight=1).properties
    assert found.answer == "violated for n >= 3; holds for n = 1 and n = 2"
    assert found.sizes[0].how == "backward" and found.trace is not None and found.at == "n = 3"
    path.write_text(
        """
        global cnt: nat where cnt = 0, sense: bool where sense = false;
        class P[n] { local mine: bool where mine = false;
          loop forever do { work: noncritical; flip: mine := !mine; arrive: cnt := cnt + 1;
            test: if cnt = n then { last: cnt := 0, sense := mine; } else { wait: await sense = mine; } } }
        property together: forall i, j in P: AG (i@work & j@work -> i.mine = j.mine);
        """
    )
    (found,) = prove(path).properties
    assert found.answer == "unknown for n >= 5; holds for n = 1 and n = 2 and n = 3 and n = 4"


OWNED = """
global owner: P where owner = none;
class P[n] { loop forever do {
  rest: noncritical; take: < await owner = none; owner := self >; crit: critical; give: owner := none; } }
property exclusion: forall i, j in P: AG !(i@crit & j@crit);
property owned: forall i in P: AG (i@crit -> owner = i);
"""
BAKERY = """
class P[n] { local ticket: nat where ticket = 0;
  loop forever do {
    rest: noncritical; draw: ticket := ticket + 1;
    wait: await forall j in P, j != self: (j.ticket = 0 | j.ticket > ticket);
    crit: critical; leave: ticket := 0; } }
property exclusion: forall i, j in P: AG !(i@crit & j@crit);
"""
DIJKSTRA = """
global turn: P where turn = none;
class P[n] { local flag: 0..2 where flag = 0;
  loop forever do {
    rest: noncritical; ask: flag := 1;
    again: if turn != self then { if turn = none then { turn := self; } else { await turn = none; goto again; } }
    try: flag := 2;
    if exists j in P, j != self: j.flag = 2 then { flag := 1; goto again; }
    crit: critical; leave: turn := none; done: flag := 0; } }
property exclusion: forall i, j in P: AG !(i@crit & j@crit);
"""
CACHE = """
class Cache[n] { local line: 0..2 where line = 0;
  invalid: forall j in Cache, j != self: j.line = 0 -> line := 2 : modified;
  invalid: forall j in Cache, j != self: j.line != 2 -> line := 1 : shared_;
  shared_: forall j in Cache, j != self: j.line = 0 -> line := 2 : modified;
  shared_: true -> line := 0 : invalid;
  modified: true -> line := 1 : shared_;
  modified: true -> line := 0 : invalid;
}
property one_writer: forall i, j in Cache: AG !(i.line = 2 & j.line != 0);
"""


@pytest.mark.parametrize(
    ("text", "proved"), [(OWNED, "owner"), (BAKERY, "i.ticket"), (DIJKSTRA, "flag"), (CACHE, "i.line = 2")]
)
def test_processes_that_know_each_other(tmp_path: Path, text: str, proved: str) -> None:
    """Identities as values, and guards on all other processes, or on some."""
    path = tmp_path / "model.spl"
    path.write_text(text)
    result = prove(path)
    assert result.verdict is Verdict.HOLDS
    assert {each.sizes[0].how for each in result.properties} == {"backward"}
    assert any(proved in lemma_ for lemma_ in result.invariants)


def test_a_lock_that_is_tested_and_taken_apart(tmp_path: Path) -> None:
    """Fischer's protocol without time: the names of processes are shown in the run."""
    path = tmp_path / "model.spl"
    path.write_text(
        OWNED.replace("take: < await owner = none; owner := self >;", "see: await owner = none; take: owner := self;")
    )
    exclusion, owned = prove(path).properties
    assert exclusion.answer == "violated for n >= 2; holds for n = 1" == owned.answer
    assert exclusion.trace is not None and exclusion.model is not None
    (holder,) = exclusion.model.variables
    assert [holder.domain.show(value) for value in range(3)] == ["P[1]", "P[2]", "none"]


def test_what_is_not_decided_for_programs_whose_processes_know_each_other(tmp_path: Path) -> None:
    path = tmp_path / "model.spl"
    path.write_text(OWNED + "property live: forall i in P: AG (i@take -> AF i@crit);\n")
    live = prove(path, properties=["live"]).properties[0]
    assert live.verdict is Verdict.VIOLATED and "n = 2" in live.answer  # a small member shows it
    path.write_text(OWNED + "property can: forall i in P: AG EF i@crit;\n")
    can = prove(path, properties=["can"]).properties[0]
    assert can.verdict is Verdict.UNKNOWN and can.reason is not None and "know themselves" in can.reason


# --- random families -----------------------------------------------------------------------------


def compare(seeds: Sequence[int], know_each_other: bool = False) -> dict[str, int]:
    """Verdicts on random families against those of small members; how many there were."""
    counts = {"holds": 0, "violated": 0, "members": 0}
    for seed in seeds:
        families = Families(seed)
        if know_each_other:
            family = families.family_with_identities()
        else:
            family = families.family(0)
            family = replace(family, properties=tuple(families.safety(f"p{k}") for k in range(3)))
        for property_ in family.properties:
            known, wanted, condition = asked(family, property_.name)
            found = decided(known, wanted)
            if found.holds is None:
                continue
            counts["holds" if found.holds else "violated"] += 1
            if found.holds:
                assert is_proof(found.cubes, known.context, wanted, condition), (
                    f"seed {seed}, {property_.name}: no proof"
                )
            truths = list(members(family, property_.name, known.context.solver, found))
            counts["members"] += len(truths)
            if found.holds:
                assert all(truths), f"seed {seed}, {property_.name}: {truths}"
            elif len(truths) == MOST_MEMBERS:
                assert not all(truths), f"seed {seed}, {property_.name}: {truths}"
    return counts


MOST_MEMBERS = 8


def members(family: Family, name: str, solver: Solver, found: Found) -> list[bool]:
    """The verdicts of the interpreter on small members, from the size at which a violation is said to be possible."""
    least: dict[str, int] = {}
    for class_ in family.classes:
        if isinstance(class_.size, m.Variable) and found.at is not None:
            number = family.classes.index(class_)
            least[class_.size.name] = max(1, sum(slot // SLOTS == number for slot in found.at.places))
    truths = []
    for values, _ in zip(small_members(family, solver, least), range(MOST_MEMBERS), strict=False):
        model = member(family, values)
        property_ = next(each for each in model.properties if each.name == name)
        assert isinstance(property_, m.CtlProperty)
        (decision,) = check_properties(model, [property_], Limits(states=800))
        if decision.holds is not None:
            truths.append(decision.holds)
    return truths


@pytest.mark.parametrize("part", range(5))
def test_random_families(part: int) -> None:
    counts = compare(range(14 * part, 14 * part + 14))
    assert counts["holds"] >= 5 and counts["violated"] >= 5 and counts["members"] >= 40


@pytest.mark.parametrize("part", range(5))
def test_random_families_whose_processes_know_each_other(part: int) -> None:
    counts = compare(range(500 + 14 * part, 514 + 14 * part), know_each_other=True)
    assert counts["holds"] >= 5 and counts["violated"] >= 3 and counts["members"] >= 40


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_many_random_families_whose_processes_know_each_other(part: int) -> None:
    assert compare(range(6000 + 50 * part, 6050 + 50 * part), know_each_other=True)["holds"] >= 5


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_many_random_families(part: int) -> None:
    counts = compare(range(3000 + 35 * part, 3035 + 35 * part))
    assert counts["holds"] >= 5 and counts["violated"] >= 5
