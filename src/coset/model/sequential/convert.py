"""From a concurrent model to a sequential one: one summand for each process and edge, and for each pair of edges that can
make a handshake (Ashcroft and Manna, Formalization of properties of parallel programs, 1970).

The event of a summand is the kind of the process that moves: which of its edges it takes nobody can tell by looking at
states.  Which states are valid ends, and progress and acceptance, are conditions of the sequential model.

A process that holds control is remembered in a variable; if it cannot move, a summand of its own lets go.  Only the states
in which no process holds control are those of the concurrent model (`SequentialModel.control`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import INT, Domain
from coset.model.interpreter import Interpreter
from coset.model.sequential.fold import fold, joined, negated
from coset.model.sequential.terms import Terms
from coset.model.sequential_model import Assign, Home, If, Inexpressible, SequentialModel, Statement, Summand
from coset.model.state import State

MOST_STATEMENTS = 10_000
"""Of a deterministic step, when its branches are written out."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to take an edge: when, and what happens besides the move to the target.  `partner` is the other half of a
    handshake; `error` is what is wrong if the edge can be taken so."""

    condition: e.Expr
    program: tuple[Statement, ...] = ()
    partner: tuple[int, m.Edge, str] | None = None
    error: str | None = None


def sequential(
    interpreter: Interpreter,
    states: Sequence[State],
    locations: Sequence[frozenset[int]],
    conditions: Sequence[e.Expr] = (),
) -> SequentialModel:
    """The sequential form of a model from states on in which all of its processes exist; `locations` are those that each
    of them may visit.  Raises `Inexpressible`, which names what has no such form."""
    return Conversion(interpreter, states, locations).result(conditions)


class Conversion:
    def __init__(self, interpreter: Interpreter, states: Sequence[State], locations: Sequence[frozenset[int]]) -> None:
        model = interpreter.model
        if model.prioritised:
            raise Inexpressible("priorities of processes")
        if model.monitor is not None:
            raise Inexpressible("a trace or notrace assertion")
        if model.remembers_mover:
            raise Inexpressible("`_last`")
        self.terms = Terms(interpreter, states, locations)
        self.numbers = range(len(self.terms.kinds))
        for p in self.numbers:
            if self.terms.mortal[p] and interpreter.channels_created[states[0].processes[p].kind]:
                raise Inexpressible(f"channels of {self.terms.kinds[p].name}, which ends and takes them with it")
        self.control = self.control_variable()
        self.summands: list[Summand] = []
        self.owned: dict[int, list[Summand]] = {}
        """By the processes that take the step, or begin it."""

    def control_variable(self) -> m.Variable | None:
        """Who must move next: 0 for anybody, else one more than the number of the process."""
        starts = [self.holder(state) for state in self.terms.states]
        self.holders = {p for p in self.numbers if any(edge.hold for _, edge in self.terms.edges(p))}
        self.holders |= {start - 1 for start in starts if start}
        if not self.holders:
            return None
        domain = Domain("control", 0, len(self.terms.kinds))
        return self.terms.new("in_control", domain, (), [[start] for start in starts], [Home("control")])

    def holder(self, state: State) -> int:
        """Who holds control at the start: whoever has started the others, if it came to where it stands so."""
        for p, process in enumerate(state.processes):
            kind = self.terms.kinds[p]
            entered = {edge.hold for _, edge in kind.edges() if edge.target == process.at}
            if process.at != kind.start and True in entered:
                if False in entered:
                    raise Inexpressible("an initial state in which the process in control is not known", kind.span)
                return p + 1
        return 0

    def result(self, conditions: Sequence[e.Expr], moving: Collection[int] | None = None) -> SequentialModel:
        """If only the steps that some processes begin are asked for, others have summands only where they may go on."""
        for p in self.numbers if moving is None or self.control is not None else moving:
            before = len(self.summands)
            for at in sorted(self.terms.locations[p]):
                if not self.terms.kinds[p].locations[at].transient:
                    self.location(p, at)
            self.owned[p] = self.summands[before:]
        return SequentialModel(
            self.terms.model.name,
            tuple(self.terms.variables),
            tuple(self.summands),
            tuple(tuple(row) for row in self.terms.values),
            (*(self.terms.expression(condition, None) for condition in conditions), *self.marks()),
            self.control,
            homes=tuple(self.terms.homes),
            unchecked=tuple(dict.fromkeys(self.terms.unchecked)),
        )

    def marks(self) -> Iterator[e.Expr]:
        """What locations are marked with: where all processes may end, where one makes progress, where one accepts."""
        terms = self.terms

        def at(p: int, mark: str) -> e.Expr:
            locations = terms.kinds[p].locations
            return terms.stands(p, [k for k in sorted(terms.locations[p]) if getattr(locations[k], mark)])

        ends = [joined("||", (at(p, "end"), terms.is_gone(p))) for p in self.numbers]
        empty = [fold(e.Binary("==", terms.length(c), e.Const(0))) for c in range(len(terms.lengths))]
        yield joined("&&", (*ends, *(empty if terms.model.empty_at_end else ())))
        for mark in ("progress", "accept"):
            condition = joined("||", (at(p, mark) for p in self.numbers))
            if condition != e.FALSE:
                yield condition

    # --- summands --------------------------------------------------------------------------------

    def location(self, p: int, at: int) -> None:
        """The summands of a process at a location."""
        kind = self.terms.kinds[p]
        here = [self.terms.stands(p, [at]), self.terms.expression(kind.provided, p)]
        executable: list[e.Expr] = []
        edges = kind.locations[at].edges
        for edge in edges:
            before = joined("||", executable)
            ways = list(self.ways(p, edge, e.TRUE if edge.group else negated(before)))
            rivals = [
                negated(condition)
                for other, condition in zip(edges, executable, strict=False)
                if other.tier != edge.tier or (edge.group and other.group == edge.group)
            ]
            for way in ways:
                self.summand(p, f"step_{kind.name}", edge, joined("&&", [*here, *rivals]), way)
            executable.append(joined("||", (way.condition for way in ways)))
        if self.control is not None and self.may_hold(p, at):
            stuck = joined("&&", [*here[:1], negated(joined("&&", [here[1], joined("||", executable)]))])
            self.add(
                Summand(f"step_{kind.name}_lets_go", (), self.controlled(stuck, p, only=True), (self.controls(0),))
            )

    def add(self, summand: Summand) -> None:
        if not is_false(summand.guard):
            self.summands.append(summand)

    def summand(self, p: int, event: str, edge: m.Edge, here: e.Expr, way: Way) -> None:
        """The step by an edge in one of its ways, and another if it may violate an assertion."""
        guard = self.controlled(joined("&&", (here, way.condition)), p)
        if way.error is not None:
            self.add(Summand(f"{event}_{way.error}", (), guard, (), edge.span, way.error))
            return
        rest = [effect for effect in edge.effects if not isinstance(effect, m.Send | m.Receive)]
        halves = [(p, edge, rest)]
        if way.partner is not None:
            q, answer, other = way.partner
            event = f"{event}_{other}"
            halves.append((q, answer, [x for x in answer.effects if not isinstance(x, m.Receive)]))
        program = list(way.program)
        for q, taken, effects in halves:
            self.assertions(q, event, guard, effects, taken)
            for effect in effects:
                program += self.effect(q, effect, taken)
            program += self.move(q, taken.target, 0)
        if self.control is not None:
            q, taken, _ = halves[-1]
            program.append(self.controls(q + 1 if taken.hold else 0))
        movers = tuple(q for q, _, _ in halves)
        self.add(Summand(event, (), guard, tuple(program), edge.span, movers=movers))

    def assertions(self, p: int, event: str, guard: e.Expr, effects: Sequence[m.Effect], edge: m.Edge) -> None:
        """An assertion that is violated is a step by itself that changes nothing, so that it can be seen."""
        for k, effect in enumerate(effects):
            if isinstance(effect, m.Assert):
                if any(isinstance(earlier, m.Assign) for earlier in effects[:k]) or edge.effects[0] is not effects[0]:
                    raise Inexpressible("an assertion behind an assignment in one step", edge.span)
                wrong = negated(self.terms.expression(effect.condition, p))
                self.add(Summand(f"{event}_violated", (), joined("&&", (guard, wrong)), (), edge.span, "assertion"))

    def controlled(self, guard: e.Expr, p: int, only: bool = False) -> e.Expr:
        """Unless another process (or with `only`: anybody else) holds control."""
        if self.control is None:
            return guard
        held = e.Binary("==", e.Get(self.control), e.Const(p + 1))
        free = e.Binary("==", e.Get(self.control), e.Const(0))
        allowed = held if only else e.Binary("||", free, held) if p in self.holders else free
        return joined("&&", (guard, allowed))

    def may_hold(self, p: int, at: int) -> bool:
        """Whether the process may stand there with control: it came by an edge that holds, directly or through
        locations that are left at once."""
        if any(state.processes[p].at == at and self.holder(state) == p + 1 for state in self.terms.states):
            return True
        locations = self.terms.kinds[p].locations
        pending = [edge.target for _, edge in self.terms.edges(p) if edge.hold and edge.target != m.GONE]
        seen = set(pending)
        for target in pending:
            if target == at:
                return True
            if locations[target].transient:
                more = {edge.target for edge in locations[target].edges} - seen
                seen |= more
                pending += more
        return False

    def controls(self, value: int) -> Statement:
        assert self.control is not None
        return Assign(e.Place(self.control), e.Const(value))

    # --- ways to take an edge --------------------------------------------------------------------

    def ways(self, p: int, edge: m.Edge, otherwise: e.Expr) -> Iterator[Way]:
        guard = self.terms.expression(edge.guard, p, otherwise)
        first = edge.effects[0] if edge.effects else None
        match first:
            case m.Send(channel, values, is_sorted):
                if is_sorted:
                    raise Inexpressible("sorted send `!!`", edge.span)
                sent = [self.terms.expression(value, p) for value in values]
                yield from self.misnamed(guard, self.terms.expression(channel, p), len(values))
                for c, named in self.channels(self.terms.expression(channel, p), len(values)):
                    condition = joined("&&", (guard, named))
                    if self.terms.capacity(c) == 0:
                        yield from self.handshakes(p, edge, c, condition, sent)
                    else:
                        yield self.put(c, condition, self.message(c, sent, edge))
            case m.Receive(channel, patterns):
                yield from self.misnamed(guard, self.terms.expression(channel, p), len(patterns))
                for c, named in self.channels(self.terms.expression(channel, p), len(patterns)):
                    if self.terms.capacity(c) > 0:
                        yield from self.got(p, first, c, joined("&&", (guard, named)))
            case _:
                yield Way(guard)

    def channels(self, which: e.Expr, fields: int) -> Iterator[tuple[int, e.Expr]]:
        """The channels that an expression may name, and when it names each."""
        types = self.terms.interpreter.channel_types
        for c, channel in enumerate(self.terms.states[0].channels):
            named = fold(e.Binary("==", which, e.Const(c + 1)))
            if named != e.FALSE and len(types[channel.type].fields) == fields:
                yield c, named

    def misnamed(self, guard: e.Expr, which: e.Expr, fields: int) -> Iterator[Way]:
        """When an expression names no channel, or one for other messages."""
        types = self.terms.interpreter.channel_types
        channels = self.terms.states[0].channels
        bounds = [fold(e.Binary("<", which, e.Const(1))), fold(e.Binary(">", which, e.Const(len(channels))))]
        others = [
            fold(e.Binary("==", which, e.Const(c)))
            for c, channel in enumerate(channels, 1)
            if len(types[channel.type].fields) != fields
        ]
        for error, wrong in (("channel", bounds), ("message", others)):
            condition = joined("&&", (guard, joined("||", wrong)))
            if not is_false(condition):
                yield Way(condition, error=error)

    def message(self, c: int, sent: list[e.Expr], edge: m.Edge) -> list[e.Expr]:
        """What is sent as the fields of the channel hold it."""
        fields = self.terms.interpreter.channel_types[self.terms.states[0].channels[c].type].fields
        return [fitting(value, field, edge) for value, field in zip(sent, fields, strict=True)]

    def put(self, c: int, condition: e.Expr, sent: list[e.Expr]) -> Way:
        length = self.terms.length(c)
        room = e.Binary("<", length, e.Const(self.terms.capacity(c)))
        stores = [
            Assign(e.Place(field, (length,)), value) for field, value in zip(self.terms.fields[c], sent, strict=True)
        ]
        return Way(joined("&&", (condition, room)), (*stores, self.lengthened(c, 1)))

    def lengthened(self, c: int, by: int) -> Statement:
        variable = self.terms.lengths[c]
        assert variable is not None
        return Assign(e.Place(variable), e.Binary("+" if by > 0 else "-", e.Get(variable), e.Const(abs(by))))

    def got(self, p: int, receive: m.Receive, c: int, condition: e.Expr) -> Iterator[Way]:
        """Receive from a channel with room: the first message, or the first that matches."""
        wanted = [None if x.value is None else self.terms.expression(x.value, p) for x in receive.patterns]
        passed: list[e.Expr] = []
        for place in range(self.terms.capacity(c) if receive.random else 1):
            here = self.terms.matches(c, place, wanted)
            program = self.bind(p, receive, [e.Get(field, (e.Const(place),)) for field in self.terms.fields[c]])
            if not receive.peek:
                program += self.removed(c, place)
            yield Way(joined("&&", (condition, here, *passed)), tuple(program))
            passed.append(negated(here))

    def removed(self, c: int, place: int) -> Iterator[Statement]:
        """A message leaves, and those behind it move up."""
        last = self.terms.capacity(c) - 1
        for field in self.terms.fields[c]:
            for k in range(place, last):
                yield Assign(e.Place(field, (e.Const(k),)), e.Get(field, (e.Const(k + 1),)))
            yield Assign(e.Place(field, (e.Const(last),)), e.Const(field.domain.low))
        yield self.lengthened(c, -1)

    def bind(self, p: int, receive: m.Receive, values: Sequence[e.Expr]) -> list[Statement]:
        return [
            self.assign(p, pattern.place, value)
            for pattern, value in zip(receive.patterns, values, strict=True)
            if pattern.place is not None and pattern.place.variable is not None
        ]

    def handshakes(self, p: int, edge: m.Edge, c: int, condition: e.Expr, sent: list[e.Expr]) -> Iterator[Way]:
        """Every edge of another process that may receive from a channel without room."""
        if any(isinstance(effect, m.Assign) for effect in edge.effects) or self.is_transient(p, edge.target):
            raise Inexpressible("a synchronous send with more effects in the same step", edge.span)
        message = self.message(c, sent, edge)
        for value in message:
            if may_fail(value):  # it has a value or not before anybody is found who takes it
                yield Way(joined("&&", (condition, e.Binary("!=", value, value))))
        for q in self.numbers:
            kind = self.terms.kinds[q]
            for at in sorted(self.terms.locations[q]) if q != p else ():
                receivers = [
                    x for x in kind.locations[at].edges
                    if x.effects and isinstance(x.effects[0], m.Receive)
                ]  # fmt: skip
                if len({(x.tier, x.group) for x in receivers}) > 1 or any(x.group for x in receivers):
                    raise Inexpressible("receivers of a handshake of which one comes before the other", edge.span)
                for answer in receivers:
                    receive = answer.effects[0]
                    assert isinstance(receive, m.Receive)
                    if len(receive.patterns) != len(sent):
                        continue
                    named = fold(e.Binary("==", self.terms.expression(receive.channel, q), e.Const(c + 1)))
                    equal = [
                        fold(e.Binary("==", value, self.terms.expression(x.value, q)))
                        for x, value in zip(receive.patterns, message, strict=True)
                        if x.value is not None
                    ]
                    there = self.terms.stands(q, [at]), self.terms.expression(kind.provided, q)
                    guard = self.terms.expression(answer.guard, q)
                    whole = joined("&&", (condition, *there, named, guard, *equal))
                    if whole != e.FALSE:
                        self.unseen(q, receive, message, answer)
                        yield Way(whole, tuple(self.bind(q, receive, message)), (q, answer, kind.name))

    def unseen(self, q: int, receive: m.Receive, message: Sequence[e.Expr], answer: m.Edge) -> None:
        """A message is what it was before any of it is stored."""
        targets = [self.target(q, x.place) for x in receive.patterns if x.place is not None and x.place.variable]
        read = {part.variable for value in message for part in value.walk() if isinstance(part, e.Get)}
        if len(targets) > 1 and any(place.variable in read for place in targets):
            raise Inexpressible("a handshake that stores in a variable that is sent", answer.span)

    # --- effects ---------------------------------------------------------------------------------

    def target(self, p: int, place: e.Place) -> e.Place:
        assert place.variable is not None
        owner = p if place.variable.owner is not None else None
        indices = tuple(self.terms.expression(index, p) for index in place.indices)
        return e.Place(self.terms.own[owner, place.variable], indices)

    def assign(self, p: int, place: e.Place, value: e.Expr) -> Statement:
        return Assign(self.target(p, place), value)

    def effect(self, p: int, effect: m.Effect, edge: m.Edge) -> Iterator[Statement]:
        match effect:
            case m.Assign(place, value):
                if place.variable is not None:
                    yield self.assign(p, place, self.terms.expression(value, p))
            case m.Assert() | m.Print():
                return
            case m.Exit():
                for (owner, _), variable in self.terms.own.items():
                    if owner == p:
                        for index in indices(variable.shape):
                            yield Assign(e.Place(variable, index), e.Const(0))
            case _:
                raise Inexpressible(f"`{effect}`", edge.span)

    def is_transient(self, p: int, target: int) -> bool:
        return target != m.GONE and self.terms.kinds[p].locations[target].transient

    def move(self, p: int, target: int, depth: int) -> list[Statement]:
        """To a location, and on from one that is left at once."""
        at = e.Place(self.terms.at[p])
        if not self.is_transient(p, target):
            return [Assign(at, e.Const(self.terms.gone(p) if target == m.GONE else target))]
        if depth > len(self.terms.kinds[p].locations):
            raise Inexpressible("a loop inside of a d_step")
        result: list[Statement] | None = None
        for edge in reversed(self.terms.kinds[p].locations[target].edges):
            if any(isinstance(x, m.Send | m.Receive | m.Assert) for x in edge.effects):
                raise Inexpressible("messages and assertions inside of a d_step", edge.span)
            guard = self.terms.expression(edge.guard, p)
            program = [statement for x in edge.effects for statement in self.effect(p, x, edge)]
            program += self.move(p, edge.target, depth + 1)
            if guard == e.TRUE:
                result = program
            elif result is None:
                raise Inexpressible("a d_step that may block in the middle", edge.span)
            else:
                result = [If(guard, tuple(program), tuple(result))]
            if size(result) > MOST_STATEMENTS:
                raise Inexpressible("a d_step with too many branches", edge.span)
        if result is None:
            raise Inexpressible("a d_step that may block in the middle")
        return result


def is_false(guard: e.Expr) -> bool:
    """Whether a conjunction has a part that is known to be false."""
    if isinstance(guard, e.Binary) and guard.operator == "&&":
        return is_false(guard.left) or is_false(guard.right)
    return guard == e.FALSE


def may_fail(x: e.Expr) -> bool:
    """Whether an expression may have no value: it divides, or has an index that is not known, or out of range."""
    return any(
        (isinstance(part, e.Binary) and part.operator in "/%")
        or (isinstance(part, e.Get) and not all(map(is_within, part.indices, part.variable.shape)))
        for part in x.walk()
    )


def is_within(index: e.Expr, length: int) -> bool:
    return isinstance(index, e.Const) and 0 <= index.value < length


def size(program: Sequence[Statement]) -> int:
    return sum(1 if isinstance(x, Assign) else 1 + size(x.yes) + size(x.no) for x in program)


def indices(shape: tuple[int, ...]) -> Iterator[tuple[e.Expr, ...]]:
    """All subscripts of an array; one without any of a scalar.

    >>> [tuple(map(str, each)) for each in indices((2,))], list(indices(()))
    ([('0',), ('1',)], [()])
    """
    if not shape:
        yield ()
        return
    for k in range(shape[0]):
        for rest in indices(shape[1:]):
            yield (e.Const(k), *rest)


def fitting(value: e.Expr, field: Domain, edge: m.Edge) -> e.Expr:
    """A value as the field of a message holds it."""
    match value:
        case e.Const(number):
            return e.Const(field.fit(number))
        case e.Get(variable) if field.low <= variable.domain.low and variable.domain.high <= field.high:
            return value
    if (field.low, field.high) == (INT.low, INT.high):
        return value
    if field.low == 0 and (field.high + 1) & field.high == 0:
        return e.Binary("&", value, e.Const(field.high))
    raise Inexpressible(f"an expression sent as {field}", edge.span)
