"""Which values can occur: of every element in any state, and of the unknowns of a summand in any of its steps.

Values that never occur are no literals: they would only add symmetries that move nothing (Zhang et al., ASE 2013, IV.D.2).
The sets of the elements grow from the start on until no summand adds a value (as if the elements had nothing to do
with each other, so that all states are covered); within a summand the guard narrows them.  Where this has no end, as with
a counter that another variable limits, a small space is looked at as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from coset.model import expression as e
from coset.model.sequential.interpreter import SequentialInterpreter
from coset.model.sequential_model import SequentialModel
from coset.source.budget import current_budget
from coset.source.records import dataclass
from coset.symmetry.methods.constraints.problem import (
    Constraint,
    Define,
    Defined,
    Merge,
    Operand,
    Part,
    Require,
    Select,
    Several,
    Store,
    TooLarge,
    Unknown,
    Value,
)
from coset.symmetry.methods.constraints.tables import broken_down, divides, image, ordered, rows, shape, support
from coset.symmetry.methods.constraints.versions import Unknowns

MOST_DOMAIN = 1024
"""Values of one element."""
PATIENCE = 24
"""Times that an element may get new values one by one; then it gets all that it can have."""
MOST_STATES = 10_000
"""Of a space that is explored to know which values occur."""
PASSES = 8
"""Times that the constraints of a summand narrow each other's values; fewer are not wrong."""

