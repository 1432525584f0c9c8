"""The layout of generated C: emitters care about what they say, and this about lines and indentation.

One statement stands in a line, blocks are indented by two blanks, and what is longer than a line is broken where an
operand or an element ends.  A block of one short statement stays in the line of its head.

>>> print(formatted("static int f(int v) { if (v) { v++; return v; } (void)v; return 0; }"))
static int f(int v) {
  if (v) {
    v++;
    return v;
  }
  (void)v;
  return 0;
}
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WIDTH = 120
TOKEN = re.compile(r"/\*.*?\*/|[{}();]|[^{}();/\n]+|/|\n", re.DOTALL)
LABEL = re.compile(r"(?:(?:case -?\w+|default):\s*)+")
VALUES = re.compile(r"(=|,|\[\]\))$|^(static )?(const )?enum\b[^;]*$")
"""What a brace follows that has values behind it, not statements."""
SHORT = re.compile(r"return\b|break;|continue;")
"""What may stand in the line of its label."""
UNUSED = re.compile(r"(?:\(void\)\w+;\s*)+$")
BREAKS = re.compile(r", | \|\| | && | \| | \+ | \? |(?<=\w): ")


@dataclass(slots=True)
class Block:
    """Braces that are open: how deep their head and what is in them stand, and where the output had got to."""

    head: int
    inner: int
    line: int
    labelled: bool = False


class Formatter:
    """Takes C apart into tokens, and puts them into lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pieces: list[str] = []
        """What has been read of the present line; tables may be long, so that pieces are joined only once."""
        self.blocks: list[Block] = []
        self.parentheses = 0
        self.values = 0
        """Braces of values that are open."""
        self.ends = 0
        """Ends of lines that have been read since the last token."""

    def read(self, text: str) -> None:
        for paragraph in re.split(r"(^#.*$)", text, flags=re.MULTILINE):
            if paragraph.startswith("#"):
                self.lines.append(paragraph)
                self.ends = 0
                continue
            for token in TOKEN.findall(paragraph):
                self.take(token)

    def take(self, token: str) -> None:
        self.ends = self.ends + 1 if token == "\n" else 0
        if token == "\n":
            if self.ends == 2 and not self.pieces and not self.blocks:
                self.lines.append("")
            self.add(" ")
        elif token.startswith("/*") and not self.pieces:
            self.put(token)
        elif token == "{":
            self.open()
        elif token == "}":
            self.close()
        else:
            self.parentheses += (token == "(") - (token == ")")
            self.add(token)
            if token == ";" and not self.parentheses and not self.values:
                self.end()

    def add(self, token: str) -> None:
        """More text of the line; blanks are not repeated, and none is at the beginning."""
        text = re.sub(r"\s+", " ", token)
        if not self.pieces or self.pieces[-1].endswith(" "):
            text = text.lstrip()
        if text:
            self.pieces.append(text)

    def line(self) -> str:
        """The present line, which is taken."""
        text = "".join(self.pieces).strip()
        self.pieces.clear()
        return text

    # --- braces ----------------------------------------------------------------------------------

    def open(self) -> None:
        if self.values or self.parentheses:
            self.values += 1
            self.pieces.append("{")
            return
        before = self.line()
        if VALUES.search(before):
            self.values += 1
            self.pieces.append(before + ("{" if before.endswith(")") else " {"))
            return
        depth = self.depth(before)
        if before.startswith("else") and self.lines[-1].strip() == "}":
            before = f"{self.lines.pop().strip()} {before}"
        self.blocks.append(Block(depth, depth + 1, len(self.lines)))
        self.put(f"{before} {{".lstrip(), depth)

    def close(self) -> None:
        if self.values:
            self.values -= 1
            self.pieces.append("}")
            return
        if self.pieces:
            self.end()
        block = self.blocks.pop()
        inner = self.lines[block.line + 1 :]
        head = self.lines[block.line]
        if not inner:
            self.lines[block.line] = head + "}"
        elif len(inner) == 1 and is_plain(inner[0]) and len(head) + len(inner[0].strip()) + 3 <= WIDTH:
            self.lines[block.line :] = [f"{head} {inner[0].strip()} }}"]
        else:
            self.put("}", block.head)

    # --- lines -----------------------------------------------------------------------------------

    def depth(self, line: str) -> int:
        """How deep a line stands; labels of a switch stand before the statements behind them."""
        if not self.blocks:
            return 0
        block = self.blocks[-1]
        if LABEL.match(line):
            block.labelled = True
            return block.inner
        return block.inner + block.labelled

    def end(self) -> None:
        """A statement has come to its end."""
        line = self.line()
        last = self.lines[-1].strip() if self.lines else ""
        if line == ";" and last:
            self.lines[-1] += ";"
        elif (line.startswith("else") and last == "}") or (UNUSED.match(line) and UNUSED.match(last)):
            self.lines[-1] += " " + line
        else:
            label = LABEL.match(line)
            if label is not None and not SHORT.match(line, label.end()):
                self.put(label[0].strip())
                line = line[label.end() :]
            self.put(line)

    def put(self, line: str, depth: int | None = None) -> None:
        indent = "  " * (self.depth(line) if depth is None else depth)
        start = 0
        while len(indent) + len(line) - start > WIDTH:
            places = [found.end() for found in BREAKS.finditer(line, start + 1, start + WIDTH - len(indent))]
            if not places:
                break
            self.lines.append(indent + line[start : places[-1]].rstrip())
            if not start:
                indent += "    "
            start = places[-1]
        self.lines.append(indent + line[start:])


def is_plain(line: str) -> bool:
    """Whether a line is a whole statement without a label or a block."""
    text = line.strip()
    return text.endswith(";") and not text.startswith("else") and not LABEL.match(text) and "{" not in text


def formatted(text: str) -> str:
    """The same C in lines of bearable length."""
    formatter = Formatter()
    formatter.read(text)
    return "\n".join(formatter.lines)
