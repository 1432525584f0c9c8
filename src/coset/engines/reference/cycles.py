"""Properties of infinite runs, checked by the interpreter: the naive twin of the compiled engine.

The product of the model and the automaton of what must not be is built in full, then its strongly connected
components are looked at one by one (Tarjan 1972): a run that violates the property exists if and only if one of them
has every mark on its inner edges.  A state in which nothing can happen stays as it is forever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from coset.engines.claim import Claim, claim_of, unsupported_in
from coset.engines.connected import components
from coset.engines.reference.shortest import ShortestCycles
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.state import State
from coset.results.claim_end import until_end
from coset.results.trace import Trace, from_moves
from coset.source.budget import Limits, OutOfBudget
from coset.source.timing import phase

FAIR = 32
"""Marks from this bit on are those of weak fairness: one for each process."""


class Product(NamedTuple):
    state: State
    claim: int


class Arrow(NamedTuple):
    """A step of the product.  Without moves the model stays where it is."""

    target: Product
    marks: int
    moves: tuple[Move, ...]


Moves = dict[tuple[State, bool, bool], list[tuple[State, tuple[Move, ...], int]]]
"""What can happen in states of a model, for fair runs or all, with ends that stay or not."""


Ways = dict[Product, tuple[int, tuple[Product, Arrow] | None]]
"""The length of a shortest way to a state, and the last step of one."""


class OutOfLimits(Exception):
    """A limit was reached before the verdict; the message says which."""


@phase("search")
def check_property(
    model: m.Model,
    property_: m.Claim | m.LtlProperty,
    limits: Limits | None = None,
    fair: bool = False,
    stays: bool = True,
    known: Moves | None = None,
) -> tuple[int, Trace | None]:
    """The number of states of the product, and a run that violates the property, if there is one.
    `stays`: a run that stops is taken to stay where it is forever.  `known` moves of the model are not made again."""
    reason = unsupported_in(property_)
    if reason is not None:
        raise OutOfLimits(reason)
    search = Search(Interpreter(model), claim_of(property_), limits or Limits(), fair, stays, known)
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
        fair: bool,
        stays: bool,
        known: Moves | None = None,
    ) -> None:
        self.interpreter, self.claim, self.limits, self.fair, self.stays = interpreter, claim, limits, fair, stays
        evaluate = interpreter.evaluation.expression
        self.edges: list[list[tuple[int, int, Callable[..., int]]]] = [[] for _ in range(claim.states)]
        for edge in claim.edges:
            self.edges[edge.source].append((edge.target, edge.marks, evaluate(edge.guard)))
        self.arrows: dict[Product, list[Arrow]] = {}
        self.moved: Moves = {} if known is None else known
        self.most = 0

    def successors(self, product: Product) -> Iterator[Arrow]:
        now = self.interpreter.moment(product.state, -1)
        now.own = ()
        try:
            claim = [(target, marks) for target, marks, guard in self.edges[product.claim] if guard(now)]
        except Fault as fault:
            raise OutOfLimits(f"a state in which the property has no value: {fault.message}") from None
        if not claim:
            return
        for state, moves, fair in self.moves_from(product.state):
            for target, marks in claim:
                yield Arrow(Product(state, target), marks | fair, moves)

    def moves_from(self, state: State) -> list[tuple[State, tuple[Move, ...], int]]:
        """What the model can do in a state, and the marks of fairness for it, whatever the automaton does."""
        key = (state, self.fair, self.stays)
        if (known := self.moved.get(key)) is not None:
            return known
        everything = list(self.interpreter.steps(state))
        steps = [step for step in everything if not is_fault(step.moves[-1])]
        able = 0
        for step in steps:
            able |= 1 << step.moves[0].process
        found = [(step.state, step.moves, movers_of(step.moves)) for step in steps]
        if not everything and self.stays:  # a run that ends in a fault does not stay where it was
            found.append((state, (), 0))
        unable = ~able & (1 << 32) - 1
        made = [(to, moves, (moved | unable) << FAIR if self.fair else 0) for to, moves, moved in found]
        self.moved[key] = made
        return made

    def build(self) -> list[Product]:
        """Everything that can be reached."""
        initial = self.interpreter.initial()
        starts = [Product(initial, q) for q in self.claim.initial]
        queue = deque(starts)
        while queue:
            product = queue.popleft()
            if product in self.arrows:
                continue
            self.arrows[product] = list(self.successors(product))
            self.most = max(self.most, len(product.state.processes))
            queue.extend(arrow.target for arrow in self.arrows[product] if arrow.target not in self.arrows)
            reason = self.limits.exceeded(len(self.arrows)) if len(self.arrows) % 256 == 0 else None
            if reason is not None:
                raise OutOfLimits(reason)
        return starts

    def run(self, kind: str) -> tuple[int, Trace | None]:
        starts = self.build()
        required = self.claim.required
        if self.fair:
            required |= (1 << self.most) - 1 << FAIR
        accepting = []
        for component in components(self.arrows, self.targets):
            inside = [a for p in component for a in self.arrows[p] if a.target in component]
            marks = 0
            for arrow in inside:
                marks |= arrow.marks
            if inside and marks & required == required:
                accepting.append(component)
        return len(self.arrows), self.trace(starts, accepting, required, kind) if accepting else None

    def targets(self, product: Product) -> Iterator[Product]:
        return (arrow.target for arrow in self.arrows[product])

    def trace(self, starts: list[Product], accepting: list[set[Product]], required: int, kind: str) -> Trace:
        """A shortest lasso, if that is soon found; else the shortest way into a component, and a walk around it."""
        ways = self.ways(starts)
        best = ShortestCycles(self.arrows, required).best(accepting, lambda node: ways[node][0], 2 * len(ways) + 2)
        root, loop = best or self.walk_around(
            min(accepting, key=lambda each: min(ways[p][0] for p in each)), ways, required
        )
        stem, here = list[Arrow](), root
        while (link := ways[here][1]) is not None:
            here, arrow = link
            stem.append(arrow)
        before = [move for arrow in reversed(stem) for move in arrow.moves]
        cycle = [move for arrow in loop for move in arrow.moves]
        return from_moves(self.interpreter.model, before + cycle, kind, self.claim.name, len(before))

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

    def walk_around(self, component: set[Product], ways: Ways, required: int) -> tuple[Product, list[Arrow]]:
        """From the nearest state of a component by the nearest edges with missing marks, and back."""
        root = min(component, key=lambda product: ways[product][0])
        loop: list[Arrow] = []
        here, missing = root, required
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


def movers_of(moves: tuple[Move, ...]) -> int:
    """The processes that take part in moves, as bits.  An atomic sequence may hand control on by a handshake, so all of
    a step counts.  As in SPIN, only a process that can begin a step is enabled, not one that can only receive in a handshake."""
    found = 0
    for move in moves:
        found |= 1 << move.process | (1 << move.partner[0] if move.partner is not None else 0)
    return found
