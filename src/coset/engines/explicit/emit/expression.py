"""Expressions as C expressions of type int.

The text is for a function with `ctx` (the context of the search), a state (`s`, or `t` while it is being changed), the slot
of the process in it (`p` or `q`) and the number `pid` of the process.  An expression without a value sets `ctx->fault`.
"""

from __future__ import annotations

from coset.engines.explicit.layout import ArrayField, Field, Layout, MessageType
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import assigned
from coset.model.domain import Domain
from coset.source.records import dataclass

INT_MIN = -(1 << 31)


@dataclass(frozen=True, slots=True)
class View:
    """The names that a C function uses for the state and the slot of the process."""

    state: str
    slot: str
    pid: str = "pid"


READ, WRITE = View("s", "p"), View("t", "q")


@dataclass(frozen=True, slots=True)
class KnownChannel:
    """A channel whose type is known when C is emitted; `offset` is a C expression for its place in the state."""

    type: MessageType
    offset: str
    number: str


def read(field: Field, base: str) -> str:
    """The C expression that reads a field; `base` is a C expression for a pointer.

    >>> read(Field(3, 1, 2), "s")
    '(s[3] >> 2 & 1)'
    """
    if field.whole:
        if field.bits == 8:
            return f"{'(signed char)' if field.signed else ''}{base}[{field.offset}]"
        get = "get32" if field.bits == 32 else "get16" if field.signed else "getu16"
        return f"{get}({base} + {field.offset})"
    return f"({base}[{field.offset}] >> {field.shift} & {(1 << field.bits) - 1})"


def write(field: Field, base: str, value: str) -> str:
    """The C statement that writes a field; a value that is too large loses its upper bits, as in Promela."""
    if field.whole:
        return {8: f"{base}[{field.offset}] = (u8)({value});", 16: f"set16({base} + {field.offset}, {value});",
                32: f"set32({base} + {field.offset}, {value});"}[field.bits]  # fmt: skip
    return f"set_bits({base} + {field.offset}, {field.shift}, {(1 << field.bits) - 1}, {value});"


def fitted(domain: Domain, value: str) -> str:
    """The C expression of the value that is stored; whole bytes are truncated by the type.

    >>> from coset.model.domain import BYTE, unsigned
    >>> fitted(BYTE, "v"), fitted(unsigned(3), "v")
    ('(u8)(v)', '((v) & 7)')
    """
    match domain.low, domain.high:
        case 0, 255:
            return f"(u8)({value})"
        case -32768, 32767:
            return f"(int16_t)({value})"
        case -2147483648, 2147483647:
            return value
        case 0, high if high & (high + 1) == 0:
            return f"(({value}) & {high})"
        case low, high:
            return f"fit_range({value}, {low}, {high})"


