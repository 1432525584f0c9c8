"""A sequential model as text, which `coset.languages.sequential.parse` reads back.

It looks like one recursive process with the variables as its parameters and the summands as the terms of a sum, as in
Fig. 3 of Zhang et al. (Constraint-based automatic symmetry detection, ASE 2013):

    process ring(bit label[3]) =
        0..2 u, 0..2 v . [v == (u + 1) % 3 && label[u] != label[v]] copy { label[v] = label[u]; }
    init ring(*);
"""

from __future__ import annotations

from collections.abc import Iterable

from coset.model import expression as e
from coset.model.domain import Domain
from coset.model.model import Variable
from coset.model.printer import PRECEDENCE
from coset.model.sequential_model import Assign, If, SequentialModel, Start, Statement, Summand


def show(model: SequentialModel) -> str:
    """The whole model."""
    name = identifier(model.name)
    parameters = ", ".join(f"{domain(v.domain)} {v.name}{subscripts(map(str, v.shape))}" for v in model.variables)
    lines = [f"process {name}({parameters}) ="]
    for number, each in enumerate(model.summands):
        lines.append(f"  {'+' if number else ' '} {summand(each)}")
    lines += [f"init {name}({start(model, each)});" for each in model.starts]
    lines += [f"{'always' if each in model.always else 'condition'} {expression(each)};" for each in model.conditions]
    if model.control is not None:
        lines.append(f"control {model.control.name};")
    return "\n".join(lines) + "\n"


def identifier(name: str) -> str:
    """A name of letters, digits and underscores.

    >>> identifier("token-ring.pml")
    'token_ring'
    """
    text = "".join(c if c.isalnum() and c.isascii() else "_" for c in name.removesuffix(".pml").removesuffix(".seq"))
    return text if text and not text[0].isdigit() else f"_{text}"


def domain(of: Domain) -> str:
    if (of.low, of.high) == (0, 1):
        return "bool" if of.name == "bool" else "bit"
    return f"{of.low}..{of.high}"


def subscripts(indices: Iterable[str]) -> str:
    return "".join(f"[{index}]" for index in indices)


def start(model: SequentialModel, values: Start) -> str:
    if all(value is None for value in values):
        return "*"
    parts, position = [], 0
    for variable in model.variables:
        own = ["*" if value is None else str(value) for value in values[position : position + variable.size]]
        position += variable.size
        parts.append(f"{variable.name} = {own[0] if len(set(own)) == 1 else '{' + ', '.join(own) + '}'}")
    return ", ".join(parts)


def summand(of: Summand) -> str:
    choices = ", ".join(f"{domain(v.domain)} {v.name}" for v in of.choices)
    return f"{choices + ' . ' if choices else ''}[{expression(of.guard)}] {of.event} {block(of.program)}"


def block(program: tuple[Statement, ...]) -> str:
    return "{ " + " ".join(map(statement, program)) + " }" if program else "{ }"


def statement(of: Statement) -> str:
    match of:
        case Assign(place, value):
            assert place.variable is not None
            return f"{place.variable.name}{subscripts(map(expression, place.indices))} = {expression(value)};"
        case If(condition, yes, no):
            rest = f" else {block(no)}" if no else ""
            return f"if ({expression(condition)}) {block(yes)}{rest}"


def expression(x: e.Expr, above: int = 0) -> str:
    """The expression with as few parentheses as needed."""
    match x:
        case e.Const(value):
            return str(value) if value >= 0 or above == 0 else f"({value})"
        case e.Get(variable, indices):
            return reference(variable, indices)
        case e.Unary(operator, operand):
            return operator + expression(operand, 11)
        case e.Binary(operator, left, right):
            level = PRECEDENCE[operator]
            text = f"{expression(left, level)} {operator} {expression(right, level + 1)}"
            return f"({text})" if level < above else text
        case e.Conditional(condition, yes, no):
            return f"({expression(condition, 1)} ? {expression(yes, 1)} : {expression(no, 1)})"
        case _:
            raise TypeError(f"{type(x).__name__} is no expression of a sequential model")


def reference(variable: Variable, indices: tuple[e.Expr, ...]) -> str:
    return variable.name + subscripts(map(expression, indices))
