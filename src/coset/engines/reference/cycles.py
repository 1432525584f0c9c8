"""Properties of infinite runs, checked by the interpreter: the naive twin of the compiled engine.

The product of the model and the automaton of what must not be is built in full, then its strongly connected
components are looked at one by one (Tarjan 1972): a run that violates the property exists if and only if one of them
has every mark on its inner edges.  A state in which nothing can happen stays as it is forever.

If only fair runs count, components are decided by their Streett pairs (`engines/streett.py`), on all states or on the
annotated quotient.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from coset.engines.annotated import Passage
from coset.engines.claim import Claim, claim_of, unsupported_in
from coset.engines.connected import components
from coset.engines.fair_walk import fair_walk
from coset.engines.reference.annotated import AnnotatedOrbits
from coset.engines.reference.shortest import ShortestCycles
from coset.engines.streett import Way, fair_components
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.fairness import Fairness, conditions_of, fairness_of
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.state import State
from coset.results.claim_end import until_end
from coset.results.trace import Trace, from_moves
from coset.source.budget import Limits, OutOfBudget
from coset.source.timing import phase
from coset.symmetry.groups.permutation import Permutation

FAIR = 32
"""Marks from this bit on are those of weak fairness: one for each process."""


class Product(NamedTuple):
    state: State
    claim: int


class Change(NamedTuple):
    """What the model can do in a state.  Without moves it stays where it is.  `reached` is the state that the moves lead to; in a
    quotient, `state` is its representative, by the `element`."""

    state: State
    moves: tuple[Move, ...]
    movers: int
    reached: State
    way: Way | None = None
    element: Permutation | None = None


class Changes(NamedTuple):
    """All that the model can do in a state, and the processes that can begin a step there, as bits."""

    able: int
    all: tuple[Change, ...]


class Arrow(NamedTuple):
    """A step of the product."""

    target: Product
    marks: int
    change: Change

    @property
    def moves(self) -> tuple[Move, ...]:
        return self.change.moves

    @property
    def movers(self) -> int:
        return self.change.movers

    @property
    def way(self) -> Way | None:
        return self.change.way


Moves = dict[tuple[State, bool], Changes]
"""What can happen in states of a model, with ends that stay or not.  It is the same for all properties and kinds of fairness."""


Ways = dict[Product, tuple[int, tuple[Product, Arrow] | None]]
"""The length of a shortest way to a state, and the last step of one."""


class OutOfLimits(Exception):
    """A limit was reached before the verdict; the message says which."""


@phase("search")
def check_property(
    model: m.Model,
    property_: m.Claim | m.LtlProperty,
    limits: Limits | None = None,
    fair: bool | str | Fairness = False,
    stays: bool = True,
    known: Moves | None = None,
    orbits: AnnotatedOrbits | None = None,
) -> tuple[int, Trace | None]:
    """The number of states of the product, and a run that violates the property, if there is one.
    `stays`: a run that stops is taken to stay where it is forever.  `known` moves of the model are not made again.
    Under fairness, one state stands for each of the `orbits`."""
    reason = unsupported_in(property_)
    if reason is not None:
        raise OutOfLimits(reason)
    search = Search(Interpreter(model), claim_of(property_), limits or Limits(), fair, stays, known, orbits)
    try:
        states, trace = search.run(property_.kind)
        return states, until_end(model, trace, property_)
    except OutOfBudget as limit:
        raise OutOfLimits(str(limit)) from None


class Search:
    def __init__(
        self,
        interpreter: Interpreter,
        claim: Claim,
        limits: Limits,
        fair: bool | str | Fairness,
        stays: bool,
        known: Moves | None = None,
        orbits: AnnotatedOrbits | None = None,
    ) -> None:
        self.interpreter, self.claim, self.limits, self.stays, self.orbits = interpreter, claim, limits, stays, orbits
        self.fair = fairness_of(fair)
        evaluate = interpreter.evaluation.expression
        self.claim_edges: list[list[tuple[int, int, Callable[..., int]]]] = [[] for _ in range(claim.states)]
        for edge in claim.edges:
            self.claim_edges[edge.source].append((edge.target, edge.marks, evaluate(edge.guard)))
        self.conditions = [evaluate(condition) for condition in conditions_of(self.fair.constraints)]
        self.arrows: dict[Product, list[Arrow]] = {}
        self.moved: Moves = {} if known is None else known
        self.holding: dict[State, int] = {}
        self.processes = 0

    def successors(self, product: Product) -> Iterator[Arrow]:
        now = self.interpreter.moment(product.state, -1)
        now.own = ()
        try:
            claim = [(target, marks) for target, marks, guard in self.claim_edges[product.claim] if guard(now)]
            if self.conditions and product.state not in self.holding:
                truths = [bool(function(now)) for function in self.conditions]
                self.holding[product.state] = sum(1 << k for k, truth in enumerate(truths) if truth)
        except Fault as fault:
            raise OutOfLimits(f"a state in which the property has no value: {fault.message}") from None
        if not claim:
            return
        for change in self.changes(product.state).all:
            for target, marks in claim:
                yield Arrow(Product(change.state, target), marks, change)

    def changes(self, state: State) -> Changes:
        """What the model can do in a state, whatever the automaton does."""
        key = (state, self.stays)
        if (known := self.moved.get(key)) is not None:
            return known
        everything = list(self.interpreter.steps(state))
        steps = [step for step in everything if not is_fault(step.moves[-1])]
        able = 0
        for step in steps:
            able |= 1 << step.moves[0].process
        found = [self.change(step.state, step.moves) for step in steps]
        if not everything and self.stays:  # a run that ends in a fault does not stay where it was
            found.append(self.change(state, ()))
        self.moved[key] = Changes(able, tuple(found))
        return self.moved[key]

    def change(self, reached: State, moves: tuple[Move, ...]) -> Change:
        if self.orbits is None:
            return Change(reached, moves, movers_of(moves), reached)
        state, element = self.orbits(reached)
        way = self.orbits.elements.way(element, len(reached.processes))
        return Change(state, moves, movers_of(moves), reached, way, element)

    def build(self) -> list[Product]:
        """Everything that can be reached."""
        starts = [Product(self.start()[0], q) for q in self.claim.initial]
        queue = deque(starts)
        while queue:
            product = queue.popleft()
            if product in self.arrows:
                continue
            self.arrows[product] = list(self.successors(product))
            self.processes = max(self.processes, len(product.state.processes))
            queue.extend(arrow.target for arrow in self.arrows[product] if arrow.target not in self.arrows)
            reason = self.limits.exceeded(len(self.arrows)) if len(self.arrows) % 256 == 0 else None
            if reason is not None:
                raise OutOfLimits(reason)
        return starts

    def start(self) -> tuple[State, Permutation | None]:
        initial = self.interpreter.initial()
        return (initial, None) if self.orbits is None else self.orbits(initial)

    def run(self, kind: str) -> tuple[int, Trace | None]:
        starts = self.build()
        accepting = list(self.accepting())
        return len(self.arrows), self.trace(starts, accepting, kind) if accepting else None

    def accepting(self) -> Iterator[set[Product]]:
        """The components with a run that violates the property."""
        if self.fair:
            self.lengthen()
            yield from fair_components(self, self.arrows, self.fair, self.claim.required)
            return
        required = self.claim.required
        for component in components(self.arrows, self.targets):
            inside = [a for p in component for a in self.arrows[p] if a.target in component]
            marks = 0
            for arrow in inside:
                marks |= arrow.marks
            if inside and marks & required == required:
                yield component

    def lengthen(self) -> None:
        """Let every renumbering tell where all processes go, also those that a state does not have."""
        everyone = range(self.processes)
        for arrows in self.arrows.values():
            for number, arrow in enumerate(arrows):
                way = arrow.way
                if way is not None and len(way) < self.processes:
                    change = arrow.change._replace(way=(*way, *everyone[len(way) :]))
                    arrows[number] = arrow._replace(change=change)

    # --- the graph, for fair_components ----------------------------------------------------------

    def edges(self, product: Product) -> list[Arrow]:
        return self.arrows[product]

    def able(self, product: Product) -> int:
        return self.changes(product.state).able

    def holds(self, product: Product) -> int:
        return self.holding.get(product.state, 0)

    def targets(self, product: Product) -> Iterator[Product]:
        return (arrow.target for arrow in self.arrows[product])

    def trace(self, starts: list[Product], accepting: list[set[Product]], kind: str) -> Trace:
        """A shortest lasso, if that is soon found; else the shortest way into a component, and a walk around it."""
        ways = self.ways(starts)
        root, loop = self.shortest(accepting, ways) or self.walk_around(
            min(accepting, key=lambda each: min(ways[p][0] for p in each)), ways
        )
        stem, here = list[Arrow](), root
        while (link := ways[here][1]) is not None:
            here, arrow = link
            stem.append(arrow)
        stem.reverse()
        before, cycle = self.moves_of(stem, loop)
        return from_moves(self.interpreter.model, before + cycle, kind, self.claim.name, len(before))

    def moves_of(self, stem: list[Arrow], loop: list[Arrow]) -> tuple[list[Move], list[Move]]:
        """The moves of the model on the way to a cycle, and around it."""
        if self.orbits is None:
            return ([move for arrow in stem for move in arrow.moves], [move for arrow in loop for move in arrow.moves])
        elements, first = self.orbits.elements, self.start()[1]
        assert first is not None
        way, around = ([passage(arrow.change) for arrow in part] for part in (stem, loop))
        here, element, before = elements.run(self.interpreter, self.interpreter.initial(), first.inverse(), way)
        return before, elements.around(self.interpreter, here, element, around)

    def shortest(self, accepting: list[set[Product]], ways: Ways) -> tuple[Product, list[Arrow]] | None:
        """A shortest lasso, where fairness can be said by marks on edges, and the search for it soon ends."""
        if self.orbits is not None or (self.fair and not self.fair.is_weak_only):
            return None
        return ShortestCycles(self.marked(), self.required).best(
            accepting, lambda node: ways[node][0], 2 * len(ways) + 2
        )

    @property
    def required(self) -> int:
        """The marks that a cycle must take, those of weak fairness among them."""
        return self.claim.required | ((1 << self.processes) - 1 << FAIR if self.fair.is_weak_only else 0)

    def marked(self) -> dict[Product, list[Arrow]]:
        """The edges, with a mark of each process that takes part or cannot begin a step, if that is what fairness asks for."""
        if not self.fair.is_weak_only:
            return self.arrows
        everyone = (1 << self.processes) - 1
        return {
            product: [
                arrow._replace(marks=arrow.marks | (arrow.movers | everyone & ~self.able(product)) << FAIR)
                for arrow in arrows
            ]
            for product, arrows in self.arrows.items()
        }

    def ways(self, starts: list[Product]) -> Ways:
        """Shortest ways to all states."""
        ways: Ways = dict.fromkeys(starts, (0, None))
        queue = deque(starts)
        while queue:
            product = queue.popleft()
            for arrow in self.arrows[product]:
                if arrow.target not in ways:
                    ways[arrow.target] = ways[product][0] + 1, (product, arrow)
                    queue.append(arrow.target)
        return ways

    def walk_around(self, component: set[Product], ways: Ways) -> tuple[Product, list[Arrow]]:
        """From the nearest state of a component by the nearest edges with missing marks, and back."""
        root, missing = min(component, key=lambda product: ways[product][0]), self.claim.required
        if self.fair:
            return root, fair_walk(self, component, root, self.fair, missing)
        loop: list[Arrow] = []
        here = root
        while missing:
            part, here = self.walk([here], lambda arrow, m=missing: arrow.marks & m != 0, component)  # type: ignore[misc]
            loop += part
            for arrow in part:
                missing &= ~arrow.marks
        if here != root or not loop:
            part, _ = self.walk([here], lambda arrow: arrow.target == root, component)
            loop += part
        return root, loop

    def walk(
        self, starts: list[Product], done: Callable[[Arrow], bool], inside: set[Product]
    ) -> tuple[list[Arrow], Product]:
        """The shortest walk inside a set of states that ends with an arrow as wanted."""
        parents: dict[Product, tuple[Product, Arrow]] = {}
        queue = deque(starts)
        while queue:
            product = queue.popleft()
            for arrow in self.arrows[product]:
                if arrow.target not in inside:
                    continue
                if done(arrow):
                    path = [arrow]
                    while product not in starts:
                        product, before = parents[product]
                        path.append(before)
                    return path[::-1], arrow.target
                if arrow.target not in parents and arrow.target not in starts:
                    parents[arrow.target] = (product, arrow)
                    queue.append(arrow.target)
        return [], starts[0]


def passage(change: Change) -> Passage:
    assert change.element is not None
    return Passage(change.reached, change.element, change.movers)


def movers_of(moves: tuple[Move, ...]) -> int:
    """The processes that take part in moves, as bits.  An atomic sequence may hand control on by a handshake, so all of
    a step counts.  As in SPIN, only a process that can begin a step is enabled, not one that can only receive in a handshake."""
    found = 0
    for move in moves:
        found |= 1 << move.process | (1 << move.partner[0] if move.partner is not None else 0)
    return found
