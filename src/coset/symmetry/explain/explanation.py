"""What breaks the symmetry that the user may have expected, with source lines.

Processes of one kind run one text, so one expects that they can be permuted at will.  Where they cannot, something
tells them apart: a *suspect* (`suspects`).  Ignoring all suspects gives the group that is hoped for.  Then suspects are let in
again, as many as do no harm; those that stay out are to blame.  Suspects that the hoped-for group exchanges with each other
(`dest == 1`, ..., `dest == 5`) are let in together: one of them alone would do harm that all of them do not.

What is to blame is then split into *reasons*: smallest sets without which the group is larger, with its order then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from math import factorial

from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.source.budget import current_budget
from coset.source.records import dataclass
from coset.source.text import Span
from coset.symmetry.action import Point
from coset.symmetry.explain.late_starts import observations
from coset.symmetry.explain.suspects import (
    NOWHERE,
    Suspect,
    Suspicious,
    Where,
    computation,
    counter,
    head,
    is_loop,
    pin,
)
from coset.symmetry.groups.automorphisms import Automorphisms, automorphisms
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.sort_inference import infer
from coset.symmetry.sorts import Sorts
from coset.symmetry.startup import MANY_WAYS, StartedStates, UnknownProcesses, startup
from coset.symmetry.values import find_values

WORK = 400_000
"""Vertices of the graphs that are made for an explanation: some seconds.  A count and not a time, so that a busy machine
gives the same explanation."""
HURRY = 0.4
"""The share of the work that may be spent on a better explanation than the first one."""

GATHERED = ("literal", "name")
"""Suspects about which one sentence is enough, however many there are."""

MOST_SINGLES, MOST_PAIRS = 12, 8
"""So many suspects are tried alone, and the pairs of so many."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The group of a model without some suspects."""

    group: Group
    """On all processes; the i-th point is process i."""
    kinds: tuple[int, ...]
    """The kind of each process."""
    met: tuple[Suspect, ...]
    """The suspects that are still there."""
    variables: tuple[tuple[str, ...], ...]
    """Global variables, those together that can be exchanged."""

    def of_kind(self, kind: int) -> list[int]:
        return [process for process, other in enumerate(self.kinds) if other == kind]

    def order_on(self, kind: int) -> int:
        return self.group.order_on(self.of_kind(kind))

    def orbits(self, kind: int) -> list[tuple[int, ...]]:
        members = set(self.of_kind(kind))
        return [orbit for orbit in self.group.orbits if orbit[0] in members]

    def is_full(self, kind: int) -> bool:
        return self.order_on(kind) == factorial(len(self.of_kind(kind)))


Goal = Callable[[Measured], bool]


@dataclass(frozen=True, slots=True)
class Reason:
    """A smallest set of suspects that together tell processes of one kind apart."""

    kind: str
    between: tuple[int, ...]
    """Processes that could be exchanged, were it not for the suspects: one of each orbit, or all if there is one orbit."""
    groups: tuple[tuple[int, ...], ...]
    """The orbits of which `between` are members."""
    suspects: tuple[Suspect, ...]
    variables: tuple[tuple[str, ...], ...]
    """Global variables, those together that can be exchanged as things are."""
    gain: int | None
    """The order of the group without them; None if it cannot be told."""
    alone: bool = True
    """Whether they have to go alone, and not together with those of all reasons before."""


@dataclass(frozen=True, slots=True)
class Explanation:
    reasons: tuple[Reason, ...]
    complete: bool = True
    """Whether there was time to find the smallest sets."""
    interpreter: Interpreter | None = None
    started: StartedStates | None = None


def explain(
    model: m.Model,
    properties: Sequence[m.Property] | None = None,
    order: int = 1,
    work: int = WORK,
    free: frozenset[m.Variable] = frozenset(),
) -> Explanation:
    """Why processes of one kind are not interchangeable.  `order` is that of the model's group as it is, `free` are variables
    whose initial values it may change."""
    return explained(model, properties, order, work, None, free)


def explain_permutation(
    model: m.Model, properties: Sequence[m.Property] | None, moves: Mapping[int, int], work: int = WORK
) -> Explanation:
    """Why processes cannot be permuted as `moves` says."""
    return explained(model, properties, 1, work, moves)


