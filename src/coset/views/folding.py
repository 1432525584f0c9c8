"""What of a long run need not be shown move by move: its start-up, and rounds that repeat one before.

A run may count up to 255 in rounds of ten statements, or start twenty processes, before anything happens that matters.
Such moves are folded: a view shows one line for them, with what they change altogether.  A round *repeats* the one before if
the same processes execute the same statements; the values may be others.  Of at least three equal rounds the first one is
shown.  (M. G. Main, R. J. Lorentz, "An O(n log n) algorithm for finding all repetitions in a string", Journal of Algorithms
5, 1984; here only rounds of bounded length, from left to right.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from coset.model.state import process_name
from coset.results.trace import Run
from coset.source.records import dataclass

LONGEST_ROUND = 60
LEAST_ROUNDS, LEAST_MOVES = 3, 8
"""How many equal rounds, and how many moves at least are folded."""
MOST_MOVES = 20_000
"""The longest run in which rounds are looked for."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The moves from `start` up to, not including, `stop` are not shown; `text` says what they are."""

    start: int
    stop: int
    text: str

    def __contains__(self, number: int) -> bool:
        return self.start <= number < self.stop


def folds(run: Run) -> tuple[Fold, ...]:
    """The parts of a run that are folded, from its beginning on.  The last move and the first one of a cycle are shown."""
    length, loop = len(run.moves), run.trace.loop_start
    if length > MOST_MOVES:
        return ()
    signs = [(move.process, id(move.edge), move.partner and id(move.partner[1])) for move in run.moves]
    found = list(start_up(run))
    begin = found[0].stop if found else 0
    middle = length if loop is None else max(loop, begin)
    for first, stop in ((begin, middle), (middle, length)):
        found += repetitions(signs[first : stop - (stop == length)], first)
    return tuple(found)


def start_up(run: Run) -> Iterator[Fold]:
    """The moves of the first process up to where it has started the last of those that it starts before anything else happens."""
    mover = run.moves[0].process if run.moves else -1
    stop, names = 0, list[str]()
    for number, move in enumerate(run.moves[: run.trace.loop_start]):
        before, after = run.states[number], run.states[number + 1]
        if (
            move.process != mover
            or move.partner is not None
            or move.output
            or len(after.processes) < len(before.processes)
        ):
            break
        started = range(len(before.processes), len(after.processes))
        names += [process_name(run.model, pid, after.processes[pid]) for pid in started]
        stop = number + 1 if started else stop
    stop = min(stop, len(run.moves) - 1)
    if stop >= LEAST_MOVES:
        first = process_name(run.model, mover, run.states[0].processes[mover])
        yield Fold(0, stop, f"moves 1 to {stop}: {first} starts {listed(names)}")


def listed(names: Sequence[str]) -> str:
    """
    >>> listed(["P(1)", "P(2)"]), listed([f"P({k})" for k in range(1, 20)])
    ('P(1), P(2)', 'P(1), P(2), ..., P(19)')
    """
    return ", ".join(names) if len(names) <= 4 else f"{names[0]}, {names[1]}, ..., {names[-1]}"


def repetitions(signs: Sequence[Hashable], first: int = 0) -> Iterator[Fold]:
    """The rounds that repeat the one before, by the sign of each move; the numbers of moves begin with `first`.

    >>> for fold in repetitions("xabcabcabcabcabcy"):
    ...     print(fold.start, fold.stop, fold.text)
    4 16 moves 5 to 16: moves 2 to 4 again, 4 times
    >>> list(repetitions("abababy"))
    []
    """
    # equal[size][k]: how many moves from k on are those `size` later
    sizes = range(1, min(LONGEST_ROUND, len(signs) // LEAST_ROUNDS) + 1)
    equal = {size: run_lengths(signs, size) for size in sizes}
    at = 0
    while at < len(signs):
        size = max(sizes, key=lambda size: (equal[size][at] // size * size, -size), default=0)
        again = equal[size][at] // size if size else 0
        if again + 1 < LEAST_ROUNDS or again * size < LEAST_MOVES:
            at += 1
            continue
        start, stop = first + at + size, first + at + size * (again + 1)
        what = f"move {first + at + 1}" if size == 1 else f"moves {first + at + 1} to {first + at + size}"
        yield Fold(start, stop, f"moves {start + 1} to {stop}: {what} again, {again} times")
        at += size * (again + 1)


def run_lengths(signs: Sequence[Hashable], size: int) -> list[int]:
    """For each position how many signs from there on are equal to those `size` later.

    >>> run_lengths("aabab", 2)
    [0, 2, 1, 0, 0]
    """
    found = [0] * len(signs)
    for at in range(len(signs) - size - 1, -1, -1):
        found[at] = found[at + 1] + 1 if signs[at] == signs[at + size] else 0
    return found
