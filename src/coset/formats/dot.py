"""Diagrams, and their text in the language of Graphviz (https://graphviz.org/doc/info/lang.html).

A `Diagram` has nodes and arrows with their meaning; their appearance is defined here for all diagrams.  The code that builds
a diagram does not depend on Graphviz.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from html import escape

from coset.source import children
from coset.source.printable import printable
from coset.source.records import dataclass

FONT = "Helvetica,Arial,sans-serif"
CODE = "Menlo,Consolas,DejaVu Sans Mono,monospace"
INK, GREY, PALE = "#1f2937", "#6b7280", "#f8fafc"
COLOURS = {
    "": ("#ffffff", "#475569"), "accept": ("#fde68a", "#b45309"), "progress": ("#bbf7d0", "#15803d"),
    "error": ("#fecaca", "#b91c1c"), "over": (INK, INK),
}  # fmt: skip
"""The fill and line colours of a node, by its mark."""
ARROWS = {
    "": ("#475569", 1.1), "accept": ("#b45309", 2.2), "hold": ("#2563eb", 1.4), "error": ("#b91c1c", 1.8),
}  # fmt: skip
"""The colour and width of an arrow, by its mark."""
ORBITS = (
    ("#bfdbfe", "#1d4ed8"), ("#fed7aa", "#c2410c"), ("#bbf7d0", "#15803d"), ("#f5d0fe", "#a21caf"), ("#fde68a", "#a16207"),
    ("#a5f3fc", "#0e7490"), ("#fecaca", "#b91c1c"), ("#ddd6fe", "#6d28d9"), ("#d9f99d", "#4d7c0f"), ("#fbcfe8", "#be185d"),
)  # fmt: skip
"""The fill and line colours of interchangeable nodes, by the number of their orbit."""
SIZES = ("#ffffff", "#eff6ff", "#dbeafe", "#c7dffe", "#b0d0fd", "#97c0fb", "#7fb0f9")
"""The fill colours of nodes that represent 1, 2, up to 4, up to 8, ... states."""
SHAPES = {"process": "oval", "channel": "box", "variable": "hexagon"}
LEGEND = {
    "nodes": "oval: process; box: channel; arrows follow messages",
    "features": "arrows from the host of a feature to its partner; features of one component below its name",
    "variables": "hexagon: shared variable; arrows follow values",
    "hyperedges": "oval: process; hexagon: shared variable; box: channel; lines to all that use it",
    "constraints": "hexagon: element of the state, with its literals before a step and after it ('); oval: summand; boxes: its "
    "constraints, their cases and rows",
    "roles": "letters: the role of a variable for a process",
    "orbit": "same colour: exchanged by symmetry; white: fixed by every symmetry",
    "end": "double line: valid end state", "accept": "amber: accept", "progress": "green: progress",
    "transient": "dashed: passed within one step (d_step)", "hold": "blue arrow: atomic",
    "standing": "bold: lines or labels of the processes; below: changed variables",
    "orbit size": "×n: an orbit of n states; darker: larger; white: a single state",
    "end state": "double line: valid end state",
    "error": "red: invalid end state, or an error in a step",
    "marked": "thick arrow: acceptance, to be taken infinitely often (each number)",
}  # fmt: skip
WAYS = {"both": "both", "line": "none"}
WIDTH = 30
"""The approximate line length, in characters, of labels of arrows."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """`title` is shown large, `note` small below it.  `marks`: start, end, accept, progress, transient, over; or process,
    channel, variable; or end state, error.  Nodes of one `orbit` have the same colour.  A node of a state graph represents a
    number of `states`, and is darker the more there are; its texts may have several lines, and `problem` is an error."""

    name: str
    title: str
    note: str = ""
    marks: frozenset[str] = frozenset()
    orbit: int | None = None
    states: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow with one line for each of `labels`.  `marks`: accept, hold, error, both (it has two heads), line (it has no
    head)."""

    source: str
    target: str
    labels: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()
    badge: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One automaton or graph with a title; a diagram shows several side by side.  Nodes in one set of `level` are in one
    row."""

    title: str
    nodes: tuple[DiagramNode, ...]
    arrows: tuple[Arrow, ...]
    subtitle: str = ""
    level: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Diagram:
    """A diagram.  `layout` is "down" for automata, "across" for undirected graphs, "ring" for a single ring, "states" for a
    state graph."""

    title: str
    parts: tuple[Part, ...]
    legend: tuple[str, ...] = field(default=())
    """Names of the marks that need an explanation."""
    layout: str = "down"

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return picture(dot(self), "svg").decode()


# --- text ----------------------------------------------------------------------------------------


def dot(diagram: Diagram) -> str:
    """The text for Graphviz.

    >>> nodes = DiagramNode("a", "1", marks=frozenset({"start"})), DiagramNode("b", "2")
    >>> part = Part("P", nodes, (Arrow("a", "b", ("x < 3",)),))
    >>> print(dot(Diagram("m.pml", (part,))))  # doctest: +ELLIPSIS
    digraph "m.pml" {
      ...
        "p0.a" -> "p0.b" [color="#475569", penwidth=1.1, label=<...x &lt; 3...>];
      }
    }
    """
    return printable("\n".join(written_lines(diagram)))


def written_lines(diagram: Diagram) -> list[str]:
    lines = [f"digraph {quoted(diagram.title)} {{", *(f"  {line}" for line in settings(diagram))]
    if diagram.layout == "states":  # backward arrows are drawn around everything, also around the frame of a part
        lines += [f"  {line}" for number, part in enumerate(diagram.parts) for line in contents(number, part)]
        return [*lines, "}"]
    for number, part in enumerate(diagram.parts):
        lines += [f"  subgraph cluster_{number} {{", *(f"    {line}" for line in cluster(number, part)), "  }"]
    return [*lines, "}"]


def settings(diagram: Diagram) -> Iterator[str]:
    yield f'graph [fontname="{FONT}", fontsize=12, fontcolor="{INK}", {DIRECTIONS[diagram.layout]},'
    yield f"       pad=0.2, bgcolor=white, labelloc={'t' if diagram.layout == 'states' else 'b'}, {legend(diagram)}];"
    yield f'node [fontname="{FONT}", fontsize=12, fontcolor="{INK}", shape=box, style="rounded,filled",'
    yield '      margin="0.12,0.05", height=0.35, width=0.45];'
    yield f'edge [fontname="{CODE}", fontsize=10, fontcolor="{INK}", arrowsize=0.7];'


DIRECTIONS = {
    "down": "rankdir=TB, nodesep=0.35, ranksep=0.4", "across": "rankdir=LR, nodesep=0.25, ranksep=0.8",
    "states": "rankdir=TB, nodesep=0.3, ranksep=0.45",
    "ring": "layout=circo, mindist=0.3",
}  # fmt: skip


def legend(diagram: Diagram) -> str:
    rows = [escape(LEGEND[mark]) for mark in diagram.legend]
    if diagram.layout == "ring":  # no clusters are drawn then, and so no titles
        rows = [*(f"{escape(part.title)}: {escape(part.subtitle)}" for part in diagram.parts), *rows]
    if diagram.layout == "states":
        explained = [f'<font point-size="9" color="{GREY}">{"<br/>".join(rows)}</font>'] if rows else []
        return f"label=<{column([*(line for part in diagram.parts for line in titles(part, 3 * WIDTH)), *explained])}>"
    text = "<br/>".join(rows)
    return f'label=<<font point-size="9" color="{GREY}">{text}</font>>' if text else 'label=""'


def cluster(number: int, part: Part) -> Iterator[str]:
    yield f'label=<{column(titles(part))}>; labelloc=t; style="rounded,filled"; color="#cbd5e1"; fillcolor="{PALE}"; margin=16;'
    yield from contents(number, part)


def column(rows: Iterable[str]) -> str:
    """Lines one below the other, with some space between them."""
    cells = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    return f'<table border="0" cellspacing="0" cellpadding="3">{cells}</table>'


def titles(part: Part, width: int = 2 * WIDTH) -> list[str]:
    """The title of a part, line by line."""
    return [
        f'<font point-size="14"><b>{escape(part.title)}</b></font>',
        *(
            f'<font point-size="10" color="{GREY}" face="{CODE}">{escape(line)}</font>'
            for line in wrapped(part.subtitle, width)
        ),
    ]


def contents(number: int, part: Part) -> Iterator[str]:
    for node in part.nodes:
        yield from shown_node(f"p{number}.", node)
    for names in part.level:
        yield f"{{ rank=same; {'; '.join(quoted(f'p{number}.{name}') for name in names)} }}"
    loops = Counter(arrow.source for arrow in part.arrows if arrow.source == arrow.target)
    for place, arrow in enumerate(part.arrows):
        bends = arrow.source == arrow.target and loops[arrow.source] > 1
        yield from shown_arrow(f"p{number}.", arrow, f".loop{place}" if bends else "")


def shown_node(prefix: str, node: DiagramNode) -> Iterator[str]:
    name = quoted(prefix + node.name)
    kind = next((mark for mark in ("over", "error", "accept", "progress") if mark in node.marks), "")
    fill, line = COLOURS[kind] if node.orbit is None else ORBITS[node.orbit % len(ORBITS)]
    if node.states is not None and not kind:
        fill = SIZES[min((node.states - 1).bit_length(), len(SIZES) - 1)]
    settings = [f'fillcolor="{fill}"', f'color="{line}"']
    shape = next((SHAPES[mark] for mark in SHAPES if mark in node.marks), None)
    if shape is not None:
        settings += [f"shape={shape}", "style=filled"]
    if kind == "over":
        settings += ["shape=circle", "width=0.16", "height=0.16", "fixedsize=true", "peripheries=2", 'label=""']
    else:
        settings.append(f"label=<{written(node)}>")
        if node.states is not None:
            settings.append('margin="0.16,0.08"')
            settings.append(f"penwidth={1 + 0.3 * min((node.states - 1).bit_length(), len(SIZES)):.1f}")
        if "end" in node.marks or "end state" in node.marks:
            settings.append("peripheries=2")
        if "transient" in node.marks:
            settings.append('style="rounded,filled,dashed"')
    yield f"{name} [{', '.join(settings)}];"
    if "start" in node.marks:
        start = quoted(prefix + node.name + ".start")
        yield f'{start} [shape=point, width=0.08, height=0.08, color="{INK}", style=filled, fillcolor="{INK}", label=""];'
        yield f'{start} -> {name} [color="{INK}", penwidth=1.1];'


def written(node: DiagramNode) -> str:
    """The label of a node."""
    if node.states is None:
        note = f'<br/><font point-size="8" color="{GREY}">{escape(node.note)}</font>' if node.note else ""
        return f"{escape(node.title)}{note}"
    rows = [f"<b>{row}</b>" for row in rows_of(node.title)]
    rows += [f'<font point-size="10" face="{CODE}">{row}</font>' for row in rows_of(node.note)]
    if node.states > 1:
        rows.append(f'<font point-size="9" color="{ORBITS[0][1]}"><b>×{node.states:,}</b></font>')
    colour = COLOURS["error"][1]
    rows += [f'<font point-size="9" color="{colour}">{row}</font>' for row in rows_of(node.problem)]
    return "<br/>".join(rows)


def rows_of(text: str) -> list[str]:
    return escape(text).split("\n") if text else []


def shown_arrow(prefix: str, arrow: Arrow, bend: str = "") -> Iterator[str]:
    """The lines for an arrow.  With `bend` it passes through a point of that name: Graphviz draws all self-loops of a node on
    one side, with overlapping labels."""
    kind = next((mark for mark in ("error", "accept", "hold") if mark in arrow.marks), "")
    colour, width = ARROWS[kind]
    badge = f'<font color="{colour}"><b>{escape(arrow.badge)}</b></font>' if arrow.badge else ""
    lines = [escape(line) for label in arrow.labels for part in label.split("\n") for line in wrapped(part, WIDTH)]
    lines = [*([badge] if badge else []), *lines]
    rows = '<br align="left"/>'.join([*lines, ""] if len(lines) > 1 else lines)
    label = f', label=<<table border="0" cellpadding="2"><tr><td align="left">{rows}</td></tr></table>>' if rows else ""
    source, target = quoted(prefix + arrow.source), quoted(prefix + arrow.target)
    style = f'color="{colour}", penwidth={width}' + "".join(
        f", dir={way}" for mark, way in WAYS.items() if mark in arrow.marks
    )
    if bend:
        point = quoted(prefix + arrow.source + bend)
        yield f'{point} [shape=point, width=0.01, height=0.01, color="{colour}", label=""];'
        yield f"{source} -> {point} [{style}, arrowhead=none{label}];"
        yield f"{point} -> {target} [{style}];"
    else:
        yield f"{source} -> {target} [{style}{label}];"


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines, broken at spaces; no word is broken.

    >>> wrapped("request!eval(me),token -> x = 1", 12)
    ['request!eval(me),token', '-> x = 1']
    """
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def quoted(text: str) -> str:
    r"""A name for Graphviz.

    >>> print(quoted('say "a\\b"'))
    "say \"a\\b\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# --- pictures ------------------------------------------------------------------------------------

PICTURES = ("svg", "png", "pdf")


class NoGraphviz(Exception):
    """There is no `dot` program, or it does not work."""


def picture(text: str, format_: str) -> bytes:
    """The picture of a diagram, drawn by Graphviz in one of the formats `PICTURES`."""
    program = shutil.which("dot")
    if program is None:
        raise NoGraphviz("Graphviz is not installed: there is no program `dot`")
    command = [program, f"-T{format_}", *(["-Gdpi=144"] if format_ == "png" else [])]
    done = children.run(command, given=text.encode("utf-8", "replace"))
    if done.code != 0:
        raise NoGraphviz(f"Graphviz failed: {done.error_text.strip()[:500]}")
    return done.output
