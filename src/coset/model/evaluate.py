"""Expressions as Python functions of the context (`Now`) in which they are evaluated.

Each kind of expression becomes one small closure, which defines its meaning.
Compiling once and calling often is several times faster than walking the tree each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from coset.model import expression as e
from coset.model.model import ChannelType, Variable
from coset.model.state import Channel, Message, Process

if TYPE_CHECKING:
    from coset.model.executable import Executable


class Fault(Exception):
    """A runtime error: an index out of range, a division by zero, an invalid channel."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class Now:
    """The context of an evaluation: a state, possibly in the middle of a step, and the process that evaluates."""

    __slots__ = (
        "channels",
        "errors",
        "mover",
        "offer",
        "otherwise",
        "output",
        "own",
        "pid",
        "processes",
        "started",
        "timeout",
        "values",
        "watch",
    )  # fmt: skip

    values: Sequence[int]
    """Global variables; a list while a step is being made."""
    channels: Sequence[Channel]
    processes: Sequence[Process]
    watch: int
    mover: int
    pid: int
    own: Sequence[int]
    """The variables of process `pid`; a list while it makes a step."""
    timeout: bool
    otherwise: bool
    offer: tuple[int, Message] | None
    """The offered handshake: channel number and message."""
    started: int
    errors: list[tuple[str, str]]
    output: list[str]


Evaluator = Callable[[Now], int]


def wrap(value: int) -> int:
    """The 32-bit two's complement integer with the same last 32 bits.

    >>> wrap(2**31), wrap(-(2**31) - 1), wrap(7)
    (-2147483648, 2147483647, 7)
    """
    if -0x80000000 <= value <= 0x7FFFFFFF:
        return value
    return (value + 0x80000000 & 0xFFFFFFFF) - 0x80000000


def divide(a: int, b: int) -> int:
    """Division that rounds towards zero.

    >>> divide(-7, 2), remainder(-7, 2)
    (-3, -1)
    """
    if b == 0:
        raise Fault("division", "division by zero")
    quotient = abs(a) // abs(b)
    return wrap(quotient if (a < 0) == (b < 0) else -quotient)


def remainder(a: int, b: int) -> int:
    """The remainder of `divide`: it has the sign of `a`."""
    if b == 0:
        raise Fault("division", "remainder of a division by zero")
    return a - b * (abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def checked(operand: Evaluator, low: int, high: int, fault: str, message: str) -> Evaluator:
    """The function that computes a value and raises a fault if it is not one of `low..high`."""

    def value(now: Now) -> int:
        found = operand(now)
        if not low <= found <= high:
            raise Fault(fault, FAULT_TEXTS.get(fault, "{0}").format(message, found))
        return found

    return value


FAULT_TEXTS = {"undefined": "{0} is read and has no value", "range": "{1} does not fit {0}"}
"""What is said of values that are not as they should be, with the message of the check."""

OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: wrap(a + b),
    "-": lambda a, b: wrap(a - b),
    "*": lambda a, b: wrap(a * b),
    "/": divide,
    "%": remainder,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    # The machine takes shift counts modulo 32, and so do compiled verifiers.
    "<<": lambda a, b: wrap(a << (b & 31)),
    ">>": lambda a, b: a >> (b & 31),
    # No language has these: loops that search for an extreme value are read so (`symmetry/symbolic`).
    "max": max,
    "min": min,
}


