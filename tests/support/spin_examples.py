"""SPIN's own examples, and which of them are special."""

from __future__ import annotations

import re
from pathlib import Path

EXAMPLES = Path("/usr/share/doc/spin/examples/Examples")
EMBEDDED_C = re.compile(r"\bc_(code|expr|decl|state|track)\b")
ABORTED = {"wordcount.pml"}
"""SPIN's verifier gives up in the first state: a channel is used that is none.  We report the fault."""
REJECTED = {"patterns.pml"}
"""SPIN rejects it too: Debian's SPIN has no `next`, and one formula has `&` for `&&`."""
LARGE = {
    "App.F.pftp.pml", "p108.pml", "p337.pftp.ses.pml", "p347.pftp.ses5.pml", "ex_6.pml", "leader.pml",
    "leader_pre.pml", "ltl_gen.pml", "petersonN.pml", "LTL/pftp.pml", "cambridge.pml", "dtp.pml", "life.pml",
    "priorities.pml", "sort.pml",
}  # fmt: skip
"""More than 200,000 states (or no end) in SPIN itself; `make check-all` makes sure."""
MANY = {
    "p329.pml", "p330.pml", "snoopy.pml", "hajek.pml", "eratosthenes.pml", "mobile1.pml", "train.pml", "leader_trace.pml",
    "leader0.pml",
}  # fmt: skip
"""More than 20,000 states, which the interpreter visits in `make check-all`; the compiled engine does so in every test."""


def examples() -> list[Path]:
    found = sorted(EXAMPLES.rglob("*.pml"))
    assert found, "Debian's spin package with its examples is needed: apt-get install spin"
    return found


def is_large(path: Path) -> bool:
    return path.name in LARGE or f"{path.parent.name}/{path.name}" in LARGE
