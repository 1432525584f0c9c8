"""Entailment over whole numbers: expressions as terms of Z3, and one solver that is kept.

L. de Moura, N. Bjorner, "Z3: an efficient SMT solver" (TACAS 2008).  Where the solver does not know, the answer is that
nothing is proved, which is always sound here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from coset.engines.spotlight.expressions import Deadlock, Fit, bounds, is_unbounded
from coset.engines.spotlight.kleene import Truth
from coset.model import expression as e
from coset.model import model as m

Term = Any
"""A term of Z3, which has no types that a checker could use."""
WORD = 2**32
MOST_WORK = 20_000_000
"""What one question may take, in Z3's own unit (`rlimit`): about a second, but the same on every machine."""


class Solver:
    """Questions about values of variables.

    >>> from coset.model.domain import BYTE
    >>> solver, x = Solver(), e.Get(m.Variable("x", BYTE))
    >>> with solver.context([solver.truth(e.Binary(">", x, e.Const(3)))]):
    ...     [str(solver.decide(solver.truth(e.Binary(op, x, e.Const(3))))) for op in (">=", "==", "!=")]
    ['true', 'false', 'true']
    """

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.solver = self.fresh()
        self.checks = 0
        self._values: dict[e.Expr, Term] = {}
        self._truths: dict[e.Expr, Term] = {}
        self._names: dict[m.Variable, str] = {}

    def fresh(self) -> Any:
        """A solver of its own that knows nothing yet."""
        solver = self.z3.SimpleSolver()
        solver.set("rlimit", MOST_WORK)
        solver.set("ctrl_c", False)  # Z3 would take the interruption for itself, and the command would go on
        return solver

    # --- questions -------------------------------------------------------------------------------

    def setting(self, facts: Iterable[Term]) -> Setting:
        """Questions that are asked again and again about the same facts."""
        return Setting(self, facts)

    @contextmanager
    def context(self, facts: Iterable[Term]) -> Iterator[None]:
        """Inside of it the facts are given."""
        self.solver.push()
        try:
            self.solver.add(*facts)
            yield
        finally:
            self.solver.pop()

    def possible(self, *conditions: Term) -> bool:
        """Whether the facts allow the conditions together; true if that is not known."""
        self.checks += 1
        return bool(self.solver.check(*conditions) != self.z3.unsat)

    def entails(self, condition: Term, *given: Term) -> bool:
        """Whether the condition follows from the facts and what is given; false if that is not known."""
        return not self.possible(*given, self.z3.Not(condition))

    def decide(self, condition: Term, *given: Term) -> Truth:
        """Whether the condition follows, or its negation, or neither."""
        if self.entails(condition, *given):
            return Truth.TRUE
        return Truth.UNKNOWN if self.possible(*given, condition) else Truth.FALSE

    # --- terms -----------------------------------------------------------------------------------

    def truth(self, x: e.Expr) -> Term:
        """A condition as a formula."""
        if x not in self._truths:
            self._truths[x] = self._truth(x)
        return self._truths[x]

    def value(self, x: e.Expr) -> Term:
        """A number as a term."""
        if x not in self._values:
            self._values[x] = self._value(x)
        return self._values[x]

    def location(self, slot: int) -> Term:
        return self.z3.Int(f"at {slot}")

    def number(self, name: str) -> Term:
        return self.z3.Int(name)

    def _truth(self, x: e.Expr) -> Term:
        z3 = self.z3
        match x:
            case e.Const(value):
                return z3.BoolVal(bool(value))
            case e.Unary("!", operand):
                return z3.Not(self.truth(operand))
            case e.Binary("&&", left, right):
                return z3.And(self.truth(left), self.truth(right))
            case e.Binary("||", left, right):
                return z3.Or(self.truth(left), self.truth(right))
            case e.Binary("==" | "!=" | "<" | "<=" | ">" | ">=" as operator, left, right):
                a, b = self.value(left), self.value(right)
                return {
                    "==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
                }[operator]  # fmt: skip
            case e.Conditional(condition, yes, no):
                return z3.If(self.truth(condition), self.truth(yes), self.truth(no))
            case e.AtLocation(_, e.Const(slot), _, locations):
                return z3.Or(*(self.location(slot) == place for place in sorted(locations)))
            case Deadlock():
                raise TypeError("whether there is a deadlock depends on what is listed")
        return self.value(x) != 0

    def _value(self, x: e.Expr) -> Term:
        z3 = self.z3
        match x:
            case e.Const(value):
                return z3.IntVal(value)
            case e.Get(variable):
                return z3.Int(self.name(variable))
            case e.Remote(_, e.Const(slot), variable):
                return z3.Int(f"{self.name(variable)} of {slot}")
            case Fit(operand, domain):
                value, size = self.value(operand), domain.high - domain.low + 1
                if is_unbounded(domain):
                    return value if domain.low < 0 else z3.If(value < domain.low, value + size, value)
                low, high = bounds(operand)
                if low is None or high is None or low < domain.low - size or high > domain.high + size:
                    fits = z3.And(domain.low <= value, value <= domain.high)
                    return z3.If(fits, value, (value - domain.low) % size + domain.low)
                if high > domain.high:  # by less than the size of the range, which needs no remainder
                    value = z3.If(value > domain.high, value - size, value)
                return z3.If(value < domain.low, value + size, value) if low < domain.low else value
            case e.Unary("-", operand):
                return self.wrapped(x, -self.value(operand))
            case e.Binary("+" | "-" | "*" as operator, left, right):
                a, b = self.value(left), self.value(right)
                return self.wrapped(x, a + b if operator == "+" else a - b if operator == "-" else a * b)
            case e.Binary("/", left, right):
                a, b = self.value(left), self.value(right)
                return z3.If(a >= 0, a / b, -(-a / b))
            case e.Binary("%", left, right):
                a, b = self.value(left), self.value(right)
                return z3.If(a >= 0, a % b, -(-a % b))
            case e.Conditional(condition, yes, no):
                return z3.If(self.truth(condition), self.value(yes), self.value(no))
            case e.Unary("!", _) | e.Binary() | e.AtLocation():
                return z3.If(self.truth(x), 1, 0)
        raise TypeError(f"no term for {type(x).__name__}")

    def wrapped(self, x: e.Expr, term: Term) -> Term:
        """A result of machine arithmetic: of 32 bits, if it may have more."""
        low, high = bounds(x)
        if low is None or high is None or (low >= -WORD // 2 and high < WORD // 2):
            return term
        return (term + WORD // 2) % WORD - WORD // 2

    def name(self, variable: m.Variable) -> str:
        """A name for each variable, also where two have the same one."""
        if variable not in self._names:
            self._names[variable] = f"{variable.name} {len(self._names)}"
        return self._names[variable]


class Setting:
    """A solver that keeps some facts.  What is given besides is assumed by literals, each of which implies its condition,
    so that nothing has to be told twice."""

    def __init__(self, solver: Solver, facts: Iterable[Term]) -> None:
        self.solver, self.kept = solver, solver.fresh()
        self.kept.add(*facts)
        self._literals: dict[tuple[int, bool], Term] = {}
        self._told: list[Term] = []

    def literal(self, condition: Term, holds: bool = True) -> Term:
        """A new proposition that implies the condition, or its negation."""
        key = condition.get_id(), holds
        if key not in self._literals:
            z3 = self.solver.z3
            literal = z3.Bool(f"given {len(self._literals)}")
            self.kept.add(z3.Implies(literal, condition if holds else z3.Not(condition)))
            self._literals[key] = literal
            self._told.append(condition)  # a term that is gone could leave its number to another one
        return self._literals[key]

    def possible(self, *given: Term) -> bool:
        """Whether the facts allow what is given by literals; true if that is not known."""
        self.solver.checks += 1
        return bool(self.kept.check(*given) != self.solver.z3.unsat)

    def decide(self, condition: Term, *given: Term) -> Truth:
        """Whether a condition follows from the facts and literals, or its negation, or neither."""
        if not self.possible(*given, self.literal(condition, False)):
            return Truth.TRUE
        return Truth.UNKNOWN if self.possible(*given, self.literal(condition)) else Truth.FALSE
