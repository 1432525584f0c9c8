"""From a permutation of a diagram to a symmetry of the model: what else has to move with processes and channels.

A permutation of processes and channels says where their names go, in all that is declared as `pid` or found to hold ids.
With them go the channels that a process has created for itself, the variables that channels were declared with or given to,
the indices of an array whose elements are exchanged, and the locations: an option that names channel 1 leads elsewhere than
one that names channel 2.  All but the locations follow at once; locations are matched by the text that leaves them (colour
refinement; where it does not decide, one pair is fixed and the refinement goes on).  The result is only a proposal:
`text` decides whether it is a symmetry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator

from coset.model import model as m
from coset.model.domain import Refers
from coset.model.state import offsets
from coset.source.records import dataclass
from coset.symmetry.action import IDENTITY, Action, Point, Points
from coset.symmetry.certify_text import Step, Text, flags
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.channels.diagram import CHANNEL, PROCESS, ChannelDiagram
from coset.symmetry.normal_form import Normal, Tables

MOST_TRIES = 1000
"""Pairs of locations that are fixed by trial before a permutation is given up."""


@dataclass(frozen=True, slots=True)
class Extended:
    """A symmetry of the model that acts on the diagram as wanted; `unique` if it is the only one."""

    action: Action
    unique: bool


class Conflict(Exception):
    """Something would have to go to two places."""


class Extension:
    """Extends permutations of one diagram."""

    def __init__(self, diagram: ChannelDiagram, text: Text) -> None:
        self.diagram, self.text, self.points = diagram, text, text.points
        self.place = {point: k for k, point in enumerate(self.points.points)}
        self.owners = channel_owners(self.points)
        self.options = Options(text)

    def __call__(self, alpha: Permutation) -> Extended | None:
        """The symmetry that a permutation of the diagram stands for, or None if there is none."""
        try:
            tables = self.tables(alpha)
        except Conflict:
            return None
        after = self.options.renamed(tables)
        if after is None:
            return None
        matching = Matching(self.text, self.options.labels, after)
        located = matching.find()
        if located is None:
            return None
        for (kind, spot), image in located.items():
            if spot != image:
                tables.setdefault(("location", kind), {})[spot] = image
        images = list(range(len(self.place)))
        for (what, number), table in tables.items():
            for source, target in table.items():
                one, other = self.place.get(Point(what, number, source)), self.place.get(Point(what, number, target))
                if one is None or other is None:
                    return None
                images[one] = other
        if len(set(images)) < len(images):
            return None
        action = Action(self.points, Permutation(images))
        return Extended(action, matching.unique) if self.text.difference(action) is None else None

    # --- what follows at once ----------------------------------------------------------------------

    def tables(self, alpha: Permutation) -> dict[tuple[str, int], dict[int, int]]:
        """Where values and variables go."""
        found: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        processes, channels = {}, {}
        for k in alpha.support():
            node, image = self.diagram.nodes[k], self.diagram.nodes[alpha(k)]
            if node.what == PROCESS:
                processes[node.number] = image.number
            elif node.what == CHANNEL:
                channels[node.number] = image.number
            else:
                self.move_element(found, (node.number, node.element or 0), (image.number, image.element or 0))
        self.own_channels(processes, channels)
        sorts = self.points.sorts
        for sort in sorts.all:
            if sort.objects == "process" or any(cell.domain.refers is Refers.PROCESS for cell in sort.cells):
                for source, target in processes.items():
                    if source in sort.values or target in sort.values:
                        put(found, ("value", sort.number), source, target)
        for source, target in channels.items():
            for sort in sorts.all:
                if sort.objects == "channel" and source in sort.values:
                    put(found, ("value", sort.number), source, target)
            if source in self.owners and self.owners[source][0] is None:
                self.move_element(found, self.owners[source][1:], self.owners[target][1:])
        self.move_holders(found, processes, channels)
        return {key: {k: v for k, v in table.items() if k != v} for key, table in found.items()}

    def move_holders(
        self, found: dict[tuple[str, int], dict[int, int]], processes: dict[int, int], channels: dict[int, int]
    ) -> None:
        """The variables in which all processes of a kind were started with channels go where the images of these are."""
        sorts, state = self.points.sorts, self.points.started.state
        for number, kind in enumerate(self.text.model.kinds):
            members = [(n, process) for n, process in enumerate(state.processes) if process.kind == number]
            start = offsets(kind.variables)
            held = {
                item: {n: process.values[start[variable]] for n, process in members}
                for item, variable in enumerate(kind.variables)
                if Point("local", number, item) in self.place
                and not variable.shape
                and sorts.of_variable[variable].leader.objects == "channel"
            }
            for item, values in held.items():
                image = {processes.get(n, n): channels.get(value, value) for n, value in values.items()}
                if image != values and (target := next((k for k in held if held[k] == image), None)) is not None:
                    put(found, ("local", number), item, target)

    def own_channels(self, processes: dict[int, int], channels: dict[int, int]) -> None:
        """What processes have created for themselves goes with them."""
        number_of = {owner: number for number, owner in self.owners.items()}
        for number, (process, variable, element) in self.owners.items():
            if process in processes:
                channels[number] = number_of[processes[process], variable, element]

    def move_element(
        self, found: dict[tuple[str, int], dict[int, int]], source: tuple[int, int], target: tuple[int, int]
    ) -> None:
        """An element of a global variable becomes another: so does the variable, and so does the index."""
        variables = self.points.interpreter.model.variables
        if Point("global", 0, source[0]) in self.place:
            put(found, ("global", 0), source[0], target[0])
        if len(variables[source[0]].shape) == 1:
            sort = self.points.sorts.index(variables[source[0]], 0)
            put(found, ("value", sort.number), source[1], target[1])


def put(found: dict[tuple[str, int], dict[int, int]], key: tuple[str, int], source: int, target: int) -> None:
    if found[key].setdefault(source, target) != target:
        raise Conflict


def channel_owners(points: Points) -> dict[int, tuple[int | None, int, int]]:
    """For each channel the process that created it (None: it is static), the variable and the element."""
    model = points.interpreter.model
    rows: list[tuple[int | None, tuple[m.Variable, ...]]] = [(None, model.variables)]
    rows += [(n, model.kinds[process.kind].variables) for n, process in enumerate(points.started.state.processes)]
    created = (
        (owner, k, element)
        for owner, variables in rows
        for k, variable in enumerate(variables)
        if isinstance(variable.initial, m.NewChannel)
        for element in range(variable.size)
    )
    return dict(enumerate(created, 1))


# --- locations -------------------------------------------------------------------------------------

Spot = tuple[int, int]
Colours = dict[tuple[bool, Spot], int]
"""Colours of locations before (False) and after (True) the renaming."""


class Options:
    """The options of all locations, numbered such that equal numbers are equal texts, before any renaming."""

    def __init__(self, text: Text) -> None:
        self.text = text
        normal = Normal(text.vocabulary, {}, blind=True)
        self.names: dict[Hashable, int] = {}
        self.labels = {
            spot: [
                self.names.setdefault((spot[0], step.place, normal.edge(step.edge)), len(self.names)) for step in steps
            ]
            for spot, steps in text.steps.items()
        }
        self.rows = {tuple(sorted(row)) for row in self.labels.values()}
        self.mentions = {spot: [sorted(step.mentions) for step in steps] for spot, steps in text.steps.items()}
        self.cache: dict[Hashable, int | None] = {}

    def renamed(self, tables: Tables) -> dict[Spot, list[int]] | None:
        """The numbers after a renaming; None as soon as a location has options that none had before."""
        normal, found = Normal(self.text.vocabulary, tables, blind=True), dict(self.labels)
        for spot, steps in self.text.steps.items():
            row = list(self.labels[spot])
            for k, step in enumerate(steps):
                if not step.mentions.isdisjoint(normal.moved):
                    label = self.label(normal, step, self.mentions[spot][k], spot)
                    if label is None:
                        return None
                    row[k] = label
            if row != self.labels[spot]:
                if tuple(sorted(row)) not in self.rows:
                    return None
                found[spot] = row
        return found

    def label(self, normal: Normal, step: Step, mentions: list[Point], spot: Spot) -> int | None:
        """The number of a renamed option, which depends only on where go the points that it mentions."""
        images = tuple(normal.tables.get((p.what, p.number), IDENTITY).get(p.item, p.item) for p in mentions)
        key = (id(step), images)
        if key not in self.cache:
            self.cache[key] = self.names.get((spot[0], step.place, normal.edge(step.edge)))
        return self.cache[key]


class Matching:
    """Finds a map of locations under which the renamed options are the options."""

    def __init__(self, text: Text, before: dict[Spot, list[int]], after: dict[Spot, list[int]]) -> None:
        self.text, self.tries, self.unique = text, 0, True
        self.edges: dict[tuple[bool, Spot], list[tuple[int, Spot]]] = {}
        self.entries: dict[tuple[bool, Spot], list[tuple[int, Spot]]] = defaultdict(list)
        for renamed, labels in ((False, before), (True, after)):
            for spot, steps in text.steps.items():
                targets = [(spot[0], step.edge.target) for step in steps]
                self.edges[renamed, spot] = list(zip(labels[spot], targets, strict=True))
                for label, target in self.edges[renamed, spot]:
                    self.entries[renamed, target].append((label, spot))

    def find(self) -> dict[Spot, int] | None:
        """The image of each location, the same location if that is possible."""
        names: dict[Hashable, int] = {}
        model, colours = self.text.model, {}
        for key in self.edges:
            kind, spot = key[1]
            colours[key] = names.setdefault((kind, flags(model.kinds[kind].locations[spot])), len(names))
        return self.search(colours)

    def search(self, colours: Colours) -> dict[Spot, int] | None:
        finest = self.refine(colours)
        if finest is None:
            return None
        colours = finest
        classes: dict[int, tuple[list[Spot], list[Spot]]] = defaultdict(lambda: ([], []))
        for (renamed, spot), colour in colours.items():
            classes[colour][renamed].append(spot)
        open_ = [pair for pair in classes.values() if len(pair[0]) > 1]
        if not open_:
            return {after[0]: before[0][1] for before, after in classes.values()}
        self.unique = False
        before, after = min(open_, key=lambda pair: len(pair[0]))
        chosen, fresh = after[0], max(colours.values()) + 1
        for candidate in sorted(before, key=lambda spot: spot != chosen):
            self.tries += 1
            if self.tries > MOST_TRIES:
                return None
            found = self.search({**colours, (True, chosen): fresh, (False, candidate): fresh})
            if found is not None:
                return found
        return None

    def refine(self, colours: Colours) -> Colours | None:
        """Tell locations apart by where their options lead, and where they are reached from, until nothing changes; None if
        there are not as many of each colour before and after the renaming."""
        count = len(set(colours.values()))
        while True:
            names: dict[Hashable, int] = {}
            finer = {key: names.setdefault(self.seen_from(key, colours), len(names)) for key in self.edges}
            sides = (Counter(colour for key, colour in finer.items() if key[0] is side) for side in (False, True))
            if next(sides) != next(sides):
                return None
            if len(names) == count:
                return finer
            colours, count = finer, len(names)

    def seen_from(self, key: tuple[bool, Spot], colours: Colours) -> Hashable:
        out, in_ = self.neighbours(self.edges, key, colours), self.neighbours(self.entries, key, colours)
        return colours[key], frozenset(Counter(out).items()), frozenset(Counter(in_).items())

    def neighbours(
        self, table: dict[tuple[bool, Spot], list[tuple[int, Spot]]], key: tuple[bool, Spot], colours: Colours
    ) -> Iterator[tuple[int, int]]:
        for label, spot in table.get(key, ()):
            yield label, colours.get((key[0], spot), -1)
