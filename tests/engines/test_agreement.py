"""Whatever the options, a model has one meaning: 150 random models, each in some of the configurations of `agreement`.

`python -m tests.agreement --seeds 0 2000` has all configurations for each; it is part of `make check-all`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.agreement import (
    AGREED,
    CONFIGURATIONS,
    DIFFERENT,
    LARGE,
    REFUSED,
    Subject,
    compare_seed,
    outcomes,
    rotated,
    shrunk,
    subject,
)
from tests.support.paths import CASES

CHUNKS, PER_CHUNK = 15, 10
ROTATING = 1
SPIN_EVERY = 4
KEPT = sorted((CASES / "random").glob("*.pml"))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_models_have_one_meaning(chunk: int) -> None:
    counted: Counter[str] = Counter()
    different = []
    for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK):
        for found in compare_seed(seed, ROTATING, spin=seed % SPIN_EVERY == 1):
            counted[found.what] += 1
            different += [str(found)] * (found.what == DIFFERENT)
    assert not different, "\n".join(different)
    assert counted[AGREED] >= 3 * PER_CHUNK, f"hardly anything was compared: {counted}"
    assert counted[LARGE] <= PER_CHUNK // 2 and counted[REFUSED] <= PER_CHUNK, counted


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_models_have_one_meaning(path: Path) -> None:
    """Shrunk remains of past differences, in all configurations that reduce single states or their order."""
    chosen = [
        each
        for each in CONFIGURATIONS
        if each.question in ("safety", "ltl") and each.settings.symmetry in ("off", "auto")
    ]
    chosen += [each for each in CONFIGURATIONS if each.question == "counts" and each.engine == "reference"]
    found = list(outcomes(Subject(path.stem, path.read_text()), chosen, spin=False))
    assert [str(each) for each in found if each.what == DIFFERENT] == []


@pytest.mark.long
@pytest.mark.parametrize("first", range(200, 600, 10))
def test_more_random_models(first: int) -> None:
    found = [each for seed in range(first, first + 10) for each in compare_seed(seed, 6, spin=False)]
    assert [str(each) for each in found if each.what == DIFFERENT] == []


def test_every_configuration_takes_its_turn() -> None:
    asked = {each for seed in range(CHUNKS * PER_CHUNK) for each in rotated(seed, ROTATING)}
    assert asked == set(CONFIGURATIONS)
    assert len(CONFIGURATIONS) > 100


def test_a_seed_always_gives_the_same_model() -> None:
    assert [subject(seed).text for seed in range(16)] == [subject(seed).text for seed in range(16)]


def test_a_difference_is_seen_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """With steps merged that others notice, the harness sees the difference and keeps what makes it."""
    monkeypatch.setattr("tests.agreement.merged", lambda model, visible: model_without_last_step(model))
    text = "byte g;\nactive proctype P() {\n  byte x;\n  x = 1;\n  g = 1;\n  g = 2\n}\n"
    (found,) = list(outcomes(Subject("wrong", text), (), spin=False))
    assert found.what == DIFFERENT
    assert "x = 1" not in shrunk(Subject("wrong", text), found)


def model_without_last_step(model: object) -> object:
    import coset

    return coset.parse_text("byte g; active proctype P() { byte x; g = 3 }")
