"""Which variables are never undefined, so that reading them needs no check, and no room for `undefined`.

A variable may be undefined if an element of it is in some start state, or if a rule assigns `undefined` or copies a variable
that may be.  This is the least fixed point over all assignments (Nielson, Nielson and Hankin, Principles of Program
Analysis, 1999, section 1.5), whatever the order in which rules fire.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from coset.languages.murphi import folding
from coset.languages.murphi.statements import Branch, Check, Claim, Set, Statement, While, branch
from coset.languages.murphi.types import BOOLEAN
from coset.model import expression as e
from coset.model import model as m
from coset.model.rewrite import replace_variables, rewrite


class Definedness:
    """What is known of variables.  `undefined` are those that may be undefined at the start, or cannot be told."""

    def __init__(
        self, variables: Iterable[m.Variable], undefined: set[m.Variable], rules: Iterable[Sequence[Statement]]
    ) -> None:
        doubtful = maybe_undefined(undefined, rules)
        self.certain = frozenset(variable for variable in variables if variable not in doubtful)

    def expression(self, x: e.Expr) -> e.Expr:
        """The expression without checks that always succeed."""
        return rewrite(x, self.simpler) if self.certain else x

    def simpler(self, x: e.Expr) -> e.Expr:
        match x:
            case e.Checked(e.Get(variable), _, _, "undefined") if variable in self.certain:
                return x.operand
            case e.Checked(operand, low, high, fault, message):
                return folding.within(operand, low, high, fault, message)
            case e.Binary("==" | "!=" as operator, e.Get(variable), e.Const(value)) if variable in self.certain:
                if value == undefined_of(variable):
                    return e.Const(int(operator == "!="))
            case e.Binary("&&" | "||" as operator, left, right):
                return folding.binary(operator, left, right)
            case e.Unary("!", operand):
                return folding.negated(operand)
            case e.Conditional(condition, yes, no):
                return folding.choice(condition, yes, no)
        return x

    def statements(self, statements: Sequence[Statement]) -> Iterator[Statement]:
        """Statements without such checks."""
        for each in statements:
            match each:
                case Set(place, value):
                    indices = tuple(map(self.expression, place.indices))
                    yield Set(e.Place(place.variable, indices), self.expression(value))
                case Check(value):
                    checked = self.expression(value)
                    if folding.may_fault(checked):
                        yield Check(checked)
                case Claim(condition, message):
                    yield Claim(self.expression(condition), message)
                case Branch(condition, yes, no):
                    holds = self.expression(condition)
                    if isinstance(holds, e.Const):
                        yield from self.statements(yes if holds.value else no)
                        continue
                    positive, negative = tuple(self.statements(yes)), tuple(self.statements(no))
                    if positive or negative:
                        yield branch(holds, positive, negative)
                case While(condition, body):
                    yield While(self.expression(condition), tuple(self.statements(body)))


def has_room(variable: m.Variable, known: Definedness) -> bool:
    """Whether a variable may be undefined, even if it never is."""
    return variable not in known.certain or variable.domain.name != BOOLEAN.name


def narrowed(model: m.Model, certain: Iterable[m.Variable]) -> m.Model:
    """The model in which truth values have no room for `undefined`, if they need none."""
    images = {}
    for variable in certain:
        domain = variable.domain
        if domain.name != BOOLEAN.name:
            continue  # values of one sort are kept where there is room for all of them
        labels = tuple(label for label in domain.labels if label[0] != domain.high)
        images[variable] = replace(variable, domain=replace(domain, high=domain.high - 1, labels=labels))
    return replace_variables(model, images)


def maybe_undefined(undefined: set[m.Variable], rules: Iterable[Sequence[Statement]]) -> set[m.Variable]:
    found = set(undefined)
    flows: dict[m.Variable, set[m.Variable]] = {}
    for statements in rules:
        for variable, value in assignments(statements):
            for source in sources(value, variable):
                if source is None:
                    found.add(variable)
                else:
                    flows.setdefault(source, set()).add(variable)
    pending = list(found)
    while pending:
        for variable in flows.get(pending.pop(), ()):
            if variable not in found:
                found.add(variable)
                pending.append(variable)
    return found


def assignments(statements: Sequence[Statement]) -> Iterator[tuple[m.Variable, e.Expr]]:
    for each in statements:
        match each:
            case Set(place, value):
                assert place.variable is not None
                yield place.variable, value
            case Branch(_, yes, no):
                yield from assignments(yes)
                yield from assignments(no)
            case While(_, body):
                yield from assignments(body)


def sources(value: e.Expr, variable: m.Variable) -> Iterator[m.Variable | None]:
    """The variables that a value may be copied from without a check; None if it may be `undefined` itself."""
    match value:
        case e.Const(number):
            if number >= undefined_of(variable) or number < variable.domain.low:
                yield None
        case e.Get(source):
            yield source
        case e.Conditional(_, yes, no):
            yield from sources(yes, variable)
            yield from sources(no, variable)


def undefined_of(variable: m.Variable) -> int:
    """The number for `undefined`, which has that label."""
    return next(number for number, label in variable.domain.labels if label == "undefined")
