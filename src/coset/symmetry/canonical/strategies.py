"""The strategies by which the representative of an orbit is computed, one description each; `plan` has what they do."""

from __future__ import annotations

from typing import NamedTuple


class Strategy(NamedTuple):
    """`exact`: there is one representative for each orbit, so that all states can be counted.  `offered`: users can choose it;
    else `auto` may, and results name it."""

    name: str
    summary: str
    exact: bool = True
    offered: bool = True


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("auto", "by the structure of the group"),
        Strategy("enumerate", "tries every element of the group"),
        Strategy("sort", "sorts the processes, for products of symmetric groups"),
        Strategy("chain", "minimal image by a stabiliser chain, for any group"),
        Strategy("local", "descends by generators; several representatives per orbit", exact=False),
        Strategy("orbits", "sets of whole orbits, in the symbolic engine", offered=False),
    )
}
