"""No unsound symmetry, ever: whatever a method finds is an automorphism of the graph of all states.

Every generator of every method is tried on the whole graph of every model that is small enough, and of random ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from coset.languages.csp.terms import Refused
from coset.languages.sequential.parse import parse, parse_text
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.source.text import Source
from coset.symmetry.methods.constraints import detect_constraints
from coset.symmetry.startup import UnknownProcesses, startup
from coset.tasks import load as load_task
from tests.support import csp_random, ids_random, promela_random, symmetric_random
from tests.support.expectations import expectations
from tests.support.group_orders import orders
from tests.support.paths import MODELS
from tests.support.sequential_random import random_model
from tests.support.state_graph import TooLarge, of_model, of_sequential

FEW, MANY = 600, 8_000


def shipped() -> Iterable[object]:
    """Models with few states, and in the long tests those with more."""
    for path in [*sorted(MODELS.glob("*.pml")), *sorted(MODELS.glob("*.csp"))]:
        for expected in expectations(path):
            states = dict(expected.counts)["states"]
            if states <= MANY:
                marks = [] if states <= FEW else [pytest.mark.long]
                yield pytest.param(path, dict(expected.defines), id=str(expected), marks=marks)


@pytest.mark.parametrize(("path", "defines"), list(shipped()))
def test_groups_of_models(path: Path, defines: dict[str, str]) -> None:
    found = orders(load_task.load(path, defines), 4 * MANY)
    assert all(order <= found["program"] for name, order in found.items() if name in ("channels", "hypergraph"))


def sequential() -> Iterable[object]:
    """The smallest configuration of every sequential model that says how many states it has."""
    for path in sorted(MODELS.glob("*.seq")):
        told = re.findall(r"^ \* expect((?: -D\w+=\w+)*): states (\d+)", path.read_text(), re.MULTILINE)
        if told:
            states, defines = min((int(states), defines) for defines, states in told)
            marks = [] if states <= 2 * FEW else [pytest.mark.long]
            yield pytest.param(path, dict(re.findall(r"-D(\w+)=(\w+)", defines)), id=path.name, marks=marks)


@pytest.mark.parametrize(("path", "defines"), list(sequential()))
def test_groups_of_sequential_models(path: Path, defines: dict[str, str]) -> None:
    sequential_case(path.read_text(), defines)


def sequential_case(text: str, defines: dict[str, str] | None = None) -> int:
    model = parse(Source("m.seq", text), defines) if defines else parse_text(text)
    found = detect_constraints(model, moves=0)
    graph = of_sequential(model, MANY * 4)
    for action in found.actions:
        assert graph.is_automorphism(graph.images(action.on_state)), found.generators()
    return found.order


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(100, 500), marks=pytest.mark.long)], ids=str)
def test_groups_of_random_sequential_models(seeds: range) -> None:
    found = [sequential_case(random_model(random.Random(seed))) for seed in seeds]
    assert max(found) > 1


GENERATORS: dict[str, Callable[[int], str]] = {
    "ids": ids_random.generate,
    "symmetric": symmetric_random.generate,
    "varied": symmetric_random.varied,
    "promela": promela_random.generate,
}


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(100, 250), marks=pytest.mark.long)], ids=str)
def test_groups_of_random_models(name: str, seeds: range) -> None:
    found: dict[str, int] = {}
    for seed in seeds:
        try:
            each = orders(load_task.parse_text(GENERATORS[name](seed)), FEW)
        except TooLarge:
            continue
        found = {method: max(order, found.get(method, 1)) for method, order in (found | each).items()}
    if name != "promela":
        assert found["program"] > 1 and found["constraints"] > 1, "some of them are symmetric"


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(100, 400), marks=pytest.mark.long)], ids=str)
def test_groups_of_random_csp(seeds: range) -> None:
    symmetric = 0
    for seed in seeds:
        try:
            with csp_random.few_locations():
                model = csp_random.labelled_model(csp_random.write(seed))
            symmetric += max(orders(model, FEW).values(), default=1) > 1
        except (Refused, TooLarge):
            continue
    assert symmetric > 0


def test_what_is_no_automorphism_is_noticed() -> None:
    """Two processes that differ in one number: to exchange them is none."""
    model = load_task.parse_text("byte x; active [2] proctype p() { do :: x < 3 -> x = x + _pid od }")
    interpreter = Interpreter(model)
    started = startup(interpreter)
    assert not isinstance(started, UnknownProcesses)
    graph = of_model(interpreter, started.states, (), FEW)

    def exchanged(state: State) -> State:
        return state._replace(processes=state.processes[::-1])

    assert graph.is_automorphism(list(range(len(graph.rows))))
    assert not graph.is_automorphism(graph.images(exchanged))
