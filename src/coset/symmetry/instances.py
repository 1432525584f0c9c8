"""Which processes there are once all of them have been started, and from when on that is so.

Symmetry permutes processes, so it must know them.  Most models start all of their processes first: as `active`, or by an
`init` that runs one after the other, perhaps in a loop.  `settle` follows the process that starts others until it will
start none any more; the state reached then is the *settled* state, and every process is in it.

States before that are few, and are left alone.  What is needed of them: whatever happens between the starts can as
well happen after the last one, so that all later states are reachable from the settled one.  That is so if
nothing can come between (`atomic`), or if every starting step is a *left mover* (R. J. Lipton, "Reduction: a method of
proving properties of parallel programs", CACM 18, 1975): a step a of another process and then a starting step b lead
where b and then a lead.  For this

* b reads and writes nothing that others write or read, nor do the initial values of the process that it starts;
* whatever else the starter might do where it stands is of the same kind, so that a cannot open another way for it;
* no expression depends on which processes exist, which one moved last, or on priorities, and no process ends in between;
* b makes no process ready for a handshake whose absence a notices (`model/visibility`).

`timeout` is no witness: as long as there is a starting step, something can happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis import Aspect
from coset.model.analysis.accesses import objects
from coset.model.analysis.facts import gather
from coset.model.analysis.occurrences import (
    assigned,
    edge_expressions,
    initial_expressions,
    places,
    process_expressions,
    property_expressions,
)
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.source.text import Span

MOST_STARTS = 100_000
"""Moves after which a process that still starts others is taken to do so for ever."""

MOST_STATES = 64
"""Different beginnings that are told apart."""

CENSUS = (e.ProcessCount, e.Remote, e.AtLocation, e.Enabled, e.Position, e.PriorityOf, e.Started)
"""Expressions that may tell whether a process exists."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The settled states (several if choices were made before), the locations that each process may visit from then
    on, and who started the others."""

    states: tuple[State, ...]
    locations: tuple[frozenset[int], ...]
    starter: int | None = None

    @property
    def state(self) -> State:
        """One of the states; all have the same processes and channels."""
        return self.states[0]

    def includes(self, state: State) -> bool:
        """Whether all processes have been started in a state (some may have died since)."""
        if self.starter is None or self.starter >= len(state.processes):
            return True  # nobody starts others, or whoever did is no more
        return state.processes[self.starter].at in self.locations[self.starter]


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Why there is no state from which on the processes are known."""

    why: str
    span: Span | None = None


def settle(interpreter: Interpreter, *, closed: bool = False) -> Settled | Unsettled:
    """Follow the starts to the states in which all processes are there.  With `closed` as if nothing could come
    between the starts, which only tells what the model would be like then."""
    return Starting(interpreter, closed).settle()


