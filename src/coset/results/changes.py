"""What a move changes, in terms of the source text.

Channels, and references to them, are shown by the names of the variables that declare them, not by their numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, overload

from coset.model.domain import CHANNEL, Domain, Refers
from coset.model.interpreter import Interpreter
from coset.model.model import Model, NewChannel, Variable
from coset.model.state import Channel, State, elements, process_name


class Change(NamedTuple):
    """A value before and after a move; None where the variable did not exist."""

    old: str | None
    new: str | None


def table(interpreter: Interpreter, state: State) -> dict[str, str]:
    """Every part of a state by name, with channels under the names of the variables that declare them."""
    return merged(Describer(interpreter).parts(state))


Part = dict[str, str]
"""The variables of the model or of a process, or the messages of a channel: values by name."""


class Describer:
    """Describes the states of one run.  A move leaves most parts of a state as they are: each is described once."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.known: dict[Hashable, Part] = {}
        self.names: dict[tuple[int, ...], list[str]] = {}
        self.last: tuple[State | None, list[str]] = None, []

    def parts(self, state: State) -> list[Part]:
        """The global variables, each process, and each channel."""
        return self.some_parts(
            state, self.channel_names(state), True, range(len(state.processes)), range(len(state.channels))
        )

    def different_parts(self, state: State, other: State) -> tuple[list[Part], list[Part]]:
        """The parts of two states, without those that are the same in both."""
        names, other_names = self.channel_names(state), self.channel_names(other)
        if not agree(names, other_names):  # a value that is a channel has another name there
            return self.parts(state), self.parts(other)
        has_values = state.values != other.values
        pids = differing(state.processes, other.processes)
        channels = differing(state.channels, other.channels)
        return (
            self.some_parts(state, names, has_values, pids, channels),
            self.some_parts(other, other_names, has_values, pids, channels),
        )

    def some_parts(
        self, state: State, names: Sequence[str], has_values: bool, pids: Iterable[int], channels: Iterable[int]
    ) -> list[Part]:
        """The parts with these numbers, as far as they exist."""
        model, parts = self.interpreter.model, []
        if has_values:
            parts.append(self.variables("", model.variables, state.values, names))
        for pid in pids:
            if pid < len(state.processes):
                process = state.processes[pid]
                name = process_name(model, pid, process)
                parts += [
                    self.part(f"{name}@", str(process.at)),
                    self.variables(f"{name}:", model.kinds[process.kind].variables, process.values, names),
                ]
        for number in channels:
            if number < len(state.channels):
                parts.append(self.messages(names[number], state.channels[number], names))
        return parts

    def channel_names(self, state: State) -> list[str]:
        if state is self.last[0]:  # asked for twice along a run, as the state after a move and before the next one
            return self.last[1]
        kinds = tuple([process.kind for process in state.processes])
        names = self.names.get(kinds)
        if names is None or len(names) != len(state.channels):
            names = self.names[kinds] = channel_names(self.interpreter.model, state)
        self.last = state, names
        return names

    def variables(
        self, prefix: str, variables: tuple[Variable, ...], values: tuple[int, ...], names: Sequence[str]
    ) -> Part:
        # The names of channels change as processes start and end.
        held = tuple(shown(CHANNEL, values[k], names) for k in channel_variables(variables))
        key = (prefix, values, held)
        if key not in self.known:
            self.known[key] = {
                prefix + name: shown(domain, value, names)
                for (name, domain), value in zip(elements(variables), values, strict=True)
            }
        return self.known[key]

    def messages(self, name: str, channel: Channel, names: Sequence[str]) -> Part:
        fields = self.interpreter.channel_types[channel.type].fields
        texts = (",".join(shown(domain, value, names) for domain, value in zip(fields, m)) for m in channel.messages)
        return self.part(f"{name}[]", " ".join(f"({text})" for text in texts))

    def part(self, name: str, value: str) -> Part:
        return self.known.setdefault((name, value), {name: value})


@lru_cache(maxsize=64)
def channel_variables(variables: tuple[Variable, ...]) -> tuple[int, ...]:
    """Where channels are among the values of variables."""
    return tuple(k for k, (_, domain) in enumerate(elements(variables)) if domain.refers is Refers.CHANNEL)


def merged(parts: Iterable[Part]) -> Part:
    return {name: value for part in parts for name, value in part.items()}


class Changes(Sequence[dict[str, Change]]):
    """What each move of a run changes, by name; computed when it is asked for, as long runs are rarely shown whole."""

    def __init__(self, interpreter: Interpreter, states: Sequence[State]) -> None:
        self.describer = Describer(interpreter)
        self.states = states

    def __len__(self) -> int:
        return len(self.states) - 1

    @overload
    def __getitem__(self, number: int) -> dict[str, Change]: ...
    @overload
    def __getitem__(self, number: slice) -> list[dict[str, Change]]: ...
    def __getitem__(self, number: int | slice) -> dict[str, Change] | list[dict[str, Change]]:
        places = range(len(self))[number]
        return self.between(places) if isinstance(places, int) else [self.between(place) for place in places]

    def between(self, place: int) -> dict[str, Change]:
        before, after = map(merged, self.describer.different_parts(*self.states[place : place + 2]))
        return difference(before, after)


def agree(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether channels have the same names as far as both lists go."""
    return some is others or all(map(str.__eq__, some, others))


def differing(some: Sequence[object], others: Sequence[object]) -> list[int]:
    """The places at which two sequences are different, or at which only one of them has an element."""
    common = [number for number, (one, other) in enumerate(zip(some, others)) if one is not other and one != other]
    return common + list(range(min(len(some), len(others)), max(len(some), len(others))))


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
