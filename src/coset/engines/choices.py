"""What users choose about a search besides the engine: how states are stored, in which order they are visited, what counts
as a step.

Descriptions are light, as `coset --help` shows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

DEADLOCKS = {
    "stuttering": "no step leads to another state",
    "stuck": "no step can be taken",
    "off": "nothing",
}
"""What counts as an invalid end state."""


class Storage(NamedTuple):
    """A way to store states.  `exact`: no state is taken for another one."""

    name: str
    summary: str
    exact: bool = True


STORAGES: dict[str, Storage] = {
    storage.name: storage
    for storage in (
        Storage("packed", "exact, small"),
        Storage("states", "exact, whole"),
        Storage(
            "fingerprints",
            "64-bit hashes; with n states, a state is omitted with probability about n^2/2^65",
            exact=False,
        ),
        Storage("bits", "a bit table of fixed size, which omits states as it fills", exact=False),
        Storage("disk", "exact, in files; memory has a buffer only"),
    )
}
"""In the order of `enum storage` of store.h."""

ORDERS = {
    "breadth": "shortest counterexamples",
    "depth": "one thread",
}
"""In which order states are visited, as in `enum order` of search.h."""

REDUCTIONS = {
    "auto": "por where it saves states of `check`",
    "none": "all",
    "por": "partial order reduction, only some; for safety properties and formulas without next, explicit engine only",
}

STEPS = {
    "plain": "every statement is a step, as `spin -o1 -o2 -o3` counts them",
    "merged": "merges steps that are invisible to other processes and resets dead variables, which preserves verdicts",
}


MOST_WORKERS = 1024


def local_workers(address: str) -> int | None:
    """How many processes of this machine an address of a cluster means; None if it is that of a running cluster.

    >>> local_workers("local:4"), local_workers("192.0.2.1:6379")
    (4, None)
    >>> local_workers("local:none")
    Traceback (most recent call last):
    ValueError: local:none: expected local:N with N from 1 to 1024, or the address of a running cluster of Ray, HOST:PORT
    """
    kind, _, number = address.partition(":")
    if kind == "local" and number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= MOST_WORKERS:
        return int(number)
    if kind == "local" or not number.strip("/") or any(each.isspace() for each in address):
        raise ValueError(
            f"{address}: expected local:N with N from 1 to {MOST_WORKERS}, or the address of a running cluster of Ray, HOST:PORT"
        )
    return None


def refuse_unknown(what: str, name: str, known: Iterable[str]) -> None:
    """Raise `ValueError` for a name that is not one of those known.

    >>> refuse_unknown("order", "random", ORDERS)
    Traceback (most recent call last):
    ValueError: unknown order 'random'; expected one of breadth, depth
    """
    if name not in (names := list(known)):
        raise ValueError(f"unknown {what} '{name}'; expected one of {', '.join(names)}")
