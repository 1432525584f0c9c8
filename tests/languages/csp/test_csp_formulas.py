"""Formulas over events of CSP#: the letter is the last event, with the conditions of the state."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset

SYSTEM = """
#define N 2;
#define low x == 0;
#define high x == 1;
var x:{0..1};
channel c 0;
channel d 1;
Toggle = up{x = 1;} -> down{x = 0;} -> Toggle;
Once = a -> b -> Stop;
Sender = c!1 -> Sender;
Pair = Sender ||| Answer;
Answer = c?v -> got.v -> Answer;
Async = (d!0 -> d!1 -> Stop) ||| Reader;
Reader = d?v -> Reader;
Two(i) = go.i -> Two(i);
Both = |||i:{0..N-1}@Two(i);
Loop = a -> b -> Loop;
Quiet = Loop \\ {a};
Ends = a -> Skip;
"""


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize(
    ("assertion", "holds"),
    [
        ("Toggle |= [] (up -> high)", True),  # the state after the event
        ("Toggle |= [] (up -> X down)", True),
        ("Toggle |= [] <> up", True),
        ("Toggle |= <> [] high", False),
        ("Toggle |= [] (high -> up)", True),
        ("Toggle |= !up && !down && low", True),  # the first letter has no event
        ("Once |= [] <> b", True),  # a run that stops repeats its last letter
        ("Once |= [] <> a", False),
        ("Once |= <> (a && X b)", True),
        ("Once |= !b U a", True),
        ("Once |= F G b", True),
        ('Pair |= [] <> "c.1"', True),
        ("Pair |= [] (got.1 -> X c.1)", True),
        ("Pair |= [] <> got.0", False),
        ('Async |= [] ("d!1" -> <> "d?1")', True),
        ('Async |= "d?0" R !"d?1"', True),
        ("Both |= [] <> go.0", False),
        ("Both |= [] <> (go.0 || go.1)", True),
        ("Quiet |= [] (tau -> X b)", True),
        ("Quiet |= <> a", False),
        ("Ends |= [] <> a", False),  # the successful end is one more step
    ],
)
def test_formulas(assertion: str, holds: bool, engine: str, tmp_path: Path) -> None:
    path = tmp_path / "m.csp"
    path.write_text(f"{SYSTEM}#assert {assertion};\n")
    (result,) = coset.check(path, engine=engine, properties=[assertion]).properties
    assert result.verdict.value == ("holds" if holds else "violated")


def test_a_property_over_events_of_all_keeps_the_symmetry(tmp_path: Path) -> None:
    from coset.symmetry.methods.program.detect import detect
    from coset.tasks.load import load_suite

    path = tmp_path / "m.csp"
    path.write_text(f"{SYSTEM}#assert Both |= [] !go.0;\n#assert Both deadlockfree;\n")
    plain, watching = (load_suite(path).models[k] for k in (0, 1))
    assert detect(plain, ()).order == 2
    assert detect(watching).order == 1, "the formula tells one from the other"
