"""Truth values that are stored, as choices between 1 and 0.

    ok = (_pid == 1 || flag[1] < k) && (_pid == 2 || flag[2] < k)          ok = (... && ... -> 1 : 0)

The program graph puts in the table of what an assignment computes from ids (`methods/program/expressions`).  The table of a
conjunction over all ids is as large as the product of the domains of all its parts: TopSPIN's Peterson with three processes has
four variables in it, and the table is given up.  In a guard the same conjunction needs none, as only its truth counts: each
comparison is a vertex, and the operands of `&&` have no order.  `written_as_choices` is the model in which a truth
value is stored by a conditional expression, so that the condition is such a guard.

Theorem.  Both models have the same states and steps: in Promela the value of a logical operator is 1 or 0.  The model is only
read to find symmetries, as those of `loop_summaries`; small expressions are left alone, for their tables show more (`x = !x`
keeps the exchange of 0 and 1).
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.symmetry.operators import is_logical, leaves_of

FEW_LEAVES = 2
"""The tables of expressions with so many different leaves are small."""


def written_as_choices(model: m.Model) -> m.Model:
    """The model with large truth values as choices; the model itself if it has none."""
    kinds = tuple(with_choices(kind) for kind in model.kinds)
    return replace(model, kinds=kinds) if kinds != model.kinds else model


def with_choices(kind: m.Kind) -> m.Kind:
    if not any(map(is_large, (effect for _, edge in kind.edges() for effect in edge.effects))):
        return kind
    locations = []
    for location in kind.locations:
        edges = tuple(replace(edge, effects=tuple(map(as_choice, edge.effects))) for edge in location.edges)
        locations.append(replace(location, edges=edges))
    return replace(kind, locations=tuple(locations))


def is_large(effect: m.Effect) -> bool:
    return isinstance(effect, m.Assign) and is_logical(effect.value) and len(set(leaves_of(effect.value))) > FEW_LEAVES


def as_choice(effect: m.Effect) -> m.Effect:
    """A large truth value as a choice.

    >>> from coset.model.domain import BYTE
    >>> ok, a, b, c = (m.Variable(name, BYTE) for name in ("ok", "a", "b", "c"))
    >>> both = e.Binary("&&", e.Get(a), e.Binary("<", e.Get(b), e.Get(c)))
    >>> print(as_choice(m.Assign(e.Place(ok), both)).value)
    (a && b < c -> 1 : 0)
    """
    if not is_large(effect):
        return effect
    assert isinstance(effect, m.Assign)
    return m.Assign(effect.place, e.Conditional(effect.value, e.Const(1), e.Const(0)))