class Starting:
    """Makes the moves of the process that starts others, and remembers those that others may have seen."""

    def __init__(self, interpreter: Interpreter, closed: bool = False) -> None:
        self.interpreter, self.model, self.closed = interpreter, interpreter.model, closed
        self.before_starts = [spots_before_starts(kind) for kind in self.model.kinds]
        self.starter: int | None = None
        self.found: dict[State, None] = {}
        self.open_moves: dict[int, tuple[int, m.Edge]] = {}
        """The steps that are possible, for the starter alone, where others may come before, by identity."""

    def settle(self) -> Settled | Unsettled:
        pending: list[tuple[State, int | None, bool]] = [(self.interpreter.initial(), None, False)]
        for _ in range(MOST_STARTS):
            if not pending:
                break
            problem = self.follow(*pending.pop(), pending)
            if problem is not None:
                return problem
            if len(self.found) > MOST_STATES or len(pending) > MOST_STATES:
                return Unsettled("there are too many ways to begin")
        else:
            return Unsettled("a process never stops starting others")
        return self.settled(tuple(self.found))

    def follow(
        self, state: State, holder: int | None, is_open: bool, pending: list[tuple[State, int | None, bool]]
    ) -> Unsettled | None:
        """One more move of the starter; `is_open` if others may have moved before."""
        starting = [n for n, process in enumerate(state.processes) if process.at in self.before_starts[process.kind]]
        if not starting:
            self.found[state] = None
            return None
        where = first_start(self.model, state, starting)
        if len(starting) > 1 or self.starter not in (None, starting[0]):
            return Unsettled("several processes start others", where)
        self.starter = starting[0]
        is_open = is_open or (holder is None and len(state.processes) > 1)
        moves = list(self.interpreter.moves_of(state, self.starter, timeout=False))
        if not moves or any(move.errors for move in moves):
            return Unsettled("processes are started while the system runs, and not all at its beginning", where)
        if is_open:
            process = state.processes[self.starter]
            found = edges_from(self.model.kinds[process.kind], process.at)
            self.open_moves |= {id(edge): (number, edge) for number, edge in found}
        for move in moves:
            pending.append((move.state, move.holder, is_open))
        return None

    def settled(self, states: tuple[State, ...]) -> Settled | Unsettled:
        first = states[0]
        if any([p.kind for p in s.processes] != [p.kind for p in first.processes] for s in states):
            return Unsettled("which processes there are is a matter of choice")
        if any([c.type for c in s.channels] != [c.type for c in first.channels] for s in states):
            return Unsettled("which channels there are is a matter of choice")
        locations = tuple(
            frozenset[int]().union(
                *(self.model.kinds[s.processes[n].kind].reachable(s.processes[n].at) for s in states)
            )
            for n in range(len(first.processes))
        )
        settled = Settled(states, locations, self.starter)
        return (self.open_moves and not self.closed and self.seen_by_others(settled)) or settled

    def seen_by_others(self, settled: Settled) -> Unsettled | None:
        """Whether it may matter that others move before the last process has been started, and why."""
        model = self.model
        if model.prioritised or model.remembers_mover:
            return Unsettled("others may move before all processes have been started, and priorities or '_last' tell")
        for whole in (*process_expressions(model), *property_expressions(model)):
            for x in whole.walk():
                if isinstance(x, CENSUS):
                    return Unsettled(
                        f"'{x}' may tell which processes have been started, and it can be asked before all are"
                    )
        constant = frozenset(model.variables) - assigned(model)
        for _, edge in self.open_moves.values():
            if not is_private(edge, constant):
                return Unsettled("processes are started by steps whose effects others may see", edge.span)
            for kind in started_by(edge, model):
                if not all(is_own(x, constant) for x in initial_expressions(kind.variables)):
                    return Unsettled(f"{kind.name} begins with values that others may change before", kind.span)
        assert self.starter is not None
        beginner = model.kinds[settled.state.processes[self.starter].kind]
        if beginner.provided != e.TRUE:
            return Unsettled(f"{beginner.name} is not always allowed to start processes", beginner.span)
        refused = self.noticed_handshake(beginner)
        if refused is not None:
            return Unsettled(
                "processes start one by one, and others may observe which are not yet ready for a handshake",
                refused.span,
            )
        for number, process in enumerate(settled.state.processes):
            kind = model.kinds[process.kind]
            spots = kind.reachable(kind.start)
            if number != self.starter and any(edge.target == m.GONE for n in spots for edge in kind.locations[n].edges):
                return Unsettled(f"{kind.name} may end before all processes have been started", kind.span)
        return None

    def noticed_handshake(self, beginner: m.Kind) -> m.Edge | None:
        """A send that notices whether it finds a partner, where a starting step makes a process ready: the one that it
        starts, or the starter itself."""
        accesses = gather(self.model).accesses
        ready = {
            origin
            for number, edge in self.open_moves.values()
            for access in accesses.edge(beginner, number, edge, None, arrives=True)
            if access.aspect is Aspect.READY
            for origin in objects(access.subject)
        }
        for kind in self.model.kinds if ready else ():
            for number, edge in kind.edges():
                for access in accesses.edge(kind, number, edge, None, arrives=True):
                    if access.aspect is Aspect.NOTICE and not ready.isdisjoint(objects(access.subject)):
                        return edge
        return None


def edges_from(kind: m.Kind, at: int) -> Iterator[tuple[int, m.Edge]]:
    """Every edge by which a process may go on from a location, and those that it would take in the same step."""
    seen, pending = {at}, [at]
    while pending:
        number = pending.pop()
        for edge in kind.locations[number].edges:
            if edge.guard == e.FALSE:
                continue
            yield number, edge
            if edge.target != m.GONE and kind.locations[edge.target].transient and edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)


def started_by(edge: m.Edge, model: m.Model) -> Iterator[m.Kind]:
    return (model.kind(effect.kind) for effect in edge.effects if isinstance(effect, m.Run))


def is_private(edge: m.Edge, constant: frozenset[m.Variable]) -> bool:
    """Whether a step of the process that starts others is independent of all other processes.  So is `else`, if the
    other options at its location are."""
    for effect in edge.effects:
        if not isinstance(effect, m.Assign | m.Run | m.Print | m.Assert | m.Exit):
            return False
        if any(place.variable is not None and place.variable.owner is None for place in places(effect)):
            return False
    guard = e.TRUE if isinstance(edge.guard, e.Otherwise) else edge.guard
    return all(is_own(x, constant) for x in edge_expressions(replace(edge, guard=guard)))


def is_own(x: e.Expr, constant: frozenset[m.Variable]) -> bool:
    """Whether no other process can change the value of an expression.  What it reads of global variables are such as always
    keep their values: channels, as a rule."""
    return all(
        isinstance(part, e.Const | e.Self | e.Unary | e.Binary | e.Conditional)
        or (isinstance(part, e.Get) and (part.variable.owner is not None or part.variable in constant))
        for part in x.walk()
    )


def spots_before_starts(kind: m.Kind) -> frozenset[int]:
    """The locations from which a step that starts a process may be reached."""
    found = {number for number, edge in kind.edges() if any(isinstance(effect, m.Run) for effect in edge.effects)}
    while more := {n for n, edge in kind.edges() if edge.target in found} - found:
        found |= more
    return frozenset(found)


def first_start(model: m.Model, state: State, starting: Iterable[int]) -> Span | None:
    """Where one of these processes starts another."""
    for number in starting:
        for _, edge in model.kinds[state.processes[number].kind].edges():
            if any(isinstance(effect, m.Run) for effect in edge.effects):
                return edge.span
    return None
