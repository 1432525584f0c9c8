"""What a term can do: the rules of CSP# as PAT has them (Sun, Liu, Dong and Chen, TASE 2009).

A step has guards over the variables, an action, and the term that is left.  The rules know no values of variables:
guards and data operations stay as they are, so a term with its steps is an automaton over the variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from coset.languages.csp import terms
from coset.languages.csp import tree as t
from coset.languages.csp.alphabet import Label, label
from coset.languages.csp.normalise import Normaliser, is_false, is_true, reads_variable
from coset.source.records import dataclass

TAU, TICK, EVENT, SEND, RECEIVE = "tau", "tick", "event", "send", "receive"


@dataclass(frozen=True, slots=True)
class Action:
    """`kind` is one of the above; `name` the event or channel.  `plain` events can synchronise."""

    kind: str
    name: str = ""
    index: t.Expression | None = None
    arguments: tuple[t.Expression, ...] = ()
    operation: t.Operation = ()
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    guards: tuple[t.Expression, ...]
    action: Action
    target: t.Process
    origin: t.Process

    def guarded(self, *guards: t.Expression) -> Step:
        return replace(self, guards=(*guards, *self.guards))

    def to(self, target: t.Process) -> Step:
        return replace(self, target=target)


Rows = Sequence[Sequence[Step]]
"""The steps of each part of a process."""
Messages = Mapping[str, Sequence[Sequence[int]]]
"""For each channel the values that each field of its messages can have."""


class Semantics:
    """The steps of the terms of one program, given what can come through its channels."""

    def __init__(self, program: t.Program, messages: Messages, normaliser: Normaliser) -> None:
        self.program, self.messages, self.normaliser = program, messages, normaliser
        self.known: dict[t.Process, tuple[Step, ...]] = {}

    def steps(self, x: t.Process) -> tuple[Step, ...]:
        """The steps of a normalised term, without those whose guards are false whatever happens."""
        found = self.known.get(x)
        if found is None:
            found = self.known[x] = tuple(tidied(self.rules(x)))
        return found

    def rules(self, x: t.Process) -> Iterator[Step]:
        match x:
            case t.Skip():
                yield Step((), Action(TICK), t.Ended(span=x.span), x)
            case t.Prefix(event, operation, plain, rest):
                kind = TAU if event.name == "tau" else EVENT
                yield Step((), Action(kind, event.name, None, event.arguments, operation, plain), rest, x)
            case t.Output(channel, index, values, operation, rest):
                yield Step((), Action(SEND, channel, index, values, operation), rest, x)
            case t.Input():
                yield from self.inputs(x)
            case t.Choice("<>", parts):
                for part in parts:
                    yield Step((), Action(TAU), part, x)
            case t.Choice(operator, parts):
                for place, part in enumerate(parts):
                    for step in self.steps(part):
                        stays = operator == "[*]" and step.action.kind == TAU
                        yield (
                            step.to(t.Choice(operator, put(parts, place, step.target), span=x.span)) if stays else step
                        )
            case t.Guard(condition, body):
                if not is_false(condition):
                    yield from (step.guarded(condition) for step in self.steps(body))
            case t.If():
                yield from self.conditional(x)
            case t.Case(branches, default):
                before: tuple[t.Expression, ...] = ()
                for condition, body in branches:
                    yield Step((*before, condition), Action(TAU), body, x)
                    before = (*before, terms.negation(condition))
                yield Step(before, Action(TAU), default, x)
            case t.Interleave(parts):
                rows = [*map(self.steps, parts)]
                yield from self.alone(
                    parts, rows, lambda parts: t.Interleave(parts, span=x.span), lambda place, step: True
                )
                yield from self.together(parts, rows, lambda parts: t.Interleave(parts, span=x.span))
            case t.Parallel():
                yield from self.parallel(x)
            case t.Bag():
                yield from self.bag(x)
            case t.Sequence(first, second):
                yield from self.sequence(x, first, second)
            case t.Interrupt(body, handler):
                for step in self.steps(body):
                    ends = step.action.kind == TICK
                    yield step if ends else step.to(t.Interrupt(step.target, handler, span=x.span))
                for step in self.steps(handler):
                    silent = step.action.kind == TAU
                    yield step.to(t.Interrupt(body, step.target, span=x.span)) if silent else step
            case t.Hide(body, events):
                yield from self.hidden(x, body, frozenset(label(event) for event in events))
            case t.Atomic(body):
                for step in self.steps(body):
                    yield step if step.action.kind == TICK else step.to(t.Atomic(step.target, span=x.span))
            case t.Call():
                yield from self.called(x)
            case t.Stop() | t.Ended():
                return
            case _:
                raise TypeError(f"no rule for {type(x).__name__}")

    # --- values that are not known before ----------------------------------------------------------

    def called(self, x: t.Call) -> Iterator[Step]:
        """A call that reads variables does what it would do with the values that they have at that moment."""
        for guards, arguments in self.normaliser.possible(x.arguments):
            body = self.normaliser.normalised(t.Call(x.name, arguments, span=x.span))
            yield from (step.guarded(*guards) for step in self.steps(body))

    def told(self, x: t.Process, names: set[str]) -> list[Step]:
        """The steps of a term; events of these names are told apart by the values of their arguments."""
        found: list[Step] = []
        for step in self.steps(x):
            action = step.action
            if action.kind != EVENT or action.name not in names or not any(map(reads_variable, action.arguments)):
                found.append(step)
                continue
            for guards, arguments in self.normaliser.possible(action.arguments):
                found.append(replace(step.guarded(*guards), action=replace(action, arguments=arguments)))
        return found

    # --- one process -------------------------------------------------------------------------------

    def inputs(self, x: t.Input) -> Iterator[Step]:
        """One step for each message that can be bound."""
        bound = [place for place, pattern in enumerate(x.patterns) if isinstance(pattern, t.Binder)]
        fields = self.messages.get(x.channel, [()] * len(x.patterns))
        for found in product(*(fields[place] for place in bound)):
            values: dict[str, t.Expression] = {}
            patterns = list(x.patterns)
            for place, value in zip(bound, found, strict=True):
                pattern = patterns[place]
                assert isinstance(pattern, t.Binder)
                values[pattern.name] = patterns[place] = t.Number(value, span=pattern.span)
            guards = () if x.guard is None else (terms.expression(x.guard, values),)
            operation = terms.operation(x.operation, values)
            action = Action(RECEIVE, x.channel, x.index, tuple(patterns), operation)
            yield Step(guards, action, terms.process(x.rest, values), x)

    def conditional(self, x: t.If) -> Iterator[Step]:
        otherwise = terms.negation(x.condition)
        if x.keyword == "ifa":
            if not is_false(x.condition):
                yield from (step.guarded(x.condition) for step in self.steps(x.yes))
            if not is_true(x.condition):
                yield from (step.guarded(otherwise) for step in self.steps(x.no))
            return
        yield Step((x.condition,), Action(TAU), x.yes, x)
        if x.keyword == "if":
            yield Step((otherwise,), Action(TAU), x.no, x)

    def sequence(self, x: t.Process, first: t.Process, second: t.Process) -> Iterator[Step]:
        """A successful end is a silent step to what follows, except that `Skip; P` does what P does."""
        if isinstance(first, t.Skip):
            yield from self.steps(self.normaliser.normalised(second))
            return
        for step in self.steps(first):
            if step.action.kind == TICK:
                yield replace(step, action=Action(TAU), target=second)
            else:
                yield step.to(t.Sequence(step.target, second, span=x.span))

    def hidden(self, x: t.Hide, body: t.Process, events: frozenset[Label]) -> Iterator[Step]:
        names = {name for name, _ in events}
        for step in self.told(body, names):
            action, target = step.action, t.Hide(step.target, x.events, span=x.span)
            if action.kind == EVENT and action.name in names and action.index is None and visible(step) in events:
                yield replace(step, action=Action(TAU, operation=action.operation), target=target)
            else:
                yield step if action.kind == TICK else step.to(target)

    # --- several processes -------------------------------------------------------------------------

    def alone(
        self,
        parts: tuple[t.Process, ...],
        rows: Rows,
        join: Callable[[tuple[t.Process, ...]], t.Process],
        free: Callable[[int, Step], bool],
    ) -> Iterator[Step]:
        """The steps of single parts."""
        for place, row in enumerate(rows):
            for step in row:
                if step.action.kind != TICK and free(place, step):
                    yield step.to(join(put(parts, place, step.target)))

    def together(
        self, parts: tuple[t.Process, ...], rows: Rows, join: Callable[[tuple[t.Process, ...]], t.Process]
    ) -> Iterator[Step]:
        """Handshakes between two parts, and the end of all."""
        sends = [(k, step) for k, row in enumerate(rows) for step in row if self.synchronous(step, SEND)]
        receives = [(k, step) for k, row in enumerate(rows) for step in row if self.synchronous(step, RECEIVE)]
        for (sender, out), (receiver, come) in product(sends, receives):
            if sender != receiver and out.action.name == come.action.name:
                targets = put(put(parts, sender, out.target), receiver, come.target)
                yield handshake(out, come, join(targets))
        yield from self.ends(rows)

    def ends(self, rows: Rows) -> Iterator[Step]:
        """All parts end in one step."""
        for ends in product(*([step for step in row if step.action.kind == TICK] for row in rows)):
            guards = tuple(guard for step in ends for guard in step.guards)
            yield Step(guards, Action(TICK), ends[0].target, ends[0].origin)

    def synchronous(self, step: Step, kind: str) -> bool:
        if step.action.kind != kind:
            return False
        return self.program.channels[step.action.name].capacity == t.Number(0, span=step.origin.span)

    def parallel(self, x: t.Parallel) -> Iterator[Step]:
        """`||`: an event in the alphabets of two parts or more needs all of these."""
        parts, alphabets = x.parts, x.alphabets
        assert alphabets is not None
        names = {name for each in alphabets for name, _ in each}
        rows = [self.told(part, names) for part in parts]

        def join(parts: tuple[t.Process, ...]) -> t.Process:
            return t.Parallel(parts, alphabets, span=x.span)

        def partners(place: int, step: Step) -> list[int]:
            action = step.action
            if action.kind != EVENT or not action.plain or action.name not in names:
                return [place]
            event = visible(step)
            found = [k for k, each in enumerate(alphabets) if event in each]
            return found if place in found else [place]

        yield from self.alone(parts, rows, join, lambda place, step: len(partners(place, step)) == 1)
        yield from self.together(parts, rows, join)
        for place, row in enumerate(rows):
            for step in row:
                who = partners(place, step)
                if len(who) == 1 or who[0] != place:
                    continue
                event = visible(step)
                others = [[s for s in rows[k] if same(s, event)] for k in who[1:]]
                for rest in product(*others):
                    targets = parts
                    for k, each in zip(who, (step, *rest), strict=True):
                        targets = put(targets, k, each.target)
                    guards = tuple(guard for each in (step, *rest) for guard in each.guards)
                    yield replace(step, guards=guards, target=join(targets))

    def bag(self, x: t.Bag) -> Iterator[Step]:
        """Copies that are counted: one of them moves, or two shake hands, or all end."""
        for member, _ in x.members:
            for step in self.steps(member):
                if step.action.kind != TICK:
                    yield step.to(moved(x, (member, step.target)))
        pairs = product(
            [(m, s) for m, _ in x.members for s in self.steps(m) if self.synchronous(s, SEND)],
            [(m, s) for m, _ in x.members for s in self.steps(m) if self.synchronous(s, RECEIVE)],
        )
        counts = dict(x.members)
        for (one, out), (other, come) in pairs:
            if out.action.name == come.action.name and (one != other or counts[one] > 1):
                yield handshake(out, come, moved(x, (one, out.target), (other, come.target)))
        yield from self.ends([self.steps(member) for member, _ in x.members])


def tidied(steps: Iterator[Step]) -> Iterator[Step]:
    """Without guards that are true, and steps whose guards are false; each once."""
    seen = set()
    for step in steps:
        if any(is_false(guard) for guard in step.guards):
            continue
        found = replace(step, guards=tuple(guard for guard in step.guards if not is_true(guard)))
        key = found.guards, found.action, found.target
        if key not in seen:
            seen.add(key)
            yield found


def visible(step: Step) -> Label:
    """The event of a step, as it is compared."""
    return label(t.Event(step.action.name, step.action.arguments, span=step.origin.span))


def same(step: Step, event: Label) -> bool:
    action = step.action
    return action.kind == EVENT and action.plain and action.name == event[0] and visible(step) == event


def put(parts: tuple[t.Process, ...], place: int, part: t.Process) -> tuple[t.Process, ...]:
    return (*parts[:place], part, *parts[place + 1 :])


def moved(x: t.Bag, *moves: tuple[t.Process, t.Process]) -> t.Process:
    """The bag after some of its members have become others."""
    members = [*x.members]
    for before, after in moves:
        members += [(before, -1), (after, 1)]
    return t.Bag(tuple(members), span=x.span)


def handshake(out: Step, come: Step, target: t.Process) -> Step:
    """A message that passes at once: both sides agree on channel and values."""
    pairs = [*zip(out.action.arguments, come.action.arguments, strict=True)]
    if out.action.index is not None and come.action.index is not None:
        pairs.append((out.action.index, come.action.index))
    agree = tuple(terms.expression(t.Binary("==", a, b, span=b.span), {}) for a, b in pairs)
    action = replace(come.action, kind=EVENT)
    return Step((*out.guards, *come.guards, *agree), action, target, come.origin)
