"""Compare Coset's reference engine with SPIN: states, transitions, violated assertions, invalid end states.

    python -m tests.support.spin_compare [-D N=3] [--seconds S] [--max-states 200000] [--minimise] FILE|DIR...

One line per model, a summary, and exit status 1 if anything differs. For the first model that differs, both tools'
automata are printed and kept in a folder: counts that differ nearly always come from a control point that one side has
and the other has not, and that is seen fastest by laying SPIN's table (`pan -d`) next to Coset's model.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.spin_reference import SpinReference, spin_automata, spin_reference, spin_reference_many

OK = "ok"
DIFFERENT = "DIFF"
SPIN_REJECTS = "spin-rejects"  # SPIN cannot say anything, whether or not Coset accepts the model
COSET_REJECTS = "coset-rejects"
COSET_FAILS = "coset-fails"  # an exception that is not a diagnostic: always a bug
TOO_LARGE = "too large"
EMBEDDED_C = "embedded C refused"
NOT_COMPARABLE = "not comparable"  # SPIN gave up half-way, or the counts depend on its memory layout
FAILURES = frozenset({DIFFERENT, COSET_REJECTS, COSET_FAILS})

# After these SPIN goes on with whatever is in memory; a handshake cannot be polled.
_MEANINGLESS = frozenset({"invalid array index", "error to poll rendezvous channel", "polling rv chan"})
_EMBEDDED_C = re.compile(r"\bc_(code|expr|decl|state|track)\b")


@dataclass(frozen=True)
class Figures:
    """What both tools are asked to agree on."""

    states: int
    transitions: int
    assertions: int
    invalid_end_states: int

    def __str__(self) -> str:
        return (
            f"{self.states} states, {self.transitions} transitions, "
            f"{self.assertions} assertions, {self.invalid_end_states} invalid ends"
        )


@dataclass(frozen=True)
class Comparison:
    """The outcome for one model; `detail` says why when it is not `ok`."""

    path: Path
    verdict: str
    spin: Figures | None = None
    coset: Figures | None = None
    detail: str = ""

    @property
    def failed(self) -> bool:
        return self.verdict in FAILURES

    def __str__(self) -> str:
        if self.verdict == OK:
            return f"{self.verdict:14} {self.path}: {self.spin}"
        if self.verdict == DIFFERENT:
            return f"{self.verdict:14} {self.path}\n    SPIN : {self.spin}\n    Coset: {self.coset}"
        shown = self.detail.strip().splitlines()[-1:] if self.verdict == COSET_FAILS else [self.detail]
        return f"{self.verdict:14} {self.path}: {''.join(shown)}"


def compare(
    path: str | Path,
    *,
    defines: Mapping[str, str] | None = None,
    seconds: float = 60.0,
    max_states: int = 200_000,
    cache: bool = True,
) -> Comparison:
    """Run both tools on one model."""
    spin = spin_reference(path, defines=defines, seconds=seconds, cache=cache)
    return compare_with(spin, Path(path), defines=defines, seconds=seconds, max_states=max_states)


def compare_many(
    paths: Sequence[str | Path],
    *,
    defines: Mapping[str, str] | None = None,
    seconds: float = 60.0,
    max_states: int = 200_000,
) -> Iterator[Comparison]:
    """Run both tools on several models, in order; SPIN and gcc work ahead while Coset explores."""
    answers = spin_reference_many(paths, defines=defines, seconds=seconds)
    for path, spin in zip(paths, answers, strict=True):
        yield compare_with(spin, Path(path), defines=defines, seconds=seconds, max_states=max_states)


def compare_with(
    spin: SpinReference,
    path: Path,
    *,
    defines: Mapping[str, str] | None = None,
    seconds: float = 60.0,
    max_states: int = 200_000,
) -> Comparison:
    """Run Coset on a model for which SPIN's answer is known."""
    if not spin.accepted:
        return Comparison(path, SPIN_REJECTS, detail=spin.why)
    if spin.status in ("timeout", "memory", "depth", "inexact") or spin.states > max_states:
        return Comparison(path, TOO_LARGE, detail=spin.why or f"{spin.states} states in SPIN")
    if not spin.ok or _MEANINGLESS.intersection(spin.other_errors):
        return Comparison(path, NOT_COMPARABLE, detail=f"{spin.status}: {'; '.join(spin.other_errors) or spin.why}")
    expected = Figures(spin.states, spin.transitions, spin.assertions, spin.invalid_end_states)
    return _run_coset(path, expected, defines, seconds, max_states)


