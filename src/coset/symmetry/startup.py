"""The processes of a model, and the states in which all of them have been started.

Symmetry permutes processes, so the set of processes must be known.  Most models first start all of their processes: as
`active`, or by an `init` that runs one after the other, perhaps in a loop.  `startup` follows the process that starts the
others until it cannot start any more; the state reached then is a *started* state, which contains every process.

States before that are few, and are not reduced.  The reduction requires that whatever happens between two starts can also
happen after the last one, so that all later states are reachable from the started states.  This holds if no other process
can move in between (`atomic`), or if every starting step is a *left mover* (R. J. Lipton, "Reduction: a method of proving
properties of parallel programs", CACM 18, 1975): a step a of another process followed by a starting step b leads to the same
state as b followed by a.  For this

* b reads and writes nothing that others write or read, nor do the initial values of the process that it starts;
* all other steps of the starter at its location satisfy the same condition, so that a cannot enable another one;
* no expression depends on which processes exist, which one moved last, or on priorities, and no process ends in between;
* b makes no process ready for a handshake whose absence a can observe (`model/analysis`).

`timeout` cannot tell the difference: it is false as long as a starting step is enabled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property

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
from coset.model.state import State, offsets
from coset.source.records import dataclass
from coset.source.text import Span

MOST_STARTS = 100_000
"""The most moves of the process that starts others; beyond this it is assumed to start processes forever."""

MANY_MOVES = 1000
"""After so many moves it is asked whether others may observe them, which otherwise waits for the last one."""

MOST_VALUES = 10_000_000
"""The most values in the states of these moves together: one second."""

MOST_STATES = 64
"""The most started states that are distinguished."""

MANY_WAYS = f"choices lead to more than {MOST_STATES} states in which all processes have been started"

VISIBLE_START = "processes are started by steps whose effects others may see"

CENSUS = (e.ProcessCount, e.Remote, e.AtLocation, e.Enabled, e.Position, e.PriorityOf, e.Started)
"""Expressions whose value may depend on which processes exist."""


@dataclass(frozen=True, slots=True)
class StartedStates:
    """The started states (several if there were choices before), the locations that each process may visit from then on, and
    the process that started the others."""

    states: tuple[State, ...]
    locations: tuple[frozenset[int], ...]
    starter: int | None = None
    free: frozenset[m.Variable] = frozenset()
    """Variables whose values in these states a symmetry may change (`dead_starts`, `free_starts`)."""

    @property
    def state(self) -> State:
        """One of the states; all have the same processes and channels."""
        return self.states[0]

    def includes(self, state: State) -> bool:
        """Whether all processes have been started in a state (some may have terminated since)."""
        if self.starter is None or self.starter >= len(state.processes):
            return True  # no process starts others, or the one that did has terminated
        return state.processes[self.starter].at in self.locations[self.starter]

    def is_kept_by(self, model: m.Model, action: Callable[[State], State]) -> bool:
        """Whether a symmetry maps the started states to each other, values that it may change apart."""
        return {self.fixed(model, action(state)) for state in self.states} == {
            self.fixed(model, state) for state in self.states
        }

    def fixed(self, model: m.Model, state: State) -> State:
        """The state without values that a symmetry may change."""
        if not self.free:
            return state
        processes = (
            p._replace(values=self.fixed_values(model.kinds[p.kind].variables, p.values)) for p in state.processes
        )
        return state._replace(values=self.fixed_values(model.variables, state.values), processes=tuple(processes))

    def fixed_values(self, variables: tuple[m.Variable, ...], values: tuple[int, ...]) -> tuple[int, ...]:
        kept = list(values)
        for variable, start in offsets(variables).items():
            if variable in self.free:
                kept[start : start + variable.size] = [0] * variable.size
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class UnknownProcesses:
    """Why the set of processes is unknown."""

    why: str
    span: Span | None = None


def startup(
    interpreter: Interpreter, *, closed: bool = False, staying: bool = False
) -> StartedStates | UnknownProcesses:
    """Follow the starts to the states in which all processes exist.  With `closed`, assume that no other process moves between
    the starts; with `staying`, that none of them ends."""
    return StartupSearch(interpreter, closed, staying).result()


Followed = tuple[list[object], tuple[State, ...] | UnknownProcesses, int | None, dict[int, tuple[int, m.Edge]]]
RECENT: dict[tuple[bool | int, ...], Followed] = {}
"""Results of searches by the identity of the parts of their models, which are kept alive here."""
MOST_RECENT = 16


class StartupSearch:
    """Makes the moves of the process that starts others, and collects those between which others may move."""

    def __init__(self, interpreter: Interpreter, closed: bool = False, staying: bool = False) -> None:
        self.interpreter, self.model, self.closed, self.staying = interpreter, interpreter.model, closed, staying
        self.before_starts = [spots_before_starts(kind) for kind in self.model.kinds]
        self.starter: int | None = None
        self.found: dict[State, None] = {}
        self.open_moves: dict[int, tuple[int, m.Edge]] = {}
        """The edges of the starter before which other processes may move, by identity."""

    @cached_property
    def constant(self) -> frozenset[m.Variable]:
        """The global variables that are never assigned."""
        return frozenset(self.model.variables) - assigned(self.model)

    def result(self) -> StartedStates | UnknownProcesses:
        """The result of the search, which is remembered: a check asks about models that differ only in their properties."""
        parts = [
            getattr(self.model, each.name) for each in fields(self.model) if each.name not in ("name", "properties")
        ]
        key = self.closed, *map(id, parts)
        if key not in RECENT:
            while len(RECENT) >= MOST_RECENT:
                RECENT.pop(next(iter(RECENT)))
            RECENT[key] = parts, self.search(), self.starter, self.open_moves
        _, found, self.starter, self.open_moves = RECENT[key]
        return found if isinstance(found, UnknownProcesses) else self.checked(found)

    def search(self) -> tuple[State, ...] | UnknownProcesses:
        """The states in which all processes have been started, if it ends."""
        pending: list[tuple[State, int | None, bool]] = [(self.interpreter.initial(), None, False)]
        values = 0
        for moves in range(MOST_STARTS):
            if not pending:
                break
            if moves == MANY_MOVES and not self.closed and (edge := self.visible_start()) is not None:
                return UnknownProcesses(VISIBLE_START, edge.span)
            values += len(pending[-1][0].values)
            if values > MOST_VALUES:
                return UnknownProcesses("it takes too many moves in large states until all processes have been started")
            problem = self.follow(*pending.pop(), pending)
            if problem is not None:
                return problem
            if len(self.found) > MOST_STATES or len(pending) > MOST_STATES:
                return UnknownProcesses(MANY_WAYS)
        else:
            return UnknownProcesses("a process never stops starting others")
        return tuple(self.found)

    def follow(
        self, state: State, holder: int | None, is_open: bool, pending: list[tuple[State, int | None, bool]]
    ) -> UnknownProcesses | None:
        """Make the next moves of the starter; `is_open` if others may have moved before."""
        starting = [n for n, process in enumerate(state.processes) if process.at in self.before_starts[process.kind]]
        if not starting:
            self.found[state] = None
            return None
        if len(starting) > 1 or self.starter not in (None, starting[0]):
            return UnknownProcesses("several processes start others", first_start(self.model, state, starting))
        self.starter = starting[0]
        is_open = is_open or (holder is None and len(state.processes) > 1)
        moves = list(self.interpreter.moves_of(state, self.starter, timeout=False))
        if not moves or any(move.errors for move in moves):
            where = first_start(self.model, state, starting)
            return UnknownProcesses("processes are started while the system runs, and not all at its beginning", where)
        if is_open:
            process = state.processes[self.starter]
            found = edges_from(self.model.kinds[process.kind], process.at)
            for number, edge in found:
                self.open_moves[id(edge)] = number, edge
        for move in moves:
            pending.append((move.state, move.holder, is_open))
        return None

    def checked(self, states: tuple[State, ...]) -> StartedStates | UnknownProcesses:
        """The started states, unless they differ in their processes or others may see in which order these were started."""
        first = states[0]
        if any([p.kind for p in s.processes] != [p.kind for p in first.processes] for s in states):
            return UnknownProcesses("which processes there are is a matter of choice")
        if any([c.type for c in s.channels] != [c.type for c in first.channels] for s in states):
            return UnknownProcesses("which channels there are is a matter of choice")
        locations = tuple(
            frozenset[int]().union(
                *(self.model.kinds[s.processes[n].kind].reachable(s.processes[n].at) for s in states)
            )
            for n in range(len(first.processes))
        )
        started = StartedStates(states, locations, self.starter)
        return (self.open_moves and not self.closed and self.seen_by_others(started)) or started

    def visible_start(self) -> m.Edge | None:
        """A move before the last start that others may observe, or that depends on them."""
        edges = (edge for _, edge in self.open_moves.values())
        return next((edge for edge in edges if not is_private(edge, self.constant)), None)

    def seen_by_others(self, started: StartedStates) -> UnknownProcesses | None:
        """Why moves of others before the last start may make a difference; None if they cannot."""
        model = self.model
        if model.prioritised or model.remembers_mover:
            return UnknownProcesses(
                "others may move before all processes have been started, and priorities or '_last' tell"
            )
        assert self.starter is not None
        beginner = model.kinds[started.state.processes[self.starter].kind]
        for whole in (*process_expressions(before_last_start(model, beginner)), *property_expressions(model)):
            for x in whole.walk():
                if isinstance(x, CENSUS):
                    return UnknownProcesses(
                        f"'{x}' may tell which processes have been started, and it can be asked before all are"
                    )
        if (edge := self.visible_start()) is not None:
            return UnknownProcesses(VISIBLE_START, edge.span)
        for _, edge in self.open_moves.values():
            for kind in (model.kind(run.kind) for run in starts(edge)):
                if not all(is_own(x, self.constant) for x in initial_expressions(kind.variables)):
                    return UnknownProcesses(f"{kind.name} begins with values that others may change before", kind.span)
        if beginner.provided != e.TRUE:
            return UnknownProcesses(f"{beginner.name} is not always allowed to start processes", beginner.span)
        refused = noticed_handshake(model, [(beginner, number, edge) for number, edge in self.open_moves.values()])
        if refused is not None:
            return UnknownProcesses(
                "processes start one by one, and others may observe which are not yet ready for a handshake",
                refused.span,
            )
        for number, process in enumerate(() if self.staying else started.state.processes):
            kind = model.kinds[process.kind]
            spots = kind.reachable(kind.start)
            if number != self.starter and any(edge.target == m.GONE for n in spots for edge in kind.locations[n].edges):
                return UnknownProcesses(f"{kind.name} may end before all processes have been started", kind.span)
        return None


def before_last_start(model: m.Model, starter: m.Kind) -> m.Model:
    """The model without what the process that starts others does after the last start, if it is the only one of its kind."""
    others = (effect for kind in model.kinds for _, edge in kind.edges() for effect in edge.effects)
    runs = any(isinstance(effect, m.Run) and effect.kind == starter.name for effect in others)
    if runs or sum(each.kind == starter.name for each in model.processes) != 1:
        return model
    before = spots_before_starts(starter)
    locations = (
        location if number in before else replace(location, edges=())
        for number, location in enumerate(starter.locations)
    )
    shorter = replace(starter, locations=tuple(locations))
    return replace(model, kinds=tuple(shorter if kind is starter else kind for kind in model.kinds))


def noticed_handshake(model: m.Model, steps: Sequence[tuple[m.Kind, int, m.Edge]]) -> m.Edge | None:
    """A send that can observe whether one of some starting steps, from their locations, has made a process ready for a
    handshake: the started process, or the starter itself."""
    accesses = gather(model).accesses
    ready = {
        origin
        for kind, number, edge in steps
        for access in accesses.edge(kind, number, edge, None, arrives=True)
        if access.aspect is Aspect.READY
        for origin in objects(access.subject)
    }
    for kind in model.kinds if ready else ():
        for number, edge in kind.edges():
            for access in accesses.edge(kind, number, edge, None, arrives=True):
                if access.aspect is Aspect.NOTICE and not ready.isdisjoint(objects(access.subject)):
                    return edge
    return None


def edges_from(kind: m.Kind, at: int) -> Iterator[tuple[int, m.Edge]]:
    """Every edge by which a process may leave a location, and the edges that it takes in the same step."""
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


def starts(edge: m.Edge) -> list[m.Run]:
    """The starts of processes that a step makes."""
    return [effect for effect in edge.effects if isinstance(effect, m.Run)]


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
    """Whether no other process can change the value of an expression.  It may read global variables that never change, such as
    channels."""
    return all(
        isinstance(part, e.Const | e.Self | e.Unary | e.Binary | e.Conditional)
        or (isinstance(part, e.Get) and (part.variable.owner is not None or part.variable in constant))
        for part in x.walk()
    )


def spots_before_starts(kind: m.Kind) -> frozenset[int]:
    """The locations from which a step that starts a process may be reached."""
    found = {number for number, edge in kind.edges() if starts(edge)}
    while more := {n for n, edge in kind.edges() if edge.target in found} - found:
        found |= more
    return frozenset(found)


def first_start(model: m.Model, state: State, starting: Iterable[int]) -> Span | None:
    """Where one of these processes starts another."""
    for number in starting:
        for _, edge in model.kinds[state.processes[number].kind].edges():
            if starts(edge):
                return edge.span
    return None
