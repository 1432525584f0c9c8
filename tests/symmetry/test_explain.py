"""Explanations are true: without what they blame, the group is as large as they say."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from coset.results.symmetry import Explanation
from coset.symmetry.explain.explanation import explain
from coset.symmetry.explain.wording import Broken, broken
from coset.symmetry.methods.program.detect import detect
from coset.tasks import load as load_task
from coset.tasks.symmetry import symmetry
from tests.support.paths import MODELS

WORK = 10_000_000


def blamed(text: str) -> tuple[int, list[Broken]]:
    """The order of the group of a text, and what is to blame for it."""
    model = load_task.parse_text(text)
    order = detect(model).order
    explanation = explain(model, order=order, work=WORK)
    assert explanation.complete
    return order, broken(explanation)


def shipped(name: str) -> str:
    return (MODELS / f"{name}.pml").read_text()


@dataclass(frozen=True)
class Case:
    """A text, what its explanation says, and how to edit the text such that nothing of it is true any more."""

    name: str
    text: str
    words: tuple[str, ...]
    edits: tuple[tuple[str, str], ...]
    lines: tuple[int, ...] = ()
    """The lines that are blamed, if that is to be checked."""

    def edited(self) -> str:
        text = self.text
        for old, new in self.edits:
            assert old in text
            text = text.replace(old, new)
        return text


PETERSON = """bool flag[2]; byte turn; byte inside;
active [2] proctype user() {
  do
  :: flag[_pid] = true; turn = _pid;
     (flag[1 - _pid] == false || turn == 1 - _pid);
     inside++; inside--; flag[_pid] = false
  od
}
"""
STARTED = """chan a = [1] of { pid }; chan b = [1] of { pid }; chan c = [1] of { pid }; pid last;
proctype P(chan mine) { do :: mine!_pid :: mine?last od }
init { atomic { run P(a); run P(b); run P(c) } }
"""
PINNED = """byte turn = 9; chan q = [1] of { byte };
active [2] proctype P() { do :: turn = _pid :: turn == _pid -> q!0; turn = len(q) od }
"""

ONE_BY_ONE = """chan to[3] = [1] of { bit }; byte got[3];
proctype P(byte id) { end: do :: to[id]?1 -> got[id] = 1 - got[id] od }
proctype boss() { byte i;
  do :: for (i : 0 .. 2) { to[i]!1 }
  od }
