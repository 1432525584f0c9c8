"""Writes docs/json.md: what `--json` prints, from the JSON Schemas, with an example of each that a command really printed.

    python scripts/json_page.py            write the page
    python scripts/json_page.py --check    only say whether it is up to date (exit code 1 if not)

What differs from run to run or from machine to machine is replaced in the examples, and lists are cut short.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from page import finish, table

from coset.cli import main
from coset.formats.json_output import schema

Json = dict[str, Any]

HEAD = """\
# JSON

With `--json` a command prints one object on standard output and nothing else there; messages go to standard error. Integers are
exact, however large. Fields are never renamed or dropped. The schemas (JSON Schema 2020-12,
[that of `check`](../src/coset/formats/schemas/check.json)) come with the package: `coset.formats.json_output.schema("check")`.

This page is made from the schemas by `make docs`; do not edit it. In the examples times and sizes are replaced, and of long
lists only the beginning is shown.
"""
PHILOSOPHERS = "models/philosophers.pml -D N=2"
EXAMPLES = {
    "check": f"coset check {PHILOSOPHERS} --property 'end states' --json",
    "explore": f"coset explore {PHILOSOPHERS} --engine reference --json",
    "plan": f"coset plan {PHILOSOPHERS} --json",
    "symmetry": "coset symmetry models/philosophers_fixed.pml -D N=3 --symmetry program --explain --json",
    "prove": "coset prove models/prove/mutex.spl --property F1 --json",
    "simulate": f"coset simulate {PHILOSOPHERS} --seed 1 --json",
    "replay": f"coset replay {PHILOSOPHERS} TRACE --json",
    "trace": f"coset check {PHILOSOPHERS} --property 'end states' --trace TRACE",
    "show": f"coset show {PHILOSOPHERS} --json",
    "draw": f"coset draw {PHILOSOPHERS} --what channels --json",
    "features": "coset features diagram models/features/email --feature 'FILTER[(1,2)]' --json",
    "serve": "coset serve models --json",
    "doctor": "coset doctor --json",
    "error": "coset check nowhere.pml --json",
}
SERVED = {
    "schema": 1,
    "command": "serve",
    "folder": "/home/ada/models",
    "file": None,
    "url": "http://127.0.0.1:8123/?token=3f9c",
    "port": 8123,
}
"""That command would not come back."""
REPLACED = {
    "seconds": 0.01,
    "timing": 0.01,
    "nanoseconds": 50.0,
    "peak_memory": 50_000_000,
    "usable_memory": 16_000_000_000,
    "free_disk": 100_000_000_000,
    "digest": "f6b6febbe4ff523d",
    "version": "3.11",
    "path": "/usr/bin/python3",
}
LONGEST_LIST, LONGEST_TEXT, WIDTH = 2, 160, 120


def code(text: str) -> str:
    return f"`{text}`"


# --- fields ----------------------------------------------------------------------------------------


class Fields:
    """The tables of fields.  Definitions that schemas share are shown where they come first."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, Json]] = {}

    def section(self, name: str) -> str:
        """One schema: its fields, its definitions, its example."""
        document = schema(name)
        definitions = document.get("$defs", {})
        parts = [f"## {name}\n", f"{document['title']}.\n"]
        objects = [document] if "properties" in document else document["oneOf"]
        for each in objects:
            if len(objects) > 1:
                parts.append(
                    f"**{each['title'] if 'title' in each else code(each['properties']['action']['const'])}**\n"
                )
            parts.append(self.table(each))
        for key, definition in definitions.items():
            if "properties" not in definition:
                parts.append(f"A **{key}** is {self.kind(definition)}.\n")
            elif self.known.get(key, ("", None))[1] == definition:
                parts.append(f"A **{key}** is that of [{self.known[key][0]}](#{self.known[key][0]}).\n")
            else:
                self.known.setdefault(key, (name, definition))
                parts += [f"A **{key}** is\n", self.table(definition)]
        parts += [f"`{EXAMPLES[name]}` prints\n", f"```json\n{pretty(cut(example(name)))}\n```\n"]
        return "\n".join(parts)

    def table(self, part: Json) -> str:
        return table(("field", "type", "meaning"), self.rows(part, ""))

    def rows(self, part: Json, prefix: str) -> Iterator[tuple[str, str, str]]:
        for key, value in part.get("properties", {}).items():
            yield f"`{prefix}{key}`", self.kind(value), value["description"]
            for inside, dots in nested(value):
                yield from self.rows(inside, f"{prefix}{key}{dots}")

    def kind(self, part: Json) -> str:
        """The type of a value, in words."""
        if "const" in part:
            return f"`{json.dumps(part['const'])}`"
        if "enum" in part:
            return ", ".join(f"`{json.dumps(each)}`" for each in part["enum"])
        if "$ref" in part:
            return str(part["$ref"]).rpartition("/")[2]
        choices = part.get("oneOf") or part.get("anyOf")
        if choices and "type" not in part:
            return " or ".join(sorted((self.kind(each) for each in choices), key=lambda word: word == "null"))
        kind = part.get("type", "anything")
        if kind == "array":
            return f"list of {plural(self.kind(part['items']))}"
        if kind == "object" and isinstance(part.get("additionalProperties"), dict):
            return f"object: name to {self.kind(part['additionalProperties'])}"
        return " or ".join(kind) if isinstance(kind, list) else str(kind)


