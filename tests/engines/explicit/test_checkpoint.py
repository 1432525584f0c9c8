"""Checkpoints: a search that was killed at any moment goes on and ends with the same counts."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.cli import main
from coset.engines.choices import STORAGES
from coset.engines.explicit import engine, safety
from coset.engines.explicit.checkpoint import CheckpointError, prepare
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.seam import Request, Result
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.results.events import Event, Warned
from coset.results.exploration import Exploration
from coset.source.budget import Limits
from tests.support.paths import MODELS

PHILOSOPHERS = MODELS / "philosophers.pml"
OFTEN = 0.02
IN_MEMORY = [storage for storage in STORAGES if storage != "disk"]
"""`test_disk.py` has the others."""
VALUES = 24
MANY_SUCCESSORS = "byte a[3];" + "".join(
    f"active proctype P{k}() {{ if " + " ".join(f":: a[{k}] = {v}" for v in range(1, VALUES + 1)) + " fi }"
    for k in range(3)
)
RUN = "import sys; from coset.cli import main; sys.exit(main(sys.argv[1:]))"
RUN_UNTIL_KILLED = "import signal, sys; signal.setitimer(signal.ITIMER_PROF, float(sys.argv.pop(1))); " + RUN


def philosophers(n: int) -> Model:
    return coset.load(PHILOSOPHERS, defines={"N": str(n)})


def explored(model: Model, folder: Path, limit: int | None = None, **choices: Any) -> Exploration:
    """With a checkpoint in a folder; from there if there is one."""
    resume = (folder / "checkpoint.json").exists()
    settings = Settings(checkpoints=Checkpoints(folder, OFTEN, resume), **choices)
    return safety.explore(model, Limits(states=limit), settings=settings)


def figures(result: Exploration) -> tuple[object, ...]:
    errors = result.errors
    return result.states, result.transitions, result.depth, errors.assertions, errors.invalid_end_states, errors.faults


@pytest.mark.parametrize("storage", IN_MEMORY)
def test_a_search_in_many_parts(storage: str, tmp_path: Path) -> None:
    """Stopped at limits, with one thread and with two by turns."""
    model = philosophers(9)
    whole = safety.explore(model, settings=Settings(storage=storage, log_bits=26))
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
def test_killed_at_any_moment(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while a checkpoint is being written, which is most of the time here.

    The system kills the process after some time of computing, far less than the search needs.
    """
    environment = dict(os.environ)
    monkeypatch.setenv("COSET_CFLAGS", "-O2")  # for the searches that are not killed
    command = ["explore", str(PHILOSOPHERS), "-D", "N=13", "--engine", "explicit", "--symmetry", "off", "--json",
               "--threads", str(threads), "--checkpoint", str(tmp_path), "--checkpoint-every", str(OFTEN)]  # fmt: skip
    choose = random.Random(threads)
    codes = []
    for _ in range(5):
        resume = ["--resume"] if (tmp_path / "checkpoint.json").exists() else []
        moment = str(choose.uniform(0.3, 1.0))
        process = [sys.executable, "-c", RUN_UNTIL_KILLED, moment, *command, *resume]
        codes.append(subprocess.run(process, capture_output=True, env=environment).returncode)
    assert codes[0] == -signal.SIGPROF, "it was over before it could be killed"
    assert set(codes) <= {-signal.SIGPROF, 0}
    model = philosophers(13)
    last = explored(model, tmp_path, threads=threads)
    assert figures(last) == figures(safety.explore(model))


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
        safety.explore(philosophers(5), settings=Settings(checkpoints=Checkpoints(tmp_path)))


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


def test_a_damaged_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """test_checkpoint_damage.py has more of them."""
    words = ["explore", str(PHILOSOPHERS), "-D", "N=8", "--engine", "explicit", "--checkpoint", str(tmp_path)]
    assert main([*words, "--max-states", "500"]) == 3
    [file] = tmp_path.glob("*.search")
    file.write_bytes(file.read_bytes()[:-100])
    capsys.readouterr()
    assert main([*words, "--resume"]) == 2
    assert f"{file} is damaged" in capsys.readouterr().err
    file.unlink()
    assert main([*words, "--resume"]) == 0


