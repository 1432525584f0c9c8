"""Kinds of processes that are copies of each other but for a few statements, and where they differ.

    active proctype Account1() { do :: x1 > 0 -> x1 = x1 - 1 :: ... od }
    active proctype Account2() { do :: x2 > 0 -> x2 = x2 - 2 :: ... od }

Equal copies are interchangeable (`methods/program/copies`); of near copies a user expects the same.  Both automata are followed
from their starts, edge by edge, while variables of one are matched with those of the other.  An edge differs if it is not the
same up to this renaming.  Constants that change places (0 with 1, and 1 with 0), and indices, are names as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any

from coset.model import expression as e
from coset.model import model as m
from coset.source.records import dataclass
from coset.source.text import Span

FEWEST = 3
"""Shorter automata look alike by chance."""


@dataclass(frozen=True, slots=True)
class NearCopies:
    """Two kinds, and the places in which they differ: a sentence, and what to look at."""

    names: tuple[str, str]
    why: str
    spans: tuple[Span, ...]


def near_copies(model: m.Model, kinds: Sequence[int], exchanged: frozenset[frozenset[int]]) -> Iterator[NearCopies]:
    """Pairs of kinds that are nearly copies; `kinds` has the kind of each process, `exchanged` the pairs that a symmetry
    exchanges."""
    present = [number for number in dict.fromkeys(kinds) if kinds.count(number)]
    for one, other in combinations(present, 2):
        if kinds.count(one) == kinds.count(other) and frozenset({one, other}) not in exchanged:
            found = Comparison(model.kinds[one], model.kinds[other]).difference()
            if found is not None:
                yield found


class Comparison:
    """Follows two automata at the same time."""

    def __init__(self, one: m.Kind, other: m.Kind) -> None:
        self.kinds = one, other
        self.names: dict[m.Variable, m.Variable] = {}
        self.constants: set[tuple[int, int]] = set()
        """Constants of an edge, and those of the other one in their places."""

    def difference(self) -> NearCopies | None:
        pairs = self.edges()
        if pairs is None or len(pairs) < FEWEST:
            return None
        alike = [self.same_edges(a, b) for a, b in pairs]
        everywhere = frozenset[tuple[int, int]]().union(*(constants for _, constants in alike))
        differing = [
            pair
            for pair, (same, constants) in zip(pairs, alike, strict=True)
            if not same or any((b, a) not in everywhere for a, b in constants)
        ]
        if not differing or 2 * len(differing) >= len(pairs):
            return self.starts() if not differing else None
        spans = [span for pair in differing for edge in pair if (span := edge.span) is not None]
        (a, b), more = differing[0], len(differing) - 1
        why = f"they are copies but for `{text(a)}` and `{text(b)}`"
        if more:
            why += f", and {more} more {'place' if more == 1 else 'places'}"
        return NearCopies((self.kinds[0].name, self.kinds[1].name), why, tuple(dict.fromkeys(spans)))

    def edges(self) -> list[tuple[m.Edge, m.Edge]] | None:
        """The edges of both automata, pair by pair; None if their shapes differ."""
        one, other = self.kinds
        images, pending = {one.start: other.start}, [one.start]
        found = []
        for number in pending:
            left, right = one.locations[number].edges, other.locations[images[number]].edges
            if len(left) != len(right):
                return None
            for a, b in zip(left, right, strict=True):
                found.append((a, b))
                if (a.target == m.GONE) is not (b.target == m.GONE):
                    return None
                if a.target != m.GONE and a.target not in images:
                    images[a.target] = b.target
                    pending.append(a.target)
                elif a.target != m.GONE and images[a.target] != b.target:
                    return None
        return found

    def same_edges(self, one: m.Edge, other: m.Edge) -> tuple[bool, frozenset[tuple[int, int]]]:
        """Whether two edges are the same up to names and constants, and the constants in which they differ."""
        self.constants = set()
        effects = [[x for x in edge.effects if not isinstance(x, m.Print)] for edge in (one, other)]
        same = one.hold is other.hold and self.same(one.guard, other.guard) and self.same(*map(tuple, effects))
        return same, frozenset(self.constants)

    def same(self, one: Any, other: Any) -> bool:
        """Whether two parts of edges are the same up to the names of variables."""
        match one, other:
            case (m.Variable(), m.Variable()):
                alike = one.domain == other.domain and one.shape == other.shape
                return alike and self.names.setdefault(one, other) is other
            case (e.Const(a), e.Const(b)):
                if a != b:
                    self.constants.add((a, b))
                return True
            case (e.Get(), e.Get()) | (e.Place(), e.Place()):
                return self.same(one.variable, other.variable) and all(map(self.same_index, one.indices, other.indices))
            case (tuple(), tuple()):
                return len(one) == len(other) and all(map(self.same, one, other))
            case (e.Expr() | m.Effect() | e.Pattern(), _) if type(one) is type(other):
                parts = [each.name for each in fields(one) if each.compare]
                return all(self.same(getattr(one, part), getattr(other, part)) for part in parts)
        return bool(one == other)

    def same_index(self, one: e.Expr, other: e.Expr) -> bool:
        return (isinstance(one, e.Const) and isinstance(other, e.Const)) or self.same(one, other)

    def starts(self) -> NearCopies | None:
        """What the variables of equal texts start with."""
        for one, other in self.names.items():
            if one is not other and first(one) != first(other):
                spans = tuple(x.span for x in (one, other) if x.span is not None)
                why = f"they are copies, but {one.name} starts as {first(one)}, and {other.name} as {first(other)}"
                return NearCopies((self.kinds[0].name, self.kinds[1].name), why, spans)
        return None


def first(variable: m.Variable) -> Hashable:
    """The initial value of a variable, as far as it is known."""
    if isinstance(variable.initial, m.NewChannel):
        return f"a channel of {variable.initial.type.capacity}"
    values = [x.value for x in variable.initial if isinstance(x, e.Const)] or [0]
    return values[0] if len(set(values)) == 1 else ", ".join(map(str, values))


def text(edge: m.Edge) -> str:
    return edge.text or str(edge.guard)
