"""The drawing of the coloured graph of constraints."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.tasks.draw import Undrawable
from coset.tasks.draw_constraints import constraints

FLIP = "process p(bit x, bit y) = [x == y] up { x = 1 - x; } + [x != y] down { y = 1 - y; } init p(*);"


def test_elements_literals_summands_and_orbits(tmp_path: Path) -> None:
    path = tmp_path / "m.seq"
    path.write_text(FLIP)
    (part,) = constraints(coset.load(path)).parts
    nodes = {node.title: node for node in part.nodes}
    assert {"x", "y", "x=0", "x'=1", "up", "down", "start", "Require"} <= set(nodes)
    assert nodes["x=0"].orbit == nodes["x=1"].orbit is not None and nodes["x"].orbit is None
    assert part.subtitle.startswith("2 symmetries")
    known = {node.name for node in part.nodes}
    assert all(arrow.source in known and arrow.target in known for arrow in part.arrows)


def test_what_is_too_large_or_has_no_form() -> None:
    with pytest.raises(Undrawable, match="more than 400 vertices"):
        constraints(coset.load("models/philosophers.pml"))
    with pytest.raises(Undrawable, match="no sequential form"):
        constraints(coset.parse_text("active proctype P() priority 2 { do :: set_priority(_pid, 3) od }"))
