"""Processes whose numbers mean nothing: a state is stored once for all arrangements of its processes.

    proctype worker(byte job) { ... }
    init { do :: queue?job -> run worker(job) od }

Symmetries act on states in which all processes exist (`startup`).  Where processes come and go while the system runs there
are no such states.  But if no expression depends on the number of a process, the numbers can be exchanged in every state:

Theorem.  Let no expression depend on the number of a process.  Then the relation "the same values of variables and channels, and
the same processes, each as many times, in any order" is a bisimulation, if only process 0 may end, and no other process is of
its kind.

Proof.  A process moves by its location, its variables, and the shared ones, so that in any order of the processes the same
ones move, and lead to the same processes.  A process that is created is added to them.

That only the youngest process may end is the only rule about numbers.  So where others may end, too, and no property can
observe when (`unseen_ends`), those that are at their ends are *over*: all are alike, and arranged behind the others, so that
they may end.

Theorem.  Let no expression depend on the number of a process, nor on how many there are (but for `joins`), nor on `timeout`.
Then the relation "the same values, and the same processes that are not over, in any order; if there is only one, then some are
over in both or in neither" is a bisimulation up to stuttering, and more than 255 processes are reached from both or from neither.

Proof.  A process that is over makes no step but its end.  While others exist, whether and when it ends is not observed: only
process 0 asks whether it is alone.  When process 0 is left, all that are over are younger, and may end.  That a process ends is
never necessary but for a join, where all of them do: so on the way to too many processes none has to end before.  With `timeout`,
which is false while a process may end, one that is arranged behind the others would have to, and one before them would not.

This is the quotient by the symmetric group on the processes that exist, which changes from state to state; the representative
is the generic one of E. A. Emerson and R. J. Trefler, From asymmetry to full symmetry, CHARME 1999.  Not all arrangements of
a reachable state are reachable: a worker that is started when another one is done never overtakes it.  So no sums of orbits
are claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter
from coset.model.state import Process, State
from coset.source.records import dataclass
from coset.symmetry.certify import NotASymmetry, sample, step_outcomes
from coset.symmetry.passes.joins import is_oldest, without_joins
from coset.symmetry.passes.keep_terminated import NUMBERS, dying_kinds, ends, has_channels
from coset.symmetry.symmetry import Symmetry

COUNTED = tuple(each for each in NUMBERS if each is not e.ProcessCount)
"""Expressions that may depend on the number of a process."""
NOT_COUNTED = (*NUMBERS, e.Timeout)
"""Expressions that may depend on the number of a process, or on which processes are over."""
NEAREST = 2000
"""States that are looked at to know whether it is worth while: less than a tenth of a second."""
TRIED = 400
"""The most states whose steps are compared."""


@dataclass(frozen=True)
class AnonymousProcesses:
    """A model whose processes may be arranged in any order.

    `first` is the kind of process 0 if no other process is of that kind: this one keeps its place.  `over` are the locations of
    each kind at which a process can only end, if it may end at any time."""

    model: m.Model
    first: int | None
    over: tuple[frozenset[int], ...]

    def __call__(self, state: State) -> State:
        """The representative: the processes in order, then those that are over."""
        rest = sorted((each for each in state.processes if not self.is_over(each)), key=self.key)
        ordered = (*rest, *[self.last] * (len(state.processes) - len(rest)))
        return state if ordered == state.processes else state._replace(processes=ordered)

    def is_over(self, process: Process) -> bool:
        return process.at in self.over[process.kind]

    def key(self, process: Process) -> tuple[bool, Process]:
        return process.kind != self.first, process

    @cached_property
    def last(self) -> Process:
        """What all processes that are over are replaced by."""
        kind = next((number for number, locations in enumerate(self.over) if locations), 0)
        size = sum(variable.size for variable in self.model.kinds[kind].variables)
        return Process(kind, min(self.over[kind], default=0), (0,) * size)

    @property
    def written(self) -> frozenset[int]:
        """The kinds of processes that representatives may have, and no state."""
        return frozenset({self.last.kind} if any(self.over) else ())

    @cached_property
    def names(self) -> list[str]:
        """The kinds that are started while the system runs."""
        effects = (effect for kind in self.model.kinds for _, edge in kind.edges() for effect in edge.effects)
        started = {effect.kind for effect in effects if isinstance(effect, m.Run)}
        return [kind.name for kind in self.model.kinds if kind.name in started]

    def describe(self) -> str:
        """In a few words."""
        return f"processes of {', '.join(self.names)} in any order"

    def exchanges(self, state: State) -> Iterator[Exchange]:
        """The exchanges of neighbours in a state."""
        everyone = (Exchange(number, self) for number in range(len(state.processes) - 1))
        return (each for each in everyone if each.acts_on(state))


@dataclass(frozen=True)
class Exchange:
    """The exchange of a process with the following one, of which neither keeps its place."""

    number: int
    among: AnonymousProcesses

    def __str__(self) -> str:
        return f"({self.number} {self.number + 1})"

    def acts_on(self, state: State) -> bool:
        pair = state.processes[self.number : self.number + 2]
        return len(pair) == 2 and not any(each.kind == self.among.first or self.among.is_over(each) for each in pair)

    def __call__(self, state: State) -> State:
        row = list(state.processes)
        row[self.number : self.number + 2] = row[self.number + 1], row[self.number]
        return state._replace(processes=tuple(row))


def in_any_order(found: Symmetry, kept: Sequence[m.Property]) -> AnonymousProcesses | None:
    """The processes of a model for which `program` does not know what to permute, if they may be arranged in any order."""
    return anonymous(found.model, kept) if found.method == "program" and found.points is None else None


def anonymous(model: m.Model, kept: Sequence[m.Property]) -> AnonymousProcesses | None:
    """The processes of a model in which some are started while the system runs, if nothing tells them apart, nor do the
    properties that are kept."""
    if model.prioritised or model.remembers_mover or not starts_any(model) or model.sequential is not None:
        return None
    dying, owners = dying_kinds(model), [kind for kind in model.kinds if has_channels(kind)]
    if not all(is_oldest(kind, model) for kind in owners):
        return None
    if not model.unseen_ends and not all(is_oldest(kind, model) for kind in dying if may_end(kind)):
        return None
    first = next((number for number, kind in enumerate(model.kinds) if is_oldest(kind, model)), None)
    gone = [kind for number, kind in enumerate(model.kinds) if kind in dying and number != first and model.unseen_ends]
    if observes(model, kept, NOT_COUNTED if gone else COUNTED):
        return None
    return AnonymousProcesses(model, first, tuple(ends(kind) if kind in gone else frozenset() for kind in model.kinds))


def starts_any(model: m.Model) -> bool:
    return any(isinstance(effect, m.Run) for kind in model.kinds for _, edge in kind.edges() for effect in edge.effects)


def observes(model: m.Model, kept: Sequence[m.Property], forbidden: tuple[type[e.Expr], ...]) -> bool:
    """Whether a process or a property has such an expression; what is only printed does not matter, nor do joins."""
    silent = replace(model, kinds=tuple(map(without_prints, model.kinds)), properties=tuple(kept))
    asked = without_joins(silent)
    return any(
        isinstance(x, forbidden)
        for whole in (*process_expressions(asked), *property_expressions(asked))
        for x in whole.walk()
    )


def without_prints(kind: m.Kind) -> m.Kind:
    locations = (
        replace(location, edges=tuple(
            replace(edge, effects=tuple(each for each in edge.effects if not isinstance(each, m.Print)))
            for edge in location.edges
        ))
        for location in kind.locations
    )  # fmt: skip
    return replace(kind, locations=tuple(locations))


def may_end(kind: m.Kind) -> bool:
    """Whether a path leads to the end of a process."""
    edges = (edge for number in kind.reachable(kind.start) for edge in kind.locations[number].edges)
    return any(edge.target == m.GONE and edge.guard != e.FALSE for edge in edges)


def saving(found: AnonymousProcesses) -> float:
    """How many times fewer representatives there are than states, among the nearest."""
    interpreter = Interpreter(found.model)
    queue = [interpreter.initial()]
    seen = set(queue)
    with suppress(Fault):  # a search will report it
        for state in queue:
            if len(queue) >= NEAREST:
                break
            for step in islice(interpreter.steps(state), NEAREST):
                if step.state not in seen:
                    seen.add(step.state)
                    queue.append(step.state)
    return len(seen) / len(set(map(found, seen)))


def certify(found: AnonymousProcesses, tried: int = TRIED) -> int:
    """Try exchanges of neighbours on reachable states: the steps lead to the same processes, with the same errors.  On how many
    states they were tried; raises `NotASymmetry`."""
    interpreter, states = Interpreter(found.model), 0
    for state, holder in sample(interpreter, [interpreter.initial()]):
        if holder is not None:
            continue
        here = found(state)
        mine = step_outcomes(interpreter, here, found)
        for exchange in found.exchanges(here):
            image = exchange(here)
            same_end = interpreter.valid_end(here) == interpreter.valid_end(image)
            if not same_end or step_outcomes(interpreter, image, found) != mine:
                raise NotASymmetry(f"{exchange} does not commute with the steps from a reachable state")
            tried -= 1
        states += 1
        if tried <= 0:
            break
    return states
