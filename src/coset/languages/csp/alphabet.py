"""Alphabets: the events that a process synchronises on inside of `||`.

They are what `#alphabet` says, or else all plain events in the text of the process and of those that it calls.
"""

from __future__ import annotations

from coset.languages.csp import codes, terms
from coset.languages.csp import tree as t
from coset.languages.csp.indexed import expanded
from coset.languages.csp.terms import Refused

Label = tuple[str, tuple[int, ...]]


def alphabet(process: t.Process, program: t.Program) -> frozenset[Label]:
    """The alphabet of a process."""
    return Alphabets(program).of(process)


def label(event: t.Event) -> Label:
    """An event as it is compared."""
    numbers = []
    for argument in event.arguments:
        if not isinstance(argument, t.Number):
            text = f"what `{event.name}` stands for is not known before it happens"
            raise Refused(codes.VARIABLE_EVENT, text, event, "name the events one by one, in `#alphabet`")
        numbers.append(argument.value)
    return event.name, tuple(numbers)


class Alphabets:
    def __init__(self, program: t.Program) -> None:
        self.program = program
        self.seen: set[t.Call] = set()

    def of(self, x: t.Process) -> frozenset[Label]:
        match x:
            case t.Prefix(event, _, plain, rest):
                own = {label(event)} if plain and event.name != "tau" else set()
                return self.of(rest) | own
            case t.Output() | t.Input():
                return self.of(x.rest)
            case t.Choice(_, parts) | t.Parallel(parts) | t.Interleave(parts):
                return self.union(*parts)
            case t.Guard(_, body) | t.Counted(_, body) | t.Atomic(body):
                return self.of(body)
            case t.If(_, _, yes, no):
                return self.union(yes, no)
            case t.Case(branches, default):
                return self.union(default, *(body for _, body in branches))
            case t.Sequence(left, right) | t.Interrupt(left, right):
                return self.union(left, right)
            case t.Hide(body, events):
                return self.of(body) - {label(event) for event in events}
            case t.Bag(members):
                return self.union(*(member for member, _ in members))
            case t.Indexed():
                return self.of(expanded(x))
            case t.Call():
                return self.call(x)
        return frozenset()

    def union(self, *parts: t.Process) -> frozenset[Label]:
        found: frozenset[Label] = frozenset()
        for part in parts:
            found |= self.of(part)
        return found

    def call(self, x: t.Call) -> frozenset[Label]:
        if x in self.seen:
            return frozenset()
        self.seen.add(x)
        definition = self.program.definitions[x.name]
        values = dict(zip(definition.parameters, x.arguments, strict=True))
        given = self.program.alphabets.get(x.name)
        if given is not None:
            return frozenset(label(terms.event(event, values)) for event in given.events)
        return self.of(terms.process(definition.body, values))
