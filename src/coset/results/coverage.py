"""Coverage: the statements of a model that no run reaches, and the variables that nothing reads.

A *statement* is what the user wrote: edges of one kind of process with the same text at the same place.  It is *reached* if
control comes to it in some run, as in SPIN's lists ("unreached in proctype P"), whether or not it can then be executed.  An
*option* that is reached beside others and never executed is never *taken*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions, read_by
from coset.model.suite import Suite, Written
from coset.source.records import dataclass
from coset.source.text import Span

Place = tuple[int, int, int]
"""An edge: the numbers of its kind, its location and itself."""
STATEMENT, OPTION = "statement", "option"


@dataclass(frozen=True, slots=True)
class Unreached:
    """A statement that is never reached, or (`kind`) an option that is never taken, of a kind of process."""

    kind: str
    process: str
    text: str
    span: Span

    def __str__(self) -> str:
        return f"{self.process}, line {self.span.line}: {' '.join(self.text.split())}"


@dataclass(frozen=True, slots=True)
class Unread:
    """A variable that nothing reads, local to a kind of process or (None) global."""

    name: str
    process: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a complete search says: everything else is reached.  `states` is how many states it took."""

    unreached: tuple[Unreached, ...]
    states: int = 0


def edges(model: m.Model) -> Iterator[tuple[Place, m.Edge]]:
    """All edges with their places."""
    for k, kind in enumerate(model.kinds):
        for at, location in enumerate(kind.locations):
            yield from (((k, at, number), edge) for number, edge in enumerate(location.edges))


def statements(model: m.Model) -> dict[tuple[int, Span, str], list[Place]]:
    """The statements that the user wrote, each with its edges; what the end of a process does is none."""
    found: dict[tuple[int, Span, str], list[Place]] = {}
    for place, edge in edges(model):
        if edge.span is not None and edge.text and not any(isinstance(each, m.Exit) for each in edge.effects):
            found.setdefault((place[0], edge.span, edge.text), []).append(place)
    return found


def unreached(model: m.Model, taken: Iterable[Place]) -> tuple[Unreached, ...]:
    """The statements that are not reached if the edges at these places are all that are ever taken."""
    known = set(taken)
    reached = reached_locations(model, known)
    found = []
    placed = statements(model)
    for (k, span, text), places in placed.items():
        kind = model.kinds[k]
        if known.isdisjoint(places):
            here = [at for _, at, _ in places if (k, at) in reached]
            if not here:
                found.append(Unreached(STATEMENT, kind.name, text, span))
            elif any(len({edge.span for edge in kind.locations[at].edges}) > 1 for at in here):
                found.append(Unreached(OPTION, kind.name, text, span))
    for k, kind in enumerate(model.kinds):
        detached = (each for each in kind.detached if (k, *each) not in placed)
        found += [Unreached(STATEMENT, kind.name, text, span) for span, text in detached]
    return tuple(sorted(found, key=lambda each: (each.span.file, each.span.line, each.span.column)))


EVENT = re.compile(r"[^\W\d]\w*")


def never_written(suite: Suite, found: Sequence[tuple[m.Model, Iterable[Place]]]) -> tuple[Unreached, ...]:
    """The events of a suite's text that no step of any of its models is, if the edges at these places are all that are ever
    taken."""
    spans, names = set[Span | None](), set[str]()
    for model, taken in found:
        for k, at, number in taken:
            edge = model.kinds[k].locations[at].edges[number]
            spans.add(edge.span)
            names.update(EVENT.findall(edge.text)[:1])
    all_spans = {edge.span for model, _ in found for _, edge in edges(model)}

    def happens(each: Written) -> bool:
        """Whether a step comes from here; or from elsewhere, if that may be the same."""
        may_be_elsewhere = each.joined or each.span not in all_spans
        return each.span in spans or (may_be_elsewhere and each.event in names)

    rest = [each for each in suite.written if not happens(each)]
    return tuple(Unreached(STATEMENT, each.definition, each.text, each.span) for each in rest)


def reached_locations(model: m.Model, taken: set[Place]) -> set[tuple[int, int]]:
    """Where control comes: the starts of processes that exist, and the targets of edges that are taken."""
    number = {kind.name: k for k, kind in enumerate(model.kinds)}
    reached = {(number[each.kind], model.kinds[number[each.kind]].start) for each in model.processes}
    for (k, at, n), edge in edges(model):
        if (k, at, n) in taken:
            reached.add((k, edge.target))
            started = [number[each.kind] for each in edge.effects if isinstance(each, m.Run)]
            reached.update((each, model.kinds[each].start) for each in started)
    return reached


def unread(model: m.Model) -> tuple[Unread, ...]:
    """The variables that no expression of a process or of a property reads."""
    read = {v for x in (*process_expressions(model), *property_expressions(model)) for v in read_by(x)}
    rows: Sequence[tuple[str | None, tuple[m.Variable, ...]]] = [
        (None, model.variables), *((kind.name, kind.variables) for kind in model.kinds)
    ]  # fmt: skip
    return tuple(
        Unread(variable.name, name, variable.span)
        for name, row in rows
        for variable in row
        if variable.span is not None and variable not in read
    )
