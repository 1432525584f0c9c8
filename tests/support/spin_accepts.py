"""Whether SPIN accepts a text."""

from __future__ import annotations

import subprocess
from pathlib import Path


def spin_accepts(text: str, folder: Path) -> bool:
    (folder / "m.pml").write_text(text)
    return subprocess.run(["spin", "-a", "m.pml"], cwd=folder, capture_output=True, check=False).returncode == 0
