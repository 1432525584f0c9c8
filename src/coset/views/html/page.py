"""The parts of the page, one function for each section."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

from coset.results.exploration import Exploration
from coset.results.trace import Run
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.results.waiting import waiting
from coset.source.text import Source
from coset.views.html.steps import steps, texts
from coset.views.lanes import lanes
from coset.views.sequence_chart import sequence_chart

GENERATORS = 24
"""So many generators are listed, and no more."""

LONGEST = 600
"""A chart of more moves is not drawn: nobody could find his way in it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing of the model; `svg` is None if there is none, and `note` says why."""

    title: str
    svg: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What the page tells.  `runs` has the counterexamples by the names of their properties, `command` is what to type to
    get it again, `made` who made the page and when."""

    result: Check
    runs: Mapping[str, Run]
    source: Source
    command: str
    settings: Mapping[str, str]
    pictures: Sequence[Picture]
    made: str


def page(report: Report) -> str:
    """The whole page."""
    result = report.result
    title = escape(f"{result.model}: {result.verdict.value}")
    sections = [
        head(report),
        section("Verdicts", verdicts(result.properties)),
        section("Counterexamples", counterexamples(report)) if report.runs else "",
        section("Symmetry", symmetry(result.exploration)),
        section("Pictures", map(drawn, report.pictures)),
        section("Model", model_text(report.source)),
        section("Settings", settings(report)),
    ]
    body = "\n".join(filter(None, sections))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{static('report.css')}</style>\n</head>\n<body>\n{body}\n"
        f"{data(report)}\n<script>\n{static('report.js')}</script>\n</body>\n</html>\n"
    )


def static(name: str) -> str:
    """A file beside this one."""
    return resources.files("coset.views.html").joinpath(name).read_text("utf-8")


def section(title: str, content: Iterator[str]) -> str:
    anchor = title.lower()
    return f'<section id="{anchor}">\n<h2>{title}</h2>\n' + "\n".join(content) + "\n</section>"


# --- sections --------------------------------------------------------------------------------------


def head(report: Report) -> str:
    """The verdict, and the way to all parts."""
    result = report.result
    names = ["verdicts", *(["counterexamples"] if report.runs else []), "symmetry", "pictures", "model", "settings"]
    links = " · ".join(f'<a href="#{name}">{name}</a>' for name in names)
    return (
        f"<header>\n<h1>{escape(result.model)} {badge(result.verdict)}</h1>\n"
        f"<p>{summary(result)}</p>\n<nav>{links}</nav>\n</header>"
    )


def summary(result: Check) -> str:
    """The outcome in a sentence or two."""
    number = len(result.properties)
    bad = [each.name for each in result.properties if each.verdict is result.verdict]
    if result.verdict is Verdict.HOLDS:
        words = f"All {number} properties hold." if number != 1 else f"{quoted(bad)} holds."
    else:
        words = f"{'Violated' if result.verdict is Verdict.VIOLATED else 'Not decided'}: {quoted(bad)}."
    return f"{words} {escape(result.engine.capitalize())} engine, {sum(result.seconds.values()):.2f} s."


def verdicts(found: Sequence[PropertyResult]) -> Iterator[str]:
    yield '<table class="wide">\n<tr><th>property</th><th>kind</th><th>verdict</th><th>states</th><th>remarks</th></tr>'
    for each in found:
        remark = escape(each.reason or "")
        if each.trace is not None:
            link = f'<a href="#{anchor(each.name)}">a run of {len(each.trace)} moves</a>'
            remark = f"{link}; {remark}" if remark else link
        yield (
            f"<tr><td>{escape(each.name)}</td><td>{escape(each.kind)}</td><td>{badge(each.verdict)}</td>"
            f'<td class="number">{each.states:,}</td><td>{remark}</td></tr>'
        )
        for error in each.errors:
            line = "" if error.span is None else f"line {error.span.line}: "
            yield f'<tr><td></td><td colspan="4">{escape(line + error.message)}, after {len(error.trace)} moves</td></tr>'
    yield "</table>"


