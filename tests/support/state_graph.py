"""The graph of all states of a model, as plain numbers, and what its automorphisms are: by the definition, with no help of
what finds or certifies symmetries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, is_fault
from coset.model.sequential.interpreter import SequentialInterpreter
from coset.model.sequential_model import SequentialModel
from coset.model.state import State
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil

S = TypeVar("S", bound=Hashable)
Follow = Callable[[S], Iterable[tuple[S | None, Hashable]]]
Look = Callable[[S], Hashable]


class TooLarge(Exception):
    """More states than were asked for."""


@dataclass
class StateGraph(Generic[S]):
    """States are numbered as they are found.  A row has the steps of a state: where they lead (None: nowhere) and what is
    to be seen of them, with how many there are; a look is what can be asked of a state."""

    number: dict[S, int] = field(default_factory=dict)
    rows: list[Counter[tuple[int | None, Hashable]]] = field(default_factory=list)
    looks: list[Hashable] = field(default_factory=list)

    def images(self, symmetry: Callable[[S], S]) -> list[int | None]:
        """Where each state goes; None if that is no state of the graph."""
        return [self.number.get(symmetry(state)) for state in self.number]

    def is_automorphism(self, images: Sequence[int | None]) -> bool:
        """States to states, one to one, first ones to first ones, steps to steps, and nobody sees a difference."""
        if sorted(x for x in images if x is not None) != list(range(len(self.rows))):
            return False
        for source, image in enumerate(images):
            assert image is not None
            moved = Counter(
                {(None if to is None else images[to], seen): n for (to, seen), n in self.rows[source].items()}
            )
            if self.looks[source] != self.looks[image] or moved != self.rows[image]:
                return False
        return True


def explored(firsts: Iterable[S], follow: Follow[S], look: Look[S], most: int) -> StateGraph[S]:
    """The graph from some first states on."""
    graph: StateGraph[S] = StateGraph()
    queue = list(dict.fromkeys(firsts))
    begin = set(queue)
    graph.number = {state: k for k, state in enumerate(queue)}
    for state in queue:
        row: Counter[tuple[int | None, Hashable]] = Counter()
        for target, seen in follow(state):
            if target is not None and target not in graph.number:
                graph.number[target] = len(queue)
                queue.append(target)
            row[None if target is None else graph.number[target], seen] += 1
        graph.rows.append(row)
        graph.looks.append((state in begin, look(state)))
        if len(queue) > most:
            raise TooLarge
    return graph


def of_model(
    interpreter: Interpreter, firsts: Iterable[State], properties: Sequence[m.Property], most: int
) -> StateGraph[State]:
    """Of a concurrent model, with what its properties look at."""
    truths = [interpreter.evaluation.expression(x) for property_ in properties for x in looked_at(property_)]

    def follow(state: State) -> Iterable[tuple[State | None, Hashable]]:
        for step in interpreter.steps(state):
            errors = tuple(sorted(kind for move in step.moves for kind, _ in move.errors))
            yield None if is_fault(step.moves[-1]) else step.state, errors

    def look(state: State) -> Hashable:
        now = interpreter.moment(state, -1)
        now.own = ()
        found: list[Hashable] = [interpreter.valid_end(state)]
        for truth in truths:
            try:
                found.append(bool(truth(now)))
            except Fault as fault:
                found.append(fault.kind)
        return tuple(found)

    return explored(firsts, follow, look, most)


def looked_at(property_: m.Property) -> Iterable[e.Expr]:
    """Each condition of a claim; the atoms of a formula, those that are joined by logic as what they say together."""
    if isinstance(property_, m.Claim):
        for _, edge in property_.automaton.edges():
            if not any(isinstance(x, e.Otherwise | e.Youngest) for x in edge.guard.walk()):
                yield edge.guard
    else:
        yield from largest(property_.formula)


def largest(formula: f.Formula[e.Expr]) -> Iterable[e.Expr]:
    """The parts of a formula without temporal operators."""
    whole = as_expression(formula)
    if whole is not None:
        yield whole
        return
    match formula:
        case f.Not(operand) | f.Modal(_, operand) | Branching(_, _, operand):
            yield from largest(operand)
        case f.Logic(_, left, right) | f.Until(_, left, right) | BranchingUntil(_, _, left, right):
            yield from largest(left)
            yield from largest(right)


def as_expression(formula: f.Formula[e.Expr]) -> e.Expr | None:
    match formula:
        case f.Constant(truth):
            return e.Const(int(truth))
        case f.Atom():
            atom: e.Expr = formula.value
            return atom
        case f.Not(operand):
            inner = as_expression(operand)
            return None if inner is None else e.Unary("!", inner)
        case f.Logic(operator, left, right):
            one, other = as_expression(left), as_expression(right)
            if one is None or other is None:
                return None
            not_one, not_other = e.Unary("!", one), e.Unary("!", other)
            return {
                "&&": e.Binary("&&", one, other),
                "||": e.Binary("||", one, other),
                "->": e.Binary("||", not_one, other),
                "<->": e.Binary("==", not_one, not_other),
            }[operator]
    return None


def of_sequential(model: SequentialModel, most: int) -> StateGraph[tuple[int, ...]]:
    """Of a sequential model, with its events, its conditions, and what goes wrong."""
    interpreter = SequentialInterpreter(model)

    def follow(state: tuple[int, ...]) -> Iterable[tuple[tuple[int, ...] | None, Hashable]]:
        return ((successor, event) for event, successor in interpreter.steps(state))

    def look(state: tuple[int, ...]) -> Hashable:
        truth = tuple(bool(condition([*state])) for condition in interpreter.conditions)
        return truth, tuple(sorted(interpreter.faults(state).items())), interpreter.observable(state)

    return explored(interpreter.initial(), follow, look, most)
