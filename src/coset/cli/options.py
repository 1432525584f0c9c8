"""Options that commands share, and how their values are read.

A value that the design has and the code has not yet is refused by name, with what there is instead: a
tool that ignores an option gives answers to questions that nobody asked.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

ENGINES = ("auto", "explicit", "reference")
LATER_ENGINES = ("symbolic",)
SYMMETRIES = ("off",)
LATER_SYMMETRIES = ("auto", "program", "channels", "constraints", "hypergraph")
STEPS = ("plain",)
LATER_STEPS = ("merged",)

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII)
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


class UsageError(Exception):
    """The command line is wrong; `usage` is the line that says how it should look."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that `--json` gets its object for wrong usage too.  Options are written in full:
    an abbreviation in somebody's script would break when a new option comes."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage())


def choice(available: Sequence[str], later: Sequence[str]) -> Callable[[str], str]:
    """The reader of an option with named values.

    >>> choice(("auto", "reference"), ("symbolic",))("symbolic")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: 'symbolic' is not available yet (available: auto, reference)
    """

    def value(text: str) -> str:
        if text in available:
            return text
        why = "is not available yet" if text in later else "is not known"
        raise argparse.ArgumentTypeError(f"'{text}' {why} (available: {', '.join(available)})")

    return value


def count(text: str) -> int:
    """A whole number of at least 1.

    >>> count("1_000_000")
    1000000
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive whole number")
    return number


def duration(text: str) -> float:
    """A positive number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


def size(text: str) -> int:
    """A number of bytes; K, M, G and T are powers of 1024.

    >>> size("2G"), size("1.5K"), size("500 MB"), size("4096")
    (2147483648, 1536, 524288000, 4096)
    """
    match = _SIZE.fullmatch(text.strip())
    number = int(float(match[1]) * 1024 ** _UNITS[match[2].lower()]) if match else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 500M or 2G")
    return number


def definition(text: str) -> tuple[str, str]:
    """A macro: `NAME=VALUE`, or `NAME` for the value 1 as in C.

    >>> definition("N=3"), definition("FAST"), definition("EMPTY=")
    (('N', '3'), ('FAST', '1'), ('EMPTY', ''))
    """
    name, equals, value = text.partition("=")
    if not _NAME.fullmatch(name):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME or NAME=VALUE")
    return name, value if equals else "1"


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model and what its preprocessor is told."""
    parser.add_argument("file", metavar="FILE", help="a model in Promela (.pml)")
    parser.add_argument(
        "-D", dest="defines", metavar="NAME[=VALUE]", type=definition, action="append", default=[],
        help="define a macro, as for a C compiler",
    )  # fmt: skip
    parser.add_argument(
        "-I", dest="include_dirs", metavar="DIR", action="append", default=[],
        help="look for included files in this folder too",
    )  # fmt: skip


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output, nothing else there")


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", metavar="N", type=int, default=None, help="the seed of random choices")


def add_search(parser: argparse.ArgumentParser) -> None:
    """How to search, and how much the search may take."""
    parser.add_argument(
        "--engine", metavar="NAME", type=choice(ENGINES, LATER_ENGINES), default="auto",
        help="explicit (compiled), reference (the interpreter), or auto: what fits the model",
    )  # fmt: skip
    parser.add_argument(
        "--symmetry", metavar="NAME", type=choice(SYMMETRIES, LATER_SYMMETRIES), default="off", help="off"
    )
    parser.add_argument(
        "--steps", metavar="NAME", type=choice(STEPS, LATER_STEPS), default="plain",
        help="plain: every statement is a step",
    )  # fmt: skip
    parser.add_argument("--threads", metavar="N", type=count, default=1, help="threads of the explicit engine (1)")
    parser.add_argument("--max-states", metavar="N", type=count, help="stop after this many states")
    parser.add_argument("--max-seconds", metavar="S", type=duration, help="stop after this many seconds")
    parser.add_argument("--max-memory", metavar="SIZE", type=size, help="stop at this much memory, as 500M or 2G")


def load_options(options: argparse.Namespace) -> tuple[dict[str, str], list[str]]:
    """The macros and folders for the preprocessor; of two definitions of a macro the last one counts."""
    return dict(options.defines), list(options.include_dirs)
