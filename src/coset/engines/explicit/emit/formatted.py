"""The layout of generated C: emitters write tokens, and this module lines and indentation.

Each statement is on its own line, blocks are indented by two spaces, and long lines are broken after an operand or element.
A block of one short statement stays on the line of its head.

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

from coset.source.records import dataclass

WIDTH = 120
TOKEN = re.compile(r"/\*.*?\*/|[{}();]|[^{}();/\n]+|/|\n", re.DOTALL)
LABEL = re.compile(r"(?:(?:case -?\w+|default):\s*)+")
VALUES = re.compile(r"(=|,|\[\]\))$|^(static )?(const )?enum\b[^;]*$")
"""Text before a brace that encloses values, not statements."""
SHORT = re.compile(r"return\b|break;|continue;")
"""Statements that may stay on the line of their label."""
UNUSED = re.compile(r"(?:\(void\)\w+;\s*)+$")
BREAKS = re.compile(r", | \|\| | && | \| | \+ | \? |(?<=\w): ")


@dataclass(slots=True)
class Block:
    """An open brace: the indentation of its head and of its body, and the length of the output at its beginning."""

    head: int
    inner: int
    line: int
    labelled: bool = False


class Formatter:
    """Splits C into tokens and arranges them in lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pieces: list[str] = []
        """The pieces of the current line; tables may be long, so pieces are joined only once."""
        self.blocks: list[Block] = []
        self.parentheses = 0
        self.values = 0
        """The number of open braces of values."""
        self.ends = 0
        """The number of line ends since the last token."""

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
        """Append text to the line; spaces are not repeated, and the line does not begin with one."""
        text = re.sub(r"\s+", " ", token)
        if not self.pieces or self.pieces[-1].endswith(" "):
            text = text.lstrip()
        if text:
            self.pieces.append(text)

    def line(self) -> str:
        """Take the current line."""
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
        """The indentation of a line; labels of a switch are indented less than their statements."""
        if not self.blocks:
            return 0
        block = self.blocks[-1]
        if LABEL.match(line):
            block.labelled = True
            return block.inner
        return block.inner + block.labelled

    def end(self) -> None:
        """End a statement."""
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
    """The same C, laid out in lines of limited length."""
    formatter = Formatter()
    formatter.read(text)
    return "\n".join(formatter.lines)
