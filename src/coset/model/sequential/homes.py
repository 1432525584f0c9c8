"""States of a concurrent model as states of its sequential form, and back."""

from __future__ import annotations

from collections.abc import Sequence

from coset.model.interpreter import Interpreter
from coset.model.sequential_model import SequentialModel
from coset.model.state import Channel, Message, State


def flattened(flat: SequentialModel, state: State) -> tuple[int, ...]:
    """A state in sequential form.  A process that is no more has a location of its own, the last one, and values 0; a place
    of a channel without a message has the least value, which no message has."""
    row = []
    alive = len(state.processes)
    for (variable, _), home in zip(flat.elements, flat.homes, strict=True):
        match home.what:
            case "global":
                row.append(state.values[home.offset])
            case "location":
                row.append(state.processes[home.owner].at if home.owner < alive else variable.domain.high)
            case "local":
                row.append(state.processes[home.owner].values[home.offset] if home.owner < alive else 0)
            case "length":
                row.append(len(state.channels[home.owner].messages))
            case "field":
                messages = state.channels[home.owner].messages
                row.append(messages[home.place][home.offset] if home.place < len(messages) else variable.domain.low)
            case _:
                row.append(0)
    return tuple(row)


def restored(flat: SequentialModel, interpreter: Interpreter, row: Sequence[int], state: State) -> State:
    """The state of the concurrent model that a state in sequential form stands for; what the form does not have is as in
    `state`."""
    values = list(state.values)
    processes = [(process, [process.at], list(process.values)) for process in state.processes]
    lengths = [len(channel.messages) for channel in state.channels]
    fields: list[dict[tuple[int, int], int]] = [{} for _ in state.channels]
    for home, value in zip(flat.homes, row, strict=True):
        match home.what:
            case "global":
                values[home.offset] = value
            case "location" if home.owner < len(processes):
                processes[home.owner][1][0] = value
            case "local" if home.owner < len(processes):
                processes[home.owner][2][home.offset] = value
            case "length":
                lengths[home.owner] = value
            case "field":
                fields[home.owner][home.place, home.offset] = value
    channels = []
    for channel, length, held in zip(state.channels, lengths, fields, strict=True):
        width = len(interpreter.channel_types[channel.type].fields)
        messages: tuple[Message, ...] = tuple(
            tuple(held[place, k] for k in range(width)) for place in range(length)
        )  # fmt: skip
        channels.append(Channel(channel.type, messages))
    return state._replace(
        values=tuple(values),
        channels=tuple(channels),
        processes=tuple(
            process._replace(at=at[0], values=tuple(own)) for process, at, own in processes
        ),
    )  # fmt: skip
