"""Which state can do all that another one can?

State q *simulates* p if every edge of p, letter by letter, has an edge of q for it with at least the same marks, to a
state that simulates the target.  Then q accepts every word that p accepts, and moreover a run through p may at any time
be continued from q instead without losing a mark.  Hence

* states that simulate each other are one;
* an edge is dropped when, for each of its letters, another edge of the same state has at least the same marks and leads
  to a state that simulates its target.  An edge with more marks is never dropped for one with fewer.

Direct simulation: D. Dill, A. Hu, H. Wong-Toi, "Checking for language inclusion using simulation preorders", CAV 1991;
Etessami and Holzmann, CONCUR 2000; Somenzi and Bloem, CAV 2000; for marks on edges D. Giannakopoulou and F. Lerda,
"From states to transitions: improving translation of LTL formulae to Büchi automata", FORTE 2002, LNCS 2529.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.properties.compact import Arrow, Compact
from coset.properties.labels import bits, covered, merge

BUDGET = 20_000_000
"""Comparisons of edges beyond which states are only merged when their edges are equal."""


def merge_equal(work: Compact) -> Compact:
    """One state for those that nothing tells apart: the coarsest partition in which states of one class have the
    same edges to classes (bisimulation)."""
    group = [0] * len(work.rows)
    count = 1
    while True:
        names: dict[tuple[int, frozenset[Arrow]], int] = {}
        group = [
            names.setdefault((group[state], frozenset(a._replace(target=group[a.target]) for a in row)), len(names))
            for state, row in enumerate(work.rows)
        ]
        if len(names) == count:
            break
        count = len(names)
    return _quotient(work, group)


def merge_similar(work: Compact) -> Compact:
    """One state for those that simulate each other, without the edges and starts that others make superfluous."""
    states = len(work.rows)
    edges = sum(map(len, work.rows))
    if edges * edges > BUDGET:
        return work
    above = simulation(work)
    group = [min(q for q in bits(above[p]) if above[q] >> p & 1) for p in range(states)]
    rows = [_undominated(row, above) for row in work.rows]
    starts = list(dict.fromkeys(group[state] for state in work.initial))
    starts = [p for p in starts if not any(p != q and above[p] >> q & 1 for q in starts)]
    return _quotient(Compact(work.sets, starts, rows), group)


def simulation(work: Compact) -> list[int]:
    """For every state the set of states that simulate it, itself included.

    >>> go, stop = Arrow((0, 0), 1, 0), Arrow((1, 0), 1, 1)
    >>> simulation(Compact(1, [0], [[go], [stop]]))  # 0 goes on with any letter, 1 only with p
    [1, 3]
    """
    states = len(work.rows)
    above = [(1 << states) - 1] * states
    changed = True
    while changed:
        changed = False
        for p, row in enumerate(work.rows):
            for q in bits(above[p]):
                if p != q and not all(_matched(arrow, work.rows[q], above) for arrow in row):
                    above[p] ^= 1 << q
                    changed = True
    return above


def _matched(arrow: Arrow, row: Sequence[Arrow], above: Sequence[int]) -> bool:
    """Whether the edges of `row` can do what `arrow` does, letter by letter."""
    cube, marks, target = arrow
    at_least = above[target]
    return covered(cube, [other[0] for other in row if not marks & ~other[1] and at_least >> other[2] & 1])


def _undominated(row: list[Arrow], above: Sequence[int]) -> list[Arrow]:
    """The edges of one state without those that the others make superfluous.  Each is compared with those that are
    left, so of two equally good ones one stays."""
    kept = list(row)
    for arrow in sorted(row, key=lambda arrow: (arrow.marks.bit_count(), -above[arrow.target].bit_count())):
        rest = [other for other in kept if other is not arrow]
        if _matched(arrow, rest, above):
            kept = rest
    return kept


def _quotient(work: Compact, group: Sequence[int]) -> Compact:
    """One state per group, with the edges of the member that has the fewest."""
    members: dict[int, int] = {}
    for state, name in enumerate(group):
        if name not in members or len(work.rows[state]) < len(work.rows[members[name]]):
            members[name] = state
    merged = Compact(work.sets, work.initial, work.rows)
    kept = [members[name] == state for state, name in enumerate(group)]
    merged = merged.renamed([members[name] for name in group]) if group else merged
    merged = merged.restrict(kept)
    for row in merged.rows:
        row[:] = merge_labels(row)
    return merged


def merge_labels(row: list[Arrow]) -> list[Arrow]:
    """Fewer edges for the same letters, marks and targets."""
    cubes: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for cube, marks, target in row:
        cubes.setdefault((marks, target), []).append(cube)
    return [Arrow(cube, marks, target) for (marks, target), some in cubes.items() for cube in merge(some)]
