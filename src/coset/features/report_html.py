"""The matrix of interactions as one page that needs nothing else, with a counterexample for each interaction."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from coset.features.interactions import Analysis, CaseResult
from coset.features.report_text import broken, cell
from coset.results.verdict import Verdict
from coset.source.printable import printable

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2937; margin: 2em auto; max-width: 72em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { border: 1px solid #cbd5e1; padding: .35em .8em; text-align: center }
th { background: #f8fafc } td.none { color: #6b7280 } td.some { background: #fecaca; font-weight: bold }
td.unknown { background: #fde68a }
details { border: 1px solid #cbd5e1; border-radius: .4em; margin: .5em 0; padding: .4em .8em }
summary { cursor: pointer } pre { overflow-x: auto; font-size: 12px } code { font-size: 13px }
"""


def page(found: Analysis) -> str:
    """The whole page."""
    title = f"Feature interactions of {escape(found.network.name)}"
    sizes = ", ".join(f"{each.count} {escape(each.name)}" for each in found.network.definitions)
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{sizes}. {len(found.interactions)} of {len(found.cases)} cases interact; cases are counted up to symmetry. "
        f"{found.runs} verdicts in {found.seconds:.0f} seconds.</p>",
        "<h2>Features alone</h2>",
        *validations(found),
        "<h2>Two features</h2>",
        "<p>In each field: the cases that interact, of all cases.</p>",
        *matrix(found),
        "<h2>Interactions</h2>",
        *(interaction(each) for each in found.interactions),
    ]
    if not found.interactions:
        parts.append("<p>There are none.</p>")
    body = "\n".join(parts)
    return printable(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def validations(found: Analysis) -> Iterator[str]:
    yield "<table><tr><th>feature</th><th>property</th><th>with it</th><th>without it</th><th>states</th></tr>"
    for each in found.validations:
        with_it, without = each.alone.verdict.value, each.without.verdict.value
        yield (
            f"<tr><th>{escape(str(each.instance))}</th><td><code>{escape(each.alone.formula)}</code></td>"
            f"<td>{with_it}</td><td>{without}</td><td>{each.alone.states:,}</td></tr>"
        )
    yield "</table>"


def matrix(found: Analysis) -> Iterator[str]:
    heads = "".join(f"<th>{escape(name)}</th>" for name in found.features)
    yield f"<table><tr><th></th>{heads}</tr>"
    for place, one in enumerate(found.features):
        fields = [f"<th>{escape(one)}</th>", *("<td></td>" for _ in found.features[:place])]
        for other in found.features[place:]:
            cases = found.of(one, other)
            kind = "some" if any(c.interacts for c in cases) else "unknown" if any(c.unknown for c in cases) else "none"
            fields.append(f'<td class="{kind}">{cell(found, one, other)}</td>')
        yield f"<tr>{''.join(fields)}</tr>"
    yield "</table>"


def interaction(found: CaseResult) -> str:
    runs = "".join(
        f"<p><code>{escape(each.formula)}</code></p><pre>{escape(each.counterexample or '')}</pre>"
        for each in found.outcomes
        if each.verdict is Verdict.VIOLATED
    )
    hosts = "one host" if found.one_host else "two hosts"
    head = f"{escape(str(found.case))} ({hosts}): {escape(broken(found))} is violated"
    return f"<details><summary>{head}</summary>{runs}</details>"
