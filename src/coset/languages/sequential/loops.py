"""`while` in a sequential model: as many rounds as it can take, each under its condition.

    while (i < 3) { a[i] = 0; i = i + 1; }      is      if (i < 3) { ... } if (i < 3) { ... } if (i < 3) { ... }

Once the condition is false, nothing changes it any more, so that further rounds do nothing.  How many rounds there can be is
found by executing what decides about them, for all values of the variables concerned.  A loop that does not end for some of
these is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.model import expression as e
from coset.model.model import Variable
from coset.model.sequential.interpreter import SequentialInterpreter, State
from coset.model.sequential_model import Assign, If, SequentialModel, Statement, Summand
from coset.source.budget import current_budget

MOST_STATES = 1 << 16
"""The most combinations of values for which rounds are counted."""
MOST_ROUNDS = 256


class Endless(Exception):
    """Why a loop cannot be written out."""


def unrolled(condition: e.Expr, body: Sequence[Statement]) -> tuple[Statement, ...]:
    """The rounds of a loop.  Raises `Endless`."""
    return (If(condition, tuple(body)),) * most_rounds(condition, body)


def most_rounds(condition: e.Expr, body: Sequence[Statement]) -> int:
    """How many rounds a loop takes at most, whatever its variables hold.

    >>> from coset.model.domain import BYTE
    >>> i = Variable("i", BYTE)
    >>> up = Assign(e.Place(i), e.Binary("+", e.Get(i), e.Const(2)))
    >>> most_rounds(e.Binary("<", e.Get(i), e.Const(5)), [up])
    3
    """
    deciding = deciding_variables(condition, body)
    size = 1
    for variable in deciding:
        size *= (variable.domain.high - variable.domain.low + 1) ** variable.size
        if size > MOST_STATES:
            raise Endless(f"how often it is repeated depends on more than {MOST_STATES} values")
    slots = sum(variable.size for variable in deciding)
    summand = Summand("round", (), condition, tuple(sliced(body, set(deciding))))
    loop = SequentialModel("loop", deciding, (summand,), ((None,) * slots,))
    return longest(SequentialInterpreter(loop), deciding)


def longest(interpreter: SequentialInterpreter, deciding: Sequence[Variable]) -> int:
    """The length of the longest run of a deterministic system from any state; raises `Endless` if there is a cycle."""
    budget = current_budget()
    known: dict[State, int] = {}
    for state in interpreter.initial():
        path: dict[State, None] = {}
        while state not in known:
            budget.check()
            if state in path:
                names = [variable.element(k) for variable in deciding for k in range(variable.size)]
                shown = ", ".join(f"{name} = {value}" for name, value in zip(names, state, strict=True))
                raise Endless(f"it does not end for {shown}")
            path[state] = None
            after = next((following for _, following in interpreter.steps(state)), None)
            if after is None:
                known[state] = 0 if not has_begun(interpreter, state) else 1
                break
            state = after
        rounds = known[state]
        for before in reversed(path):
            if before not in known:
                rounds += 1
                known[before] = rounds
    most = max(known.values(), default=0)
    if most > MOST_ROUNDS:
        raise Endless(f"it may be repeated {most} times; {MOST_ROUNDS} is the most")
    return most


def has_begun(interpreter: SequentialInterpreter, state: State) -> bool:
    """Whether the condition of the loop holds in a state without a step: the round goes wrong."""
    return bool(interpreter.faults(state))


def deciding_variables(condition: e.Expr, body: Sequence[Statement]) -> tuple[Variable, ...]:
    """The variables that the condition reads, and all that decide about their values."""
    found = dict.fromkeys(read(condition))
    before = -1
    while before != len(found):
        before = len(found)
        for statement in body:
            found |= dict.fromkeys(influences(statement, set(found)))
    return tuple(found)


def influences(statement: Statement, wanted: set[Variable]) -> Iterator[Variable]:
    """What a statement reads in order to change one of some variables."""
    match statement:
        case Assign(place, value) if place.variable in wanted:
            for x in (value, *place.indices):
                yield from read(x)
        case If(condition, yes, no) if any(True for _ in sliced((statement,), wanted)):
            yield from read(condition)
            for each in (*yes, *no):
                yield from influences(each, wanted)


def sliced(program: Sequence[Statement], wanted: set[Variable]) -> Iterator[Statement]:
    """What a program does to some variables."""
    for statement in program:
        match statement:
            case Assign(place) if place.variable in wanted:
                yield statement
            case If(condition, yes, no):
                left, right = tuple(sliced(yes, wanted)), tuple(sliced(no, wanted))
                if left or right:
                    yield If(condition, left, right)


def read(x: e.Expr) -> Iterator[Variable]:
    return (part.variable for part in x.walk() if isinstance(part, e.Get))
