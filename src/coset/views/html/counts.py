"""The pages about an exploration and about the symmetry of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from coset.results.exploration import Exploration
from coset.results.symmetry import SymmetryReport
from coset.views import symmetry_text, terminal
from coset.views.html.parts import Origin, around, document, generators, symmetry

PLAIN = terminal.Style(False)


def exploration_page(result: Exploration, origin: Origin) -> str:
    """The page about an exploration: counts and errors."""
    outcome = badge("complete", "holds") if result.complete else badge("not complete", "unknown")
    heading = f"<h1>{escape(result.model)} {outcome}</h1>\n<p>{counted(result)}</p>"
    sections = {"Counts": counts(result), "Symmetry": symmetry(result), **around(origin)}
    return document(f"{result.model}: {result.states:,} states", heading, sections)


def counted(result: Exploration) -> str:
    """The outcome in a sentence or two."""
    words = f"{result.states:,} states and {result.transitions:,} transitions."
    if not result.complete:
        words += f" The search stopped at {escape(result.stopped or 'a limit')}: these are lower bounds."
    return f"{words} {escape(result.engine.capitalize())} engine, {sum(result.seconds.values()):.2f} s."


def counts(result: Exploration) -> Iterator[str]:
    per_state = "" if result.bytes_per_state is None else f", {result.bytes_per_state:.1f} bytes per state"
    rows = [
        ("states", f"{result.states:,}{terminal.represented(result)}"),
        ("transitions", f"{result.transitions:,}"),
        ("depth", f"{result.depth:,}") if result.nodes is None else ("diagrams", f"{result.nodes:,} nodes"),
        ("errors", terminal.errors(result.errors, PLAIN)),
        *(("for example", message) for kind, message in result.examples.items() if kind != "end"),
        ("memory", terminal.amount(result.peak_memory) + per_state),
    ]
    yield table(rows)


def symmetry_page(report: SymmetryReport, origin: Origin) -> str:
    """The page about symmetry: the group, how properties reduce it and, if requested, what breaks it."""
    found = report.found
    trivial = found.order == 1
    words = (
        "No non-trivial symmetry."
        if trivial
        else f"{escape(found.structure)}, order {symmetry_text.number(found.order)}."
    )
    heading = f"<h1>{escape(report.model)}</h1>\n<p>{words} {sum(report.seconds.values()):.2f} s.</p>"
    sections = {"Symmetry": group(report, origin.source.path)}
    if report.explanation is not None:
        text = "\n".join(symmetry_text.explanation(report.explanation, report, PLAIN))
        sections["Explanation"] = iter([f"<pre>{escape(text)}</pre>"])
    return document(f"{report.model}: symmetry", heading, {**sections, **around(origin)})


def group(report: SymmetryReport, file: str) -> Iterator[str]:
    """The group, and how it was found."""
    rows = [("method", symmetry_text.method(report))]
    if report.why:
        rows.append(("why", report.why))
    if report.candidate is not None:
        rows.append(("candidates", symmetry_text.number(report.candidate.order)))
    if report.certified:
        rows += [("properties", text) for text in symmetry_text.properties(report)]
    rows += [("steps", text) for text in symmetry_text.executions(report)]
    rows += [("findings", symmetry_text.remark(each, file)) for each in report.findings]
    yield table(rows)
    yield from generators(report.found)


def table(rows: Sequence[tuple[str, str]]) -> str:
    """
    >>> table([("states", "3 < 4")])
    '<table>\\n<tr><th>states</th><td>3 &lt; 4</td></tr>\\n</table>'
    """
    cells = "\n".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
    return f"<table>\n{cells}\n</table>"


def badge(words: str, kind: str) -> str:
    return f'<span class="verdict {kind}">{words}</span>'
