"""Kinds of processes that may be copies of each other under other names, and the sorts that go with them.

    bool flag1, flag2;
    active proctype P1() { do :: !flag2 -> flag1 = 1; flag1 = 0 od }
    active proctype P2() { do :: !flag1 -> flag2 = 1; flag2 = 0 od }

Here a symmetry exchanges the processes, the kinds P1 and P2 with their locations, and the variables.  What variables of
different kinds hold is of different sorts if no value flows from one to the other, so sorts are exchanged as well.

Kinds (and sorts) that look alike at first sight get one *class*.  A class of several members has a vertex for each, to which
everything that belongs to the member has an edge.  An automorphism therefore maps a kind as a whole to a kind, and a sort to a
sort; whether the automata agree is for the graph to show.  Without kinds that look alike every class has one member, and the
graph has no such vertices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.source.records import dataclass
from coset.symmetry.sorts import Sort, Sorts


@dataclass(frozen=True, slots=True)
class Copies:
    """The class of each kind and of each sort: the number of its first member."""

    kinds: tuple[int, ...]
    sorts: dict[int, int]
    several: frozenset[tuple[str, int]]
    """The kinds and sorts, as ("kind", 1), that are not alone in their classes."""

    def kind(self, number: int) -> int:
        return self.kinds[number]

    def sort(self, number: int) -> int:
        return self.sorts.get(number, number)


def find_copies(model: m.Model, counts: Sequence[int], sorts: Sorts, numbered: bool) -> Copies:
    """The classes of kinds and sorts; `counts` has the number of processes of each kind.  If locations are `numbered` in the
    text, the numbers of one kind mean nothing for another one."""
    kinds = tuple(range(len(model.kinds)))
    if not numbered:
        kinds = classes([look_of_kind(kind, n) if n else None for kind, n in zip(model.kinds, counts, strict=True)])
    if kinds == tuple(range(len(model.kinds))):
        return Copies(kinds, {}, frozenset())
    mobile = [sort for sort in sorts.all if sort.mobile and sort.objects != "process"]
    found = classes([look_of_sort(sort) for sort in mobile])
    of_sort = {sort.number: mobile[first].number for sort, first in zip(mobile, found, strict=True)}
    several = {("kind", k) for k in with_others(kinds)} | {("sort", mobile[k].number) for k in with_others(found)}
    return Copies(kinds, of_sort, frozenset(several))


def classes(looks: Sequence[Hashable]) -> tuple[int, ...]:
    """For each of some things the first that looks like it; what looks like None is alone.

    >>> classes(["a", "b", None, "a", None])
    (0, 1, 2, 0, 4)
    """
    first: dict[Hashable, int] = {}
    return tuple(k if look is None else first.setdefault(look, k) for k, look in enumerate(looks))


def with_others(found: Sequence[int]) -> list[int]:
    """What is not alone in its class.

    >>> with_others((0, 1, 2, 0, 4))
    [0, 3]
    """
    size = Counter(found)
    return [k for k, first in enumerate(found) if size[first] > 1]


def look_of_kind(kind: m.Kind, count: int) -> Hashable:
    """What copies have in common at first sight.  With equally many locations and variables of equal sizes, their processes also
    have the same layout in the compiled engine, which exchanges them as a whole."""
    variables = tuple((v.domain.low, v.domain.high, v.shape, v.hidden, channels_of(v)) for v in kind.variables)
    locations = Counter(
        (at.end, at.accept, at.progress, at.transient, frozenset(Counter(map(look_of_edge, at.edges)).items()))
        for at in kind.locations
    )
    return count, kind.provided == e.TRUE, kind.deterministic, variables, frozenset(locations.items())


def channels_of(variable: m.Variable) -> Hashable:
    if not isinstance(variable.initial, m.NewChannel):
        return None
    type_ = variable.initial.type
    return type_.capacity, tuple((domain.low, domain.high) for domain in type_.fields)


def look_of_edge(edge: m.Edge) -> Hashable:
    effects = Counter(type(effect).__name__ for effect in edge.effects if not isinstance(effect, m.Print))
    return edge.target == m.GONE, edge.hold, edge.tier, edge.group != 0, frozenset(effects.items())


def look_of_sort(sort: Sort) -> Hashable:
    """What the sorts of copies have in common: equally many values, and arrays of the same lengths that they index."""
    lengths = sorted({variable.shape[d] for variable, d in sort.dimensions})
    return sort.objects, len(sort.values), tuple(lengths), tuple(sorted(sort.fields))
