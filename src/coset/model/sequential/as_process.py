"""A sequential model as a concurrent one, for the engines: a single process that goes around one location.

Each summand becomes an edge for every choice of its own variables that its guard does not rule out at once.  Branches of
programs become locations that are left at once.  If there are several starts, or one with any value of a variable, they are
chosen in a step before the first: `Model.prelude`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.rewrite import exchanged
from coset.model.sequential.fold import substituted, with_value
from coset.model.sequential_model import Assign, Home, If, Inexpressible, SequentialModel, Start, Statement, Summand
from coset.properties import formula as f
from coset.source.budget import current_budget

MOST_EDGES = 20_000
"""More would keep a compiler busy for minutes."""
LOOP = 0
"""The location that the process goes around."""

Way = tuple[tuple[m.Effect, ...], int]
"""What happens on an edge, and where it leads."""


def as_process(flat: SequentialModel) -> m.Model:
    """The concurrent model.  Raises `Inexpressible` if it would be too large.

    >>> from coset.languages.sequential.parse import parse_text
    >>> from coset.model.interpreter import Interpreter
    >>> model = as_process(parse_text("process count(0..2 x) = [x < 2] up { x = x + 1; } init count(1);"))
    >>> [step.state.values for step in Interpreter(model).steps(Interpreter(model).initial())]
    [(2,)]
    """
    flat = started(flat)
    has_prelude = chooses_start(flat)
    properties = []
    for number, condition in enumerate(flat.always, 1):
        holds: f.Formula[e.Expr] = f.Modal("[]", f.Atom(condition))
        formula = f.Modal("X", holds) if has_prelude else holds
        properties.append(m.Temporal(f"always_{number}", formula, f"always {condition}"))
    return m.Model(
        flat.name,
        flat.variables,
        (process_of(flat),),
        (m.Instance(flat.name),),
        tuple(properties),
        prelude=has_prelude,
        sequential=flat,
    )


def is_process_of(model: m.Model, flat: SequentialModel) -> bool:
    """Whether a model is still what was made of a sequential one: no pass has changed it."""
    return model.variables == flat.variables and model.kinds == (process_of(flat),)


def chooses_start(flat: SequentialModel) -> bool:
    return len(flat.starts) > 1 or None in flat.starts[0]


def started(flat: SequentialModel) -> SequentialModel:
    """The model with variables that begin as its first start says, with the least value where it allows any."""
    begin, images = 0, {}
    for variable in flat.variables:
        values = flat.starts[0][begin : begin + variable.size]
        begin += variable.size
        initial = tuple(e.Const(variable.domain.low if value is None else value) for value in values)
        images[variable] = replace(variable, initial=initial)

    def statement(of: Statement) -> Statement:
        match of:
            case Assign(place, value):
                return Assign(exchanged(place, images), exchanged(value, images))
            case If(condition, yes, no):
                return If(exchanged(condition, images), tuple(map(statement, yes)), tuple(map(statement, no)))

    summands = tuple(
        replace(each, guard=exchanged(each.guard, images), program=tuple(map(statement, each.program)))
        for each in flat.summands
    )
    return replace(
        flat,
        variables=tuple(images.values()),
        summands=summands,
        conditions=exchanged(flat.conditions, images),
        control=None if flat.control is None else images[flat.control],
        always=exchanged(flat.always, images),
        homes=tuple(Home("global", 0, k) for k in range(begin)),
    )


def process_of(flat: SequentialModel) -> m.Kind:
    """The kind of the process, for a model that is `started`."""
    return Lowering(flat).kind()


class Lowering:
    def __init__(self, flat: SequentialModel) -> None:
        self.flat = flat
        self.locations: list[m.Location] = [m.Location(())]
        self.edges = 0

    def kind(self) -> m.Kind:
        edges = [edge for summand in self.flat.summands for edge in self.taken(summand)]
        start = self.prelude() if chooses_start(self.flat) else LOOP
        self.locations[LOOP] = m.Location(tuple(edges), ("loop",))
        return m.Kind(self.flat.name, (), 0, tuple(self.locations), start)

    def new(self, *edges: m.Edge, transient: bool = False) -> int:
        """The number of a new location with these edges."""
        self.locations.append(m.Location(edges, transient=transient))
        return len(self.locations) - 1

    # --- summands --------------------------------------------------------------------------------

    def taken(self, summand: Summand, chosen: tuple[int, ...] = ()) -> Iterator[m.Edge]:
        """The edges of a summand, some of whose variables have been chosen already."""
        if never(summand.guard):
            return
        if summand.choices:
            first, *rest = summand.choices
            for value in range(first.domain.low, first.domain.high + 1):
                current_budget().check()
                guard = substituted(summand.guard, {first: e.Const(value)})
                program = tuple(with_value(each, first, value) for each in summand.program)
                yield from self.taken(
                    replace(summand, choices=tuple(rest), guard=guard, program=program), (*chosen, value)
                )
            return
        self.edges += 1
        if self.edges > MOST_EDGES:
            raise Inexpressible(f"summands with more than {MOST_EDGES:,} choices", summand.span)
        text = f"{summand.event}({', '.join(map(str, chosen))})" if chosen else summand.event
        effects, target = self.way(summand.program, LOOP)
        yield m.Edge(target, summand.guard, effects, text=text, span=summand.span)

    def way(self, program: Sequence[Statement], target: int) -> Way:
        """What a program does up to its first branch, and the location where that is decided; `target` if it has none."""
        effects: list[m.Effect] = []
        for number, statement in enumerate(program):
            if isinstance(statement, Assign):
                effects.append(m.Assign(statement.place, statement.value))
                continue
            rest, meeting = self.way(program[number + 1 :], target)
            if rest:
                meeting = self.new(m.Edge(meeting, e.TRUE, rest), transient=True)
            yes, no = self.way(statement.yes, meeting), self.way(statement.no, meeting)
            branch = self.new(m.Edge(yes[1], statement.condition, yes[0]), m.Edge(no[1], e.TRUE, no[0]), transient=True)
            return tuple(effects), branch
        return tuple(effects), target

    # --- starts ----------------------------------------------------------------------------------

    def prelude(self) -> int:
        """The location from which every start can be chosen, in one step."""
        first, *others = self.flat.starts
        if not others:
            return self.any_values(first, [k for k, value in enumerate(first) if value is None])
        edges = []
        for start in self.flat.starts:
            fixed = [self.begins(k, value) for k, value in enumerate(start) if value is not None]
            target = self.any_values(start, [k for k, value in enumerate(start) if value is None])
            edges.append(m.Edge(target, e.TRUE, tuple(fixed), hold=target != LOOP, text="init"))
        return self.new(*edges)

    def any_values(self, start: Start, free: Sequence[int]) -> int:
        """The location from which the elements `free` get any values, one after the other."""
        target = LOOP
        for k in reversed(free):
            variable, offset = self.flat.elements[k]
            values = range(variable.domain.low, variable.domain.high + 1)
            self.edges += len(values)
            if self.edges > MOST_EDGES:
                raise Inexpressible(f"a start with any value of `{variable.name}`", variable.span)
            name = variable.element(offset)
            target = self.new(
                *(
                    m.Edge(target, e.TRUE, (self.begins(k, value),), hold=target != LOOP, text=f"init {name} = {value}")
                    for value in values
                )
            )
        return target

    def begins(self, k: int, value: int) -> m.Effect:
        variable, offset = self.flat.elements[k]
        return m.Assign(e.Place(variable, tuple(map(e.Const, variable.indices(offset)))), e.Const(value))


def never(guard: e.Expr) -> bool:
    """Whether a conjunction is known to be false, and nothing in front of that part can go wrong.

    >>> never(e.Binary("&&", e.Get(m.Variable("x", m.Domain("bit", 0, 1))), e.FALSE))
    True
    """
    if isinstance(guard, e.Binary) and guard.operator == "&&":
        return never(guard.left) or (never(guard.right) and not may_fail(guard.left))
    return guard == e.FALSE


def may_fail(x: e.Expr) -> bool:
    """Whether the value may not exist: an index that is not known to be in range, a divisor that may be 0."""

    def is_known(index: e.Expr, values: range) -> bool:
        return isinstance(index, e.Const) and index.value in values

    for part in x.walk():
        match part:
            case e.Get(variable, indices):
                if not all(map(is_known, indices, map(range, variable.shape))):
                    return True
            case e.Binary("/" | "%", _, divisor):
                if not isinstance(divisor, e.Const) or divisor.value == 0:
                    return True
    return False
