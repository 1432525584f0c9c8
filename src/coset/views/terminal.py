"""Results as plain text for a terminal.

Colours are used only on a terminal, and not when NO_COLOR is set (https://no-color.org).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from coset.model.interpreter import Move
from coset.model.model import Edge, Model
from coset.model.state import State, process_name
from coset.results.coverage import OPTION, STATEMENT, Unreached
from coset.results.exploration import Errors, Exploration
from coset.results.verdict import Check, Confirmation, PropertyResult, Verdict
from coset.source.printable import control, one_line
from coset.source.records import dataclass

KINDS = {"assertions": "assertion violation", "invalid_end_states": "invalid end state", "trace": "trace violation"}

WIDEST = 36
"""The most characters of a statement; longer ones are truncated."""


MOST_LINES = 12
"""The most lines of statements that are never reached."""


@dataclass(frozen=True, slots=True)
class Style:
    """How to mark text.

    >>> Style(False).bad("wrong")
    'wrong'
    """

    coloured: bool

    def paint(self, text: str, code: str) -> str:
        return control(f"\x1b[{code}m") + text + control("\x1b[0m") if self.coloured else text

    def bad(self, text: str) -> str:
        return self.paint(text, "31")

    def good(self, text: str) -> str:
        return self.paint(text, "32")

    def title(self, text: str) -> str:
        return self.paint(text, "1")

    def faint(self, text: str) -> str:
        return self.paint(text, "2")


def style(stream: TextIO) -> Style:
    """The style for a stream."""
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Style(stream.isatty() and not plain)


# --- explorations ----------------------------------------------------------------------------------


def exploration(result: Exploration, style: Style) -> str:
    """The counts of an exploration, one per line."""
    verdict = style.good("complete") if result.complete else style.bad("not complete")
    seconds = ", ".join(f"{name} {spent:.2f}" for name, spent in result.seconds.items())
    lines = [
        style.title(f"{one_line(result.model)}: ") + f"{verdict}, {result.engine} engine",
        f"  states       {result.states:,}{represented(result)}",
        f"  transitions  {result.transitions:,}",
        f"  depth        {result.depth:,}" if result.nodes is None else f"  diagrams     {result.nodes:,} nodes",
        f"  errors       {errors(result.errors, style)}",
    ]
    lines += [f"               for example: {message}" for kind, message in result.examples.items() if kind != "end"]
    lines += [
        *(f"  symmetry     {line}" for line in symmetry(result)),
        f"  time         {sum(result.seconds.values()):.2f} s ({seconds})",
        f"  memory       {amount(result.peak_memory)}",
        *([f"  disk         {amount(result.disk)}"] if result.disk else []),
    ]
    if not result.complete:
        lines.append(f"  stopped at   {result.stopped}: the counts are lower bounds")
    return "\n".join(lines)


def represented(result: Exploration) -> str:
    """How many states the stored ones represent, if more than their own number."""
    if result.symmetry.representative is None or result.represents in (None, result.states):
        return ""
    return f" stored (represent {result.represents:,})"


def symmetry(result: Exploration) -> Iterator[str]:
    """The group that a search used, and what it saved."""
    used = result.symmetry
    if used.representative is not None:
        saved = (
            f", {result.represents / result.states:.1f} times fewer states"
            if result.represents and result.states
            else ""
        )
        order = f", order {used.group.order:,}" if used.group.order > 1 else ""
        yield f"{used.group.structure}{order}{saved} ({used.method}, {used.representative})"
    elif used.method != "off" and used.group.order > 1:
        yield f"{used.group.structure}, order {used.group.order:,}" + (f": {used.note}" if used.note else "")
    elif used.method != "off":
        yield "none found" + (f": {used.note}" if used.note else "")
    elif used.note:
        yield used.note


def errors(found: Errors, style: Style) -> str:
    """The number of errors of each kind.

    >>> errors(Errors(assertions=2, invalid_end_states=1), Style(False))
    '2 assertion violations, 1 invalid end state'
    """
    numbers = {word: getattr(found, name) for name, word in KINDS.items()}
    numbers |= {f"{kind} fault": number for kind, number in found.faults.items()}
    words = [f"{number:,} {word}{'s' * (number != 1)}" for word, number in numbers.items() if number]
    return style.bad(", ".join(words)) if words else style.good("none")


def amount(size: int) -> str:
    """A number of bytes in a suitable unit.

    >>> amount(25165824), amount(3 * 2**30)
    ('24 MB', '3.0 GB')
    """
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"


# --- verdicts --------------------------------------------------------------------------------------


def properties(found: Sequence[PropertyResult], style: Style) -> Iterator[str]:
    """One line per property: its name, kind and verdict, and how many states the search took.

    >>> from coset.properties.kinds import PropertyKind
    >>> found = PropertyResult("p", PropertyKind.LTL, Verdict.UNKNOWN, reason="a limit", states=1000)
    >>> print(*properties([found], Style(False)))
    p  ltl  unknown   1,000 states (a limit)
    """
    names, kinds = (max((len(getattr(each, part)) for each in found), default=0) for part in ("name", "kind"))
    counts = max((len(f"{each.states:,}") for each in found), default=0)
    for each in found:
        shown = verdict(each.verdict, style, f"{each.verdict.value:8}")
        reason = f" ({each.remarks})" if each.remarks else ""
        yield (
            f"{each.name:{names}}  {each.kind:{kinds}}  {shown}  {each.states:{counts},} "
            f"state{'s' * (each.states != 1)}{reason}"
        )


def findings_beside(result: Check, style: Style, with_list: bool = False) -> Iterator[str]:
    """What is to be said besides the verdicts: what holds vacuously, and what no run reaches; `with_list`, each statement and
    each variable that nothing reads."""
    for each in result.properties:
        if each.vacuous:
            yield style.bad(f"{one_line(each.name)} holds vacuously: {one_line(each.vacuity or '')}")
    if result.coverage is None:
        if with_list:
            yield "coverage: not known, as the search was not complete"
    else:
        found = result.coverage.unreached
        lists = [
            (STATEMENT, "statement is never reached", "statements are never reached"),
            (OPTION, "option is never taken", "options are never taken"),
        ]
        for kind, one, many in lists:
            here = [each for each in found if each.kind == kind]
            if here:
                yield f"{len(here)} {one if len(here) == 1 else many}: {lines_of(here)}"
                if with_list:
                    yield from (f"  {each}" for each in here)
        if with_list and not found:
            yield "every statement is reached"
    if with_list:
        for variable in result.unread:
            yield f"{variable.name} is never read: line {variable.span.line}"


def lines_of(found: Sequence[Unreached]) -> str:
    """The lines of statements; those of another file than the first one with its name."""
    lines = dict.fromkeys((each.span.file, each.span.line) for each in found)
    main = found[0].span.file
    words = [str(line) if file == main else f"{one_line(file)}:{line}" for file, line in lines]
    more = f" and {len(words) - MOST_LINES} more (--coverage lists all)" if len(words) > MOST_LINES else ""
    return f"line{'s' * (len(words) != 1)} {', '.join(words[:MOST_LINES])}{more}"


def all_errors(result: Check, style: Style) -> Iterator[str]:
    """The number of errors, and one line for each distinct one: its position, its message, and the length of the run."""
    found = [error for each in result.properties for error in each.errors]
    if not found:
        return
    yield f"{errors(result.exploration.errors, style)}; {len(found)} different:"
    for each in found:
        place = "" if each.span is None else f"line {each.span.line}"
        number = len(each.trace)
        yield f"  {place:9} {each.kind:9}  {each.message}, after {number} move{'s' * (number != 1)}"


def verdict(found: Verdict, style: Style, text: str | None = None) -> str:
    """A verdict in its colour."""
    return (style.good if found is Verdict.HOLDS else style.bad)(text or found.value)


def conclusion(result: Check, style: Style) -> str:
    """The verdict on all properties in one line."""
    culprits = [each.name for each in result.properties if each.verdict is result.verdict is not Verdict.HOLDS]
    names = f" ({', '.join(culprits)})" if culprits else ""
    seconds = sum(result.seconds.values())
    shown = verdict(result.verdict, style)
    group = result.exploration.symmetry
    order = f" (order {group.group.order:,})" if group.group.order > 1 else ""
    reduced = f", symmetry {group.group.structure}{order}" if group.representative else ""
    if not group.representative and group.group.order > 1 and group.note:
        reduced = f", symmetry {group.group.structure} not used"
    if result.exploration.reduction == "por":
        reduced += ", partial order reduction"
    engine = f"{result.engine} engine{confirmation(result.confirmed)}"
    return style.title(f"{one_line(result.model)}: ") + f"{shown}{names}{reduced}, {engine}, {seconds:.2f} s"


def timing(phases: Mapping[str, float]) -> str:
    """How long each phase took.

    >>> timing({"start": 0.03, "load": 0.1, "total": 0.13})
    'time: start 0.03, load 0.10, total 0.13 s'
    """
    return f"time: {', '.join(f'{name} {seconds:.2f}' for name, seconds in phases.items())} s"


def confirmation(found: Confirmation | None) -> str:
    """The note that verdicts were confirmed.

    >>> confirmation(Confirmation(1418, "reference")), confirmation(Confirmation(1, "explicit")), confirmation(None)
    (', confirmed on the plain model (1,418 states)', ', confirmed on the plain model by the explicit engine (1 state)', '')
    """
    if found is None:
        return ""
    engine = "" if found.engine == "reference" else f" by the {found.engine} engine"
    return f", confirmed on the plain model{engine} ({found.states:,} state{'s' * (found.states != 1)})"


def unconfirmed(found: Sequence[PropertyResult]) -> Iterator[str]:
    """Verdicts whose requested confirmation is missing, and why."""
    for each in found:
        if each.unconfirmed is not None:
            yield f"{each.name}: not cross-checked ({each.unconfirmed})"


# --- the installation ------------------------------------------------------------------------------


def findings(found: Sequence[Mapping[str, Any]], usable: bool, style: Style) -> str:
    """A table of what is installed."""
    lines = []
    for each in found:
        mark = style.good("ok ") if each["usable"] else style.bad("MISSING") if each["required"] else style.faint("-  ")
        what = each["version"] or each["path"] or "not found"
        what += f": {each['details']}" if each["details"] else ""
        lines.append(f"{mark} {each['name']:8} {what}" + (f"  ({each['purpose']})" if not each["usable"] else ""))
    lines.append(style.good("Coset can be used.") if usable else style.bad("Something that Coset needs is missing."))
    return "\n".join(lines)


# --- runs ------------------------------------------------------------------------------------------


class RunView:
    """Columns for the moves of one model: number, process, line, statement, changes."""

    def __init__(self, model: Model, file: str, style: Style) -> None:
        self.model, self.file, self.style = model, file, style
        self.width = max((len(kind.name) for kind in model.kinds), default=0) + 4
        self.globals = {variable.name for variable in model.variables}

    def move(self, number: int, before: State, move: Move, changes: Mapping[str, object]) -> Iterator[str]:
        """The lines for one move.  Its output comes first, indented by the process, as in SPIN."""
        for text in move.output:
            for line in text.removesuffix("\n").split("\n"):
                yield f"{' ' * (6 + 4 * move.process)}{line}"
        movers = self.movers(before, move)
        for place, (process, edge) in enumerate(movers):
            mark = f"{number:5}" if place == 0 else "   ->"
            line = f"{mark}  {self.taken(process, edge)}"
            if place == len(movers) - 1 and changes:
                line += "  " + ", ".join(self.change(process, name, value) for name, value in changes.items())
            yield line.rstrip()

    def movers(self, before: State, move: Move) -> list[tuple[str, Edge]]:
        """The process that moves and, in a handshake, its partner."""
        both = [(move.process, move.edge), *([move.partner] if move.partner else [])]
        return [(process_name(self.model, pid, before.processes[pid]), edge) for pid, edge in both]

    def taken(self, process: str, edge: Edge) -> str:
        """A process and the edge that it takes."""
        return f"{process:{self.width}}  {self.place(edge):9} {statement(edge):{WIDEST}}"

    def place(self, edge: Edge) -> str:
        if edge.span is None:
            return ""
        line = edge.span.line
        return f"line {line}" if edge.span.file == self.file else f"{one_line(edge.span.file)}:{line}"

    def change(self, process: str, name: str, value: object) -> str:
        """A variable with its new value; the mover's own variables have no prefix, unless a global one has the same name."""
        own = name.removeprefix(f"{process}:")
        short = name if own.split("[")[0].split(".")[0] in self.globals else own
        return f"{short} = {messages(value) if isinstance(value, list) else value}"

    def choices(self, before: State, moves: Sequence[Move]) -> Iterator[str]:
        """The moves to choose from, numbered."""
        for number, move in enumerate(moves, 1):
            taken = [self.taken(process, edge).rstrip() for process, edge in self.movers(before, move)]
            yield f"{number:5}: {' -> '.join(taken)}"

    def ending(self, message: str, failed: bool, moves: int, seed: int) -> str:
        """How the run ended, with the seed to repeat it."""
        shown = self.style.bad(message) if failed else message
        return f"{shown}, after {moves} move{'s' * (moves != 1)} (--seed {seed})"

    def standing(self, state: State) -> Iterator[str]:
        """Where every process is, and what it waits for."""
        for pid, process in enumerate(state.processes):
            location = self.model.kinds[process.kind].locations[process.at]
            waits = " | ".join(statement(edge) for edge in location.edges)
            place = self.place(location.edges[0]) if location.edges else ""
            end = "  (valid end)" if location.end else ""
            yield f"       {process_name(self.model, pid, process):{self.width}}  {place:9} waits for {waits}{end}"


def statement(edge: Edge) -> str:
    """The statement of an edge on one line."""
    text = " ".join(edge.text.split())
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def messages(held: Sequence[Sequence[object]]) -> str:
    """The contents of a channel.

    >>> messages([[1, 2], [3, "token"]]), messages([])
    ('[(1,2) (3,token)]', '[]')
    """
    return "[" + " ".join("(" + ",".join(map(str, message)) + ")" for message in held) + "]"
