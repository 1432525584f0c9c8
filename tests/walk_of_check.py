"""The walk of a `coset check`: which files it passes, and how often it changes the package.

    python -m tests.walk_of_check [--write] [ARGUMENTS...]

runs `coset ARGUMENTS...` in this process (by default `check` on a small model, by the explicit engine, with an empty cache) and
watches the functions that are entered.  Only the first call of each function counts, and only functions of `coset`:

    file     a module of which at least one function was entered
    call     the first call of a function; its caller is the nearest function or module of `coset` below it on the stack
    change   a call whose callee is in another package (folder) than its caller

The walk is the sequence of all calls, where calls into one file in a row are shown as one line.  With `--write` the summary
goes into docs/architecture.md, between its marks, as `make docs` does.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

from tests.support.paths import ROOT

PACKAGE = str(ROOT / "src" / "coset") + os.sep
PAGE = ROOT / "docs" / "architecture.md"
SUMMARY = re.compile(r"(?<=<!-- walk -->\n).*?(?=<!-- end of walk -->)", re.DOTALL)
USUAL = ("check", "models/philosophers.pml", "-D", "N=3", "--engine", "explicit")


@dataclass(frozen=True, slots=True)
class Call:
    """The first call of a function: its file below src/coset, its name, and the package of its caller."""

    file: str
    function: str
    caller: str

    @property
    def package(self) -> str:
        return package(self.file)

    @property
    def changes(self) -> bool:
        return self.package != self.caller


def package(file: str) -> str:
    """
    >>> package("symmetry/groups/chain.py"), package("api.py")
    ('coset.symmetry.groups', 'coset')
    """
    return ".".join(("coset", *Path(file).parts[:-1]))


@dataclass(slots=True)
class Walk:
    """All calls, in their order."""

    calls: list[Call] = field(default_factory=list)
    seen: set[CodeType] = field(default_factory=set)

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in self.seen or not code.co_filename.startswith(PACKAGE):
            return
        self.seen.add(code)
        if code.co_flags & inspect.CO_OPTIMIZED and (not code.co_name.startswith("<") or code.co_name == "<lambda>"):
            self.calls.append(Call(code.co_filename.removeprefix(PACKAGE), code.co_qualname, caller(frame)))

    @property
    def files(self) -> list[str]:
        """In the order in which they are first entered."""
        return list(dict.fromkeys(call.file for call in self.calls))

    @property
    def changes(self) -> int:
        return sum(call.changes for call in self.calls)

    def lines(self) -> list[str]:
        """Calls into one file in a row as one line; `>` marks a change of the package."""
        found = []
        for file, group in groupby(self.calls, key=lambda call: call.file):
            calls = list(group)
            more = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
            found.append(f"{'>' if any(call.changes for call in calls) else ' '} {file}: {calls[0].function}{more}")
        return found

    def summary(self) -> str:
        """For the page."""
        calls = Counter(call.package for call in self.calls)
        files = Counter(map(package, self.files))
        entered = Counter(call.package for call in self.calls if call.changes)
        rows = [f"| `{name}` | {files[name]} | {calls[name]} | {entered[name]} |" for name in sorted(calls)]
        return "\n".join((
            f"`coset {' '.join(USUAL)}` enters {len(self.calls):,} functions in {len(self.files)} files and changes package",
            f"{self.changes} times (definitions: `tests/walk_of_check.py`).",
            "",
            "| package | files | functions | entered from another package |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ))  # fmt: skip


def caller(frame: FrameType) -> str:
    """The package of the nearest frame of `coset` below; that of the command line's entry if there is none."""
    below = frame.f_back
    while below is not None and not below.f_code.co_filename.startswith(PACKAGE):
        below = below.f_back
    return "coset" if below is None else package(below.f_code.co_filename.removeprefix(PACKAGE))


def walked(arguments: tuple[str, ...] = USUAL) -> Walk:
    """The walk of a command, whose output is dropped."""
    from coset.cli import main

    walk = Walk()
    with tempfile.TemporaryDirectory() as cache, contextlib.chdir(ROOT):
        kept, os.environ["COSET_CACHE"] = os.environ.get("COSET_CACHE"), cache
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                sys.setprofile(walk.profile)
                try:
                    main(list(arguments))
                finally:
                    sys.setprofile(None)
        finally:
            os.environ.pop("COSET_CACHE")
            if kept is not None:
                os.environ["COSET_CACHE"] = kept
    return walk


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    command = tuple(each for each in arguments if each != "--write") or USUAL
    walk = walked(command)
    if write:
        text = PAGE.read_text("utf-8")
        assert SUMMARY.search(text), f"{PAGE} has no marks for the summary"
        PAGE.write_text(SUMMARY.sub(lambda _: walk.summary(), text), "utf-8")
        return 0
    print(*walk.lines(), sep="\n")
    print(f"\n{len(walk.files)} files, {len(walk.calls)} functions, {walk.changes} changes of package")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
