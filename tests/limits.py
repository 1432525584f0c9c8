"""Limits on models of others: `python -m tests.limits [FILE...]`, without files on SPIN's examples.

Each is checked with `--max-seconds 3 --max-memory 500M` and an empty cache, and must end within five seconds and 575 MB.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.spin_examples import EXAMPLES

SECONDS, MEMORY = 3, 500
MOST_SECONDS, MOST_MEMORY = 5.0, 575
CODES = (0, 1, 2, 3)


def measured(line: list[str], cache: str) -> tuple[int, float, float, str]:
    """The exit code, the seconds, the megabytes, and the last line of what it said."""
    environment = {**os.environ, "COSET_CACHE": cache}
    with tempfile.TemporaryFile("w+") as output:
        began = time.monotonic()
        process = subprocess.Popen(line, env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().strip().rpartition("\n")[2]
    return process.returncode, seconds, usage.ru_maxrss / 1024, said


def main() -> int:
    files = [Path(name) for name in sys.argv[1:]] or sorted(EXAMPLES.rglob("*.pml"))
    failures = 0
    for file in files:
        with tempfile.TemporaryDirectory(prefix="limits-") as cache:
            limits = ["--max-seconds", str(SECONDS), "--max-memory", f"{MEMORY}M"]
            line = [sys.executable, "-m", "coset", "check", str(file), *limits]
            code, seconds, memory, said = measured(line, cache)
        kept = code in CODES and seconds <= MOST_SECONDS and memory <= MOST_MEMORY
        failures += not kept
        print(
            f"{'' if kept else 'FAILED '}{file.name}: exit {code}, {seconds:.1f} s, {memory:.0f} MB: {said}", flush=True
        )
    print(f"{len(files)} models, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
