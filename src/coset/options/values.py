"""How the values of options are read."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Sequence

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII)
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def one_of(names: Sequence[str], text: str) -> str:
    """One of some names.

    >>> one_of(("auto", "reference"), "quantum")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: 'quantum' is not known (available: auto, reference)
    """
    if text not in names:
        raise ArgumentTypeError(f"'{text}' is not known (available: {', '.join(names)})")
    return text


_CONSTRAINT = re.compile(r"\s*\(*\s*(\[\]\s*<>|<>\s*\[\]|G\s*F\b|F\s*G\b)")


def is_fairness(text: str) -> bool:
    """Whether a word is a kind of fairness or the beginning of a fairness constraint, and so no file.

    >>> is_fairness("strong"), is_fairness("[]<> p -> []<> q"), is_fairness("model.pml")
    (True, True, False)
    """
    return text in ("weak", "strong") or _CONSTRAINT.match(text) is not None


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"'{text}' is not a whole number") from None


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
        raise ArgumentTypeError(f"'{text}' is not a positive whole number")
    return number


def duration(text: str) -> float:
    """A positive number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


def size(text: str) -> int:
    """A number of bytes; K, M, G and T are powers of 1024.

    >>> size("2G"), size("1.5K"), size("500 MB"), size("4096")
    (2147483648, 1536, 524288000, 4096)
    """
    match = _SIZE.fullmatch(text.strip())
    number = float(match[1]) * 1024 ** _UNITS[match[2].lower()] if match else 0.0
    if not 1 <= number < float("inf"):
        raise ArgumentTypeError(f"'{text}' is not a size such as 500M or 2G")
    return int(number)


def definition(text: str) -> tuple[str, str]:
    """A macro: `NAME=VALUE`, or `NAME` for the value 1 as in C.

    >>> definition("N=3"), definition("FAST"), definition("EMPTY=")
    (('N', '3'), ('FAST', '1'), ('EMPTY', ''))
    """
    name, equals, value = text.partition("=")
    if not _NAME.fullmatch(name):
        raise ArgumentTypeError(f"'{text}' is not of the form NAME or NAME=VALUE")
    return name, value if equals else "1"


def sized(text: str) -> tuple[str, int]:
    """The number of components of a type: `client=4`."""
    name, _, number = text.partition("=")
    return name, count(number)


def port(text: str) -> int:
    """A port number; 0 for any free port."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"'{text}' is not a port from 0 to 65535")
    return int(text)