Values = dict[Unknown, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A part that can happen: its constraints, small enough to be written out, and the values of its unknowns."""

    part: Part
    constraints: tuple[Constraint, ...]
    domains: Values


class Occurring:
    """The values that occur, for the constraints of a whole model."""

    def __init__(self, model: SequentialModel, unknowns: Unknowns, parts: Sequence[Part]) -> None:
        self.unknowns, self.parts = unknowns, parts
        self.elements: list[set[int]] = [set() for _ in unknowns.before]
        for start in model.starts:
            for values, unknown, value in zip(self.elements, unknowns.before, start, strict=True):
                values |= {value} if value is not None else span(unknown)
        self.versions: list[dict[tuple[e.Expr, str], Unknown]] = [{} for _ in parts]
        self.readers: dict[int, set[int]] = {}
        for number, part in enumerate(parts):
            for constraint in part.constraints:
                for unknown in mentioned(constraint):
                    if unknown.role == "before":
                        self.readers.setdefault(unknown.element, set()).add(number)
        try:
            is_certain, problem = self.grow(), None
        except TooLarge as error:
            is_certain, problem = False, error
        explored = None if is_certain else explored_values(model)
        if explored is not None:
            self.elements = explored
        elif problem is not None:
            raise problem

    def grow(self) -> bool:
        """Let every summand add the values that it may leave behind, until none does.  False if an element had to be given
        all of its values, so that it may well have fewer."""
        todo = dict.fromkeys(range(len(self.parts)))
        times = [0] * len(self.elements)
        while todo:
            number = next(iter(todo))
            while changed := self.step(number):  # a summand that counts goes on for itself before others follow
                for element in changed:
                    times[element] += 1
                    if times[element] > PATIENCE:
                        self.elements[element] = span(self.unknowns.before[element])
                    todo |= dict.fromkeys(sorted(self.readers.get(element, ())))
            del todo[number]
        return max(times, default=0) <= PATIENCE

    def step(self, number: int) -> list[int]:
        """The elements that get new values by one summand."""
        narrowed = self.narrowed(number, passes=0)
        changed = []
        for unknown, values in narrowed.domains.items() if narrowed else ():
            if unknown.role == "after":
                new = {value for value in values if value is not None} - self.elements[unknown.element]
                if new:
                    self.elements[unknown.element] |= new
                    changed.append(unknown.element)
                    if len(self.elements[unknown.element]) > MOST_DOMAIN:
                        raise TooLarge(f"`{unknown.label}` has more than {MOST_DOMAIN} values")
        return changed

    def exact(self, number: int) -> Narrowed | None:
        """For the graph: as `narrowed`, but nothing is left out of a summand in which something can go wrong."""
        if all(map(cannot_fail, self.parts[number].constraints)):
            return self.narrowed(number)
        whole = self.narrowed(number, narrowing=False)
        return whole if whole is not None and may_fail(whole) else self.narrowed(number)

    def narrowed(self, number: int, narrowing: bool = True, passes: int = PASSES) -> Narrowed | None:
        """The values in steps of one summand; None if it can make none.  Without `narrowing` guards are not heeded."""
        part = self.parts[number]

        def new(tree: e.Expr, label: str) -> Unknown:
            known = self.versions[number]
            if (tree, label) not in known:
                self.unknowns.count += 1
                known[tree, label] = Unknown(self.unknowns.count, "version", label, -(1 << 31), (1 << 31) - 1)
            return known[tree, label]

        domains: Values = {}
        for constraint in part.constraints:
            for unknown in mentioned(constraint):
                if unknown in domains:
                    continue
                if unknown.role == "before":
                    domains[unknown] = tuple(sorted(self.elements[unknown.element]))
                elif unknown.role == "choice":
                    domains[unknown] = tuple(sorted(span(unknown)))
        done: list[Constraint] = []
        pending = list(reversed(part.constraints))
        while pending:
            constraint = pending.pop()
            if isinstance(constraint, Define | Require):
                smaller = broken_down(constraint, domains, new)
                if smaller is not None:
                    pending += reversed(smaller)
                    continue
            done.append(constraint)
            if not propagate(constraint, domains, narrowing) and narrowing:
                return None
        for _ in range(passes if narrowing else 0):
            earlier = dict(domains)
            for constraint in done:
                if not propagate(constraint, domains, narrowing):
                    return None
            if domains == earlier:
                break
        return Narrowed(part, tuple(done), domains)


def explored_values(model: SequentialModel) -> list[set[int]] | None:
    """The values of the elements in all reachable states; None if there are too many of these to be looked at."""
    sizes = [variable.domain.high - variable.domain.low + 1 for variable, _ in model.elements]
    firsts = sum(prod(n for x, n in zip(start, sizes, strict=True) if x is None) for start in model.starts)
    if firsts > MOST_STATES:
        return None
    interpreter = SequentialInterpreter(model)
    found = interpreter.reachable(MOST_STATES)
    return None if len(found) >= MOST_STATES else [set(column) for column in zip(*found, strict=True)]


def span(unknown: Unknown) -> set[int]:
    if unknown.high - unknown.low >= MOST_DOMAIN:
        raise TooLarge(f"`{unknown.label}` may have any of more than {MOST_DOMAIN} values")
    return set(range(unknown.low, unknown.high + 1))


def mentioned(constraint: Constraint) -> Iterable[Unknown]:
    match constraint:
        case Define(output, tree):
            yield from (output, *support(tree))
        case Require(tree):
            yield from support(tree)
        case Select(output, index, cells):
            yield from (output, index, *unknown_among(cells))
        case Store(index, value, before, after):
            yield from (index, *unknown_among((value,)), *unknown_among(before), *after)
        case Merge(output, condition, yes, no):
            yield from (output, condition, *unknown_among((yes, no)))
        case Several(output, _, inputs):
            yield from inputs if output is None else (output, *inputs)
        case Defined(operand, path):
            yield from (operand, *(unknown for unknown, _ in path))


def unknown_among(operands: Iterable[Operand]) -> list[Unknown]:
    return [operand for operand in operands if isinstance(operand, Unknown)]


def values_of(operand: Operand, domains: Values) -> tuple[Value, ...]:
    return (operand.value,) if isinstance(operand, e.Const) else domains[operand]


def cannot_fail(constraint: Constraint) -> bool:
    """Whether it is plain to see that a constraint has a value for everything: no divisions, and indices within bounds."""
    match constraint:
        case Define(_, tree) | Require(tree):
            return not divides(tree)
        case Select(_, index, cells) | Store(index, _, cells):
            return index.low >= 0 and index.high < len(cells)
    return True


def may_fail(narrowed: Narrowed) -> bool:
    """Whether some expression may have no value."""
    return any(None in values for values in narrowed.domains.values()) or any(
        value is None
        for constraint in narrowed.constraints
        if isinstance(constraint, Require)
        for _, value in rows(constraint.tree, support(constraint.tree), narrowed.domains)
    )


def propagate(constraint: Constraint, domains: Values, narrowing: bool) -> bool:
    """Give the output its values, or narrow what is required.  False if the constraint cannot be met."""
    current_budget().check()

    def output(unknown: Unknown, values: Iterable[Value]) -> bool:
        known = domains.get(unknown)
        if known is None:
            domains[unknown] = ordered(values)
        else:
            found = set(values)
            domains[unknown] = tuple(value for value in known if value in found)
        return bool(domains[unknown])

    match constraint:
        case Define(unknown, tree, fit):
            inputs = support(tree)
            return output(unknown, image(shape(tree), tuple(domains[x] for x in inputs), fit))
        case Require() if not narrowing:
            return True
        case Require(tree):
            inputs = support(tree)
            # A step that goes wrong is to be seen, too, so its values stay.
            allowed = [values for values, value in rows(tree, inputs, domains) if value is None or value]
            for unknown, column in zip(inputs, zip(*allowed, strict=True), strict=False):
                domains[unknown] = ordered(column)
            return bool(allowed)
        case Select(unknown, index, cells):
            return output(
                unknown,
                (value for k in domains[index] for value in cell_values(cells, k, domains)),
            )
        case Store(index, value, before, after):
            new, inside = (
                values_of(value, domains),
                {k for k in domains[index] if k is not None and 0 <= k < len(after)},
            )
            outside: tuple[Value, ...] = (None,) if len(inside) < len(domains[index]) else ()
            for k, (unknown, old) in enumerate(zip(after, before, strict=True)):
                written = new if k in inside else ()
                kept = values_of(old, domains) if len(inside) > (k in inside) else ()
                if not output(unknown, (*written, *kept, *outside)):
                    return False
            return True
        case Merge(unknown, condition, yes, no):
            chosen = {1: values_of(yes, domains), 0: values_of(no, domains), None: (None,)}
            return output(unknown, (value for case in domains[condition] for value in chosen[case]))
        case Several(None, every, inputs):
            if every and narrowing:
                domains |= {x: tuple(v for v in domains[x] if v == 1) for x in inputs}
            return all(map(domains.get, inputs)) and (every or any(1 in domains[x] for x in inputs))
        case Several(conclusion, every, inputs):
            assert conclusion is not None
            deciding = int(not every)
            possible = [deciding] if any(deciding in domains[x] for x in inputs) else []
            undecided = [1 - deciding] if all(1 - deciding in domains[x] for x in inputs) else []
            return output(conclusion, [*possible, *undecided])
        case Defined():
            return True


def cell_values(cells: Sequence[Operand], k: Value, domains: Values) -> tuple[Value, ...]:
    return values_of(cells[k], domains) if k is not None and 0 <= k < len(cells) else (None,)
