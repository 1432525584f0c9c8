"""SPIN's verdicts on `ltl` blocks and never claims: the oracle for those of `coset check`.

    spin -o1 -o2 -o3 -a m.pml
    gcc -DNOREDUCE -DNFAIR=5 pan.c
    ./pan -a [-f] -N name

Three things would make SPIN answer another question, so `plain` takes them out of a text before either tool reads it:
assertions (pan's option against them also silences those that SPIN itself puts into the claims of safety formulas),
accept labels in processes (a cycle through one is an error, whatever the formula), and progress labels.
Answers are kept on disk like those of `spin_reference`.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.spin_reference import SPIN_FLAGS, _cache_folder, _run, compile_verifier, spin_version

GCC_FLAGS = ("-w", "-DNOREDUCE", "-DNFAIR=5", "-DVECTORSZ=8192", "-DMEMLIM=2048")
FORMAT = "claims 2"
HOLDS, VIOLATED = "holds", "violated"
FIRST_DEPTH, LAST_DEPTH = 100_000, 100_000_000
_SHOWN = re.compile(r"^pan:\d+: (.*) \(at depth -?\d+\)$", re.MULTILINE)
_OF_A_CLAIM = ("acceptance cycle", "end state in claim reached", "assertion violated", "claim violated")

Question = tuple[str, bool]
"""The name of a claim, and whether weak fairness is assumed."""


def plain(text: str) -> str:
    """The text without the labels that have a meaning of their own in SPIN's search, and without assertions.

    >>> print(plain("accept_a: assert(x == 1)"))
    #define assert(...) (true)
    Laccept_a: assert(x == 1)
    """
    return without_assertions(re.sub(r"\b(accept|progress)(?=_)", r"L\1", text))


def without_assertions(text: str) -> str:
    return f"#define assert(...) (true)\n{text}"


def spin_verdicts(path: Path, questions: Sequence[Question], seconds: float = 10.0, cache: bool = True) -> list[str]:
    """SPIN's verdict for each question: holds, violated, or why there is none."""
    text = path.read_text(errors="replace")
    key = hashlib.sha256("\0".join((FORMAT, spin_version(), *SPIN_FLAGS, *GCC_FLAGS, text)).encode()).hexdigest()
    entry = _cache_folder().parent / "spin-claims" / key[:2] / f"{key}.json"
    known: dict[str, str] = {}
    if cache and entry.is_file():
        known = json.loads(entry.read_text())
    asked = {(name, fair): f"{name}{' fair' * fair}" for name, fair in questions}
    if any(word not in known for word in asked.values()):
        with tempfile.TemporaryDirectory(prefix="coset-spin-") as folder:
            problem = _build(Path(folder), path)
            for question, word in asked.items():
                if word not in known:
                    known[word] = problem or _verdict(Path(folder), *question, seconds)
        if cache:
            entry.parent.mkdir(parents=True, exist_ok=True)
            entry.write_text(json.dumps(known))
    return [known[asked[question]] for question in questions]


def _build(folder: Path, path: Path) -> str | None:
    done = _run(["spin", *SPIN_FLAGS, "-a", str(path.resolve())], folder, 60)
    if done.returncode != 0 or not (folder / "pan.c").is_file():
        return f"rejected: {(done.stdout + done.stderr)[-300:]}"
    done = compile_verifier(folder, [*GCC_FLAGS, f"-I{path.resolve().parent}"])
    return f"gcc: {done.stderr[:300]}" if done.returncode else None


def _verdict(folder: Path, name: str, fair: bool, seconds: float) -> str:
    depth = FIRST_DEPTH
    while True:
        chosen = f"-N {name}" if name else ""
        limits = f"ulimit -c 0; ulimit -t {max(1, round(seconds))}"
        command = f"{limits}; exec ./pan -a {'-f' if fair else ''} {chosen} -n -m{depth} -w20"
        done = _run(["sh", "-c", command], folder, seconds * 15 + 10)
        text = done.stdout
        shown = _SHOWN.findall(text)
        if shown:
            return VIOLATED if shown[0].startswith(_OF_A_CLAIM) else f"other: {shown[0]}"
        if done.returncode in (124, 137, 152, -9, -24):
            return "timeout"
        if "max search depth too small" in text and depth < LAST_DEPTH:
            depth *= 10
            continue
        if "errors: 0" not in text or "Search not completed" in text or "too small" in text:
            return f"unusable: {(text + done.stderr)[-200:]}"
        return HOLDS
