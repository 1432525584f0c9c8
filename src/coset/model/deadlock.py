"""What counts as a deadlock: an invalid end state.

Rumur has three answers (`--deadlock-detection`), which make sense for every language.  A language chooses its own: Murphi takes
"stuttering", all others take "stuck".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coset.model.model import Model


def with_deadlock(model: Model, mode: str | None) -> Model:
    """The model with another answer; None keeps the one of its language.

    >>> from coset.model.model import Edge, Instance, Kind, Location, Model
    >>> model = Model("m", (), (Kind("p", (), 0, (Location((Edge(0),)),), 0),), (Instance("p"),))
    >>> with_deadlock(model, "stuttering").stuttering, with_deadlock(model, "off").kinds[0].locations[0].end
    (True, True)
    """
    if mode is None:
        return model
    if mode not in ("stuttering", "stuck", "off"):
        raise ValueError(f"unknown deadlock '{mode}'; expected stuttering, stuck or off")
    if mode != "off":
        return replace(model, stuttering=mode == "stuttering")
    kinds = tuple(
        replace(kind, locations=tuple(replace(location, end=True) for location in kind.locations))
        for kind in model.kinds
    )
    return replace(model, stuttering=False, empty_at_end=False, kinds=kinds)
