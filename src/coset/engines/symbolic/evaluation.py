"""Expressions on all states at once: for each value the set of states in which the expression has it.

The sets are disjoint, and lie in the set of states that is asked about.  States of it in none of them have no value:
there an index is out of range, or a division is by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding
from coset.model import expression as e
from coset.model.evaluate import OPERATORS, Fault, wrap
from coset.model.model import Variable

Values = dict[int, Diagram]
"""For each value where it is the value."""
Store = dict[int, Values]
"""The values of elements that were written, by what the state was before."""
COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
MOST_VALUES = 4096


class TooManyValues(Exception):
    """An expression or an element with more values than can be written out; the message names it."""


class Evaluation:
    """Expressions in the middle of a step: of the state before it, with what was written since.  `chosen` are
    the summand's own variables; `read` are the elements that were asked for.

    >>> from coset.languages.sequential.parse import parse_text
    >>> model = parse_text("process p(0..2 x, 0..2 y) = [x < y] up { x = x + 1; } init p(0, 0);")
    >>> encoding = Encoding(model, [(0, 1, 2)] * 2, [0, 1])
    >>> values = Evaluation(encoding, {}).values(e.Binary("/", *map(e.Get, model.variables)), encoding.valid)
    >>> {value: encoding.count(states) for value, states in values.items()}
    {0: 3, 1: 2, 2: 1}
    """

    def __init__(self, encoding: Encoding, chosen: Mapping[Variable, int], store: Store | None = None) -> None:
        self.encoding, self.chosen = encoding, chosen
        self.store: Store = store if store is not None else {}
        self.read: set[int] = set()

    def copy(self) -> Evaluation:
        other = Evaluation(self.encoding, self.chosen, dict(self.store))
        other.read |= self.read
        return other

    def element(self, number: int, under: Diagram) -> Values:
        """The values of an element in states of a set."""
        self.read.add(number)
        if number in self.store:
            return narrowed(self.store[number], under)
        literal = self.encoding.literal
        return narrowed({value: literal(number, value) for value in self.encoding.values[number]}, under)

    def values(self, x: e.Expr, under: Diagram) -> Values:
        match x:
            case e.Const(value):
                return {value: under} if under.satisfiable() else {}
            case e.Get(variable, ()) if variable in self.chosen:
                return {self.chosen[variable]: under} if under.satisfiable() else {}
            case e.Get(variable, indices):
                return self.joined(
                    self.element(number, where) for number, where in self.places(variable, indices, under).items()
                )
            case e.Unary("-" | "~" as operator, operand):
                return self.mapped(self.values(operand, under), lambda v: wrap(-v) if operator == "-" else ~v)
            case e.Unary("!") | e.Binary("&&" | "||"):
                return self.truth(x, under)
            case e.Binary(operator) if operator in COMPARISONS:
                return self.truth(x, under)
            case e.Binary(operator, left, right):
                return self.combined(operator, self.values(left, under), self.values(right, under))
            case e.Conditional(condition, yes, no):
                one, other = self.holds(condition, under)
                return self.joined([self.values(yes, one), self.values(no, other)])
        raise TypeError(f"{type(x).__name__} is no expression of a sequential model")

    def truth(self, x: e.Expr, under: Diagram) -> Values:
        yes, no = self.holds(x, under)
        return {value: states for value, states in ((1, yes), (0, no)) if states.satisfiable()}

    def holds(self, x: e.Expr, under: Diagram) -> tuple[Diagram, Diagram]:
        """Where a condition is true, and where it is false."""
        nowhere = self.encoding.diagrams.false
        self.encoding.diagrams.rest()
        if not under.satisfiable():
            return nowhere, nowhere
        match x:
            case e.Const(value):
                return (under, nowhere) if value else (nowhere, under)
            case e.Unary("!", operand):
                yes, no = self.holds(operand, under)
                return no, yes
            case e.Binary("&&", left, right):
                yes, no = self.holds(left, under)
                both, not_right = self.holds(right, yes)
                return both, no | not_right
            case e.Binary("||", left, right):
                yes, no = self.holds(left, under)
                right_only, neither = self.holds(right, no)
                return yes | right_only, neither
            case e.Binary(operator, left, right) if operator in COMPARISONS:
                found = self.combined(operator, self.values(left, under), self.values(right, under))
                return found.get(1, nowhere), found.get(0, nowhere)
        found = self.values(x, under)
        no = found.pop(0, nowhere)
        return self.encoding.diagrams.union(found.values()), no

    def combined(self, operator: str, left: Values, right: Values) -> Values:
        """An operator on two expressions, where both have values."""
        function = OPERATORS[operator]
        found: dict[int, list[Diagram]] = {}
        for a, where in left.items():
            self.encoding.diagrams.rest()  # there may be millions of pairs, and a limit must be kept all the same
            for b, there in right.items():
                both = where & there
                if not both.satisfiable():
                    continue
                try:
                    found.setdefault(int(function(a, b)), []).append(both)
                except Fault:
                    continue
            limited(found)
        return {value: self.encoding.diagrams.union(parts) for value, parts in found.items()}

    def mapped(self, values: Values, function: Callable[[int], int]) -> Values:
        return self.joined({function(value): states} for value, states in values.items())

    def joined(self, parts: Iterable[Values]) -> Values:
        """Values of an expression that is one of several."""
        found: dict[int, list[Diagram]] = {}
        for part in parts:
            for value, states in part.items():
                found.setdefault(value, []).append(states)
        limited(found)
        return {value: self.encoding.diagrams.union(row) for value, row in found.items()}

    def places(self, variable: Variable, indices: tuple[e.Expr, ...], under: Diagram) -> dict[int, Diagram]:
        """Which elements are meant, and where; nothing where an index is out of range."""
        found = {0: under}
        for index, length in zip(indices, variable.shape, strict=True):
            inner: dict[int, Diagram] = {}
            for offset, where in found.items():
                for k, there in self.values(index, where).items():
                    if 0 <= k < length:
                        inner[offset * length + k] = there
            found = inner
        first = self.encoding.first[variable]
        return {first + offset: where for offset, where in found.items()}


def narrowed(values: Values, under: Diagram) -> Values:
    """The values in states of a set."""
    found = ((value, states & under) for value, states in values.items())
    return {value: states for value, states in found if states.satisfiable()}


def limited(found: Mapping[int, object]) -> None:
    if len(found) > MOST_VALUES:
        raise TooManyValues(f"an expression has more than {MOST_VALUES} values")