def explained(
    model: m.Model,
    properties: Sequence[m.Property] | None,
    order: int,
    work: int,
    moves: Mapping[int, int] | None,
    free: frozenset[m.Variable] = frozenset(),
) -> Explanation:
    kept = model.properties if properties is None else tuple(properties)
    interpreter = Interpreter(replace(model, properties=kept))
    started = startup(interpreter, closed=True)
    if isinstance(started, UnknownProcesses):
        suspect = Suspect("beginning", started.why, started.why, started.span)
        noticed = () if started.why == MANY_WAYS else observations(interpreter.model)
        return Explanation((Reason("", (), (), (suspect, *noticed), (), None),))
    started = replace(started, free=free)
    inquiry = Inquiry(interpreter, started, kept, order, work)
    reasons = tuple(inquiry.reasons() if moves is None else inquiry.objections(moves))
    return Explanation(reasons, not inquiry.is_late(), interpreter, started)


class Inquiry:
    """Measures the group of one model without various suspects."""

    def __init__(
        self, interpreter: Interpreter, started: StartedStates, properties: Sequence[m.Property], order: int, most: int
    ) -> None:
        self.interpreter, self.started, self.properties = interpreter, started, properties
        self.order, self.most, self.done = order, most, 0
        self.known: dict[frozenset[Suspect], Measured] = {}
        self.general = tuple(self.obstacles())
        self.places = {
            edge.span: Where(kind.name, edge.span, edge.text)
            for kind in interpreter.model.kinds
            for _, edge in kind.edges()
        }

    def is_late(self) -> bool:
        current_budget().demand()
        return self.done > self.most

    def obstacles(self) -> Iterable[Suspect]:
        """What stands against symmetry as a whole."""
        strict = startup(self.interpreter)
        if isinstance(strict, UnknownProcesses):
            yield Suspect("beginning", strict.why, strict.why, strict.span)
        hidden = next((variable for variable in self.interpreter.model.variables if variable.hidden), None)
        if hidden is not None:
            yield Suspect("hidden", hidden, hidden.name, hidden.span)

    # --- measuring -------------------------------------------------------------------------------

    def measure(self, ignored: frozenset[Suspect]) -> Measured:
        """The group without some suspects, on the processes."""
        if ignored not in self.known:
            self.known[ignored] = self.measured(ignored)
        return self.known[ignored]

    def measured(self, ignored: frozenset[Suspect]) -> Measured:
        kinds = tuple(process.kind for process in self.started.state.processes)
        builder, computations = self.graph(ignored)
        against = [suspect for suspect in self.general if suspect not in ignored]
        met = tuple(dict.fromkeys([*against, *builder.met, *computations]))
        process = builder.sorts.process.leader.number
        vertices = [builder.points.get(Point("value", process, number)) for number in range(len(kinds))]
        found = automorphisms(builder.graph)
        if against or None in vertices:
            group = Group(len(kinds))
        else:
            place = {vertex: number for number, vertex in enumerate(vertices)}
            group = Group(len(kinds), [g.on(vertices, place) for g in found.generators])  # type: ignore[arg-type]
        return Measured(group, kinds, met, tuple(variables(builder, found)))

    def graph(self, ignored: frozenset[Suspect]) -> tuple[Suspicious, list[Suspect]]:
        """The graph without some suspects, and those that it does not show."""
        sorts, computations = self.sorts(ignored)
        builder = Suspicious(self.interpreter, self.started, sorts, ignored)
        builder.build(self.properties)
        self.done += len(builder.graph.colours)
        return builder, computations

    def sorts(self, ignored: frozenset[Suspect]) -> tuple[Sorts, list[Suspect]]:
        """The sorts without the computations and pins that are ignored, and those that are not."""
        sorts = infer(self.interpreter, self.started)
        met = []
        for sort in sorts.all:
            if sort.pinned is not None and (sort.objects or sort.dimensions):
                if pin(sort) in ignored:
                    sort.pinned = sort.pinned_at = None
                else:
                    met.append(pin(sort))
        kept = []
        for each in sorts.arithmetic:
            concerned = [each.target, *map(sorts.of, each.leaves)]
            about = [sort.leader for sort in concerned if sort is not None]
            objects = next((sort.objects for sort in about if sort.objects), "")
            suspect = computation(each.span, each.whole, objects, self.places.get(each.span, NOWHERE))
            if suspect not in ignored:
                kept.append(each)
                if any(sort.objects or sort.dimensions for sort in about):
                    met.append(suspect)
        sorts.arithmetic[:] = kept
        find_values(self.interpreter, self.started, sorts)
        return sorts, met

    def all_suspects(self) -> frozenset[Suspect]:
        """Ignoring some may bring others to light."""
        ignored = frozenset[Suspect]()
        while more := frozenset(self.measure(ignored).met) - ignored:
            ignored |= more
        return ignored

    def without(self, families_: Iterable[frozenset[Suspect]]) -> Measured:
        return self.measure(frozenset[Suspect]().union(*families_))

    # --- blaming ---------------------------------------------------------------------------------

    def reasons(self) -> Iterable[Reason]:
        actual = self.measure(frozenset())
        apart = [k for k in dict.fromkeys(actual.kinds) if len(actual.of_kind(k)) > 1 and not actual.is_full(k)]
        if apart:
            together = self.families()
            hoped = self.without(together)
            for kind in apart:
                blamed = self.plainest(together, self.gives(kind, hoped.order_on(kind)))
                if blamed is not None:
                    yield from self.split(kind, blamed, actual)

    def gives(self, kind: int, order: int) -> Goal:
        return lambda found: found.order_on(kind) == order

    def objections(self, moves: Mapping[int, int]) -> Iterable[Reason]:
        """What stands against one permutation of the processes."""
        actual, together = self.measure(frozenset()), self.families()
        wanted = Permutation([moves.get(number, number) for number in range(len(actual.kinds))])
        if wanted in self.without(together).group:
            blamed = self.plainest(together, lambda found: wanted in found.group)
            if blamed is not None:
                yield self.reason(actual.kinds[next(iter(moves))], blamed, actual, self.without(blamed))

    def families(self) -> list[frozenset[Suspect]]:
        """All suspects, those together that must be let in together."""
        suspects = self.all_suspects()
        builder, _ = self.graph(suspects)
        return sorted(families(builder, automorphisms(builder.graph), suspects), key=rank)

    def plainest(self, together: list[frozenset[Suspect]], goal: Goal) -> list[frozenset[Suspect]] | None:
        """What to blame, such that there is little to say.  Better than what processes got at the start, blame what is done
        with it, if that does not take longer to tell, or if what they got is only a number of their own."""
        for family in islice(reversed(together), MOST_SINGLES):
            if not is_wiring(family) and goal(self.without([family])):
                return [family]
        ordered = sorted(together, key=lambda family: not is_wiring(family))
        used = self.blamed(ordered, goal, self.done + round(HURRY * max(0, self.most - self.done)))
        any_ = self.blamed(together, goal, self.most)
        if used is None or any_ is None:
            return used or any_
        if any(map(is_numbering, any_)) and not any(map(is_wiring, used)):
            return used
        return used if sentences(used) <= sentences(any_) else any_

    def blamed(self, out: list[frozenset[Suspect]], goal: Goal, until: int) -> list[frozenset[Suspect]] | None:
        """Of all families of suspects, some without which the goal is reached; none of them can be spared.  None if there
        is no time to find them."""
        before = len(out) + 1
        while len(out) < before:  # what does no harm may depend on what else is let in
            before = len(out)
            out = self.spared(out, goal, until)
            if self.done > until:
                return None
        return out

    def spared(self, out: list[frozenset[Suspect]], goal: Goal, until: int) -> list[frozenset[Suspect]]:
        """Let in again what does no harm, in halves as long as that works."""
        tried = 0
        while tried < len(out) and self.done <= until:
            size = max(1, (len(out) - tried) // 2)
            while size:
                fewer = out[:tried] + out[tried + size :]
                if goal(self.without(fewer)):
                    out = fewer
                    break
                size //= 2
            else:
                tried += 1
        return out

    def split(self, kind: int, blamed: list[frozenset[Suspect]], actual: Measured) -> Iterable[Reason]:
        """The smallest sets of families that help by themselves, and what is left.  To help is to make processes
        alike that were not, or to give all that is hoped for."""
        orbits, left = len(actual.orbits(kind)), list(blamed)
        wanted = self.without(blamed).order_on(kind)
        for size in (1, 2):
            if len(left) <= size or (size == 2 and len(left) > MOST_PAIRS):
                break
            for chosen in combinations(list(left), size):
                if all(family in left for family in chosen) and not self.is_late():
                    without = self.without(chosen)
                    if len(without.orbits(kind)) < orbits or without.order_on(kind) == wanted:
                        yield self.reason(kind, chosen, actual, without)
                        if without.order_on(kind) == wanted:
                            return
                        left = [family for family in left if family not in chosen]
        if left:
            yield replace(self.reason(kind, left, actual, self.without(blamed)), alone=len(left) == len(blamed))

    def reason(self, kind: int, families_: Sequence[frozenset[Suspect]], actual: Measured, without: Measured) -> Reason:
        name = self.interpreter.model.kinds[kind].name
        suspects = sorted((s for family in families_ for s in family), key=by_place)
        groups = merged_orbits(actual.orbits(kind), without.orbits(kind))
        between = tuple(orbit[0] for orbit in groups) if len(groups) > 1 else tuple(actual.of_kind(kind))
        gain = self.order * without.group.order // actual.group.order
        return Reason(name, between, tuple(groups), tuple(suspects), actual.variables, gain)


def merged_orbits(before: list[tuple[int, ...]], after: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The orbits that have become part of a larger one.

    >>> merged_orbits([(1, 2), (3,), (4,)], [(1, 2, 3), (4,)])
    [(1, 2), (3,)]
    """
    return [orbit for orbit in before if any(set(orbit) < set(larger) for larger in after)]


def families(builder: Suspicious, found: Automorphisms, ignored: frozenset[Suspect]) -> Iterable[frozenset[Suspect]]:
    """Ignored suspects: together are those whose ghosts some automorphism exchanges, the names in one statement, one
    computation wherever it is made, and all parts of loops that count alike."""
    parent: dict[object, object] = {}

    def root(x: object) -> object:
        while parent.setdefault(x, x) != x:
            parent[x] = x = parent[parent[x]]
        return x

    for suspect in filter(is_loop, ignored):
        parent[root(suspect)] = root(("loop", suspect.owner, head(suspect)))
        parent[root(("loop", suspect.owner, head(suspect)))] = root(("counter", *counter(suspect)))
    counters = {counter(suspect) for suspect in ignored if is_loop(suspect)}
    for suspect in ignored:
        if suspect.what in ("name", "start") and (suspect.owner, suspect.thing) in counters:
            parent[root(suspect)] = root(("counter", suspect.owner, suspect.thing))
    for suspect, ghosts in builder.ghosts.items():
        if suspect.what == "name":
            parent[root(suspect)] = root((suspect.owner, suspect.span))
        if suspect.what == "computation":
            parent[root(suspect)] = root((suspect.owner, suspect.thing))
        for ghost in ghosts:
            parent[root(ghost)] = root(suspect)
            for g in found.generators:
                parent[root(g(ghost))] = root(ghost)
    sets: dict[object, list[Suspect]] = {}
    for suspect in ignored:
        sets.setdefault(root(suspect), []).append(suspect)
    return map(frozenset, sets.values())


def variables(builder: Suspicious, found: Automorphisms) -> Iterable[tuple[str, ...]]:
    """The names of global variables, orbit by orbit."""
    points = {point.item: vertex for point, vertex in builder.points.items() if point.what == "global"}
    items, place = sorted(points), {points[item]: k for k, item in enumerate(sorted(points))}
    group = Group(len(items), [g.on([points[item] for item in items], place) for g in found.generators])
    for orbit in group.orbits:
        yield tuple(builder.model.variables[items[k]].name for k in orbit)


PREFERENCE = ("sequence", "name", "start", "literal", "oldest", "computation", "priority", "pinned", "end")


def rank(family: frozenset[Suspect]) -> tuple[int, int, tuple[str, int]]:
    """The order in which suspects are let in again: those first that are less often to blame."""
    first = min(family, key=by_place)
    what = PREFERENCE.index(first.what) if first.what in PREFERENCE else len(PREFERENCE)
    return -len(family), what, by_place(first)


def is_wiring(family: frozenset[Suspect]) -> bool:
    return all(suspect.is_wiring for suspect in family)


def is_numbering(family: frozenset[Suspect]) -> bool:
    return all(suspect.is_number for suspect in family)


def sentences(blamed: list[frozenset[Suspect]]) -> int:
    """About how many sentences it takes to tell what is to blame."""
    suspects = [suspect for family in blamed for suspect in family]
    loops = {(each.owner, head(each)) for each in suspects if is_loop(each)}
    others = [each for each in suspects if not is_loop(each)]
    return len(loops) + len({(s.what, s.owner, "" if s.what in GATHERED else s.thing) for s in others})


def by_place(suspect: Suspect) -> tuple[str, int]:
    span: Span | None = suspect.span
    return ("", 0) if span is None else (span.file, span.start)
