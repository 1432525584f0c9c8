"""Variables and expressions of a concurrent model whose processes are known, in sequential form.

Where a process stands becomes a variable; so do its own variables, each by itself.  A channel becomes a length and one
array per field of its messages; places that are not in use have a value that no message has, so that it is mistaken for
none when values are permuted.  What never changes becomes a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import places
from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.sequential.fold import fold, joined, negated
from coset.model.sequential.tokens import KEYWORDS
from coset.model.sequential_model import Home, Inexpressible
from coset.model.sequential_printer import identifier
from coset.model.state import State

NAMES = {
    e.Timeout: "timeout", e.Enabled: "enabled()", e.LastMover: "_last", e.Position: "pc_value()",
    e.PriorityOf: "get_priority()", e.NonProgress: "np_", e.Accepting: "a test for acceptance", e.Started: "run",
}  # fmt: skip


class Terms:
    """The variables of the sequential form, and translation of expressions into it."""

    def __init__(self, interpreter: Interpreter, states: Sequence[State], locations: Sequence[frozenset[int]]) -> None:
        self.interpreter, self.model, self.states, self.locations = interpreter, interpreter.model, states, locations
        self.kinds = [self.model.kinds[process.kind] for process in states[0].processes]
        self.variables: list[m.Variable] = []
        self.values: list[list[int]] = [[] for _ in states]
        """The start of each element of `variables` in each of the states."""
        self.homes: list[Home] = []
        self.unchecked: list[str] = []
        self.names: set[str] = set()
        self.changed = self.changing()
        self.mortal = [self.dies(p) for p in range(len(self.kinds))]
        self.fixed: dict[tuple[int | None, m.Variable, int], int] = {}
        """Values of elements that never change, by process."""
        self.own: dict[tuple[int | None, m.Variable], m.Variable] = {}
        self.at: list[m.Variable] = []
        for variable, offset in self.offsets(self.model.variables):
            self.declare(None, variable, [state.values[offset : offset + variable.size] for state in states])
        for p, kind in enumerate(self.kinds):
            self.declare_process(p, kind)
        self.lengths: list[m.Variable | None] = []
        self.fields: list[tuple[m.Variable, ...]] = []
        for c in range(len(states[0].channels)):
            self.declare_channel(c)

    # --- variables -------------------------------------------------------------------------------

    def offsets(self, variables: Sequence[m.Variable]) -> Iterator[tuple[m.Variable, int]]:
        return ((variable, self.interpreter.offset[variable]) for variable in variables)

    def edges(self, p: int) -> Iterator[tuple[int, m.Edge]]:
        """The edges that a process may take from now on."""
        return ((at, edge) for at, edge in self.kinds[p].edges() if at in self.locations[p])

    def changing(self) -> frozenset[tuple[int | None, m.Variable]]:
        """What is ever assigned: variables, each with its process if it is of one."""
        return frozenset(
            (p if place.variable.owner is not None else None, place.variable)
            for p in range(len(self.kinds))
            for _, edge in self.edges(p)
            for effect in edge.effects
            for place in places(effect)
            if place.variable is not None
        )

    def dies(self, p: int) -> bool:
        return any(edge.target == m.GONE for _, edge in self.edges(p))

    def new(
        self, name: str, domain: Domain, shape: tuple[int, ...], starts: Sequence[Sequence[int]], homes: Iterable[Home]
    ) -> m.Variable:
        name = identifier(name)
        while name in self.names or name in KEYWORDS:
            name += "_"
        self.names.add(name)
        variable = m.Variable(name, Domain(f"{domain.low}..{domain.high}", domain.low, domain.high), shape)
        self.variables.append(variable)
        self.homes += homes
        for row, start in zip(self.values, starts, strict=True):
            row.extend(start)
        return variable

    def declare(self, p: int | None, variable: m.Variable, starts: Sequence[tuple[int, ...]]) -> None:
        """A variable of the model (of process p), or its constant values."""
        if variable.hidden:
            raise Inexpressible(f"the hidden variable `{variable.name}`", variable.span)
        mortal = p is not None and self.mortal[p] and any(starts[0])
        if (p, variable) not in self.changed and not mortal and all(start == starts[0] for start in starts):
            self.fixed |= {(p, variable, k): value for k, value in enumerate(starts[0])}
            if not variable.shape:
                return
        name = variable.name if p is None else f"{self.kinds[p].name}_{p}_{variable.name}"
        what, owner, first = "global" if p is None else "local", p or 0, self.interpreter.offset[variable]
        homes = (Home(what, owner, first + k) for k in range(variable.size))
        self.own[p, variable] = self.new(name, variable.domain, variable.shape, starts, homes)

    def declare_process(self, p: int, kind: m.Kind) -> None:
        last = len(kind.locations) - (not self.mortal[p])
        starts = [[state.processes[p].at] for state in self.states]
        home = Home("location", p)
        self.at.append(self.new(f"{kind.name}_{p}_at", Domain("location", 0, last), (), starts, [home]))
        for variable, offset in self.offsets(kind.variables):
            rows = [state.processes[p].values[offset : offset + variable.size] for state in self.states]
            self.declare(p, variable, rows)

    def declare_channel(self, c: int) -> None:
        type_ = self.interpreter.channel_types[self.states[0].channels[c].type]
        held = [state.channels[c].messages for state in self.states]
        if type_.capacity == 0:
            self.lengths.append(None)
            self.fields.append(())
            return
        name = f"channel_{c + 1}"
        domain = Domain("length", 0, type_.capacity)
        lengths = [[len(messages)] for messages in held]
        self.lengths.append(self.new(f"{name}_length", domain, (), lengths, [Home("length", c)]))
        rows = []
        for k, field in enumerate(type_.fields):
            blank = field.low - 1
            starts = [[msg[k] for msg in messages] + [blank] * (type_.capacity - len(messages)) for messages in held]
            domain = Domain(field.name, blank, field.high)
            homes = (Home("field", c, k, place) for place in range(type_.capacity))
            rows.append(self.new(f"{name}_field_{k}", domain, (type_.capacity,), starts, homes))
        self.fields.append(tuple(rows))

    def capacity(self, c: int) -> int:
        return self.interpreter.channel_types[self.states[0].channels[c].type].capacity

    def length(self, c: int) -> e.Expr:
        variable = self.lengths[c]
        return e.Const(0) if variable is None else e.Get(variable)

    def gone(self, p: int) -> int:
        """The location of a process that is no more."""
        return len(self.kinds[p].locations)

    def stands(self, p: int, locations: Sequence[int]) -> e.Expr:
        """Whether a process stands at one of the locations."""
        return joined("||", (e.Binary("==", e.Get(self.at[p]), e.Const(at)) for at in locations))

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, x: e.Expr, p: int | None, otherwise: e.Expr = e.TRUE) -> e.Expr:
        """The expression as process p means it; `otherwise` is what `else` stands for."""

        def inner(part: e.Expr) -> e.Expr:
            return self.expression(part, p, otherwise)

        match x:
            case e.Const(value):
                return e.Const(value)
            case e.Get(variable, indices):
                return self.get(p if variable.owner is not None else None, variable, tuple(map(inner, indices)))
            case e.Unary(operator, operand):
                return fold(e.Unary(operator, inner(operand)))
            case e.Binary(operator, left, right):
                return fold(e.Binary(operator, inner(left), inner(right)))
            case e.Conditional(condition, yes, no):
                return fold(e.Conditional(inner(condition), inner(yes), inner(no)))
            case e.Self() if p is not None:
                return e.Const(p)
            case e.Otherwise():
                return otherwise
            case e.Youngest() if p is not None:
                return joined("&&", (self.is_gone(q) for q in range(p + 1, len(self.kinds))))
            case e.ProcessCount():
                return joined("+", (negated(self.is_gone(q)) for q in range(len(self.kinds))))
            case e.Length(channel):
                return self.of_channel(x, inner(channel), {c + 1: self.length(c) for c in range(len(self.lengths))})
            case e.Full(channel):
                full = {
                    c + 1: fold(e.Binary(">=", self.length(c), e.Const(max(1, self.capacity(c)))))
                    for c in range(len(self.lengths))
                }
                return self.of_channel(x, inner(channel), full)
            case e.Poll(channel, patterns, random):
                wanted = [None if y.value is None else inner(y.value) for y in patterns]
                return self.of_channel(x, inner(channel), self.polled(wanted, random))
            case e.AtLocation(kind, process, _, locations):
                standing = {q: self.stands(q, sorted(locations)) for q in self.of_kind(kind)}
                return self.of_process(kind, None if process is None else inner(process), standing)
            case e.Remote(kind, process, variable, indices):
                values = {q: self.get(q, variable, tuple(map(inner, indices))) for q in self.of_kind(kind)}
                return self.of_process(kind, None if process is None else inner(process), values)
        raise Inexpressible(f"`{NAMES.get(type(x), type(x).__name__)}`")

    def is_gone(self, p: int) -> e.Expr:
        return self.stands(p, [self.gone(p)]) if self.mortal[p] else e.FALSE

    def get(self, p: int | None, variable: m.Variable, indices: tuple[e.Expr, ...]) -> e.Expr:
        flat: int | None = 0
        for index, length in zip(indices, variable.shape, strict=True):
            known = isinstance(index, e.Const) and 0 <= index.value < length and flat is not None
            flat = flat * length + index.value if known else None  # type: ignore[operator, attr-defined]
        if flat is not None and (p, variable, flat) in self.fixed:
            return e.Const(self.fixed[p, variable, flat])
        return e.Get(self.own[p, variable], indices)

    def chosen(self, which: e.Expr, values: dict[int, e.Expr]) -> e.Expr:
        """The value for the number that `which` is; 0 if there is none."""
        if isinstance(which, e.Const):
            return values.get(which.value, e.Const(0))
        result: e.Expr = e.Const(0)
        for number, value in reversed(values.items()):
            result = e.Conditional(fold(e.Binary("==", which, e.Const(number))), value, result)
        return result

    def of_channel(self, x: e.Expr, which: e.Expr, values: dict[int, e.Expr]) -> e.Expr:
        """What is asked of a channel; 0 where the concurrent model has a fault, which is remembered."""
        if not (isinstance(which, e.Const) and which.value in values):
            self.unchecked.append(f"`{x}`")
        return self.chosen(which, values)

    def polled(self, wanted: Sequence[e.Expr | None], random: bool) -> dict[int, e.Expr]:
        """Whether channels with room hold what a poll asks for, which may leave out the last fields."""
        return {
            c + 1: joined("||", (self.matches(c, k, wanted) for k in range(self.capacity(c) if random else 1)))
            for c in range(len(self.lengths))
            if self.capacity(c) > 0 and len(self.fields[c]) >= len(wanted)
        }

    def matches(self, c: int, place: int, wanted: Sequence[e.Expr | None]) -> e.Expr:
        """Whether there is a message at that place of a channel, and it has the values that are wanted."""
        there = e.Binary(">", self.length(c), e.Const(place))
        fields = zip(self.fields[c], wanted, strict=False)
        equal = (e.Binary("==", e.Get(f, (e.Const(place),)), value) for f, value in fields if value is not None)
        return joined("&&", (there, *equal))

    def of_kind(self, kind: str) -> list[int]:
        return [q for q, each in enumerate(self.kinds) if each.name == kind]

    def of_process(self, kind: str, process: e.Expr | None, values: dict[int, e.Expr]) -> e.Expr:
        """The value for a process by number, or for the oldest that there is; 0 for one that is no more."""
        if process is not None:
            return self.chosen(process, {q: self.unless_gone(q, value) for q, value in values.items()})
        result: e.Expr = e.Const(0)
        for q, value in reversed(values.items()):
            result = fold(e.Conditional(negated(self.is_gone(q)), value, result))
        return result

    def unless_gone(self, p: int, value: e.Expr) -> e.Expr:
        return e.Conditional(self.is_gone(p), e.Const(0), value) if self.mortal[p] else value
