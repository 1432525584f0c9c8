"""Synchronous composition: all processes that can move do so together, in one step.

The asynchronous model says what each process can do.  Here its processes become rows of arrays of a single process, `P.at`
for where they stand and `P.x` for their variables, whose edges are the combinations of steps, one of each process; a
process stays where it is only if it can do nothing.  Everything is read before anything is written, so that two
processes must not write to the same variable in one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from coset.languages.shared import codes
from coset.languages.shared.lower_expression import Expressions
from coset.languages.shared.lower_statement import Statements, Target, before, chosen, differ
from coset.languages.shared.refusal import Placed, Refused
from coset.languages.shared.symbols import Symbols, binary, negation
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.model.rewrite import rebuild_value, rewrite
from coset.source.records import dataclass
from coset.source.text import Span

SYSTEM = "System"
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Option:
    """What one process can do in a step: an edge, or, without a text, nothing."""

    guard: e.Expr
    targets: tuple[Target, ...] = ()
    asserts: tuple[m.Effect, ...] = ()
    text: str = ""


def synchronous(model: m.Model, program: Placed) -> m.Model:
    """The model in which all processes move together."""
    return Composition(model, program).model()


class Composition:
    def __init__(self, model: m.Model, program: Placed) -> None:
        self.source, self.program = model, program
        kinds = {kind.name: kind for kind in model.kinds}
        self.kind_of = [kinds[process.kind] for process in model.processes]
        self.start = {kind.name: self.first(kind) for kind in model.kinds}
        self.at: dict[str, m.Variable] = {}
        self.rows: dict[m.Variable, m.Variable] = {}
        for kind in model.kinds:
            if count := sum(each is kind for each in self.kind_of):
                self.declare(kind, count)
        self.statements = Statements(Expressions(Symbols(symbolic=False)), SYSTEM, ranges=False)

    def first(self, kind: m.Kind) -> int:
        return next((pid for pid, each in enumerate(self.kind_of) if each is kind), 0)

    def declare(self, kind: m.Kind, count: int) -> None:
        """Arrays for the locations and the variables of the processes of a kind."""
        names = [self.source.processes[self.start[kind.name] + k].name for k in range(count)]
        labels = tuple((n, location.labels[0]) for n, location in enumerate(kind.locations) if location.labels)
        domain = Domain(f"{kind.name}@", 0, len(kind.locations) - 1, labels=labels)
        self.at[kind.name] = m.Variable(
            f"{kind.name}.at", domain, (count,), initial=(e.Const(kind.start),), elements=tuple(names)
        )
        for variable in kind.variables[kind.parameters :]:
            elements = tuple(f"{name}.{variable.element(k)}" for name in names for k in range(variable.size))
            values = [self.initial(variable, self.start[kind.name] + k) for k in range(count)]
            self.rows[variable] = replace(
                variable, name=f"{kind.name}.{variable.name}", shape=(count, *variable.shape), owner=None,
                initial=tuple(value for value in values for _ in range(variable.size)), elements=elements,
            )  # fmt: skip

    def initial(self, variable: m.Variable, pid: int) -> e.Expr:
        assert isinstance(variable.initial, tuple)
        return self.seen(variable.initial[0], pid) if variable.initial else e.Const(0)

    # --- expressions -------------------------------------------------------------------------------------

    def seen(self, x: e.Expr, pid: int | None) -> e.Expr:
        """An expression of process `pid` (None: of a property) over the arrays."""
        return rewrite(x, lambda part: self.part(part, pid))

    def part(self, x: e.Expr, pid: int | None) -> e.Expr:
        match x:
            case e.Self() if pid is not None:
                return e.Const(pid)
            case e.Get(variable, indices) if variable.owner is not None and pid is not None:
                kind = self.kind_of[pid]
                if variable in kind.variables[: kind.parameters]:
                    return e.Const(pid - self.start[kind.name])
                return e.Get(self.rows[variable], (e.Const(pid - self.start[kind.name]), *indices))
            case e.Remote(kind, process, variable, indices) if process is not None:
                return e.Get(self.rows[variable], (self.place(kind, process), *indices))
            case e.AtLocation(kind, process, _, locations) if process is not None:
                at = e.Get(self.at[kind], (self.place(kind, process),))
                found: e.Expr = e.FALSE
                for number in sorted(locations):
                    found = binary("||", found, binary("==", at, e.Const(number, at.variable.domain)))
                return found
            case e.Binary(operator, left, right):
                return binary(operator, left, right)
            case e.Unary("!", operand):
                return negation(operand)
            case e.Conditional(condition, yes, no):
                return chosen(condition, yes, no)
        return x

    def place(self, kind: str, process: e.Expr) -> e.Expr:
        return binary("-", process, e.Const(self.start[kind]))

    # --- steps -------------------------------------------------------------------------------------------

    def model(self) -> m.Model:
        options = [self.options(pid) for pid in range(len(self.kind_of))]
        count = 1
        for those in options:
            count *= len(those)
        if count > MOST_STEPS:
            text = f"{len(options)} processes can move together in {count} ways; up to {MOST_STEPS} can be"
            raise Refused(codes.TOO_LARGE, text, self.program)
        edges = [edge for combination in product(*options) if (edge := self.edge(combination)) is not None]
        edges += self.rest()
        location = m.Location(tuple(edges), span=self.program.span)
        kind = m.Kind(SYSTEM, tuple(self.statements.scratch.values()), 0, (location,), 0, span=self.program.span)
        moves: e.Expr = e.FALSE
        for each in (option for those in options for option in those if option.text):
            moves = binary("||", moves, each.guard)
        # That the system can move is, in a property, that some process can: the rest is no move.
        properties = rebuild_value(
            self.source.properties, lambda part: moves if isinstance(part, e.Enabled) else self.part(part, None)
        )
        variables = (*self.source.variables, *self.at.values(), *self.rows.values())
        return replace(
            self.source, variables=variables, kinds=(kind,), processes=(m.Instance(SYSTEM, name=SYSTEM),),
            properties=properties,
        )  # fmt: skip

    def options(self, pid: int) -> list[Option]:
        """What a process can do: its edges, and where these may all be closed, to stay."""
        kind, found = self.kind_of[pid], []
        place = e.Place(self.at[kind.name], (e.Const(pid - self.start[kind.name]),))
        at = e.Get(self.at[kind.name], place.indices)
        for number, location in enumerate(kind.locations):
            here = binary("==", at, e.Const(number, at.variable.domain))
            able: e.Expr = e.FALSE
            for edge in location.edges:
                guard = self.seen(edge.guard, pid)
                able = binary("||", able, guard)
                targets = [] if edge.target == number else [Target(place, e.Const(edge.target, at.variable.domain))]
                targets += self.targets(edge.effects, pid)
                text = f"{self.source.processes[pid].name}: {edge.text}"
                asserts = tuple(self.asserts(edge.effects, pid))
                found.append(Option(binary("&&", here, guard), tuple(targets), asserts, text))
            if able != e.TRUE:
                found.append(Option(binary("&&", here, negation(able))))
        return found

    def targets(self, effects: Sequence[m.Effect], pid: int) -> Iterator[Target]:
        """What the effects of one edge come to, in terms of the values before them."""
        places = dict.fromkeys(effect.place for effect in effects if isinstance(effect, m.Assign))
        for place in places:
            assert place.variable is not None
            value = before(e.Get(place.variable, place.indices), effects)
            old = self.seen(e.Get(place.variable, place.indices), pid)
            assert isinstance(old, e.Get)
            yield Target(e.Place(old.variable, old.indices), self.seen(value, pid))

    def asserts(self, effects: Sequence[m.Effect], pid: int) -> Iterator[m.Effect]:
        for k, effect in enumerate(effects):
            if isinstance(effect, m.Assert):
                yield m.Assert(self.seen(before(effect.condition, effects[:k]), pid))

    def edge(self, combination: Sequence[Option]) -> m.Edge | None:
        """One joint step of all processes; None if no process moves."""
        if not any(each.text for each in combination):
            return None
        guard: e.Expr = e.TRUE
        for each in combination:
            guard = binary("&&", guard, each.guard)
        if guard == e.FALSE:
            return None
        targets = [target for each in combination for target in each.targets]
        self.check(targets)
        effects = self.statements.simultaneous(targets, self.program)
        asserts = tuple(effect for each in combination for effect in each.asserts)
        text = " | ".join(each.text for each in combination if each.text)
        return m.Edge(0, guard, (*asserts, *effects), text=text, span=self.program.span)

    def check(self, targets: Sequence[Target]) -> None:
        """Nothing may be written twice in one step."""
        for k, one in enumerate(targets):
            for other in targets[:k]:
                if one.variable is other.variable and not differ(one.place.indices, other.place.indices):
                    text = f"two processes may write to `{one.variable.name}` in the same step"
                    hint = "in a synchronous program each writes to variables of its own"
                    raise Refused(codes.UNSUPPORTED, text, Where(one.variable.span or self.program.span), hint)

    def rest(self) -> list[m.Edge]:
        """Where all processes have ended the system may stay."""
        if not all(any(location.end for location in kind.locations) for kind in self.kind_of):
            return []
        guard: e.Expr = e.TRUE
        for pid, kind in enumerate(self.kind_of):
            ends = frozenset(n for n, location in enumerate(kind.locations) if location.end)
            guard = binary("&&", guard, self.part(e.AtLocation(kind.name, e.Const(pid), "end", ends), pid))
        return [m.Edge(0, guard, text="all have ended", span=self.program.span)]


@dataclass(frozen=True, slots=True)
class Where:
    """A place in the text."""

    span: Span
