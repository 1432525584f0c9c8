"""How a symmetry acts: on objects first, and from there on variables, values, locations and states.

A symmetry is kept as a permutation of *points*: process ids and channels (values of their sorts), values of other sorts,
global variables, local variables of a kind, and locations of a kind.  Its action on a state follows:

    a process p at location l         becomes process g(p) at g(l), of the kind that has g(l)
    an element x[i] with value v      becomes the element g(x)[g(i)] with value g(v)
    a channel c with message (v, w)   becomes channel g(c) with message (g(v), g(w))

where each value is moved as the values of its sort are.  This file is the only definition of the action: detection,
certification, representatives, traces and drawings all use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

from coset.model import model as m
from coset.model.evaluate import flat
from coset.model.interpreter import Interpreter
from coset.model.state import Channel, Process, State, offsets
from coset.source.records import dataclass
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.sorts import Sort, Sorts
from coset.symmetry.startup import StartedStates


class Point(NamedTuple):
    """What a symmetry permutes.  `what` is "value" (of sort number `number`), "global" (variable `item`), "local"
    (variable `item` of kind `number`) or "location" (`item` of kind `number`)."""

    what: str
    number: int
    item: int


Table = Mapping[int, int]
IDENTITY: Table = {}
MOST_IMAGES = 10_000


@dataclass(frozen=True)
class Points:
    """The points of a model, in the order in which permutations number them, with the model that they are from."""

    interpreter: Interpreter
    started: StartedStates
    sorts: Sorts
    points: tuple[Point, ...]

    def names(self) -> list[str]:
        """What the points are called: processes by number, channels and variables by name."""
        return self._names

    @cached_property
    def _names(self) -> list[str]:
        return [self.name(point) for point in self.points]

    @cached_property
    def known(self) -> frozenset[Point]:
        return frozenset(self.points)

    def show(self, permutation: Permutation) -> str:
        """A permutation in cycle notation, as it moves what the user has a name for.  Locations are left out, and so are
        variables that only hold a channel, as the channel is there already, and what goes along with its kind or its variable.
        """
        names, held = self.names(), set(self.channel_names().values())
        shown = []
        for what in ("value", "global", "local"):
            for cycle in permutation.cycles():
                first = self.points[cycle[0]]
                if (
                    first.what == what
                    and not self.goes_along(cycle)
                    and not (what != "value" and names[cycle[0]] in held)
                ):
                    shown.append((self.rank(first), "(" + " ".join(names[k] for k in cycle) + ")"))
        return "".join(text for _, text in sorted(shown, key=lambda pair: pair[0])) or "()"

    def goes_along(self, cycle: Sequence[int]) -> bool:
        """Whether a cycle leads from kind to kind, or from sort to sort with each value left as it is."""
        first, *others = (self.points[k] for k in cycle)
        if all(other.number == first.number for other in others):
            return False
        return first.what == "local" or all(other.item == first.item for other in others)

    def rank(self, point: Point) -> int:
        """Processes are named first, then channels, then the rest."""
        if point.what != "value":
            return 3
        return {"process": 0, "channel": 1}.get(self.sort(point.number).objects, 2)

    def name(self, point: Point) -> str:
        model = self.interpreter.model
        match point.what:
            case "global":
                return model.variables[point.item].name
            case "local":
                kind = model.kinds[point.number]
                return f"{kind.name}:{kind.variables[point.item].name}"
            case "location":
                return f"{model.kinds[point.number].name}@{point.item}"
        sort = self.sort(point.number)
        if sort.objects == "process":
            return (model.processes[point.item].name if 0 <= point.item < len(model.processes) else "") or str(
                point.item
            )
        if sort.objects == "channel":
            return self.channel_names().get(point.item, f"channel {point.item}")
        named = next((v.elements for v, _ in sort.dimensions if v.elements and len(v.shape) == 1), ())
        if 0 <= point.item < len(named):
            return named[point.item]
        label = next((cell.domain.show(point.item) for cell in sort.cells), str(point.item))
        return f"{sort.name}={label}" if label.lstrip("-").isdigit() else label

    def sort(self, number: int) -> Sort:
        return self._sorts[number]

    @cached_property
    def _sorts(self) -> dict[int, Sort]:
        return {sort.number: sort for sort in self.sorts.all}

    def is_channel(self, number: int) -> bool:
        return 1 <= number <= len(self.started.state.channels)

    def arity(self, channel: int) -> int:
        """The number of fields of a channel's messages."""
        return len(self.interpreter.channel_types[self.started.state.channels[channel - 1].type].fields)

    def channel_names(self) -> dict[int, str]:
        """Channels by the variables that they were declared with."""
        return self._channel_names

    @cached_property
    def _channel_names(self) -> dict[int, str]:
        model, state = self.interpreter.model, self.started.state
        names, number = {}, 0
        rows = [("", model.variables)]
        rows += [
            (f"{model.kinds[p.kind].name}({n}).", model.kinds[p.kind].variables) for n, p in enumerate(state.processes)
        ]
        for owner, variables in rows:
            for variable in variables:
                if isinstance(variable.initial, m.NewChannel):
                    for k in range(variable.size):
                        number += 1
                        names[number] = owner + variable.element(k)
        return names


