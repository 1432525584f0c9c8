"""The checker of models, and what it and the passes call the parts of an effect."""

from __future__ import annotations

from dataclasses import replace

import coset
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import parts, places
from coset.model.domain import BYTE
from coset.model.validate import validate

TEXT = "byte a[2]; active proctype P() { byte i; a[i] = 1 }"


def with_effect(model: m.Model, effect: m.Effect) -> m.Model:
    """The model whose first edge has another effect."""
    (kind,) = model.kinds
    first, *rest = kind.locations
    edge = replace(first.edges[0], effects=(effect,))
    return replace(model, kinds=(replace(kind, locations=(replace(first, edges=(edge,)), *rest)),))


def test_indices_of_what_is_assigned_are_parts() -> None:
    model = coset.parse_text(TEXT)
    (effect,) = model.kinds[0].locations[0].edges[0].effects
    (place,) = places(effect)
    assert [str(part) for part in parts(effect)] == ["1", "i"] and place.indices[0] in list(parts(effect))


def test_an_unknown_variable_is_found_wherever_it_is() -> None:
    model = coset.parse_text(TEXT)
    array, unknown = model.variables[0], e.Get(m.Variable("ghost", BYTE), ())
    assert validate(model) == []
    for effect in (
        m.Assign(e.Place(array, (unknown,)), e.TRUE),
        m.Assign(e.Place(array, (e.TRUE,)), unknown),
        m.Assert(unknown),
        m.Print("", (unknown,)),
    ):
        assert validate(with_effect(model, effect)) == ["P: location 0: ghost is not declared"]
