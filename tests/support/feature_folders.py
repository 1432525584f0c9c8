"""Folders of featured networks."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.paths import MODELS

FOLDER = MODELS / "features"


def email_bad(folder: Path) -> Path:
    """The email network in which the mailer filters before it forwards."""
    target = folder / "email_bad"
    shutil.copytree(FOLDER / "email", target)
    mailer = (target / "mailer.tmpl").read_text()
    (target / "mailer.tmpl").write_text(mailer.replace("FILTER[dest].to[from]", "FILTER[to].to[from]"))
    return target
