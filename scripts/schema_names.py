"""Writes the names that users choose from, and those of kinds and verdicts, into the enumerations of the JSON Schemas.

    python scripts/schema_names.py            write the schemas
    python scripts/schema_names.py --check    only say whether they are up to date (exit code 1 if not)

An enumeration that is marked by a `$comment` such as "names: engines" has the names of that registry.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from coset.engines.choices import STEPS, STORAGES
from coset.engines.registry import ENGINES
from coset.options.showing import DRAWINGS
from coset.properties.kinds import ERRORS, TRACES, PropertyKind
from coset.results.verdict import Verdict
from coset.symmetry.canonical.strategies import STRATEGIES
from coset.symmetry.methods.registry import METHODS

FOLDER = Path(__file__).parent.parent / "src" / "coset" / "formats" / "schemas"
MARK = "names: "


def used(names: Iterable[str]) -> list[str]:
    """The names that a result can have: `auto` is what the user left open."""
    return [name for name in names if name != "auto"]


SOURCES: dict[str, Callable[[], list[str]]] = {
    "engines": lambda: used(ENGINES),
    "symmetries": lambda: ["off", *METHODS],
    "methods": lambda: [*METHODS, "given"],
    "strategies": lambda: used(STRATEGIES),
    "storages": lambda: list(STORAGES),
    "steps": lambda: list(STEPS),
    "drawings": lambda: list(DRAWINGS),
    "verdicts": lambda: [verdict.value for verdict in Verdict],
    "kinds of properties": lambda: [kind.value for kind in PropertyKind],
    "kinds of stated properties": lambda: [kind.value for kind in PropertyKind if kind.builtin is None],
    "kinds of errors": lambda: list(ERRORS),
    "kinds of traces": lambda: list(TRACES),
}


def marked(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The marked enumerations in a schema, each with the name of its source."""
    if isinstance(schema, dict):
        comment = schema.get("$comment")
        if isinstance(comment, str) and comment.startswith(MARK):
            yield comment.removeprefix(MARK), schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from marked(each)


def filled(text: str) -> str:
    """A schema with the names that there are.

    >>> print(filled('{"$comment": "names: steps", "enum": ["tiny", null]}'), end="")
    {
      "$comment": "names: steps",
      "enum": [
        "plain",
        "merged",
        null
      ]
    }
    """
    schema = json.loads(text)
    for source, node in marked(schema):
        node["enum"] = [*SOURCES[source](), *([None] if None in node["enum"] else [])]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    late = []
    for path in sorted(FOLDER.glob("*.json")):
        old = path.read_text("utf-8")
        if filled(old) != old:
            late.append(path.name)
            if "--check" not in arguments:
                path.write_text(filled(old), "utf-8")
    if late and "--check" in arguments:
        print(f"out of date: {', '.join(late)}: run `make docs`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
