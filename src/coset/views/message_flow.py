"""The events of a run for a message sequence chart: which process sends a message, and which receives it.

Handshakes are in the moves.  A message in a channel is traced from its send to its receive by its position, which works also
for sorted sends and random receives.
"""

from __future__ import annotations

from dataclasses import field

from coset.model.interpreter import Move
from coset.model.model import Edge
from coset.model.state import Message, State
from coset.results.changes import channel_names, shown
from coset.results.trace import Run
from coset.source.records import dataclass
from coset.views.folding import Fold, folds
from coset.views.lanes import altogether, movers, statement


@dataclass(slots=True)
class Event:
    """An event at one height of the chart.  `kind` is note, handshake, send, receive, start, stop or fold; `lines` is its text,
    `other` the partner or the started process; `first` and `last` are the numbers of its moves; `folded` has the events that a
    fold stands for."""

    kind: str
    pid: int
    first: int
    last: int
    lines: list[str] = field(default_factory=list)
    other: int | None = None
    bad: bool = False
    folded: list[Event] = field(default_factory=list)
    y: float = 0.0
    """The vertical centre, once the chart is laid out."""


@dataclass(slots=True)
class Flight:
    """A message on its way through a channel."""

    send: Event
    receive: Event | None = None


class Story:
    """The events of a run in order, with those that are folded in one, and the messages between them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        folded = folds(run)
        self.borders = {run.trace.loop_start, *(number for fold in folded for number in (fold.start, fold.stop))}
        self.events: list[Event] = []
        self.flights: list[Flight] = []
        self.channels: list[list[Flight]] = [[] for _ in run.states[0].channels]
        for number, move in enumerate(run.moves):
            self.add_move(number, move)
        if self.events and run.trace.kind in ("assertion", "fault", "trace"):
            self.events[-1].bad = True
        for fold in folded:
            self.fold(fold)

    def fold(self, fold: Fold) -> None:
        """Put one event in the place of those of a fold.  Messages that are both sent and received in there are not drawn."""
        inside = [event for event in self.events if event.first in fold]
        if inside:
            changes = ", ".join(altogether(self.run, fold))
            lines = [fold.text, *([changes] if changes else [])]
            place = self.events.index(inside[0])
            whole = Event("fold", inside[0].pid, fold.start, fold.stop - 1, lines, folded=inside)
            self.events[place : place + len(inside)] = [whole]
            self.flights = [
                each
                for each in self.flights
                if not (each.send.first in fold and each.receive is not None and each.receive.first in fold)
            ]

    def add_move(self, number: int, move: Move) -> None:
        """Add the events of one move."""
        before, after = self.run.states[number], self.run.states[number + 1]
        texts = [statement(self.run, before, pid, edge) for pid, edge in movers(move)]
        if move.partner is not None:
            label = self.offered(before, move.process, move.edge)
            self.events.append(Event("handshake", move.process, number, number, [label], move.partner[0]))
        elif len(after.processes) < len(before.processes):
            self.events.append(Event("stop", move.process, number, number))
        elif len(after.processes) > len(before.processes):
            child = len(after.processes) - 1
            self.events.append(Event("start", move.process, number, number, texts, child))
        elif not self.messages(number, move.process, texts[0], before, after) and not texts[0].startswith(
            ("goto", "break")
        ):
            self.note(number, move.process, texts[0])
        del self.channels[len(after.channels) :]
        self.channels += [[] for _ in range(len(after.channels) - len(self.channels))]

    def offered(self, before: State, pid: int, edge: Edge) -> str:
        """The message of a handshake; it is in no state, so it is computed again."""
        interpreter = self.run.interpreter
        send, now = interpreter.compiled(edge), interpreter.moment(before, pid)
        now.own = before.processes[pid].values
        index = send.at(now)
        names = channel_names(self.run.model, before)
        message = interpreter.performance.fitted(now, index, send.values(now, index))
        return self.label(names, index, before.channels[index].type, message)

    def label(self, names: list[str], index: int, type_: int, message: Message) -> str:
        """A message as text: channel and contents."""
        fields = self.run.interpreter.channel_types[type_].fields
        return f"{names[index]}!{','.join(shown(domain, value, names) for domain, value in zip(fields, message))}"

    def note(self, number: int, pid: int, text: str) -> None:
        """Add a step without messages; several in a row share a note."""
        last = self.events[-1] if self.events else None
        if last is not None and (last.kind, last.pid) == ("note", pid) and number not in self.borders:
            last.lines.append(text)
            last.last = number
        else:
            self.events.append(Event("note", pid, number, number, [text]))

    def messages(self, number: int, pid: int, text: str, before: State, after: State) -> bool:
        """Add the sends and receives through buffered channels; returns whether there are any."""
        found = False
        names = channel_names(self.run.model, after)
        for index, (old, new) in enumerate(zip(before.channels, after.channels)):
            if old.messages == new.messages:
                continue
            gone, come = exchanged(old.messages, new.messages)
            waiting = self.channels[index]
            for place in reversed(gone):
                event = Event("receive", pid, number, number, [text])
                self.events.append(event)
                flight = waiting.pop(place) if place < len(waiting) else None
                if flight is not None:
                    flight.receive = event
            for place in come:
                label = self.label(names, index, new.type, new.messages[place])
                event = Event("send", pid, number, number, [label])
                self.events.append(event)
                self.flights.append(Flight(event))
                waiting.insert(place, self.flights[-1])
            found = True
        return found


def exchanged(old: tuple[Message, ...], new: tuple[Message, ...]) -> tuple[list[int], list[int]]:
    """The positions of the messages that were removed and of those that were added.

    >>> exchanged(((1,), (2,), (3,)), ((1,), (3,))), exchanged(((1,), (3,)), ((1,), (2,), (3,)))
    (([1], []), ([], [1]))
    >>> exchanged(((1,), (2,)), ((2,), (5,)))
    ([0], [1])
    """
    if len(new) == len(old) + 1:
        for place in range(len(new)):
            if new[:place] + new[place + 1 :] == old:
                return [], [place]
    if len(new) == len(old) - 1:
        for place in range(len(old)):
            if old[:place] + old[place + 1 :] == new:
                return [place], []
    kept = next(k for k in range(len(old), -1, -1) if k <= len(new) and old[len(old) - k :] == new[:k])
    return list(range(len(old) - kept)), list(range(kept, len(new)))
