"""States of a model: plain tuples, so that they can be compared, hashed and stored.

The layout is shared by the reference interpreter, traces and tests.  Variables are laid out flat, in the order of the
model (globals) or of the kind (locals), arrays row by row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from coset.model.domain import Domain
from coset.model.model import Model, Variable

Message = tuple[int, ...]


class Channel(NamedTuple):
    """A channel: its type, as an index of the interpreter's `channel_types`, and its messages."""

    type: int
    messages: tuple[Message, ...] = ()


class Process(NamedTuple):
    """A process: its kind, its location, and the values of its variables."""

    kind: int
    at: int
    values: tuple[int, ...]
    priority: int = 1


class State(NamedTuple):
    """A state.  Channel number n (numbers start at 1; 0 is no channel) is `channels[n - 1]`.
    `watch` is the location of the monitor, `mover` the last mover if the model remembers it."""

    values: tuple[int, ...]
    channels: tuple[Channel, ...]
    processes: tuple[Process, ...]
    watch: int = -1
    mover: int = 0


def offsets(variables: tuple[Variable, ...]) -> dict[Variable, int]:
    """Where each variable begins in the flat layout.

    >>> from coset.model.domain import BYTE
    >>> a, b = Variable("a", BYTE, (3,)), Variable("b", BYTE)
    >>> offsets((a, b))[b]
    3
    """
    table: dict[Variable, int] = {}
    position = 0
    for variable in variables:
        table[variable] = position
        position += variable.size
    return table


def describe_values(variables: tuple[Variable, ...], values: tuple[int, ...]) -> dict[str, str]:
    """The values by name, as in the source text."""
    return {name: domain.show(value) for (name, domain), value in zip(elements(variables), values, strict=True)}


@lru_cache(maxsize=64)
def elements(variables: tuple[Variable, ...]) -> tuple[tuple[str, Domain], ...]:
    """All elements of variables, in the order of their values; cached, as long runs need them at every step."""
    return tuple((variable.element(k), variable.domain) for variable in variables for k in range(variable.size))


def process_name(model: Model, number: int, process: Process) -> str:
    """The name of a process in messages: its own, or kind and number."""
    if number < len(model.processes) and model.processes[number].name:
        return model.processes[number].name
    return f"{model.kinds[process.kind].name}({number})"


def process_number(model: Model, number: int) -> int:
    """The number of a process in the source text, among those of its kind: `P[2]` is 2."""
    name = model.processes[number].name if number < len(model.processes) else ""
    written = name.partition("[")[2].removesuffix("]")
    return int(written) if written.isdecimal() else number
