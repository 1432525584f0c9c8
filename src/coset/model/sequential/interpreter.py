"""What a sequential model means: its first states, and the steps from a state.

Arithmetic is that of the concurrent model.  A step that has no meaning (an index out of range, a division by zero) leads
nowhere; `faults` counts the summands that went wrong so in a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from coset.model import expression as e
from coset.model.evaluate import OPERATORS, Fault, wrap
from coset.model.model import Variable
from coset.model.sequential_model import Assign, If, SequentialModel, Statement, Summand
from coset.model.state import offsets
from coset.source.budget import current_budget

State = tuple[int, ...]
Row = list[int]
"""The values of all elements while a step is made, and behind them those of the summand's own variables."""
Evaluator = Callable[[Row], int]
Performer = Callable[[Row], None]
Compiled = tuple[Summand, Sequence[tuple[int, ...]], Evaluator, Performer]
"""A summand, all choices that it has, its guard and its program."""


class SequentialInterpreter:
    """A sequential model made executable.

    >>> from coset.languages.sequential.parse import parse_text
    >>> model = parse_text("process count(0..2 x) = [x < 2] up { x = x + 1; } init count(0);")
    >>> interpreter = SequentialInterpreter(model)
    >>> sorted(interpreter.reachable())
    [(0,), (1,), (2,)]
    """

    def __init__(self, model: SequentialModel) -> None:
        self.model = model
        self.offset = offsets(model.variables)
        self.size = sum(variable.size for variable in model.variables)
        self.always: list[Compiled] = []
        self.where: dict[int, dict[int, list[Compiled]]] = {}
        """Summands that ask first for a value of a variable (where a process stands, as a rule), by its place."""
        for summand in model.summands:
            key = first_test(summand.guard)
            row = self.always
            if key is not None and key[0] in self.offset:
                row = self.where.setdefault(self.offset[key[0]], {}).setdefault(key[1], [])
            row.append(self.compiled(summand))
        self.conditions = [self.expression(condition, self.offset) for condition in model.conditions]

    def initial(self) -> Iterator[State]:
        """All first states, each once if the starts do not overlap."""
        domains = [range(v.domain.low, v.domain.high + 1) for v, _ in self.model.elements]
        for start in self.model.starts:
            choices = [(x,) if x is not None else domain for x, domain in zip(start, domains, strict=True)]
            yield from product(*choices)

    def candidates(self, state: State) -> Iterator[Compiled]:
        """The summands whose first test holds."""
        for place, by_value in self.where.items():
            yield from by_value.get(state[place], ())
        yield from self.always

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Events and the states that they lead to."""
        budget = current_budget()
        for summand, choices, guard, program in self.candidates(state):
            for chosen in choices:
                budget.check()
                row = [*state, *chosen]
                try:
                    if not guard(row):
                        continue
                    program(row)
                except Fault:
                    continue
                yield summand.event, tuple(row[: self.size])

    def trials(self, state: State) -> int:
        """How many choices are tried to find the steps from a state."""
        return sum(len(choices) for _, choices, _, _ in self.candidates(state))

    def faults(self, state: State) -> dict[str, int]:
        """How many choices of each event have no meaning in a state."""
        found: dict[str, int] = {}
        budget = current_budget()
        for summand, choices, guard, program in self.candidates(state):
            for chosen in choices:
                budget.check()
                row = [*state, *chosen]
                try:
                    if guard(row):
                        program(row)
                except Fault:
                    found[summand.event] = found.get(summand.event, 0) + 1
        return found

    def reachable(self, limit: int | None = None) -> dict[State, None]:
        """The states that can be reached, nearest first; at most so many."""
        found = dict.fromkeys(self.initial())
        todo = list(found)
        for state in todo:
            for _, successor in self.steps(state):
                if successor not in found:
                    found[successor] = None
                    todo.append(successor)
            if limit is not None and len(found) >= limit:
                break
        return found

    def observable(self, state: State) -> bool:
        """Whether no process holds control."""
        return self.model.control is None or state[self.offset[self.model.control]] == 0

    # --- functions of a row ----------------------------------------------------------------------

    def compiled(self, summand: Summand) -> Compiled:
        places = self.offset | {v: self.size + k for k, v in enumerate(summand.choices)}
        domains = [range(v.domain.low, v.domain.high + 1) for v in summand.choices]
        guard = self.expression(summand.guard, places)
        return summand, list(product(*domains)), guard, self.program(summand.program, places)

    def program(self, statements: tuple[Statement, ...], places: dict[Variable, int]) -> Performer:
        performers = [self.statement(statement, places) for statement in statements]

        def perform(row: Row) -> None:
            for performer in performers:
                performer(row)

        return perform

    def statement(self, statement: Statement, places: dict[Variable, int]) -> Performer:
        match statement:
            case Assign(place, value):
                variable = place.variable
                assert variable is not None
                at, function, fit = (
                    self.place(variable, place.indices, places), self.expression(value, places), variable.domain.fit,
                )  # fmt: skip

                def assign(row: Row) -> None:
                    row[at(row)] = fit(+function(row))

                return assign
            case If(condition, yes, no):
                chosen, first, second = (
                    self.expression(condition, places), self.program(yes, places), self.program(no, places),
                )  # fmt: skip
                return lambda row: first(row) if chosen(row) else second(row)

    def place(self, variable: Variable, indices: tuple[e.Expr, ...], places: dict[Variable, int]) -> Evaluator:
        base = places[variable]
        functions = [self.expression(index, places) for index in indices]

        def at(row: Row) -> int:
            position = 0
            for function, length in zip(functions, variable.shape, strict=True):
                index = function(row)
                if not 0 <= index < length:
                    raise Fault("index", f"index {index} of {variable.name} is not in 0..{length - 1}")
                position = position * length + index
            return base + position

        if not indices:
            return lambda row: base
        return at

    def expression(self, x: e.Expr, places: dict[Variable, int]) -> Evaluator:
        match x:
            case e.Const(value):
                return lambda row: value
            case e.Get(variable, ()):
                base = places[variable]
                return lambda row: row[base]
            case e.Get(variable, indices):
                at = self.place(variable, indices, places)
                return lambda row: row[at(row)]
            case e.Unary(operator, operand):
                return unary(operator, self.expression(operand, places))
            case e.Binary(operator, left, right):
                return binary(operator, self.expression(left, places), self.expression(right, places))
            case e.Conditional(condition, yes, no):
                c, y, n = (self.expression(part, places) for part in (condition, yes, no))
                return lambda row: y(row) if c(row) else n(row)
            case _:
                raise TypeError(f"{type(x).__name__} is no expression of a sequential model")


def first_test(guard: e.Expr) -> tuple[Variable, int] | None:
    """The variable and the value that a conjunction asks for first, if it does so."""
    while isinstance(guard, e.Binary) and guard.operator == "&&":
        guard = guard.left
    match guard:
        case e.Binary("==", e.Get(variable, ()), e.Const(value)):
            return variable, value
    return None


def unary(operator: str, operand: Evaluator) -> Evaluator:
    match operator:
        case "!":
            return lambda row: not operand(row)
        case "-":
            return lambda row: wrap(-operand(row))
        case "~":
            return lambda row: ~operand(row)
    raise TypeError(f"unknown operator {operator}")


def binary(operator: str, a: Evaluator, b: Evaluator) -> Evaluator:
    match operator:
        case "&&":
            return lambda row: bool(a(row) and b(row))
        case "||":
            return lambda row: bool(a(row) or b(row))
    function = OPERATORS[operator]
    return lambda row: function(a(row), b(row))
