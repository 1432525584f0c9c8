"""Commands that are ended from outside: by signals at any moment, and by their limits in calls that cannot be stopped.

No test looks at how long something took: time limits of subprocesses only guard against what never ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path

import pytest

from coset.cli import interruption
from coset.cli.errors import guarded
from coset.source import children, leftovers
from coset.source.budget import Budget, OutOfBudget, installed
from coset.source.scratch import scratch_folder, temporary
from tests import interruptions
from tests.support.paths import ROOT

GUARD = 120

STUCK = """
import hashlib, os, signal, sys
from coset.cli.errors import guarded
from coset.source.budget import current_budget
from coset.source.scratch import scratch_folder

def action():
    with scratch_folder() as folder:
        print(folder, file=sys.stderr, flush=True)
        {before}
        hashlib.pbkdf2_hmac("sha256", b"a", b"b", (1 << 31) - 1)  # does not look at signals, and takes many minutes

sys.exit(guarded(sys.argv[1:], action))
"""


def stuck(before: str, *arguments: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A command in the middle of a long call, and its temporary folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = [sys.executable, "-c", STUCK.format(before=before), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=GUARD, env=environment)
    folder, _, rest = done.stderr.partition("\n")
    done.stderr = rest
    return done, Path(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_call_that_ignores_signals_is_ended(number: signal.Signals) -> None:
    later = f"import threading; threading.Timer(0.2, os.kill, [os.getpid(), {int(number)}]).start()"
    done, folder = stuck(later, "check", "--json")
    assert (done.returncode, done.stderr) == (128 + number, "coset: interrupted\n")
    assert json.loads(done.stdout)["error"]["kind"] == "interrupted"
    assert folder.name.startswith("coset-") and not folder.exists()


def test_a_call_that_ignores_the_deadline_is_ended() -> None:
    done, folder = stuck("current_budget().seconds = 0.1")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "coset: not complete: stopped at 0.1 seconds (--max-seconds)\n"
    assert not folder.exists()


def test_a_call_that_ignores_the_memory_is_ended() -> None:
    done, folder = stuck("current_budget().memory = 100 << 20; kept = b'x' * (300 << 20)")
    assert done.returncode == 3 and "(--max-memory)" in done.stderr
    assert not folder.exists()


@pytest.mark.parametrize("flag", ["reporting", "saving"])
def test_what_is_known_is_shown_after_the_deadline(flag: str) -> None:
    """Neither a report nor a checkpoint is cut short by the deadline."""
    work = "import time; current_budget().seconds = 0; current_budget().{} = True; end = time.thread_time() + 1.5"
    done, _ = stuck(f"{work.format(flag)}\n        while time.thread_time() < end: pass\n        return 0")
    assert (done.returncode, done.stderr) == (0, "")


def test_no_message_of_a_destructor_after_an_interruption(capfd: pytest.CaptureFixture[str]) -> None:
    class Half:
        def __del__(self) -> None:
            raise AttributeError("never constructed")

    def action() -> int:
        Half()
        if interrupted:
            os.kill(os.getpid(), signal.SIGINT)
            while True:
                pass
        return 0

    hook = sys.unraisablehook
    try:
        sys.unraisablehook = sys.__unraisablehook__
        interrupted = False
        assert guarded([], action) == 0 and "AttributeError" in capfd.readouterr().err
        interrupted = True
        assert guarded([], action) == 130
        capfd.readouterr()
        Half()
        assert capfd.readouterr().err == ""
    finally:
        sys.unraisablehook = hook
        interruption.Interruption.seen = False


def test_a_program_ends_with_its_children(tmp_path: Path) -> None:
    budget, started = Budget(), tmp_path / "started"

    def interrupt() -> None:
        while not started.exists():
            time.sleep(0.01)
        budget.interrupt()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(OutOfBudget):
        script = "sleep 1000 & echo $! > child; mv child started; wait"
        children.run(["sh", "-c", script], folder=tmp_path, budget=budget)
    thread.join()
    child = int(started.read_text())
    for _ in range(GUARD * 10):
        if not is_running(child):
            return
        subprocess.run(["sleep", "0.1"], check=True)  # the signal has been sent, but may not have arrived
    pytest.fail("the child of the program is still running")


def is_running(process: int) -> bool:
    """Neither gone nor waiting to be collected by its parent."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_program_is_started_after_the_end(tmp_path: Path) -> None:
    with installed(Budget(seconds=0)), pytest.raises(OutOfBudget):
        children.run(["touch", "started"], folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_much_is_sent_to_and_read_from_a_program() -> None:
    text = b"0123456789abcdef" * (1 << 16)
    assert children.run(["sh", "-c", "sleep 0.3; cat"], given=text).output == text


def test_files_that_are_left_are_removed(tmp_path: Path) -> None:
    with temporary(tmp_path / "partial") as path:
        path.write_text("x")
        assert str(path) in leftovers.files
    assert not path.exists() and str(path) not in leftovers.files
    with temporary(tmp_path / "complete.new") as path:
        path.write_text("x")
        path.rename(tmp_path / "complete")
    assert (tmp_path / "complete").exists()
    with pytest.raises(KeyboardInterrupt), scratch_folder() as folder:
        (folder / "inner").mkdir()
        raise KeyboardInterrupt
    assert not folder.exists()


def test_interruptions_at_random_moments() -> None:
    """`make check-all` has 200 of them, and looks at the clock as well."""
    tally = interruptions.Tally()
    with interruptions.workplace() as folder:
        made = sum(interruptions.interrupt(case, folder, tally) for case in islice(interruptions.cases(3), 12))
    assert made > 6
    assert not [failure for failure in tally.failures if "took" not in failure]
