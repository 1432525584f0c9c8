"""The state graph modulo symmetry as a diagram: a node for each orbit, an arrow for the steps between two.

A node shows the locations of processes, by label or line, and the variables that differ from the initial state; it omits what
is the same in all states.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from coset.formats.automata import leaves
from coset.formats.automata import merged as together
from coset.formats.dot import Arrow, Diagram, DiagramNode, Part, wrapped
from coset.model.interpreter import Interpreter, Move
from coset.model.model import Edge, Kind, Model, Variable
from coset.model.state import State, process_name
from coset.results.changes import channel_names, table
from coset.results.quotient import Passage, Quotient

WIDTH, LINES = 34, 6
"""The most characters and lines in a node."""
WHOLE = 8
"""The longest array that is shown completely."""
STATEMENT = 60
LABELS = 4
"""The most statements beside an arrow."""
LONG = 100
"""The longest description of a group's structure that is shown."""


def state_graph(quotient: Quotient) -> Diagram:
    """The diagram of a quotient."""
    labels, says = StateLabels(quotient), Statements(quotient)
    nodes = [node(quotient, number, labels) for number in range(len(quotient.orbits))]
    arrows = together(says.arrow(passage) for passage in quotient.passages)
    arrows = tuple(shortened(each) for each in arrows)
    title = quotient.model.name
    marks = {mark for node in nodes for mark in node.marks} | {mark for arrow in arrows for mark in arrow.marks}
    legend = ["standing"] if labels.moving else []
    legend += ["orbit size"] if quotient.represents > len(quotient.orbits) else []
    legend += [name for name in ("end state", "error") if name in marks]
    parts = (Part(title, tuple(nodes), arrows, headline(quotient, says.only)),)
    return Diagram(title, parts, tuple(legend), "states")


def headline(quotient: Quotient, only: str | None) -> str:
    states, orbits, group = quotient.represents, len(quotient.orbits), quotient.symmetry.group
    if group.order == 1:
        found = f"{states:,} states"
    else:
        structure = f": {group.structure}" if len(group.structure) < LONG else ""
        found = f"{states:,} states in {orbits:,} orbits of {group.order:,} symmetries{structure}"
    return f"{found}; steps: {only}" if only else found


def node(quotient: Quotient, number: int, labels: StateLabels) -> DiagramNode:
    orbit = quotient.orbits[number]
    marks = {"start"} if number in quotient.first else set()
    marks |= {"error"} if orbit.problems else {"end state"} if orbit.over else set()
    places, values = lines(labels.places(orbit.state)), lines(labels.values(orbit.state))
    title = places or ("" if values else "as at the start")
    return DiagramNode(str(number), title, values, frozenset(marks), states=orbit.size, problem=lines(orbit.problems))


def lines(rows: Iterable[str]) -> str:
    """Text, truncated to the size of a node."""
    found = [line for row in rows for line in wrapped(row, WIDTH)]
    return "\n".join(found if len(found) <= LINES else [*found[: LINES - 1], "..."])


def shortened(arrow: Arrow) -> Arrow:
    if len(arrow.labels) <= LABELS:
        return arrow
    rest = f"... {len(arrow.labels) - LABELS + 1} more"
    return Arrow(arrow.source, arrow.target, (*arrow.labels[: LABELS - 1], rest), arrow.marks)


# --- states --------------------------------------------------------------------------------------


