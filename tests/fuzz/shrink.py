"""Makes an input smaller that shows a fault, by delta debugging: first options, then lines of its files, then tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.fuzz.case import Case
from tests.fuzz.mutate import TOKENS

T = TypeVar("T")
LARGEST = 200_000
"""Files with more bytes stay as they are."""


def smaller(case: Case, still_fails: Callable[[Case], bool], seconds: float = 60.0) -> Case:
    """The smallest input found within the time for which `still_fails` holds."""
    end = time.monotonic() + seconds

    def fails(attempt: Case) -> bool:
        return time.monotonic() < end and still_fails(attempt)

    for name in sorted(case.files):
        without = replace(case, files={other: text for other, text in case.files.items() if other != name})
        case = without if fails(without) else case
    for split in (by_lines, by_tokens):
        for name, content in sorted(case.files.items()):
            if len(content) > LARGEST:
                continue

            def with_file(parts: Sequence[str], name: str = name, case: Case = case) -> Case:
                return replace(case, files={**case.files, name: "".join(parts).encode("utf-8", "surrogateescape")})

            parts = split(content.decode("utf-8", "surrogateescape"))
            case = with_file(reduced(parts, lambda parts, make=with_file: fails(make(parts))))  # type: ignore[misc]
    start, rest = case.argv[:2], case.argv[2:]
    kept = reduced(rest, lambda rest: fails(replace(case, argv=(*start, *rest))))
    return replace(case, argv=(*start, *kept))


def by_lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def by_tokens(text: str) -> list[str]:
    return TOKENS.findall(text)


def reduced(parts: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> Sequence[T]:
    """What is left when everything is removed that can be, in pieces that get smaller.

    >>> "".join(reduced("abcdefgh", lambda parts: "c" in parts and "g" in parts))
    'cg'
    """
    size = max(1, len(parts) // 2)
    while True:
        start, before = 0, len(parts)
        while start < len(parts):
            attempt = [*parts[:start], *parts[start + size :]]
            if fails(attempt):
                parts = attempt
            else:
                start += size
        if size == 1 and len(parts) == before:
            return parts
        size = max(1, size // 2)
