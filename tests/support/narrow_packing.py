"""Random programs whose packed states are too narrow again and again: searches that go on with what others have found decide and
count as those that never end early.

    python -m tests.support.narrow_packing FROM TO      programs with seeds from FROM to below TO
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from coset.engines.explicit import components, estimate
from coset.engines.explicit.components import Coding
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Result, Stop
from coset.source.records import dataclass
from tests.support import products_random, quotient_random, teams_random
from tests.support.seeds import Compared, compare_seeds


@dataclass(slots=True)
class Seen:
    """What searches did: how many ended because a value did not fit, and how many states each of the following took over."""

    ended: int
    taken: list[int]


@contextmanager
def narrow() -> Iterator[Seen]:
    """Estimates of the layout know the initial state only, and components get one bit more when they run out of numbers."""
    seen = Seen(0, [])
    watch = Engine.watch

    def watched(engine: Engine, search: object, result: Result, levels: bool = False) -> None:
        watch(engine, search, result, levels)  # type: ignore[arg-type]
        seen.ended += result.stopped == Stop.OVERFLOW
        if result.taken:
            seen.taken.append(result.taken)

    def needed(coding: Coding, component: int) -> dict[components.Sort, int]:
        return {coding.components.all[component].sort: 2 << coding.bit_fields[component].width}

    with pytest.MonkeyPatch.context() as patching, patch.object(estimate, "later_states", lambda *_: iter(())):
        patching.setattr(components, "MOST_SPARE", 0)
        patching.setattr(estimate, "first_states", lambda interpreter, _: [interpreter.initial()])
        patching.setattr(Coding, "needed", needed)
        patching.setattr(Engine, "watch", watched)
        yield seen


def compare_seed(seed: int) -> Compared:
    """What became of one seed, what went wrong, and how many searches went on."""
    compare = (quotient_random, products_random, teams_random)[seed % 3].compare_seed
    with narrow() as seen:
        counted, problems = compare(seed // 3)
    return counted + Counter(ended=seen.ended, went_on=len(seen.taken), states=sum(seen.taken)), problems


def main(arguments: Sequence[str]) -> int:
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