def _run_coset(
    path: Path, expected: Figures, defines: Mapping[str, str] | None, seconds: float, max_states: int
) -> Comparison:
    from coset import InputError, explore  # here, so that SPIN's side can be used while Coset does not import

    try:
        # Far more room than SPIN needed, so that too many states are seen as a difference and not as a limit.
        result = explore(
            str(path),
            engine="reference",
            symmetry="off",
            defines=dict(defines or {}),
            max_states=max(max_states, 2 * expected.states) + 1,
            max_seconds=seconds * 10 + 60,
        )
    except InputError as error:
        if _EMBEDDED_C.search(path.read_text(errors="replace")):
            return Comparison(path, EMBEDDED_C, expected, detail=_one_line(str(error)))
        return Comparison(path, COSET_REJECTS, expected, detail=str(error))
    except Exception:  # a crash in one model must not hide the others
        return Comparison(path, COSET_FAILS, expected, detail=traceback.format_exc())
    errors = result.errors
    found = Figures(result.states, result.transitions, errors.assertions, errors.invalid_end_states)
    if found == expected:
        return Comparison(path, OK, expected, found)
    if not result.complete and result.states <= expected.states:
        return Comparison(path, TOO_LARGE, expected, found, "Coset ran out of time")
    return Comparison(path, DIFFERENT, expected, found)


def _one_line(text: str) -> str:
    return " | ".join(line.strip() for line in text.splitlines() if line.strip())[:300]


# -- looking at a difference -----------------------------------------------------------------------------------------


def explain(comparison: Comparison, *, defines: Mapping[str, str] | None = None, lines: int = 80) -> str:
    """Both sides' automata for a model, shortened; the whole of them is in the folder that the text names."""
    from coset import load

    folder = Path(tempfile.mkdtemp(prefix="coset-diff-"))
    try:
        coset = str(load(str(comparison.path), defines=dict(defines or {})))
    except Exception:
        coset = traceback.format_exc()
    parts = {
        "figures": str(comparison),
        "spin-automata": spin_automata(comparison.path, defines=defines),
        "coset-automata": coset,
    }
    (folder / comparison.path.name).write_text(comparison.path.read_text(errors="replace"))
    shown = []
    for name, text in parts.items():
        (folder / f"{name}.txt").write_text(text + "\n")
        head = text.splitlines()
        more = [f"... {len(head) - lines} more lines"] if len(head) > lines else []
        shown.append("\n".join([f"--- {name}", *head[:lines], *more]))
    return "\n".join([*shown, f"--- all in {folder}"])


