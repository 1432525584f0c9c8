"""The page about diagnostic codes says what the code says."""

from __future__ import annotations

import subprocess
import sys

from tests.support.paths import ROOT

SCRIPT = ROOT / "scripts" / "diagnostics_page.py"


def test_the_page_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
