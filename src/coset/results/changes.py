"""What a move changes, in terms of the source text.

`coset.model.state.describe` names the parts of a state; here channels, and references to them, get the names of the variables
that declare them instead of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coset.model.domain import Domain, Refers
from coset.model.interpreter import Interpreter
from coset.model.model import Model, NewChannel, Variable
from coset.model.state import State, describe, process_name


class Change(NamedTuple):
    """A value before and after a move; None where the variable did not exist."""

    old: str | None
    new: str | None


def table(interpreter: Interpreter, state: State) -> dict[str, str]:
    """`describe`, with channels under the names of the variables that declare them."""
    model = interpreter.model
    result = describe(model, state)
    names = channel_names(model, state)
    for number, (name, channel) in enumerate(zip(names, state.channels), 1):
        result.pop(f"channel {number}", None)
        fields = interpreter.channel_types[channel.type].fields
        result[f"{name}[]"] = " ".join(
            f"({','.join(shown(domain, value, names) for domain, value in zip(fields, message))})"
            for message in channel.messages
        )
    rows = [("", model.variables)] + [
        (f"{process_name(model, pid, process)}:", model.kinds[process.kind].variables)
        for pid, process in enumerate(state.processes)
    ]
    for prefix, variables in rows:
        for variable in variables:
            if variable.domain.refers is Refers.CHANNEL:
                for k in range(variable.size):
                    name = prefix + variable.element(k)
                    result[name] = shown(variable.domain, int(result[name]), names)
    return result


def shown(domain: Domain, value: int, names: Sequence[str]) -> str:
    """A value as in the source text; a channel by its name."""
    return names[value - 1] if domain.refers is Refers.CHANNEL and 0 < value <= len(names) else domain.show(value)


def channel_names(model: Model, state: State) -> list[str]:
    """The name of each channel: first those of global variables, then those of each process."""
    names = made(model.variables)
    for pid, process in enumerate(state.processes):
        prefix = process_name(model, pid, process)
        names += [f"{prefix}:{name}" for name in made(model.kinds[process.kind].variables)]
    if len(names) != len(state.channels):
        return [f"channel {number}" for number in range(1, len(state.channels) + 1)]
    return names


def made(variables: Sequence[Variable]) -> list[str]:
    """The variables, or elements of arrays, that declare a channel."""
    return [v.element(k) for v in variables if isinstance(v.initial, NewChannel) for k in range(v.size)]


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, Change]:
    """The differences, in the order of the state.

    >>> difference({"x": "1", "y": "2"}, {"x": "1", "z": "3"})
    {'z': Change(old=None, new='3'), 'y': Change(old='2', new=None)}
    """
    changes = {name: Change(before.get(name), new) for name, new in after.items() if before.get(name) != new}
    return changes | {name: Change(old, None) for name, old in before.items() if name not in after}
