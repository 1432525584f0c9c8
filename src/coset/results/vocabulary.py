"""Names for the parts of a state, and what a move changes in these terms.

Channels get the names of the variables that declare them, values of an enumeration their labels, so that the user sees the
terms of the source text.
"""

from __future__ import annotations

from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.model import Variable
from coset.model.state import Channel, State, process_name
from coset.results.changes import channel_names, shown

Value = int | str | list[list[int | str]]
"""A number, a name, or the messages of a channel."""


class Vocabulary:
    """The names of a model's variables, channels and values."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.model, self.channel_types = interpreter.model, interpreter.channel_types
        self.variables = elements(self.model.variables)
        self.locals = [elements(kind.variables) for kind in self.model.kinds]

    def changes(self, before: State, after: State) -> dict[str, Value]:
        """The changes in `after`.  New variables count as 0 before; removed ones are not included."""
        table: dict[str, Value] = {}
        names = channel_names(self.model, after)
        for (name, domain), old, new in zip(self.variables, before.values, after.values, strict=True):
            if old != new:
                table[name] = self.value(domain, new, names)
        for number, channel in enumerate(after.channels):
            if channel.messages != (before.channels[number].messages if number < len(before.channels) else ()):
                table[names[number]] = self.messages(channel, names)
        for pid, process in enumerate(after.processes):
            known = pid < len(before.processes) and before.processes[pid].kind == process.kind
            past = before.processes[pid].values if known else (0,) * len(process.values)
            prefix = process_name(self.model, pid, process)
            if past is not process.values:
                for (name, domain), old, new in zip(self.locals[process.kind], past, process.values, strict=True):
                    if old != new:
                        whole, value = f"{prefix}:{name}", self.value(domain, new, names)
                        if value != whole:  # a channel that the variable declares is named after the variable
                            table[whole] = value
        return table

    def value(self, domain: Domain, value: int, names: list[str]) -> int | str:
        """A value as in the source text."""
        text = shown(domain, value, names)
        return value if text == str(value) else text

    def messages(self, channel: Channel, names: list[str]) -> list[list[int | str]]:
        fields = self.channel_types[channel.type].fields
        return [
            [self.value(domain, value, names) for domain, value in zip(fields, message, strict=True)]
            for message in channel.messages
        ]


def elements(variables: tuple[Variable, ...]) -> list[tuple[str, Domain]]:
    """The name and the domain of every element, in the order of the flat layout of states."""
    return [(variable.element(k), variable.domain) for variable in variables for k in range(variable.size)]
