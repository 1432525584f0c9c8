"""Traces: runs that show an error, stored as choices.

A `Trace` stores no states, only which process took which edge.  `replay` executes the choices in the reference interpreter,
and refuses a trace that is not a run of the model or does not end in the stated error.  So the source of a trace (any engine,
on any quotient) need not be trusted.

    >>> from coset.tasks.load import parse_text
    >>> model = parse_text("byte x; active proctype P() { x = 1; assert(x == 2) }")
    >>> trace = shortest_safety_trace(model, "assertion")
    >>> print(trace)
    model.pml: assertion after 2 moves: 0.0 0.0
    >>> run = replay(model, trace)
    >>> run.message, run.changes[0]["x"]
    ('assert(x == 2) is violated', Change(old='0', new='1'))
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from coset.model.evaluate import Fault
from coset.model.implicit import implicit_properties
from coset.model.interpreter import ENDLESS, Interpreter, Move, is_fault
from coset.model.model import CtlProperty, Edge, LtlProperty, Model, Property
from coset.model.state import State, process_name
from coset.properties.ctl_evidence import linear
from coset.properties.formula import Not
from coset.properties.kinds import ERRORS, TRACES, WITNESS
from coset.results.changes import Changes
from coset.results.infinite import accepted, observed, violates
from coset.source.records import dataclass


class Choice(NamedTuple):
    """A process number and the index of its edge among those of its location; for a handshake also those of the receiver.

    >>> str(Choice(0, 1)), str(Choice(0, 1, (2, 0)))
    ('0.1', '0.1>2.0')
    """

    process: int
    edge: int
    partner: tuple[int, int] | None = None

    def __str__(self) -> str:
        own = f"{self.process}.{self.edge}"
        return own if self.partner is None else f"{own}>{self.partner[0]}.{self.partner[1]}"


@dataclass(frozen=True, slots=True)
class Trace:
    """A run of a model, and the error that it shows.

    `kind` is one of `TRACES`, and `property` the name of what is violated (or what holds, if the run is a witness).  In a lasso
    the moves from `loop_start` on are repeated forever; if there are none, the last state repeats.
    `digest` identifies the model, to detect later changes.
    """

    model: str
    property: str
    kind: str
    moves: tuple[Choice, ...]
    loop_start: int | None = None
    digest: str | None = None

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        words = [str(choice) for choice in self.moves]
        if self.loop_start is not None:
            words.insert(self.loop_start, "|")
        number = len(self)
        head = f"{self.model}: {self.kind} after {number} move{'s' * (number != 1)}"
        return f"{head}: {' '.join(words)}" if words else head


class ReplayError(Exception):
    """A trace is not a run of the model, or does not show the stated error.  `step` is the number of the wrong move, counted
    from 1; one more than the number of moves if only the end is wrong."""

    def __init__(self, step: int, reason: str) -> None:
        super().__init__(f"move {step}: {reason}")
        self.step = step
        self.reason = reason


@dataclass(frozen=True)
class Run:
    """An executed trace: `moves[k]` leads from `states[k]` to `states[k + 1]`, and `changes[k]` has what it changed, by name.
    `holders[k]` is the process that holds control in `states[k]`, which is then not observable.  `message` says how the run
    ends; `shows_violation` whether the run alone violates the property."""

    interpreter: Interpreter
    trace: Trace
    states: tuple[State, ...]
    holders: tuple[int | None, ...]
    moves: tuple[Move, ...]
    message: str
    shows_violation: bool = True

    @property
    def model(self) -> Model:
        return self.interpreter.model

    @property
    def last(self) -> State:
        return self.states[-1]

    @cached_property
    def changes(self) -> Changes:
        return Changes(self.interpreter, self.states)


def digest(model: Model) -> str:
    """A hash of the model's printed form: it depends on macros, but not on comments."""
    return hashlib.sha256(str(model).encode()).hexdigest()[:16]


# --- making traces -------------------------------------------------------------------------------


