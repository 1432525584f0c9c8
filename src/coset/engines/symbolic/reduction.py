"""Which symmetry the symbolic engine makes use of, and in which way."""

from __future__ import annotations

import time
from collections.abc import Sequence

from coset.engines.reduction import NO_REDUCTION, Reduction, UnusableSymmetry, asked_for, detected, given, refuse_unfair
from coset.engines.settings import Settings
from coset.engines.symbolic.orbits import pays
from coset.model import model as m
from coset.model.fairness import UNFAIR, Fairness
from coset.results.symmetry import GroupFound, SymmetryUsed
from coset.symmetry.certify import NotASymmetry

FOLDED = {"auto": "orbits", "sort": "sort", "local": "local", "enumerate": "enumerate"}
"""How the symbolic engine finds representatives, by what is asked for."""


def symbolic_reduction(
    model: m.Model, properties: Sequence[m.Property], settings: Settings, fair: Fairness = UNFAIR
) -> Reduction:
    """The symmetry for the symbolic engine, which uses it if it is asked for by name.  Where processes can be exchanged at
    will and nothing refers to them, one of them moves for all, which saves time and nodes if they look at each other;
    otherwise states are taken to representatives.  Both may cost more than they save: diagrams of symmetric sets are small as
    they are."""
    if fair:
        refuse_unfair(settings)
    if asked_for(settings) in ("auto", "off"):
        return NO_REDUCTION
    if settings.representative not in FOLDED:
        raise UnusableSymmetry(
            f"representatives by '{settings.representative}' are for states one by one; the symbolic engine has "
            f"{', '.join(FOLDED)}"
        )
    began = time.monotonic()
    try:
        found = (
            detected(model, properties, settings.symmetry)
            if settings.generators is None
            else given(model, properties, settings.generators)
        )
    except NotASymmetry as error:
        return Reduction(SymmetryUsed(note=f"not used: an error of Coset, please report it: {error}"))
    group = GroupFound(found.order, tuple(found.generators()), found.describe())
    note: str | None = "; ".join(finding.text for finding in found.findings) or None
    way = FOLDED[settings.representative] if found.order > 1 else None
    if way == "orbits" and not pays(found):
        way = "sort"
    used = SymmetryUsed(found.method, group, way, note)
    return Reduction(used, found if way else None, None, time.monotonic() - began)
