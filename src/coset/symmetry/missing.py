"""Remote references that may not find a process.

`P[i]:x` reads 0 if process i is no P, or is no more.  That 0 is written nowhere in the text, and where x holds ids it names
a process like any other value.  So it is one of the values of its sort, and it is named in the graph, which keeps it where
it is; unless the reference always finds a process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import edge_expressions
from coset.model.analysis.ranges import Ranges, find_ranges
from coset.model.effects import MOST_PROCESSES
from coset.model.interpreter import Interpreter
from coset.symmetry.sorts import Sorts
from coset.symmetry.startup import StartedStates


class Missing:
    """Knows which processes a remote reference may mean, as far as sorts and bounds tell."""

    def __init__(self, interpreter: Interpreter, started: StartedStates, sorts: Sorts) -> None:
        self.interpreter, self.model, self.started, self.sorts = interpreter, interpreter.model, started, sorts

    @cached_property
    def ranges(self) -> Ranges:
        return find_ranges(self.model)

    @cached_property
    def readers(self) -> dict[e.Expr, set[str]]:
        """The kinds of processes that evaluate each remote reference; "" for what looks on from outside."""
        found: dict[e.Expr, set[str]] = {}
        for kind in self.model.kinds:
            for whole in (kind.provided, *(x for _, edge in kind.edges() for x in edge_expressions(edge))):
                for x in whole.walk():
                    if isinstance(x, e.Remote):
                        found.setdefault(x, set()).add(kind.name)
        return found

    def may_miss(self, x: e.Remote) -> bool:
        """Whether there may be no process of the kind where a reference looks for one."""
        meant = self.meant(x)
        return meant is None or not meant or not all(self.is_always(x.kind, number) for number in meant)

    def is_always(self, kind: str, number: int) -> bool:
        """Whether this process is there, of this kind, for ever."""
        processes = self.started.state.processes
        if not 0 <= number < len(processes) or self.model.kinds[processes[number].kind].name != kind:
            return False
        locations = self.model.kinds[processes[number].kind].locations
        return not any(
            edge.target == m.GONE for spot in self.started.locations[number] for edge in locations[spot].edges
        )

    def meant(self, x: e.Remote) -> Collection[int] | None:
        """The numbers that a reference may be asked with; None if they are not known."""
        if x.process is None:
            return list(self.of_kind(x.kind))[:1]
        if isinstance(x.process, e.Self):
            readers = self.readers.get(x)
            return None if readers is None else [n for kind in readers for n in self.of_kind(kind)]
        low, high = self.ranges.interval(x.process)
        sort = self.sorts.of(x.process)
        if sort is not None and sort.mobile:
            return [value for value in sort.values if low <= value <= high]
        return range(low, high + 1) if 0 <= low <= high <= MOST_PROCESSES else None

    def of_kind(self, kind: str) -> Iterator[int]:
        number = self.interpreter.kind_number[kind]
        return (n for n, process in enumerate(self.started.state.processes) if process.kind == number)
