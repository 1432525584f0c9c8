"""Sizes of members of a family, in numbers and in words, and names for the processes in the spotlight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coset.engines.spotlight.expressions import Fit
from coset.engines.spotlight.linear import comparison
from coset.engines.spotlight.program import SLOTS
from coset.engines.spotlight.refine import Outcome
from coset.model import expression as e
from coset.model import model as m
from coset.model.family import Family, FamilyProperty
from coset.model.rewrite import rewrite


def is_vacuous(family: Family, property_: FamilyProperty) -> bool:
    """Whether there are fewer processes than the property speaks of."""
    return any(
        isinstance(size := family.class_(name).size, int) and size < number
        for name, number in diameter(property_).items()
    )


def diameter(property_: FamilyProperty) -> dict[str, int]:
    """How many processes of each class the property speaks of: the process diameter."""
    found: dict[str, int] = {}
    for quantifier in property_.quantifiers:
        found[quantifier.of] = found.get(quantifier.of, 0) + len(quantifier.variables)
    return found


def lowest(family: Family, outcome: Outcome) -> dict[str, int]:
    """The least value of each parameter that is a size, for an abstraction to speak of it."""
    found: dict[str, int] = {}
    for class_, count in zip(family.classes, outcome.spotlight, strict=True):
        if isinstance(class_.size, m.Variable):
            found[class_.size.name] = max(1, count, found.get(class_.size.name, 1))
    return found


def threshold(condition: e.Expr) -> tuple[str, int]:
    """The parameter that a condition compares with a number, and the least value above which the answer is the same.

    >>> from coset.model.domain import INT
    >>> n = e.Get(m.Variable("n", INT))
    >>> threshold(e.Binary(">=", n, e.Const(3))), threshold(e.Binary("!=", n, e.Const(3)))
    (('n', 3), ('n', 4))
    """
    match comparison(condition):
        case e.Binary(">=", e.Get(variable), e.Const(number)):
            return variable.name, number
        case e.Binary("<=" | "==" | "!=", e.Get(variable), e.Const(number)):
            return variable.name, number + 1
    return "", 0


def sizes_text(family: Family, least: Mapping[str, int] | None = None, fixed: Mapping[str, int] | None = None) -> str:
    """Which members are meant: `readers >= 1, writers = 2`."""
    sizes = {each.size.name for each in family.classes if isinstance(each.size, m.Variable)}
    parts = []
    for parameter in family.parameters:
        name = parameter.name
        if fixed and name in fixed:
            parts.append(f"{name} = {fixed[name]}")
        elif name in sizes:
            parts.append(f"{name} >= {(least or {}).get(name, 1)}")
    if not fixed or len(fixed) < len(family.parameters):
        parts += [str(assumption) for assumption in family.assumptions]
    return ", ".join(parts)


def slot_names(family: Family, property_: FamilyProperty, spotlight: Sequence[int]) -> dict[int, str]:
    """Names for the processes in the spotlight: the variables of the property, then numbers."""
    found = {}
    for number, (class_, count) in enumerate(zip(family.classes, spotlight, strict=False)):
        variables = [v.name for each in property_.quantifiers if each.of == class_.name for v in each.variables]
        for k in range(count):
            found[number * SLOTS + k] = f"{class_.name} {variables[k] if k < len(variables) else f'#{k + 1}'}"
    return found


def named(x: e.Expr, slots: Mapping[int, str]) -> str:
    """A condition on processes in slots, with their names."""
    text = str(rewrite(x, lambda part: part.operand if isinstance(part, Fit) else part))
    for slot, name in slots.items():
        kind, _, own = name.partition(" ")
        text = text.replace(f"{kind}[{slot}]:", f"{own}.")
    return text
