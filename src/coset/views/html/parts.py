"""Parts that all pages share: the frame, the symmetry used, pictures, the source of the model, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources

from coset.results.exploration import Exploration
from coset.results.symmetry import GroupFound
from coset.source.printable import one_line, printable
from coset.source.records import dataclass
from coset.source.text import Source
from coset.views.symmetry_text import number

GENERATORS = 24
"""The most generators that are listed."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing of the model; `svg` is None if there is none, and `note` says why."""

    title: str
    svg: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a result: `command` is the command line, `made` has the version and the date."""

    source: Source
    command: str
    settings: Mapping[str, str]
    pictures: Sequence[Picture]
    made: str


def document(title: str, heading: str, sections: Mapping[str, Iterator[str]], script: str = "") -> str:
    """A whole page: its heading, links to all sections, and the sections by title."""
    links = " · ".join(f'<a href="#{name.lower()}">{name.lower()}</a>' for name in sections)
    body = "\n".join(section(name, content) for name, content in sections.items())
    return printable(
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escape(title)}</title>\n'
        f"<style>\n{static('report.css')}</style>\n</head>\n<body>\n"
        f"<header>\n{heading}\n<nav>{links}</nav>\n</header>\n{body}\n{script}</body>\n</html>\n"
    )


def static(name: str) -> str:
    """A file in this folder."""
    return resources.files("coset.views.html").joinpath(name).read_text("utf-8")


def section(title: str, content: Iterator[str]) -> str:
    return f'<section id="{title.lower()}">\n<h2>{title}</h2>\n' + "\n".join(content) + "\n</section>"


def around(origin: Origin) -> dict[str, Iterator[str]]:
    """The sections at the end of every page."""
    return {
        "Pictures": map(drawn, origin.pictures),
        "Model": model_text(origin.source),
        "Settings": settings(origin),
    }


# --- sections --------------------------------------------------------------------------------------


def symmetry(found: Exploration) -> Iterator[str]:
    """The group, and what it saved."""
    used, group = found.symmetry, found.symmetry.group
    if used.representative is not None:
        found_by = f"<strong>{number(group.order)}</strong> symmetries, found" if group.order > 1 else "found"
        yield (
            f"<p>{escape(group.structure)}: {found_by} by the method "
            f"<code>{escape(used.method)}</code>; canonical form by <code>{escape(used.representative)}</code>.</p>"
        )
    elif used.method != "off":
        yield f"<p>No symmetry was used{': ' + escape(used.note) if used.note else '.'}</p>"
    else:
        yield f"<p>{escape(used.note) if used.note else 'Symmetry detection was off.'}</p>"
    yield f"<p>{saved(found)}</p>"
    yield from generators(group)


def generators(group: GroupFound) -> Iterator[str]:
    """In cycle notation."""
    if group.generators:
        more = len(group.generators) - GENERATORS
        yield "<details open><summary>Generators</summary><ul>"
        yield from (f"<li><code>{escape(each)}</code></li>" for each in group.generators[:GENERATORS])
        yield (f"<li>and {more:,} more</li>" if more > 0 else "") + "</ul></details>"


def saved(found: Exploration) -> str:
    """How many states were stored, and how many they represent."""
    stored = f"{found.states:,} states stored"
    if not found.complete:
        stored += f" before the search stopped ({escape(found.stopped or 'at the first error')})"
    if found.symmetry.representative is None or not found.represents or found.represents == found.states:
        return f"{stored}."
    times = found.represents / found.states
    return f"{stored}, representing <strong>{found.represents:,}</strong>: {times:.1f} times fewer."


def drawn(picture: Picture) -> str:
    note = f"<p>{escape(picture.note)}</p>" if picture.note else ""
    content = f'<div class="picture">{picture.svg}</div>' if picture.svg is not None else ""
    return f"<h3>{escape(picture.title)}</h3>{note}{content}"


def model_text(source: Source) -> Iterator[str]:
    """The text with numbered lines."""
    lines = source.lines
    yield f"<p><code>{escape(one_line(source.path))}</code>, {len(lines):,} lines</p>"
    yield f'<pre class="model">{"".join(map(numbered, range(1, len(lines) + 1), lines))}</pre>'


def numbered(place: int, line: str, mark: str = "") -> str:
    """
    >>> numbered(3, "x < 1")
    '<span id="line3"><i>3</i>x &lt; 1</span>'
    """
    return f'<span id="line{place}"{mark}><i>{place}</i>{escape(line)}</span>'


def settings(origin: Origin) -> Iterator[str]:
    yield f"<p>To repeat it:</p>\n<pre>{escape(origin.command)}</pre>\n<table>"
    for name, value in origin.settings.items():
        yield f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    yield f"</table>\n<p>{escape(origin.made)}</p>"
