"""Expressions in the graph of a program: a vertex for each, with edges to its parts, coloured by their role.

Operands of commutative operators have one role.  Arithmetic on mobile sorts is put in as its table.  Its leaves are vertices,
and a row says which leaf has which value, so that leaves may change places if the rows stay: in `a[0] + a[1]`, and in
`(_pid == 0 || !a[0]) && (_pid == 1 || !a[1])` if 0 and 1 do as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.symmetry.action import Point
from coset.symmetry.faults import Faults
from coset.symmetry.methods.program.points import PointGraph
from coset.symmetry.operators import ASSOCIATIVE, COMMUTATIVE, LOGIC, flattened, is_arithmetic, is_logical, leaves_of
from coset.symmetry.sorts import Sort, Sorts
from coset.symmetry.startup import StartedStates
from coset.symmetry.values import rows


class ExpressionGraph(PointGraph):
    def __init__(self, interpreter: Interpreter, started: StartedStates, sorts: Sorts) -> None:
        super().__init__(interpreter, started, sorts)
        self.context: Hashable = None
        """Expressions are shared only within a context.  There is one, unless statements are to be distinguished."""

    @cached_property
    def faults(self) -> Faults:
        return Faults(self.interpreter, self.started)

    def condition(self, x: e.Expr) -> int:
        """The vertex of an expression of which only the truth counts."""
        key = ("condition", x, self.context)
        if key not in self.shared:
            self.shared[key] = self.build_condition(x)
        return self.shared[key]

    def build_condition(self, x: e.Expr) -> int:
        match x:
            case e.Const(value):
                return self.once(("truth", value != 0))
            case e.Unary("!", operand):
                return self.node("!", ("operand", self.condition(operand)))
            case e.Binary("&&" | "||" as operator):
                operands = list(flattened(x, operator))
                ordered = self.is_sequential(operands)
                return self.node(
                    operator, *((k if ordered else "operand", self.condition(part)) for k, part in enumerate(operands))
                )
            case e.Binary("==" | "!=" as operator, left, right):
                one, other = self.sorts.of(left), self.sorts.of(right)
                if one is not None or other is not None or not self.is_table(x, None):
                    sides = [self.expression(left, one or other), self.expression(right, other or one)]
                    return self.node(operator, *(("operand", side) for side in sides))
            case e.Conditional(condition, yes, no):
                parts = [self.condition(part) for part in (condition, yes, no)]
                return self.node("?", *enumerate(parts))
        if self.is_table(x, None):
            return self.table(x, None, truth=True)
        return self.node("true", ("of", self.expression(x, self.sorts.of(x))))

    def is_sequential(self, operands: Sequence[e.Expr]) -> bool:
        """Whether it matters which operand of `&&` or `||` is evaluated first."""
        return any(self.faults.may_fail(part) for part in operands)

    def expression(self, x: e.Expr, sort: Sort | None) -> int:
        """The vertex of an expression whose value is of a sort (None: a plain number)."""
        number = sort.leader.number if sort is not None and sort.leader.mobile else 0
        key = ("expression", x, number, self.context)
        if key not in self.shared:
            self.shared[key] = self.build_expression(x, sort)
        return self.shared[key]

    def build_expression(self, x: e.Expr, sort: Sort | None) -> int:
        if self.is_table(x, sort):
            return self.table(x, sort)
        match x:
            case e.Const(value):
                return self.value(sort, value)
            case e.Conditional(condition, yes, no):
                return self.node(
                    "choice",
                    ("if", self.condition(condition)),
                    ("then", self.expression(yes, sort)),
                    ("else", self.expression(no, sort)),
                )
            case e.Checked(operand, low, high, fault):
                return self.checked(operand, low, high, fault, sort)
            case e.Get(variable, indices):
                return self.access("get", variable, indices)
            case e.Remote(kind, process, variable, indices):
                roles: list[tuple[Hashable, int]] = [("of", self.process(process, kind))]
                if x in self.sorts.missing:
                    roles.append(("no process", self.value(self.sorts.of_variable[variable], 0)))
                return self.access("remote", variable, indices, *roles)
            case e.AtLocation(kind, process, _, spots):
                number = self.interpreter.kind_number[kind]
                found = [self.points.get(Point("location", number, spot)) for spot in sorted(spots)]
                at = [("at", vertex) for vertex in found if vertex is not None]
                vertex = self.node(("at", self.copies.kind(number)), ("of", self.process(process, kind)), *at)
                self.belongs(vertex, "kind", number)
                return vertex
            case e.Binary(operator, left, right):
                return self.operation(x, operator, left, right)
            case e.Unary(operator, operand):
                inner = self.condition(operand) if operator == "!" else self.expression(operand, None)
                return self.node(("unary", operator), ("operand", inner))
            case e.Length(channel) | e.Full(channel):
                return self.node(type(x).__name__, ("channel", self.channel(channel)))
            case e.Poll(channel, patterns, random):
                return self.node(("poll", random), *self.reception(channel, patterns))
            case e.Enabled(process) | e.Position(process) | e.PriorityOf(process):
                return self.node(type(x).__name__, ("of", self.process(process)))
        if any(True for _ in x.children()):
            raise TypeError(f"unknown expression {type(x).__name__}")
        return self.once(type(x).__name__)

    def checked(self, operand: e.Expr, low: int, high: int, fault: str, sort: Sort | None) -> int:
        """A value that must be one of some: these are named if they may be permuted."""
        own = self.sorts.of(operand) or sort
        inner = ("operand", self.expression(operand, own))
        if own is None or not own.leader.mobile:
            return self.node(("checked", fault, low, high), inner)
        allowed = (value for value in sorted(own.leader.values) if low <= value <= high)
        return self.node(("checked", fault), inner, *(("allowed", self.value(own, value)) for value in allowed))

    def operation(self, x: e.Expr, operator: str, left: e.Expr, right: e.Expr) -> int:
        """Arithmetic on plain numbers, as it is written."""
        if operator in LOGIC:
            return self.node(("number of", operator), ("condition", self.condition(x)))
        if operator in ("==", "!="):
            return self.node("number of", ("condition", self.condition(x)))
        operands = list(flattened(x, operator)) if operator in ASSOCIATIVE else [left, right]
        ordered = operator not in COMMUTATIVE
        return self.node(
            ("operator", operator),
            *(
                (k if ordered else "operand", self.expression(part, self.sorts.of(part)))
                for k, part in enumerate(operands)
            ),
        )

    def process(self, x: e.Expr | None, kind: str = "") -> int:
        """A process that is referred to; without a number the oldest of its kind is meant."""
        if x is not None:
            return self.expression(x, self.sorts.process)
        number = self.interpreter.kind_number[kind]
        oldest = next((n for n, p in enumerate(self.started.state.processes) if p.kind == number), -1)
        return self.value(self.sorts.process, oldest)

    # --- channels and places ---------------------------------------------------------------------

    def field(self, channel: e.Expr, number: int) -> Sort | None:
        sort = self.sorts.of(channel)
        return sort.fields[number].leader if sort is not None and number in sort.fields else None

    def channel(self, channel: e.Expr) -> int:
        return self.expression(channel, self.sorts.of(channel))

    def reception(self, channel: e.Expr, patterns: tuple[e.Pattern, ...]) -> list[tuple[Hashable, int]]:
        found: list[tuple[Hashable, int]] = [("channel", self.channel(channel))]
        for k, pattern in enumerate(patterns):
            if pattern.value is not None:
                found.append((("equals", k), self.expression(pattern.value, self.field(channel, k))))
            if pattern.place is not None:
                found.append((("stores", k), self.place(pattern.place)))
        return found

    def place(self, place: e.Place) -> int:
        if place.variable is None:
            return self.once("nowhere")
        return self.access("place", place.variable, place.indices)

    def access(self, what: str, variable: m.Variable, indices: Sequence[e.Expr], *more: tuple[Hashable, int]) -> int:
        parts = [
            (("index", d), self.expression(index, self.sorts.index(variable, d))) for d, index in enumerate(indices)
        ]
        return self.node(what, ("variable", self.variable(variable)), *parts, *more)

    # --- tables ----------------------------------------------------------------------------------

    def is_table(self, x: e.Expr, sort: Sort | None) -> bool:
        """Whether an expression computes with, or for, values that may be permuted."""
        if sort is None and not is_arithmetic(x) and not is_logical(x):
            return self.sorts.is_mobile(x)
        if not (is_arithmetic(x) or is_logical(x)):
            return False
        leaves = tuple(leaves_of(x))
        wanted = sort is not None and sort.leader.mobile
        return all(self.sorts.is_mobile(leaf) for leaf in leaves) and (wanted or bool(leaves))

    def table(self, x: e.Expr, sort: Sort | None, truth: bool = False) -> int:
        leaves = tuple(dict.fromkeys(leaves_of(x)))
        sources = [self.sorts.of(leaf) for leaf in leaves]
        vertex = self.node(("table", len(leaves)))
        places = [self.node("leaf", ("is", part)) for part in map(self.expression, leaves, sources)]
        for place in places:
            self.graph.edge(vertex, place, "leaf")
        known: dict[tuple[int, int], int] = {}
        for values, result in rows(x, leaves, self.sorts):
            arguments = []
            for k, value in enumerate(values):
                if (k, value) not in known:
                    parts = ("leaf", places[k]), ("value", self.value(sources[k], value))
                    known[k, value] = self.node("argument", *parts)
                arguments.append(("argument", known[k, value]))
            if result is None:
                row = self.node(("row", "fault"), *arguments)
            elif truth:
                if not result:
                    continue
                row = self.node(("row", "true"), *arguments)
            else:
                row = self.node("row", *arguments, ("result", self.value(sort, result)))
            self.graph.edge(vertex, row, "row")
        return vertex
