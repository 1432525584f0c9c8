"""The state space of a sequential model in diagrams: encoding, steps, and everything that can be reached.

Which values an element may have is guessed from some states near the start.  If a step from a reachable state leads
out of the guess, the values that it leads to are added, and everything is made again: in the end no step does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from coset.engines.symbolic.diagrams import Diagram, Diagrams
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.evaluation import TooManyValues
from coset.engines.symbolic.fixpoints import reachable
from coset.engines.symbolic.folding import Folding
from coset.engines.symbolic.order import static_order
from coset.engines.symbolic.permuting import Unclosed
from coset.engines.symbolic.quotient import Folded
from coset.engines.symbolic.relation import Relation
from coset.engines.symbolic.steps import Overflow, Steps, symbolic_steps
from coset.model.sequential import SequentialInterpreter, SequentialModel
from coset.source.budget import Limits
from coset.source.records import dataclass

SMALL_DOMAIN = 64
"""A domain of so many values is taken as a whole."""
LARGE_DOMAIN = 1024
"""More values of one element are refused."""
SAMPLES, SAMPLE_STEPS = 2000, 40_000

Row = Sequence[int | None]
Watcher = Callable[[Encoding, Diagram], None]
"""Sees the set of states grow, also in rounds that are begun again."""


def no_watcher(encoding: Encoding, states: Diagram) -> None:
    """For those who do not watch."""


@dataclass(frozen=True)
class Space:
    """The states that can be reached from some, with the steps between them."""

    encoding: Encoding
    steps: tuple[Steps, ...]
    """Of all processes, or of each of those that move for others."""
    relation: Relation
    states: Diagram
    folded: Folded | None = None
    """What takes states to what stands for them, if these stand for others."""

    @property
    def diagrams(self) -> Diagrams:
        return self.encoding.diagrams

    @property
    def size(self) -> int:
        return self.number(self.states)

    def number(self, states: Diagram) -> int:
        """How many states of the space are in a set; with symmetries, of the quotient."""
        return self.encoding.count(states & self.counted)

    @cached_property
    def counted(self) -> Diagram:
        return self.states if self.folded is None else self.folded.counted(self.states)

    def everywhere(self, told: Callable[[Steps], Iterable[Diagram]]) -> Iterator[Diagram]:
        """What is told of steps, for the steps of all processes."""
        for number, steps in enumerate(self.steps):
            for one in told(steps):
                yield from [one] if self.folded is None else self.folded.everywhere(number, one)


class _Outgrown(Exception):
    """A step leads to values that were not guessed."""

    def __init__(self, found: Iterable[tuple[int, int]]) -> None:
        self.found = list(found)


def space(
    model: SequentialModel,
    starts: Sequence[Row] | None = None,
    limits: Limits | None = None,
    watch: Watcher = no_watcher,
    folding: Folding | None = None,
) -> Space:
    """Everything that can be reached from some states (by default the starts of the model); with `folding`
    representatives of it.  Raises `OutOfNodes` at a limit, `TooManyValues` and `TooManyPaths`.

    >>> from coset.languages.sequential.parse import parse_text
    >>> space(parse_text("process p(0..9 x, 0..99999 y) = [x < 9] up { x = x + 1; y = y + 1000 * x; } init p(0, 0);")).size
    10
    """
    starts = model.starts if starts is None else starts
    order = static_order(model)
    if folding is not None:
        order = folding.ordered(order)
    values = Guess(model, starts)
    peak = 0
    while True:
        rows = values.rows()
        width = sum((len(row) - 1).bit_length() for row in rows)
        diagrams = Diagrams(2 * width, limits)
        diagrams.peak = peak
        encoding = Encoding(model, rows, order, diagrams)
        steps = (symbolic_steps(encoding),) if folding is None else folding.steps(encoding)
        overflows = [each for row in steps for each in row.overflows]

        def grown(states: Diagram, encoding: Encoding = encoding, overflows: list[Overflow] = overflows) -> None:
            watch(encoding, states)
            outside = {(each.element, each.value) for each in overflows if (each.states & states).satisfiable()}
            if outside:
                raise _Outgrown(outside)

        begin = diagrams.union(encoding.states(row) for row in starts)
        try:
            if folding is not None and folding.reduces:
                folded = folding.folded(encoding)
                quotient = folded.relation(steps)
                return Space(encoding, steps, quotient, quotient.reachable(folded.of(begin), grown), folded)
            relation = Relation(encoding, steps[0].taken)
            return Space(encoding, steps, relation, reachable(relation, begin, grown))
        except (_Outgrown, Unclosed) as outgrown:
            values.add(outgrown.found)
            peak = diagrams.peak


class Guess:
    """The values that elements may have, as far as that is known."""

    def __init__(self, model: SequentialModel, starts: Sequence[Row]) -> None:
        self.elements = model.elements
        self.domains = [variable.domain for variable, _ in self.elements]
        self.found: list[set[int]] = [set() for _ in self.elements]
        self.fixed = {k for k, (variable, _) in enumerate(self.elements) if variable == model.control}
        self.families: dict[tuple[str, int], list[int]] = {}
        """Elements that are alike, by name and domain: what one gets others will."""
        for element, (variable, _) in enumerate(self.elements):
            name = re.sub(r"\d+", "", variable.name)
            self.families.setdefault((name, variable.domain.high - variable.domain.low), []).append(element)
        self.family = {element: row for row in self.families.values() for element in row}
        for element, domain in enumerate(self.domains):
            if element in self.fixed:
                self.found[element] = {0}
            elif domain.high - domain.low < SMALL_DOMAIN or any(row[element] is None for row in starts):
                self.widen(element, range(domain.low, domain.high + 1))
        self.see(starts)
        sizes = [domain.high - domain.low + 1 for domain in self.domains]
        if any(len(found) < size for k, (found, size) in enumerate(zip(self.found, sizes)) if k not in self.fixed):
            self.see(sample(model, starts))
        for row in self.families.values():
            if self.fixed.isdisjoint(row):
                together = set().union(*(self.found[element] for element in row))
                for element in row:
                    self.widen(element, together)

    def see(self, rows: Iterable[Row]) -> None:
        for element, column in enumerate(zip(*rows, strict=True)):
            if element not in self.fixed:
                self.found[element] |= {value for value in column if value is not None}

    def widen(self, element: int, values: Iterable[int]) -> None:
        if isinstance(values, range) and len(values) > LARGE_DOMAIN:
            self.refuse(element)
        self.found[element] |= set(values)
        if len(self.found[element]) > LARGE_DOMAIN:
            self.refuse(element)

    def refuse(self, element: int) -> None:
        variable, offset = self.elements[element]
        raise TooManyValues(f"{variable.element(offset)} may have more than {LARGE_DOMAIN} values")

    def add(self, found: Iterable[tuple[int, int]]) -> None:
        """Values that elements get; where they grow one by one, twice as many."""
        for element, value in found:
            low, high, domain = min(self.found[element]), max(self.found[element]), self.domains[element]
            room = len(self.found[element])
            more = {value}
            if value > high:
                more |= set(range(value, min(value + room, domain.high) + 1))
            elif value < low:
                more |= set(range(max(value - room, domain.low), value + 1))
            for other in self.family[element]:
                self.widen(other, more)

    def rows(self) -> list[tuple[int, ...]]:
        return [tuple(sorted(values)) for values in self.found]


def sample(model: SequentialModel, starts: Sequence[Row]) -> list[Sequence[int]]:
    """Some states: the first ones breadth first, and those of random runs."""
    interpreter, chance = SequentialInterpreter(model), random.Random(0)
    domains = [variable.domain for variable, _ in model.elements]
    begin = [
        tuple(domain.low if value is None else value for value, domain in zip(row, domains, strict=True))
        for row in islice(starts, SAMPLES)
    ]
    found = dict.fromkeys(begin)
    todo = list(found)
    taken = 0
    for state in todo:
        if len(found) > SAMPLES or taken > SAMPLE_STEPS:
            break
        for _, successor in interpreter.steps(state):
            taken += 1
            if successor not in found:
                found[successor] = None
                todo.append(successor)
    taken, state = 0, chance.choice(begin)
    for _ in range(SAMPLES):
        targets = [target for _, target in interpreter.steps(state)]
        state = chance.choice(targets) if targets else chance.choice(begin)
        found[state] = None
        taken += len(targets)
        if taken > SAMPLE_STEPS:
            break
    return list(found)
