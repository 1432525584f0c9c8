"""Expressions of CSP# as expressions of the model, and the values that they can have."""

from __future__ import annotations

from collections.abc import Mapping

from coset.languages.csp import codes
from coset.languages.csp import tree as t
from coset.languages.csp.terms import Refused
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import BOOL, CHANNEL, INT, Domain
from coset.source.budget import current_budget

Interval = tuple[int, int]
WHOLE: Interval = (INT.low, INT.high)
TRUTH: Interval = (0, 1)
MOST_ELEMENTS = 100_000


def number(x: t.Expression) -> int:
    assert isinstance(x, t.Number), "names.py has put in constants"
    return x.value


def interval_domain(low: int, high: int) -> Domain:
    """The domain of a range.

    >>> print(interval_domain(0, 3))
    0..3
    """
    return Domain(f"{low}..{high}", low, high)


def between(low: int, high: int) -> range:
    """The values of `low..high`, which may go downwards.

    >>> list(between(3, 5)), list(between(5, 4))
    ([3, 4, 5], [5, 4])
    """
    return range(low, high + 1) if low <= high else range(low, high - 1, -1)


class Declarations:
    """The variables and channels of one model; only what is used becomes part of it."""

    def __init__(self, program: t.Program) -> None:
        self.program = program
        self.used: dict[str, m.Variable] = {}
        self.fields: dict[str, tuple[Domain, ...]] = {}

    def variables(self) -> tuple[m.Variable, ...]:
        """What is used, in the order of the text."""
        names = [*self.program.variables, *self.program.channels]
        return tuple(self.used[name] for name in names if name in self.used)

    def variable(self, name: str) -> m.Variable:
        if name not in self.used:
            self.used[name] = self.declared(self.program.variables[name])
        return self.used[name]

    def declared(self, x: t.Variable) -> m.Variable:
        shape = tuple(number(length) for length in x.shape)
        size = 1
        for length in shape:
            size *= length
        if size < 1 or size > MOST_ELEMENTS or any(length < 1 for length in shape):
            raise Refused(codes.BAD_RANGE, f"`{x.name}` has {size} elements", x)
        domain = self.domain(x)
        values = [
            value
            for low, high, count in x.initial
            for value in between(number(low), number(high))
            for _ in range(number(count))
        ] or [0]
        if len(values) not in (1, size):
            raise Refused(codes.BAD_RANGE, f"`{x.name}` has {size} elements and {len(values)} initial values", x)
        for value in values:
            if not domain.low <= value <= domain.high:
                raise Refused(codes.BAD_RANGE, f"{value}, the initial value of `{x.name}`, is not in {domain}", x)
        return m.Variable(x.name, domain, shape, initial=tuple(e.Const(value) for value in values), span=x.span)

    def domain(self, x: t.Variable) -> Domain:
        if x.bounds is not None:
            low = INT.low if x.bounds[0] is None else number(x.bounds[0])
            high = INT.high if x.bounds[1] is None else number(x.bounds[1])
            if low > high:
                raise Refused(codes.BAD_RANGE, f"the range {low}..{high} of `{x.name}` is empty", x)
            return interval_domain(low, high)
        return BOOL if x.boolean else INT

    def channel(self, name: str, index: e.Expr | None) -> e.Expr:
        if name not in self.used:
            x = self.program.channels[name]
            capacity = number(x.capacity)
            shape = () if x.shape is None else (number(x.shape),)
            if not 0 <= capacity <= 255 or any(not 1 <= length <= 255 for length in shape):
                raise Refused(codes.BAD_RANGE, f"`{name}`: sizes and capacities go up to 255", x)
            new = m.NewChannel(m.ChannelType(name, capacity, self.fields.get(name, ())))
            self.used[name] = m.Variable(name, CHANNEL, shape, initial=new, span=x.span)
        return e.Get(self.used[name], () if index is None else (index,))


