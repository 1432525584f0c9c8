"""The method of Clarke, Emerson, Jha and Sistla (CAV 1998, Sections 5.2 and 6) on the arbiter, in the plainest way.

Of their tool the paper says only that it is symbolic and has several representatives, and nothing of its order of variables.  So
this is the textbook: one relation for all modules, searched breadth first, in the engine's order.  Three ways:

`plain`    T itself
`all`      T_rep(s, t): some u with T(s, u) and C(u, t), with s and t in Rep.  C are all products of at most one exchange of
           the first with another module in each set of equal priority.  Rep: if any module of a set is elect, the first is.
`needed`   the same, but what is in Rep already stands for itself alone, and only what is elect goes to the front

C is never made as a diagram: the exchanges are applied to the states after T, set by set, which gives their products.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from coset.engines.symbolic.diagrams import Diagram, Diagrams
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.order import static_order
from coset.engines.symbolic.permuting import Permuting
from coset.engines.symbolic.relation import Part, merged
from coset.engines.symbolic.space import Guess
from coset.engines.symbolic.staging import Acting, acting, column_order, columns
from coset.engines.symbolic.steps import symbolic_steps
from coset.model.model import Model
from coset.model.sequential import SequentialModel
from coset.source.budget import Limits
from coset.symmetry.methods.constraints.form import Form, sequential_form
from coset.symmetry.methods.program.detect import detect

WAYS = ("plain", "all", "needed")
ELECT = 3
"""The value of `st` in `arbiter.spl`."""


@dataclass(frozen=True)
class Arbiter:
    """The modules of each priority, by their elements `st`, and what exchanges the first with each of the others."""

    encoding: Encoding
    sets: Sequence[Sequence[int]]
    exchanges: Sequence[Sequence[Permuting]]

    def elect(self, modules: Sequence[int], after: bool = False) -> Diagram:
        """Where some of these modules is elect."""
        return self.encoding.diagrams.union(self.encoding.literal(each, ELECT, after) for each in modules)

    def rep(self, modules: Sequence[int], after: bool = False) -> Diagram:
        """Where the first of a set is elect, if any is."""
        return self.elect(modules[:1], after) | ~self.elect(modules, after)

    @property
    def two(self) -> Diagram:
        """Where two modules are elect, which the property forbids."""
        pairs = combinations([module for modules in self.sets for module in modules], 2)
        return self.encoding.diagrams.union(self.elect([one]) & self.elect([other]) for one, other in pairs)

    def quotient(self, steps: Diagram, needed: bool) -> Diagram:
        """The steps between representatives.  Codes that no value has are left out: they make it three times as large."""
        steps = steps & self.encoding.valid
        for modules in self.sets:
            steps = steps & self.rep(modules)
        for modules, exchanges in zip(self.sets, self.exchanges, strict=True):
            rep = self.rep(modules, after=True)
            found = steps & rep
            for module, exchange in zip(modules[1:], exchanges, strict=True):
                moved = steps & ~rep & self.elect([module], after=True) if needed else steps
                found = found | exchange(moved) & rep
                self.encoding.diagrams.rest()
            steps = found
        return steps


@dataclass(frozen=True)
class Searched:
    """`nodes` is the peak, `relation` and `largest` (of the sets that were met) are nodes of single diagrams."""

    arbiter: Arbiter
    found: Diagram
    holds: bool
    seconds: float
    nodes: int
    relation: int
    largest: int

    @property
    def states(self) -> int:
        return self.arbiter.encoding.count(self.found)


def searched(model: Model, way: str, limits: Limits | None = None) -> Searched:
    """All that can be reached.  The exchanges are known before the clock runs: in the paper they are given by hand."""
    symmetry = detect(model, (), moves=0)
    began = time.process_time()
    form = sequential_form(model)
    assert isinstance(form, Form)
    arbiter = encoded(form.flat, acting(form.flat, symmetry), limits)
    diagrams, relation = arbiter.encoding.diagrams, whole(arbiter, way)
    size, largest = relation.steps.node_count(), 0
    found = diagrams.union(map(arbiter.encoding.states, form.flat.starts))
    ring = found
    while ring.satisfiable():
        image = diagrams.exists_both(ring, relation.steps, relation.before)
        ring = diagrams.renamed(image, relation.to_before) & ~found
        found = found | ring
        largest = max(largest, found.node_count(), ring.node_count())
        diagrams.rest()
    holds = not (found & arbiter.two).satisfiable()
    return Searched(arbiter, found, holds, time.process_time() - began, diagrams.peak, size, largest)


def encoded(flat: SequentialModel, group: Acting, limits: Limits | None) -> Arbiter:
    """One order for all ways: the variables of a module next to each other."""
    rows = Guess(flat, flat.starts).rows()
    diagrams = Diagrams(2 * sum((len(row) - 1).bit_length() for row in rows), limits)
    encoding = Encoding(flat, rows, column_order(group, static_order(flat)), diagrams)
    sets, exchanges = [], []
    for family in group.families:
        own = [x for column in columns(group, family) for x in column]
        sets.append([x for x in own if flat.elements[x][0].name.endswith("_st")])
        swaps = [group.swap(family[0], other) for other in family[1:]]
        exchanges.append([Permuting(encoding, swap, after=True) for swap in swaps])
    return Arbiter(encoding, sets, exchanges)


def whole(arbiter: Arbiter, way: str) -> Part:
    """One relation for all modules."""
    part = together(arbiter.encoding)
    return part if way == "plain" else replace(part, steps=arbiter.quotient(part.steps, way == "needed"))


def together(encoding: Encoding) -> Part:
    """T; single steps are forgotten, so that they are not counted with it."""
    steps = symbolic_steps(encoding)
    assert not steps.overflows
    return merged(encoding, steps.taken)
