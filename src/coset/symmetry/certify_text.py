"""Whether a symmetry leaves the text of a model as it is: alpha(P) = P (Section 3.2 and 5.2 of the paper).

A symmetry renames: literals of a sort, channels, variables, locations.  The renamed text and the text itself are
brought to a *normal form*, in which the order of options, of operands that commute and of effects that do not depend
on each other is gone, and are compared.  Arithmetic on values that a symmetry may move is compared by its table.
`run` statements are looked at by what they made: each started state must be mapped to a started state, so that the
arguments of process alpha(i) are alpha of the arguments of process i.

This works for every `Action`, from any method, and shares no graph with `program`: a second certificate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions
from coset.source.records import dataclass
from coset.source.text import Span
from coset.symmetry.action import Action, Point, Points
from coset.symmetry.certify import NotASymmetry
from coset.symmetry.conditions import conditions
from coset.symmetry.normal_form import Normal, Vocabulary
from coset.symmetry.order import is_decided


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not as before after a renaming."""

    why: str
    span: Span | None = None

    def __str__(self) -> str:
        return self.why if self.span is None else f"{self.why} (line {self.span.line})"


@dataclass(frozen=True, slots=True)
class Step:
    """An edge of an automaton in normal form, where it leads, and the points that it mentions."""

    edge: m.Edge
    place: Hashable
    label: Hashable
    mentions: frozenset[Point]


