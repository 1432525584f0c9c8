"""Checkpoints of searches that record a graph: products for temporal properties, and graphs for computation tree logic."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.engines.explicit.branching import check_properties
from coset.engines.explicit.checkpoint import CheckpointError
from coset.engines.explicit.cycles import check_property
from coset.engines.explicit.engine import Engine
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import CtlProperty, LtlProperty, Model
from coset.source.budget import Limits
from tests.support.numbered_cases import planned
from tests.support.paths import MODELS

LTL = "ltl empties { <> [] (inside == 0) }"
CTL = ["AG EF (inside == 1)", "EF AG (inside == 0)"]


@pytest.fixture(scope="module")
def peterson(tmp_path_factory: pytest.TempPathFactory) -> Model:
    file = tmp_path_factory.mktemp("models") / "peterson.pml"
    file.write_text((MODELS / "peterson.pml").read_text() + LTL)
    return coset.load(file, defines={"N": "4"}, ctl=CTL)


def engines(model: Model, symmetric: bool, limit: int | None, settings: Settings) -> Engine:
    plan = planned(model) if symmetric else None
    return Engine(model, Limits(states=limit), settings=settings, symmetry=plan)


def parts(folder: Path, sizes: range) -> list[tuple[int | None, Settings]]:
    """Limits and settings of searches that go on with one another, with one thread and with two."""
    limits: list[int | None] = [*sizes, None]
    return [
        (limit, Settings(threads=1 + part // 2 % 2, checkpoints=Checkpoints(folder, 1000, part > 0)))
        for part, limit in enumerate(limits)
    ]


@pytest.mark.parametrize("name", ["someone_enters", "empties"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_products(name: str, symmetric: bool, peterson: Model, tmp_path: Path) -> None:
    (formula,) = (each for each in peterson.properties if each.name == name)
    assert isinstance(formula, LtlProperty)
    whole, lasso = check_property(engines(peterson, symmetric, None, Settings()), formula)
    states = []
    for limit, settings in parts(tmp_path, range(whole.states // 7, whole.states, whole.states // 5)):
        found, trace = check_property(engines(peterson, symmetric, limit, settings), formula)
        states.append(found.states)
    assert (found.stopped, found.states, found.transitions) == (whole.stopped, whole.states, whole.transitions)
    assert (trace is None) == (lasso is None)
    if name == "someone_enters":
        assert len(set(states)) > 3, "nothing was stopped"


@pytest.mark.parametrize("symmetric", [False, True])
def test_graphs(symmetric: bool, peterson: Model, tmp_path: Path) -> None:
    formulas = [each for each in peterson.properties if isinstance(each, CtlProperty)]
    whole = check_properties(engines(peterson, symmetric, None, Settings()), formulas)
    assert [each.holds for each in whole] == [True, False]
    size = whole[0].states
    verdicts = []
    for limit, settings in parts(tmp_path, range(size // 7, size, size // 5)):
        found = check_properties(engines(peterson, symmetric, limit, settings), formulas)
        verdicts.append([each.holds for each in found])
    assert [None, None] in verdicts and verdicts[-1] == [True, False]
    assert [each.states for each in found] == [each.states for each in whole]


def test_a_damaged_graph(peterson: Model, tmp_path: Path) -> None:
    """A changed byte is noticed, and nothing is decided."""
    (formula,) = (each for each in peterson.properties if each.name == "someone_enters")
    assert isinstance(formula, LtlProperty)

    def decided(limit: int | None, resume: bool) -> Any:
        settings = Settings(checkpoints=Checkpoints(tmp_path, 1000, resume))
        return check_property(engines(peterson, False, limit, settings), formula)

    decided(20_000, False)
    (file,) = tmp_path.glob("*.search")
    content, chance = file.read_bytes(), random.Random(1)
    for _ in range(20):
        at = chance.randrange(len(content))
        file.write_bytes(content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :])
        with pytest.raises(CheckpointError):
            decided(None, True)
    file.write_bytes(content)
    found, trace = decided(None, True)
    assert found.stopped == 0 and trace is None
