"""Writes docs/diagnostics.md: every code that a message to the user can have, from the registry in the code.

python scripts/diagnostics_page.py            write the page
python scripts/diagnostics_page.py --check    only say whether it is up to date (exit code 1 if not)
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

from page import finish, table

import coset
from coset.source.diagnostics import ADVICE, CODES

STAGES = {
    "I": "Input files",
    "P": "Preprocessor",
    "L": "Words and numbers",
    "S": "Syntax",
    "F": "Control flow",
    "N": "Names",
    "T": "Types",
    "U": "Known but not supported",
    "C": "Formulas of the command line",
    "M": "The model as a whole",
    "G": "Given symmetries",
    "Q": "Sequential models",
    "W": "Featured networks",
    "A": "Any number of processes",
}
HEAD = """\
# Diagnostics

Every message about a model has a code. This page says what each code means. It is made from the code by
`make docs`; do not edit it.
"""


def register_all() -> None:
    """Import every module that can register a code."""
    for module in pkgutil.walk_packages(coset.__path__, "coset."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def page() -> str:
    """The text of the page."""
    register_all()
    others = {letter: f"Codes {letter}" for letter in sorted({code[0] for code in CODES} - set(STAGES))}
    parts = [HEAD]
    for letter, title in (STAGES | others).items():
        codes = sorted(code for code in CODES if code[0] == letter)
        if codes:
            rows = ((code, sentence(CODES[code]), ADVICE.get(code, "")) for code in codes)
            parts.append(f"## {title}\n\n" + table(("code", "meaning", "what to do"), rows))
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(finish("diagnostics.md", page()))
