"""Representatives of packed states (`runtime/symmetry/numbered.c`) stand for the same orbits as all others."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import coset
from coset.engines.explicit.compile import arrangement_by
from coset.engines.explicit.components import Components
from coset.engines.explicit.emit import numbered
from coset.engines.explicit.emit.numbered import Numbering, elements_of, number
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.safety import search_states
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.trace import replay
from coset.symmetry.methods.program.detect import detect
from tests.support.numbered_cases import DEAD_START, ENDS, NOTHING_MOVES, REFERENCES, STARTED, planned
from tests.support.paths import MODELS
from tests.support.quotient import explored
from tests.support.sanitized import ADDRESS, THREAD, build_coded


def numbering(model: Model) -> Numbering | None:
    engine = Engine(model, symmetry=planned(model))
    return number(Components(engine.layout()), planned(model))


@pytest.mark.parametrize("name, defines", [
    ("philosophers.pml", {"N": "7"}), ("peterson.pml", {"N": "3"}), ("peterson.pml", {"N": "4"}), ("hypercube.pml", {}),
    ("two_phase_commit.pml", {"N": "3"}), ("barrier.pml", {}),
])  # fmt: skip
def test_as_many_orbits_as_by_other_strategies(name: str, defines: dict[str, str]) -> None:
    model = coset.load(MODELS / name, defines=defines)
    found, other = explored(model), explored(model, representative="chain")
    assert numbering(model) is not None
    assert (found.states, found.represents, found.transitions) == (other.states, other.represents, other.transitions)
    assert found.errors == other.errors


@pytest.mark.parametrize("text", [REFERENCES, STARTED])
def test_names_of_processes_everywhere(text: str) -> None:
    model = coset.parse_text(text)
    found, every = explored(model), explored(model, symmetry="off")
    assert numbering(model) is not None and found.symmetry.group is not None and found.symmetry.group.order > 1
    assert found.represents == every.states > found.states
    assert explored(model, threads=2).represents == every.states


@pytest.mark.parametrize("text", [STARTED, DEAD_START])
def test_a_run_is_one_of_the_model(text: str) -> None:
    model = coset.parse_text(text)
    settings = [Settings(symmetry=each, reduction="none", shortest=True) for each in ("auto", "off")]
    results = [coset.check(model, engine="explicit", steps="plain", settings=each) for each in settings]
    trace, plain = (each["assertions"].trace for each in results)
    assert trace is not None and plain is not None
    assert replay(model, trace).shows_violation and len(trace) == len(plain)


@pytest.mark.parametrize("name", ["peterson.pml", "hypercube.pml", "philosophers.pml"])
def test_the_elements_are_a_group(name: str) -> None:
    found = planned(coset.load(MODELS / name))
    elements = list(elements_of(found))
    assert len(set(elements)) == len(elements) == found.order
    assert elements[0] == tuple(range(len(found.moved))) and set(found.generators) <= set(elements)
    assert all(tuple(g[x] for x in h) in set(elements) for g, h in product(elements[:8], elements))


def test_a_process_that_holds_an_id_and_ends() -> None:
    """What was left of it was renamed: 60,114 states were counted, and there are 47,134."""
    model = coset.parse_text(ENDS)
    found = explored(model)
    assert (found.states, found.represents) == (8384, 47_134) and found.symmetry.group.order == 6
    assert numbering(model) is None


def test_a_group_that_moves_no_component() -> None:
    """Exchanging sorts that no statement uses changes no state: that is no symmetry to make use of."""
    model = coset.parse_text(NOTHING_MOVES)
    assert detect(model).order == 1
    assert explored(model).represents == explored(model, symmetry="off").states


def test_large_groups_are_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    model = coset.load(MODELS / "peterson.pml", defines={"N": "3"})
    monkeypatch.setattr(numbered, "LARGEST", 5)
    assert numbering(model) is None
    assert explored(model).represents == 3521


def test_more_values_than_numbers() -> None:
    """Images need numbers, too: the search begins again if they do not fit."""
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "5"})
    engine = Engine(model, symmetry=planned(model))
    engine.estimate.states = engine.estimate.states[:1]
    found, _ = search_states(engine, stop_at=0)
    assert found.represents == explored(model, symmetry="off").states


@pytest.mark.parametrize("sanitizer, threads", [(ADDRESS, "1"), (THREAD, "2")])
def test_clean(tmp_path: Path, sanitizer: str, threads: str) -> None:
    model = coset.load(MODELS / "peterson.pml", defines={"N": "3"})
    found = build_coded(model, tmp_path, sanitizer, symmetry=planned(model)).run(threads, "0")
    assert found["states"] == explored(model).states


@pytest.mark.parametrize(("size", "is_one_word"), [(16, True), (17, False), (20, False)])
def test_rings_rotate_within_one_word(size: int, is_one_word: bool) -> None:
    """The columns of 17 philosophers take 68 bits: they must not be rotated as if they were in one word."""
    model = coset.load(MODELS / "philosophers.pml", defines={"N": str(size)})
    plan = planned(model)
    engine = Engine(model, symmetry=plan)
    coding = engine.estimate.coding(Footprints(engine.layout()), arrangement_by(plan, Settings()))
    assert coding is not None
    found = number(coding.components, plan)
    assert found is not None and found.is_rotated(coding) == is_one_word
    assert f"#define MODEL_ROTATED {int(is_one_word)}" in found.constants(coding)
