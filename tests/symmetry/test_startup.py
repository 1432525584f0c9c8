"""Processes that are started one by one while others move already: a reduced count is right whatever they notice.

The symmetry is used only if whatever happens between the starts can as well happen after the last of them
(symmetry/startup.py).  Not every clause of that condition is shown to be needed: docs/soundness.md says which are.
"""

from __future__ import annotations

import pytest

import coset
from tests.support.quotient import explored

PAIR = "init { run P(); run R(); run P(); do :: false od }"

SEEN = {
    "else beside a handshake": f"""
chan rv = [0] of {{ byte }};
proctype P() {{ byte y; if :: rv!1 :: else -> y = 1 fi; do :: y == 2 od }}
proctype R() {{ do :: rv?_ od }}
{PAIR}
""",
    "else beside a handshake with who starts the others": """
chan rv = [0] of { byte };
proctype P() { byte y; if :: rv!1 :: else -> y = 1 fi; do :: y == 2 od }
init { run P(); run P(); do :: rv?_ od }
""",
    "an escape from a handshake": f"""
chan rv = [0] of {{ byte }};
proctype P() {{ byte y; {{ y = 1; y = 2 }} unless {{ rv!1 }}; do :: y == 3 od }}
proctype R() {{ do :: rv?_ od }}
{PAIR}
""",
    "a handshake in an atomic block": f"""
chan rv = [0] of {{ byte }}; byte busy;
proctype P() {{ byte y; atomic {{ busy == 0 -> busy = 1; rv!1; busy = 0 }}; y = 1; do :: y == 2 od }}
proctype R() {{ byte k; do :: rv?_ :: busy -> k = 1 od }}
{PAIR}
""",
    "a value to begin with that somebody changes": """
byte g;
proctype P() { byte y = g; do :: g < 2 -> g++ :: y == 9 od }
init { run P(); run P(); do :: false od }
""",
    "another way for who starts the others": """
byte g;
proctype P() { byte y; do :: g = 1; y = 1 :: y == 9 od }
init { byte x; run P(); if :: g == 1 -> x = 1 :: true -> x = 2 fi; run P(); do :: x == 9 od }
""",
    "a message for who starts the others": """
chan q = [1] of { byte };
proctype P() { byte y; nfull(q) -> q!1; y = 1; do :: y == 9 od }
init { byte x; run P(); if :: q?x :: true fi; run P(); do :: x == 9 od }
""",
    "a handshake with who starts the others": """
chan q = [0] of { byte };
proctype P() { byte y; q!1; y = 1; do :: y == 9 od }
init { byte x; run P(); if :: q?x :: true fi; run P(); do :: x == 9 od }
""",
    "an effect later in a deterministic step": """
byte g;
proctype P() { byte y; y = g; do :: y == 9 od }
init { byte x; run P(); d_step { x = 1; g = 1 }; run P(); do :: x == 9 od }
""",
    "a starter that is not always provided for": """
byte g;
proctype P() { byte y; g = 1; y = 1; do :: y == 9 od }
active proctype S() provided (g == 0) { byte x; run P(); x = 1; run P(); do :: x == 9 od }
""",
    "priorities": """
proctype P() { byte y; y = 1; y = 2; do :: y == 9 od }
init { byte x; run P(); x = 1; run P(); set_priority(0, 1); do :: x == 9 od }
""",
    "the number of processes": """
proctype P() { byte y; y = _nr_pr; do :: y == 9 od }
init { run P(); run P(); run P(); do :: false od }
""",
    "whether somebody can move": """
byte g;
proctype P() { byte y; y = 1; do :: y == 9 od }
proctype Q() { if :: enabled(3) -> g = 1 :: !enabled(3) -> g = 2 fi; do :: g == 9 od }
init { run Q(); run P(); run P(); do :: false od }
""",
    "the end of somebody": """
byte g;
proctype P() { byte y; y = 1; g = 1 }
init { byte x; run P(); x = 1; run P(); do :: x == 9 od }
""",
}

UNSEEN = {
    "a handshake that waits": f"""
chan rv = [0] of {{ byte }};
proctype P() {{ byte y; rv!1; y = 1; do :: y == 2 od }}
proctype R() {{ do :: rv?_ od }}
{PAIR}
""",
    "else beside a handshake that nobody who is started answers": """
chan rv = [0] of { byte };
active proctype R() { do :: rv?_ od }
proctype P() { byte y; if :: rv!1 :: else -> y = 1 fi; do :: y == 2 od }
init { run P(); run P(); do :: false od }
""",
    "a loop with else": """
byte g;
proctype P(byte me) { byte y; y = 1; g = 1; do :: y == 9 od }
init { byte k; do :: k < 3 -> run P(7); k++ :: else -> break od; do :: k == 9 od }
""",
    "a timeout": """
byte g;
proctype P() { byte y; if :: y = 1 :: timeout -> y = 2 fi; do :: g == 9 :: timeout -> g = 1 od }
init { run P(); run P(); do :: false od }
""",
}


@pytest.mark.parametrize("name", [*SEEN, *UNSEEN])
def test_the_count_is_right(name: str) -> None:
    model = coset.parse_text({**SEEN, **UNSEEN}[name])
    whole = coset.explore(model, engine="reference", symmetry="off")
    for engine in ("reference", "explicit"):
        found = explored(model, engine=engine)
        assert found.complete and found.represents == whole.states


@pytest.mark.parametrize("name", list(SEEN))
def test_what_others_may_see_is_not_reduced(name: str) -> None:
    found = explored(coset.parse_text(SEEN[name]), engine="reference")
    assert found.symmetry.group is None or found.symmetry.group.order == 1


@pytest.mark.parametrize("name", list(UNSEEN))
def test_what_nobody_sees_is_reduced(name: str) -> None:
    found = explored(coset.parse_text(UNSEEN[name]), engine="reference")
    assert found.symmetry.group is not None and found.symmetry.group.order > 1
