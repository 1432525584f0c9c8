"""Writes docs/models.md: every model with what its head comment says and expects, and a picture of who talks to whom.

    python scripts/models_page.py            write the page and, with Graphviz, the pictures
    python scripts/models_page.py --check    only say whether the page is up to date (exit code 1 if not)

Tests hold the models to their head comments, so that this page tells nothing else.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE, PICTURES = ROOT / "docs" / "models.md", ROOT / "docs" / "pictures"
LANGUAGES = {
    ".pml": "Promela",
    ".csp": "CSP#",
    ".spl": "Shared-variable programs",
    ".m": "Murphi",
    ".seq": "Sequential models",
}
LARGEST = 60
"""A picture with more nodes and arrows is no help."""

HEAD = """\
# Models

Every model of `models/`: what it is, how many states it has, its symmetry, and the verdicts on its properties. Sizes are macros,
`-D N=4`. In the pictures, what symmetry exchanges has one colour. This page is made from the head comments of the models
by `make docs`; do not edit it. [How the lines are meant](../models/README.md).
"""

FACT = re.compile(r"(expect(?:-large)?|group|candidate|orbits|property)\b(.*)")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the head comment of a model says, and the lines that tests read."""

    path: Path
    text: str
    facts: tuple[tuple[str, str], ...]


def entry(path: Path) -> Entry:
    lines = path.read_text("utf-8").split("*/", 1)[0].splitlines()[1:]
    words, facts = [], []
    for line in (line.strip().removeprefix("*").strip() for line in lines):
        found = FACT.fullmatch(line)
        if found is not None and ":" in line:
            facts.append((found[1], found[2].strip()))
        else:
            words.append(line)
    return Entry(path, " ".join(words).strip(), tuple(facts))


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for suffix, language in LANGUAGES.items():
        parts.append(f"## {language}\n")
        parts += [shown(entry(path)) for path in sorted((ROOT / "models").glob(f"*{suffix}"))]
    return "\n".join(parts)


def shown(found: Entry) -> str:
    """One model: its text, its picture, and tables."""
    name = found.path.name
    lines = [f"### {name}", "", f"[{name}](../models/{name}): {escaped(found.text)}", ""]
    if picture(found.path).exists():
        lines += [f"![Processes of {name}](pictures/{picture(found.path).name})", ""]
    rows = list(table(found))
    if rows:
        lines += ["| configuration | what | value |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def table(found: Entry) -> list[str]:
    rows = []
    for kind, rest in found.facts:
        before, _, after = rest.rpartition(":")
        if kind == "property":
            rows.append(f"| | {escaped(before)} | {escaped(after.strip())} |")
            continue
        macros = " ".join(before.replace("-D", "-D ").split()) or "as it is"
        if kind.startswith("expect"):
            counts = re.findall(r"(\w+) (\d+)", after)
            shown = ", ".join(f"{int(value):,} {what.replace('_', ' ')}" for what, value in counts if value != "0")
            rows.append(f"| {macros} | reachable | {shown} |")
        else:
            order = after.strip()
            rows.append(
                f"| {macros} | {kind} | {int(order):,} |" if order.isdigit() else f"| {macros} | {kind} | {order} |"
            )
    return rows


def escaped(text: str) -> str:
    """Text that Markdown leaves as it is.

    >>> escaped("[] <> a_b |= c*")
    '\\\\[\\\\] \\\\<\\\\> a\\\\_b \\\\|= c\\\\*'
    """
    return re.sub(r"([\[\]<>_|*`])", r"\\\1", text)


def picture(path: Path) -> Path:
    return PICTURES / f"{path.name.replace('.', '_')}.svg"


def draw(path: Path) -> None:
    """The picture of a model, if there is one that can be read."""
    import coset
    from coset.formats.dot import dot
    from coset.formats.dot import picture as drawn
    from coset.tasks.draw import Undrawable, channels

    try:
        diagram = channels(coset.load(path), shared_variables=True)
    except (Undrawable, coset.InputError):
        return
    size = sum(len(part.nodes) + len(part.arrows) for part in diagram.parts)
    if 1 < size <= LARGEST:
        picture(path).write_bytes(drawn(dot(diagram), "svg"))


def main() -> int:
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text("utf-8") != page():
            print("docs/models.md is out of date: run `make docs`", file=sys.stderr)
            return 1
        return 0
    PICTURES.mkdir(exist_ok=True)
    for suffix in (".pml", ".csp", ".spl"):
        for path in sorted((ROOT / "models").glob(f"*{suffix}")):
            draw(path)
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
