"""The ways to take an edge: by itself, with a message that goes or comes, or together with the partner of a handshake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import INT, Domain
from coset.model.sequential.effects import Effects
from coset.model.sequential.fold import fold, joined, negated
from coset.model.sequential_model import Assign, Inexpressible, Statement
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """One way to take an edge: its condition, and its effects besides the move to the target.  `partner` is the other half of a
    handshake; `error` is the error if the edge can be taken in this way."""

    condition: e.Expr
    program: tuple[Statement, ...] = ()
    partner: tuple[int, m.Edge, str] | None = None
    error: str | None = None


class Ways(Effects):
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
            if may_fail(value):  # whether it has a value is decided before a receiver is found
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
        """The receive must not change an expression of the message before it is read."""
        targets = [self.target(q, x.place) for x in receive.patterns if x.place is not None and x.place.variable]
        read = {part.variable for value in message for part in value.walk() if isinstance(part, e.Get)}
        if len(targets) > 1 and any(place.variable in read for place in targets):
            raise Inexpressible("a handshake that stores in a variable that is sent", answer.span)


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
