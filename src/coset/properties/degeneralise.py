"""How does one acceptance set do the work of several?  How do states do the work of edges?

`degeneralise`: a component with k acceptance sets becomes k *levels*; a run waits at level i for an edge with the mark
i and may climb several levels at once; from the last level it falls back to the first over a marked edge (Gastin and
Oddoux, CAV 2001).  Components that need no more than one set are not multiplied, and entering a component
starts at level 0 (T. Babiak et al., SPIN 2013, LNCS 7976).

`to_state_based`: in a component, a state may be accepting without harm if every cycle through it has a marked edge.
Where such states meet all marked cycles they do the work of the edges, and no state is added; else the target of every
edge on a missed cycle gets an accepting copy.

    >>> from coset.properties.buchi import translate
    >>> from coset.properties.formula import Atom, Logic, Modal
    >>> both = translate(Logic("&&", *(Modal("[]", Modal("<>", Atom(name))) for name in "pq")))
    >>> [(x.states, x.sets) for x in (both, degeneralise(both), to_state_based(both))]
    [(1, 2), (2, 1), (3, 1)]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from coset.properties.automaton import Automaton
from coset.properties.compact import Arrow, Compact, components, pack, unpack
from coset.properties.formula import A
from coset.properties.reduce import accepting_components, fewer_marks, inner, needed_sets, normalise_marks, reduce


def degeneralise(automaton: Automaton[A]) -> Automaton[A]:
    """An automaton for the same words with one acceptance set, marks on edges."""
    return pack(min(single_sets(unpack(automaton)), key=Compact.measure), automaton.atoms)


def to_state_based(automaton: Automaton[A]) -> Automaton[A]:
    """An automaton for the same words with one acceptance set, the mark being on all edges that leave a state or on
    none: `Automaton.accepting` gives those states."""
    work = unpack(automaton)
    if automaton.sets == 1 and automaton.is_state_based():
        found = [work]
    else:
        found = [marked_states(single) for single in single_sets(work)]
    return pack(min((reduce(one, by_state=True) for one in found), key=Compact.measure), automaton.atoms)


def single_sets(work: Compact) -> list[Compact]:
    """Some automata for the same words, each with exactly one acceptance set: which is smallest, also after more
    steps, depends on the order of the levels and on what happens after the last one."""
    work = normalise_marks(work)
    component = work.components()
    accepting = accepting_components(work, component)
    edges: dict[int, list[Arrow]] = {}
    for state, arrow in inner(work, component):
        edges.setdefault(component[state], []).append(arrow)
    order = [needed_sets(edges.get(home, []), work.sets) if yes else [] for home, yes in enumerate(accepting)]
    found = []
    for on in (False, True) if any(len(sets) > 1 for sets in order) else (False,):
        for home, sets in enumerate(order):
            tries = []
            for some in _orders(sets):
                order[home] = list(some)
                tries.append((len(_levels(work, component, accepting, order, on).rows), some))
            order[home] = list(min(tries)[1])
        best = reduce(_levels(work, component, accepting, order, on))
        if best.sets == 0:
            best = Compact(1, best.initial, [[arrow._replace(marks=1) for arrow in row] for row in best.rows])
        found.append(best)
    return found


def _orders(sets: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """The orders of the acceptance sets that are worth a try."""
    if len(sets) > 4:
        return [tuple(sets), tuple(reversed(sets))]
    return permutations(sets)


def _levels(work: Compact, component: list[int], accepting: list[bool], order: list[list[int]], on: bool) -> Compact:
    """States are pairs of a state and a level, numbered as they are found."""
    number: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int]] = []

    def visit(state: int, level: int) -> int:
        pair = (state, level)
        if pair not in number:
            number[pair] = len(found)
            found.append(pair)
        return number[pair]

    initial = [visit(state, 0) for state in work.initial]
    rows: list[list[Arrow]] = []
    for state, level in found:  # which grows
        home = component[state]
        row = []
        for cube, marks, target in work.rows[state]:
            if component[target] != home or not accepting[home]:
                row.append(Arrow(cube, 0, visit(target, 0)))
            else:
                next_level, done = climb(level, marks, order[home], on)
                row.append(Arrow(cube, int(done), visit(target, next_level)))
        rows.append(row)
    return Compact(1, initial, rows)


def climb(level: int, marks: int, order: Sequence[int], on: bool) -> tuple[int, bool]:
    """The level after an edge with these marks, and whether all levels have been passed.  `on`: from the first level
    go on climbing with the same edge.

    >>> climb(0, 0b01, [0, 1], True), climb(1, 0b11, [1, 0], True), climb(1, 0b11, [1, 0], False)
    ((1, False), (1, True), (0, True))
    """
    top = len(order)
    start = level
    while level < top and marks >> order[level] & 1:
        level += 1
    if level < top:
        return level, False
    level = 0
    while on and level < start and marks >> order[level] & 1:
        level += 1
    return level, True


def marked_states(work: Compact) -> Compact:
    """From one acceptance set of edges to one of states."""
    work = normalise_marks(work)
    component = work.components()
    accepting = accepting_components(work, component)
    marked = [accepting[component[state]] for state in range(len(work.rows))]
    for state, arrow in inner(work, component):
        if not arrow.marks:  # as many edges as possible have a mark: this one is on a cycle without any
            marked[state] = False
    work = fewer_marks(work)
    missed: list[list[int]] = [[] for _ in work.rows]
    for state, arrow in inner(work, component):
        if not marked[state] and not marked[arrow.target]:
            missed[state].append(arrow.target)
    part = components(missed)

    def is_missed(state: int, arrow: Arrow) -> bool:
        """Whether a marked edge is on a cycle without marked states."""
        inside = component[state] == component[arrow.target] and part[state] == part[arrow.target]
        return bool(arrow.marks) and inside and not marked[state] and not marked[arrow.target]

    copies: dict[int, int] = {}
    for state, row in enumerate(work.rows):
        for arrow in row:
            if is_missed(state, arrow):
                copies.setdefault(arrow.target, len(work.rows) + len(copies))
    marked += [True] * len(copies)
    rows = []
    for copy, state in enumerate([*range(len(work.rows)), *copies]):
        row = work.rows[state]
        targets = [copies[arrow.target] if is_missed(state, arrow) else arrow.target for arrow in row]
        mark = int(marked[copy])
        rows.append([Arrow(arrow.cube, mark, target) for arrow, target in zip(row, targets, strict=True)])
    return Compact(1, work.initial, rows)
