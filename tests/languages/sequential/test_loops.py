"""`while` and the variables of blocks in `.seq` files: against the same written out, and what is refused."""

from __future__ import annotations

import random

import pytest

from coset.languages.sequential.parse import parse_text
from coset.model.sequential.interpreter import SequentialInterpreter
from coset.model.sequential_model import SequentialModel
from coset.source.diagnostics import InputError
from coset.symmetry.methods.constraints.detect import detect_constraints
from tests.support.sequential_random import condition, program

HEAD = "process p(bit a[3], 0..2 b[2], 0..2 x, 0..2 y) =\n"


def steps(model: SequentialModel, seen: int) -> dict[tuple[int, ...], object]:
    """The steps and faults from each reachable state, as far as the first elements show."""
    interpreter = SequentialInterpreter(model)
    return {
        state[:seen]: (
            sorted((event, after[:seen]) for event, after in interpreter.steps(state)),
            interpreter.faults(state),
        )
        for state in interpreter.reachable()
    }


def test_a_loop_that_counts() -> None:
    text = "process p(bit a[3]) = set { 0..3 j; while (j < 3) { a[j] = 1 - a[j]; j = j + 1; } } init p(a = {0, 1, *});"
    model = parse_text(text)
    assert [variable.name for variable in model.variables] == ["a", "j"]
    assert set(SequentialInterpreter(model).reachable()) == {(0, 1, 0, 0), (0, 1, 1, 0), (1, 0, 0, 0), (1, 0, 1, 0)}


def test_a_loop_that_depends_on_data() -> None:
    loop = parse_text(f"{HEAD} go {{ while (x > 0) {{ x = x - 1; y = (y + 1) % 3; }} }} init p(*);")
    known = parse_text(f"{HEAD} go {{ y = (y + x) % 3; x = 0; }} init p(*);")
    assert steps(loop, 7) == steps(known, 7)


def test_an_array_of_a_block() -> None:
    text = "bit t[3]; each k : 0..2 { t[k] = a[k]; } each k : 0..2 { a[k] = t[(k + 1) % 3]; }"
    inner = parse_text(f"{HEAD} turn {{ {text} }} init p(a = *);")
    known = parse_text(f"{HEAD} turn {{ x = a[0]; a[0] = a[1]; a[1] = a[2]; a[2] = x; x = 0; }} init p(a = *);")
    assert steps(inner, 7) == steps(known, 7)
    assert all(state[7:] == (0, 0, 0) for state in SequentialInterpreter(inner).reachable())


def test_variables_of_blocks_are_shared_or_renamed() -> None:
    model = parse_text(
        f"{HEAD} one {{ 0..2 k = 1; x = k; }} + two {{ 0..2 k; y = k; }} + three {{ bit k; a[0] = k; }}"
        " + four { bit k_2; a[0] = k_2; } init p(*);"
    )
    assert [variable.name for variable in model.variables[4:]] == ["k", "k_2", "k_2_2"]
    assert parse_text(str(model)).variables[-1].name == "k_2_2"


def test_resetting_all_is_symmetric() -> None:
    text = """
    type P = 0..2;
    process p(bit at[3]) =
        P i . [at[i] == 0] up { at[i] = 1; }
      + reset { 0..3 j; while (j < 3) { at[j] = 0; j = j + 1; } }
    init p(at = 0);
    """
    assert detect_constraints(parse_text(text)).order == 6
    assert detect_constraints(parse_text(text.replace("j < 3", "j < 2"))).order == 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("while (x < 2) { y = 0; }", "does not end for x = 0"),
        ("while (x != y) { x = (x + 2) % 3; y = (y + 2) % 3; }", "does not end for x = 0, y = 1"),
        ("0..65535 n; 0..65535 k; while (n < k) { n = n + 1; }", "more than 65536 values"),
        ("0..1000 n; while (n < 1000) { n = n + 1; }", "repeated 1000 times"),
        ("while (x < 2) { x = x + 1;", "expected a name"),
        ("0..1 x; x = 1;", "declared already"),
        ("0..1 k; 0..1 k;", "declared already"),
        ("if (x > 0) { bit k; } k = 1;", "`k`"),
    ],
)
def test_refused(body: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_text(f"{HEAD} go {{ {body} }} init p(*);")


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(100, 2100), marks=pytest.mark.long)], ids=str)
def test_random_loops(seeds: range) -> None:
    """A loop that counts is its body for each value in order, and one under a condition ends when that is false."""
    for seed in seeds:
        rng = random.Random(seed)
        guard, body, last = condition(rng, 2), program(rng, 2).replace("i", "c").replace("cf", "if"), condition(rng, 1)
        head = f"{HEAD} 0..2 i, 0..1 j . [{guard}] step "
        inside = f"if ({last}) {{ {body} }}" if rng.random() < 0.5 else body
        loop = parse_text(f"{head} {{ 0..3 c; while (c < 3) {{ {inside} c = c + 1; }} }} init p(*);")
        known = parse_text(f"{head} {{ each c : 0..2 {{ {inside} }} }} init p(*);")
        assert steps(loop, 7) == steps(known, 7), seed
