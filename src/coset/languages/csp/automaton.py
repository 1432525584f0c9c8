"""A component as an automaton: its locations are the terms that can be left to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coset.languages.csp import codes, terms
from coset.languages.csp import tree as t
from coset.languages.csp.indexed import expanded
from coset.languages.csp.settle import Settling
from coset.languages.csp.steps import SEND, Messages, Semantics, Step
from coset.languages.csp.terms import Refused

MOST_LOCATIONS = 20_000
MOST_EDGES = 100_000
MOST_SYMBOLIC = 400
"""Above this the values of parameters are put in: most likely the parameters grow without end."""
MOST_VALUES = 256


@dataclass(slots=True)
class Automaton:
    """Terms, numbered from the start, each with its steps and the numbers of their targets."""

    terms: list[t.Process] = field(default_factory=list)
    edges: list[list[tuple[Step, int]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Component:
    """Processes that do the same up to their parameters: one term, and the parameters of each instance."""

    name: str
    term: t.Process
    parameters: tuple[str, ...]
    instances: tuple[tuple[int, ...], ...]

    def values(self, instance: tuple[int, ...]) -> dict[str, int]:
        return dict(zip(self.parameters, instance, strict=True))


def build(component: Component, program: t.Program, messages: Messages, settling: Settling) -> Automaton:
    """The automaton of a component."""
    try:
        return explored(component, program, messages, settling)
    except RecursionError:
        message = f"what is left of `{component.name}` to do grows without end"
        raise Refused(codes.TOO_LARGE, message, component.term) from None


def explored(component: Component, program: t.Program, messages: Messages, settling: Settling) -> Automaton:
    semantics = Semantics(program, messages, settling)
    result = Automaton([settling.settle(component.term)])
    numbers = {result.terms[0]: 0}
    edges = 0
    most = MOST_SYMBOLIC if component.parameters else MOST_LOCATIONS
    for term in result.terms:
        row = []
        for step in semantics.steps(term):
            target = settling.settle(step.target)
            number = numbers.setdefault(target, len(numbers))
            if number == len(result.terms):
                result.terms.append(target)
            row.append((step, number))
        result.edges.append(row)
        edges += len(row)
        if edges > MOST_EDGES:
            raise Refused(codes.TOO_LARGE, f"`{component.name}` has more than {MOST_EDGES} steps", component.term)
        if len(result.terms) > most:
            raise Refused(codes.TOO_LARGE, f"`{component.name}` has more than {most} control states", component.term)
    return result


def tells_apart(automaton: Automaton, component: Component) -> bool:
    """Whether terms that look different are different for every instance: then locations are PAT's terms."""
    for instance in component.instances:
        values = component.values(instance)
        if len({concrete(term, values) for term in automaton.terms}) < len(automaton.terms):
            return False
    return True


def concrete(x: object, values: Mapping[str, int]) -> object:
    """A term as nested tuples, with numbers in the places of parameters."""
    if isinstance(x, t.Expression):
        return known(x, values)
    if isinstance(x, tuple):
        return tuple(concrete(part, values) for part in x)
    if isinstance(x, t.Node):
        parts = [getattr(x, name) for name in x.__dataclass_fields__ if name != "span"]
        return type(x).__name__, *(concrete(part, values) for part in parts)
    return x


def known(x: t.Expression, values: Mapping[str, int]) -> t.Expression:
    """An expression with numbers in the places of parameters."""
    match x:
        case t.Parameter(name):
            return t.Number(values[name], span=x.span)
        case t.Unary(operator, operand):
            return terms.expression(t.Unary(operator, known(operand, values), span=x.span), {})
        case t.Binary(operator, left, right):
            return terms.expression(t.Binary(operator, known(left, values), known(right, values), span=x.span), {})
        case t.Element(name, indices):
            return t.Element(name, tuple(known(index, values) for index in indices), span=x.span)
        case t.Query(question, channel, index) if index is not None:
            return t.Query(question, channel, known(index, values), span=x.span)
    return x


# --- components ----------------------------------------------------------------------------------


def components(process: t.Process, settling: Settling) -> list[list[tuple[t.Process, t.Call | None]]]:
    """The sides of the outermost `|||`, each with the call that it came from; calls of one process are put together, in
    the order of the first."""
    sides: list[tuple[t.Process, t.Call | None]] = []
    pending: list[tuple[t.Process, t.Call | None]] = [(process, None)]
    while pending:
        side, call = pending.pop(0)
        match side:
            case t.Call():
                pending.insert(0, (settling.body(side), call or side))
            case t.Indexed("|||"):
                pending.insert(0, (expanded(side), call))
            case t.Interleave(parts):
                pending[:0] = [(part, None) for part in parts]
            case _:
                sides.append((side, call))
    groups: dict[object, list[tuple[t.Process, t.Call | None]]] = {}
    for place, (side, call) in enumerate(sides):
        groups.setdefault(place if call is None else call.name, []).append((side, call))
    return list(groups.values())


def symbolic(calls: list[t.Call], definition: t.Definition) -> Component | None:
    """One component for all calls: arguments that differ become parameters.  None if there is nothing to share."""
    if not definition.parameters:
        return None
    columns = list(zip(*([a.value for a in call.arguments if isinstance(a, t.Number)] for call in calls), strict=True))
    if len(columns) != len(definition.parameters):
        return None
    differ = [name for name, column in zip(definition.parameters, columns, strict=True) if len(set(column)) > 1]
    if not differ:
        return None
    arguments: list[t.Expression] = []
    for name, argument in zip(definition.parameters, calls[0].arguments, strict=True):
        arguments.append(t.Parameter(name, span=argument.span) if name in differ else argument)
    kept = [column for name, column in zip(definition.parameters, columns, strict=True) if name in differ]
    term = t.Call(definition.name, tuple(arguments), span=calls[0].span)
    return Component(definition.name, term, tuple(differ), tuple(zip(*kept, strict=True)))


def sent(automaton: Automaton) -> list[tuple[str, tuple[t.Expression, ...], Step]]:
    """What an automaton sends."""
    return [
        (step.action.name, step.action.arguments, step)
        for row in automaton.edges
        for step, _ in row
        if step.action.kind == SEND
    ]
