"""States on disk: the same counts, verdicts and shortest runs as in memory; in parts, with little memory, on a full disk."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines.explicit import on_disk, safety
from coset.engines.explicit.checkpoint import CheckpointError
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Error
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.results.exploration import Exploration
from coset.results.trace import Trace, replay
from coset.source.budget import Limits
from coset.symmetry.canonical.plan import SymmetryPlan
from tests.support import promela_random, symmetric_random, teams_random
from tests.support.numbered_cases import planned
from tests.support.paths import MODELS
from tests.support.sanitized import ADDRESS, HERE, compile_c, run_clean

PHILOSOPHERS = MODELS / "philosophers.pml"
ANY_ERROR = (1 << Error.COUNT) - 1
DISK = Settings(storage="disk")


@pytest.fixture(params=[30_000, 16 << 20], ids=["small buffers", "large buffers"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The bytes of the buffers: if they are small, candidates are written to many runs."""
    monkeypatch.setattr(on_disk, "buffers", lambda limit: request.param)
    return int(request.param)


def philosophers(n: int) -> Model:
    return coset.load(PHILOSOPHERS, defines={"N": str(n)})


def figures(found: Exploration) -> tuple[object, ...]:
    errors = found.errors
    counted = errors.assertions, errors.invalid_end_states, errors.trace, tuple(errors.faults.items())
    return found.states, found.transitions, found.represents, found.depth, found.complete, counted


def searched(
    model: Model, plan: SymmetryPlan | None, settings: Settings, stop_at: int = 0
) -> tuple[Exploration, object]:
    return safety.search_states(Engine(model, Limits(states=60_000), settings=settings, symmetry=plan), stop_at)


def assert_equal(model: Model, plan: SymmetryPlan | None) -> bool:
    """Whether memory and disk were compared; the runs to errors end in the same level."""
    expected, _ = searched(model, plan, Settings())
    if not expected.complete:
        return False
    found, _ = searched(model, plan, DISK)
    assert figures(found) == figures(expected)
    (first, shown), (second, on_files) = (
        searched(model, plan, Settings(), ANY_ERROR),
        searched(model, plan, DISK, ANY_ERROR),
    )
    assert (shown is None) == (on_files is None) and first.depth == second.depth
    if isinstance(on_files, Trace):
        assert replay(model, on_files).shows_violation
    return True


@pytest.mark.parametrize("name", ["philosophers", "email_small", "peterson", "dynamic_workers", "two_phase_commit"])
def test_models(name: str, size: int) -> None:
    model = coset.load(MODELS / f"{name}.pml")
    assert assert_equal(model, None)


def test_quotients(size: int) -> None:
    """By packed and by whole states, with sums of orbits."""
    for model in (philosophers(9), coset.load(MODELS / "email_featured.pml"), coset.load(MODELS / "hypercube.pml")):
        assert assert_equal(model, planned(model))


def random_model(seed: int) -> Model:
    makers = promela_random.generate, symmetric_random.varied, symmetric_random.crowd, teams_random.program
    return coset.parse_text(makers[seed % len(makers)](seed))


def compare_seeds(first: int, last: int) -> int:
    compared = 0
    for seed in range(first, last):
        model = random_model(seed)
        compared += assert_equal(model, None)
        if seed % 4:
            compared += assert_equal(model, planned(model))
    return compared


def test_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_disk, "buffers", lambda limit: 20_000)
    assert compare_seeds(0, 8) > 6


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 200, 20))
def test_many_random_programs(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_disk, "buffers", lambda limit: 20_000)
    assert compare_seeds(first, first + 20) > 12


# --- in parts --------------------------------------------------------------------------------------


def part(model: Model, folder: Path, limit: int | None) -> Exploration:
    resume = (folder / "checkpoint.json").exists()
    settings = Settings(storage="disk", checkpoints=Checkpoints(folder, 1000.0, resume))
    return safety.explore(model, Limits(states=limit), settings=settings)


def test_a_search_in_many_parts(size: int, tmp_path: Path) -> None:
    model = philosophers(9)
    whole = safety.explore(model, settings=DISK)
    parts = [part(model, tmp_path, limit) for limit in range(4000, 40_000, 7000)]
    assert len({each.states for each in parts}) > 3, "nothing was stopped"
    assert not any(each.complete for each in parts)
    assert figures(part(model, tmp_path, None)) == figures(whole)
    assert not list(tmp_path.glob("*.levels")), "files of a search that is over are removed"