class Text:
    """The text of a model and of the properties to be kept, in normal form."""

    def __init__(self, points: Points, properties: Iterable[m.Property]) -> None:
        self.points, self.model = points, points.interpreter.model
        self.kept = tuple(properties)
        self.known = frozenset(points.points)
        self.vocabulary = Vocabulary(points)
        self.normal = Normal(self.vocabulary, {})
        expressions = (*process_expressions(self.model), *property_expressions(self.model))
        self.numbered = any(isinstance(part, e.Position) for x in expressions for part in x.walk())
        """Whether the model refers to numbers of locations, which then cannot move."""
        self.spots = self.visited()
        self.steps = {spot: self.read_location(*spot) for spot in self.spots}
        self.provided = [self.read_step(m.Edge(0, kind.provided), 0) for kind in self.model.kinds]
        self.fixed = list(self.read_fixed())

    def visited(self) -> list[tuple[int, int]]:
        """The locations, with their kinds, that processes can come to."""
        started = self.points.started
        pairs = zip(started.state.processes, started.locations, strict=True)
        return sorted({(process.kind, spot) for process, spots in pairs for spot in spots})

    def read_location(self, kind: int, spot: int) -> list[Step]:
        location = self.model.kinds[kind].locations[spot]
        ordered = is_ordered(location)
        return [
            self.read_step(edge, ("option", position if ordered[position] else None))
            for position, edge in enumerate(location.edges)
        ]

    def read_step(self, edge: m.Edge, place: Hashable) -> Step:
        self.normal.mentions.clear()
        label = self.normal.edge(edge)
        return Step(edge, place, label, frozenset(self.normal.mentions))

    def read_fixed(self) -> Iterator[tuple[str, Step]]:
        """What must stay where it is: conditions of properties and of the monitor."""
        watching = [(f"claim {p.name}", p.automaton) for p in self.kept if isinstance(p, m.Claim)]
        if self.model.monitor is not None:
            watching.append(("the monitor", self.model.monitor.automaton))
        for name, automaton in watching:
            for _, edge in automaton.edges():
                yield name, self.read_step(edge, 0)
        for property_ in self.kept:
            if not isinstance(property_, m.Claim):
                for condition in conditions(property_.formula):
                    yield f"property {property_.name}", self.read_step(m.Edge(0, condition, span=property_.span), 0)

    # --- renaming --------------------------------------------------------------------------------

    def renamed(self, step: Step, renaming: Normal) -> Hashable:
        """The normal form of a step after a renaming; most steps mention nothing that moves."""
        return step.label if step.mentions.isdisjoint(renaming.moved) else renaming.edge(step.edge)

    def difference(self, action: Action) -> Difference | None:
        """The first difference that a symmetry makes, or None: then it is one."""
        return next(self.differences(action), None)

    def differences(self, action: Action) -> Iterator[Difference]:
        yield from self.torn(action)
        yield from self.unlike(action)
        if not self.points.started.is_kept_by(self.model, action):
            yield Difference("the processes do not begin alike")
        renaming = Normal(self.vocabulary, action.tables, numbers=action.numbers)
        for what, step in self.fixed:
            if self.renamed(step, renaming) != step.label:
                yield Difference(f"{what} is not the same: '{step.edge.guard}'", step.edge.span)
        for kind, image in enumerate(action.kind):
            if self.renamed(self.provided[kind], renaming) != self.provided[image].label:
                yield Difference(f"what {self.model.kinds[kind].name} is provided with is not the same")
        for kind, spot in self.spots:
            yield from self.different_options(kind, spot, action, renaming)

    def different_options(self, kind: int, spot: int, action: Action, renaming: Normal) -> Iterator[Difference]:
        """The options at a location that, renamed, are no options at its image."""
        places, other = action.location[kind], action.kind[kind]
        image = places.get(spot, spot)
        if flags(self.model.kinds[kind].locations[spot]) != flags(self.model.kinds[other].locations[image]):
            yield Difference("a location has other labels", self.model.kinds[kind].locations[spot].span)
        there = Counter((step.place, step.label, step.edge.target) for step in self.steps[other, image])
        for step in self.steps[kind, spot]:
            target = places.get(step.edge.target, step.edge.target)
            key = (step.place, self.renamed(step, renaming), target)
            if not there[key]:
                yield Difference(f"'{shown(step.edge)}' has no counterpart", step.edge.span)
            there[key] -= 1
        if len(self.steps[kind, spot]) != len(self.steps[other, image]):
            yield Difference("locations differ in the number of their options")

    # --- what may take the place of what -----------------------------------------------------------

    def torn(self, action: Action) -> Iterator[Difference]:
        """Kinds and sorts that do not go to others as a whole."""
        for k, source in enumerate(self.points.points):
            target = self.points.points[action.permutation(k)]
            if target.number != action.numbers.get((source.what, source.number), source.number):
                yield Difference(f"{self.points.name(source)} does not go where others of its kind or sort go")
        processes = self.points.started.state.processes
        for number, process in enumerate(processes):
            if processes[action.process.get(number, number)].kind != action.kind[process.kind]:
                yield Difference(f"process {number} does not go where its kind goes")
        for kind, image in enumerate(action.kind):
            if self.model.kinds[kind].variables and action.numbers.get(("local", kind), kind) != image:
                yield Difference(f"the variables of {self.model.kinds[kind].name} do not go where its locations go")
        if action.kind != [*range(len(action.kind))] and self.numbered:
            yield Difference("the numbers of locations mean something else in another kind")

    def unlike(self, action: Action) -> Iterator[Difference]:
        """Points that are exchanged though they are different at first sight."""
        for (what, number), table in action.tables.items():
            for source, target in table.items():
                one = Point(what, number, source)
                other = Point(what, action.numbers.get((what, number), number), target)
                if one not in self.known or other not in self.known:
                    yield Difference(f"a {what} that nothing may be exchanged with")
                elif self.nature(one, action) != self.nature(other, None):
                    yield Difference(f"{self.points.name(one)} and {self.points.name(other)} are not alike")

    def nature(self, point: Point, action: Action | None) -> Hashable:
        """What points that are exchanged have in common; of the first one after the symmetry has renamed sorts and kinds."""
        what, number, item = point

        def image(what: str, number: int) -> int:
            return number if action is None else action.numbers.get((what, number), number)

        state, sorts = self.points.started.state, self.points.sorts
        if what == "location":
            return item if self.numbered else None
        if what in ("global", "local"):
            variables = self.model.variables if what == "global" else self.model.kinds[number].variables
            variable = variables[item]
            used = [sorts.of_variable[variable].leader, *(sorts.index(variable, d) for d in range(len(variable.shape)))]
            holds_references = used[0].mobile and bool(used[0].objects)
            is_free = what == "global" or holds_references or sum(p.kind == number for p in state.processes) == 1
            return (
                variable.domain.low, variable.domain.high, variable.shape, variable.hidden,
                tuple(image("value", sort.number) if sort.mobile else None for sort in used), None if is_free else item,
            )  # fmt: skip
        sort = self.points.sort(number)
        inside = frozenset((variable.shape[d], 0 <= item < variable.shape[d]) for variable, d in sort.dimensions)
        if sort.objects == "process":
            if not 0 <= item < len(state.processes):
                return "no process", item
            process = state.processes[item]
            return image("location", process.kind), process.priority, item if self.may_end(item) else None, inside
        if sort.objects == "channel":
            if not self.points.is_channel(item):
                return "no channel", item
            type_ = self.points.interpreter.channel_types[state.channels[item - 1].type]
            return type_.capacity, tuple((d.low, d.high) for d in type_.fields), inside
        return inside

    def may_end(self, process: int) -> bool:
        """Processes end in the order of their numbers, the youngest first: who may end keeps its number."""
        kind = self.points.started.state.processes[process].kind
        spots = self.points.started.locations[process]
        return any(step.edge.target == m.GONE for spot in spots for step in self.steps[kind, spot])


def certify_text(actions: Sequence[Action], properties: Iterable[m.Property] = ()) -> None:
    """Compare the text of a model with what each symmetry makes of it.  Raises `NotASymmetry`."""
    if actions:
        text = Text(actions[0].points, properties)
        for action in actions:
            difference = text.difference(action)
            if difference is not None:
                raise NotASymmetry(f"{action} changes the text: {difference}")


def flags(location: m.Location) -> Hashable:
    return location.end, location.accept, location.progress, location.transient


def is_ordered(location: m.Location) -> list[bool]:
    """For each option whether it matters that it comes before others: in a deterministic choice, and where `else` is not
    the last option, as it waits only for those before it."""
    early = location.edges[:-1]
    waits = any(isinstance(part, e.Otherwise) for edge in early for part in edge.guard.walk())
    tried = location.transient and not is_decided(location)
    return [
        tried or edge.group != 0 or (waits and position < len(early)) for position, edge in enumerate(location.edges)
    ]


def shown(edge: m.Edge) -> str:
    return " ".join(edge.text.split()) or str(edge.guard)
