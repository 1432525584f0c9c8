"""Validation of infinite runs: formulas are evaluated and claims executed on a run.

A trace that violates a temporal property is a lasso, or ends where nothing more can happen.  Whether it violates the property
is computed directly from the definition of the logic, without the automaton of an engine; so a replay detects errors in an
engine's translation or search.

Only observable states count: a state in which a process holds control is not observable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from coset.model.expression import Expr
from coset.model.interpreter import Interpreter
from coset.model.model import GONE, Claim, Edge, Kind
from coset.model.state import State
from coset.properties.formula import Atom, Constant, Formula, Logic, Modal, Not, Until
from coset.source.records import dataclass

A = TypeVar("A")
"""The atoms of a formula."""


@dataclass(frozen=True, slots=True)
class Path:
    """The observable states of a run.  `spans[k]` are the moves between `states[k]` and the next one.  The last state is
    followed by `states[loop]`; if `loop` is None, the continuation is unknown."""

    states: tuple[State, ...]
    spans: tuple[slice, ...]
    loop: int | None

    def after(self, position: int) -> int | None:
        return position + 1 if position + 1 < len(self.states) else self.loop


def observed(
    interpreter: Interpreter, states: Sequence[State], holders: Sequence[int | None], loop_start: int | None
) -> Path:
    """The path of a run.  A state in which the process with control is blocked is observable, too."""
    points = [
        k
        for k, (state, holder) in enumerate(zip(states, holders))
        if holder is None or next(interpreter.moves(state, holder), None) is None
    ]
    ends = [*points[1:], len(states) - 1]
    loop = None
    if loop_start is not None:
        loop = next(k for k, point in enumerate(points) if point >= loop_start)
        if loop < len(points) - 1:  # the last state equals the first state of the cycle
            points.pop()
    return Path(tuple(states[point] for point in points), tuple(slice(a, b) for a, b in zip(points, ends)), loop)


# --- formulas ------------------------------------------------------------------------------------


def violates(interpreter: Interpreter, path: Path, formula: Formula[Expr]) -> bool:
    """Whether the run is a counterexample.  A finite run is one if it is an *informative* bad prefix: its states show that no
    continuation satisfies the formula (Kupferman and Vardi, CAV 1999)."""

    def truth(atom: Expr) -> list[bool]:
        function = interpreter.evaluation.expression(atom)
        return [bool(function(interpreter.moment(state, 0))) for state in path.states]

    return not holds(formula, truth, path.after, len(path.states))[0]


def holds(
    formula: Formula[A],
    truth: Callable[[A], list[bool]],
    after: Callable[[int], int | None],
    length: int,
    beyond: bool = True,
) -> list[bool]:
    """The positions of a path at which a formula holds.  `beyond` is the value assumed for every formula after the end of a
    truncated path; a negation inverts it.

    >>> p, q = Atom("p"), Atom("q")
    >>> truth = {"p": [True, True, False], "q": [False, False, True]}.__getitem__
    >>> loop = lambda k: k + 1 if k < 2 else 1     # 0, then 1 2 1 2 ... forever
    >>> holds(Until("U", p, q), truth, loop, 3), holds(Modal("[]", p), truth, loop, 3)
    ([True, True, True], [False, False, False])
    >>> cut = lambda k: k + 1 if k < 2 else None
    >>> holds(Modal("<>", Not(Atom("p"))), truth, cut, 3), holds(Modal("[]", p), truth, cut, 3)
    ([True, True, True], [False, False, False])
    """

    def part(inner: Formula[A], same: bool = True) -> list[bool]:
        return holds(inner, truth, after, length, beyond if same else not beyond)

    def fixpoint(step: Callable[[int, bool], bool], start: bool) -> list[bool]:
        # From the end to the beginning, twice: in the second pass the value after the last position is known.
        values = [start] * length
        for _ in range(2):
            for k in reversed(range(length)):
                values[k] = step(k, following(values, k))
        return values

    def following(values: list[bool], k: int) -> bool:
        successor = after(k)
        return beyond if successor is None else values[successor]

    match formula:
        case Constant(value):
            return [value] * length
        case Atom(atom):
            return truth(atom)
        case Not(operand):
            return [not value for value in part(operand, same=False)]
        case Logic(operator, left, right):
            a, b = part(left, operator in ("&&", "||")), part(right)
            if operator == "<->":
                c, d = part(left), part(right, same=False)
                return [(not w or x) and (not z or y) for w, x, y, z in zip(a, b, c, d)]
            if operator == "&&":
                return [x and y for x, y in zip(a, b)]
            return [(x if operator == "||" else not x) or y for x, y in zip(a, b)]
        case Modal(operator, operand):
            a = part(operand)
            if operator == "X":
                return [following(a, k) for k in range(length)]
            if operator == "[]":
                return fixpoint(lambda k, later: a[k] and later, True)
            return fixpoint(lambda k, later: a[k] or later, False)
        case Until(operator, left, right):
            a, b = part(left), part(right)
            if operator == "V":
                return fixpoint(lambda k, later: b[k] and (a[k] or later), True)
            return fixpoint(lambda k, later: b[k] or (a[k] and later), operator == "W")
    raise TypeError(f"unknown formula {type(formula).__name__}")


# --- claims --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClaimRun:
    """How a claim accepts a run: which edge it takes at which position of the path.  It reaches its end, or the steps from
    `loop_start` on repeat forever; that may be several rounds of the path's own cycle."""

    automaton: Kind
    path: Path
    steps: tuple[tuple[int, Edge], ...]
    loop_start: int | None