def test_a_damaged_file(tmp_path: Path) -> None:
    """Whatever byte is changed: the search says so, unless it never reads it."""
    model, chance = philosophers(8), random.Random(1)
    whole = safety.explore(model, settings=DISK)
    part(model, tmp_path, 5000)
    (folder,) = tmp_path.glob("*.levels")
    content = {file: file.read_bytes() for file in folder.iterdir()}
    refused = 0
    for _ in range(12):
        file = chance.choice(sorted(content))
        at = chance.randrange(len(content[file]))
        folder.mkdir(exist_ok=True)
        for each, text in content.items():
            each.write_bytes(text)
        file.write_bytes(
            content[file][:at] + bytes([content[file][at] ^ 1 << chance.randrange(8)]) + content[file][at + 1 :]
        )
        try:
            found = part(model, tmp_path, None)
            refused += found.stopped == "a damaged file of states"
            assert found.stopped == "a damaged file of states" or figures(found) == figures(whole)
        except CheckpointError:
            refused += 1
    assert refused > 6


def test_more_values_than_expected(tmp_path: Path) -> None:
    """Numbers that need more bits than were estimated: the search begins again, and can be resumed with these bits."""
    text = "int n, m; active proctype P() { do :: n < 900 -> n++ :: n > 40 && m < 9 -> m++; n = n - 40 :: n == 900 -> break od }"
    model = coset.parse_text(text)
    whole = safety.explore(model)
    first = part(model, tmp_path, whole.states * 2 // 3)
    assert not first.complete and first.states > 300
    found = part(model, tmp_path, None)
    assert figures(found) == figures(whole)


# --- limits and options ---------------------------------------------------------------------------

FULL = """
import resource, sys
from coset.cli import main
from coset.engines.explicit import on_disk
size = int(sys.argv.pop(1))

def buffers(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return 1 << 20

on_disk.buffers = buffers
sys.exit(main(sys.argv[1:]))
"""
"""No file may be larger from the beginning of the search on."""


def test_a_full_disk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is known is said, and the search goes on elsewhere."""
    options = [
        "explore",
        str(PHILOSOPHERS),
        "-D",
        "N=10",
        "--symmetry",
        "off",
        "--engine",
        "explicit",
        "--storage",
        "disk",
    ]
    folder = str(tmp_path / "states")
    done = subprocess.run(
        [sys.executable, "-c", FULL, "120000", *options, "--disk", folder], capture_output=True, text=True
    )
    assert done.returncode == 3, done.stderr
    assert "a failure of the disk: File too large" in done.stdout
    assert main([*options, "--disk", folder, "--resume"]) == 0
    assert "154,450" in capsys.readouterr().out


def test_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = safety.explore(philosophers(7), settings=DISK)
    assert found.complete and found.disk > 1000
    assert not list(tmp_path.glob("coset-states-*"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--storage", "disk", "--threads", "2"], "one thread"),
        (["--storage", "disk", "--order", "depth"], "breadth first"),
        (["--storage", "disk", "--reduction", "por"], "partial order reduction"),
        (["--storage", "disk", "--checkpoint", "x"], "--disk DIR instead"),
        (["--disk", "x"], "--storage disk"),
    ],
)
def test_options_that_exclude_each_other(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(PHILOSOPHERS), *options]) == 2
    assert said in capsys.readouterr().err


def test_errors_before_a_resumption_would_be_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--storage", "disk", "--disk", str(tmp_path / "states"), "--all-errors"]
    assert main(["check", str(PHILOSOPHERS), *options]) == 2
    assert "--all-errors cannot be used with --disk" in capsys.readouterr().err


def test_a_verdict_with_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PHILOSOPHERS), "-D", "N=6", "--storage", "disk", "--engine", "explicit"]) == 1
    assert "violates 'end states'" in capsys.readouterr().out


def test_memory_stays_within_its_limit() -> None:
    """The resident memory of the process, which is not a matter of time."""
    limit = 100 << 20
    command = "import sys; from coset.cli import main; sys.exit(main(sys.argv[1:]))"
    options = ["explore", str(PHILOSOPHERS), "-D", "N=12", "--symmetry", "off", "--engine", "explicit"]
    done = subprocess.run(
        [sys.executable, "-c", command, *options, "--storage", "disk", "--max-memory", "100M"],
        capture_output=True, text=True, env=os.environ,
    )  # fmt: skip
    assert done.returncode == 0 and "1,684,801" in done.stdout, done.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
    (line,) = (line for line in done.stdout.splitlines() if line.strip().startswith("memory"))
    assert int(line.split()[1]) <= limit >> 20


@pytest.mark.parametrize("words", [1, 2, 5])
def test_runs_in_c(words: int, tmp_path: Path) -> None:
    from coset.engines.explicit.build import runtime_files

    for name, text in runtime_files().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model.h").write_text(
        f"#define STATE_SIZE {8 * words}\n#define PACKED_SIZE {8 * words}\n#define MODEL_SLOTS 1\n"
    )
    compile_c(tmp_path, ADDRESS, ["runs.c", "sorting.c", "blocks.c", str(HERE / "runs_test.c")], tmp_path / "test")
    assert run_clean([str(tmp_path / "test")]) == "ok\n"
