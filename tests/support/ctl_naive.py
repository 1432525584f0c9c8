"""Computation tree logic by definition."""

from __future__ import annotations

from collections.abc import Mapping

from coset.properties.ctl import (
    Branching,
    BranchingUntil,
)
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Not


def naive(formula: Formula[A], successors: list[list[int]], atoms: Mapping[A, set[int]]) -> set[int]:
    """The states of a formula.  A state without successors is its own successor."""
    every = set(range(len(successors)))
    following = [row or [state] for state, row in enumerate(successors)]

    def states(formula: Formula[A]) -> set[int]:
        return naive(formula, successors, atoms)

    def step(quantifier: str, found: set[int]) -> set[int]:
        some = any if quantifier == "E" else all
        return {state for state in every if some(target in found for target in following[state])}

    def until(quantifier: str, p: set[int], q: set[int], start: set[int]) -> set[int]:
        found = start
        while (again := q | (p & step(quantifier, found))) != found:
            found = again
        return found

    match formula:
        case Constant(value):
            return every if value else set()
        case Atom(atom):
            return atoms[atom]
        case Not(operand):
            return every - states(operand)
        case Logic(operator, left, right):
            p, q = states(left), states(right)
            return {"&&": p & q, "||": p | q, "->": every - p | q, "<->": every - (p ^ q)}[operator]
        case Branching(quantifier, "X", operand):
            return step(quantifier, states(operand))
        case Branching(quantifier, "F", operand):
            return until(quantifier, every, states(operand), set())
        case Branching(quantifier, "G", operand):
            return until(quantifier, states(operand), set(), every)
        case BranchingUntil(quantifier, "U", left, right):
            return until(quantifier, states(left), states(right), set())
        case BranchingUntil(quantifier, "W", left, right):
            return until(quantifier, states(left), states(right), every)
        case BranchingUntil(quantifier, "R", left, right):
            p, q = states(left), states(right)
            return until(quantifier, q, p & q, every)
    raise AssertionError(formula)
