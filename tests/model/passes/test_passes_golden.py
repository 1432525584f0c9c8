"""Passes for fewer steps: what each of them makes of a small program, as text."""

from __future__ import annotations

import pytest

import coset
from coset.model.analysis.facts import gather
from coset.model.analysis.liveness import liveness
from coset.model.passes import LAST, PASSES, merged
from coset.model.printer import show_kind
from tests.support.bisimulation import run_pass

GOLDEN = """
=== unused: a counter that only counts
byte n; chan c = [1] of { byte, byte }; active proctype P() { byte x, y; do :: c?x,y; n = n + 1; printf("%d", n); c!x,1 od }
---
process P() {
    byte x;
    0
        -> 1
    1
        -> 2
    2
        -> 3  do c ! x, 1
    3 [start]
        -> 0  do c ? x, _
}
=== unused: an argument
active proctype P() { byte i; run Q(i, i + 1) } proctype Q(byte a; byte b) { b = a; assert(a < 9) }
---
process P() {
    byte i;
    0 [start]
        -> 1  do run Q(i)
    1 [end]
        -> gone  when youngest  do exit
}
process Q(byte a) {
    0 [start]
        -> 1
    1
        -> 2  do assert(a < 9)
    2 [end]
        -> gone  when youngest  do exit
}
=== unused: what may fault stays
active proctype P() { byte a[3], i; a[i] = 1; i = i + 1 }
---
process P() {
    byte a[3];
    byte i;
    0 [start]
        -> 1  do a[i] = 1
    1
        -> 2  do i = i + 1
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: private
byte g; active proctype P() { byte x, y; do :: g == 0; x = 1; y = x; g = y od }
---
process P() {
    byte x;
    byte y;
    0
        -> 1  do g = y
    1 [start]
        -> 0  when g == 0  do x = 1; y = x
}
=== merge: delayed
byte g; active proctype P() { byte x = 1; x = 2; g = x; g = 0 }
---
process P() {
    byte x = 1;
    0 [start]
        -> 1  do x = 2; g = x
    1
        -> 2  do g = 0
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: held
byte g; active proctype P() { atomic { g == 0; g = 1; g = 2 }; g = 3 }
---
process P() {
    0 [start]
        -> 1  when g == 0  do g = 1; g = 2
    1
        -> 2  do g = 3
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: inside
byte g; active proctype P() { d_step { g = 1; g = 2; if :: g == 2 -> g = 3 :: else -> skip fi; g = 4 } }
---
process P() {
    0 [transient]
        -> 2  when g == 2  do g = 3; g = 4
        -> 2  when else  do g = 4
    1 [start]
        -> 0  do g = 1; g = 2
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: a cycle
active proctype P() { byte x, y; do :: x = 1; y = x; x = y od }
---
process P() {
    byte x;
    byte y;
    0
        -> 0  do x = 1; y = x; x = y
    1 [start]
        -> 0  do x = 1; y = x; x = y
}
=== transient choices: a loop
byte g; active proctype P() { byte i; do :: i < 3 -> g = i; i++ :: else -> g = 0; i = 0 od }
---
process P() {
    byte i;
    0
        -> 1  do g = i
    1
        -> 4  do i = i + 1
    2
        -> 3  do g = 0
    3
        -> 4  do i = 0
    4 [transient]
        -> 0  when i < 3
        -> 2  when else
    5 [start]
        -> 0  when i < 3
        -> 2  when else
}
=== reset: dead after its last use
chan c = [1] of { byte }; byte g; active proctype P() { byte x; byte y = 7; do :: c?x; g = x; c?y; g = y od }
---
process P() {
    byte x;
    byte y = 7;
    0
        -> 1  do g = x; x = 0
    1
        -> 2  do c ? y
    2
        -> 3  do g = y; y = 7
    3 [start]
        -> 0  do c ? x
}
=== reset: dead stores
chan c = [1] of { byte }; byte g; active proctype P() { byte x; x = g; c?x; c?x; g = x; x = 5 }
---
process P() {
    byte x;
    0 [start]
        -> 1
    1
        -> 2  do c ? _
    2
        -> 3  do c ? x
    3
        -> 4  do g = x; x = 0
    4
        -> 5
    5 [end]
        -> gone  when youngest  do exit
}
=== unify: equal tails
byte g; active proctype P() { if :: g == 0 -> g = 1; g = 2 :: g == 1 -> g = 3; g = 2 fi }
---
process P() {
    0
        -> 1  do g = 1
    1
        -> 4  do g = 2
    2
        -> 1  do g = 3
    3 [start]
        -> 0  when g == 0
        -> 2  when g == 1
    4 [end]
        -> gone  when youngest  do exit
}
"""
"""A pass and what for; a model; the kinds that the pass makes of it.  Global variables are visible, but not to `unused`."""


def golden_cases() -> list[tuple[str, str, str]]:
    cases = [case.split("\n", 1) for case in GOLDEN.split("=== ")[1:]]
    return [(head, *rest.split("\n---\n")) for head, rest in cases]  # type: ignore[misc]


@pytest.mark.parametrize(("head", "text", "expected"), golden_cases(), ids=[head for head, _, _ in golden_cases()])
def test_golden(head: str, text: str, expected: str) -> None:
    pass_ = next(p for p in PASSES if head.startswith(f"{p.name}:"))
    model = coset.parse_text(text)
    changed = run_pass(pass_, model, () if pass_.name == "unused" else model.variables)
    compacted = LAST.run(changed, gather(changed))
    assert "\n".join(map(show_kind, compacted.kinds)) == expected.rstrip("\n")


def test_joined_edges_tell_what_they_are() -> None:
    model = coset.parse_text("byte g; active proctype P() { byte x; do :: g == 0; x = 1; g = x od }")
    texts = [edge.text for _, edge in merged(model, model.variables).kinds[0].edges()]
    assert "g == 0; x = 1" in texts


def test_liveness() -> None:
    model = coset.parse_text(
        """chan c = [1] of { byte }; byte g
        active proctype P() { byte x, y, a[2]; x = 1; y = x; a[0] = y; g = a[0]; y = g + y; x = y }"""
    )
    (kind,) = model.kinds
    live = [sorted(v.name for v in names) for names in liveness(kind, gather(model)).at]
    assert live == [["a"], ["a", "x"], ["a", "y"], ["a"], [], [], []], "the last two values are computed for nobody"
