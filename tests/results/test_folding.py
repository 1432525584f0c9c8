"""Long runs are folded: what is said of the moves that are not shown is true, and the moves that matter are shown."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree

import pytest

import coset
from coset.results.trace import Run
from coset.views.folding import LEAST_MOVES, LEAST_ROUNDS, folds, repetitions
from coset.views.lanes import lanes
from coset.views.sequence_chart import sequence_chart

COUNTER = """
byte x; chan c = [1] of { byte };
active proctype P() { do :: x < 40 -> x++; c!x; c?_ :: else -> break od; assert(false) }
"""
STARTER = """
byte n; proctype P(byte k) { n = n + k } proctype Q() { n == 3; assert(false) }
init { atomic { n = 1; n = 2; n = 0; run P(1); n = n + 1; n = n - 1; n = 0; run P(2); run Q() } }
"""
CYCLE = "byte x; active proctype P() { do :: x < 30 -> x++ :: x == 30 -> x = 0 od } ltl p { <> (x == 31) }"


def run_of(text: str) -> Run:
    model = coset.parse_text(text)
    result = model.check()
    (trace,) = [each.trace for each in result.properties if each.trace is not None][:1]
    return model.replay(trace)


def shown_numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"^ *(\d+):? +\d+  ", text, re.MULTILINE)]


@pytest.mark.parametrize("seed", range(100))
def test_folded_moves_repeat_the_round_before(seed: int) -> None:
    """A naive twin: every folded move has the sign of the one a round earlier, and the rounds that are said fill the fold."""
    chance = random.Random(seed)
    signs = "".join(
        "".join(chance.choices("abc", k=chance.randint(1, 5))) * chance.choice((1, 1, 2, 3, 9)) for _ in range(8)
    )
    first, end = chance.randint(0, 9), 0
    for fold in repetitions(signs, first):
        found = re.fullmatch(r"moves (\d+) to (\d+): moves? (\d+)(?: to (\d+))? again, (\d+) times", fold.text)
        assert found is not None
        start, stop, begin, last, again = (int(each or found[3]) for each in found.groups())
        size = last - begin + 1
        assert (start, stop) == (fold.start + 1, fold.stop) and last + 1 == start and stop - start + 1 == size * again
        assert again + 1 >= LEAST_ROUNDS and size * again >= LEAST_MOVES
        assert all(signs[k - first] == signs[k - first - size] for k in range(fold.start, fold.stop))
        assert fold.start >= end and fold.stop <= first + len(signs)
        end = fold.stop


@pytest.mark.parametrize("text", [COUNTER, STARTER, CYCLE])
def test_what_is_not_folded_is_shown(text: str) -> None:
    run = run_of(text)
    hidden = {number for fold in folds(run) for number in range(fold.start, fold.stop)}
    assert len(hidden) >= LEAST_MOVES and len(run.moves) - 1 not in hidden and run.trace.loop_start not in hidden
    brief = lanes(run, 100, brief=True)
    assert shown_numbers(brief) == [k + 1 for k in range(len(run.moves)) if k not in hidden]
    assert shown_numbers(lanes(run, 100)) == [k + 1 for k in range(len(run.moves))]
    assert all(f"- {fold.text}" in brief for fold in folds(run))


def test_changes_of_folded_moves_are_summed_up() -> None:
    assert "x: 1 -> 40" in lanes(run_of(COUNTER), 100, brief=True)


def test_the_start_up_is_folded() -> None:
    (fold,) = folds(run_of(STARTER))
    assert (fold.start, fold.text) == (0, "moves 1 to 9: init(0) starts P(1), P(2), Q(3)")


@pytest.mark.parametrize("text", [COUNTER, STARTER, CYCLE])
def test_charts_show_one_band_for_each_fold(text: str) -> None:
    run = run_of(text)
    root = ElementTree.fromstring(sequence_chart(run))
    space = "{http://www.w3.org/2000/svg}"
    groups = [(int(each.attrib["data-first"]), int(each.attrib["data-last"])) for each in root.iter(f"{space}g")]
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    words = [each.text for each in root.iter(f"{space}text")]
    for fold in folds(run):
        assert (fold.start, fold.stop - 1) in groups and fold.text in words
        assert not any(
            fold.start <= first < fold.stop and (first, last) != (fold.start, fold.stop - 1) for first, last in groups
        )
    names = {
        f"{run.model.kinds[each.kind].name}({pid})" for state in run.states for pid, each in enumerate(state.processes)
    }
    assert names <= set(words)
    for each in root.iter(f"{space}rect"):
        assert left <= float(each.attrib["x"]) and float(each.attrib["x"]) + float(each.attrib["width"]) <= left + width
        assert top <= float(each.attrib["y"]) and float(each.attrib["y"]) + float(each.attrib["height"]) <= top + height
