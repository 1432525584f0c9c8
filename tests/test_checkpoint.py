"""Checkpoints: a search that was killed at any moment goes on and ends with the same counts."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.cli import main
from coset.engines.explicit import engine
from coset.engines.explicit.checkpoint import CheckpointError, file_of, identity
from coset.engines.limits import Limits
from coset.engines.settings import STORAGES, Checkpoints, Settings
from coset.model.model import Model
from coset.results.events import Event, Warned
from coset.results.exploration import Exploration
from tests.expectations import MODELS

PHILOSOPHERS = MODELS / "philosophers.pml"
OFTEN = 0.02
RUN = "import sys; from coset.cli import main; sys.exit(main(sys.argv[1:]))"


def philosophers(n: int) -> Model:
    return coset.load(PHILOSOPHERS, defines={"N": str(n)})


def explored(model: Model, folder: Path, limit: int | None = None, **choices: Any) -> Exploration:
    """With a checkpoint in a folder; from there if there is one."""
    resume = (folder / "checkpoint.json").exists()
    settings = Settings(checkpoints=Checkpoints(folder, OFTEN, resume), **choices)
    return engine.explore(model, Limits(states=limit), settings=settings)


def figures(result: Exploration) -> tuple[object, ...]:
    errors = result.errors
    return result.states, result.transitions, result.depth, errors.assertions, errors.invalid_end_states, errors.faults


@pytest.mark.parametrize("storage", STORAGES)
def test_a_search_in_many_parts(storage: str, tmp_path: Path) -> None:
    """Stopped at limits, with one thread and with two by turns."""
    model = philosophers(9)
    whole = engine.explore(model, settings=Settings(storage=storage, log_bits=26))
    parts = [explored(model, tmp_path, limit, storage=storage, log_bits=26, threads=1 + limit // 7000 % 2)
             for limit in range(4000, 40_000, 7000)]  # fmt: skip
    assert len({part.states for part in parts}) > 3, "nothing was stopped"
    last = explored(model, tmp_path, storage=storage, log_bits=26)
    assert figures(last) == figures(whole)
    assert all(not part.complete for part in parts) and last.complete == whole.complete


def test_a_finished_search_is_not_made_again(tmp_path: Path) -> None:
    model = philosophers(6)
    first = explored(model, tmp_path)
    again = explored(model, tmp_path, limit=1)
    assert first.complete and again.complete
    assert figures(again) == figures(first)
    assert sum(file.stat().st_size for file in tmp_path.glob("*.search")) < 1000


@pytest.mark.parametrize("threads", [1, 2])
def test_killed_at_any_moment(threads: int, tmp_path: Path) -> None:
    """Also while a checkpoint is being written, which is most of the time here."""
    command = [sys.executable, "-c", RUN, "explore", str(PHILOSOPHERS), "-D", "N=12", "--engine", "explicit", "--json",
               "--threads", str(threads), "--checkpoint", str(tmp_path), "--checkpoint-every", str(OFTEN)]  # fmt: skip
    expected = engine.explore(philosophers(12))
    choose = random.Random(threads)
    killed = 0
    for _ in range(5):
        resume = ["--resume"] if (tmp_path / "checkpoint.json").exists() else []
        process = subprocess.Popen([*command, *resume], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_file(tmp_path, process)
        try:
            _, errors = process.communicate(timeout=choose.uniform(0.0, 0.4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
            continue
        assert process.returncode == 0, errors
        break
    assert killed > 0, "it was over before it could be killed"
    last = explored(philosophers(12), tmp_path, threads=threads)
    assert figures(last) == figures(expected)


def wait_for_file(folder: Path, process: subprocess.Popen[str]) -> None:
    """Until the search has begun to write, or is over."""
    before = {file.name: file.stat().st_mtime_ns for file in folder.glob("*.search*")}
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        try:
            if {file.name: file.stat().st_mtime_ns for file in folder.glob("*.search*")} != before:
                return
        except FileNotFoundError:  # renamed in between
            return
        time.sleep(0.005)


def test_an_error_is_found_after_a_pause(tmp_path: Path) -> None:
    """The way to it leads through states that were found before the pause."""
    model = philosophers(9)
    options: dict[str, Any] = {"properties": ["end states"], "engine": "explicit"}
    expected = coset.check(model, **options)
    first = coset.check(model, max_states=3000, settings=Settings(checkpoints=Checkpoints(tmp_path, OFTEN)), **options)
    again = coset.check(model, settings=Settings(checkpoints=Checkpoints(tmp_path, OFTEN, resume=True)), **options)
    assert first.verdict.value == "unknown"
    assert again.verdict is expected.verdict
    [trace], [other] = ([each.trace for each in result.properties] for result in (again, expected))
    assert trace is not None and other is not None and len(trace) == len(other)


# --- what is refused ------------------------------------------------------------------------------------------------


def test_other_models_and_settings_are_refused_by_name(tmp_path: Path) -> None:
    explored(philosophers(5), tmp_path, 500)
    with pytest.raises(CheckpointError, match="as it was before it was changed"):
        explored(philosophers(6), tmp_path)
    with pytest.raises(CheckpointError, match=r"another model, philosophers\.pml"):
        explored(coset.load(MODELS / "peterson.pml"), tmp_path)
    with pytest.raises(CheckpointError, match="made with --storage packed"):
        explored(philosophers(5), tmp_path, storage="fingerprints")
    with pytest.raises(CheckpointError, match="already holds a checkpoint"):
        engine.explore(philosophers(5), settings=Settings(checkpoints=Checkpoints(tmp_path)))


def test_nothing_to_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "explore",
        str(PHILOSOPHERS),
        "-D",
        "N=9",
        "--engine",
        "explicit",
        "--checkpoint",
        str(tmp_path),
        "--resume",
    ]
    assert main(words) == 2
    assert "there is no checkpoint in" in capsys.readouterr().err


def test_a_damaged_checkpoint(tmp_path: Path) -> None:
    explored(philosophers(8), tmp_path, 2000)
    [file] = tmp_path.glob("*.search")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="cannot be read"):
        explored(philosophers(8), tmp_path)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """The search goes on, and says so."""
    model = philosophers(9)
    folder = tmp_path / "checkpoints"
    settings = Settings(checkpoints=Checkpoints(folder, OFTEN))
    told: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Warned):
            told.append(event.message)

    class Full(engine.Engine):
        """/dev/full takes nothing."""

        def request(self, compiled: engine.Compiled) -> tuple[engine.Request, object]:
            folder.mkdir(exist_ok=True)
            (folder / "checkpoint.json").touch()
            for name in {file_of(Checkpoints(folder), number).name for number in self.numbers(compiled)}:
                (folder / f"{name}.new").unlink(missing_ok=True)
                (folder / f"{name}.new").symlink_to("/dev/full")
            return super().request(compiled)

        def numbers(self, compiled: engine.Compiled) -> list[int]:
            return [identity(compiled.program, compiled.coding, 0, False, self.settings)]

    result, _ = engine.search_states(Full(model, listener=listen, settings=settings), stop_at=0)
    assert figures(result) == figures(engine.explore(model))
    assert told and "No space left" in told[0] and "the search goes on" in told[0]
