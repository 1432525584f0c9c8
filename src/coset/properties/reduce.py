"""Which smaller automaton accepts the same words?

In rounds, until nothing gets smaller:

1. states that are not reached, or cannot reach an accepting cycle, are removed;
2. marks are put into one form: on edges that are on no accepting cycle they mean nothing, and in a component a mark may
   be added to an edge all of whose cycles have it already;
3. states that nothing tells apart, then states that simulate each other, are merged (simulation.py);
4. a state on no cycle is replaced by one that differs from it only in marks, which on no cycle mean nothing.

At last the acceptance sets are counted component by component: a run ends in one component, so each may number its
own.  Steps 1 and 2 and the counting follow T. Babiak, T. Badie, A. Duret-Lutz, M. Křetínský, J. Strejček,
"Compositional approach to suspension and other improvements to LTL translation", SPIN 2013, LNCS 7976, and Somenzi
and Bloem, "Efficient Büchi automata from LTL formulae", CAV 2000, LNCS 1855.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.properties.compact import Arrow, Compact, components
from coset.properties.simulation import merge_equal, merge_similar

VARIANTS = ((False, False), (False, True), (True, False), (True, True))
"""Ways to place marks that mean nothing: `few` on cycles, `full` between components.  Each lets other states merge."""


def reduce(work: Compact, by_state: bool = False) -> Compact:
    """A smaller automaton for the same words.  `by_state`: all edges of a state have the same marks, and will."""
    best = trim(work)
    stable: list[Compact] = []
    while True:
        smaller = best
        for few, full in VARIANTS:
            before = normalise_marks(smaller, by_state, full)
            if few and not by_state:
                before = fewer_marks(before)
            if before not in stable:
                smaller = trim(merge_transient(trim(merge_similar(merge_equal(before)))))
                if smaller.measure() == before.measure():
                    stable.append(before)
        if smaller.measure() >= best.measure():
            break
        best = smaller
    best = normalise_marks(best, by_state)
    return best if by_state else fewer_sets(best)


def trim(work: Compact) -> Compact:
    """Only the states that are reached and can reach an accepting cycle."""
    while True:
        live = live_states(work)
        reached = set(work.initial)
        todo = list(work.initial)
        while todo:
            for arrow in work.rows[todo.pop()]:
                if arrow.target not in reached:
                    reached.add(arrow.target)
                    todo.append(arrow.target)
        keep = [state in reached and live[state] for state in range(len(work.rows))]
        if all(keep):
            return work
        work = work.restrict(keep)


def live_states(work: Compact) -> list[bool]:
    """Of every state, whether it can reach an accepting cycle."""
    component = work.components()
    live = accepting_components(work, component)
    order = sorted(range(len(work.rows)), key=lambda state: component[state])
    for state in order:  # targets come first
        if any(live[component[arrow.target]] for arrow in work.rows[state]):
            live[component[state]] = True
    return [live[component[state]] for state in range(len(work.rows))]


def accepting_components(work: Compact, component: list[int]) -> list[bool]:
    """Of every component, whether it has a cycle, with the marks of all sets on its edges."""
    marks: dict[int, int] = {}
    for state, arrow in inner(work, component):
        marks[component[state]] = marks.get(component[state], 0) | arrow.marks
    return [marks.get(number) == work.full for number in range(max(component, default=-1) + 1)]


def inner(work: Compact, component: list[int]) -> Iterator[tuple[int, Arrow]]:
    """The edges that stay in their component, with their sources."""
    for state, row in enumerate(work.rows):
        for arrow in row:
            if component[arrow.target] == component[state]:
                yield state, arrow


def normalise_marks(work: Compact, by_state: bool = False, full: bool = False) -> Compact:
    """Marks in one form.  On an accepting component as many as possible; in other components none; on the edges between
    components none, or all if `full`: with none they are simulated by more edges, with all they simulate more."""
    component = work.components()
    accepting = accepting_components(work, component)
    cyclic = {component[state] for state, _ in inner(work, component)}
    added = _implied_marks(work, component)
    outside = work.full if full else 0
    rows = []
    for state, row in enumerate(work.rows):
        home = component[state]
        if by_state:
            marks = outside if home not in cyclic else 0
            if accepting[home]:
                marks = work.full
                for arrow in row:
                    if component[arrow.target] == home:
                        marks &= arrow.marks | added.get((state, arrow), 0)
            rows.append([arrow._replace(marks=marks) for arrow in row])
            continue
        new = []
        for arrow in row:
            if component[arrow.target] != home:
                marks = outside
            else:
                marks = arrow.marks | added.get((state, arrow), 0) if accepting[home] else 0
            new.append(arrow._replace(marks=marks))
        rows.append(list(dict.fromkeys(new)))
    return Compact(work.sets, work.initial, rows)


def _implied_marks(work: Compact, component: list[int]) -> dict[tuple[int, Arrow], int]:
    """The marks that every cycle through an edge has somewhere: without the marked edges, the edge is on no cycle."""
    added: dict[tuple[int, Arrow], int] = {}
    for mark in range(work.sets):
        bit = 1 << mark
        unmarked = [(state, arrow) for state, arrow in inner(work, component) if not arrow.marks & bit]
        successors: list[list[int]] = [[] for _ in work.rows]
        for state, arrow in unmarked:
            successors[state].append(arrow.target)
        part = components(successors)
        for state, arrow in unmarked:
            if part[state] != part[arrow.target]:
                added[state, arrow] = added.get((state, arrow), 0) | bit
    return added


def fewer_marks(work: Compact) -> Compact:
    """Marks taken from the edges that enter a state inside its component, state by state, where every cycle through
    these edges has the mark elsewhere."""
    component = work.components()
    rows = [list(row) for row in work.rows]
    edges: list[list[tuple[int, int]]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for i, arrow in enumerate(row):
            if component[arrow.target] == component[state]:
                edges[arrow.target].append((state, i))
    for bit in (1 << mark for mark in range(work.sets)):
        for at in range(len(rows)):
            chosen = [(s, i) for s, i in edges[at] if rows[s][i].marks & bit]
            if not chosen or any(rows[s][i].target == s for s, i in chosen):
                continue
            for s, i in chosen:
                rows[s][i] = rows[s][i]._replace(marks=rows[s][i].marks & ~bit)
            part = components(
                [
                    [a.target for a in row if not a.marks & bit and component[a.target] == component[s]]
                    for s, row in enumerate(rows)
                ]
            )
            if any(part[s] == part[rows[s][i].target] for s, i in chosen):
                for s, i in chosen:
                    rows[s][i] = rows[s][i]._replace(marks=rows[s][i].marks | bit)
    return Compact(work.sets, work.initial, rows)


def merge_transient(work: Compact) -> Compact:
    """A state on no cycle becomes one with the same edges but for their marks, if there is one.  The other cannot
    reach it, or both would be on a cycle, so every run makes the exchange at most once."""
    component = work.components()
    cyclic = {component[state] for state, _ in inner(work, component)}
    plain = [frozenset((arrow.cube, arrow.target) for arrow in row) for row in work.rows]
    first: dict[frozenset[tuple[tuple[int, int], int]], int] = {}
    for state in sorted(range(len(work.rows)), key=lambda state: component[state] not in cyclic):
        first.setdefault(plain[state], state)
    name = [state if component[state] in cyclic else first[plain[state]] for state in range(len(work.rows))]
    return work.renamed(name)


def fewer_sets(work: Compact) -> Compact:
    """As few acceptance sets as the component that needs the most; where fewer are needed, every edge has the marks of
    the others."""
    component = work.components()
    accepting = accepting_components(work, component)
    needed: dict[int, list[int]] = {}
    wanted = 0
    edges: dict[int, list[Arrow]] = {}
    for state, arrow in inner(work, component):
        edges.setdefault(component[state], []).append(arrow)
    for home, arrows in edges.items():
        if accepting[home]:
            needed[home] = needed_sets(arrows, work.sets)
            wanted = max(wanted, len(needed[home]))
        else:
            wanted = max(wanted, 1)  # or its runs would be accepted
    full = (1 << wanted) - 1
    rows = []
    for state, row in enumerate(work.rows):
        new = []
        for arrow in row:
            home = component[state]
            marks = 0
            if component[arrow.target] == home and accepting[home]:
                marks = full
                for number, old in enumerate(needed[home]):
                    if not arrow.marks >> old & 1:
                        marks ^= 1 << number
            new.append(arrow._replace(marks=marks))
        rows.append(list(dict.fromkeys(new)))
    return Compact(wanted, work.initial, rows)


def needed_sets(arrows: list[Arrow], sets: int) -> list[int]:
    """The acceptance sets of a component that do not follow from others: one follows from another if it has all of
    the other's edges, and from nothing if it has all edges.

    >>> needed_sets([Arrow((0, 0), 0b011, 0), Arrow((0, 0), 0b010, 0), Arrow((0, 0), 0b110, 0)], 3)
    [0, 2]
    """
    having = [sum(1 << i for i, arrow in enumerate(arrows) if arrow.marks >> mark & 1) for mark in range(sets)]
    kept = [mark for mark in range(sets) if having[mark] != (1 << len(arrows)) - 1]
    for mark in list(kept):
        if any(other != mark and not having[other] & ~having[mark] for other in kept):
            kept.remove(mark)
    return kept
