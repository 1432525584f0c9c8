"""Bounds of values, and which expressions may fault (an index out of range, a division by zero, an invalid channel).

Passes remove or move evaluations only if these cannot fault, so that no error is lost and none is reported at another place.
An expression may fault unless it is shown to be safe.  Intervals are enough for indices in practice (Cousot and
Cousot, Abstract interpretation, POPL 1977): one for each variable, wherever the process is, widened to the domain
where a few rounds do not settle it; and for `_pid` a bound on the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import places
from coset.model.domain import INT
from coset.model.effects import MOST_PROCESSES

Interval = tuple[int, int]
ANY: Interval = (INT.low, INT.high)
ROUNDS = 4


class Ranges:
    """The bounds of one model.  `table` has the variables with tighter bounds than their domains."""

    def __init__(self, table: Mapping[m.Variable, Interval] | None = None, processes: int = MOST_PROCESSES) -> None:
        self.table = dict(table or {})
        self.processes = processes

    def of_variable(self, variable: m.Variable) -> Interval:
        return self.table.get(variable, (variable.domain.low, variable.domain.high))

    def interval(self, x: e.Expr) -> Interval:
        """Bounds of the value of an expression.

        >>> from coset.model.domain import BYTE
        >>> i = e.Get(m.Variable("i", BYTE))
        >>> Ranges().interval(e.Binary("%", e.Binary("+", i, e.Const(1)), e.Const(3)))
        (0, 2)
        """
        match x:
            case e.Const(value):
                return value, value
            case e.Get(variable):
                return self.of_variable(variable)
            case e.Remote(variable=variable):
                return hull((0, 0), self.of_variable(variable))
            case e.Checked(operand, low, high):
                least, most = self.interval(operand)
                return (max(low, least), min(high, most)) if max(low, least) <= min(high, most) else (low, high)
            case e.Self():
                return 0, self.processes - 1
            case e.Unary("!") | e.Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"):
                return 0, 1
            case e.Youngest() | e.Poll() | e.Full() | e.AtLocation() | e.Enabled() | e.NonProgress() | e.Accepting():
                return 0, 1
            case e.Conditional(_, yes, no):
                return hull(self.interval(yes), self.interval(no))
            case e.Unary("-", operand):
                return arithmetic("-", (0, 0), self.interval(operand))
            case e.Binary(operator, left, right):
                return arithmetic(operator, self.interval(left), self.interval(right))
        return ANY

    # --- faults ----------------------------------------------------------------------------------

    def may_fault(self, x: e.Expr) -> bool:
        """Whether the evaluation of an expression may fail.

        >>> ranges, two, pid = Ranges(), e.Const(2), e.Self()
        >>> ranges.may_fault(e.Binary("/", pid, two)), ranges.may_fault(e.Binary("/", two, pid))
        (False, True)
        """
        return any(self.fault_at(part) for part in x.walk())

    def fault_at(self, x: e.Expr) -> bool:
        """Whether this operation itself may fault, regardless of its operands."""
        match x:
            case e.Get(variable, indices) | e.Remote(variable=variable, indices=indices):
                return self.index_may_fault(indices, variable.shape)
            case e.Binary("/" | "%", _, right):
                low, high = self.interval(right)
                return low <= 0 <= high
            case e.Checked(operand, low, high):
                least, most = self.interval(operand)
                return least < low or most > high
            case e.Length() | e.Full() | e.Poll():
                return True
        return False

    def index_may_fault(self, indices: tuple[e.Expr, ...], shape: tuple[int, ...]) -> bool:
        """Whether an element may be outside of its array."""
        bounds = [self.interval(index) for index in indices]
        return any(low < 0 or high >= length for (low, high), length in zip(bounds, shape, strict=True))

    def place_may_fault(self, place: e.Place) -> bool:
        """Whether finding the place may fail."""
        if place.variable is None:
            return False
        return self.index_may_fault(place.indices, place.variable.shape) or any(map(self.may_fault, place.indices))


def hull(one: Interval, other: Interval) -> Interval:
    return min(one[0], other[0]), max(one[1], other[1])


def arithmetic(operator: str, left: Interval, right: Interval) -> Interval:
    """Bounds of `left operator right`; anything when it may wrap around.

    >>> arithmetic("*", (0, 3), (-1, 2)), arithmetic("&", (-5, 9), (3, 3)), arithmetic("+", ANY, (1, 1)) == ANY
    ((-3, 6), (0, 3), True)
    """
    (a, b), (c, d) = left, right
    match operator:
        case "+":
            low, high = a + c, b + d
        case "-":
            low, high = a - d, b - c
        case "*":
            corners = [a * c, a * d, b * c, b * d]
            low, high = min(corners), max(corners)
        case "%" if c > 0:
            low, high = (0 if a >= 0 else 1 - d), (d - 1 if b >= 0 else 0)
        case "/" if a >= 0 and c > 0:
            low, high = a // d, b // c
        case "/":
            high = max(abs(a), abs(b))
            low = -high
        case "%":
            high = min(max(abs(a), abs(b)), max(abs(c), abs(d)))
            low = -high
        case "&" if c >= 0:
            low, high = 0, d
        case "&" if a >= 0:
            low, high = 0, b
        case "|" | "^" if a >= 0 and c >= 0:
            low, high = 0, (1 << max(b, d).bit_length()) - 1
        case "max" | "min":
            choose = max if operator == "max" else min
            low, high = choose(a, c), choose(b, d)
        case _:
            return ANY
    return (low, high) if low >= INT.low and high <= INT.high else ANY


# --- the bounds of a model -----------------------------------------------------------------------


def find_ranges(model: m.Model) -> Ranges:
    """The bounds of a model: from the initial values upwards, by all assignments."""
    ranges = Ranges(processes=most_processes(model))
    ranges.table = dict(initial_bounds(model, Ranges(processes=ranges.processes)))
    sources = list(inflows(model))
    rounds = 0
    while True:
        grown = set()
        for variable, value in sources:
            whole = (variable.domain.low, variable.domain.high)
            new = whole if value is None else fitted(variable, ranges.interval(value))
            old = ranges.table.get(variable, new)
            if variable not in ranges.table or hull(old, new) != old:
                ranges.table[variable] = whole if rounds >= ROUNDS else hull(old, new)
                grown.add(variable)
        if not grown:
            return ranges
        rounds += 1


def fitted(variable: m.Variable, bounds: Interval) -> Interval:
    """Bounds of what is stored when a value with these bounds is assigned."""
    low, high = variable.domain.low, variable.domain.high
    return bounds if low <= bounds[0] and bounds[1] <= high else (low, high)


def initial_bounds(model: m.Model, ranges: Ranges) -> Iterator[tuple[m.Variable, Interval]]:
    """Bounds of the initial values; parameters get their values from arguments.  Initial values that are computed
    may read variables that have none yet, so of those only the domain is known."""
    rows = [(model.variables, 0)] + [(kind.variables, kind.parameters) for kind in model.kinds]
    for variables, parameters in rows:
        for variable in variables[parameters:]:
            if isinstance(variable.initial, m.NewChannel):
                yield variable, (variable.domain.low, variable.domain.high)
                continue
            bounds = [fitted(variable, ranges.interval(x)) for x in variable.initial] or [(0, 0)]
            yield variable, (min(low for low, _ in bounds), max(high for _, high in bounds))


def inflows(model: m.Model) -> Iterator[tuple[m.Variable, e.Expr | None]]:
    """Every variable with each expression that is assigned or passed to it; None means any value."""
    parameters = {kind.name: kind.variables[: kind.parameters] for kind in model.kinds}
    for instance in model.processes:
        yield from zip(parameters[instance.kind], instance.arguments, strict=True)
    for kind in model.kinds:
        for _, edge in kind.edges():
            for effect in edge.effects:
                if isinstance(effect, m.Run):
                    yield from zip(parameters[effect.kind], effect.arguments, strict=True)
                value = effect.value if isinstance(effect, m.Assign) else None
                yield from ((place.variable, value) for place in places(effect) if place.variable is not None)


def most_processes(model: m.Model) -> int:
    """A bound on the number of processes: those of the start, and those that boundedly many create outside of loops.

    >>> run = m.Location((m.Edge(1, effects=(m.Run("P", ()),)),))
    >>> a, p = m.Kind("A", (), 0, (run, m.Location(())), 0), m.Kind("P", (), 0, (m.Location(()),), 0)
    >>> most_processes(m.Model("", (), (a, p), (m.Instance("A"), m.Instance("A"))))
    4
    """
    runs = [
        (kind.name, effect.kind, is_in_loop(kind, source))
        for kind in model.kinds
        for source, edge in kind.edges()
        for effect in edge.effects
        if isinstance(effect, m.Run)
    ]
    started = [instance.kind for instance in model.processes]
    counts = {kind.name: started.count(kind.name) for kind in model.kinds}
    for _ in range(len(model.kinds) + 1):
        new = {name: started.count(name) for name in counts}
        for creator, created, looping in runs:
            new[created] += MOST_PROCESSES if looping and counts[creator] else counts[creator]
        new = {name: min(count, MOST_PROCESSES) for name, count in new.items()}
        if new == counts:
            return min(MOST_PROCESSES, sum(counts.values()))
        counts = new
    return MOST_PROCESSES


def is_in_loop(kind: m.Kind, start: int) -> bool:
    """Whether a process may come back to a location."""
    seen, pending = set[int](), [start]
    while pending:
        for edge in kind.locations[pending.pop()].edges:
            if edge.target == start:
                return True
            if edge.target != m.GONE and edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return False