class Action:
    """One symmetry, made ready to be applied to states from the started one on.

    `process`, `channel`, `kind` and `location` say where these go; `value` how values of a sort do.
    """

    def __init__(self, points: Points, permutation: Permutation) -> None:
        self.points, self.permutation = points, permutation
        tables: dict[tuple[str, int], dict[int, int]] = {}
        self.numbers: dict[tuple[str, int], int] = {}
        """The sort that the values of a sort go to, and the kind that the locations and variables of a kind go to, where
        these are others: ("location", 0) to 1."""
        for k in permutation.support():
            source, target = points.points[k], points.points[permutation(k)]
            tables.setdefault((source.what, source.number), {})[source.item] = target.item
            if source.number != target.number:
                self.numbers[source.what, source.number] = target.number
        self.tables = tables
        model, sorts = points.interpreter.model, points.sorts
        self.process = self.value(sorts.process)
        self.channel: dict[int, int] = {}
        for sort in sorts.all:
            if sort.objects == "channel":
                self.channel.update(self.value(sort))
        self.location = [tables.get(("location", k), IDENTITY) for k in range(len(model.kinds))]
        self.kind = [self.numbers.get(("location", k), k) for k in range(len(model.kinds))]
        self.shared = self.row(model.variables, "global", 0, model.variables)
        self.own = [
            self.row(kind.variables, "local", k, model.kinds[self.kind[k]].variables)
            for k, kind in enumerate(model.kinds)
        ]
        self.changed_shared, self.changed_own = changed(self.shared), [changed(row) for row in self.own]
        self.messages = {
            number: [self.value(sort.fields[k]) if k in sort.fields else IDENTITY for k in range(points.arity(number))]
            for sort in sorts.all
            if sort.objects == "channel"
            for number in sort.values
            if points.is_channel(number)
        }
        self.images: dict[Process, Process] = {}
        """What becomes of processes, as computed before: many states have most of their processes in common."""

    def __str__(self) -> str:
        return self.points.show(self.permutation)

    def value(self, sort: Sort) -> Table:
        """Where the values of a sort go; those that are not in the table stay."""
        return self.tables.get(("value", sort.leader.number), IDENTITY)

    def row(
        self, variables: tuple[m.Variable, ...], what: str, number: int, targets: tuple[m.Variable, ...]
    ) -> list[tuple[int, Table]]:
        """For each element in the flat layout of a row of variables: its new place, among the `targets`, and where its values go.
        A variable that no point stands for is mentioned nowhere, and keeps what it has."""
        images = self.tables.get((what, number), IDENTITY)
        start, mentioned = offsets(targets), self.points.known
        found: list[tuple[int, Table]] = []
        for item, variable in enumerate(variables):
            if Point(what, number, item) not in mentioned:
                found += [(start[targets[item]] + k, IDENTITY) for k in range(variable.size)]
                continue
            target = targets[images.get(item, item)]
            moves = self.value(self.points.sorts.of_variable[variable])
            indices = [self.value(self.points.sorts.index(variable, d)) for d in range(len(variable.shape))]
            for position in product(*map(range, variable.shape)):
                moved = [table.get(i, i) for i, table in zip(position, indices, strict=True)]
                found.append((start[target] + flat(moved, variable.shape), moves))
        return found

    def acts_on(self, state: State) -> bool:
        """Whether the state is one from the started one on."""
        return self.points.started.includes(state)

    def __call__(self, state: State) -> State:
        """The state after the symmetry.  States before the started one are left alone."""
        if not self.acts_on(state):
            return state
        processes: list[Process | None] = [None] * len(state.processes)
        images = self.images
        if len(images) > MOST_IMAGES:
            images.clear()
        for number, old in enumerate(state.processes):
            new = images.get(old)
            if new is None:
                at, values = (
                    self.location[old.kind].get(old.at, old.at),
                    moved_row(self.changed_own[old.kind], old.values),
                )
                new = images[old] = Process(self.kind[old.kind], at, values, old.priority)
            processes[self.process.get(number, number)] = new
        channels: list[Channel | None] = [None] * len(state.channels)
        for number, held in enumerate(state.channels, 1):
            if not held.messages and number not in self.channel:
                channels[number - 1] = held
                continue
            fields = self.messages.get(number, ())
            messages = tuple(
                tuple(table.get(v, v) for table, v in zip(fields, message, strict=False)) if fields else message
                for message in held.messages
            )
            target = self.channel.get(number, number) - 1
            channels[target] = Channel(state.channels[target].type, messages)
        mover = self.process.get(state.mover, state.mover) if self.points.interpreter.model.remembers_mover else 0
        return State(
            moved_row(self.changed_shared, state.values),
            tuple(channel for channel in channels if channel is not None),
            tuple(process for process in processes if process is not None),
            state.watch,
            mover,
        )


Changes = list[tuple[int, int, Table]]
"""The elements of a row that are moved, or whose values are: place, new place, and where the values go."""


def changed(row: list[tuple[int, Table]]) -> Changes:
    return [(place, target, table) for place, (target, table) in enumerate(row) if target != place or table]


def moved_row(changes: Changes, values: Sequence[int]) -> tuple[int, ...]:
    result = list(values)
    for place, target, table in changes:
        value = values[place]
        result[target] = table.get(value, value)
    return tuple(result)