def test_two_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = philosophers(5)
    words = ["explore", str(PHILOSOPHERS), "-D", "N=5", "--engine", "explicit", "--checkpoint", str(tmp_path)]
    with prepare(model, Settings(checkpoints=Checkpoints(tmp_path))):
        for more in ([], ["--resume"]):
            assert main([*words, *more]) == 4
            assert f"{tmp_path} is in use by another run" in capsys.readouterr().err
    assert main([*words, "--resume"]) == 0


def test_what_a_killed_process_leaves_is_removed(tmp_path: Path) -> None:
    explored(philosophers(5), tmp_path, 100)
    (tmp_path / "0123456789abcdef.search.99.new").write_text("half of it")
    explored(philosophers(5), tmp_path)
    assert not list(tmp_path.glob("*.new"))


# --- when it is written ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("storage", IN_MEMORY)
def test_at_every_limit(threads: int, storage: str, tmp_path: Path) -> None:
    """Even if a level has many more states than the limit has left.  Every part goes on where the one before has stopped."""
    model, before = coset.parse_text(MANY_SUCCESSORS), 0
    whole = safety.explore(model, settings=Settings(storage=storage, log_bits=26))
    for limit in (100, 3000, 9000, None):
        resume = (tmp_path / "checkpoint.json").exists()
        settings = Settings(threads, storage, log_bits=26, checkpoints=Checkpoints(tmp_path, 1000.0, resume))
        found = safety.explore(model, Limits(states=limit), settings=settings)
        assert found.states > before and list(tmp_path.glob("*.search"))
        before = found.states
    assert figures(found) == figures(whole)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("storage", "reserve"), [("packed", 3 << 20), ("fingerprints", 3 << 20), ("states", 4 << 20)])
def test_at_the_limit_of_memory(storage: str, reserve: int, threads: int, tmp_path: Path) -> None:
    """Where a table may not grow, what is half done is finished first."""
    model = philosophers(11)
    whole = safety.explore(model, settings=Settings(storage=storage))

    class Tight(engine.Engine):
        def request(self, compiled: Compiled, order: str | None = None) -> tuple[Request, object]:
            request, kept = super().request(compiled, order)
            request.reserve = reserve
            return request, kept

    first = Settings(threads, storage, checkpoints=Checkpoints(tmp_path, 1000.0))
    with prepare(model, first):
        stopped, _ = safety.search_states(Tight(model, settings=first), stop_at=0)
    assert stopped.stopped is not None and "memory" in stopped.stopped and 0 < stopped.states < whole.states
    assert list(tmp_path.glob("*.search"))
    again = explored(model, tmp_path, stopped.states + 1, storage=storage)
    assert again.states > stopped.states
    assert figures(explored(model, tmp_path, storage=storage)) == figures(whole)


def test_at_an_interruption(tmp_path: Path) -> None:
    model = philosophers(10)

    class Interrupted(engine.Engine):
        """Ctrl-C before anything else."""

        def watch(self, search: Callable[[], object], result: Result, levels: bool = False) -> None:
            result.stop_asked = 1
            super().watch(search, result, levels)

    first = Settings(checkpoints=Checkpoints(tmp_path, 1000.0))
    with prepare(model, first):
        stopped, _ = safety.search_states(Interrupted(model, settings=first), stop_at=0)
    assert stopped.interrupted and list(tmp_path.glob("*.search"))
    assert figures(explored(model, tmp_path)) == figures(safety.explore(model))


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """The search goes on, and says so."""
    model = philosophers(9)
    settings = Settings(checkpoints=Checkpoints(tmp_path, OFTEN))
    told: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Warned):
            told.append(event.message)

    class Full(engine.Engine):
        """No file may be longer than this."""

        def watch(self, search: Callable[[], object], result: Result, levels: bool = False) -> None:
            old = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, old[1]))
            try:
                super().watch(search, result, levels)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, old)

    result, _ = safety.search_states(Full(model, listener=listen, settings=settings), stop_at=0)
    assert figures(result) == figures(safety.explore(model))
    assert told and "File too large" in told[0] and "the search goes on" in told[0]
    assert not list(tmp_path.glob("*.new"))


def test_more_memory_for_the_rest(tmp_path: Path) -> None:
    """The limit of memory chooses the number of bits, which matters only where states are kept as bits."""
    model = philosophers(7)
    first = safety.explore(model, Limits(states=500), settings=Settings(log_bits=30, checkpoints=Checkpoints(tmp_path)))
    again = Settings(log_bits=31, checkpoints=Checkpoints(tmp_path, OFTEN, resume=True))
    assert not first.complete and safety.explore(model, settings=again).complete
