"""What the scripts share that make a page of the documentation from the code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def finish(name: str, text: str) -> int:
    """Write the page; with `--check` only say whether it is up to date.  Returns the exit code."""
    path = DOCS / name
    if "--check" not in sys.argv[1:]:
        path.write_text(text, "utf-8")
    elif not path.exists() or path.read_text("utf-8") != text:
        print(f"docs/{name} is out of date: run `make docs`", file=sys.stderr)
        return 1
    return 0


def cell(text: str) -> str:
    """Text that does not end the cell of a Markdown table.

    >>> cell("a || b")
    'a \\\\|\\\\| b'
    """
    return " ".join(text.split()).replace("|", "\\|")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; nothing if there are no rows.

    >>> print(table(("option", "what"), [("`-o`", "where | how")]), end="")
    | option | what |
    | --- | --- |
    | `-o` | where \\| how |
    """
    lines = ["| " + " | ".join(cell(each) for each in row) + " |\n" for row in rows]
    names = list(head)
    return (
        "".join([f"| {' | '.join(names)} |\n", "| " + " | ".join("---" for _ in names) + " |\n", *lines])
        if lines
        else ""
    )
