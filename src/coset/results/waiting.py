"""Why nothing can happen: for each process, where it waits, for what, and why it is blocked.

If no receive of a waiting process matches the message at the head of a channel, this is an *unhandled reception*, often a
missing case.

    >>> from coset.tasks.load import parse_text
    >>> from coset.results.trace import replay, shortest_safety_trace
    >>> text = "mtype = { ping, pong }; chan c = [1] of { mtype }; active proctype P() { c!pong; c?ping }"
    >>> run = replay(parse_text(text), shortest_safety_trace(parse_text(text), "deadlock"))
    >>> for process in waiting(run.interpreter, run.last):
    ...     print(process)
    P(0) waits at line 1: c?ping (the first message of c, (pong), is not taken here)
"""

from __future__ import annotations

from coset.model.evaluate import Fault, Now
from coset.model.executable import CompiledEdge
from coset.model.interpreter import Interpreter
from coset.model.state import State, process_name
from coset.results.changes import channel_names, shown
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Blocked:
    """A statement that cannot be executed, and why.  `unhandled` is the message that is not received."""

    statement: str
    span: Span | None
    why: str
    unhandled: str | None = None

    def __str__(self) -> str:
        return f"{self.statement} ({self.why})"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A process that cannot move.  At a valid end state it need not."""

    pid: int
    process: str
    span: Span | None
    valid_end: bool
    blocked: tuple[Blocked, ...]

    @property
    def unhandled(self) -> tuple[str, ...]:
        """The messages at the head of a channel that none of the process's receives matches."""
        return tuple(dict.fromkeys(each.unhandled for each in self.blocked if each.unhandled is not None))

    def __str__(self) -> str:
        place = "" if self.span is None else f" at line {self.span.line}"
        return f"{self.process} waits{place}: {' | '.join(map(str, self.blocked))}"


def waiting(interpreter: Interpreter, state: State) -> tuple[Waiting, ...]:
    """Every process of a state in which nothing can happen."""
    return tuple(Explanation(interpreter, state).process(pid) for pid in range(len(state.processes)))


def left_behind(interpreter: Interpreter, state: State) -> list[str]:
    """The channels that are not empty, with their contents: an error if a valid end state requires empty channels."""
    names = channel_names(interpreter.model, state)
    explained = Explanation(interpreter, state)
    return [
        f"{names[number]} holds {' '.join(explained.message(number, each) for each in channel.messages)}"
        for number, channel in enumerate(state.channels)
        if channel.messages
    ]


class Explanation:
    def __init__(self, interpreter: Interpreter, state: State) -> None:
        self.interpreter, self.state = interpreter, state
        self.names = channel_names(interpreter.model, state)

    def process(self, pid: int) -> Waiting:
        model, process = self.interpreter.model, self.state.processes[pid]
        location = model.kinds[process.kind].locations[process.at]
        now = self.interpreter.moment(self.state, pid)
        now.own = process.values
        blocked = tuple(self.edge(now, compiled) for compiled in self.interpreter.edges[process.kind][process.at])
        takers = [each for each in blocked if each.unhandled is not None]
        if len(takers) < sum(edge.receive is not None for edge in self.interpreter.edges[process.kind][process.at]):
            # Another receive is blocked for another reason: the process may still get a matching message.
            blocked = tuple(Blocked(each.statement, each.span, each.why) for each in blocked)
        span = next((each.span for each in blocked if each.span is not None), location.span)
        return Waiting(pid, process_name(model, pid, process), span, location.end, blocked)

    def edge(self, now: Now, compiled: CompiledEdge) -> Blocked:
        text = " ".join(compiled.edge.text.split())
        why, unhandled = self.why(now, compiled)
        return Blocked(text if text != "-end-" else "its end", compiled.edge.span, why, unhandled)

    def why(self, now: Now, compiled: CompiledEdge) -> tuple[str, str | None]:
        """Why an edge cannot be taken."""
        provided = self.interpreter.provided[now.processes[now.pid].kind]
        try:
            if provided is not None and not provided(now):
                return "the process is not provided for", None
            if compiled.edge.text == "-end-":
                return "a younger process must end first", None
            if not compiled.guard(now):
                return "false", None
            if compiled.send is not None:
                index = compiled.at(now)
                if self.capacity(index) == 0:
                    return f"no process is ready to receive from {self.names[index]}", None
                return f"{self.names[index]} is full", None
            if compiled.receive is not None:
                return self.receive(compiled, compiled.at(now))
        except Fault as fault:
            return fault.message, None
        return "others go first", None

    def receive(self, compiled: CompiledEdge, index: int) -> tuple[str, str | None]:
        name, messages = self.names[index], self.state.channels[index].messages
        if self.capacity(index) == 0:
            return f"no process is ready to send such a message to {name}", None
        if not messages:
            return f"{name} is empty", None
        if compiled.receive is not None and compiled.receive.random:
            return f"no message of {name} is like that", None
        first = self.message(index, messages[0])
        return f"the first message of {name}, {first}, is not taken here", f"{first} in {name}"

    def capacity(self, index: int) -> int:
        return self.interpreter.channel_types[self.state.channels[index].type].capacity

    def message(self, index: int, values: tuple[int, ...]) -> str:
        fields = self.interpreter.channel_types[self.state.channels[index].type].fields
        return f"({','.join(shown(domain, value, self.names) for domain, value in zip(fields, values, strict=True))})"
