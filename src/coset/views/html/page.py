"""The page about a check: verdicts, and counterexamples to step through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from coset.results.coverage import OPTION, STATEMENT
from coset.results.trace import Run
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.results.waiting import waiting
from coset.source.printable import json_text, printable_values
from coset.views.folding import folds
from coset.views.html.parts import Origin, around, document, static, symmetry
from coset.views.html.steps import sources, steps
from coset.views.lanes import lanes
from coset.views.sequence_chart import sequence_chart

LONGEST = 600
"""The most moves of a chart, without those that are folded; longer ones are unreadable."""


def page(result: Check, runs: Mapping[str, Run], origin: Origin) -> str:
    """The whole page; `runs` has the counterexamples and witnesses by the names of their properties."""
    sections = {"Verdicts": verdicts(result.properties)}
    numbered = list(enumerate(runs.items()))
    witnesses = {each.name for each in result.properties if each.witness is not None}
    for title, is_witness in (("Counterexamples", False), ("Witnesses", True)):
        found = [each for each in numbered if (each[1][0] in witnesses) == is_witness]
        if found:
            sections[title] = charts(found)
    if result.coverage is not None:
        sections["Coverage"] = coverage(result)
    sections |= {"Symmetry": symmetry(result.exploration), **around(origin)}
    heading = f"<h1>{escape(result.model)} {badge(result.verdict)}</h1>\n<p>{summary(result)}</p>"
    return document(f"{result.model}: {result.verdict.value}", heading, sections, data(runs, origin) + script())


def script() -> str:
    """The script that steps through the runs.  A server can permit this script and no other."""
    return f"<script>{stepping()}</script>\n"


def stepping() -> str:
    return "\n" + static("report.js")


# --- sections --------------------------------------------------------------------------------------


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
        vacuity = f"vacuously: {each.vacuity}" if each.vacuous else ""
        remark = escape("; ".join(filter(None, (each.remarks, vacuity))))
        if each.run is not None:
            link = f'<a href="#{anchor(each.name)}">a run of {len(each.run)} moves</a>'
            remark = f"{link}; {remark}" if remark else link
        yield (
            f"<tr><td>{escape(each.name)}</td><td>{escape(each.kind)}</td><td>{badge(each.verdict)}</td>"
            f'<td class="number">{each.states:,}</td><td>{remark}</td></tr>'
        )
        for error in each.errors:
            line = "" if error.span is None else f"line {error.span.line}: "
            yield f'<tr><td></td><td colspan="4">{escape(line + error.message)}, after {len(error.trace)} moves</td></tr>'
    yield "</table>"


def coverage(result: Check) -> Iterator[str]:
    """What no run reaches, with links to the lines of the model, and what nothing reads."""
    found = result.coverage
    assert found is not None
    words = {STATEMENT: "never reached", OPTION: "never taken"}
    rows = [(each.span, f"{each.process}: {' '.join(each.text.split())}", words[each.kind]) for each in found.unreached]
    rows += [(each.span, each.name, "never read") for each in result.unread]
    if not found.unreached:
        yield "<p>Every statement is reached.</p>"
    if rows:
        yield '<table class="wide">\n<tr><th>line</th><th>what</th><th>remarks</th></tr>'
        for span, text, remark in rows:
            line = f'<a href="#line{span.line}">{span.line}</a>'
            yield f'<tr><td class="number">{line}</td><td><code>{escape(text)}</code></td><td>{remark}</td></tr>'
        yield "</table>"


def charts(runs: Sequence[tuple[int, tuple[str, Run]]]) -> Iterator[str]:
    """The charts of numbered runs, each with buttons and the values of variables at the current step."""
    for number, (name, run) in runs:
        last = len(run.moves)
        if last - sum(fold.stop - fold.start for fold in folds(run)) <= LONGEST:
            chart = sequence_chart(run)
        else:
            chart = f"<p>The run has {last:,} moves, too long to draw.</p>"
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
    """Where processes wait, if the run ends in a deadlock."""
    if run.trace.kind != "deadlock":
        return ""
    rows = (f"<li>{escape(str(each))}</li>\n" for each in waiting(run.interpreter, run.last) if not each.valid_end)
    return f"<ul>\n{''.join(rows)}</ul>\n"


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


def data(runs: Mapping[str, Run], origin: Origin) -> str:
    """The runs and their sources as data for the script.  The text cannot close the element early."""
    found_in = {source.path: source for run in runs.values() for source in sources(run)}
    found_in[origin.source.path] = origin.source
    found = {
        "files": {path: source.lines for path, source in found_in.items()},
        "runs": [steps(run, name) for name, run in runs.items()],
    }
    text = json_text(printable_values(found), separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    return f'<script type="application/json" id="runs">{text}</script>\n'
