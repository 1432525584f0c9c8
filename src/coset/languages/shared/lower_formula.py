"""Properties of a program as formulas over expressions of the model."""

from __future__ import annotations

from collections.abc import Sequence

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.lower_expression import Expressions, folded
from coset.languages.shared.refusal import Refused
from coset.languages.shared.symbols import Process, Scope, binary, negation, truth
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import PROCESS
from coset.model.family import Quantifier
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil

LOGIC = {"&": "&&", "|": "||", "->": "->", "<->": "<->"}
Formula = f.Formula[e.Expr]


def is_temporal(x: t.Expression) -> bool:
    return any(isinstance(part, t.Temporal) for part in x.walk())


def formula(x: t.Expression, here: Expressions) -> Formula:
    """The formula; what has no temporal operator is one condition."""
    if not is_temporal(x):
        return f.Atom(here.truth(x))
    match x:
        case t.Path(quantifier, operator, operand):
            return Branching(quantifier, operator, formula(operand, here))
        case t.PathUntil(quantifier, operator, left, right):
            return BranchingUntil(quantifier, operator, formula(left, here), formula(right, here))
        case t.Modal(operator, operand):
            return f.Modal(operator, formula(operand, here))
        case t.Until(operator, left, right):
            return f.Until(operator, formula(left, here), formula(right, here))
        case t.Unary("!", operand):
            return f.Not(formula(operand, here))
        case t.Binary(operator, left, right) if operator in LOGIC:
            return f.Logic(LOGIC[operator], formula(left, here), formula(right, here))
        case t.Quantified("forall" | "exists" as what):
            here.told_apart(x, f"`{what}` inside of a formula looks at all processes")
            return joined("&&" if what == "forall" else "||", [restricted(x, inner) for inner in here.choices(x)])
    raise Refused(codes.WRONG_TYPE, "a formula is needed here", x)


def restricted(x: t.Quantified, here: Expressions) -> Formula:
    """The body of a quantifier, for the processes that its condition chooses."""
    body = formula(x.body, here)
    if x.condition is None:
        return body
    condition = here.truth(x.condition)
    if isinstance(condition, e.Const) and (condition.value != 0 or is_temporal(x.body)):
        return body if condition.value else f.Constant(x.what == "forall")
    if isinstance(body, f.Atom):
        atom: e.Expr = body.value
        return f.Atom(binary("||", negation(condition), atom) if x.what == "forall" else binary("&&", condition, atom))
    return f.Logic("->" if x.what == "forall" else "&&", f.Atom(condition), body)


def joined(operator: str, parts: Sequence[Formula]) -> Formula:
    """The conjunction or disjunction of formulas.  `AG p && AG q` is `AG (p && q)`, one condition, which keeps more
    symmetries; and so for `[]`, and for `EF` and `<>` with `||`."""
    parts = [part for part in parts if part != f.Constant(operator == "&&")]
    if not parts:
        return f.Constant(operator == "&&")
    first = parts[0]
    if all(isinstance(part, f.Atom) for part in parts):
        atoms = [part.value for part in parts if isinstance(part, f.Atom)]
        return f.Atom(folded(operator, atoms, truth(operator == "&&")))
    always = ("A", "G", "[]") if operator == "&&" else ("E", "F", "<>")
    match first:
        case Branching(quantifier, modal) if (quantifier, modal) == always[:2]:
            if all(isinstance(part, Branching) and (part.quantifier, part.operator) == always[:2] for part in parts):
                return Branching(quantifier, modal, joined(operator, [part.operand for part in parts]))  # type: ignore[attr-defined]
        case f.Modal(modal) if modal == always[2]:
            if all(isinstance(part, f.Modal) and part.operator == modal for part in parts):
                return f.Modal(modal, joined(operator, [part.operand for part in parts]))  # type: ignore[attr-defined]
    half = len(parts) // 2
    return first if half == 0 else f.Logic(operator, joined(operator, parts[:half]), joined(operator, parts[half:]))


def symbolic(
    x: t.Expression, here: Expressions
) -> tuple[tuple[Quantifier, ...], list[t.Expression], t.Expression, Expressions]:
    """The quantifiers in front of a property of a family, their conditions, the rest, and the scope of the rest."""
    quantifiers: list[Quantifier] = []
    conditions: list[t.Expression] = []
    scope = here.scope
    while isinstance(x, t.Quantified) and x.what == "forall":
        for bound in x.bound:
            members = here.class_of(bound)
            variables = tuple(m.Variable(name, PROCESS, span=bound.span) for name in bound.names)
            quantifiers.append(Quantifier(variables, members.name))
            for variable in variables:
                if variable.name in scope.bound:
                    raise Refused(codes.REDECLARED, f"`{variable.name}` is quantified twice", bound)
                scope = scope.binding(variable.name, Process(members.name, e.Get(variable)))
        if x.condition is not None and not says_different(x.condition, scope):
            conditions.append(x.condition)
        x = x.body
    return tuple(quantifiers), conditions, x, here.within(scope)


def says_different(x: t.Expression, scope: Scope) -> bool:
    """Whether a condition only says that two processes of a class are different, which they are in any case."""
    match x:
        case t.Binary("!=", t.Name(one), t.Name(other)) if one != other and {one, other} <= {*scope.bound}:
            return True
    return False
