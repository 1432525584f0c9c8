"""Implicit properties of a model: those of the labels `accept` and `progress`."""

from __future__ import annotations

from coset.model import expression as e
from coset.model import model as m
from coset.properties import formula as f

ACCEPTANCE, PROGRESS = "acceptance cycles", "progress"


def implicit_properties(model: m.Model) -> list[m.LtlProperty]:
    """The properties of labels: no cycle goes through `accept`, and none avoids `progress`."""
    locations = [location for kind in model.kinds for location in kind.locations]
    found = []
    if any(location.accept for location in locations):
        accepting: f.Formula[e.Expr] = f.Atom(e.Accepting())
        found.append(m.LtlProperty(ACCEPTANCE, f.Modal("<>", f.Modal("[]", f.Not(accepting)))))
    if any(location.progress for location in locations):
        without: f.Formula[e.Expr] = f.Atom(e.NonProgress())
        found.append(m.LtlProperty(PROGRESS, f.Modal("[]", f.Modal("<>", f.Not(without)))))
    return found
