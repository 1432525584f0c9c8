"""Programs for the tests of representatives of packed states."""

from __future__ import annotations

from coset.model.model import Model
from coset.symmetry.canonical.plan import SymmetryPlan, plan
from coset.symmetry.methods.program.detect import detect

REFERENCES = """
mtype = { ask, grant };
chan q[3] = [1] of { mtype, byte };
byte owner = 3;
active [3] proctype P() {
  byte other = 3;
  do
  :: if :: other = 0 :: other = 1 :: other = 2 fi; other != _pid -> q[other] ! ask, _pid
  :: q[_pid] ? ask, other -> if :: owner == 3 -> owner = other :: else fi; other = 3
  :: owner == _pid -> owner = 3
  od
}
"""
STARTED = """
byte done[4], total;
proctype W(byte id) { do :: done[id] < 3 -> done[id]++ :: done[id] == 3 && total < 4 -> total++; done[id] = 0 od }
init { byte k; atomic { do :: k < 4 -> run W(k); k++ :: else -> k = 0; break od }; (total == 4) -> total = 0; assert(false) }
"""


ENDS = """
byte turn[3], go = 9;
active [3] proctype W() { do :: turn[_pid] < 3 -> turn[_pid]++ :: go == _pid -> turn[_pid] = 0; go = 9 od }
active proctype C() { byte who; do :: who = 0; go = who :: who = 1; go = who :: who = 2; go = who :: break od }
"""
"""When C has ended, nothing is left of it, which looks like a process whose `who` is 0."""
DEAD_START = """
byte turn, both, count;
active [3] proctype P() {
  do
  :: atomic { turn = _pid; both = turn }
  :: atomic { turn = _pid; turn == _pid -> count = (count + 1) % 5; assert(count != 4) }
  od
}
"""

NOTHING_MOVES = """
bool flag1, flag2; byte n; byte turn = 9; byte row[3];
chan q1 = [1] of { bit }; chan q2 = [1] of { bit }; chan link = [1] of { byte };
active [1] proctype P2() {
  bit x2, y2;
  do :: !flag1 -> flag2 = 1; x2 = 1 - x2 :: d_step { y2 = turn; turn = 2; y2 = 0 }; spot: skip od
}
active [1] proctype P1() {
  bit x1, y1;
  do :: !flag2 -> flag1 = 1; x1 = 1 - x1 :: d_step { y1 = turn; turn = 1; y1 = 0 }; spot: skip od
}
"""
"""Sorts of values that no state has are exchanged."""


def planned(model: Model) -> SymmetryPlan:
    found = plan(detect(model))
    assert found is not None
    return found