class Expressions:
    """Expressions as one kind of process sees them: `own` are its parameters, with their bounds, and the locals of its
    operations."""

    def __init__(
        self, declarations: Declarations, own: Mapping[str, m.Variable], bounds: Mapping[str, Interval] | None = None
    ) -> None:
        self.declarations = declarations
        self.own = own
        self.bounds = bounds or {}

    def condition(self, guards: tuple[t.Expression, ...]) -> e.Expr:
        result = e.TRUE
        for guard in guards:
            result = e.conjunction(result, self.lower(guard))
        return result

    def lower(self, x: t.Expression) -> e.Expr:
        current_budget().check()
        match x:
            case t.Number(value):
                return e.Const(value)
            case t.Parameter(name):
                return e.Get(self.own[name])
            case t.Name(name):
                return e.Get(self.own[name] if name in self.own else self.declarations.variable(name))
            case t.Element(name, indices):
                return e.Get(self.declarations.variable(name), tuple(map(self.lower, indices)))
            case t.Unary(operator, operand):
                return e.Unary(operator, self.lower(operand))
            case t.Binary("%", left, right):
                return self.remainder(left, right)
            case t.Binary(operator, left, right):
                return e.Binary(operator, self.lower(left), self.lower(right))
            case t.Query():
                return self.query(x)
        raise TypeError(f"unknown expression {type(x).__name__}")

    def remainder(self, left: t.Expression, right: t.Expression) -> e.Expr:
        """A remainder is never negative; the model's own has the sign of what is divided."""
        a, b = self.lower(left), self.lower(right)
        plain = e.Binary("%", a, b)
        if self.interval(left)[0] >= 0:
            return plain
        size: e.Expr = b
        if self.interval(right)[0] < 0:
            size = e.Conditional(e.Binary("<", b, e.Const(0)), e.Unary("-", b), b)
        return e.Conditional(e.Binary("<", plain, e.Const(0)), e.Binary("+", plain, size), plain)

    def query(self, x: t.Query) -> e.Expr:
        index = None if x.index is None else self.lower(x.index)
        channel = self.declarations.channel(x.channel, index)
        match x.question:
            case "cfull":
                return e.Full(channel)
            case "cempty":
                return e.Binary("==", e.Length(channel), e.Const(0))
        return e.Length(channel)

    # --- values ------------------------------------------------------------------------------------

    def interval(self, x: t.Expression) -> Interval:
        """Bounds of the values of an expression."""
        match x:
            case t.Number(value):
                return value, value
            case t.Parameter(name):
                return self.bounds[name]
            case t.Name(name):
                return bounds(self.own[name] if name in self.own else self.declarations.variable(name))
            case t.Element(name):
                return bounds(self.declarations.variable(name))
            case t.Unary("-", operand):
                low, high = self.interval(operand)
                return fitting(-high, -low)
            case t.Binary(operator, left, right):
                return combined(operator, self.interval(left), self.interval(right))
            case t.Query("ccount", channel):
                return 0, number(self.declarations.program.channels[channel].capacity)
        return TRUTH


def bounds(variable: m.Variable) -> Interval:
    return variable.domain.low, variable.domain.high


def fitting(low: int, high: int) -> Interval:
    """The interval, or everything if the result may wrap around."""
    return (low, high) if low >= WHOLE[0] and high <= WHOLE[1] else WHOLE


def combined(operator: str, a: Interval, b: Interval) -> Interval:
    """Interval arithmetic.

    >>> combined("+", (0, 3), (1, 1)), combined("%", (1, 4), (3, 3)), combined("-", (0, 1), (0, 5))
    ((1, 4), (0, 2), (-5, 1))
    """
    match operator:
        case "+":
            return fitting(a[0] + b[0], a[1] + b[1])
        case "-":
            return fitting(a[0] - b[1], a[1] - b[0])
        case "*":
            products = [x * y for x in a for y in b]
            return fitting(min(products), max(products))
        case "%":
            most = max(abs(b[0]), abs(b[1]), 1) - 1
            return 0, min(a[1], most) if a[0] >= 0 else most
        case "/":
            most = max(abs(a[0]), abs(a[1]))
            return (0 if a[0] >= 0 and b[0] >= 0 else -most), most
    return TRUTH
