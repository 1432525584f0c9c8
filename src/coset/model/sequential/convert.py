"""From a concurrent model to a sequential one: one summand for each process and edge, and for each pair of edges that can
make a handshake (Ashcroft and Manna, Formalization of properties of parallel programs, 1970).

The event of a summand is the kind of the process that moves: which of its edges it takes nobody can tell by looking at
states.  Which states are valid ends, and progress and acceptance, are conditions of the sequential model.

A process that holds control is remembered in a variable; if it cannot move, a summand of its own lets go.  Only the states
in which no process holds control are those of the concurrent model (`SequentialModel.control`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.sequential.fold import fold, joined, negated
from coset.model.sequential.ways import Way, Ways, is_false
from coset.model.sequential_model import Assign, Home, Inexpressible, SequentialModel, Statement, Summand
from coset.model.state import State


def sequential(
    interpreter: Interpreter,
    states: Sequence[State],
    locations: Sequence[frozenset[int]],
    conditions: Sequence[e.Expr] = (),
) -> SequentialModel:
    """The sequential form of a model from states on in which all of its processes exist; `locations` are those that each
    of them may visit.  Raises `Inexpressible`, which names what has no such form."""
    return Conversion(interpreter, states, locations).result(conditions)


class Conversion(Ways):
    def __init__(self, interpreter: Interpreter, states: Sequence[State], locations: Sequence[frozenset[int]]) -> None:
        model = interpreter.model
        if model.prioritised:
            raise Inexpressible("priorities of processes")
        if model.monitor is not None:
            raise Inexpressible("a trace or notrace assertion")
        if model.remembers_mover:
            raise Inexpressible("`_last`")
        super().__init__(interpreter, states, locations)
        for p in self.numbers:
            if self.terms.mortal[p] and interpreter.channels_created[states[0].processes[p].kind]:
                raise Inexpressible(f"channels of {self.terms.kinds[p].name}, which ends and takes them with it")
        self.control = self.control_variable()
        self.summands: list[Summand] = []
        self.owned: dict[int, list[Summand]] = {}
        """By the processes that take the step, or begin it."""

    def control_variable(self) -> m.Variable | None:
        """Who must move next: 0 for anybody, else one more than the number of the process."""
        starts = [self.holder(state) for state in self.terms.states]
        self.holders = {p for p in self.numbers if any(edge.hold for _, edge in self.terms.edges(p))}
        self.holders |= {start - 1 for start in starts if start}
        if not self.holders:
            return None
        domain = Domain("control", 0, len(self.terms.kinds))
        return self.terms.new("in_control", domain, (), [[start] for start in starts], [Home("control")])

    def holder(self, state: State) -> int:
        """Who holds control at the start: whoever has started the others, if it came to where it stands so."""
        for p, process in enumerate(state.processes):
            kind = self.terms.kinds[p]
            entered = {edge.hold for _, edge in kind.edges() if edge.target == process.at}
            if process.at != kind.start and True in entered:
                if False in entered:
                    raise Inexpressible("an initial state in which the process in control is not known", kind.span)
                return p + 1
        return 0

    def result(self, conditions: Sequence[e.Expr], moving: Collection[int] | None = None) -> SequentialModel:
        """If only the steps that some processes begin are asked for, others have summands only where they may go on."""
        for p in self.numbers if moving is None or self.control is not None else moving:
            before = len(self.summands)
            for at in sorted(self.terms.locations[p]):
                if not self.terms.kinds[p].locations[at].transient:
                    self.location(p, at)
            self.owned[p] = self.summands[before:]
        return SequentialModel(
            self.terms.model.name,
            tuple(self.terms.variables),
            tuple(self.summands),
            tuple(tuple(row) for row in self.terms.values),
            (*(self.terms.expression(condition, None) for condition in conditions), *self.marks()),
            self.control,
            homes=tuple(self.terms.homes),
            unchecked=tuple(dict.fromkeys(self.terms.unchecked)),
        )

    def marks(self) -> Iterator[e.Expr]:
        """What locations are marked with: where all processes may end, where one makes progress, where one accepts."""
        terms = self.terms

        def at(p: int, mark: str) -> e.Expr:
            locations = terms.kinds[p].locations
            return terms.stands(p, [k for k in sorted(terms.locations[p]) if getattr(locations[k], mark)])

        ends = [joined("||", (at(p, "end"), terms.is_gone(p))) for p in self.numbers]
        empty = [fold(e.Binary("==", terms.length(c), e.Const(0))) for c in range(len(terms.lengths))]
        yield joined("&&", (*ends, *(empty if terms.model.empty_at_end else ())))
        for mark in ("progress", "accept"):
            condition = joined("||", (at(p, mark) for p in self.numbers))
            if condition != e.FALSE:
                yield condition

    # --- summands --------------------------------------------------------------------------------

    def location(self, p: int, at: int) -> None:
        """The summands of a process at a location."""
        kind = self.terms.kinds[p]
        here = [self.terms.stands(p, [at]), self.terms.expression(kind.provided, p)]
        executable: list[e.Expr] = []
        edges = kind.locations[at].edges
        for edge in edges:
            before = joined("||", executable)
            ways = list(self.ways(p, edge, e.TRUE if edge.group else negated(before)))
            rivals = [
                negated(condition)
                for other, condition in zip(edges, executable, strict=False)
                if other.tier != edge.tier or (edge.group and other.group == edge.group)
            ]
            for way in ways:
                self.summand(p, f"step_{kind.name}", edge, joined("&&", [*here, *rivals]), way)
            executable.append(joined("||", (way.condition for way in ways)))
        if self.control is not None and self.may_hold(p, at):
            stuck = joined("&&", [*here[:1], negated(joined("&&", [here[1], joined("||", executable)]))])
            self.add(
                Summand(f"step_{kind.name}_lets_go", (), self.controlled(stuck, p, only=True), (self.controls(0),))
            )

    def add(self, summand: Summand) -> None:
        if not is_false(summand.guard):
            self.summands.append(summand)

    def summand(self, p: int, event: str, edge: m.Edge, here: e.Expr, way: Way) -> None:
        """The step by an edge in one of its ways, and another if it may violate an assertion."""
        guard = self.controlled(joined("&&", (here, way.condition)), p)
        if way.error is not None:
            self.add(Summand(f"{event}_{way.error}", (), guard, (), edge.span, way.error))
            return
        rest = [effect for effect in edge.effects if not isinstance(effect, m.Send | m.Receive)]
        halves = [(p, edge, rest)]
        if way.partner is not None:
            q, answer, other = way.partner
            event = f"{event}_{other}"
            halves.append((q, answer, [x for x in answer.effects if not isinstance(x, m.Receive)]))
        program = list(way.program)
        for q, taken, effects in halves:
            self.assertions(q, event, guard, effects, taken)
            for effect in effects:
                program += self.effect(q, effect, taken)
            program += self.move(q, taken.target, 0)
        if self.control is not None:
            q, taken, _ = halves[-1]
            program.append(self.controls(q + 1 if taken.hold else 0))
        movers = tuple(q for q, _, _ in halves)
        self.add(Summand(event, (), guard, tuple(program), edge.span, movers=movers))

    def assertions(self, p: int, event: str, guard: e.Expr, effects: Sequence[m.Effect], edge: m.Edge) -> None:
        """An assertion that is violated is a step by itself that changes nothing, so that it can be seen."""
        for k, effect in enumerate(effects):
            if isinstance(effect, m.Assert):
                if any(isinstance(earlier, m.Assign) for earlier in effects[:k]) or edge.effects[0] is not effects[0]:
                    raise Inexpressible("an assertion behind an assignment in one step", edge.span)
                wrong = negated(self.terms.expression(effect.condition, p))
                self.add(Summand(f"{event}_violated", (), joined("&&", (guard, wrong)), (), edge.span, "assertion"))

    def controlled(self, guard: e.Expr, p: int, only: bool = False) -> e.Expr:
        """Unless another process (or with `only`: anybody else) holds control."""
        if self.control is None:
            return guard
        held = e.Binary("==", e.Get(self.control), e.Const(p + 1))
        free = e.Binary("==", e.Get(self.control), e.Const(0))
        allowed = held if only else e.Binary("||", free, held) if p in self.holders else free
        return joined("&&", (guard, allowed))

    def may_hold(self, p: int, at: int) -> bool:
        """Whether the process may stand there with control: it came by an edge that holds, directly or through
        locations that are left at once."""
        if any(state.processes[p].at == at and self.holder(state) == p + 1 for state in self.terms.states):
            return True
        locations = self.terms.kinds[p].locations
        pending = [edge.target for _, edge in self.terms.edges(p) if edge.hold and edge.target != m.GONE]
        seen = set(pending)
        for target in pending:
            if target == at:
                return True
            if locations[target].transient:
                more = {edge.target for edge in locations[target].edges} - seen
                seen |= more
                pending += more
        return False

    def controls(self, value: int) -> Statement:
        assert self.control is not None
        return Assign(e.Place(self.control), e.Const(value))
