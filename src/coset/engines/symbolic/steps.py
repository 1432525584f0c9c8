"""The steps of a sequential model, each program executed on all states at once.

A step goes on while a process holds control: the summands that may follow are executed on what was written so far, so
that every path through an atomic sequence becomes one step, and states in the middle of it need no place in a diagram.
What goes wrong on the way is put down to the states in which the step begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import product

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.evaluation import Evaluation, Store, Values, narrowed
from coset.model import expression as e
from coset.model.model import Variable
from coset.model.sequential import Assign, If, Statement, Summand
from coset.model.sequential.interpreter import first_test
from coset.source.records import dataclass

MOST_PATHS = 50_000
"""Through atomic sequences, that are followed."""
LONGEST = 2_000
"""Moves of one step."""
Chosen = dict[Variable, int]
Way = tuple[Evaluation, Diagram]
"""What was written in a step so far, and in which states."""


class TooManyPaths(Exception):
    """Atomic sequences with too many ways through them, or without an end; the message says so."""


@dataclass(frozen=True, slots=True)
class SymbolicStep:
    """Where the step may be taken, and the relation between the states before and after it, in which only the elements
    that it has `written` occur after it.  `event` is the first one of the path, `movers` are the processes that take part,
    the one that begins first."""

    event: str
    guard: Diagram
    relation: Diagram
    written: frozenset[int]
    read: frozenset[int]
    movers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Flaw:
    """States from which something goes wrong: an "assertion" is violated, or a "fault" is met; "message" is one that
    may be a fault."""

    kind: str
    states: Diagram


@dataclass(frozen=True, slots=True)
class Overflow:
    """States from which an element gets a value that the encoding does not know."""

    element: int
    value: int
    states: Diagram


@dataclass(slots=True)
class Steps:
    """`enabled` are the states in which each of the summands can be taken, be it to a fault."""

    enabled: list[Diagram] = field(default_factory=list)
    taken: list[SymbolicStep] = field(default_factory=list)
    flaws: list[Flaw] = field(default_factory=list)
    overflows: list[Overflow] = field(default_factory=list)


def symbolic_steps(encoding: Encoding, first: Sequence[Summand] | None = None) -> Steps:
    """All steps between states that can be observed, or those that begin with one of some summands."""
    return Execution(encoding, first).run()


@dataclass(frozen=True, slots=True)
class Position:
    """In the middle of a step: what was written, for the states from which it came so far."""

    event: str
    holder: int
    store: Store
    under: Diagram
    moves: int
    read: frozenset[int] = frozenset()
    movers: tuple[int, ...] = ()


class Execution:
    def __init__(self, encoding: Encoding, first: Sequence[Summand] | None = None) -> None:
        self.encoding, self.diagrams, self.model = encoding, encoding.diagrams, encoding.model
        self.place = {element: position for position, element in enumerate(encoding.order)}
        control = self.model.control
        self.control = None if control is None else encoding.first[control]
        self.holders = [(each, holders(each.guard, control)) for each in self.model.summands]
        self.following: dict[int, list[Summand]] = {}
        self.result = Steps()
        if first is not None:
            begin = set(map(id, first))
            self.following[0] = [each for each in self.candidates(0) if id(each) in begin]

    def run(self) -> Steps:
        pending = [Position("", 0, {}, self.diagrams.true, 0)]
        paths = 0
        while pending:
            position = pending.pop()
            for summand in self.candidates(position.holder):
                for chosen in choices(summand):
                    pending += self.move(position, summand, chosen)
                self.diagrams.rest()
            paths += 1
            if paths > MOST_PATHS:
                raise TooManyPaths(f"atomic sequences with more than {MOST_PATHS} ways through them")
        return self.result

    def candidates(self, holder: int) -> Sequence[Summand]:
        """The summands that may be taken when a process holds control."""
        if holder not in self.following:
            allowed = ((each, holders) for each, holders in self.holders if holders is None or holder in holders)
            self.following[holder] = [each for each, _ in allowed]
        return self.following[holder]

    def move(self, position: Position, summand: Summand, chosen: Chosen) -> Iterator[Position]:
        """Execute a summand; what is yielded goes on."""
        if self.is_elsewhere(position, summand):
            return
        evaluation = Evaluation(self.encoding, chosen, dict(position.store))
        evaluation.read |= position.read
        guard, not_guard = evaluation.holds(summand.guard, position.under)
        self.flaw("fault", position.under & ~(guard | not_guard))
        if position.moves == 0:
            self.result.enabled.append(position.under & ~not_guard)
        if not guard.satisfiable():
            return
        if summand.error is not None:
            kind = "fault" if summand.error == "channel" else summand.error
            self.flaw(kind, guard)
            return
        ways = self.execute(summand.program, (evaluation, guard))
        self.flaw("fault", guard & ~self.diagrams.union(done for _, done in ways))
        event, movers = position.event or summand.event, position.movers + summand.movers
        for way, done in ways:
            control: Values = {0: done} if self.control is None else way.element(self.control, done)
            for holder, where in control.items():
                if holder == 0:
                    self.finish(event, movers, way, where)
                elif position.moves >= LONGEST:
                    raise TooManyPaths("an atomic sequence that does not end")
                else:
                    yield Position(event, holder, way.store, where, position.moves + 1, frozenset(way.read), movers)

    def is_elsewhere(self, position: Position, summand: Summand) -> bool:
        """Whether a summand asks first for a value (where a process stands, as a rule) that was not written."""
        test = first_test(summand.guard)
        values = None if test is None else position.store.get(self.encoding.first.get(test[0], -1))
        return test is not None and values is not None and test[1] not in values

    def flaw(self, kind: str, states: Diagram) -> None:
        if states.satisfiable():
            self.result.flaws.append(Flaw(kind, states))

    def finish(self, event: str, movers: tuple[int, ...], evaluation: Evaluation, where: Diagram) -> None:
        """The relation of a step that ends here."""
        store = evaluation.store
        written = sorted((k for k in store if k != self.control), key=lambda k: -self.place[k])
        relation = where
        for element in written:
            known: list[Diagram] = []
            for value, states in store[element].items():
                there = states & where
                if not there.satisfiable():
                    continue
                if value in self.encoding.codes[element]:
                    known.append(there & self.encoding.literal(element, value, after=True))
                else:
                    self.result.overflows.append(Overflow(element, value, there))
            relation = self.diagrams.union(known) & relation
        if relation.satisfiable():
            read = frozenset(evaluation.read) - {self.control}
            self.result.taken.append(SymbolicStep(event, where, relation, frozenset(written), read, movers))

    # --- programs --------------------------------------------------------------------------------

    def execute(self, program: Sequence[Statement], start: Way) -> list[Way]:
        """Execute a program on states.  There are several ways if elements of an array are written: one for each element,
        which writes nothing else.  The sets of the ways are disjoint; states are in none in which something went wrong."""
        ways = [start]
        for statement in program:
            self.diagrams.rest()
            if isinstance(statement, Assign):
                ways = [after for way in ways for after in self.assign(statement, *way)]
            else:
                ways = [self.branch(statement, *way) for way in ways]
        return [way for way in ways if way[1].satisfiable()]

    def assign(self, assign: Assign, evaluation: Evaluation, under: Diagram) -> Iterator[Way]:
        variable = assign.place.variable
        assert variable is not None
        values = evaluation.mapped(evaluation.values(assign.value, under), variable.domain.fit)
        valued = self.diagrams.union(values.values())
        places = evaluation.places(variable, assign.place.indices, under)
        for element, where in places.items():
            way = evaluation.copy() if len(places) > 1 else evaluation
            way.store[element] = narrowed(values, where)
            yield way, where & valued

    def branch(self, statement: If, evaluation: Evaluation, under: Diagram) -> Way:
        """Both branches, and together again: what one of them has written is kept as it was in the other."""
        before = evaluation.store
        yes, no = evaluation.holds(statement.condition, under)
        ways = self.execute(statement.yes, (evaluation.copy(), yes)) + self.execute(
            statement.no, (evaluation.copy(), no)
        )
        changed = {k for way, _ in ways for k, values in way.store.items() if before.get(k) is not values}
        after = {k: evaluation.joined([way.element(k, where) for way, where in ways]) for k in changed}
        before.update(after)
        evaluation.read.update(*(way.read for way, _ in ways))
        return evaluation, self.diagrams.union(where for _, where in ways)


def choices(summand: Summand) -> Iterator[Chosen]:
    """All values of the variables that a summand chooses."""
    domains = [range(v.domain.low, v.domain.high + 1) for v in summand.choices]
    return (dict(zip(summand.choices, values, strict=True)) for values in product(*domains))


def holders(guard: e.Expr, control: Variable | None) -> set[int] | None:
    """The processes that may hold control where a conjunction is true, if one of its parts is a condition on control only;
    None if it may be any process.

    >>> from coset.model.domain import BYTE
    >>> control = e.Get(Variable("control", BYTE))
    >>> who = e.Binary("||", e.Binary("==", control, e.Const(0)), e.Binary("==", control, e.Const(2)))
    >>> holders(e.Binary("&&", e.Get(Variable("x", BYTE)), who), control.variable)
    {0, 2}
    """
    match guard:
        case e.Binary("&&", left, right):
            one, other = holders(left, control), holders(right, control)
            return one if other is None else other if one is None else one & other
        case e.Binary("||", left, right):
            one, other = holders(left, control), holders(right, control)
            return None if one is None or other is None else one | other
        case e.Binary("==", e.Get(variable), e.Const(value)) if variable == control:
            return {value}
    return None
