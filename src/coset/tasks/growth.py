"""How many states there are, from the sizes of the first levels of a breadth-first search.

Levels grow, ever more slowly, and then shrink (R. Pelanek, "Typical structural properties of state spaces", SPIN 2004).  From the
ratios of the last levels two curves are extrapolated:

    below   the logarithm of the ratio falls along a line, so that sizes follow a bell: mostly too few states
    above   it falls more slowly the longer the search, as for sizes k^a e^(-b k): mostly too many

Neither is a bound.  What has been seen is one, so that the lower estimate never exceeds twice that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from coset.results.plan import Range

BELOW, ABOVE = (4, 6, 10), (4, 6)
"""How many of the last ratios are looked at."""
FEWEST = 6
"""With fewer levels than this there is no upper estimate."""
MOST = 1e18
"""More states than this are none that can be told apart from an endless growth."""


def estimated_states(sizes: Sequence[int]) -> Range:
    """An estimate from the sizes of complete levels.

    >>> levels = [math.comb(24, k) for k in range(25)]
    >>> found = estimated_states(levels[:10])
    >>> found.has(2**24), found.low >= sum(levels[:10])
    (True, True)
    >>> estimated_states([1, 2, 4, 8, 16, 32, 64]).high is None
    True
    """
    seen = sum(sizes)
    if len(sizes) < FEWEST or min(sizes) < 1:
        return Range(seen, None)
    below = [extrapolated(sizes, window, float) for window in BELOW]
    above = [extrapolated(sizes, window, lambda k: -math.log((k + 1) / k)) for window in ABOVE]
    low = max(seen, min([2.0 * seen, *(each for each in below if each is not None)]))
    known = [each for each in above if each is not None]
    high = max(known) if len(known) == len(above) else None
    return Range(low, None if high is None else max(high, low))


def extrapolated(sizes: Sequence[int], window: int, curve: Callable[[int], float]) -> float | None:
    """The sum of all levels, if the logarithm of the ratio of two is a linear function of a curve that rises; None if the
    levels do not come to an end then."""
    last = len(sizes) - 1
    points = [(curve(k), math.log(sizes[k + 1] / sizes[k])) for k in range(max(1, last - window), last)]
    if len(points) < 2:
        return None
    middle, height = (sum(each) / len(points) for each in zip(*points))
    slope = sum((x - middle) * (y - height) for x, y in points) / sum((x - middle) ** 2 for x, _ in points)
    size, total, k = float(sizes[-1]), float(sum(sizes)), last
    while size >= 1:
        following = size * math.exp(min(50.0, height + slope * (curve(k) - middle)))
        size, total, k = following, total + following, k + 1
        if total > MOST or k > 1000 * len(sizes):
            return None
    return total
