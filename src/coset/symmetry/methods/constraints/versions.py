"""Static single assignment: from a summand to constraints (Cytron et al., TOPLAS 1991; Zhang et al., ASE 2013, IV.B).

Expressions stay whole as far as possible: `v == (u + 1) % N` is one constraint on u and v.  Reads and writes of arrays at
an index that is not known become constraints of their own.  An expression that was computed before is not computed again,
and a copy is no new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model.domain import Domain
from coset.model.evaluate import flat
from coset.model.model import Variable
from coset.model.sequential.fold import fold, truth
from coset.model.sequential_model import Assign, If, SequentialModel, Statement, Summand
from coset.model.state import offsets
from coset.symmetry.methods.constraints.problem import (
    Constraint,
    Define,
    Defined,
    Merge,
    Operand,
    Part,
    Require,
    Select,
    Store,
    Unknown,
)
from coset.symmetry.methods.constraints.tables import replaced

INT = Domain("int", -(1 << 31), (1 << 31) - 1)
Path = tuple[tuple[Unknown, int], ...]


class Unknowns:
    """All unknowns of a model; those of the state are shared by its summands."""

    def __init__(self, model: SequentialModel) -> None:
        self.model, self.count = model, 0
        self.offset = offsets(model.variables)
        self.before = [self.of_element("before", k) for k in range(len(model.elements))]
        self.after = [self.of_element("after", k) for k in range(len(model.elements))]

    def of_element(self, role: str, k: int) -> Unknown:
        variable, offset = self.model.elements[k]
        return self.new(role, variable.element(offset), variable.domain, k)

    def new(self, role: str, label: str, domain: Domain, element: int = -1) -> Unknown:
        self.count += 1
        return Unknown(self.count, role, label, domain.low, domain.high, element)


def parts(model: SequentialModel, unknowns: Unknowns) -> Iterator[Part]:
    """The constraints of every summand and condition.

    >>> from coset.languages.sequential.parse import parse_text
    >>> model = parse_text("process p(bit a[2], 0..2 x) = 0..1 i . [a[i] == 0] up { a[i] = 1; x = x + 1; } init p(*);")
    >>> for constraint in next(parts(model, Unknowns(model))).constraints:
    ...     print(type(constraint).__name__)
    Select
    Require
    Store
    Defined
    Define
    Defined
    """
    for summand in model.summands:
        yield Versions(unknowns, summand).part()
    for number, condition in enumerate(model.conditions):
        versions = Versions(unknowns, Summand("", guard=condition))
        yield Part(("condition", number), versions.part().constraints)


class Versions:
    """One summand: `current` has the latest version of every element."""

    def __init__(self, unknowns: Unknowns, summand: Summand) -> None:
        self.unknowns, self.summand = unknowns, summand
        self.choices = {v: unknowns.new("choice", v.name, v.domain) for v in summand.choices}
        self.current: list[Operand] = list(unknowns.before)
        self.constraints: list[Constraint] = []
        self.known: dict[object, Unknown] = {}

    def part(self) -> Part:
        for condition in conjuncts(self.summand.guard):
            self.constraints.append(Require(self.tree(condition)))
        self.program(self.summand.program, ())
        renamed: dict[Unknown, Unknown] = {}
        for k, operand in enumerate(self.current):
            after = self.unknowns.after[k]
            if operand is self.unknowns.before[k]:
                continue
            if isinstance(operand, Unknown) and operand.role == "version" and operand not in renamed:
                renamed[operand] = after
            else:
                self.constraints.append(Define(after, operand))
        constraints = tuple(exchanged(constraint, renamed) for constraint in self.constraints)
        return Part(("summand", self.summand.event), constraints, self.summand.span)

    # --- statements ------------------------------------------------------------------------------

    def program(self, statements: tuple[Statement, ...], path: Path) -> None:
        for statement in statements:
            if isinstance(statement, Assign):
                self.assign(statement, path)
            else:
                self.branch(statement, path)

    def assign(self, statement: Assign, path: Path) -> None:
        variable = statement.place.variable
        assert variable is not None
        index = self.index(variable, statement.place.indices)
        value = self.named(self.tree(statement.value), variable.domain, variable.name)
        self.must_be_defined(value, path)
        start = self.unknowns.offset[variable]
        if isinstance(index, int):
            self.current[start + index] = value
            return
        self.must_be_defined(index, path)
        cells = range(start, start + variable.size)
        before = tuple(self.current[k] for k in cells)
        after = tuple(self.unknowns.new("version", self.unknowns.before[k].label, variable.domain) for k in cells)
        self.constraints.append(Store(index, value, before, after))
        self.constraints.append(Defined(after[0], path))
        self.current[start : start + variable.size] = after

    def must_be_defined(self, operand: Operand, path: Path) -> None:
        if isinstance(operand, Unknown) and operand.role == "version":
            self.constraints.append(Defined(operand, path))

    def branch(self, statement: If, path: Path) -> None:
        condition = self.named(truth(self.tree(statement.condition)), None, "if")
        if isinstance(condition, e.Const):
            self.program(statement.yes if condition.value else statement.no, path)
            return
        self.must_be_defined(condition, path)
        start = list(self.current)
        self.program(statement.yes, (*path, (condition, 1)))
        yes, self.current = self.current, start
        self.program(statement.no, (*path, (condition, 0)))
        for k, (a, b) in enumerate(zip(yes, self.current, strict=True)):
            if a != b:
                before = self.unknowns.before[k]
                output = self.unknowns.new("version", before.label, Domain("", before.low, before.high))
                self.constraints.append(Merge(output, condition, a, b))
                self.current[k] = output

    # --- expressions -----------------------------------------------------------------------------

    def tree(self, x: e.Expr) -> e.Expr:
        """The expression over unknowns."""
        if not isinstance(x, e.Get):
            return fold(replaced(x, self.tree))
        if x.variable in self.choices:
            return self.choices[x.variable]
        index = self.index(x.variable, x.indices)
        start = self.unknowns.offset[x.variable]
        if isinstance(index, int):
            return self.current[start + index]
        cells = tuple(self.current[start : start + x.variable.size])
        key = (index, cells)
        if key not in self.known:
            self.known[key] = self.unknowns.new("version", f"{x.variable.name}[{index}]", x.variable.domain)
            self.constraints.append(Select(self.known[key], index, cells))
        return self.known[key]

    def index(self, variable: Variable, subscripts: tuple[e.Expr, ...]) -> int | Unknown:
        """The offset of an element: a number if it is known.  Each subscript must be within its own bounds; one that is
        not is mapped to an offset that no array has."""
        indices = tuple(map(self.tree, subscripts))
        constant = [x.value for x in indices if isinstance(x, e.Const)]
        if len(constant) == len(indices):
            inside = all(0 <= i < n for i, n in zip(constant, variable.shape, strict=True))
            if inside:
                return flat(constant, variable.shape)
        position: e.Expr = e.Const(0)
        outside: e.Expr = e.FALSE
        for x, length in zip(indices, variable.shape, strict=True):
            position = fold(e.Binary("+", fold(e.Binary("*", position, e.Const(length))), x))
            wrong = e.Binary("||", e.Binary("<", x, e.Const(0)), e.Binary(">=", x, e.Const(length)))
            if len(indices) > 1 and not (isinstance(x, Unknown) and x.low >= 0 and x.high < length):
                outside = wrong if outside == e.FALSE else e.Binary("||", outside, wrong)
        if len(indices) == 1:
            position = indices[0]
        if outside != e.FALSE:
            position = e.Conditional(outside, e.Const(-1), position)
        operand = self.named(position, None, f"offset in {variable.name}")
        if isinstance(operand, e.Const):
            operand = self.defined_as(position, None, "offset")
        return operand

    def named(self, tree: e.Expr, domain: Domain | None, label: str) -> Operand:
        """An operand with the value of an expression; a copy if it is one already."""
        match tree:
            case e.Const(value):
                return e.Const(value if domain is None else domain.fit(value))
            case Unknown(low=low, high=high) if domain is None or (domain.low <= low and high <= domain.high):
                return tree
        return self.defined_as(tree, domain, label)

    def defined_as(self, tree: e.Expr, domain: Domain | None, label: str) -> Unknown:
        key = (tree, domain and (domain.low, domain.high))
        if key not in self.known:
            self.known[key] = self.unknowns.new("version", label, domain or INT)
            self.constraints.append(Define(self.known[key], tree, domain))
        return self.known[key]


def conjuncts(x: e.Expr) -> Iterator[e.Expr]:
    """The conditions that a conjunction is made of; what is true anyway is none."""
    if isinstance(x, e.Binary) and x.operator == "&&":
        yield from conjuncts(x.left)
        yield from conjuncts(x.right)
    elif not (isinstance(x, e.Const) and x.value):
        yield x


def exchanged(constraint: Constraint, images: dict[Unknown, Unknown]) -> Constraint:
    """The constraint with some unknowns replaced by others."""

    def one(x: Unknown) -> Unknown:
        return images.get(x, x)

    def operand(x: Operand) -> Operand:
        return images.get(x, x) if isinstance(x, Unknown) else x

    def tree(x: e.Expr) -> e.Expr:
        return images.get(x, x) if isinstance(x, Unknown) else replaced(x, tree)

    match constraint:
        case Define(output, x, fit):
            return Define(one(output), tree(x), fit)
        case Require(x):
            return Require(tree(x))
        case Select(output, index, cells):
            return Select(one(output), one(index), tuple(map(operand, cells)))
        case Store(index, value, before, after):
            return Store(one(index), operand(value), tuple(map(operand, before)), tuple(map(one, after)))
        case Merge(output, condition, yes, no):
            return Merge(one(output), one(condition), operand(yes), operand(no))
        case Defined(unknown, path):
            return Defined(one(unknown), tuple((one(x), value) for x, value in path))
    raise TypeError(f"unknown constraint {type(constraint).__name__}")
