"""Parts of the source that may distinguish processes, and the program graph without them.

A *suspect* is a literal that names a process, a variable whose initial value does, a computation with ids, a process that may
end: everything by which the program graph distinguishes its vertices, with its position in the source.
`Suspicious` builds that graph with some suspects ignored: each leaves a *ghost*, a vertex without any distinguishing mark.
The automorphisms of that graph are not symmetries of the model; they are what its symmetries would be if the suspects did not
distinguish processes, which is what `explain` computes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import field

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Refers
from coset.model.interpreter import Interpreter
from coset.model.state import offsets, process_number
from coset.source.records import dataclass
from coset.source.text import Span
from coset.symmetry.action import Point
from coset.symmetry.methods.program.copies import find_copies
from coset.symmetry.methods.program.graph import Builder
from coset.symmetry.sorts import Sort, Sorts
from coset.symmetry.startup import StartedStates


@dataclass(frozen=True, slots=True)
class Suspect:
    """A part of the source that may distinguish processes.  `what` is

    literal, name, oldest   a statement names a value, a variable among others, or the oldest process of a kind
    computation             a statement computes with values, or compares them by their order
    start                   a variable holds values from the start
    end, priority           processes of a kind may end, have priorities
    sequence                options, or operands, are tried in order
    pinned                  values of a sort cannot be permuted
    beginning, hidden       there is no state in which all processes are known; there are hidden variables
    observed                numbers of processes that are started while the system runs
    """

    what: str
    place: Hashable
    """Its position: two suspects are the same if they have the same `what` and `place`."""
    thing: str = field(compare=False)
    """Its text, as in the source."""
    span: Span | None = field(default=None, compare=False)
    owner: str = field(default="", compare=False)
    """The proctype or property that contains it."""
    statement: str = field(default="", compare=False)
    objects: str = field(default="", compare=False)
    """What it names or computes with: "process", "channel", or "" for plain data."""
    is_wiring: bool = field(default=False, compare=False)
    """Whether it only assigns identities: values that differ from process to process at the start."""
    is_number: bool = field(default=False, compare=False)
    """Whether it gives each process of a kind a number of its own, which distinguishes processes only where it is used."""


@dataclass(frozen=True, slots=True)
class Where:
    """The statement or property that is being analysed."""

    owner: str = ""
    span: Span | None = None
    text: str = ""


NOWHERE = Where()


def is_loop(suspect: Suspect) -> bool:
    """Whether a suspect is part of a `for` that counts."""
    in_statement = suspect.what in ("literal", "computation", "name")
    return in_statement and suspect.span is not None and suspect.span.text[:3] == "for"


def head(suspect: Suspect) -> str:
    """The head of a loop: `for (k : 0 .. N - 1)`."""
    return "" if suspect.span is None else " ".join(suspect.span.text.split("{")[0].split())


def counter(loop: Suspect) -> tuple[str, str]:
    """The variable that a loop counts with, by owner and name.

    >>> from coset.source.text import Source
    >>> text = "for (k : 0 .. 2) { a[k] = 1 }"
    >>> counter(Suspect("literal", 0, "0", Span(Source("m.pml", text), 0, len(text)), "P"))
    ('P', 'k')
    """
    return loop.owner, head(loop).partition("(")[2].partition(":")[0].strip()


def counts(suspect: Suspect) -> str:
    """The variable of a process that a statement counts with: `k` for `k + 1` in `else; k++`, or at the end of a round of
    `for (k : ...)`, which has no text; "" if there is none."""
    if suspect.what == "computation" and isinstance(suspect.place, tuple):
        match suspect.place[1]:
            case e.Binary("+" | "-", e.Get(variable, ()), e.Const(1)) if variable.owner is not None:
                name = re.escape(variable.name)
                is_assigned = re.search(rf"\b{name}\s*(\+\+|--|=\s*{name}\s*[+-]\s*1\b)", suspect.statement)
                if is_assigned or not re.search(rf"\b{name}\s*[+-]\s*1\b", suspect.statement):
                    return variable.name
    return ""


def begins(suspect: Suspect, counters: Collection[tuple[str, str]]) -> str:
    """The counter to which a statement assigns a literal, which the loop begins with: `k` for 0 in `k = 0`; "" if there is
    none.

    >>> begins(Suspect("literal", 0, "P 0", None, "Q", "turn = _pid; k = 0"), {("Q", "k"), ("P", "i")})
    'k'
    """
    if suspect.what != "literal":
        return ""
    value = re.escape(suspect.thing.split()[-1])
    found = (
        name
        for owner, name in sorted(counters)
        if owner == suspect.owner and re.search(rf"\b{re.escape(name)}\s*[=:]\s*{value}\b", suspect.statement)
    )
    return next(found, "")


def computation(span: Span | None, x: e.Expr, objects: str = "", where: Where = NOWHERE) -> Suspect:
    return Suspect("computation", (span, x), str(x), span, where.owner, where.text, objects)


def pin(sort: Sort) -> Suspect:
    return Suspect("pinned", (sort.pinned, sort.pinned_at), f"{sort.name}: {sort.pinned}", sort.pinned_at)


class Suspicious(Builder):
    """Builds the graph of a model without some suspects, and records all others."""

    def __init__(
        self, interpreter: Interpreter, started: StartedStates, sorts: Sorts, ignored: frozenset[Suspect] = frozenset()
    ) -> None:
        super().__init__(interpreter, started, sorts)
        self.copies = find_copies(self.model, self.count, sorts, numbered=True)  # it is about processes of one kind
        self.ignored = ignored
        self.met: dict[Suspect, None] = {}
        self.ghosts: defaultdict[Suspect, list[int]] = defaultdict(list)
        """The ghost vertices of ignored suspects."""
        self.where = NOWHERE
        rows = (self.model.variables, *(kind.variables for kind in self.model.kinds))
        self.looks = Counter(self.look(variable) for row in rows for variable in row)
        self.crowd: Counter[Hashable] = Counter()
        """The number of values with each initial colour."""

    def is_ignored(self, suspect: Suspect) -> bool:
        if suspect in self.ignored:
            return True
        self.met.setdefault(suspect)
        return False

    def ghost(self, suspect: Suspect, colour: Hashable = None, *parts: tuple[Hashable, int]) -> int:
        vertex = self.node(("ghost", suspect.what, colour), *parts)
        self.ghosts[suspect].append(vertex)
        return vertex

    def here(self, what: str, thing: str, objects: str = "") -> Suspect:
        """A suspect in the statement that is being built."""
        where = self.where
        return Suspect(what, (where.owner, where.span, thing), thing, where.span, where.owner, where.text, objects)

    def enter(self, where: Where) -> None:
        self.where = where
        self.context = (where.owner, where.span)

    # --- values and processes --------------------------------------------------------------------

    def build(self, properties: Iterable[m.Property]) -> None:
        self.crowd = Counter(
            ("value", self.copies.sort(sort.number), self.nature(sort, value))
            for sort in self.sorts.all
            if sort.mobile
            for value in sort.values
        )
        super().build(properties)

    def distinguishes(self, vertex: int) -> bool:
        """Whether there are other vertices that the vertex might be exchanged with."""
        return self.crowd[self.graph.colours[vertex]] > 1

    def may_die(self, process: int) -> bool:
        number = self.started.state.processes[process].kind
        kind = self.model.kinds[number]
        if not super().may_die(process) or self.count[number] < 2:
            return super().may_die(process)
        return not self.is_ignored(Suspect("end", kind.name, kind.name, self.ending(process) or kind.span, kind.name))

    def ending(self, process: int) -> Span | None:
        """Where a process ends: the statement before, or the kind as a whole."""
        kind = self.model.kinds[self.started.state.processes[process].kind]
        spans = [
            edge.span
            for spot in sorted(self.started.locations[process])
            for edge in kind.locations[spot].edges
            if edge.target == m.GONE and edge.text != "-end-"
        ]
        return spans[0] if spans else None

    def nature(self, sort: Sort, value: int) -> Hashable:
        found = super().nature(sort, value)
        processes = self.started.state.processes
        if sort.objects == "process" and 0 <= value < len(processes):
            kind = self.model.kinds[processes[value].kind]
            if len({other.priority for other in processes if other.kind == processes[value].kind}) > 1:
                suspect = Suspect("priority", kind.name, kind.name, kind.span, kind.name)
                if self.is_ignored(suspect) and isinstance(found, tuple):
                    return (*found[:2], None, *found[3:])
        return found

    def process(self, x: e.Expr | None, kind: str = "") -> int:
        vertex = super().process(x, kind)
        if x is None and self.distinguishes(vertex):
            suspect = self.here("oldest", kind, "process")
            if self.is_ignored(suspect):
                return self.ghost(suspect)
        return vertex

    # --- statements ------------------------------------------------------------------------------

    def kind(self, number: int, kind: m.Kind) -> None:
        self.enter(Where(kind.name, kind.span, f"provided ({kind.provided})"))
        super().kind(number, kind)

    def fixed_automaton(self, kind: m.Kind, name: str) -> None:
        self.enter(Where(name, kind.span))
        super().fixed_automaton(kind, name)

    def edge(self, edge: m.Edge, colour: Hashable) -> int:
        self.enter(Where(self.where.owner, edge.span, edge.text))
        return super().edge(edge, colour)

    def property(self, property_: m.Property) -> None:
        if not isinstance(property_, m.Claim):
            self.enter(Where(f"property {property_.name}", property_.span, property_.text or str(property_.formula)))
        super().property(property_)

    def is_ordered(self, location: m.Location, position: int) -> bool:
        ordered = super().is_ordered(location, position)
        if not ordered or len(location.edges) < 2:
            return ordered
        span = location.edges[0].span
        return not self.is_ignored(Suspect("sequence", span, "options", span, self.where.owner))

    def is_sequential(self, operands: Sequence[e.Expr]) -> bool:
        if not super().is_sequential(operands):
            return False
        suspect = self.here("sequence", " && ".join(map(str, operands)))
        return not self.is_ignored(suspect)

    # --- expressions -----------------------------------------------------------------------------

    def build_expression(self, x: e.Expr, sort: Sort | None) -> int:
        vertex = super().build_expression(x, sort)
        if isinstance(x, e.Const) and sort is not None and sort.leader.mobile and self.distinguishes(vertex):
            point = Point("value", sort.leader.number, x.value)
            suspect = self.here("literal", self.called(point, sort.leader), sort.leader.objects)
            if self.is_ignored(suspect):
                return self.ghost(suspect, sort.leader.number)
        return vertex

    def called(self, point: Point, sort: Sort) -> str:
        """The name of a value for users: `client 3`."""
        if sort.objects == "process":
            kind = self.model.kinds[self.started.state.processes[point.item].kind]
            return f"{kind.name} {process_number(self.model, point.item)}"
        return str(point.item)

    def table(self, x: e.Expr, sort: Sort | None, truth: bool = False) -> int:
        suspect = computation(self.where.span, x, self.about(x, sort), self.where)
        if not self.is_ignored(suspect):
            return super().table(x, sort, truth)
        leaves = dict.fromkeys(part for part in x.walk() if self.sorts.of(part) is not None)
        return self.ghost(suspect, None, *(("leaf", self.expression(leaf, self.sorts.of(leaf))) for leaf in leaves))

    def about(self, x: e.Expr, sort: Sort | None) -> str:
        """What a computation is with or for."""
        sorts = [sort, *(self.sorts.of(part) for part in x.walk())]
        return next((each.leader.objects for each in sorts if each is not None and each.leader.objects), "")

    def variable(self, variable: m.Variable, unmentioned: int | None = None) -> int:
        if unmentioned is None and self.looks[self.look(variable)] > 1:
            suspect = self.here("name", variable.name, "channel" * (variable.domain.refers is Refers.CHANNEL))
            if self.is_ignored(suspect):
                return self.ghost(suspect)
        return super().variable(variable, unmentioned)

    # --- the started state -----------------------------------------------------------------------

    def cells(self, root: int, variables: tuple[m.Variable, ...], values: tuple[int, ...], owner: int | None) -> None:
        self.spread = {variable: len(set(self.all_held(variable, variables))) > 1 for variable in offsets(variables)}
        super().cells(root, variables, values, owner)

    def all_held(self, variable: m.Variable, variables: tuple[m.Variable, ...]) -> Iterator[int]:
        """Everything that a variable holds in the started states, in any process."""
        start = offsets(variables)[variable]
        for state in self.started.states:
            if variable.owner is None:
                yield from state.values[start : start + variable.size]
            for process in state.processes:
                if self.model.kinds[process.kind].variables is variables and variable.owner is not None:
                    yield from process.values[start : start + variable.size]

    def numbers(self, variable: m.Variable) -> bool:
        """Whether each process that has the variable begins with another value in it."""
        if variable.owner is None or variable.shape:
            return False
        kind = self.interpreter.kind_number[variable.owner]
        start = offsets(self.model.kinds[kind].variables)[variable]
        held = [process.values[start] for process in self.started.state.processes if process.kind == kind]
        return len(set(held)) == len(held)

    def held(self, variable: m.Variable, sort: Sort, value: int) -> int:
        vertex = super().held(variable, sort, value)
        if isinstance(variable.initial, m.NewChannel):
            return vertex  # but the name of a channel
        if self.spread[variable] or self.distinguishes(vertex):
            wiring = sort.objects == "channel" or self.spread[variable]
            number = wiring and sort.objects != "channel" and self.numbers(variable)
            suspect = Suspect(
                "start", variable, variable.name, variable.span, variable.owner or "", "", sort.objects, wiring, number
            )
            if self.is_ignored(suspect):
                return self.ghost(suspect, variable.owner is None)
        return vertex