def minimise(text: str, still_fails: Callable[[str], bool]) -> str:
    """Remove what can be removed from a program while `still_fails` holds (after Zeller's delta debugging).

    Three sorts of change, tried until none helps: drop a run of lines, drop or unwrap a block (from a line that opens
    it to the line that closes it), replace a bracketed expression by a constant. Most attempts are not even valid
    Promela; `still_fails` is asked and says no.
    """

    def fails(lines: list[str]) -> bool:
        return still_fails("\n".join(lines) + "\n")

    lines = [line for line in text.splitlines() if line.strip()]
    if not fails(lines):
        raise ValueError("the program does not fail to begin with")
    spread = [part for line in lines for part in _spread(line)]
    lines = spread if fails(spread) else lines
    before: list[str] = []
    while lines != before:
        before, size = lines, max(1, len(lines) // 2)
        while size:
            start = 0
            while start < len(lines):
                shorter = lines[:start] + lines[start + size :]
                if shorter and fails(shorter):
                    lines = shorter
                else:
                    start += max(1, size // 2)
            size //= 2
        start = 0
        while start < len(lines):
            smaller = next((candidate for candidate in _simpler(lines, start) if fails(candidate)), None)
            lines, start = (lines, start + 1) if smaller is None else (smaller, start)
    return "\n".join(lines) + "\n"


def _spread(line: str) -> list[str]:
    """A long line as several, so that parts of it can be dropped."""
    if len(line) < 120 or line.startswith("#"):
        return [line]
    return re.sub(r"(?<=[;{])\s+|\s+(?=(::|\}|fi\b|od\b))", "\n", line).splitlines()


def _simpler(lines: list[str], start: int) -> Iterator[list[str]]:
    """Ways to simplify what begins at one line."""
    line, end = lines[start], _closing(lines, start)
    if end > start:
        yield lines[:start] + lines[end + 1 :]
        inside = [re.sub(r"^(\s*)::", r"\1", inner) for inner in lines[start + 1 : end]]
        yield lines[:start] + inside + lines[end + 1 :]
    for match in re.finditer(r"\([^()]*[^()\w][^()]*\)", line):
        for constant in ("0", "1"):
            yield [*lines[:start], line[: match.start()] + constant + line[match.end() :], *lines[start + 1 :]]


def _closing(lines: list[str], start: int) -> int:
    """The line that closes what `start` opens, by indentation; `start` itself if it opens nothing."""
    depth = len(lines[start]) - len(lines[start].lstrip())
    if not re.search(r"(\{|\bif|\bdo|->)$", lines[start].rstrip()):
        return start
    for end in range(start + 1, len(lines)):
        if len(lines[end]) - len(lines[end].lstrip()) <= depth and re.match(r"\s*(\}|fi|od)", lines[end]):
            return end
    return start


def minimise_file(comparison: Comparison, *, defines: Mapping[str, str] | None = None, seconds: float = 5.0) -> str:
    """The smallest program found for which the two tools still differ in the same way."""
    with tempfile.TemporaryDirectory(prefix="coset-minimise-") as folder:
        attempt = Path(folder) / comparison.path.name

        def still_fails(text: str) -> bool:
            attempt.write_text(text)
            found = compare(attempt, defines=defines, seconds=seconds, max_states=20_000, cache=False)
            return found.verdict == comparison.verdict

        return minimise(comparison.path.read_text(), still_fails)


# -- the command -----------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.support.spin_compare", description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|DIR")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU time of SPIN's verifier per model")
    parser.add_argument("--max-states", type=int, default=200_000, help="larger models are not compared")
    parser.add_argument("--minimise", action="store_true", help="shrink the first model that differs")
    options = parser.parse_args(arguments)
    defines = {name: value or "1" for name, _, value in (text.partition("=") for text in options.defines)}
    paths = [file for path in options.paths for file in (sorted(path.rglob("*.pml")) if path.is_dir() else [path])]
    verdicts: Counter[str] = Counter()
    first: Comparison | None = None
    found = compare_many(paths, defines=defines, seconds=options.seconds, max_states=options.max_states)
    for comparison in found:
        print(comparison, flush=True)
        verdicts[comparison.verdict] += 1
        first = first or (comparison if comparison.verdict == DIFFERENT else None)
    if first is not None:
        print(explain(first, defines=defines))
        if options.minimise:
            print("--- minimised", minimise_file(first, defines=defines), sep="\n")
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) or "no models")
    return 1 if any(verdicts[verdict] for verdict in FAILURES) else 0


if __name__ == "__main__":
    sys.exit(main())
