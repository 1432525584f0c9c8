"""Who owns the states: a table from partitions to processes.

The hash of a state tells its partition.  If processes come or go, only partitions move.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.explicit.seam import PARTITIONS

Owners = list[int]


def shared_out(processes: Sequence[int], before: Owners | None = None, partitions: int = PARTITIONS) -> Owners:
    """A table in which each process has as many partitions as any other, give or take one.  Those of processes that were there
    `before` stay where they are, as far as possible.

    >>> shared_out([0, 1], partitions=5)
    [0, 1, 0, 1, 0]
    >>> shared_out([0, 2], [0, 1, 0, 1, 0], partitions=5)
    [0, 2, 0, 2, 0]
    >>> shared_out([0, 1, 2], [0, 1, 0, 1, 0], partitions=5)
    [0, 1, 0, 1, 2]
    """
    share, rest = divmod(partitions, len(processes))
    kept = [-1 if before is None else before[p] for p in range(partitions)]
    has = dict.fromkeys(processes, 0)
    for partition, owner in enumerate(kept):
        if owner in has and has[owner] < share + (list(has).index(owner) < rest):
            has[owner] += 1
        else:
            kept[partition] = -1
    for partition, owner in enumerate(kept):
        if owner < 0:
            least = min(processes, key=lambda each: has[each])
            kept[partition] = least
            has[least] += 1
    return kept
