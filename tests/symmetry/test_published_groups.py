"""The orders of groups that are published, from models written as the papers write them (`tests/support/published.py`)."""

from __future__ import annotations

from math import factorial

import pytest

import coset
from coset.symmetry.methods.hypergraph import detect_hypergraph
from coset.symmetry.methods.program.detect import detect
from tests.support import published
from tests.support.unreduced import compared

ORDERS = {
    **{f"Peterson {n}": (published.peterson(n), factorial(n)) for n in range(3, 13)},
    **{f"token ring {n}": (published.token_ring(n), n) for n in (3, 5, 10)},
    **{f"hypercube {d}": (published.hypercube(d), 2**d * factorial(d)) for d in (2, 3, 4, 5)},
    "load balancer": (published.load_balancer((3, 3), 3), 432),
    "load balancer, four servers": (published.load_balancer((2, 2, 2), 4), 2**3 * 6 * 24),
    "allocator 4-4": (published.allocator((4, 4)), 576),
    "allocator 2-2-3": (published.allocator((2, 2, 3)), 24),
    "allocator 3-3-4": (published.allocator((3, 3, 4)), 864),
    "three-tiered 3-3-2": (published.three_tiered((3, 3, 2)), 144),
    "three-tiered 3-3-3": (published.three_tiered((3, 3, 3)), 1_296),
    "three-tiered 4-4-3": (published.three_tiered((4, 4, 3)), 6_912),
    "three-tiered 4-4-4": (published.three_tiered((4, 4, 4)), 82_944),
    "three-tiered 5-5-5-5": (published.three_tiered((5, 5, 5, 5)), 4_976_640_000),
    **{f"telephone {n}": (published.telephone(n), factorial(n)) for n in (3, 4, 5)},
    "email": (published.email(5, blocked=False), 120),
    "email, a blocked client": (published.email(5, blocked=True), 24),
}


@pytest.mark.parametrize("name", ORDERS)
def test_orders(name: str) -> None:
    text, order = ORDERS[name]
    model = coset.parse_text(text)
    found = detect(model)
    assert found.order == order
    assert detect_hypergraph(model, moves=0).group == found.group


SMALL = {
    "Peterson": published.peterson(3), "token ring": published.token_ring(4), "hypercube": published.hypercube(2),
    "load balancer": published.load_balancer((2, 1), 2), "allocator": published.allocator((2, 2)),
    "three-tiered": published.three_tiered((2, 1)), "telephone": published.telephone(3),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_every_state(name: str) -> None:
    """Each generator in each reachable state, sums of orbits and errors against the unreduced search."""
    assert compared(coset.parse_text(SMALL[name])).used.group.order > 1
