"""Models for the symbolic engine."""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.symbolic.diagrams import Diagrams
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.order import static_order
from coset.model.sequential import SequentialModel
from tests.support.ids_random import generate as ids
from tests.support.promela_random import generate
from tests.support.spin_claims import plain
from tests.support.symmetric_random import generate as symmetric
from tests.support.symmetric_random import varied


def program(seed: int) -> str:
    """A random program; of every kind that there is, as many of the wildest have no sequential form."""
    return (symmetric, varied, ids, wild)[seed % 4](seed)


def wild(seed: int) -> str:
    return plain(generate(seed))


def encoded(model: SequentialModel, order: Sequence[int] | None = None) -> Encoding:
    """All values of all domains."""
    values = [tuple(range(v.domain.low, v.domain.high + 1)) for v, _ in model.elements]
    order = static_order(model) if order is None else order
    return Encoding(model, values, order, Diagrams(2 * sum((len(row) - 1).bit_length() for row in values)))