class Evaluation:
    """Compiles expressions of one model."""

    def __init__(self, interpreter: Executable) -> None:
        self.interpreter = interpreter
        self.types: tuple[ChannelType, ...] = interpreter.channel_types

    def offset(self, variable: Variable, indices: tuple[e.Expr, ...]) -> Evaluator | int:
        """The offset of an element in the flat layout: a number if it is constant, otherwise a function."""
        base = self.interpreter.offset[variable]
        if not indices:
            return base
        if len(indices) != len(variable.shape):
            raise ValueError(f"{variable.name} needs {len(variable.shape)} indices")
        known = [index.value for index in indices if isinstance(index, e.Const)]
        if len(known) == len(indices) and all(0 <= i < n for i, n in zip(known, variable.shape, strict=True)):
            return base + flat(known, variable.shape)
        functions = [self.expression(index) for index in indices]
        if len(functions) == 1:
            function, length = functions[0], variable.shape[0]

            def one(now: Now) -> int:
                index = function(now)
                if not 0 <= index < length:
                    raise Fault("index", f"index {index} of {variable.name} is not in 0..{length - 1}")
                return base + index

            return one

        def many(now: Now) -> int:
            position = 0
            for function, length in zip(functions, variable.shape, strict=True):
                index = function(now)
                if not 0 <= index < length:
                    raise Fault("index", f"index {index} of {variable.name} is not in 0..{length - 1}")
                position = position * length + index
            return base + position

        return many

    def get(self, variable: Variable, indices: tuple[e.Expr, ...]) -> Evaluator:
        at = self.offset(variable, indices)
        if isinstance(at, int):
            if variable.owner is None:
                return lambda now: now.values[at]
            return lambda now: now.own[at]
        if variable.owner is None:
            return lambda now: now.values[at(now)]
        return lambda now: now.own[at(now)]

    def expression(self, x: e.Expr) -> Evaluator:
        """The function that computes `x`."""
        match x:
            case e.Const(value):
                return lambda now: value
            case e.Get(variable, indices):
                return self.get(variable, indices)
            case e.Unary(operator, operand):
                return self.unary(operator, self.expression(operand))
            case e.Binary(operator, left, right):
                return self.binary(operator, left, right)
            case e.Conditional(condition, yes, no):
                c, y, n = self.expression(condition), self.expression(yes), self.expression(no)
                return lambda now: y(now) if c(now) else n(now)
            case e.Checked(operand, low, high, fault, message):
                return checked(self.expression(operand), low, high, fault, message or str(operand))
            case e.Self():
                return lambda now: now.pid
            case e.ProcessCount():
                return lambda now: len(now.processes)
            case e.Started():
                return lambda now: now.started
            case e.LastMover():
                return lambda now: now.mover
            case e.Youngest():
                return lambda now: now.pid == len(now.processes) - 1
            case e.Timeout():
                return lambda now: now.timeout
            case e.Otherwise():
                return lambda now: now.otherwise
            case e.Length(channel):
                at = self.channel(channel)
                return lambda now: len(now.channels[at(now)].messages)
            case e.Full(channel):
                return self.full(channel)
            case e.Poll(channel, patterns, random):
                return self.poll(channel, patterns, random)
            case (
                e.AtLocation()
                | e.Remote()
                | e.Enabled()
                | e.Position()
                | e.PriorityOf()
                | e.NonProgress()
                | e.Accepting()
            ):
                return self.about_others(x)
            case _:
                raise TypeError(f"unknown expression {type(x).__name__}")

    def unary(self, operator: str, operand: Evaluator) -> Evaluator:
        match operator:
            case "!":
                return lambda now: not operand(now)
            case "-":
                return lambda now: wrap(-operand(now))
            case "~":
                return lambda now: ~operand(now)
        raise TypeError(f"unknown operator {operator}")

    def binary(self, operator: str, left: e.Expr, right: e.Expr) -> Evaluator:
        a, b = self.expression(left), self.expression(right)
        match operator:
            case "&&":
                return lambda now: bool(a(now) and b(now))
            case "||":
                return lambda now: bool(a(now) or b(now))
            case "==":
                return lambda now: a(now) == b(now)
            case "!=":
                return lambda now: a(now) != b(now)
            case _:
                function = OPERATORS[operator]
                return lambda now: function(a(now), b(now))

    # --- channels --------------------------------------------------------------------------------

    def channel(self, x: e.Expr) -> Evaluator:
        """The index of the channel that `x` refers to; it is a fault if there is none."""
        number = self.expression(x)

        def index(now: Now) -> int:
            value = number(now)
            if not 0 < value <= len(now.channels):
                raise Fault("channel", f"{x} is not a channel (its value is {value})")
            return value - 1

        return index

    def full(self, channel: e.Expr) -> Evaluator:
        at, types = self.channel(channel), self.types

        def full(now: Now) -> int:
            # A channel for handshakes is never full: it holds the message that is being handed over.
            held = now.channels[at(now)]
            return len(held.messages) >= max(1, types[held.type].capacity)

        return full

    def patterns(self, patterns: tuple[e.Pattern, ...], whole: bool = True) -> Callable[[Now, Message], bool]:
        """Whether a message matches the patterns; with `whole`, it must have no further fields (as in SPIN, a poll may omit the
        last ones)."""
        wanted = [(k, self.expression(p.value)) for k, p in enumerate(patterns) if p.value is not None]
        count = len(patterns)

        def matches(now: Now, message: Message) -> bool:
            if len(message) < count or (whole and len(message) > count):
                raise Fault("message", f"{count} fields are received of a message with {len(message)}")
            return all(message[k] == value(now) for k, value in wanted)

        return matches

    def poll(self, channel: e.Expr, patterns: tuple[e.Pattern, ...], random: bool) -> Evaluator:
        at, matches, types = self.channel(channel), self.patterns(patterns, whole=False), self.types

        def poll(now: Now) -> int:
            held = now.channels[at(now)]
            if types[held.type].capacity == 0:
                raise Fault("poll", f"the contents of {channel}, a channel of capacity 0, are tested")
            if random:
                return any(matches(now, message) for message in held.messages)
            return bool(held.messages) and matches(now, held.messages[0])

        return poll

    # --- other processes -------------------------------------------------------------------------

    def someone(self, kind: str, process: e.Expr | None) -> Evaluator:
        """The number of the denoted process; -1 if there is none."""
        number = self.interpreter.kind_number[kind]
        if process is None:
            return lambda now: next((i for i, p in enumerate(now.processes) if p.kind == number), -1)
        function = self.expression(process)

        def named(now: Now) -> int:
            pid = function(now)
            return pid if 0 <= pid < len(now.processes) else -1

        return named

    def about_others(self, x: e.Expr) -> Evaluator:
        match x:
            case e.AtLocation(kind, process, _, locations):
                who, number = self.someone(kind, process), self.interpreter.kind_number[kind]

                def at_location(now: Now) -> int:
                    pid = who(now)
                    if pid < 0:
                        return False
                    other = now.processes[pid]
                    return other.kind == number and other.at in locations

                return at_location
            case e.Remote(kind, process, variable, indices):
                who, number = self.someone(kind, process), self.interpreter.kind_number[kind]
                offset = self.offset(variable, indices)

                def remote(now: Now) -> int:
                    pid = who(now)
                    if pid < 0 or now.processes[pid].kind != number:
                        return 0
                    return now.processes[pid].values[offset if isinstance(offset, int) else offset(now)]

                return remote
            case e.Enabled(process):
                pid, interpreter = self.expression(process), self.interpreter
                return lambda now: interpreter.enabled(now, pid(now))
            case e.Position(process):
                pid = self.expression(process)
                kinds = self.interpreter.model.kinds

                def position(now: Now) -> int:
                    number = pid(now)
                    if not 0 <= number < len(now.processes):
                        return 0
                    other = now.processes[number]
                    return kinds[other.kind].locations[other.at].number

                return position
            case e.PriorityOf(process):
                pid = self.expression(process)
                return lambda now: now.processes[i].priority if 0 <= (i := pid(now)) < len(now.processes) else 0
            case e.Accepting():
                kinds = self.interpreter.model.kinds
                return lambda now: any(kinds[p.kind].locations[p.at].accept for p in now.processes)
            case e.NonProgress():
                kinds = self.interpreter.model.kinds
                return lambda now: not any(kinds[p.kind].locations[p.at].progress for p in now.processes)
            case _:
                raise TypeError(f"unknown expression {type(x).__name__}")


def flat(indices: Sequence[int], shape: Sequence[int]) -> int:
    """The offset of an element in row order.

    >>> flat([1, 1], [3, 2])
    3
    """
    position = 0
    for index, length in zip(indices, shape, strict=True):
        position = position * length + index
    return position
