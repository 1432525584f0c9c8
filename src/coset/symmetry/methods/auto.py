"""What `auto` means: which method is used for a model, and why.

`program` reads every construct, takes milliseconds, and what it finds can be reduced fastest; so it comes first.  It reads the
text, so a statement that tells processes or values apart counts even if it can never do so.  `constraints` looks only at
values that can occur, and at each variable by itself: it finds symmetries where `program` has none, but not in every model,
and it takes much longer.  So it is tried, too, where a model is small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coset.model import model as m
from coset.source.budget import OutOfBudget, current_budget, installed, within

if TYPE_CHECKING:
    from coset.symmetry.methods.constraints.carried import CarriedSymmetry

MOST_EDGES, FEW_EDGES = 120, 40
"""Edges of all processes together: the sequential form of larger models takes longer than it is likely to be worth, the
more so if a search waits for it."""

SEARCH_STEPS, SEARCH_VERTICES = 100_000, 10_000
"""Rows of tables and the like that `constraints` may take before a search, and vertices of its graph: half a second.  Counted,
so that a slow machine finds the same symmetries."""
REPORT_STEPS, REPORT_VERTICES = 500_000, 30_000
"""The same where the symmetry is what the user asks for."""


def size(model: m.Model) -> int:
    """The edges of all processes that are there from the start, and of each other kind once."""
    copies = Counter(instance.kind for instance in model.processes)
    return sum(max(1, copies[kind.name]) * sum(1 for _ in kind.edges()) for kind in model.kinds)


def by_constraints(model: m.Model, properties: Sequence[m.Property], moves: int) -> CarriedSymmetry | None:
    """For a search in a small model that shows nothing to `program`: what `constraints` finds instead, if anything."""
    from coset.source.diagnostics import InputError
    from coset.symmetry.methods.constraints.carried import detect_literals

    if size(model) > FEW_EDGES:
        return None
    try:
        with installed(within(steps=SEARCH_STEPS)):
            found = detect_literals(model, properties, moves=moves, most_vertices=SEARCH_VERTICES)
    except InputError:  # no sequential form, or it is too large
        return None
    except OutOfBudget:
        current_budget().demand()
        return None
    return found if found.order > 1 else None
