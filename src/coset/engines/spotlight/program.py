"""A family as guarded updates: every edge is a condition and, for each variable that changes, its new value.

The effects of an edge happen in order; here they are carried out on expressions, so that an edge is one simultaneous
assignment `guard -> x, y := e, f` over the values before the step.  What cannot be had in this form, and what would tell
the processes of a class apart, is refused with the place in the text (`Obstacle`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from coset.engines.spotlight.expressions import Obstacle, check_expression, fitted, negation, substituted
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import PROCESS
from coset.model.family import Family, FamilyProperty, ProcessClass, Quantifier
from coset.model.rewrite import rewrite
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching
from coset.source.records import dataclass
from coset.source.text import Span

SLOTS = 1000
"""The processes of class number c that are listed have slots from c * SLOTS on."""


@dataclass(frozen=True, slots=True)
class Move:
    """`guard -> updates` from one location to another.  Local variables are `Get`s as in the text, not yet of a slot."""

    number: int
    class_: int
    source: int
    target: int
    guard: e.Expr
    updates: tuple[tuple[m.Variable, e.Expr], ...]
    assertions: tuple[tuple[e.Expr, Span | None], ...] = ()
    edge: int = 0
    """Which edge of its location it is."""
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    def changes_globals(self) -> bool:
        return any(variable.owner is None for variable, _ in self.updates)


@dataclass(frozen=True, slots=True)
class ClassProgram:
    name: str
    number: int
    size: int | m.Variable
    start: int
    locations: tuple[int, ...]
    """Those that can be reached in the graph of the program."""
    moves: Mapping[int, tuple[Move, ...]]
    variables: tuple[m.Variable, ...]
    labels: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class FamilyProgram:
    family: Family
    variables: tuple[m.Variable, ...]
    """The globals that ever change."""
    classes: tuple[ClassProgram, ...]
    initial: Mapping[m.Variable, e.Expr]
    """The first value of each variable, global or local, over the parameters."""
    constants: Mapping[m.Variable, e.Expr] = field(default_factory=dict)
    """The globals that never change, with their values."""

    def moves(self) -> Iterator[Move]:
        for each in self.classes:
            for location in each.locations:
                yield from each.moves[location]

    def class_(self, name: str) -> ClassProgram:
        return next(each for each in self.classes if each.name == name)


def has_cycle(class_: ClassProgram) -> bool:
    """Whether a process of a class can come to a location again: otherwise it makes finitely many steps."""
    done: set[int] = set()
    for _ in class_.locations:
        done |= {place for place in class_.locations if all(move.target in done for move in class_.moves[place])}
    return len(done) < len(class_.locations)


def program_of(family: Family) -> FamilyProgram:
    """The program of a family.  Raises `Obstacle`."""
    initial = initial_values(family)
    counter = iter(range(10**9))
    classes = tuple(class_program(each, number, counter) for number, each in enumerate(family.classes))
    changing = {v for c in classes for moves in c.moves.values() for move in moves for v, _ in move.updates}
    variables = tuple(v for v in family.variables if v in changing)
    constants = {v: initial[v] for v in family.variables if v not in changing}
    if constants:
        classes = tuple(with_constants(each, constants) for each in classes)
        initial = {v: substituted(x, constants) for v, x in initial.items()}
    return FamilyProgram(family, variables, classes, initial, constants)


def initial_values(family: Family) -> dict[m.Variable, e.Expr]:
    found: dict[m.Variable, e.Expr] = {}
    own = [variable for each in family.classes for variable in each.kind.variables]
    for variable in (*family.variables, *own):
        if variable.shape:
            raise Obstacle(f"{variable.name} is an array", variable.span)
        if isinstance(variable.initial, m.NewChannel):
            raise Obstacle(f"{variable.name} is a channel: processes may have shared variables only", variable.span)
        value = variable.initial[0] if variable.initial else e.FALSE
        check_expression(value, variable.span)
        found[variable] = fitted(substituted(value, found), variable.domain)
    return found


def class_program(each: ProcessClass, number: int, counter: Iterator[int]) -> ClassProgram:
    kind = each.kind
    moves: dict[int, tuple[Move, ...]] = {}
    queue = [kind.start]
    for location in queue:
        moves[location] = tuple(moves_at(kind, number, location, counter))
        for move in moves[location]:
            if move.target not in moves and move.target not in queue:
                queue.append(move.target)
    labels = {place: (kind.locations[place].labels or (str(place),))[0] for place in moves}
    return ClassProgram(
        each.name, number, each.size, kind.start, tuple(sorted(moves)), moves, kind.variables, labels
    )  # fmt: skip


def moves_at(kind: m.Kind, number: int, location: int, counter: Iterator[int]) -> Iterator[Move]:
    """The moves from a location.  The order of edges, tiers and groups become part of the guards."""
    spot = kind.locations[location]
    if spot.transient:
        raise Obstacle("a step goes on through several statements", spot.span)
    earlier: list[tuple[m.Edge, e.Expr]] = []
    for index, edge in enumerate(spot.edges):
        if edge.hold:
            raise Obstacle("a step goes on through several statements (atomic)", edge.span)
        if edge.target == m.GONE:
            raise Obstacle(f"processes of {kind.name} disappear", edge.span)
        none_earlier = e.TRUE
        for _, condition in earlier:
            none_earlier = e.conjunction(none_earlier, negation(condition))
        guard = rewrite(edge.guard, lambda x, n=none_earlier: n if isinstance(x, e.Otherwise) else x)  # type: ignore[misc]
        guard = e.conjunction(kind.provided, guard)
        check_expression(guard, edge.span)
        effective = guard
        for before, condition in earlier:
            if before.tier != edge.tier or (edge.group and before.group == edge.group):
                effective = e.conjunction(effective, negation(condition))
        earlier.append((edge, effective))
        if effective == e.FALSE:
            continue
        updates, assertions = carried_out(edge)
        yield Move(
            next(counter), number, location, edge.target, effective, updates, assertions, index, edge.text, edge.span
        )  # fmt: skip


def carried_out(
    edge: m.Edge,
) -> tuple[tuple[tuple[m.Variable, e.Expr], ...], tuple[tuple[e.Expr, Span | None], ...]]:
    """The new values, over the old ones, and what is asserted on the way."""
    values: dict[m.Variable, e.Expr] = {}
    assertions: list[tuple[e.Expr, Span | None]] = []
    for effect in edge.effects:
        match effect:
            case m.Assign(place, value):
                check_expression(value, edge.span)
                if place.variable is None:
                    continue
                if place.indices:
                    raise Obstacle(f"{place.variable.name} is an array", edge.span)
                values[place.variable] = fitted(substituted(value, values), place.variable.domain)
            case m.Assert(condition):
                check_expression(condition, edge.span)
                assertions.append((substituted(condition, values), edge.span))
            case m.Print():
                continue
            case m.Send() | m.Receive():
                raise Obstacle("messages are sent: processes may have shared variables only", edge.span)
            case m.Run():
                raise Obstacle("processes are created", edge.span)
            case _:
                raise Obstacle(f"the effect `{effect}` is not supported", edge.span)
    changed = ((variable, value) for variable, value in values.items() if value != e.Get(variable))
    return tuple(changed), tuple(assertions)


def with_constants(each: ClassProgram, values: Mapping[m.Variable, e.Expr]) -> ClassProgram:
    """The class with values in the places of variables that never change."""

    def put(move: Move) -> Move:
        return replace(
            move,
            guard=substituted(move.guard, values),
            updates=tuple((variable, substituted(x, values)) for variable, x in move.updates),
            assertions=tuple((substituted(x, values), span) for x, span in move.assertions),
        )

    return replace(each, moves={place: tuple(map(put, row)) for place, row in each.moves.items()})


def assertions_of(program: FamilyProgram, name: str) -> FamilyProperty | None:
    """That no process ever violates an assertion, as a property; None if nothing is asserted."""
    whole: f.Formula[e.Expr] | None = None
    quantifiers = []
    for class_ in program.classes:
        moves = [move for row in class_.moves.values() for move in row if move.assertions]
        if not moves:
            continue
        process = m.Variable("i", PROCESS)
        quantifiers.append(Quantifier((process,), class_.name))
        for move in moves:
            at = e.AtLocation(class_.name, e.Get(process), class_.labels[move.source], frozenset((move.source,)))
            for condition, _ in move.assertions:
                wrong = e.Binary("&&", move.guard, negation(condition))
                fails: f.Formula[e.Expr] = f.Atom(e.Binary("&&", at, of_process(wrong, class_.name, process)))
                never: f.Formula[e.Expr] = Branching("A", "G", f.Not(fails))
                whole = never if whole is None else f.Logic("&&", whole, never)
    if whole is None:
        return None
    return FamilyProperty(name, tuple(quantifiers), whole, text="no assertion is violated")


def of_process(x: e.Expr, kind: str, process: m.Variable) -> e.Expr:
    """An expression of a process as one about a process variable."""

    def own(part: e.Expr) -> e.Expr:
        if isinstance(part, e.Get) and part.variable.owner == kind:
            return e.Remote(kind, e.Get(process), part.variable)
        return part

    return rewrite(x, own)