class Expressions:
    """Emits expressions of one model under one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.model = layout.interpreter.model
        self.kind_number = layout.interpreter.kind_number
        self.numbers = channel_numbers(layout)
        self.constant = constant_channels(self.model)

    # --- variables -------------------------------------------------------------------------------

    def array(self, variable: m.Variable) -> ArrayField:
        if variable.owner is None:
            return self.layout.variables[variable]
        return self.layout.kinds[self.kind_number[variable.owner]].variables[variable]

    def position(self, variable: m.Variable, indices: tuple[e.Expr, ...], view: View) -> str | int:
        """The number of an element in its array: a constant, or a C expression that checks the bounds."""
        known = [i.value for i in indices if isinstance(i, e.Const)]
        if len(known) == len(indices) and all(0 <= i < n for i, n in zip(known, variable.shape, strict=True)):
            position = 0
            for index, length in zip(known, variable.shape, strict=True):
                position = position * length + index
            return position
        text = ""
        for expression, length in zip(indices, variable.shape, strict=True):
            part = f"bounded(ctx, {self.value(expression, view)}, {length})"
            text = part if not text else f"({text}) * {length} + {part}"
        return text

    def element(
        self, variable: m.Variable, indices: tuple[e.Expr, ...], view: View, base: str | None = None
    ) -> tuple[Field, str]:
        """The field of a variable or element, and the pointer that it is relative to."""
        array = self.array(variable)
        pointer = base or (view.state if variable.owner is None else view.slot)
        if not indices:
            return array.first, pointer
        position = self.position(variable, indices, view)
        if isinstance(position, int):
            return array.element(position), pointer
        stride = f"{array.stride} * " if array.stride != 1 else ""
        return array.first, f"({pointer} + {stride}({position}))"

    # --- values ----------------------------------------------------------------------------------

    def value(self, x: e.Expr, view: View) -> str:
        match x:
            case e.Const(value):
                return f"({INT_MIN + 1} - 1)" if value == INT_MIN else str(value) if value >= 0 else f"({value})"
            case e.Get(variable, indices):
                known = self.known_channel(x, view)
                if known is not None:
                    return known.number
                return read(*self.element(variable, indices, view))
            case e.Unary(operator, operand):
                return f"{operator}({self.value(operand, view)})"
            case e.Binary(operator, left, right):
                return self.binary(operator, self.value(left, view), self.value(right, view))
            case e.Conditional(condition, yes, no):
                return f"({self.value(condition, view)} ? {self.value(yes, view)} : {self.value(no, view)})"
            case e.Checked(operand, low, high, fault):
                return f"checked(ctx, {self.value(operand, view)}, {low}, {high}, FAULT_{fault.upper()})"
            case e.Self():
                return view.pid
            case e.ProcessCount():
                return f"process_count({view.state})"
            case e.Started():
                return "ctx->started"
            case e.LastMover():
                assert self.layout.mover is not None
                return read(self.layout.mover, view.state)
            case e.Youngest():
                return f"({view.pid} == process_count({view.state}) - 1)"
            case e.Timeout():
                return "ctx->timeout"
            case e.Otherwise():
                return "!moved"
            case e.Length(channel):
                return self.length(channel, view)
            case e.Full(channel):
                return f"(({self.length(channel, view)}) >= {self.capacity(channel, view)})"
            case e.Poll():
                return self.poll(x, view)
            case _:
                return self.about_others(x, view)

    def binary(self, operator: str, left: str, right: str) -> str:
        match operator:
            case "/":
                return f"divide(ctx, {left}, {right})"
            case "%":
                return f"modulo(ctx, {left}, {right})"
            case "<<":
                return f"(int)((unsigned)({left}) << (({right}) & 31))"
            case ">>":
                return f"(({left}) >> (({right}) & 31))"
            case _:
                return f"({left} {operator} {right})"

    # --- channels --------------------------------------------------------------------------------

    def known_channel(self, x: e.Expr, view: View) -> KnownChannel | None:
        """The channel that an expression always denotes, if it is a variable that is never assigned."""
        if not isinstance(x, e.Get) or x.variable not in self.constant:
            return None
        variable, initial = x.variable, x.variable.initial
        assert isinstance(initial, m.NewChannel)
        type_ = self.layout.message_type(initial.type)
        position = self.position(variable, x.indices, view) if x.indices else 0
        number, first = self.numbers[variable]
        offset = f"{first} + {type_.size} * ({position})" if position else str(first)
        if variable.owner is None:
            return KnownChannel(type_, offset, f"({number} + ({position}))" if position else str(number))
        own = f"(int)({view.slot} - {view.state}) + {offset}"
        return KnownChannel(type_, own, f"(first_channel({view.state}, {view.pid}) + {number} + ({position}))")

    def length(self, channel: e.Expr, view: View) -> str:
        known = self.known_channel(channel, view)
        if known is not None:
            return f"{view.state}[{known.offset}]" if known.type.capacity else "0"
        return f"channel_length(ctx, {view.state}, {self.value(channel, view)})"

    def capacity(self, channel: e.Expr, view: View) -> str:
        known = self.known_channel(channel, view)
        if known is not None:
            return str(max(1, known.type.capacity))
        return f"channel_capacity(ctx, {view.state}, {self.value(channel, view)})"

    def poll(self, x: e.Poll, view: View) -> str:
        known = self.known_channel(x.channel, view)
        wanted = [f"{self.value(p.value, view)}" if p.value is not None else "0" for p in x.patterns]
        mask = sum(1 << k for k, p in enumerate(x.patterns) if p.value is not None)
        values = f"(const int[]){{{', '.join(wanted) or '0'}}}"
        if known is not None:
            if known.type.capacity == 0:
                return "fault_value(ctx, FAULT_POLL)"
            start = f"{view.state} + {known.offset}"
            # In an empty channel nothing is compared, so that an expression without a value is no fault.
            holds_any = f"{view.state}[{known.offset}] && "
            return f"({holds_any}find_{known.type.number}({start}, {values}, {mask}u, {int(x.random)}) >= 0)"
        there = f"ctx, {view.state}, {self.value(x.channel, view)}"
        return f"(channel_polled({there}) && receivable({there}, {values}, {mask}u, {int(x.random)}))"

    # --- other processes -------------------------------------------------------------------------

    def someone(self, kind: str, process: e.Expr | None, view: View) -> str:
        if process is None:
            return f"oldest({view.state}, {self.kind_number[kind]})"
        return f"existing({view.state}, {self.value(process, view)}, {self.kind_number[kind]})"

    def about_others(self, x: e.Expr, view: View) -> str:
        match x:
            case e.AtLocation(kind, process, _, locations):
                who = self.someone(kind, process, view)
                number = self.kind_number[kind]
                tests = [f"stands_{number}({view.state}, {who}, {place})" for place in sorted(locations)]
                return f"({' || '.join(tests) or '0'})"
            case e.Remote(kind, process, variable, indices):
                who = self.someone(kind, process, view)
                field, pointer = self.element(variable, indices, view, base=f"slot_of({view.state}, {who})")
                return f"({who} < 0 ? 0 : {read(field, pointer)})"
            case e.Enabled(process):
                return f"enabled(ctx, {view.state}, {self.value(process, view)})"
            case e.Position(process):
                return f"known_position({view.state}, {self.value(process, view)})"
            case e.PriorityOf(process):
                return f"priority_of({view.state}, {self.value(process, view)})"
            case e.NonProgress():
                return f"!at_some_progress({view.state})"
            case e.Accepting():
                return f"at_some_accept({view.state})"
            case _:
                raise TypeError(f"unknown expression {type(x).__name__}")


def can_fault(x: e.Expr) -> bool:
    """Whether evaluating may set `ctx->fault`."""
    for part in x.walk():
        match part:
            case e.Get(variable, indices) | e.Remote(variable=variable, indices=indices) if may_miss(variable, indices):
                return True
            case e.Binary("/" | "%", _, right) if not (isinstance(right, e.Const) and right.value not in (0, -1)):
                return True
            case e.Length() | e.Full() | e.Poll() | e.Enabled() | e.Checked():
                return True
    return False


def may_miss(variable: m.Variable, indices: tuple[e.Expr, ...]) -> bool:
    """Whether an element may be outside of its array: an index is not constant, or out of range."""
    return not all(
        isinstance(index, e.Const) and 0 <= index.value < length
        for index, length in zip(indices, variable.shape, strict=True)
    )


def constant_channels(model: m.Model) -> set[m.Variable]:
    """Variables that always hold the channels they were declared with: they are never assigned."""
    changing = assigned(model)
    everything = [*model.variables, *(v for kind in model.kinds for v in kind.variables)]
    return {v for v in everything if isinstance(v.initial, m.NewChannel) and v not in changing}


def channel_numbers(layout: Layout) -> dict[m.Variable, tuple[int, int]]:
    """For each variable that creates channels: the number of its first one (for a local variable, counted from
    the first channel of the process) and its offset."""
    model = layout.interpreter.model
    result: dict[m.Variable, tuple[int, int]] = {}
    rows = [(model.variables, layout.channels, 1)]
    rows += [(kind.variables, list(layout.kinds[k].channels), 0) for k, kind in enumerate(model.kinds)]
    for variables, channels, number in rows:
        position = 0
        for variable in variables:
            if isinstance(variable.initial, m.NewChannel):
                result[variable] = (number + position, channels[position][1])
                position += variable.size
    return result
