"""Memoised transitions: wherever they are used, they are those that the model makes (`runtime/search/transition_cache.h`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import coset
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.layout import Layout
from tests.support.paths import MODELS
from tests.support.promela_random import generate

EXPLORE = """
import sys, coset
model = coset.load(sys.argv[1])
print(coset.explore(model, engine="explicit", symmetry="off", max_states=int(sys.argv[2])).states)
"""

EXPLORE_ALL = """
import sys, coset
from pathlib import Path
from coset.engines.contract import Unsupported
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        print(coset.explore(coset.load(path), engine="explicit", symmetry="off", max_states=20000).states, flush=True)
    except Unsupported:
        print(0, flush=True)
"""


REDUCED = """
import sys, coset
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.safety import search_states
from coset.engines.explicit.stubborn import reducible
from coset.source.budget import Limits
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
for name in sys.argv[1:]:
    model = coset.load(name)
    if reducible(model) is not None:
        for symmetry in (None, plan(detect(model))):
            engine = Engine(model, Limits(states=20_000), symmetry=symmetry, partial=True)
            found, _ = search_states(engine, stop_at=0)
            print(found.states, flush=True)
"""
"""With partial order reduction, without symmetry and with it."""


def checking(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python program in which every known move is compared with the model's; a difference ends the process."""
    flags = f"{os.environ['COSET_CFLAGS']} -DCHECK_TRANSITION_CACHE"
    return subprocess.run(
        [sys.executable, "-c", *arguments], env={**os.environ, "COSET_CFLAGS": flags}, capture_output=True, text=True
    )


def checked(path: Path, most: int) -> int:
    """The states that are visited."""
    done = checking(EXPLORE, str(path), str(most))
    assert done.returncode == 0, f"{path.name}: {done.stderr[-2000:]}"
    return int(done.stdout)


@pytest.mark.parametrize(
    "name", ["peterson.pml", "email_small.pml", "dynamic_workers.pml", "leader_election.pml", "philosophers.spl"]
)
def test_cached_moves_agree_with_the_model(name: str) -> None:
    assert checked(MODELS / name, 30_000) > 100


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.*")), ids=lambda path: path.name)
def test_cached_moves_of_all_models(path: Path) -> None:
    if path.suffix not in (".pml", ".csp", ".seq", ".spl"):
        pytest.skip("no model")
    assert checked(path, 200_000) > 0


def test_cached_moves_of_random_programs(tmp_path: Path) -> None:
    """In one process: each is compiled on its own, which is what takes time."""
    for seed in range(40):
        (tmp_path / f"{seed}.pml").write_text(generate(seed))
    done = checking(EXPLORE_ALL, str(tmp_path))
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    counts = list(map(int, done.stdout.split()))
    assert len(counts) == 40 and max(counts) > 1000 and counts.count(0) < 4


def test_cached_masks_of_stubborn_sets(tmp_path: Path) -> None:
    """What processes touch is memoised, too, and each mask is compared with the model's."""
    names = ["philosophers", "email_symmetric_small", "leader_election", "two_phase_commit", "dynamic_workers"]
    paths = [MODELS / f"{name}.pml" for name in names]
    for seed in range(100, 112):
        paths.append(tmp_path / f"{seed}.pml")
        paths[-1].write_text(generate(seed))
    done = checking(REDUCED, *map(str, paths))
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    counts = list(map(int, done.stdout.split()))
    assert len(counts) >= 20 and max(counts) > 10_000


TWO = """
byte x, y, z[2];
chan c = [2] of {byte};
chan d = [2] of {byte};
active proctype P() { do :: x = 1 - x :: c!x :: z[1] = y od }
active proctype Q() { do :: c?y :: d!z[0] :: timeout -> skip od }
"""


def footprints(text: str, tmp_path: Path) -> tuple[Footprints, Layout]:
    path = tmp_path / "two.pml"
    path.write_text(text)
    engine = Engine(coset.load(path))
    layout = Layout(engine.interpreter, engine.plan)
    return Footprints(layout), layout


def test_a_footprint_has_what_is_read_and_what_is_written(tmp_path: Path) -> None:
    found, layout = footprints(TWO, tmp_path)
    variables = {variable.name: place for variable, place in layout.variables.items()}
    (mask,) = {each.bits for each in found.of_slot(0) if each is not None}

    def touches(offset: int) -> bool:
        return bool(mask >> 8 * offset & 0xFF)

    assert touches(variables["x"].first.offset)
    assert touches(variables["y"].first.offset)
    assert touches(variables["z"].element(1).offset)
    assert not touches(variables["z"].element(0).offset)
    (_, own), (_, others) = layout.channel_table()
    assert touches(own) and not touches(others)


def test_what_cannot_be_told_has_no_footprint(tmp_path: Path) -> None:
    found, _ = footprints(TWO, tmp_path)
    assert None in found.of_slot(1), "a timeout depends on everybody"
    assert None not in found.of_slot(0)
