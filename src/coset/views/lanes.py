"""A run for people: one lane per process, one row per move, and only what changed.

         line  Server(0)         Client(1)
      1  15>9  ask?n <---------- ask!_pid + 6  n: 0 -> 7
      2  9>16  answer!n -------> answer?n      n: 0 -> 7
      3:    9  n = 0             |             n: 7 -> 0

A colon after the number says that the move is atomic with the previous one.
Lanes are as wide as their statements and shrink to fit the terminal; if there is no room for the changes beside them, these
are below.  With too many processes for lanes, each row begins with the name of its process instead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from coset.model.interpreter import Move
from coset.model.model import GONE, Edge
from coset.model.state import State, process_name
from coset.results.changes import Change
from coset.results.trace import Run
from coset.results.waiting import left_behind, waiting
from coset.source.printable import one_line
from coset.source.records import dataclass
from coset.source.text import Span
from coset.views.folding import Fold, folds

NARROWEST = 8
"""The least width of a lane; if lanes do not fit, there are none."""

LAST = 20
WIDEST = 40
CHANGES = 24
"""The least width for the changes; with less room, they are below."""

SHOWN_FIRST, SHOWN_LAST = 100, 200
"""How many moves of a long run are shown, from its beginning and before its end."""

MOST_CHANGES = 12
"""How many changes of folded moves are shown."""

GAP = 2
ARROW = 5
"""The least length of an arrow, with spaces around it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One move: the text of each lane, and the changes."""

    number: int
    line: str
    held: bool
    cells: tuple[tuple[int, str], ...]
    changes: tuple[str, ...]


def lanes(run: Run, width: int = 80, brief: bool = False) -> str:
    """The run as text: its moves, its cycle, and how it ends.  If it is `brief`, repeated rounds are folded, and the middle of a
    run that is still long is left out."""
    file, length, start = main_file(run), len(run.moves), run.trace.loop_start
    folded = folds(run) if brief else ()
    visible = [number for number in range(length) if not any(number in each for each in folded)]
    omitted = left_out(visible, start) if brief else []
    hidden = {number for each in omitted for number in each}
    rows = [row(run, number, file) for number in visible if number not in hidden]
    sheet = Sheet(run, rows, width)
    marks = {
        each[-1] + 1: [sheet.mark(f"moves {each[0] + 1} to {each[-1] + 1} are left out (--trace OUT writes all)")]
        for each in omitted
    }
    for fold in folded:
        marks.setdefault(fold.stop, []).extend(sheet.fold(fold.text, tuple(altogether(run, fold))))
    for each in omitted:  # what is folded in there is not shown
        for place in [place for place in marks if each[0] < place <= each[-1]]:
            del marks[place]
    lines = list(sheet.head())
    for number in range(length + 1):
        lines.extend(marks.get(number, ()))
        if number == start and number < length:
            lines.append(sheet.mark("the cycle begins here"))
        if rows and rows[0].number == number:
            lines.extend(sheet.row(rows.pop(0)))
    if start is not None and start < length:
        lines.append(sheet.mark(f"and again from move {start + 1}"))
    lines.append(f"{run.message}, after {length} move{'s' * (length != 1)}")
    if run.trace.kind == "deadlock":
        lines.extend(stuck(run, file))
    return "".join(f"{line.rstrip()}\n" for line in lines)


def left_out(visible: Sequence[int], loop_start: int | None) -> list[Sequence[int]]:
    """The moves in the middle of a long run, or of a long cycle, which few people read.

    >>> left_out(range(14_594), None), left_out(range(900), 300)
    ([range(100, 14394)], [range(400, 700)])
    """
    middle = len(visible) if loop_start is None else bisect_left(visible, loop_start)
    parts = (visible[:middle], visible[middle:])
    return [part[SHOWN_FIRST:-SHOWN_LAST] for part in parts if len(part) > SHOWN_FIRST + SHOWN_LAST]


def altogether(run: Run, fold: Fold) -> Iterator[str]:
    """What the moves of a fold change altogether."""
    changes = run.changes.describer.differences(run.states[fold.start], run.states[fold.stop])
    for name, change in changes.items():
        if not name.endswith("@") and change.new is not None and not (change.old is None and change.new in ("0", "")):
            yield difference(name, change)


def stuck(run: Run, file: str) -> Iterator[str]:
    """Where each process waits, for what, and why it is blocked."""
    found = waiting(run.interpreter, run.last)
    heads = [f"  {each.process}  {spot(each.span, file)}" for each in found]
    width = max(map(len, heads), default=0)
    for head, each in zip(heads, found):
        if each.valid_end:
            rows = ["valid end"]
        else:
            rows = [f"waits for {blocked.statement}: {blocked.why}" for blocked in each.blocked]
            rows += [f"unhandled reception: {message}" for message in each.unhandled]
        yield from (f"{head if number == 0 else '':{width}}  {text}" for number, text in enumerate(rows))
    if run.model.empty_at_end:
        yield from (f"  {each}, and channels must be empty" for each in left_behind(run.interpreter, run.last))


def spot(span: Span | None, file: str) -> str:
    """A line of the text, with the file if it is not the main one."""
    return "" if span is None else f"line {span.line}" if span.file == file else f"{one_line(span.file)}:{span.line}"


# --- rows ----------------------------------------------------------------------------------------


def row(run: Run, number: int, file: str) -> Row:
    before, move = run.states[number], run.moves[number]
    return Row(
        number,
        ">".join(source_line(edge, file) for _, edge in movers(move)),
        run.holders[number] == move.process,
        tuple((pid, statement(run, before, pid, edge)) for pid, edge in movers(move)),
        tuple(changed(run, number)),
    )


def movers(move: Move) -> list[tuple[int, Edge]]:
    """The processes that move, with their edges: one, or the two of a handshake, sender first."""
    return [(move.process, move.edge), *([move.partner] if move.partner else [])]


def source_line(edge: Edge, usual: str) -> str:
    """The line that an edge comes from; with the name of the file if it is not the usual one."""
    if edge.span is None:
        return ""
    line = str(edge.span.line)
    return line if edge.span.file == usual else f"{PurePath(edge.span.file).name}:{line}"


def main_file(run: Run) -> str:
    """The file that most moves come from; a line of another one is shown with its name."""
    files = Counter(move.edge.span.file for move in run.moves if move.edge.span is not None)
    return files.most_common(1)[0][0] if files else ""


def statement(run: Run, before: State, pid: int, edge: Edge) -> str:
    """The statement on one line; of a deterministic step only the first one, followed by dots."""
    locations = run.model.kinds[before.processes[pid].kind].locations
    more = edge.target != GONE and locations[edge.target].transient
    return (" ".join(edge.text.split()) or str(edge.guard)) + ("; ..." if more else "")


def changed(run: Run, number: int) -> Iterator[str]:
    """What a move changed.  Processes that start or end are named once, without their variables."""
    before, after = run.states[number], run.states[number + 1]
    move, model = run.moves[number], run.model
    for text in move.output:
        yield f"prints {text.replace(chr(92) + 'n', ' ').strip()}"
    for pid in range(len(before.processes), len(after.processes)):
        yield f"{process_name(model, pid, after.processes[pid])} starts"
    for pid in range(len(after.processes), len(before.processes)):
        yield f"{process_name(model, pid, before.processes[pid])} ends"
    own = [f"{process_name(model, pid, before.processes[pid])}:" for pid, _ in movers(move)]
    names = {variable.name.split(".")[0] for variable in model.variables}
    for name, change in run.changes[number].items():
        if name.endswith("@") or change.new is None or (change.old is None and change.new in ("0", "")):
            continue
        short = name
        for prefix in own:
            inner = name.removeprefix(prefix)
            if inner.split("[")[0].split(".")[0] not in names:
                short = inner if inner != name else short
        yield difference(short, change)
    yield from (f"({message})" for _, message in move.errors if message != run.message)


def difference(name: str, change: Change) -> str:
    """A change as text.

    >>> difference("x", Change("0", "1")), difference("box[]", Change("(1)", "(1) (2)"))
    ('x: 0 -> 1', 'box: [(1) (2)]')
    """
    if name.endswith("[]"):
        return f"{name[:-2]}: [{change.new}]"
    return f"{name} = {change.new}" if change.old is None else f"{name}: {change.old} -> {change.new}"


# --- layout --------------------------------------------------------------------------------------


class Sheet:
    """The layout: a gutter with number and line, the lanes, the changes."""

    def __init__(self, run: Run, rows: Sequence[Row], width: int) -> None:
        self.width = width
        self.names = lane_names(run)
        self.numbers = len(str(len(run.moves))) + 2
        self.lines = max([4, *(len(each.line) for each in rows)])
        self.gutter = self.numbers + self.lines + 2 * GAP
        wanted = {pid: len(name) for pid, name in self.names.items()}
        for each in rows:
            for pid, text in each.cells:
                wanted[pid] = max(wanted[pid], len(text) + (ARROW if len(each.cells) > 1 else 0))
        longest = max((len(change) for each in rows for change in each.changes), default=0)
        room = width - self.gutter - GAP * len(wanted)
        natural = {pid: min(length, WIDEST) for pid, length in wanted.items()}
        self.widths = shrunk(natural, room)
        # Prefer narrow lanes with the changes beside them.
        self.widths = shrunk(natural, room - min(longest, CHANGES)) or self.widths
        self.alone = not self.widths
        if self.alone:
            lengths = [len(self.cell(pid, text)) for each in rows for pid, text in each.cells]
            self.widths = {-1: min(max([NARROWEST, *lengths]), WIDEST)}
        self.starts: dict[int, int] = {}
        position = self.gutter
        for pid, length in self.widths.items():
            self.starts[pid] = position
            position += length + GAP
        self.right = position
        self.beside = width - self.right >= min(longest, CHANGES)

    def cell(self, pid: int, text: str) -> str:
        return f"{self.names[pid]}: {text}" if self.alone else text

    def head(self) -> Iterator[str]:
        """The names of the lanes."""
        line = f"{'':{self.numbers}}{'line':>{self.lines + GAP}}"
        for pid, start in self.starts.items():
            line = f"{line:{start}}{short_name(self.names.get(pid, ''), self.widths[pid])}"
        yield line

    def mark(self, text: str) -> str:
        """A line across all lanes."""
        return f"{'-' * (self.gutter - GAP)}- {text} ".ljust(min(self.right, self.width), "-")

    def fold(self, text: str, changes: Sequence[str]) -> Iterator[str]:
        """What is said of moves that are folded."""
        yield self.mark(text)
        yield from (f"{'':{self.gutter}}{line}" for line in joined(changes[:MOST_CHANGES], self.width - self.gutter))

    def row(self, each: Row) -> Iterator[str]:
        number = f"{each.number + 1:{self.numbers}}{':' if each.held else ' '}"
        gutter = f"{number}{each.line:>{self.lines + GAP - 1}}"
        longest = max((len(change) for change in each.changes), default=0)
        if self.alone:
            drawn = " -> ".join(self.cell(pid, text) for pid, text in each.cells)
        else:
            drawn = self.drawn(each.cells, self.right if longest and self.beside else self.width)
        line = f"{gutter:{self.gutter}}{drawn}"
        if self.beside and len(line) <= self.right and self.width - self.right >= min(longest, CHANGES):
            first, *others = joined(each.changes, self.width - self.right) or [""]
            yield f"{line:{self.right}}{first}"
            empty = f"{'':{self.gutter}}{'' if self.alone else self.drawn((), self.right)}"
            yield from (f"{empty:{self.right}}{other}" for other in others)
            return
        yield line
        for text in joined(each.changes, self.width - self.gutter - GAP):
            yield f"{'':{self.gutter}}  {text}"

    def drawn(self, cells: Sequence[tuple[int, str]], right: int) -> str:
        """The lanes of one row, up to column `right`.  A handshake is an arrow from the sender's statement to the
        receiver's."""
        canvas = [" "] * (self.right - self.gutter)

        def put(start: int, text: str) -> None:
            canvas[start : start + len(text)] = text

        for pid, start in self.starts.items():
            if all(pid != other for other, _ in cells):
                put(start - self.gutter, "|")
        for pid, text in cells:
            # No other process moves in this row, so the text may extend over the lanes to the right.
            start = self.starts[pid] - self.gutter
            put(start, fitted(text, right - self.gutter - start - (GAP if right == self.right else 0)) + " ")
        if len(cells) == 2:
            (sender, said), (receiver, heard) = cells
            left, text = (sender, said) if sender < receiver else (receiver, heard)
            start, end = (self.starts[pid] - self.gutter for pid in sorted((sender, receiver)))
            words = fitted(text, end - start - ARROW)
            line = "-" * (end - start - len(words) - 2)
            put(start, f"{words} {line[:-1]}> " if left == sender else f"{words} <{line[1:]} ")
        return "".join(canvas).rstrip()


