"""A small SVG writer: shapes are added one by one, and the size of the drawing follows from them.

The width of a text is estimated from its number of characters, which is accurate enough for a fixed-width font.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from xml.sax.saxutils import escape, quoteattr

from coset.source.printable import printable

FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
SIZE = 12.0
CHARACTER = 0.602
"""The width of a character, in units of its height."""

Attributes = str | float | None


def text_width(text: str, size: float = SIZE) -> float:
    """The width of a text.

    >>> text_width("abcd", 10)
    24.08
    """
    return round(len(text) * CHARACTER * size, 2)


class Svg:
    """A drawing.

    >>> drawing = Svg()
    >>> drawing.line(0, 0, 30, 40, stroke="black")
    >>> print(drawing)
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 50 60" width="50" height="60">
    <rect x="-10" y="-10" width="50" height="60" fill="white"/>
    <line x1="0" y1="0" x2="30" y2="40" stroke="black"/>
    </svg>
    """

    MARGIN = 10.0

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.box: tuple[float, float, float, float] | None = None

    def cover(self, x: float, y: float) -> None:
        """Extend the drawing to a point."""
        left, top, right, bottom = self.box or (x, y, x, y)
        self.box = (min(left, x), min(top, y), max(right, x), max(bottom, y))

    def add(self, tag: str, content: str, /, **attributes: Attributes) -> None:
        """Add an element; `stroke_width=2` is written as `stroke-width="2"`, and None omits an attribute."""
        written = attributes_text(attributes)
        self.parts.append(f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>")

    @contextmanager
    def group(self, **attributes: Attributes) -> Iterator[None]:
        """Group the elements that are drawn in this context."""
        self.parts.append(f"<g{attributes_text(attributes)}>")
        yield
        self.parts.append("</g>")

    def line(self, x1: float, y1: float, x2: float, y2: float, **style: Attributes) -> None:
        self.cover(x1, y1)
        self.cover(x2, y2)
        self.add("line", "", x1=x1, y1=y1, x2=x2, y2=y2, **style)

    def rect(self, x: float, y: float, width: float, height: float, title: str = "", **style: Attributes) -> None:
        self.cover(x, y)
        self.cover(x + width, y + height)
        content = f"<title>{escape(title)}</title>" if title else ""
        self.add("rect", content, x=x, y=y, width=width, height=height, **style)

    def circle(self, x: float, y: float, radius: float, **style: Attributes) -> None:
        self.cover(x - radius, y - radius)
        self.cover(x + radius, y + radius)
        self.add("circle", "", cx=x, cy=y, r=radius, **style)

    def path(self, points: str, **style: Attributes) -> None:
        """A path in SVG syntax; it does not extend the drawing."""
        self.add("path", "", d=points, **style)

    def text(
        self, x: float, y: float, text: str, size: float = SIZE, anchor: str = "start", **style: Attributes
    ) -> None:
        """A line of text with its base line at y."""
        width = text_width(text, size)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        self.cover(left, y - size)
        self.cover(left + width, y + size / 3)
        end = None if anchor == "start" else anchor
        self.add("text", escape(text), x=x, y=y, font_family=FONT, font_size=size, text_anchor=end, **style)

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return str(self)

    def __str__(self) -> str:
        left, top, right, bottom = self.box or (0.0, 0.0, 0.0, 0.0)
        x, y = left - self.MARGIN, top - self.MARGIN
        width, height = right - left + 2 * self.MARGIN, bottom - top + 2 * self.MARGIN
        a, b, c, d = map(number, (x, y, width, height))
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{a} {b} {c} {d}" width="{c}" height="{d}">'
        paper = f'<rect x="{a}" y="{b}" width="{c}" height="{d}" fill="white"/>'
        return printable("\n".join([head, paper, *self.parts, "</svg>"]))


def attributes_text(attributes: dict[str, Attributes]) -> str:
    """
    >>> attributes_text({"stroke_width": 2.0, "fill": None})
    ' stroke-width="2"'
    """
    return "".join(
        f" {name.replace('_', '-')}={quoteattr(number(value))}"
        for name, value in attributes.items()
        if value is not None
    )


def number(value: Attributes) -> str:
    """A number without a useless fraction.

    >>> number(3.0), number(1 / 3), number("red")
    ('3', '0.33', 'red')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
