"""Values that the semantics makes and the text does not show: a reference to nobody reads 0, a process count is a number, a
value that has no room becomes another one.  Where such a value is an id, no symmetry may move it.

Every generator of every method is tried on the whole graph of states, and verdicts are those without symmetry.
"""

from __future__ import annotations

import pytest

import coset
from coset.model.passes import merged
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.null_dead_ids import null_dead_ids
from tests.support.group_orders import orders

MOST = 20_000

CASES: dict[str, tuple[int, str]] = {
    "a reference to another kind": (
        2,
        """
pid owner = 9, turn = 9; byte count;
active [3] proctype P() {
  pid x = _pid;
  do
  :: count < 70 -> count++
  :: atomic { count == 70 && owner == 9 -> owner = _pid }
  :: atomic { owner == _pid && turn == 9 -> turn = P[3]:x; assert(turn != owner) }
  od
}
active proctype S() { false }
""",
    ),
    "a reference to a number that is nobody's": (
        2,
        """
pid turn = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { turn == 9 -> turn = P[7]:x; assert(turn != _pid) } od
}
""",
    ),
    "a reference to who is named by a variable": (
        2,
        """
pid who = 9, turn = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { who == 9 -> who = 3 } :: atomic { who == 9 -> who = _pid }
     :: atomic { who != 9 && turn == 9 -> turn = P[who]:x; assert(turn != _pid) }
  od
}
active proctype S() { false }
""",
    ),
    "a reference in an index": (
        2,
        """
bit flag[3]; pid who = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { flag[P[3]:x] == 0 -> flag[P[3]:x] = 1; assert(_pid != 0) } od
}
active proctype S() { false }
""",
    ),
    "a reference in a message": (
        2,
        """
chan c = [1] of { pid };
active [3] proctype P() {
  pid x = _pid, y = 9;
  do :: empty(c) -> c!P[3]:x :: atomic { c?y; assert(y != _pid); y = 9 } od
}
active proctype S() { false }
""",
    ),
    "a reference in a comparison": (
        2,
        """
pid turn = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { turn == 9 -> turn = _pid } :: atomic { turn == P[3]:x -> assert(turn == 9) } od
}
active proctype S() { false }
""",
    ),
    "a reference of which only the truth counts": (
        2,
        """
byte turn = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { turn == 9 -> turn = _pid } :: atomic { P[3]:x -> assert(false) } od
}
active proctype S() { false }
""",
    ),
    "a reference to one's own kind that ends": (
        1,
        """
pid turn = 9;
active [3] proctype P() {
  pid x = _pid;
  if :: atomic { turn == 9 -> turn = P[2]:x; assert(turn != 0) } :: true fi
}
""",
    ),
    "a reference to one that always finds somebody": (
        6,
        """
pid turn = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { turn == 9 -> turn = P[_pid]:x; assert(turn == _pid) } :: atomic { turn == _pid -> turn = 9 } od
}
active proctype S() { false }
""",
    ),
    "a reference to neighbours": (
        3,
        """
pid turn = 9;
active [3] proctype P() {
  pid x = _pid;
  do :: atomic { turn == 9 -> turn = P[(_pid + 1) % 3]:x; assert(turn != _pid) } :: atomic { turn == _pid -> turn = 9 } od
}
""",
    ),
    "the number of processes": (
        1,
        """
pid turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = _nr_pr - 2; assert(turn != _pid) } od
}
""",
    ),
    "the number of processes as an index": (
        1,
        """
bit flag[4];
active [3] proctype P() {
  do :: atomic { flag[_pid] == 0 -> flag[_nr_pr - 1] = 1; assert(flag[_pid] == 0) } od
}
""",
    ),
    "the last mover": (
        2,
        """
pid turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = _pid } :: turn == _pid -> turn = 9 od
}
never { do :: turn == _last :: turn != 9 && turn != _last -> break :: else od }
""",
    ),
    "the priority of nobody": (
        1,
        """
pid turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = get_priority(8); assert(turn != _pid) } od
}
""",
    ),
    "the place of a process": (
        1,
        """
pid turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = pc_value(8); assert(turn != _pid) } od
}
""",
    ),
    "ids that do not fit": (
        1,
        """
byte turn = 9; bit half;
active [3] proctype P() {
  do :: atomic { turn == 9 -> half = _pid; turn = half; assert(turn == _pid) } od
}
""",
    ),
    "ids that do not fit where they are received": (
        1,
        """
byte turn = 9; bit half; chan c = [1] of { byte };
active [3] proctype P() {
  do :: atomic { turn == 9 && empty(c) -> c!_pid; c?half; turn = half; assert(turn == _pid) } od
}
""",
    ),
    "a remainder": (
        1,
        """
byte turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = _pid % 2; assert(turn == _pid) } od
}
""",
    ),
    "a truth value": (
        1,
        """
byte turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = (turn == _pid); assert(turn == _pid) } od
}
""",
    ),
    "no channel": (
        4,
        """
chan a = [1] of { byte }; chan b = [1] of { byte }; chan h; chan none;
active [2] proctype P() {
  do :: atomic { h == 0 -> h = a } :: atomic { h == 0 -> h = b } :: atomic { h != 0 -> h!1; h = none } od
}
""",
    ),
    "a channel by its number": (
        1,
        """
chan a = [1] of { byte }; chan b = [1] of { byte };
active [2] proctype P() {
  byte k = 1; chan c; chan none; byte z;
  do
  :: atomic { c = k; nfull(c) -> c!_pid; c = none; k = 1 }
  :: k = 2
  :: atomic { a?z; assert(z == 0); z = 0 }
  :: atomic { b?z; z = 0 }
  od
}
""",
    ),
    "what a message leaves behind": (
        2,
        """
chan c = [1] of { byte, byte }; byte turn = 9;
active [3] proctype P() {
  byte x;
  do :: empty(c) -> c!_pid,x :: atomic { c?x,_; turn = x; assert(turn != 0 || x == 0) } od
}
""",
    ),
    "a variable of a claim": (
        2,
        """
byte turn = 9;
active [3] proctype P() {
  do :: atomic { turn == 9 -> turn = _pid } :: atomic { turn == _pid -> turn = 9 } od
}
never { byte x = 1; do :: turn == x -> break :: true od; accept: do :: true od }
""",
    ),
    "ids that mean nothing yet": (
        2,
        """
byte turn = 9;
active [3] proctype P() {
  byte j;
  do :: atomic { turn == 9 -> turn = j; assert(turn == _pid || turn == 0) } :: j = _pid od
}
""",
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def test_what_the_semantics_makes_is_kept(name: str) -> None:
    """Each method finds automorphisms only, of the plain model and of the one that `check` makes of it."""
    expected, text = CASES[name]
    model = coset.parse_text(text)
    assert orders(model, MOST)["program"] == expected
    orders(keep_terminated(merged(null_dead_ids(model), marks=False)), MOST)


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("symmetry", ["program", "channels", "hypergraph"])
def test_no_violation_is_lost(name: str, symmetry: str) -> None:
    model = coset.parse_text(CASES[name][1])
    wanted = [(each.name, each.verdict) for each in coset.check(model, engine="reference", symmetry="off").properties]
    found = coset.check(model, engine="explicit", symmetry=symmetry)
    assert [(each.name, each.verdict) for each in found.properties] == wanted