def lane_names(run: Run) -> dict[int, str]:
    """The processes that take part, by number; a reused number has several names."""
    kinds: dict[int, list[str]] = {}
    for before, move in zip(run.states, run.moves):
        for pid, _ in movers(move):
            name = process_name(run.model, pid, before.processes[pid]).removesuffix(f"({pid})")
            if name not in kinds.setdefault(pid, []):
                kinds[pid].append(name)
    # A process with a unique name needs no number.
    own = {pid for pid, process in enumerate(run.model.processes) if process.name}
    return {pid: "/".join(kinds[pid]) + (f"({pid})" if pid not in own else "") for pid in sorted(kinds)}


def shrunk(wanted: dict[int, int], room: int) -> dict[int, int]:
    """Widths that fit: the widest lanes shrink first, but the last one keeps some room, as its text cannot extend over a
    neighbour.  Empty if even the narrowest lanes do not fit.

    >>> shrunk({0: 30, 1: 12, 2: 30}, 50), shrunk({0: 30, 1: 12}, 15)
    ({0: 18, 1: 12, 2: 20}, {})
    """
    *others, last = wanted.values() if wanted else (0, 0)
    limit, kept = max(others, default=0), min(last, LAST)
    if sum(min(length, NARROWEST) for length in others) + kept > room:
        return {}
    while sum(min(length, limit) for length in others) + kept > room:
        limit -= 1
    widths = [min(length, limit) for length in others]
    return dict(zip(wanted, [*widths, min(last, room - sum(widths))]))


def joined(parts: Sequence[str], width: int) -> list[str]:
    """The parts with commas between them, on as many lines as they need.

    >>> joined(("x: 0 -> 1", "y: 3 -> 4", "z: 5 -> 6"), 21)
    ['x: 0 -> 1, y: 3 -> 4,', 'z: 5 -> 6']
    """
    lines: list[str] = []
    for number, part in enumerate(parts, 1):
        text = part + ("," if number < len(parts) else "")
        if lines and len(lines[-1]) + 1 + len(text) <= width:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return lines


def short_name(name: str, width: int) -> str:
    """The name of a process, cut before its number.

    >>> short_name("philosopher(12)", 10)
    'phil..(12)'
    """
    kind, bracket, number = name.partition("(")
    end = bracket + number
    return name if len(name) <= width else f"{kind[: max(width - len(end) - 2, 1)]}..{end}"


def fitted(text: str, width: int) -> str:
    """The text, cut if it is too long.

    >>> fitted("taken[left] = true", 12)
    'taken[lef...'
    """
    return text if len(text) <= width else text[: max(width - 3, 1)] + "..."[: width - 1]
