"""Models for the explicit engine, and the numbers that must agree."""

from __future__ import annotations

from coset.results.exploration import Exploration


def figures(result: Exploration) -> dict[str, object]:
    errors = result.errors
    return {
        "states": result.states,
        "transitions": result.transitions,
        "assertions": errors.assertions,
        "invalid_end_states": errors.invalid_end_states,
        "trace": errors.trace,
        "faults": errors.faults,
    }


DEEP = """
byte n;
proctype Late(byte me) { assert(me < 3); n = n + me }
active proctype P() {
  do
  :: n < 120 -> n++
  :: n == 120 -> break
  od;
  atomic { run Late(1); run Late(2) }
  (_nr_pr == 1);
  run Late(3)
}
active proctype Q() { byte k; do :: k < 5 -> k++ :: else -> break od }
"""
MIXED = """
byte done, x;
proctype A(byte n) { byte a[3]; a[n] = n; x = a[n]; done++ }
proctype B(int n) { int big; big = n * 1000; assert(big >= 0); done++ }
proctype C() { skip; run_again: done++ }
active proctype Main() {
  byte k;
  do
  :: k < 3 ->
     if
     :: run A(k)
     :: run B(k)
     :: run C()
     fi;
     (done == k + 1 && _nr_pr == 1);
     k++
  :: else -> break
  od
}
"""
CHANNELS = """
chan out = [1] of { chan };
chan wide = [2] of { byte, short };
proctype One() { chan mine = [1] of { byte, short }; byte b; short s;
  out!mine; mine?b,s; wide!b,s }
proctype Two() { chan a = [1] of { bit }; chan mine = [2] of { byte, short }; byte b; short s;
  out!mine; mine?b,s; wide!s,b; a!1; a?_ }
active proctype Main() {
  chan got; byte k;
  do
  :: k < 2 ->
     if :: run One() :: run Two() fi;
     out?got; got!k+1,300; k++;
     if :: (_nr_pr == 1) :: skip fi
  :: else -> break
  od;
  wide?_,_
}
"""
WIDE = """
#ifndef N
#define N 240
#endif
short x, y;
active proctype P() {
  atomic {
    do :: x < N -> x++ :: break od;
    do :: y < N -> y++ :: break od
  }
}
"""


def wide_figures(n: int) -> tuple[int, int]:
    """States and transitions of WIDE: the beginning, and each pair of numbers with the process at its end and gone."""
    pairs = (n + 1) ** 2
    return 1 + 2 * pairs, 1 + 2 * pairs


STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-fwrapv", "-fno-strict-aliasing")
GENERATED = ("-Wno-unused-function", "-Wno-unused-variable")
"""What generated C is allowed: a process that is never run has a function all the same, a receive of `_` no use for values."""
