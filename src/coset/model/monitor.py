"""The execution of a monitor: an automaton over the sends and receives of the system (`trace` and `notrace`).

Only channels that the monitor names are watched: for sends those of its sends, for receives those of its receives.
"""

from __future__ import annotations

from coset.model import model as m
from coset.model.evaluate import Evaluation, Now
from coset.model.state import Message


class Watch:
    """A `Monitor` made executable."""

    def __init__(self, monitor: m.Monitor, evaluation: Evaluation) -> None:
        self.automaton = monitor.automaton
        self.negated = monitor.negated
        self.evaluation = evaluation
        effects = [effect for _, edge in self.automaton.edges() for effect in edge.effects]
        events = [effect for effect in effects if isinstance(effect, m.Event)]
        self.sends = [evaluation.expression(event.channel) for event in events if event.sends]
        self.receives = [evaluation.expression(event.channel) for event in events if not event.sends]
        self.matches = {
            event: (evaluation.expression(event.channel), evaluation.patterns(event.patterns, whole=False))
            for event in events
        }

    def may_end(self, at: int) -> bool:
        return self.automaton.locations[at].end

    def finished(self, at: int) -> bool:
        """Whether the monitor is at its end, where nothing more can be matched."""
        return any(edge.target == m.GONE for edge in self.automaton.locations[at].edges)

    def sent(self, now: Now, index: int, message: Message) -> None:
        if any(channel(now) == index + 1 for channel in self.sends):
            self.event(now, True, index, message)

    def received(self, now: Now, index: int, message: Message) -> None:
        if any(channel(now) == index + 1 for channel in self.receives):
            self.event(now, False, index, message)

    def event(self, now: Now, sends: bool, index: int, message: Message) -> None:
        """Take the first edge that matches; report an error if there is none."""
        if not self.finished(now.watch):
            for edge in self.automaton.locations[now.watch].edges:
                if self.fits(now, edge, sends, index, message):
                    now.watch = edge.target
                    if self.negated and self.finished(now.watch):
                        now.errors.append(("trace", "all events of the notrace were matched"))
                    return
        if self.negated:
            now.watch = next(at for at in range(len(self.automaton.locations)) if self.finished(at))
        else:
            now.errors.append(("trace", "an event does not match the trace"))

    def fits(self, now: Now, edge: m.Edge, sends: bool, index: int, message: Message) -> bool:
        """Whether an edge allows this event.  An edge without one allows any."""
        for event in edge.effects:
            if not isinstance(event, m.Event) or event.sends is not sends:
                return False
            channel, matches = self.matches[event]
            if channel(now) != index + 1 or len(event.patterns) > len(message) or not matches(now, message):
                return False
        return True
