"""Normal forms: expressions and effects as nested tuples, renamed on the way, in which what may be in any order has none.

Two expressions with one normal form have one value in every state.  A set of things in any order is a `Counter` made
hashable (`unordered`), because two equal options are not one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.symmetry.action import IDENTITY, Point, Points, Table
from coset.symmetry.faults import Faults
from coset.symmetry.operators import ASSOCIATIVE, COMMUTATIVE, LOGIC, flattened, is_arithmetic, is_logical, leaves_of
from coset.symmetry.order import accesses, in_conflict
from coset.symmetry.sorts import Sort
from coset.symmetry.values import Row, rows

WHOLE = -2
"""The item of a point that stands for a kind or a sort as a whole."""

Tables = Mapping[tuple[str, int], Table]
"""Where points of each sort or row go (as in `Action`); those that are not in a table stay."""


def unordered(parts: Iterable[Hashable]) -> frozenset[tuple[Hashable, int]]:
    """A multiset.

    >>> unordered("aba") == unordered("baa"), unordered("aba") == unordered("ab")
    (True, False)
    """
    return frozenset(Counter(parts).items())


class Vocabulary:
    """What all renamings of one model share."""

    def __init__(self, points: Points) -> None:
        model = points.interpreter.model
        self.points, self.sorts = points, points.sorts
        self.faults = Faults(points.interpreter, points.started)
        self.places = {variable: ("global", 0, k) for k, variable in enumerate(model.variables)}
        for number, kind in enumerate(model.kinds):
            self.places |= {variable: ("local", number, k) for k, variable in enumerate(kind.variables)}
        self.tables: dict[e.Expr, list[Row]] = {}

    def rows(self, x: e.Expr, leaves: tuple[e.Expr, ...]) -> list[Row]:
        """The table of an arithmetic expression."""
        if x not in self.tables:
            self.tables[x] = list(rows(x, leaves, self.sorts))
        return self.tables[x]


class Normal:
    """Makes normal forms under a renaming, which is given by the tables of an `Action`, and its `numbers` if kinds or sorts are
    renamed as a whole.

    Without a table for the locations of a kind they stay; a renaming that is `blind` forgets which locations are meant.
    """

    def __init__(
        self, vocabulary: Vocabulary, tables: Tables, blind: bool = False, numbers: Mapping[tuple[str, int], int] = {}
    ) -> None:
        self.vocabulary, self.tables, self.blind, self.numbers = vocabulary, tables, blind, numbers
        self.points, self.sorts = vocabulary.points, vocabulary.sorts
        self.moved = frozenset(Point(what, number, item) for (what, number), table in tables.items() for item in table)
        self.moved |= {Point(what, number, WHOLE) for what, number in numbers}
        self.mentions: set[Point] = set()
        """What has been mentioned so far."""
        self.known: dict[e.Expr, tuple[Hashable, set[Point]]] = {}
        """The conditions that have been read, with what they mention: many steps ask the same."""

    # --- names -----------------------------------------------------------------------------------

    def name(self, what: str, number: int, item: int) -> int:
        """The new name of something."""
        self.mentions.add(Point(what, number, item))
        return self.tables.get((what, number), IDENTITY).get(item, item)

    def number(self, what: str, number: int) -> int:
        """The new number of a kind or sort."""
        self.mentions.add(Point(what, number, WHOLE))
        return self.numbers.get((what, number), number)

    def value(self, sort: Sort | None, value: int) -> Hashable:
        if sort is None or not sort.leader.mobile:
            return "number", value
        number = sort.leader.number
        return "value", self.number("value", number), self.name("value", number, value)

    def variable(self, variable: m.Variable) -> Hashable:
        place = self.vocabulary.places.get(variable)
        if place is None:
            return "variable", id(variable)
        return place[0], self.number(*place[:2]), self.name(*place)

    # --- steps and effects -------------------------------------------------------------------------

    def edge(self, edge: m.Edge) -> Hashable:
        """An edge but for where it leads."""
        return edge.hold, edge.tier, self.condition(edge.guard), self.effects(edge.effects)

    def effects(self, effects: Sequence[m.Effect]) -> Hashable:
        """Effects, each with those before it that it depends on."""
        kept = [effect for effect in effects if not isinstance(effect, m.Print)]
        forms: list[Hashable] = []
        touched = [accesses(effect) for effect in kept]
        for position, effect in enumerate(kept):
            before = (forms[k] for k in range(position) if in_conflict(touched[k], touched[position]))
            forms.append((self.effect(effect), unordered(before)))
        return unordered(forms)

    def effect(self, effect: m.Effect) -> Hashable:
        match effect:
            case m.Assign(place, value):
                variable = place.variable
                sort = self.sorts.of(value) if variable is None else self.sorts.of_variable[variable].leader
                return "assign", self.place(place), self.expression(value, sort)
            case m.Send(channel, values):
                fields = tuple(self.expression(x, self.field(channel, k)) for k, x in enumerate(values))
                return "send", effect.sorted, self.channel(channel), fields
            case m.Deliver(condition, channel, values):
                return "deliver", self.condition(condition), self.effect(m.Send(channel, values))
            case m.Receive(channel, patterns):
                return "receive", effect.random, effect.peek, self.channel(channel), self.patterns(channel, patterns)
            case m.Event(sends, channel, patterns):
                return "event", sends, self.channel(channel), self.patterns(channel, patterns)
            case m.Assert(condition):
                return "assert", self.condition(condition)
            case m.SetPriority(process, value):
                return "priority", self.process(process, ""), self.expression(value, None)
            case m.Exit():
                return "exit"
        raise TypeError(f"unknown effect {type(effect).__name__}")

    def place(self, place: e.Place) -> Hashable:
        return None if place.variable is None else self.access(place.variable, place.indices)

    def access(self, variable: m.Variable, indices: Sequence[e.Expr]) -> Hashable:
        subscripts = (self.expression(x, self.sorts.index(variable, d)) for d, x in enumerate(indices))
        return self.variable(variable), tuple(subscripts)

    def field(self, channel: e.Expr, number: int) -> Sort | None:
        sort = self.sorts.of(channel)
        return sort.fields[number].leader if sort is not None and number in sort.fields else None

    def channel(self, channel: e.Expr) -> Hashable:
        return self.expression(channel, self.sorts.of(channel))

    def patterns(self, channel: e.Expr, patterns: Sequence[e.Pattern]) -> Hashable:
        return tuple(
            (
                None if pattern.value is None else ("equals", self.expression(pattern.value, self.field(channel, k))),
                None if pattern.place is None else ("stores", self.place(pattern.place)),
            )
            for k, pattern in enumerate(patterns)
        )

    def process(self, x: e.Expr | None, kind: str) -> Hashable:
        """A process that is referred to; without a number the oldest of its kind is meant."""
        if x is not None:
            return self.expression(x, self.sorts.process)
        number = self.points.interpreter.kind_number[kind]
        processes = self.points.started.state.processes
        return self.value(self.sorts.process, next((n for n, p in enumerate(processes) if p.kind == number), -1))

    # --- expressions -----------------------------------------------------------------------------

    def condition(self, x: e.Expr) -> Hashable:
        """An expression of which only the truth counts."""
        if x not in self.known:
            mentioned, self.mentions = self.mentions, set()
            self.known[x] = self.truth(x), self.mentions
            self.mentions = mentioned
        form, mentions = self.known[x]
        self.mentions |= mentions
        return form

    def truth(self, x: e.Expr) -> Hashable:
        """The form of a condition that is read for the first time."""
        match x:
            case e.Const(value):
                return value != 0
            case e.Unary("!", operand):
                return "!", self.condition(operand)
            case e.Binary("&&" | "||" as operator):
                operands = list(flattened(x, operator))
                forms = tuple(self.condition(part) for part in operands)
                return operator, forms if any(map(self.vocabulary.faults.may_fail, operands)) else unordered(forms)
            case e.Binary("==" | "!=" as operator, left, right):
                one, other = self.sorts.of(left), self.sorts.of(right)
                if one is not None or other is not None or not self.is_table(x, None):
                    sides = (self.expression(left, one or other), self.expression(right, other or one))
                    return operator, unordered(sides)
            case e.Conditional(condition, yes, no):
                return "?", self.condition(condition), self.condition(yes), self.condition(no)
        if self.is_table(x, None):
            return self.table(x, None, truth=True)
        return "true", self.expression(x, self.sorts.of(x))

    def expression(self, x: e.Expr, sort: Sort | None) -> Hashable:
        """An expression whose value is of a sort (None: a plain number)."""
        if self.is_table(x, sort):
            return self.table(x, sort)
        match x:
            case e.Const(value):
                return self.value(sort, value)
            case e.Conditional(condition, yes, no):
                return "choice", self.condition(condition), self.expression(yes, sort), self.expression(no, sort)
            case e.Checked(operand, low, high, fault):
                own = self.sorts.of(operand) or sort
                inner = self.expression(operand, own)
                if own is None or not own.leader.mobile:
                    return "checked", fault, low, high, inner
                allowed = (value for value in own.leader.values if low <= value <= high)
                return "checked", fault, inner, frozenset(self.value(own, value) for value in allowed)
            case e.Get(variable, indices):
                return "get", self.access(variable, indices)
            case e.Remote(kind, process, variable, indices):
                missing = self.value(self.sorts.of_variable[variable], 0) if x in self.sorts.missing else None
                return "remote", self.process(process, kind), self.access(variable, indices), missing
            case e.AtLocation(kind, process, _, spots):
                number = self.points.interpreter.kind_number[kind]
                visited = [spot for spot in spots if Point("location", number, spot) in self.points.known]
                at = () if self.blind else frozenset(self.name("location", number, spot) for spot in visited)
                return "at", self.number("location", number), self.process(process, kind), at
            case e.Binary(operator, left, right):
                return self.operation(x, operator, left, right)
            case e.Unary(operator, operand):
                return operator, self.condition(operand) if operator == "!" else self.expression(operand, None)
            case e.Length(channel) | e.Full(channel):
                return type(x).__name__, self.channel(channel)
            case e.Poll(channel, patterns, random):
                return "poll", random, self.channel(channel), self.patterns(channel, patterns)
            case e.Enabled(process) | e.Position(process) | e.PriorityOf(process):
                return type(x).__name__, self.process(process, "")
        if any(True for _ in x.children()):
            raise TypeError(f"unknown expression {type(x).__name__}")
        return type(x).__name__

    def operation(self, x: e.Expr, operator: str, left: e.Expr, right: e.Expr) -> Hashable:
        """Arithmetic on plain numbers."""
        if operator in LOGIC or operator in ("==", "!="):
            return "number of", self.condition(x)
        operands = list(flattened(x, operator)) if operator in ASSOCIATIVE else [left, right]
        forms = tuple(self.expression(part, self.sorts.of(part)) for part in operands)
        return operator, unordered(forms) if operator in COMMUTATIVE else forms

    # --- tables ----------------------------------------------------------------------------------

    def is_table(self, x: e.Expr, sort: Sort | None) -> bool:
        """Whether an expression computes with values that may move, or makes a number of one."""
        if not (is_arithmetic(x) or is_logical(x)):
            return sort is None and self.sorts.is_mobile(x)
        leaves = list(leaves_of(x))
        wanted = sort is not None and sort.leader.mobile
        return all(map(self.sorts.is_mobile, leaves)) and (wanted or bool(leaves))

    def table(self, x: e.Expr, sort: Sort | None, truth: bool = False) -> Hashable:
        """What an expression makes of each value of its leaves, whatever their order.  (Leaves of one form have one value.)"""
        leaves = tuple(dict.fromkeys(leaves_of(x)))
        sources = [self.sorts.of(leaf) for leaf in leaves]
        operands = tuple(map(self.expression, leaves, sources))
        found = set()
        for values, result in self.vocabulary.rows(x, leaves):
            arguments = unordered(zip(operands, map(self.value, sources, values), strict=True))
            outcome = None if result is None else bool(result) if truth else self.value(sort, result)
            found.add((arguments, outcome))
        return "table", frozenset(found)
