"""Cubes as lemmas in the language of the program: no processes are ever so.

lemma 1: forall i, j in P: !(i@crit & j@crit)
lemma 2: forall i in P: !(i@crit & v = 0)
"""

from __future__ import annotations

from collections.abc import Mapping

from coset.engines.backward.cube import Cube
from coset.engines.backward.identities import IDENTITY
from coset.engines.spotlight.context import is_own
from coset.engines.spotlight.expressions import Fit
from coset.engines.spotlight.program import SLOTS, FamilyProgram
from coset.model import expression as e
from coset.model.domain import BOOL

NAMES = "ijklmn"
OPERATORS = {"==": "=", "&&": "&", "||": "|"}


def lemma(cube: Cube, program: FamilyProgram) -> str:
    """That no state is in a cube."""
    names = dict(zip(sorted(cube.places), names_of(len(cube.places), program), strict=True))
    parts = []
    for process, spots in sorted(cube.places.items()):
        class_ = program.classes[process // SLOTS]
        if len(spots) < len(class_.locations):
            parts.append(either([f"{names[process]}@{class_.labels[spot]}" for spot in sorted(spots)]))
    for (variable, slot), allowed in cube.values.items():
        name = variable.name if slot is None else f"{names[slot]}.{variable.name}"
        if variable.domain == BOOL:
            parts.append(name if allowed == {1} else f"!{name}")
        else:
            parts.append(either([f"{name} = {value}" for value in sorted(allowed)]))
    parts += sorted(text(x, names) for x in cube.others)
    classes: dict[str, list[str]] = {}
    for process in sorted(cube.places):
        classes.setdefault(program.classes[process // SLOTS].name, []).append(names[process])
    quantifiers = "".join(f"forall {', '.join(own)} in {name}: " for name, own in classes.items())
    return f"{quantifiers}!({' & '.join(parts) or 'true'})"


def names_of(count: int, program: FamilyProgram) -> list[str]:
    """Names that no variable has."""
    taken = {variable.name for variable in program.family.variables} | {p.name for p in program.family.parameters}
    free = [name for name in NAMES if name not in taken]
    return [free[k] if k < len(free) else f"p{k}" for k in range(count)]


def is_identity(x: e.Expr) -> bool:
    return isinstance(x, e.Get | e.Remote) and x.variable.domain == IDENTITY


def either(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({' | '.join(parts)})"


def text(x: e.Expr, names: Mapping[int, str], outer: bool = False) -> str:
    """An expression as the language of shared variables has it."""
    match x:
        case Fit(operand, _):
            return text(operand, names, outer)
        case e.Get(variable):
            return variable.name
        case e.Remote(_, e.Const(slot), variable) if is_own(variable):
            return names[slot]
        case e.Binary(operator, left, e.Const(-1)) if any(is_identity(part) for part in left.walk()):
            return f"{text(left, names, True)} {OPERATORS.get(operator, operator)} none"
        case e.Remote(_, e.Const(slot), variable):
            return f"{names[slot]}.{variable.name}"
        case e.Unary(operator, operand):
            return f"{operator}{text(operand, names, True)}"
        case e.Binary(operator, left, right):
            inner = f"{text(left, names, True)} {OPERATORS.get(operator, operator)} {text(right, names, True)}"
            return f"({inner})" if outer else inner
    return str(x)
