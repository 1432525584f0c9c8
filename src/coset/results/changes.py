"""What a move changes, in terms of the source text.

Channels, and references to them, are shown by the names of the variables that declare them, not by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, count
from operator import is_not, itemgetter
from typing import NamedTuple, overload

from coset.model.domain import Domain, Refers
from coset.model.interpreter import Interpreter
from coset.model.model import Model, NewChannel, Variable
from coset.model.state import Process, State, elements, process_name


class Change(NamedTuple):
    """A value before and after a move; None where the variable did not exist."""

    old: str | None
    new: str | None


def table(interpreter: Interpreter, state: State) -> dict[str, str]:
    """Every part of a state by name, with channels under the names of the variables that declare them."""
    return Describer(interpreter).everything(state)


class Describer:
    """Describes the states of one run."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter, self.model = interpreter, interpreter.model
        self.names: dict[tuple[int, ...], list[str]] = {}

    def everything(self, state: State) -> dict[str, str]:
        """The global variables, each process, and each channel."""
        names = self.channel_names(state)
        found = {name: shown(domain, value, names) for name, domain, value in self.values(state)}
        for pid in range(len(state.processes)):
            found |= self.process(state, pid, names)
        for number, name in enumerate(names):
            found |= self.messages(state, number, name, names)
        return found

    def differences(self, state: State, other: State) -> dict[str, Change]:
        """What changes from one state to another, in the order of the second one; what is gone comes last."""
        names, other_names = self.channel_names(state), self.channel_names(other)
        if not agree(names, other_names):  # a value that is a channel has another name there
            return difference(self.everything(state), self.everything(other))
        changes = dict[str, Change]()
        if state.values != other.values:
            self.compare(changes, "", self.model.variables, state.values, other.values, names)
        apart: list[tuple[dict[str, str], dict[str, str]]] = []
        for pid in differing(state.processes, other.processes):
            if pid < min(len(state.processes), len(other.processes)) and (
                state.processes[pid].kind == other.processes[pid].kind
            ):
                one, another = state.processes[pid], other.processes[pid]
                name = process_name(self.model, pid, one)
                if one.at != another.at:
                    changes[f"{name}@"] = Change(str(one.at), str(another.at))
                if one.values != another.values:
                    variables = self.model.kinds[one.kind].variables
                    self.compare(changes, f"{name}:", variables, one.values, another.values, names)
            else:  # it starts or ends
                apart.append((self.process(state, pid, names), self.process(other, pid, other_names)))
        for number in differing(state.channels, other.channels):
            name = (names if number < len(names) else other_names)[number]
            apart.append((self.messages(state, number, name, names), self.messages(other, number, name, other_names)))
        old = {name: value for before, _ in apart for name, value in before.items()}
        new = {name: value for _, after in apart for name, value in after.items()}
        return changes | difference(old, new) if apart else changes

    def compare(
        self,
        changes: dict[str, Change],
        prefix: str,
        variables: tuple[Variable, ...],
        before: tuple[int, ...],
        after: tuple[int, ...],
        names: Sequence[str],
    ) -> None:
        """Add the values that differ."""
        for (name, domain), old, new in zip(elements(variables), before, after, strict=True):
            if old != new:
                changes[prefix + name] = Change(shown(domain, old, names), shown(domain, new, names))

    def channel_names(self, state: State) -> list[str]:
        kinds = tuple(map(KIND, state.processes))
        names = self.names.get(kinds)
        if names is None or len(names) != len(state.channels):
            names = self.names[kinds] = channel_names(self.model, state)
        return names

    def values(self, state: State) -> Iterable[tuple[str, Domain, int]]:
        pairs = zip(elements(self.model.variables), state.values, strict=True)
        return ((name, domain, value) for (name, domain), value in pairs)

    def process(self, state: State, pid: int, names: Sequence[str]) -> dict[str, str]:
        """The location and the variables of a process; nothing if there is none."""
        if pid >= len(state.processes):
            return {}
        process = state.processes[pid]
        name = process_name(self.model, pid, process)
        pairs = zip(elements(self.model.kinds[process.kind].variables), process.values, strict=True)
        return {f"{name}@": str(process.at)} | {
            f"{name}:{variable}": shown(domain, value, names) for (variable, domain), value in pairs
        }

    def messages(self, state: State, number: int, name: str, names: Sequence[str]) -> dict[str, str]:
        """The messages of a channel; nothing if there is none."""
        if number >= len(state.channels):
            return {}
        channel = state.channels[number]
        fields = self.interpreter.channel_types[channel.type].fields
        texts = (",".join(shown(domain, value, names) for domain, value in zip(fields, m)) for m in channel.messages)
        return {f"{name}[]": " ".join(f"({text})" for text in texts)}


KIND = itemgetter(Process._fields.index("kind"))


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
        return self.describer.differences(self.states[place], self.states[place + 1])


def agree(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether channels have the same names as far as both lists go."""
    return some is others or all(map(str.__eq__, some, others))


def differing(some: Sequence[object], others: Sequence[object]) -> list[int]:
    """The places at which two sequences are different, or at which only one of them has an element."""
    apart = compress(count(), map(is_not, some, others))  # most elements are the same objects
    common = [number for number in apart if some[number] != others[number]]
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
