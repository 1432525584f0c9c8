"""A component as an automaton: its locations are the terms that can be left to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from coset.languages.csp import codes, terms
from coset.languages.csp import tree as t
from coset.languages.csp.indexed import COPIES, indices, positive
from coset.languages.csp.normalise import DEEPEST, Normaliser, is_open
from coset.languages.csp.steps import SEND, Messages, Semantics, Step
from coset.languages.csp.terms import Refused
from coset.source.budget import current_budget
from coset.source.records import dataclass

MOST_SIDES = 1_000
MOST_COPIES = 32
"""So many copies of a process (`|||{n}@P`) are processes, which symmetry can exchange; more are one automaton that counts them.
Symmetric groups of larger degree have orders that do not fit into the 128 bits in which orbits are counted."""
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


def build(component: Component, program: t.Program, messages: Messages, normaliser: Normaliser) -> Automaton:
    """The automaton of a component."""
    try:
        return explored(component, program, messages, normaliser)
    except RecursionError:
        message = f"what is left of `{component.name}` to do grows without end"
        raise Refused(codes.TOO_LARGE, message, component.term) from None


def explored(component: Component, program: t.Program, messages: Messages, normaliser: Normaliser) -> Automaton:
    semantics = Semantics(program, messages, normaliser)
    result = Automaton([normaliser.normalised(component.term)])
    numbers = {result.terms[0]: 0}
    edges = 0
    most = MOST_SYMBOLIC if component.parameters else MOST_LOCATIONS
    budget = current_budget()
    for term in result.terms:
        row = []
        for step in semantics.steps(term):
            budget.check()
            target = normaliser.normalised(step.target)
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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a side of `|||` comes from: a definition, or the body of an index, with the values of its parameters."""

    definition: t.Definition
    arguments: tuple[t.Expression, ...]


Side = tuple[t.Process, Origin | None]


def components(process: t.Process, normaliser: Normaliser, counted: bool = False) -> list[list[Side]]:
    """The sides of the outermost `|||`; those of one origin are put together, in the order of the first.  Copies (`|||{n}@P`) are
    n sides, so that symmetry can exchange them, unless they are to be `counted`."""
    sides: list[Side] = []
    pending: list[tuple[t.Process, Origin | None, int]] = [(process, None, 0)]
    while pending:
        side, origin, depth = pending.pop(0)
        if depth > DEEPEST:
            raise Refused(codes.UNGUARDED, "this process calls itself without doing anything first", side)
        match side:
            case t.Call() if not is_open(side):
                definition = normaliser.program.definitions[side.name]
                pending.insert(0, (normaliser.body(side), origin or Origin(definition, side.arguments), depth + 1))
            case t.Indexed("|||", ranges, body):
                names = tuple(each.name for each in ranges)
                definition = t.Definition("Part", names, body, span=side.span)
                pending[:0] = [
                    (terms.process(body, values), None if isinstance(body, t.Call) else Origin(definition, each), depth)
                    for values in indices(side)
                    for each in [tuple(values[name] for name in names)]
                ]
            case t.Counted(count, body) if not counted and positive(count, COPIES) <= MOST_COPIES:
                pending[:0] = [(body, None, depth)] * positive(count, COPIES)
            case t.Interleave(parts):
                pending[:0] = [(part, None, depth) for part in parts]
            case _:
                sides.append((side, origin))
        if len(pending) + len(sides) > MOST_SIDES:
            raise Refused(codes.TOO_LARGE, f"there are more than {MOST_SIDES} processes side by side", process)
    groups: dict[object, list[Side]] = {}
    for side, origin in sides:
        groups.setdefault(side if origin is None else origin.definition, []).append((side, origin))
    return list(groups.values())


def symbolic(origins: list[Origin]) -> Component | None:
    """One component for all sides of one definition: arguments that differ become parameters.  None if there is nothing
    to share."""
    definition = origins[0].definition
    rows = [[a.value for a in origin.arguments if isinstance(a, t.Number)] for origin in origins]
    if not definition.parameters or any(len(row) < len(definition.parameters) for row in rows):
        return None
    columns = dict(zip(definition.parameters, zip(*rows, strict=True), strict=True))
    differ = [name for name, column in columns.items() if len(set(column)) > 1]
    if not differ:
        return None
    values: dict[str, t.Expression] = dict(zip(definition.parameters, origins[0].arguments, strict=True))
    values |= {name: t.Parameter(name, span=values[name].span) for name in differ}
    instances = tuple(zip(*(columns[name] for name in differ), strict=True))
    return Component(definition.name, terms.process(definition.body, values), tuple(differ), instances)


def sent(automaton: Automaton) -> list[tuple[str, tuple[t.Expression, ...], Step]]:
    """What an automaton sends."""
    return [
        (step.action.name, step.action.arguments, step)
        for row in automaton.edges
        for step, _ in row
        if step.action.kind == SEND
    ]
