"""Results as small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from coset.source.printable import printable

LONGEST = 12
"""The most entries of a list that are shown."""


def pairs(caption: str, rows: Iterable[tuple[str, object]]) -> str:
    """A table of names and values.

    >>> print(pairs("m.pml", [("states", 1234), ("order", "2 < 3")]))
    <table><caption><b>m.pml</b></caption>
    <tr><th style="text-align:left">states</th><td style="text-align:left">1,234</td></tr>
    <tr><th style="text-align:left">order</th><td style="text-align:left">2 &lt; 3</td></tr>
    </table>
    """
    left = 'style="text-align:left"'
    body = "".join(f"<tr><th {left}>{escape(name)}</th><td {left}>{shown(value)}</td></tr>\n" for name, value in rows)
    return printable(f"{opening(caption)}{body}</table>")


def grid(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a row of heads."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{shown(value)}</td>' for value in row)}</tr>\n" for row in rows)
    return printable(f"{opening(caption)}<tr>{head}</tr>\n{body}</table>")


def opening(caption: str) -> str:
    return f"<table><caption><b>{escape(caption)}</b></caption>\n"


def shown(value: object) -> str:
    """A value as text; lists line by line."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple | list):
        more = [f"and {len(value) - LONGEST:,} more"] if len(value) > LONGEST else []
        return "<br>".join([*(shown(each) for each in value[:LONGEST]), *more])
    return escape(str(value))
