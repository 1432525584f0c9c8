"""Representatives together with a symmetry that leads to them: the naive twin of what the compiled engine does.

The first state that is met of an orbit represents it.  The whole orbit is visited by the generators.
"""

from __future__ import annotations

from coset.engines.annotated import Elements
from coset.model.state import State
from coset.source.budget import current_budget
from coset.symmetry.canonical.representative import IMAGE
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.symmetry import Symmetry


class AnnotatedOrbits:
    """For each state its representative, and an element that takes it there."""

    def __init__(self, symmetry: Symmetry) -> None:
        assert symmetry.points is not None
        self.elements = Elements(symmetry.points)
        self.generators = symmetry.actions
        self.known: dict[State, tuple[State, Permutation]] = {}

    def __call__(self, state: State) -> tuple[State, Permutation]:
        if state not in self.known:
            self.visit(state)
        return self.known[state]

    def visit(self, first: State) -> None:
        budget = current_budget()
        self.known[first] = first, self.elements.identity
        if not self.generators[0].acts_on(first):
            return
        order = [first]
        for here in order:
            back = self.known[here][1]
            for action in self.generators:
                budget.check(IMAGE)
                image = action(here)
                if image not in self.known:
                    self.known[image] = first, action.permutation.inverse() * back
                    order.append(image)
