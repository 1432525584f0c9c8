"""The library of decision diagrams, and what is asked of it.  Another one would need this file again and nothing else.

OxiDD keeps nodes in a store of fixed capacity; memory is only taken for nodes that exist.  What is no longer referenced is
removed when the store is nearly full, between operations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from coset.source.budget import Limits

if TYPE_CHECKING:
    from oxidd.bcdd import BCDDFunction as Diagram
    from oxidd.bcdd import BCDDSubstitution as Renaming
else:
    Diagram = Renaming = object

__all__ = ["Diagram", "Diagrams", "OutOfNodes", "Renaming"]

NODES, CACHE = 1 << 26, 1 << 22
"""Nodes that may exist, and results of operations that are remembered."""
SMALL_CACHE, FOR_VARIABLE = 1 << 16, 1 << 13
"""Results that are remembered at least, and for each variable: a large empty cache takes longer to make than small models do."""
NODE_BYTES, CACHE_BYTES = 32, 24
"""About what one of each takes."""
FULL = 0.7
"""The part of the store in use at which nodes are removed."""
RESTED = 0.02
"""Seconds in which nothing is looked at."""
LIVE_CACHE, LIVE_STRIDE = 1 << 18, 0.05
"""Where only live nodes are counted: results that are remembered, and by how much there must be more nodes, in part."""
T = TypeVar("T")


class OutOfNodes(Exception):
    """The diagrams are larger than the store, or a limit was reached; the message names it."""


class Diagrams:
    """Diagrams over numbered variables; a smaller number is nearer to the root.

    >>> diagrams = Diagrams(2)
    >>> x, y = diagrams.variable(0), diagrams.variable(1)
    >>> diagrams.count(x | y, 2), diagrams.exists_both(x, ~x | y, diagrams.cube([0])) == y
    (3, True)

    The peak includes unreferenced nodes until they are removed.  With `only_live`, for measurements, this is
    done whenever there are a few more nodes, which is slow; the peak is then that of live nodes, between operations.
    """

    only_live = False

    def __init__(self, variables: int, limits: Limits | None = None) -> None:
        from oxidd.bcdd import BCDDManager
        from oxidd.util import BooleanOperator, DDMemoryError

        self.limits = limits or Limits()
        nodes, cache = NODES, min(CACHE, max(SMALL_CACHE, FOR_VARIABLE * variables))
        if (memory := self.limits.memory_limit()) is not None:
            nodes = max(1 << 16, min(nodes, memory // (2 * NODE_BYTES)))
            cache = max(1 << 14, min(cache, memory // (4 * CACHE_BYTES)))
        if self.only_live:
            cache = min(cache, LIVE_CACHE)
        self.capacity, self.variables = nodes, variables
        self.manager = BCDDManager(nodes, cache, 1)
        self.manager.add_vars(variables)
        self.true, self.false = self.manager.true(), self.manager.false()
        self._peak, self._live, self._rested = 0, 0, 0.0
        self._made, self._seen = 0, 0
        self._and, self._full = BooleanOperator.AND, DDMemoryError

    def variable(self, number: int) -> Diagram:
        return self.manager.var(number)

    def cube(self, variables: Iterable[int]) -> Diagram:
        """The conjunction of variables: how a set of them is given to a quantifier."""
        result = self.true
        for number in sorted(variables, reverse=True):
            result = self.manager.var(number) & result
        return result

    def exists_both(self, one: Diagram, other: Diagram, cube: Diagram) -> Diagram:
        """Where some values of the quantified variables are in both: the relational product."""
        return self.attempt(lambda: one.apply_exists(self._and, other, cube))

    def renaming(self, pairs: Sequence[tuple[int, int]]) -> Renaming:
        """That variables are to be replaced by others."""
        from oxidd.bcdd import BCDDSubstitution

        return BCDDSubstitution((old, self.manager.var(new)) for old, new in pairs)

    def replacing(self, pairs: Sequence[tuple[int, Diagram]]) -> Renaming:
        """That variables are to be replaced by what may depend on several."""
        from oxidd.bcdd import BCDDSubstitution

        return BCDDSubstitution(pairs)

    def renamed(self, one: Diagram, renaming: Renaming) -> Diagram:
        return self.attempt(lambda: one.substitute(renaming))

    def union(self, parts: Iterable[Diagram]) -> Diagram:
        """The disjunction, in a balanced way."""
        row = list(parts)
        while len(row) > 1:
            row = [row[k] | row[k + 1] if k + 1 < len(row) else row[k] for k in range(0, len(row), 2)]
        return row[0] if row else self.false

    def count(self, one: Diagram, variables: int) -> int:
        """In how many ways it can be true, if it depends on so many variables only."""
        return int(one.sat_count(self.variables)) >> (self.variables - variables)

    def attempt(self, operation: Callable[[], T]) -> T:
        """The result of an operation, after nodes were removed if there was no room for it."""
        try:
            return operation()
        except self._full:
            self.clean()
        try:
            return operation()
        except self._full:
            raise OutOfNodes(f"{self.capacity} nodes of decision diagrams") from None

    @property
    def peak(self) -> int:
        """The peak number of nodes, including unreferenced ones unless `only_live`."""
        return self._peak if self.only_live else max(self._peak, self.manager.approx_num_inner_nodes())

    @peak.setter
    def peak(self, nodes: int) -> None:
        self._peak = nodes

    def clean(self) -> None:
        """Remove unreferenced nodes."""
        self._peak = self.peak
        self.manager.gc()

    def look_at_nodes(self, most: int) -> None:
        """Add up the nodes that were made, whether they are still there or not: a measure of work that is the same everywhere."""
        now = self.manager.approx_num_inner_nodes()
        self._made, self._seen = self._made + max(0, now - self._seen), now
        if self._made > most:
            raise OutOfNodes(f"{most:,} nodes of decision diagrams that were made")

    def rest(self) -> None:
        """Between operations, as often as one likes: keep some room, look at the limits."""
        if self.only_live and self.manager.approx_num_inner_nodes() > (1 + LIVE_STRIDE) * self._live:
            self.manager.gc()
            self._live = self.manager.num_inner_nodes()
            self._peak = max(self._peak, self._live)
        if self.limits.nodes is not None:
            self.look_at_nodes(self.limits.nodes)
        now = time.monotonic()
        if now - self._rested < RESTED:
            return
        self._rested = now
        if self.manager.approx_num_inner_nodes() > FULL * self.capacity:
            self.clean()
        stopped = Limits(None, self.limits.seconds, self.limits.memory, self.limits.began).exceeded(0)
        if stopped is not None:
            raise OutOfNodes(stopped)