init { atomic { run P(0); run P(1); run P(2); run boss() } }
"""

WAITS = """bool b[3];
active [3] proctype P() { byte k = 9; do
:: b[_pid] = true; k = 0; do
:: k < 3 -> !b[k] || k == _pid; k++
:: else -> break od; k = 9; b[_pid] = false
od }
"""

CASES = [
    Case(
        "a blocked client and a claim",
        shipped("email"),
        ("blocked_client of mailer starts as 3, the number of client 3", "client 3 is named by the never claim in line 86"),
        (("blocked_client = 3", "blocked_client"), ("received_from == 3", "received_from == 0")),
        (30, 86),
    ),
    Case(
        "a small email system",
        shipped("email_small"),
        ("blocked_client of mailer starts as 3, the number of client 3", "client 3 is named by the never claim in line 91"),
        (("blocked_client = 3", "blocked_client"), ("received_from == 3", "received_from == 0")),
    ),
    Case("who begins", PETERSON, ("turn starts as 0, the number of user 0",), (("byte turn", "byte turn = 9"),), (1,)),
    Case(
        "neighbours",
        shipped("philosophers"),
        ("`(_pid + 1) % 6` computes with ids, in lines 31 and 34",),
        (("((_pid + 1) % N)", "_pid"),),
        (31, 34),
    ),
    Case(
        "neighbours, and a property",
        shipped("philosophers_fixed"),
        ("`(_pid + 1) % 6` computes with ids", "philosopher 0 is named by property first_eats in line 58"),
        (("((_pid + 1) % N)", "_pid"), ("philosopher[0]@eating", "(meals == 1)")),
    ),
    Case(
        "two classes of clients",
        shipped("resource_allocator"),
        ("link1, link2, link3 and link4 are not used as link5, link6, link7 and link8 are in lines 47 to 54",),
        tuple(
            (f":: atomic {{ no_urgent_request && link{k}?[request] -> link{k}?request }}", f":: link{k}?request")
            for k in range(5, 9)
        ),
    ),
    Case(
        "one message after the other, and not the numbers of those who get them",
        ONE_BY_ONE,
        ("`for (i : 0 .. 2)` counts through the values that tell processes apart, in line 4; others may move between",),
        (("for (i : 0 .. 2) { to[i]!1 }", "if :: to[0]!1 :: to[1]!1 :: to[2]!1 fi"),),
        (4,),
    ),
    Case(
        "the end of a process",
        "byte done; active [3] proctype worker() { atomic { done++; done = done % 3 } }",
        ("worker may terminate, and Promela frees process ids",),
        (("done % 3 }", "done % 3 }; end: false"),),
    ),
    Case(
        "priorities",
        "byte n; proctype P() { do :: n = 1 - n od } init priority 5 { atomic { run P() priority 2; run P() } }",
        ("the processes of P do not all have the same priority",),
        ((" priority 2", ""),),
    ),
    Case(
        "the oldest process",
        "byte n; active [3] proctype P() { do :: n = 0\nspot: n = 1 od } ltl p { <> P@spot }",
        ("`P` without a number means the oldest one, P 0, by property p in line 2",),
        (("<> P@spot", "<> (n == 1)"),),
    ),
    Case(
        "a loop over all processes",
        "bool b[3]; active [3] proctype P() { byte k; do\n:: b[_pid] = true\n:: for (k : 0 .. 2) { b[k] = false }\nod }",
        ("`for (k : 0 .. 2)` counts through the ids, in line 3",),
        (("for (k : 0 .. 2) { b[k] = false }", "b[_pid] = false"),),
    ),
    Case(
        "a wait for all others, one after the other",
        WAITS,
        ("`k` counts through the ids, in line 4; others may move between", "`k` counts from P 0 on, in line 3"),
        (("k++", "break"), ("k = 0", "k = _pid")),
        (3, 4),
    ),
    Case(
        "the order of ids",
        "byte top = 9; active [3] proctype P() { do\n:: top == 9 -> top = _pid\n:: _pid > top -> top = 9\nod }",
        ("`_pid > top` compares ids by their order, in line 3",),
        (("_pid > top", "_pid != top"),),
        (3,),
    ),
    Case(
        "one process is named",
        "byte n; active [4] proctype P() { do :: n = 0\n:: _pid == 2 -> n = 1\nod }",
        ("P 2 is named in line 2: `_pid == 2`",),
        (("_pid == 2", "n == 0"),),
        (2,),
    ),
    Case(
        "a channel of somebody",
        STARTED.replace("init", "active proctype Q() { do :: a!0 od }\ninit").replace("run P(a)", "\nrun P(a)"),
        ("a is used in line 3: `a!0`",),
        (("a!0", "false"),),
    ),
    Case(
        "plain data",
        "byte n; proctype P(byte me) { do :: n = me\n:: n == 7 -> n = 0 od } init { atomic { run P(5); run P(6); run P(7) } }",
        ("the value 7 is named in line 2: `n == 7`",),
        (("n == 7", "n == 0"),),
        (2,),
    ),
    Case(
        "starts that others see",
        "byte n; proctype P() { n = 1; end: n = 0 } init { run P(); run P(); run P() }",
        ("P may terminate, and Promela frees", "inside `atomic { }` nothing could come between the starts"),
        (("n = 1; end: n = 0", "n = 1; n = 0; end: false"), ("init { run P(); run P(); run P() }",
         "init { atomic { run P(); run P(); run P() } }")),
    ),
    Case(
        "a number that is not an id",
        PINNED,
        ("process id: it gets the value of 'len(q)'",),
        (("turn = len(q)", "turn = 9"),),
    ),
    Case(
        "options in their order",
        "byte n = 9; active [2] proctype P() { do :: d_step { if\n:: n == 0 -> n = 1 :: n == 1 -> n = 0\n"
        ":: else -> n = _pid fi } od }",
        (),
        (),
    ),
    Case(
        "a hidden variable",
        "hidden byte kept; byte n = 9; active [2] proctype P() { do :: kept < 3 -> kept = 1; n = _pid od }",
        ("kept is hidden",),
        (("hidden ", ""),),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_without_what_is_blamed_the_group_is_as_large_as_is_said(case: Case) -> None:
    order, found = blamed(case.text)
    whys = [each.why for each in found]
    for words in case.words:
        assert any(words in why for why in whys), whys
    if case.words:
        assert len(set(whys)) == len(case.words), whys
        gain = max(each.gain or 0 for each in found)
        assert gain > order
        assert detect(load_task.parse_text(case.edited())).order == gain
    if case.lines:
        assert sorted({span.line for each in found for span in each.spans}) == list(case.lines)


def test_all_reasons_have_to_go() -> None:
    """Only one of two edits gains nothing, if the reasons are given together."""
    case = CASES[0]
    for old, new in case.edits:
        assert detect(load_task.parse_text(case.text.replace(old, new))).order == 24


def test_whom_it_is_about() -> None:
    _, found = blamed(shipped("email_small"))
    assert {each.between for each in found} == {("1", "3")}
    assert {each.groups for each in found} == {((1, 2), (3,))}
    _, found = blamed(shipped("philosophers"))
    assert {each.between for each in found} == {tuple("012345")}


@pytest.mark.parametrize("name", ["peterson", "mutex_ticket", "email_symmetric_small", "readers_writers"])
def test_nothing_to_explain(name: str) -> None:
    assert blamed(shipped(name))[1] == []


def test_processes_that_are_started_on_the_way() -> None:
    order, found = blamed(shipped("dynamic_workers"))
    assert order == 1
    late, observed = (each.why for each in found)
    assert late == "processes are started while the system runs, and not all at its beginning"
    assert "`_nr_pr` also counts processes that have ended" in observed and found[1].spans[0].line == 39
    assert found[0].gain is None and found[0].spans[0].line == 40


def test_a_limit_is_told() -> None:
    model = load_task.load(MODELS / "leader_election.pml")
    explanation = explain(model, work=0)
    assert not explanation.complete
    assert explanation.reasons == ()


def test_every_reason_gains_something() -> None:
    for name in ("bakery", "leader_election", "token_ring", "three_tiered", "load_balancer", "hypercube"):
        order, found = blamed(shipped(name))
        assert found, name
        assert all(each.gain is not None and each.gain > order and each.why and each.spans for each in found)


def test_a_loop_that_nobody_can_interrupt_needs_no_such_remedy() -> None:
    within = ONE_BY_ONE.replace(
        "do :: for (i : 0 .. 2) { to[i]!1 }", "do :: atomic { for (i : 0 .. 2) { to[i]!1 }; i = 0 }"
    )
    _, found = blamed(within)
    assert all("make the loop `atomic`" not in each.why for each in found)


ACCOUNTS = """byte x1 = 4, x2 = 4, turn; byte seen[2];
active proctype Account1() {
  do :: x1 > 1 -> x1 = x1 - 1 :: x1 < 3 -> x1 = x1 + 2; seen[0] = 1; turn = 1; turn == 0 od }
