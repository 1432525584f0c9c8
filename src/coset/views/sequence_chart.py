"""A run as a message sequence chart: lifelines from top to bottom, messages as arrows between them.

A handshake is a horizontal arrow.  A message through a channel is a slanted one from its send to its receive; if it is not
received, it ends in a circle.  Steps without messages are in notes, a cycle has a frame, and rounds that repeat are folded in a
band across all lifelines.  Each part has the numbers of its
moves (`data-first`, `data-last`, from 0), for pages that step through the run.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model.state import process_name
from coset.results.trace import Run
from coset.views.lanes import fitted
from coset.views.message_flow import Event, Flight, Story
from coset.views.svg import SIZE, Svg, text_width

LONGEST = 40
"""The most characters of a text; longer ones are truncated."""

LONGEST_FOLD = 80
"""The same for folded moves."""

LINE, GAP, PAD, GUTTER = 16.0, 12.0, 7.0, 60.0
INK, FAINT, BAD, CYCLE, PAPER, ACTOR = "#24292f", "#8c959f", "#cf222e", "#0969da", "#f6f8fa", "#ddf4ff"
FOLD = "#fff8e5"


def sequence_chart(run: Run) -> str:
    """The chart of a run, as the text of an SVG file."""
    return str(Chart(run).drawing())


def height(event: Event) -> float:
    """The height of an event."""
    match event.kind:
        case "note":
            return LINE * len(event.lines) + PAD
        case "start":
            return 2 * LINE
        case "fold":
            return LINE * (len(event.lines) + 2 * has_starts(event)) + PAD
        case _:
            return 1.5 * LINE


def has_starts(event: Event) -> bool:
    return any(each.kind == "start" for each in event.folded)


# --- the drawing ---------------------------------------------------------------------------------


class Chart:
    """The layout and drawing of a chart."""

    def __init__(self, run: Run) -> None:
        self.run, self.svg = run, Svg()
        self.story = Story(run)
        self.events = self.story.events
        self.everything = [each for event in self.events for each in (event.folded or [event])]
        pids = {event.pid for event in self.everything}
        pids |= {event.other for event in self.everything if event.other is not None}
        self.pids = sorted(pids | set(range(len(run.states[0].processes))))
        self.x = self.columns()
        start = run.trace.loop_start
        self.repeated = [event for event in self.events if start is not None and event.first >= start]
        y = 2.5 * LINE
        for event in self.events:
            if event in self.repeated[:1]:
                y += LINE  # for the text on the frame
            event.y = y + height(event) / 2
            for each in event.folded:
                each.y = event.y + (height(event) / 2 - 1.5 * LINE if has_starts(event) else 0.0)
            y += height(event) + GAP
        self.bottom = y

    def columns(self) -> dict[int, float]:
        """The positions of the lifelines, far enough apart for notes and for the labels of arrows."""
        half = {pid: max(text_width(name), 8.0) / 2 + PAD for pid, name in self.names()}
        for event in self.events:
            if event.kind == "note":
                width = max(text_width(fitted(line, LONGEST)) for line in event.lines)
                half[event.pid] = max(half[event.pid], width / 2 + PAD)
        steps = [half[a] + half[b] + 2 * PAD for a, b in zip(self.pids, self.pids[1:])]
        for event in self.events:
            if event.other is not None:
                ends = sorted((self.pids.index(event.pid), self.pids.index(event.other)))
                needed = text_width(fitted(event.lines[0], LONGEST)) + 4 * PAD
                if event.kind == "start":  # its arrow ends at the box
                    needed += half[event.other]
                missing = needed - sum(steps[slice(*ends)])
                for place in range(*ends):
                    steps[place] += max(missing, 0) / (ends[1] - ends[0])
            elif event.kind == "send" and event.pid in self.pids[:-1]:
                place = self.pids.index(event.pid)
                steps[place] = max(steps[place], text_width(fitted(event.lines[0], LONGEST)) + 3 * PAD)
        return {pid: GUTTER + half[self.pids[0]] + sum(steps[:place]) for place, pid in enumerate(self.pids)}

    def names(self) -> Iterator[tuple[int, str]]:
        """Every process that ever existed, with its number."""
        for state in self.run.states:
            for pid, process in enumerate(state.processes):
                if pid in self.pids:
                    yield pid, process_name(self.run.model, pid, process)

    def drawing(self) -> Svg:
        self.cycle()
        self.lifelines()
        for flight in self.story.flights:
            last = flight.receive or flight.send
            with self.svg.group(data_first=last.first, data_last=last.last):
                self.flight(flight)
        for event in self.events:
            with self.svg.group(data_first=event.first, data_last=event.last):
                getattr(self, event.kind)(event)
                numbers = f"{event.first + 1}" + (f"-{event.last + 1}" if event.last > event.first else "")
                self.svg.text(GUTTER - LINE, event.y + 4, numbers, 10.0, "end", fill=FAINT)
        colour = INK if self.run.trace.kind == "run" else BAD
        self.svg.text(0, self.bottom + 1.5 * LINE, self.run.message, fill=colour, font_weight="bold")
        return self.svg

    def lifelines(self) -> None:
        """A line for each process from where it starts to where it ends."""
        begins = dict.fromkeys(range(len(self.run.states[0].processes)), 1.25 * LINE)
        for pid in begins:
            self.actor(pid, LINE / 2, 0)
        for event in self.everything:
            if event.kind == "start" and event.other is not None:
                begins[event.other] = event.y + 0.75 * LINE
            elif event.kind == "stop" and event.pid in begins:
                self.lifeline(event.pid, begins.pop(event.pid), event.y)
        for pid, start in begins.items():
            self.lifeline(pid, start, self.bottom)

    def lifeline(self, pid: int, start: float, end: float) -> None:
        self.svg.line(self.x[pid], start, self.x[pid], end, stroke=FAINT, stroke_width=1.0)

    def actor(self, pid: int, y: float, number: int) -> None:
        """The box with the name of a process."""
        process = self.run.states[number].processes[pid]
        name = process_name(self.run.model, pid, process)
        width = text_width(name) + 2 * PAD
        self.svg.rect(self.x[pid] - width / 2, y - 0.75 * LINE, width, 1.5 * LINE, rx=3.0, fill=ACTOR, stroke=INK)
        self.svg.text(self.x[pid], y + 4, name, anchor="middle", fill=INK, font_weight="bold")

    def cycle(self) -> None:
        """The frame around the moves that repeat forever."""
        if self.repeated:
            top, left = self.repeated[0].y - height(self.repeated[0]) / 2 - LINE, 0.0
            width = max(self.x.values()) + GUTTER - left
            self.svg.rect(
                left, top, width, self.bottom - top, rx=6.0, fill="#f2f8ff", stroke=CYCLE, stroke_dasharray="6 4"
            )
            self.svg.text(left + PAD, top + LINE - 2, "repeats forever", 10.0, fill=CYCLE)

    # --- events ----------------------------------------------------------------------------------

    def note(self, event: Event) -> None:
        lines = [fitted(line, LONGEST) for line in event.lines]
        width = max(map(text_width, lines)) + 2 * PAD
        x, top = self.x[event.pid], event.y - height(event) / 2
        colour = BAD if event.bad else FAINT
        title = "\n".join(event.lines)
        self.svg.rect(x - width / 2, top, width, height(event), title, rx=2.0, fill=PAPER, stroke=colour)
        for place, line in enumerate(lines):
            ink = BAD if event.bad and place == len(lines) - 1 else INK
            self.svg.text(x, top + LINE * (place + 1) - 1, line, anchor="middle", fill=ink)

    def fold(self, event: Event) -> None:
        """A band across all lifelines, with the processes that start in it."""
        left, right = (end(self.x.values()) for end in (min, max))
        lines = [fitted(line, LONGEST_FOLD) for line in event.lines]
        width = max(right - left, *map(text_width, lines)) + 2 * PAD
        top = event.y - height(event) / 2
        title = "\n".join(event.lines)
        self.svg.rect(
            left - PAD, top, width, height(event), title, rx=2.0, fill=FOLD, stroke=FAINT, stroke_dasharray="2 3"
        )
        for place, line in enumerate(lines):
            self.svg.text(left, top + LINE * (place + 1) - 1, line, fill=INK, font_style="italic")
        for each in event.folded:
            if each.kind == "start" and each.other is not None:
                self.actor(each.other, each.y, each.first + 1)

    def handshake(self, event: Event) -> None:
        assert event.other is not None
        self.arrow(self.x[event.pid], event.y + 5, self.x[event.other], event.y + 5, BAD if event.bad else INK)
        middle = (self.x[event.pid] + self.x[event.other]) / 2
        self.label(middle, event.y - 1, event.lines[0], "middle")

    def start(self, event: Event) -> None:
        assert event.other is not None
        self.actor(event.other, event.y, event.first + 1)
        x, side = self.x[event.pid], 1 if event.other > event.pid else -1
        kind = self.run.model.kinds[self.run.states[event.first + 1].processes[event.other].kind].name
        edge = self.x[event.other] - side * (text_width(f"{kind}({event.other})") / 2 + PAD)
        self.arrow(x, event.y, edge, event.y, INK, "4 3")
        self.label(x + side * PAD, event.y - 6, event.lines[0], "start" if side > 0 else "end")

    def stop(self, event: Event) -> None:
        x, y = self.x[event.pid], event.y
        self.svg.path(f"M{x - 6} {y - 6}L{x + 6} {y + 6}M{x - 6} {y + 6}L{x + 6} {y - 6}", stroke=INK, stroke_width=2.0)

    def send(self, event: Event) -> None:
        flight = next(each for each in self.story.flights if each.send is event)
        target = event.pid + 1 if flight.receive is None else flight.receive.pid
        right = target > event.pid or event.pid == self.pids[0]
        x = self.x[event.pid] + (PAD if right else -PAD)
        self.label(x, event.y - 7, event.lines[0], "start" if right else "end")

    def receive(self, event: Event) -> None:
        """Only the head of the arrow, which `flight` draws."""

    def flight(self, flight: Flight) -> None:
        """A message through a channel."""
        x, y = self.x[flight.send.pid], flight.send.y
        self.svg.circle(x, y, 2.5, fill=INK)
        if flight.receive is None:
            side = 1 if flight.send.pid == self.pids[0] or flight.send.pid != self.pids[-1] else -1
            self.svg.line(x, y, x + side * 36, y, stroke=INK)
            self.svg.circle(x + side * 40, y, 4.0, fill="white", stroke=INK)
        elif flight.receive.pid == flight.send.pid:
            end = flight.receive.y
            self.svg.path(f"M{x} {y}C{x + 40} {y} {x + 40} {end} {x + 4} {end}", fill="none", stroke=INK)
            self.head(x, end, -1, 0.0, INK)
        else:
            self.arrow(x, y, self.x[flight.receive.pid], flight.receive.y, INK)

    # --- arrows ----------------------------------------------------------------------------------

    def arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str | None = None) -> None:
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
        self.svg.line(x1, y1, x2, y2, stroke=colour, stroke_width=1.3, stroke_dasharray=dashes)
        self.head(x2, y2, (x2 - x1) / length, (y2 - y1) / length, colour)

    def head(self, x: float, y: float, dx: float, dy: float, colour: str) -> None:
        """The head of an arrow that comes from the direction (dx, dy)."""
        corners = [(x - 9 * dx - 4 * dy, y - 9 * dy + 4 * dx), (x - 9 * dx + 4 * dy, y - 9 * dy - 4 * dx)]
        points = "".join(f"L{a:.1f} {b:.1f}" for a, b in corners)
        self.svg.path(f"M{x:.1f} {y:.1f}{points}Z", fill=colour)

    def label(self, x: float, y: float, text: str, anchor: str) -> None:
        """A label over lines; a white border keeps it readable."""
        words = fitted(text, LONGEST)
        self.svg.text(x, y, words, SIZE - 1, anchor, fill=INK, stroke="white", stroke_width=3.0, paint_order="stroke")
