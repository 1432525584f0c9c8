"""Acceptance and progress labels in proctypes: cycles through the one, cycles without the other.

The verdicts are SPIN's (`pan -a`, `pan -l`, each with and without `-f`, on the same texts).
"""

from __future__ import annotations

import pytest

from coset.model.implicit import ACCEPTANCE, PROGRESS
from coset.results.trace import replay
from coset.results.verdict import Verdict
from coset.tasks.checker import check
from coset.tasks.load import parse_text

CASES = {
    "a process that makes progress, beside one that need not wait": (
        """byte x;
        active proctype P() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 od }
        active proctype Q() { byte y; do :: y = 1 - y od }""",
        {PROGRESS: (Verdict.VIOLATED, Verdict.HOLDS)},
    ),
    "progress in every round": (
        "byte x; active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> progress: x = 0 od }",
        {PROGRESS: (Verdict.HOLDS, Verdict.HOLDS)},
    ),
    "a run that ends is no cycle without progress": (
        "active proctype P() { progress: skip; skip }",
        {PROGRESS: (Verdict.HOLDS, Verdict.HOLDS)},
    ),
    "an accepting cycle": (
        """bool a, b;
        active proctype P() { accept: do :: a = 1; a = 0 od }
        active proctype Q() { do :: b = !b od }""",
        {ACCEPTANCE: (Verdict.VIOLATED, Verdict.VIOLATED)},
    ),
    "a run that stops at an accepting location stays there": (
        """bool b;
        active proctype Q() { do :: b = !b :: b -> break od; b = 0; accept: b == 1 }
        active proctype R() { progress: skip }""",
        {ACCEPTANCE: (Verdict.VIOLATED, Verdict.VIOLATED), PROGRESS: (Verdict.VIOLATED, Verdict.VIOLATED)},
    ),
}


@pytest.mark.parametrize("engine", ["explicit", "reference"])
@pytest.mark.parametrize("name", CASES)
def test_labels(name: str, engine: str) -> None:
    text, expected = CASES[name]
    model = parse_text(text)
    for fair in (False, True):
        result = check(model, engine=engine, properties=[ACCEPTANCE, PROGRESS], fair=fair)
        assert {p.name: p.verdict for p in result.properties} == {n: v[fair] for n, v in expected.items()}
        for property_ in result.properties:
            if property_.trace is not None:
                assert replay(model, property_.trace).states