def counterexamples(report: Report) -> Iterator[str]:
    """Charts, each with buttons and with the values of variables where one stands."""
    for number, (name, run) in enumerate(report.runs.items()):
        last = len(run.moves)
        if last <= LONGEST:
            chart = sequence_chart(run)
        else:
            chart = f"<p>The run has {last:,} moves, which is too much for a chart.</p>"
        yield (
            f'<article class="run" id="{anchor(name)}" data-run="{number}" tabindex="0">\n<h3>{escape(name)}</h3>\n'
            f"<p>{escape(run.message)}, after {last:,} move{'s' * (last != 1)}.</p>\n{stuck(run)}"
            '<div class="controls" hidden><button data-go="first" title="to the start">|&lt;</button>'
            '<button data-go="back" title="one move back (left arrow)">&lt;</button>'
            '<button data-go="on" title="one move on (right arrow)">&gt;</button>'
            '<button data-go="last" title="to the end">&gt;|</button>'
            f'<input type="range" min="0" max="{last}" value="{last}" aria-label="move"><output></output></div>\n'
            f'<div class="both"><div class="chart">{chart}</div>'
            '<div class="aside" hidden><p class="move"></p><pre class="excerpt"></pre><table class="values"></table>'
            "</div></div>\n"
            f"<details><summary>The run as text</summary><pre>{escape(lanes(run, 120))}</pre></details>\n</article>"
        )


def stuck(run: Run) -> str:
    """Where processes wait, if the run ends because of that."""
    if run.trace.kind != "deadlock":
        return ""
    rows = (f"<li>{escape(str(each))}</li>\n" for each in waiting(run.interpreter, run.last) if not each.valid_end)
    return f"<ul>\n{''.join(rows)}</ul>\n"


def symmetry(found: Exploration) -> Iterator[str]:
    """The group, and what it saved."""
    used, group = found.symmetry, found.symmetry.group
    if used.representative is not None:
        yield (
            f"<p>{escape(group.structure)}: <strong>{group.order:,}</strong> symmetries, found by "
            f"<code>{escape(used.method)}</code>, representatives by <code>{escape(used.representative)}</code>.</p>"
        )
    elif used.method != "off":
        yield f"<p>No symmetry was used{': ' + escape(used.note) if used.note else '.'}</p>"
    else:
        yield f"<p>{escape(used.note) if used.note else 'No symmetry was looked for.'}</p>"
    yield f"<p>{saved(found)}</p>"
    if group.generators:
        more = len(group.generators) - GENERATORS
        yield "<details open><summary>Generators</summary><ul>"
        yield from (f"<li><code>{escape(each)}</code></li>" for each in group.generators[:GENERATORS])
        yield (f"<li>and {more:,} more</li>" if more > 0 else "") + "</ul></details>"


def saved(found: Exploration) -> str:
    """How many states were stored, and for how many they stand."""
    stored = f"{found.states:,} states stored"
    if not found.complete:
        stored += f" before the search stopped ({escape(found.stopped or 'at the first error')})"
    if found.symmetry.representative is None or not found.represents or found.represents == found.states:
        return f"{stored}."
    times = found.represents / found.states
    return f"{stored}, which stand for <strong>{found.represents:,}</strong>: {times:.1f} times fewer."


def drawn(picture: Picture) -> str:
    note = f"<p>{escape(picture.note)}</p>" if picture.note else ""
    content = f'<div class="picture">{picture.svg}</div>' if picture.svg is not None else ""
    return f"<h3>{escape(picture.title)}</h3>{note}{content}"


def model_text(source: Source) -> Iterator[str]:
    """The text with numbered lines."""
    lines = source.text.splitlines()
    yield f'<p><code>{escape(source.path)}</code>, {len(lines):,} lines</p>\n<pre class="model">'
    yield from (f'<span id="line{number}"><i>{number}</i>{escape(line)}</span>' for number, line in enumerate(lines, 1))
    yield "</pre>"


def settings(report: Report) -> Iterator[str]:
    yield f"<p>To repeat it:</p>\n<pre>{escape(report.command)}</pre>\n<table>"
    for name, value in report.settings.items():
        yield f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    yield f"</table>\n<p>{escape(report.made)}</p>"


# --- small parts -----------------------------------------------------------------------------------


def badge(verdict: Verdict) -> str:
    """
    >>> badge(Verdict.HOLDS)
    '<span class="verdict holds">holds</span>'
    """
    return f'<span class="verdict {verdict.value}">{verdict.value}</span>'


def quoted(names: Sequence[str]) -> str:
    return ", ".join(f"<em>{escape(name)}</em>" for name in names)


def anchor(name: str) -> str:
    """A name for links.

    >>> anchor("end states")
    'run-end-states'
    """
    return "run-" + "".join(letter if letter.isalnum() else "-" for letter in name)


def data(report: Report) -> str:
    """The runs and the texts that they walk through, for the script.  Nothing in it can end the element early."""
    files = {path: text for run in report.runs.values() for path, text in texts(run)}
    files[report.source.path] = report.source.text
    found = {
        "files": {path: text.splitlines() for path, text in files.items()},
        "runs": [steps(run, name) for name, run in report.runs.items()],
    }
    text = json.dumps(found, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    return f'<script type="application/json" id="runs">{text}</script>'