def from_moves(
    model: Model, moves: Sequence[Move], kind: str, property: str | None = None, loop_start: int | None = None
) -> Trace:
    """The trace of moves that the interpreter made from the initial state."""
    state = Interpreter(model).initial()
    choices: list[Choice] = []
    for move in moves:
        partner = None if move.partner is None else (move.partner[0], place(model, state, *move.partner))
        choices.append(Choice(move.process, place(model, state, move.process, move.edge), partner))
        state = move.state
    return Trace(model.name, property or kind, kind, tuple(choices), loop_start, digest(model))


def place(model: Model, state: State, pid: int, edge: Edge) -> int:
    """The index of an edge at the location of the process.  Edges are compared by identity, as copies are equal."""
    process = state.processes[pid]
    edges = model.kinds[process.kind].locations[process.at].edges
    return next(number for number, other in enumerate(edges) if other is edge)


def shortest_safety_trace(model: Model, want: str) -> Trace | None:
    """The shortest run, in moves, that shows an error of the kind `want` (one of `ERRORS`); None if there is none.

    A breadth-first search in the interpreter, with one node per state and holder of control.  It is the reference for every
    engine, and therefore as simple as possible.
    """
    if want not in ERRORS:
        raise ValueError(f"'{want}' is not one of {', '.join(ERRORS)}")
    interpreter = Interpreter(model)
    start = (interpreter.initial(), None)
    parents: dict[tuple[State, int | None], tuple[tuple[State, int | None], Move] | None] = {
        (interpreter.key(start[0]), None): None
    }

    def path(state: State, holder: int | None, *last: Move) -> Trace:
        moves = list(last)
        link = parents[interpreter.key(state), holder]
        while link is not None:
            (state, holder), move = link
            moves.append(move)
            link = parents[interpreter.key(state), holder]
        return from_moves(model, moves[::-1], want)

    held: dict[Node, list[tuple[Node, Move]]] = {}
    queue: deque[tuple[State, int | None]] = deque([start])
    while queue:
        state, holder = queue.popleft()
        try:
            found = options(interpreter, state, holder)
        except Fault:
            if want == "fault":
                return path(state, holder)
            continue
        if want == "deadlock" and interpreter.is_idle(state, found) and stuck(interpreter, state):
            return path(state, holder)
        owner = in_control(interpreter, state, holder) if want == "fault" else None
        for move in found:
            if shows(move, want):
                return path(state, holder, move)
            key = (interpreter.key(move.state), move.holder)
            if is_fault(move):
                continue
            if owner is not None and move.holder is not None:
                held.setdefault((interpreter.key(state), owner), []).append((key, move))
            if key not in parents:
                parents[key] = ((state, holder), move)
                queue.append((move.state, move.holder))
    loop = first_loop(held) if want == "fault" else []
    return path(loop[-1].state, loop[-1].holder, *reversed(loop)) if loop else None


Node = tuple[State, int | None]


def first_loop(held: Mapping[Node, list[tuple[Node, Move]]]) -> list[Move]:
    """The moves of an atomic sequence from a state back to it; none if every sequence ends."""
    finished: set[Node] = set()
    for start in held:
        way: dict[Node, int] = {}  # the nodes on the path, with their positions
        moves: list[Move] = []
        stack = [(start, iter(held[start]))]
        while stack:
            node, following = stack[-1]
            way[node] = len(stack) - 1
            target, move = next(following, (None, None))
            if target is None or move is None:
                stack.pop()
                finished.add(node)
                del way[node]
                moves[-1:] = []
            elif target in way:
                return [*moves[way[target] :], move]
            elif target not in finished and target not in way:
                moves.append(move)
                stack.append((target, iter(held.get(target, ()))))
    return []


# --- replay --------------------------------------------------------------------------------------


def options(interpreter: Interpreter, state: State, holder: int | None) -> list[Move]:
    """The possible moves: those of the process that holds control; others only if it is blocked."""
    found = list(interpreter.moves(state, holder))
    return found if found or holder is None else list(interpreter.moves(state))


def in_control(interpreter: Interpreter, state: State, holder: int | None) -> int | None:
    """The holder of control, or None if it is blocked, as then all processes may move."""
    return holder if holder is not None and any(True for _ in interpreter.moves(state, holder)) else None


def shows(move: Move, kind: str) -> bool:
    """Whether a move is an error of this kind."""
    return is_fault(move) if kind == "fault" else any(each == kind for each, _ in move.errors)


