"""A closed walk in a fair component that is itself fair, however often it is repeated.

What has to happen is a list of *tasks*: an edge with a mark of the automaton, a state in which a constraint's
condition holds, and, for each thread (streett.py), a step in which it takes part, or, with weak fairness, a state in
which it can begin none. From where the walk is, the shortest way to a task that is left is taken, and in the end the
shortest way back.

In a quotient, once around renumbers the processes. Each of them is some thread at the beginning of the next round,
and every round does the tasks of all threads: so the run is fair.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from coset.engines.streett import Arrow, Component, FairGraph, Threads, Way, followed
from coset.model.fairness import Fairness, ProcessFairness
from coset.source.budget import current_budget

N = TypeVar("N", bound=Hashable)
A = TypeVar("A", bound=Arrow[Hashable])


def fair_walk(graph: FairGraph[N, A], component: set[N], root: N, fairness: Fairness, required: int) -> list[A]:
    """The edges of a closed walk from `root` inside a fair component that takes all required marks and is fair."""
    return Walk(graph, component, root, fairness, required).closed()


class Walk(Generic[N, A]):
    def __init__(self, graph: FairGraph[N, A], nodes: set[N], root: N, fairness: Fairness, required: int) -> None:
        self.graph, self.root, self.fairness = graph, root, fairness
        self.component = Component(graph, nodes, fairness)
        self.here, self.label = root, None  # type: N, Way | None
        self.edges: list[A] = []
        self.marks = required
        self.conditions = self.wanted_conditions()
        self.threads = self.wanted_threads()
        self.is_plain = all(arrow.way is None for node in nodes for arrow in self.component.inner(node))

    def wanted_conditions(self) -> int:
        """What has to hold somewhere, as bits of `FairGraph.holds`."""
        holds = 0
        for node in self.component.nodes:
            holds |= self.graph.holds(node)
        return sum(2 << 2 * k for k in range(len(self.fairness.constraints)) if holds >> 2 * k & 1)

    def wanted_threads(self) -> set[int]:
        """The processes of the root that have something to do."""
        match self.fairness.processes:
            case ProcessFairness.NONE:
                return set()
            case ProcessFairness.WEAK:
                return set(range(self.graph.processes))
        threads = Threads(self.component)
        able = threads.some(threads.able)
        root = threads.labels[self.root]
        return {
            thread if root is None else root[thread]
            for thread in range(self.graph.processes)
            if threads.classes[thread] in able
        }

    # --- what is done ----------------------------------------------------------------------------

    def is_done_by(self, thread: int, node: N, arrow: A, label: Way | None) -> bool:
        number = thread if label is None else label[thread]
        if arrow.movers >> number & 1:
            return True
        return self.fairness.processes is ProcessFairness.WEAK and not self.graph.able(node) >> number & 1

    def does_something(self, node: N, arrow: A, label: Way | None, threads: set[int]) -> bool:
        return bool(
            arrow.marks & self.marks
            or self.graph.holds(node) & self.conditions
            or any(self.is_done_by(thread, node, arrow, label) for thread in threads)
        )

    def go(self, arrow: A) -> None:
        self.marks &= ~arrow.marks
        self.conditions &= ~self.graph.holds(self.here)
        self.threads = {t for t in self.threads if not self.is_done_by(t, self.here, arrow, self.label)}
        self.edges.append(arrow)
        self.label = followed(self.label, arrow.way)
        self.here = arrow.target  # type: ignore[assignment]

    # --- the walk --------------------------------------------------------------------------------

    def closed(self) -> list[A]:
        while self.marks or self.conditions or self.threads:
            # With renumbering, a state is met with many labels: one thread after the other is followed.
            followed_ = self.threads if self.is_plain else set(sorted(self.threads)[:1])
            self.walk(lambda node, arrow, label, f=followed_: self.does_something(node, arrow, label, f), followed_)  # type: ignore[misc]
        if self.here != self.root or not self.edges:
            self.walk(lambda node, arrow, label: arrow.target == self.root, set())
        return self.edges

    def walk(self, is_wanted: Callable[[N, A, Way | None], bool], threads: set[int]) -> None:
        """Go the shortest way by an edge that is wanted.  Where a thread is, is part of where the walk is."""
        budget = current_budget()

        def place(node: N, label: Way | None) -> tuple[object, ...]:
            return (node, *(() if label is None else (label[thread] for thread in sorted(threads))))

        start = place(self.here, self.label)
        before: dict[tuple[object, ...], tuple[tuple[object, ...], A] | None] = {start: None}
        queue = deque([(self.here, self.label)])
        while queue:
            budget.check()
            node, label = queue.popleft()
            for arrow in self.component.inner(node):
                if is_wanted(node, arrow, label):
                    path, at = [arrow], before[place(node, label)]
                    while at is not None:
                        path.append(at[1])
                        at = before[at[0]]
                    for each in reversed(path):
                        self.go(each)
                    return
                target: N = arrow.target  # type: ignore[assignment]
                after = followed(label, arrow.way)
                if place(target, after) not in before:
                    before[place(target, after)] = place(node, label), arrow
                    queue.append((target, after))
        raise AssertionError("a component that is not fair")
