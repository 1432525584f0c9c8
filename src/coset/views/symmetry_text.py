"""`coset symmetry` for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import log10

from coset.results.symmetry import Broken, Explanation, GroupFound, Remark, SymmetryReport
from coset.source.printable import one_line
from coset.source.text import Span
from coset.views.terminal import Style

TRIVIAL = GroupFound(1).structure
MOST_GENERATORS, MOST_REMARKS, MOST_LINES = 20, 8, 4
"""The most entries of lists; --json has everything."""


def report(shown: SymmetryReport, style: Style, file: str) -> str:
    """The group, how it was found, and the remarks about it."""
    found = shown.found
    is_trivial = found.order == 1 and found.structure == TRIVIAL
    structure = style.faint("no non-trivial symmetry") if is_trivial else style.good(found.structure)
    steps = f" on {shown.steps} steps" if executions(shown) else ""
    has_order = found.order > 1 or is_trivial
    order = f"order {number(found.order)}, " if has_order and not found.structure.startswith("order ") else ""
    lines = [style.title(f"{one_line(shown.model)}: ") + order + structure + steps]
    lines += column("generators", cut(found.generators, MOST_GENERATORS))
    lines += column("method", [method(shown), *([shown.why] if shown.why else [])])
    if shown.candidate is not None:
        diagram = {"hypergraph": "hypergraph", "features": "feature configuration diagram"}.get(
            shown.method, "channel diagram"
        )
        lines += column("candidates", [f"{number(shown.candidate.order)}, the automorphisms of the {diagram}"])
        lines += column("", cut(shown.candidate.generators, MOST_GENERATORS))
    lines += column("properties", properties(shown) if shown.certified and shown.stopped is None else [])
    lines += column("steps", executions(shown))
    lines += column("findings", [remark(each, file) for each in cut_remarks(shown.findings)])
    lines += column("typing", typing(shown, file))
    lines += column("stopped at", [shown.stopped] if shown.stopped else [])
    lines += column("time", [f"{sum(shown.seconds.values()):.2f} s"])
    if shown.explanation is not None:
        lines += ["", *explanation(shown.explanation, shown, style)]
    return "\n".join(lines)


def column(title: str, texts: Sequence[str]) -> Iterator[str]:
    """A heading and its entries.

    >>> list(column("generators", ["(1 2)", "(2 3)"]))
    ['  generators   (1 2)', '               (2 3)']
    """
    for place, text in enumerate(texts):
        yield f"  {title if place == 0 else '':12} {text}"


def number(order: int) -> str:
    """
    >>> number(4976640000), number(10**40)
    ('4,976,640,000', 'about 1.0e40')
    """
    if order < 10**30:
        return f"{order:,}"
    exponent = int(log10(order))
    return f"about {order // 10 ** (exponent - 1) / 10}e{exponent}"


def cut(texts: Sequence[str], most: int) -> list[str]:
    rest = len(texts) - most
    return [*texts[:most], *([f"... and {rest} more (--json has all)"] if rest > 0 else [])]


def cut_remarks(remarks: Sequence[Remark]) -> list[Remark]:
    rest = len(remarks) - MOST_REMARKS
    return [*remarks[:MOST_REMARKS], *([Remark(f"... and {rest} more (--json has all)")] if rest > 0 else [])]


def method(shown: SymmetryReport) -> str:
    if not shown.certified:
        return f"{shown.method}; nothing to certify"
    if not shown.found.generators and not shown.tried:
        return shown.method
    return f"{shown.method}, certified on {shown.tried:,} reachable state{'s' * (shown.tried != 1)}"


def properties(shown: SymmetryReport) -> list[str]:
    """How the properties reduce the group."""
    whole, kept = shown.without_properties.order, shown.found.order
    if not shown.kept:
        return ["no properties to preserve"]
    if whole == kept:
        return [f"do not reduce the group ({', '.join(shown.kept)})"]
    texts = [f"without them the order is {number(whole)} ({shown.without_properties.structure})"]
    costs = [f"with {name} alone it is {number(order)}" for name, order in shown.costs if order != whole]
    return texts + (costs if len(shown.kept) > 1 else [])


def executions(shown: SymmetryReport) -> list[str]:
    """Which groups searches use, if there are two."""
    found = shown.by_execution
    if found is None or in_words(found.plain) == in_words(found.merged):
        return []
    why = f": {found.why}" if found.why else ""
    apart = f"; {', '.join(found.plain_for)} on plain steps" if found.plain_for else ""
    return [
        f"plain, used by explore: {in_words(found.plain)}",
        f"merged, used by check: {in_words(found.merged)}{why}{apart}",
    ]


def in_words(found: GroupFound) -> str:
    if found.order == 1:
        return "order 1" if found.structure in ("", TRIVIAL) else found.structure
    is_order = found.structure.startswith("order ")
    return found.structure if is_order else f"order {number(found.order)}, {found.structure}"


def typing(shown: SymmetryReport, file: str) -> list[str]:
    """Whether the typing rules of the static channel diagrams hold, if they matter."""
    if not shown.breaches or shown.method != "channels":
        return []
    return [remark(each, file) for each in cut_remarks(shown.breaches)]


def remark(found: Remark, file: str) -> str:
    return found.text + (f" ({place(found.span, file)})" if found.span is not None else "")


def place(span: Span, file: str) -> str:
    return f"line {span.line}" if span.file == file else f"{one_line(span.file)}:{span.line}"


# --- explanations --------------------------------------------------------------------------------


def explanation(found: Explanation, shown: SymmetryReport, style: Style) -> Iterator[str]:
    """The reasons, each with the lines responsible."""
    if not found.broken and found.complete:
        yield style.good(
            "Processes of one kind are all interchangeable." if found.several else "No two processes are of one kind."
        )
    reasons = [list(group) for _, group in groupby(found.broken, key=lambda each: each.reason)]
    for place, same in enumerate(list(group) for _, group in groupby(reasons, key=blamed)):
        if place:
            yield ""
        yield from reason(same, shown, style)
    if not found.complete:
        yield "There was no time to find all reasons."


def blamed(entries: list[Broken]) -> tuple[object, ...]:
    """The key by which entries of several kinds are combined."""
    return tuple(each.why for each in entries), entries[0].gain


def reason(same: list[list[Broken]], shown: SymmetryReport, style: Style) -> Iterator[str]:
    entries = same[0]
    for other in same:
        is_last = other is same[-1]
        yield style.title(heading(other[0])) + (gain(entries, shown) if is_last else "")
    for each in entries:
        yield f"  - {each.why}"
        for line, text in excerpt(each.spans):
            yield style.faint(f"      {line:>5} | {text}".rstrip())


def heading(first: Broken) -> str:
    """
    >>> heading(Broken(1, "client", ("1", "3"), ("client 1 and 2", "client 3"), (), "", 6))
    'client 1 and 2 cannot be exchanged with client 3.'
    """
    if not first.kind:
        return "The set of processes is not known."
    if len(first.groups) == 2:
        return f"{first.groups[0]} cannot be exchanged with {first.groups[1]}."
    if first.groups:
        together = [group.removeprefix(first.kind).strip() for group in first.groups]
        if all(label.isdecimal() for label in together):
            return f"{first.kind} {', '.join(together[:-1])} and {together[-1]} cannot be exchanged with each other."
        return f"{'; '.join(first.groups)} cannot be exchanged with each other."
    return f"Not every permutation of {first.kind} is possible."


def gain(entries: list[Broken], shown: SymmetryReport) -> str:
    """The order of the group without the reason."""
    first = entries[0]
    if first.gain is None or first.gain <= shown.found.order:  # another method may know the group by other means
        return ""
    this = "this" if len(entries) == 1 else "both of these" if len(entries) == 2 else "all of these"
    this = this if first.alone else f"{this} and what is above"
    return f" Without {this} the order would be {number(first.gain)}, not {number(shown.found.order)}:"


def excerpt(spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """The source lines, for the body of an inline also the line of the call; of many, the first and the last."""
    found: dict[tuple[str, int], str] = {}
    for span in spans:
        place: Span | None = span
        while place is not None:
            found.setdefault((place.file, place.line), place.source.line_text(place.line).strip())
            place = place.via
    rows = [(str(line), text) for (_, line), text in found.items()]
    if len(rows) > MOST_LINES:
        yield from rows[: MOST_LINES - 1]
        yield "...", ""
        rows = rows[-1:]
    yield from rows