def stuck(interpreter: Interpreter, state: State) -> bool:
    """Whether a state in which nothing can happen is a deadlock."""
    return not interpreter.valid_end(state)


LAST: dict[str, tuple[Model, Trace, Run]] = {}
"""The last run: a counterexample is confirmed where it is found, and then shown."""


def replay(model: Model, trace: Trace) -> Run:
    """Execute a trace and verify that it shows the stated error; raises `ReplayError` otherwise."""
    last = LAST.get("run")
    if last is not None and last[0] is model and last[1] is trace:
        return last[2]
    run = executed(model, trace)
    remember(model, run)
    return run


def executed(model: Model, trace: Trace) -> Run:
    interpreter = Interpreter(model)
    states: list[State] = [interpreter.initial()]
    holders: list[int | None] = [None]
    moves: list[Move] = []
    for step, choice in enumerate(trace.moves, 1):
        if moves and is_fault(moves[-1]):
            raise ReplayError(step, f"the run ended before: {moves[-1].errors[-1][1]}")
        move = chosen(interpreter, states[-1], holders[-1], choice, step)
        if trace.kind == "fault" and step == len(trace) and is_repeated(interpreter, move, states, holders):
            move = move._replace(holder=None, errors=(*move.errors, ENDLESS))
        moves.append(move)
        states.append(move.state)
        holders.append(move.holder)
    return run_of(interpreter, trace, moves)


def run_of(interpreter: Interpreter, trace: Trace, moves: Sequence[Move]) -> Run:
    """The run of a trace by the moves that the interpreter made for it; raises `ReplayError` if it does not show the error."""
    states = [interpreter.initial(), *(move.state for move in moves)]
    holders = [None, *(move.holder for move in moves)]
    message, violates_it = confirm(interpreter, trace, states, holders, moves)
    return Run(interpreter, trace, tuple(states), tuple(holders), tuple(moves), message, violates_it)


def remember(model: Model, run: Run) -> None:
    """The run of a trace is known: `replay` need not execute it again."""
    LAST["run"] = (model, run.trace, run)


def is_repeated(interpreter: Interpreter, move: Move, states: Sequence[State], holders: Sequence[int | None]) -> bool:
    """Whether a move of an atomic sequence leads back to a state of the same sequence, which can then repeat forever."""
    backwards = zip(reversed(states), reversed(holders))
    sequence = takewhile(lambda each: in_control(interpreter, *each) is not None, backwards)
    return move.holder is not None and (move.state, move.holder) in sequence


def chosen(interpreter: Interpreter, state: State, holder: int | None, choice: Choice, step: int) -> Move:
    """The move that a choice denotes in a state."""
    model = interpreter.model
    wanted: list[tuple[int, Edge]] = []
    for pid, number in [(choice.process, choice.edge), *([choice.partner] if choice.partner else [])]:
        if not 0 <= pid < len(state.processes):
            raise ReplayError(step, f"there is no process {pid}")
        process = state.processes[pid]
        edges = model.kinds[process.kind].locations[process.at].edges
        if not 0 <= number < len(edges):
            raise ReplayError(step, f"{process_name(model, pid, process)} has no edge {number} where it stands")
        wanted.append((pid, edges[number]))
    if holder in (None, choice.process) and not any(interpreter.provided):
        # What other processes can do has no influence on a process that moves without a timeout.
        found = list(interpreter.moves(state, choice.process))
        move = matching(found, wanted)
        if move is not None:
            return move
    try:
        found = options(interpreter, state, holder)
    except Fault as fault:
        raise ReplayError(step, f"the run ended before: {fault.message}") from None
    move = matching(found, wanted)
    if move is not None:
        return move
    names = " with ".join(f"{process_name(model, pid, state.processes[pid])} `{edge.text}`" for pid, edge in wanted)
    if holder is not None and holder != choice.process and any(move.process == holder for move in found):
        owner = process_name(model, holder, state.processes[holder])
        raise ReplayError(step, f"{names} cannot move while {owner} keeps control")
    raise ReplayError(step, f"{names} cannot be executed")


