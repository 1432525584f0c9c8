"""Symmetry by constraints: the published orders, orbits counted by brute force, and no symmetry that is none."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from itertools import permutations, product
from pathlib import Path

import jsonschema
import pytest

import coset
from coset.cli import main
from coset.formats.json_output import schema
from coset.languages.sequential.parse import parse, parse_text
from coset.model.interpreter import Interpreter
from coset.model.sequential.interpreter import SequentialInterpreter
from coset.model.sequential_model import SequentialModel
from coset.source.diagnostics import InputError
from coset.source.text import Source
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.literal_action import LiteralAction, State
from coset.symmetry.methods.constraints import ConstraintSymmetry, TooLarge, detect_constraints
from coset.symmetry.methods.constraints.carried import detect_literals
from coset.symmetry.methods.constraints.certify import UncertifiedError, check
from coset.symmetry.methods.constraints.form import Form, sequential_form
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.startup import StartedStates, UnknownProcesses, startup
from coset.tasks.load import parse_text as promela
from tests.support import ids_random, promela_random, symmetric_random
from tests.support.paths import MODELS
from tests.support.sequential_random import random_model

LINE = re.compile(r"^ \* (group|expect|expect-large)((?: -D\w+=\w+)*): (.*)$")
LARGE = 10**6
"""Orders above are found in the long tests, and so are models with more than a few processes."""
QUICK = {"peterson.seq -DN=9", "two_hop_colouring.seq -DN=9", "hypercube.seq -DD=5", "leader_complete.seq -DN=12"}


def told(what: str) -> Iterable[object]:
    """Lines of the head comments: model, macros, the rest of the line."""
    for path in sorted(MODELS.glob("*.seq")):
        for line in path.read_text().split("*/", 1)[0].splitlines():
            match = LINE.match(line)
            if match is not None and match[1].removesuffix("-large") == what:
                defines = dict(re.findall(r"-D(\w+)=(\w+)", match[2]))
                case = f"{path.name}{match[2]}"
                is_long = match[1].endswith("large") or (bool(defines) and what == "group" and case not in QUICK)
                marks = [pytest.mark.long] if is_long else []
                yield pytest.param(path, defines, match[3], id=case, marks=marks)


def load(path: Path, defines: dict[str, str]) -> SequentialModel:
    return parse(Source(str(path), path.read_text()), defines)


def check_everywhere(found: ConstraintSymmetry, states: Iterable[State]) -> None:
    """By the definition, on every state."""
    interpreter = SequentialInterpreter(found.model)
    reached = set(states)
    for action in found.actions:
        for state in reached:
            assert action.on_state(state) in reached
            check(interpreter, action, state)


def orbits(found: ConstraintSymmetry, states: Iterable[State]) -> int:
    """The number of orbits, by walking through each of them."""
    left, count = set(states), 0
    while left:
        todo, count = [left.pop()], count + 1
        for state in todo:
            for action in found.actions:
                image = action.on_state(state)
                if image in left:
                    left.remove(image)
                    todo.append(image)
    return count


@pytest.mark.parametrize(("path", "defines", "order"), list(told("group")))
def test_order(path: Path, defines: dict[str, str], order: str) -> None:
    """Table I of Zhang et al."""
    found = detect_constraints(load(path, defines), moves=4000)
    assert found.order == int(order)
    assert found.certified > 0 or found.order == 1


@pytest.mark.parametrize(("path", "defines", "counts"), list(told("expect")))
def test_states_and_orbits(path: Path, defines: dict[str, str], counts: str) -> None:
    found = detect_constraints(load(path, defines), moves=4000)
    states = SequentialInterpreter(found.model).reachable()
    expected = dict(re.findall(r"(\w+) (\d+)", counts))
    assert len(states) == int(expected["states"])
    assert orbits(found, states) == int(expected["orbits"])
    if len(states) <= 2000:
        check_everywhere(found, states)


@pytest.mark.parametrize("seed", range(40))
def test_random_models_have_no_wrong_symmetry(seed: int) -> None:
    random_case(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_more_random_models(seed: int) -> None:
    random_case(seed)


def random_case(seed: int) -> None:
    model = parse_text(random_model(random.Random(seed)))
    found = detect_constraints(model, moves=0)
    states = SequentialInterpreter(model).reachable()
    check_everywhere(found, states)
    for state in states:
        for (element, _), value in zip(enumerate(state), state, strict=True):
            assert (element, value) in found.points or all(point[0] != element for point in found.points)


# --- the naive twin ------------------------------------------------------------------------------


def naive_order(model: SequentialModel) -> int:
    """How many permutations of literals are symmetries, by trying all; for models with few elements of equal domains."""
    interpreter = SequentialInterpreter(model)
    states = list(interpreter.reachable())
    domains = [range(v.domain.low, v.domain.high + 1) for v, _ in model.elements]
    points = [(k, value) for k, domain in enumerate(domains) for value in domain]
    number = {point: k for k, point in enumerate(points)}
    actions = set()
    for targets in permutations(range(len(domains))):
        if all(len(domains[k]) == len(domains[to]) for k, to in enumerate(targets)):
            for images in product(*(list(permutations(domains[to])) for to in targets)):
                moved = {
                    number[k, value]: number[to, image]
                    for k, to in enumerate(targets)
                    for value, image in zip(domains[k], images[k], strict=True)
                }
                action = LiteralAction(points, Permutation([moved[k] for k in range(len(points))]), len(domains))
                if is_symmetry(interpreter, action, states):
                    actions.add(tuple(action.on_state(state) for state in states))
    return len(actions)


def is_symmetry(interpreter: SequentialInterpreter, action: LiteralAction, states: list[State]) -> bool:
    try:
        for state in states:
            check(interpreter, action, state)
    except UncertifiedError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("process p(0..2 x) = next { x = (x + 1) % 3; } init p(*);", 3),
        ("process p(0..2 x) = next { x = (x + 1) % 3; } init p(0);", 1),
        ("process p(bit x) = flip { x = 1 - x; } init p(*);", 2),
        ("process p(0..2 x) = 0..2 v . [v != x] go { x = v; } init p(*);", 6),
        ("process p(0..2 x, 0..2 y) = [x != y] swap { if (x < 2) { x = y; } else { y = x; } } init p(*);", None),
        ("process p(bit a[3]) = 0..2 i . [!a[i]] set { a[i] = 1; } init p(0);", 6),
        ("process p(bit a[3]) = 0..2 i . [!a[i]] set { a[i] = 1; a[(i + 1) % 3] = 0; } init p(*);", 3),
        ("process p(bit a[3]) = 0..2 i, 0..2 j . [i < j && a[i]] down { a[i] = 0; a[j] = 1; } init p(*);", None),
        ("process p(bit x, bit y) = one { x = y; y = 1 - x; } init p(*);", None),
        ("process p(bit x, bit y) = one { x = 1 / y; } + one { y = 1 / x; } init p(*);", 2),
        ("process p(0..2 x, 0..2 y) = [some k : 0..2 (x == k && y == k)] go { x = (x + 1) % 3; } init p(*);", 3),
    ],
)
def test_naive_twin(text: str, order: int | None) -> None:
    model = parse_text(text)
    found = detect_constraints(model)
    naive = naive_order(model)
    assert naive % found.order == 0
    if order is not None:
        assert found.order == order
        assert naive == order


# --- particular cases ----------------------------------------------------------------------------


def test_before_and_after_are_tied() -> None:
    """Without the tie the six permutations of the values would pass, three of which are no symmetries."""
    found = detect_constraints(parse_text("process p(0..2 x) = next { x = (x + 1) % 3; } init p(*);"))
    assert found.order == 3
    assert found.generators() == ["(x=0 x=1 x=2)"]


def test_events_are_kept() -> None:
    text = "process p(bit x, bit y) = [!x] {} {{ x = 1; }} + [!y] {} {{ y = 1; }} init p(0, 0);"
    assert detect_constraints(parse_text(text.format("up", "up"))).order == 2
    assert detect_constraints(parse_text(text.format("up", "go"))).order == 1


def test_conditions_are_kept() -> None:
    text = "process p(bit x, bit y) = [!x] up { x = 1; } + [!y] up { y = 1; } init p(0, 0);"
    assert detect_constraints(parse_text(text + " condition x && y;")).order == 2
    assert detect_constraints(parse_text(text + " condition x || !y;")).order == 1


def test_values_that_never_occur_are_no_points() -> None:
    found = detect_constraints(parse_text("process p(byte x) = [x < 2] up { x = x + 1; } init p(0);"))
    assert [value for _, value in found.points] == [0, 1, 2]
    assert found.order == 1


def test_generators_by_name() -> None:
    found = detect_constraints(load(MODELS / "token_circulation.seq", {}))
    texts = "".join(found.generators())
    assert "label[0]=0 label[0]=1" in texts or "label[0]=0 label[1]=1" in texts
    assert "token[0] token[" in texts
    assert found.describe()


def test_too_many_values_are_refused() -> None:
    with pytest.raises(TooLarge, match="`x`"):
        detect_constraints(parse_text("process p(0..100000 x) = up { x = x + 1; } init p(*);"))


# --- of concurrent models, and on the command line -----------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "barrier", "dekker", "email_small", "mutex_ticket", "peterson", "philosophers", "readers_writers", "three_tiered",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in (
                "cache_coherence", "email", "email_featured", "email_symmetric", "futex_mutex", "hypercube",
                "load_balancer", "resource_allocator", "token_ring", "two_phase_commit",
            )
        ),
    ],
)  # fmt: skip
def test_of_a_concurrent_model_as_by_its_program_graph(name: str) -> None:
    """The two methods have nothing in common but the permutation groups."""
    model = coset.load(MODELS / f"{name}.pml")
    form = sequential_form(model)
    assert isinstance(form, Form)
    assert detect_constraints(form.flat, moves=4000).order == detect(model, (), moves=0).order


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(k, marks=pytest.mark.long) for k in range(100, 400))])
def test_random_promela(seed: int) -> None:
    """As many states in both forms, and no symmetry that is none in any of them."""
    for generate in (symmetric_random.generate, ids_random.generate, promela_random.generate):
        random_promela(generate(seed))


def random_promela(text: str) -> None:
    model = promela(text)
    try:
        form = sequential_form(model)
        found = None if isinstance(form, UnknownProcesses) else detect_constraints(form.flat, moves=0)
    except (InputError, TooLarge):
        return  # refused by name
    if found is None:
        return
    interpreter, flat = Interpreter(model), found.model
    executed = SequentialInterpreter(flat)
    mine = executed.reachable(4000)
    if len(mine) >= 4000:
        return
    started = startup(interpreter)
    assert isinstance(started, StartedStates)
    todo = [interpreter.initial()]
    theirs = dict.fromkeys(todo)
    for state in todo:
        new = [step.state for step in interpreter.steps(state) if step.state not in theirs]
        todo += (each for each in dict.fromkeys(new))
        theirs |= dict.fromkeys(new)
    assert sum(map(executed.observable, mine)) == sum(map(started.includes, theirs))
    check_everywhere(found, mine)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["symmetry", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_command_on_a_sequential_model(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(MODELS / "token_circulation.seq"), "-D", "N=4", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["symmetry"]["method"], found["symmetry"]["order"], found["certified"]) == ("constraints", 8, True)
    jsonschema.Draft202012Validator(schema("symmetry")).validate(found)


@pytest.mark.parametrize(
    "loop",
    [
        "for (i : 0 .. 2) { flag[i] = 1 }; i = 0",
        "i = 0; do :: i < 3 -> flag[i] = 1; i++ :: else -> break od; i = 0",
    ],
)
def test_atomic_loops_are_steps(loop: str) -> None:
    text = f"""bit flag[3]; byte n; active [3] proctype P() {{ do :: flag[_pid] -> flag[_pid] = 0; n++ od }}
    active proctype Q() {{ byte i; do :: n == 0 -> atomic {{ {loop} }} :: n == 3 -> n = 0 od }}"""
    model = coset.parse_text(text)
    assert detect_literals(model, (), moves=1000).order == detect(model).order == 6


def test_command_on_a_concurrent_model(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(MODELS / "email_small.pml"), "--symmetry", "constraints", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["symmetry"]["order"] == 2
    assert found["without_properties"]["order"] == 2
    jsonschema.Draft202012Validator(schema("symmetry")).validate(found)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("m.pml:active proctype p() { timeout }", ["--symmetry", "constraints"], "`timeout`: no sequential form"),
        ("m.pml:bit x; active proctype p() { x = 1 }", ["--symmetry", "constraints", "--explain"], "--explain"),
        ("m.seq:process p(bit x) = up { y = 1; } init p(0);", [], "`y` is not declared"),
        ("m.seq:process p(bit x) = up { x = 1; } init p(0);", ["--symmetry", "channels"], "no processes"),
        ("m.seq:process p(bit x) = up { x = 1; } init p(0);", ["--ltl", "[] x"], "condition"),
        ("m.seq:process p(bit x) = up { x = 1; } init p(0);", ["--explain"], "--explain"),
        ("m.seq:process p(0..99999 x) = up { x = 1; } init p(*);", [], "more than 1024 values"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, arguments: list[str], message: str
) -> None:
    name, _, content = text.partition(":")
    (tmp_path / name).write_text(content)
    code, out, err = run(capsys, str(tmp_path / name), *arguments)
    assert (code, out) == (2, "")
    assert message in err
