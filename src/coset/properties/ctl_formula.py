"""Formulas of computation tree logic over atoms of any type.

A path quantifier, `A` on all paths or `E` on some path, together with what holds on the path: `X` next, `F` at some
time, `G` at all times, `U` until, `W` weak until, `R` release.  `Atom`, `Not`, `Logic` and `Constant` are those of
linear time.

E. M. Clarke, E. A. Emerson, A. P. Sistla, "Automatic verification of finite-state concurrent systems using temporal
logic specifications", ACM TOPLAS 8 (1986).
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.properties.formula import A, Atom, Constant, Formula, Logic, Not
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Branching(Formula[A]):
    """`A` or `E` with `X`, `F` or `G`."""

    quantifier: str
    operator: str
    operand: Formula[A]

    def atoms(self) -> Iterator[A]:
        yield from self.operand.atoms()

    def __str__(self) -> str:
        return f"{self.quantifier}{self.operator} {self.operand}"


@dataclass(frozen=True, slots=True)
class BranchingUntil(Formula[A]):
    """`A` or `E` with `U`, `W` or `R`."""

    quantifier: str
    operator: str
    left: Formula[A]
    right: Formula[A]

    def atoms(self) -> Iterator[A]:
        yield from self.left.atoms()
        yield from self.right.atoms()

    def __str__(self) -> str:
        return f"{self.quantifier}[{self.left} {self.operator} {self.right}]"


def existential_form(formula: Formula[A]) -> Formula[A]:
    """An equal formula with `EX`, `EU` and `EG` as its only temporal operators, and only `!`, `&&` and `||` besides.

    >>> p, q = Atom("p"), Atom("q")
    >>> print(existential_form(Branching("A", "G", Logic("->", p, Branching("A", "F", q)))))
    !E[true U ((p) && EG !(q))]
    >>> print(existential_form(BranchingUntil("A", "U", p, q)))
    !(E[!(q) U (!(p) && !(q))] || EG !(q))
    """
    form = existential_form
    match formula:
        case Constant() | Atom():
            return formula
        case Not(operand):
            return _not(form(operand))
        case Logic("->", left, right):
            return _or(_not(form(left)), form(right))
        case Logic("<->", left, right):
            one, other = form(left), form(right)
            return _or(_and(one, other), _and(_not(one), _not(other)))
        case Logic("&&", left, right):
            return _and(form(left), form(right))
        case Logic("||", left, right):
            return _or(form(left), form(right))
        case Branching("E", "X" | "G" as operator, operand):
            return Branching("E", operator, form(operand))
        case Branching("E", "F", operand):
            return BranchingUntil("E", "U", Constant(True), form(operand))
        case Branching("A", "X" | "F" | "G" as operator, operand):
            dual = {"X": "X", "F": "G", "G": "F"}[operator]
            return _not(form(Branching("E", dual, Not(operand))))
        case BranchingUntil("E", "U", left, right):
            return BranchingUntil("E", "U", form(left), form(right))
        case BranchingUntil("E", "W", left, right):
            holds = form(left)
            return _or(BranchingUntil("E", "U", holds, form(right)), Branching("E", "G", holds))
        case BranchingUntil("E", "R", left, right):
            holds = form(right)
            return _or(BranchingUntil("E", "U", holds, _and(form(left), holds)), Branching("E", "G", holds))
        case BranchingUntil("A", "U" | "W" as operator, left, right):
            stop = _not(form(right))
            failed: Formula[A] = BranchingUntil("E", "U", stop, _and(_not(form(left)), stop))
            return _not(failed if operator == "W" else _or(failed, Branching("E", "G", stop)))
        case BranchingUntil("A", "R", left, right):
            return _not(BranchingUntil("E", "U", _not(form(left)), _not(form(right))))
    raise TypeError(f"not a formula of computation tree logic: {formula!r}")


def _not(formula: Formula[A]) -> Formula[A]:
    match formula:
        case Not(operand):
            return operand
        case Constant(value):
            return Constant(not value)
        case Logic("||", Not(left), right):
            return Logic("&&", left, _not(right))
    return Not(formula)


def _and(left: Formula[A], right: Formula[A]) -> Formula[A]:
    return Logic("&&", left, right)


def _or(left: Formula[A], right: Formula[A]) -> Formula[A]:
    return Logic("||", left, right)