def nested(value: Json) -> Iterator[tuple[Json, str]]:
    """The objects inside of a value, with what leads to them."""
    if "properties" in value:
        yield value, "."
    for each in (*value.get("oneOf", ()), *value.get("anyOf", ())):
        yield from nested(each)
    if isinstance(value.get("items"), dict):
        yield from ((inside, f"[]{dots}") for inside, dots in nested(value["items"]))


def plural(kind: str) -> str:
    return kind if kind.startswith(("list", "`", "anything")) or " or " in kind else f"{kind}s"


# --- examples --------------------------------------------------------------------------------------


def example(name: str) -> Json:
    """What the command of an example prints, or the trace that it writes."""
    if name == "serve":
        return SERVED
    import shlex

    root = Path(__file__).parent.parent
    os.chdir(root)
    with TemporaryDirectory() as folder:
        trace = f"{folder}/trace.json"
        if name == "replay":
            printed(shlex.split(EXAMPLES["trace"])[1:], trace)
        out = printed(shlex.split(EXAMPLES[name])[1:], trace)
        found: Json = json.loads(Path(trace).read_text("utf-8") if name == "trace" else out)
    return found


def printed(arguments: list[str], trace: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        main([trace if each == "TRACE" else each for each in arguments])
    return out.getvalue()


def cut(value: Any, key: str = "") -> Any:
    """The value with what depends on the machine replaced, and cut short."""
    if key in REPLACED and value is not None:
        return dict.fromkeys(value, REPLACED[key]) if isinstance(value, dict) else REPLACED[key]
    if isinstance(value, dict):
        return {name: cut(each, name) for name, each in value.items()}
    if isinstance(value, list):
        short = (
            value[:1]
            if key == "findings"
            else value
            if all(isinstance(each, int | list) for each in value)
            else value[:LONGEST_LIST]
        )
        return [cut(each) for each in short]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[:LONGEST_TEXT].rpartition(" ")[0] + " ..."
    return value


def pretty(value: Any, indent: str = "") -> str:
    """JSON that has on one line what fits there.

    >>> pretty({"a": [1, 2], "b": {}})
    '{"a": [1, 2], "b": {}}'
    """
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {pretty(each, deeper)}" for key, each in value.items()]
        return "{\n" + filled(parts, deeper) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + pretty(each, deeper) for each in value) + f"\n{indent}]"


def filled(parts: list[str], indent: str) -> str:
    """Short fields share lines."""
    lines = [indent + parts[0]]
    for part in parts[1:]:
        whole = "\n" not in lines[-1] and "\n" not in part and len(lines[-1]) + len(part) + 2 <= WIDTH
        lines = [*lines[:-1], f"{lines[-1]}, {part}"] if whole else [*lines[:-1], lines[-1] + ",", indent + part]
    return "\n".join(lines)


def page() -> str:
    """The text of the page."""
    fields = Fields()
    return "\n".join([HEAD, *(fields.section(name) for name in EXAMPLES)])


if __name__ == "__main__":
    sys.exit(finish("json.md", page()))
