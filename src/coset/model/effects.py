"""Effects as Python functions that change the moment (`Now`) at which they happen."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableSequence
from typing import TYPE_CHECKING, cast

from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Evaluation, Fault, Now
from coset.model.state import Channel, Message, Process

if TYPE_CHECKING:
    from coset.model.executable import Executable

Performer = Callable[[Now], None]
MOST_PROCESSES = 255
ESCAPES = {"n": "\n", "t": "\t"}
"""The escapes of SPIN's simulator; any other escaped character denotes itself."""


def writable(row: object) -> MutableSequence[int]:
    """The rows of a moment are lists while a step is made."""
    return cast(MutableSequence[int], row)


class Performance:
    """Compiles effects of one model."""

    def __init__(self, interpreter: Executable, evaluation: Evaluation) -> None:
        self.interpreter = interpreter
        self.evaluation = evaluation

    def effect(self, effect: m.Effect) -> Performer:
        """The function that performs `effect`.  Sends and receives are performed by `send` and `receive`."""
        match effect:
            case m.Assign(place, value):
                store, function = self.store(place), self.evaluation.expression(value)
                return lambda now: store(now, function(now))
            case m.Run(kind, arguments, priority):
                return self.run(kind, arguments, priority)
            case m.Exit():
                return self.exit()
            case m.Assert(condition, message):
                return self.assertion(condition, message or f"assert({condition}) is violated")
            case m.Print(format_, arguments):
                return self.print(format_, arguments)
            case m.SetPriority(process, value):
                return self.set_priority(process, value)
            case m.Deliver(condition, channel, values):
                return self.delivery(condition, m.Send(channel, values))
            case _:
                raise TypeError(f"unknown effect {type(effect).__name__}")

    def store(self, place: e.Place) -> Callable[[Now, int], None]:
        """The function that assigns to a place; the value is truncated to its domain."""
        variable = place.variable
        if variable is None:
            return lambda now, value: None
        fit, at, shared = variable.domain.fit, self.evaluation.offset(variable, place.indices), variable.owner is None

        def store(now: Now, value: int) -> None:
            writable(now.values if shared else now.own)[at if isinstance(at, int) else at(now)] = fit(+value)

        return store

    # --- messages --------------------------------------------------------------------------------

    def values(self, send: m.Send) -> Callable[[Now, int], Message]:
        """The values that are sent to the channel at the given index, as they are computed."""
        functions = [self.evaluation.expression(value) for value in send.values]
        types = self.interpreter.channel_types

        def computed(now: Now, index: int) -> Message:
            fields = types[now.channels[index].type].fields
            values = tuple(+function(now) for function in functions)
            if len(values) != len(fields):
                raise Fault("message", f"{len(values)} values are sent to {send.channel}, which takes {len(fields)}")
            return values

        return computed

    def fitted(self, now: Now, index: int, values: Message) -> Message:
        """The message, with each field made to fit the channel."""
        fields = self.interpreter.channel_types[now.channels[index].type].fields
        return tuple(field.fit(value) for field, value in zip(fields, values, strict=True))

    def put(self, now: Now, index: int, values: Message, sort: bool) -> Message:
        """Store a message in a channel that has room.  As in SPIN, sorted messages are ordered by their values before
        truncation."""
        kind, held = now.channels[index]
        at = len(held)
        if sort:
            at = next((k for k, other in enumerate(held) if other > values), at)
        message = self.fitted(now, index, values)
        cast("list[Channel]", now.channels)[index] = Channel(kind, held[:at] + (message,) + held[at:])
        return message

    def delivery(self, condition: e.Expr, send: m.Send) -> Performer:
        """The function that sends a message to a channel which is known to have room."""
        holds, at = self.evaluation.expression(condition), self.evaluation.channel(send.channel)
        values, types = self.values(send), self.interpreter.channel_types

        def deliver(now: Now) -> None:
            if holds(now):
                index = at(now)
                held = now.channels[index]
                if len(held.messages) >= types[held.type].capacity:
                    raise Fault("blocked", f"{send.channel} has no room")
                self.put(now, index, values(now, index), sort=False)

        return deliver

    def bind(self, patterns: tuple[e.Pattern, ...]) -> Callable[[Now, Message], None]:
        """The function that stores the fields of a message in the variables of the patterns, from left to right."""
        stores = [(k, self.store(p.place)) for k, p in enumerate(patterns) if p.place is not None]

        def bind(now: Now, message: Message) -> None:
            for k, store in stores:
                store(now, message[k])

        return bind

    # --- processes -------------------------------------------------------------------------------

    def run(self, kind: str, arguments: tuple[e.Expr, ...], priority: int) -> Performer:
        functions = [self.evaluation.expression(argument) for argument in arguments]

        def run(now: Now) -> None:
            if len(now.processes) >= MOST_PROCESSES:
                raise Fault("processes", f"more than {MOST_PROCESSES} processes")
            now.started = self.interpreter.create(now, kind, [function(now) for function in functions], priority)

        return run

    def exit(self) -> Performer:
        def exit_(now: Now) -> None:
            kind = now.processes[now.pid].kind
            created = self.interpreter.channels_created[kind]
            if created:
                del cast("list[Channel]", now.channels)[-created:]
            del cast("list[object]", now.processes)[now.pid]

        return exit_

    def set_priority(self, process: e.Expr, value: e.Expr) -> Performer:
        who, level = self.evaluation.expression(process), self.evaluation.expression(value)

        def set_priority(now: Now) -> None:
            pid, priority = who(now), level(now)
            if 0 <= pid < len(now.processes):
                if not 1 <= priority <= 255:
                    raise Fault("priority", f"priority {priority} is not in 1..255")
                processes = cast("list[Process]", now.processes)
                processes[pid] = processes[pid]._replace(priority=priority)

        return set_priority

    # --- what is only observed -------------------------------------------------------------------

    def assertion(self, condition: e.Expr, message: str) -> Performer:
        function = self.evaluation.expression(condition)

        def assertion(now: Now) -> None:
            if not function(now):
                now.errors.append(("assertion", message))

        return assertion

    def print(self, format_: str, arguments: tuple[e.Expr, ...]) -> Performer:
        functions = [self.evaluation.expression(argument) for argument in arguments]
        domains = [named_domain(argument) for argument in arguments]
        text = unescaped(format_)

        def print_(now: Now) -> None:
            values = [function(now) for function in functions]
            now.output.append(formatted(text, values, domains))

        return print_


def named_domain(x: e.Expr) -> object:
    """The domain whose labels `%e` prints."""
    match x:
        case e.Get(variable) | e.Remote(variable=variable):
            return variable.domain
        case e.Const(_, domain):
            return domain
    return None


def unescaped(text: str) -> str:
    r"""The value of a Promela string, which the model stores as written.

    >>> unescaped(r"a\tb\n"), unescaped(r"\"100\"")
    ('a\tb\n', '"100"')
    """
    return re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), text)


def formatted(format_: str, values: list[int], domains: list[object]) -> str:
    """`printf` with the conversions of Promela.

    >>> formatted("x=%d %c%%", [3, 97], [None, None])
    'x=3 a%'
    """
    rest = iter(zip(values, domains, strict=True))

    def convert(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value, domain = next(rest, (0, None))
        match match[1]:
            case "c":
                return chr(value & 255)
            case "e":
                show = getattr(domain, "show", str)
                return str(show(value))
            case "x":
                return format(value & 0xFFFFFFFF, "x")
            case "o":
                return format(value & 0xFFFFFFFF, "o")
            case "u":
                return str(value & 0xFFFFFFFF)
            case _:
                return str(+value)

    return re.sub(r"%%|%[-0-9]*([cdeioux])", convert, format_)