class StateLabels:
    """Labels of states that distinguish them, without what all states have in common."""

    def __init__(self, quotient: Quotient) -> None:
        self.model: Model = quotient.model
        self.interpreter = Interpreter(self.model)
        self.states = [orbit.state for orbit in quotient.orbits]
        self.usual: dict[str, str] = {}
        """The initial value of each variable: in the first state, or in the first one in which its process exists."""
        for state in self.states:
            for name, value in table(self.interpreter, state).items():
                self.usual.setdefault(name, value)

    @cached_property
    def moving(self) -> list[int]:
        """The kinds with a process whose location changes, or that does not always exist."""
        rows: dict[int, set[tuple[int, ...]]] = defaultdict(set)
        for state in self.states:
            for kind in range(len(self.model.kinds)):
                rows[kind].add(tuple(process.at for process in state.processes if process.kind == kind))
        return [kind for kind, found in rows.items() if len(found) > 1]

    @cached_property
    def names(self) -> list[dict[int, str]]:
        """For each kind, the names of the locations that processes reach; several locations on one line get letters: 25a,
        25b."""
        found = []
        for number, kind in enumerate(self.model.kinds):
            used = sorted({p.at for state in self.states for p in state.processes if p.kind == number})
            names = {at: place(kind, at) for at in used}
            often, seen = Counter(names.values()), Counter[str]()
            for at, name in names.items():
                if often[name] > 1:
                    names[at] = f"{name}{letters(seen[name])}"
                    seen[name] += 1
            found.append(names)
        return found

    def places(self, state: State) -> Iterator[str]:
        """The locations of processes, by kind."""
        for number in self.moving:
            places = [self.names[number][process.at] for process in state.processes if process.kind == number]
            if places:
                name = f"{self.model.kinds[number].name}: " if len(self.moving) > 1 else ""
                yield name + " ".join(places if len(places) <= WHOLE else counted(places))

    def values(self, state: State) -> Iterator[str]:
        """Variables that have changed, and channels that are not empty."""
        values = table(self.interpreter, state)
        for variable in self.model.variables:
            yield from self.assigned(variable.name, variable, [""], values)
        for number, kind in enumerate(self.model.kinds):
            prefixes = [
                f"{process_name(self.model, pid, process)}:"
                for pid, process in enumerate(state.processes)
                if process.kind == number
            ]
            for variable in kind.variables:
                name = f"{kind.name}:{variable.name}" if variable.name in self.ambiguous else variable.name
                yield from self.assigned(name, variable, prefixes, values)
        for name in channel_names(self.model, state):
            if values.get(f"{name}[]"):
                yield f"{name}: {values[f'{name}[]']}"
        if self.model.monitor is not None and state.watch != self.states[0].watch:
            yield f"monitor = {state.watch}"
        if self.model.remembers_mover:
            yield f"_last = {state.mover}"

    @cached_property
    def ambiguous(self) -> set[str]:
        """Names of local variables that occur in several kinds, or as a global variable."""
        rows = (self.model.variables, *(kind.variables for kind in self.model.kinds))
        often = Counter(name for row in rows for name in {variable.name for variable in row})
        return {name for name, count in often.items() if count > 1}

    def assigned(self, name: str, variable: Variable, prefixes: Sequence[str], values: dict[str, str]) -> Iterator[str]:
        """The values of a variable in all processes that have it, if one of them has changed."""
        names = [[prefix + variable.element(k) for k in range(variable.size)] for prefix in prefixes]
        changed = [each for row in names for each in row if values[each] != self.usual[each]]
        if not changed:
            return
        if sum(map(len, names)) > WHOLE:
            yield " ".join(f"{each}={values[each]}" for each in changed)
        else:
            joint = "," if len(names) > 1 else " "
            yield f"{name} = {' '.join(joint.join(values[each] for each in row) for row in names)}"


def place(kind: Kind, number: int) -> str:
    """The location of a process: a label, or a line of the source."""
    location = kind.locations[number]
    if leaves(kind, number):
        return "end"
    span = next((edge.span for edge in location.edges if edge.span is not None), location.span)
    return location.labels[0] if location.labels else f"@{number}" if span is None else str(span.line)


def letters(number: int) -> str:
    """a, b, ..., z, aa, ab, ...

    >>> letters(0), letters(25), letters(26)
    ('a', 'z', 'aa')
    """
    rest, last = divmod(number, 26)
    return (letters(rest - 1) if rest else "") + chr(ord("a") + last)


def counted(places: Sequence[str]) -> list[str]:
    """How many processes are at each location.

    >>> counted(["3", "7", "3"])
    ['2×3', '1×7']
    """
    return [f"{count}×{place}" for place, count in Counter(places).items()]


# --- steps ---------------------------------------------------------------------------------------


class Statements:
    """Labels of steps: statements, and the kind of process that executes them unless there is only one kind."""

    def __init__(self, quotient: Quotient) -> None:
        self.quotient = quotient
        kinds = {kind for passage in quotient.passages for _, _, kind in self.movers(passage)}
        self.only = quotient.model.kinds[kinds.pop()].name if len(kinds) == 1 else None

    def movers(self, passage: Passage) -> Iterator[tuple[Move, Edge, int]]:
        """Each edge that is taken, with the kind of process that takes it."""
        state = self.quotient.orbits[passage.source].state
        for move in passage.moves:
            for pid, edge in ((move.process, move.edge), *([move.partner] if move.partner else [])):
                yield move, edge, state.processes[pid].kind
            state = move.state

    def arrow(self, passage: Passage) -> Arrow:
        failed = any(move.errors for move in passage.moves)
        marks = frozenset({"error"} if failed else ())
        return Arrow(str(passage.source), str(passage.target), (self.text(passage),), marks)

    def text(self, passage: Passage) -> str:
        """The statements of a step.  The two statements of a handshake are separated by a slash."""
        text, last, before = "", None, None
        for move, edge, kind in self.movers(passage):
            joint = "" if before is None else " / " if move is before else "; "
            who = "" if self.only or kind == last else f"{self.quotient.model.kinds[kind].name}: "
            text += joint + who + statement(edge)
            last, before = kind, move
        short = text if len(text) <= STATEMENT else f"{text[: STATEMENT - 4].rstrip()} ..."
        return short.replace("; ", ";\n")


def statement(edge: Edge) -> str:
    text = " ".join(edge.text.split()) or str(edge.guard)
    return "end" if text == "-end-" else text