active proctype Account2() {
  do :: x2 > 1 -> x2 = x2 - 1 :: x2 < 3 -> x2 = x2 + 2; seen[1] = 1; turn = 0; turn == 1 od }
"""


@pytest.mark.parametrize(
    ("old", "new", "why", "lines"),
    [
        ("x2 - 1", "x2 - 2", "they are copies but for `x1 = x1 - 1` and `x2 = x2 - 2`", [3, 5]),
        ("x2 > 1", "x2 >= 1", "they are copies but for `x1 > 1` and `x2 >= 1`", [3, 5]),
        ("x2 = 4", "x2 = 3", "they are copies, but x1 starts as 4, and x2 as 3", [1, 1]),
        ("x2 = x2 + 2; seen", "x2 = x2 + 2; skip; seen", None, []),
    ],
)
def test_near_copies(old: str, new: str, why: str | None, lines: list[int]) -> None:
    """One statement, or one initial value, tells two copies apart."""
    equal, near = (load_task.parse_text(text) for text in (ACCOUNTS, ACCOUNTS.replace(old, new)))
    assert symmetry(equal, method="program", steps="merged", explain=True).explanation == Explanation((), True, False)
    found = symmetry(near, method="program", explain=True).explanation
    assert found is not None
    assert [each.why for each in found.broken] == ([] if why is None else [why])
    assert [span.line for each in found.broken for span in each.spans] == lines