Node = tuple[int, int]
"""A position of the path and a location of the claim."""


def accepted(interpreter: Interpreter, path: Path, claim: Claim) -> ClaimRun | None:
    """How a claim accepts a run; None if it does not."""
    automaton = claim.automaton
    start: Node = (0, automaton.start)
    links: dict[Node, tuple[Node, Edge] | None] = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for edge, successor in successors(interpreter, path, automaton, node):
            if ended(automaton, edge.target):
                return ClaimRun(automaton, path, (*steps(links, node), (node[0], edge)), None)
            if successor is not None and successor not in links:
                links[successor] = (node, edge)
                queue.append(successor)
    for node in links:
        if accepting(interpreter, path, automaton, node):
            cycle = round_trip(interpreter, path, automaton, node)
            if cycle:
                # Begin where the path's own cycle begins, so that both end in the same state.
                turn = next(k for k, (position, _) in enumerate(cycle) if position == path.loop)
                lead = (*steps(links, node), *cycle[:turn])
                return ClaimRun(automaton, path, (*lead, *cycle[turn:], *cycle[:turn]), len(lead))
    return None


def ended(automaton: Kind, at: int) -> bool:
    """Whether a location is the end of a claim: reaching it is an error."""
    return at == GONE or any(edge.target == GONE for edge in automaton.locations[at].edges)


def accepting(interpreter: Interpreter, path: Path, automaton: Kind, node: Node) -> bool:
    """Whether a cycle through the node is an error: an accept label of the claim, or of a process, as in SPIN."""
    kinds = interpreter.model.kinds
    return automaton.locations[node[1]].accept or any(
        kinds[process.kind].locations[process.at].accept for process in path.states[node[0]].processes
    )


def successors(interpreter: Interpreter, path: Path, automaton: Kind, node: Node) -> Iterator[tuple[Edge, Node | None]]:
    """The moves of the claim in a state: each edge whose condition holds, and the resulting node."""
    position, at = node
    following = path.after(position)
    now = interpreter.moment(path.states[position], 0)
    moved = False
    for edge in automaton.locations[at].edges:
        now.otherwise = not moved
        if interpreter.compiled(edge).guard(now):
            moved = True
            yield edge, None if following is None else (following, edge.target)


def steps(links: dict[Node, tuple[Node, Edge] | None], node: Node) -> tuple[tuple[int, Edge], ...]:
    """The edges that lead to a node."""
    found = []
    link = links[node]
    while link is not None:
        found.append((link[0][0], link[1]))
        link = links[link[0]]
    return tuple(reversed(found))


def round_trip(interpreter: Interpreter, path: Path, automaton: Kind, start: Node) -> tuple[tuple[int, Edge], ...]:
    """The shortest cycle through a node; empty if there is none."""
    links: dict[Node, tuple[Node, Edge] | None] = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for edge, successor in successors(interpreter, path, automaton, node):
            if successor == start:
                return (*steps(links, node), (node[0], edge))
            if successor is not None and successor not in links:
                links[successor] = (node, edge)
                queue.append(successor)
    return ()