def matching(moves: Sequence[Move], wanted: Sequence[tuple[int, Edge]]) -> Move | None:
    """The move of these processes by these edges."""
    for move in moves:
        taken = [(move.process, move.edge), *([move.partner] if move.partner else [])]
        if len(taken) == len(wanted) and all(p == q and a is b for (p, a), (q, b) in zip(taken, wanted)):
            return move
    return None


def confirm(
    interpreter: Interpreter,
    trace: Trace,
    states: Sequence[State],
    holders: Sequence[int | None],
    moves: Sequence[Move],
) -> tuple[str, bool]:
    """A message on how the run ends, and whether the run alone violates the property; raises `ReplayError` if this does not
    agree with the trace."""
    end = len(moves) + 1
    try:
        possible = options(interpreter, states[-1], holders[-1])
        able = bool(possible) and not (moves and is_fault(moves[-1]))
    except Fault as fault:
        if trace.kind == "fault":
            return fault.message, True
        raise ReplayError(end, f"the run ends with a fault: {fault.message}") from None
    if trace.kind in ERRORS and trace.kind != "deadlock":
        if not moves or not shows(moves[-1], trace.kind):
            raise ReplayError(end, f"the last move shows no error of the kind '{trace.kind}'")
        errors = moves[-1].errors
        shown = errors[-1][1] if trace.kind == "fault" else next(text for kind, text in errors if kind == trace.kind)
        return shown, True
    if trace.kind == "deadlock":
        if able and not interpreter.is_idle(states[-1], possible):
            raise ReplayError(end, "the run is not at its end: something can still happen")
        if not stuck(interpreter, states[-1]):
            raise ReplayError(end, "the run stops at a valid end")
        return "invalid end state", True
    if trace.kind == "run":
        return "the run goes on" if able else "nothing more can happen", False
    if trace.kind not in TRACES:
        raise ReplayError(end, f"no replay is defined for an error of the kind '{trace.kind}'")
    if trace.kind in ("ctl", WITNESS):  # in CTL, a state whose only moves are faults is an end
        able = able and not all(map(is_fault, options(interpreter, states[-1], holders[-1])))
    cycle = closed(interpreter, trace, states, holders, able)
    found = property_named(interpreter.model, trace.property)
    if found is None:
        return f"{cycle} (the model has no property '{trace.property}': whether it is violated was not checked)", False
    path = observed(interpreter, states, holders, trace.loop_start)
    if trace.kind == WITNESS:
        if not isinstance(found, CtlProperty):
            raise ReplayError(end, f"{found.name} is not about some run, so no run is a witness of it")
        if not violates(interpreter, path, linear(Not(found.formula))):
            return f"{cycle}: no single run can show that {found.name} holds", False
        return f"{cycle}: {found.name} holds", True
    if isinstance(found, CtlProperty):
        if not violates(interpreter, path, linear(found.formula)):
            return f"{cycle}: no single run can show that {found.name} is violated", False
    elif isinstance(found, LtlProperty):
        if not violates(interpreter, path, found.formula):
            raise ReplayError(end, f"the run does not violate {found.name}")
    elif accepted(interpreter, path, found) is None:
        raise ReplayError(end, f"the claim {found.name} does not accept the run")
    return f"{cycle}: {found.name} is violated", True


def property_named(model: Model, name: str) -> Property | None:
    known = (*model.properties, *implicit_properties(model))
    return next((each for each in known if each.name == name), None)


def closed(
    interpreter: Interpreter, trace: Trace, states: Sequence[State], holders: Sequence[int | None], able: bool
) -> str:
    """A message on how a run repeats forever."""
    start, number = trace.loop_start, len(trace)
    end = number + 1
    if start is None:
        return "whatever comes next"
    if not 0 <= start <= number:
        raise ReplayError(end, f"there is no move {start + 1} for the cycle to begin at")
    if start == number and able:
        raise ReplayError(end, "the run is not at its end: it cannot stay there forever")
    first, last = ((interpreter.key(states[k]), in_control(interpreter, states[k], holders[k])) for k in (start, -1))
    if first != last:
        raise ReplayError(end, f"the cycle does not close: the state after move {start} is not the last one")
    if start == number:
        return "the run stops"
    return f"moves {start + 1} to {number} repeat forever" if start + 1 < number else f"move {number} repeats forever"
