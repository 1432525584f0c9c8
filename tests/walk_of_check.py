"""The walk of a `coset check`: the files that it opens, in their order, and how often the next one is in another package.

    python -m tests.walk_of_check [--write] [ARGUMENTS...]

runs `coset ARGUMENTS...` in this process (by default `check` on a small model, by the explicit engine, with an empty cache).  A
file is *opened* when the first of its functions is entered.  A *change* is a file that lies in another folder than the file
opened before it; a sub-package is another folder than its package.

This is how a reader follows the command: each file is opened once, when it is needed for the first time, and stays open.
Calls back and forth between open files cost nothing, so they do not count.

With `--write` the walk goes into docs/architecture.md, between its marks, as `make docs` does.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from types import FrameType

from tests.support.paths import ROOT

PACKAGE = str(ROOT / "src" / "coset") + os.sep
DEFINING = PACKAGE + os.path.join("source", "records.py")
"""It defines data classes while modules are imported, as the standard library would."""
PAGE = ROOT / "docs" / "architecture.md"
MARKED = re.compile(r"(?<=<!-- walk -->\n).*?(?=<!-- end of walk -->)", re.DOTALL)
WIDTH, INDENT = 120, 32
USUAL = ("check", "models/philosophers.pml", "-D", "N=3", "--engine", "explicit")


@dataclass(frozen=True, slots=True)
class Walk:
    """The files below src/coset that a command opened, in their order.

    >>> walk = Walk(("check",), ("cli/check.py", "model/model.py", "model/passes/merge.py", "model/state.py", "model/domain.py"))
    >>> walk.changes
    3
    >>> walk.visits[-1]
    ('model', ['state', 'domain'])
    """

    command: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def visits(self) -> list[tuple[str, list[str]]]:
        """Files of one package in a row, by their names, with the package."""
        paths = map(PurePosixPath, self.files)
        return [
            (str(folder), [path.stem for path in group]) for folder, group in groupby(paths, lambda path: path.parent)
        ]

    @property
    def changes(self) -> int:
        return len(self.visits) - 1

    def text(self) -> str:
        """For the page: a line for each visit of a package, or more if it has many files."""
        head = (
            f"`coset {' '.join(self.command)}` opens {len(self.files)} files and changes package {self.changes} times:"
        )
        lines = ["```text"]
        for number, (folder, names) in enumerate(self.visits, 1):
            first = f"{number:>3}  {folder}/"
            lines += textwrap.wrap(
                " ".join(names), WIDTH, initial_indent=f"{first:<{INDENT}}", subsequent_indent=" " * INDENT
            )
        return "\n".join((head, "", *lines, "```", ""))


def walked(arguments: tuple[str, ...] = USUAL) -> Walk:
    """The walk of a command, whose output is dropped.  What has been imported and computed in this process before is not entered
    again, so the walk is whole only in a new process."""
    from coset.cli import main

    files: dict[str, None] = {}

    def entered(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED and (code.co_name == "<lambda>" or code.co_name[0] != "<")
        is_walked = code.co_filename.startswith(PACKAGE) and code.co_filename != DEFINING
        if event == "call" and is_function and is_walked:
            files[code.co_filename.removeprefix(PACKAGE)] = None

    with contextlib.ExitStack() as stack:
        os.environ["COSET_CACHE"] = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(contextlib.chdir(ROOT))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        stack.callback(sys.setprofile, None)
        sys.setprofile(entered)
        main(list(arguments))
    return Walk(arguments, tuple(files))


def main(arguments: list[str]) -> int:
    walk = walked(tuple(each for each in arguments if each != "--write") or USUAL)
    if "--write" in arguments:
        text = PAGE.read_text("utf-8")
        assert MARKED.search(text), f"{PAGE} has no marks for the walk"
        PAGE.write_text(MARKED.sub(lambda _: walk.text(), text), "utf-8")
    else:
        print(walk.text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
