"""A few short runs that together execute every statement, or take every edge, that some run reaches: tests from a model.

The states are visited breadth first, by the interpreter in small models and by the compiled engine in large ones, so that each
statement is known by a shortest run to it.  From the
longest of these on, a run is taken if it executes something that no run before it did; what a longer run executes on its way
needs no run of its own.  (To find the least number of runs is a set cover, which is hard: V. Chvatal, "A greedy heuristic for
the set-covering problem", Mathematics of Operations Research 4, 1979.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.engines.contract import NoCompiler, Unsupported
from coset.engines.evidence import moves_along
from coset.engines.reference.coverage import Recorder
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.state import State
from coset.results.cover import Cover
from coset.results.coverage import Place, edges, statements
from coset.results.trace import Run, from_moves, replay
from coset.source.budget import INTERRUPTED, Limits, OutOfBudget, current_budget
from coset.source.text import Span

MOST_STATES, MOST_COMPILED = 20_000, 20_000_000
"""The most states of the interpreter's search, and of that by the compiled engine which follows it."""
MOST_ALONE = 100_000
"""The most states if the compiled engine cannot serve."""
ASK_EVERY = 256
Node = tuple[State, int | None]
Taken = tuple[Move, frozenset[int]]
"""A move, and the identities of the edges that it takes, those inside of deterministic steps included."""
Way = Sequence[Taken]


def cover(model: m.Model, what: str, most_states: int = MOST_STATES, most_compiled: int = MOST_COMPILED) -> Cover:
    """Runs that cover what can be reached of the options of `--cover` with this name.

    >>> from coset.tasks.load import parse_text
    >>> found = cover(parse_text("byte x; active proctype P() { if :: x = 1 :: x = 2; x > 5; x = 3 fi }"), "statements")
    >>> [len(run.moves) for run in found.runs], found.targets, found.missing
    ([1, 1], 4, ('P, line 1: x > 5', 'P, line 1: x = 3'))
    """
    wanted = targets(model, what)
    everything = {place for places in wanted.values() for place in places}
    search = Search(model, most_states)
    search.run(everything)
    ways = {place: search.way_to(place) for place in everything & search.first.keys()}
    stopped = search.stopped
    if search.is_large:
        try:
            more, stopped = compiled_ways(model, everything - ways.keys(), most_compiled)
        except (NoCompiler, Unsupported):
            search = Search(model, max(most_states, MOST_ALONE))
            search.run(everything)
            more = {place: search.way_to(place) for place in everything & search.first.keys()}
            stopped = search.stopped
        ways |= more
    runs: list[Run] = []
    covered: set[Place] = set()
    found = {
        name: min((ways[place] for place in places if place in ways), key=len, default=None)
        for name, places in wanted.items()
    }
    reachable = [(name, way) for name, way in found.items() if way is not None]
    for name, way in sorted(reachable, key=lambda each: -len(each[1])):
        if covered.isdisjoint(wanted[name]):
            covered |= {search.places[edge] for _, taken in way for edge in taken if edge in search.places}
            runs.append(replay(model, from_moves(model, [move for move, _ in way], "run")))
    missing = tuple(name for name in wanted if found[name] is None)
    return Cover(tuple(runs), len(wanted), missing, stopped is None, stopped)


def compiled_ways(model: m.Model, wanted: set[Place], most: int) -> tuple[dict[Place, Way], str | None]:
    """Runs to edges by the compiled engine, and why there may be more of them."""
    from coset.engines.explicit.coverage import ways_to_edges

    found, exploration = ways_to_edges(model, Limits(most), Settings(), wanted)
    interpreter = Interpreter(model)
    ways: dict[Place, Way] = {}
    for place, chain in found.items():
        moves = moves_along(interpreter, chain)
        local = Search(model, most, chain[-1])
        local.run({place})
        ways[place] = [*((move, own_edges(move)) for move in moves), *local.way_to(place)]
    return ways, exploration.stopped


def own_edges(move: Move) -> frozenset[int]:
    """The edges of a move itself, without those inside of a deterministic step."""
    return frozenset({id(move.edge)} | ({id(move.partner[1])} if move.partner else set()))


def targets(model: m.Model, what: str) -> dict[str, list[Place]]:
    """What has to be covered, by names, and the edges each of which covers it."""
    found: dict[str, list[Place]] = {}
    if what == "statements":
        for (k, span, text), places in sorted(statements(model).items(), key=lambda each: in_text(*each[0])):
            found.setdefault(f"{model.kinds[k].name}, line {span.line}: {' '.join(text.split())}", []).extend(places)
        return found
    for (k, at, number), edge in edges(model):
        line = "" if edge.span is None else f", line {edge.span.line}"
        found[f"{model.kinds[k].name}, edge {at}.{number}{line}: {' '.join(edge.text.split())}"] = [(k, at, number)]
    return found


def in_text(k: int, span: Span, text: str) -> tuple[int, str, int, int, str]:
    """The order of the text."""
    return k, span.file, span.line, span.column, text


class Search:
    """Breadth first over states and holders of control, with one link to each."""

    def __init__(self, model: m.Model, most: int, start: State | None = None) -> None:
        self.interpreter, self.most = Recorder(model), most
        self.start = self.interpreter.initial() if start is None else start
        self.places: dict[int, Place] = {}
        self.copies: dict[int, list[Place]] = {}
        for place, edge in edges(model):
            self.places.setdefault(id(edge), place)
            self.copies.setdefault(id(edge), []).append(place)
        self.first: dict[Place, tuple[int, int]] = {}
        """For each edge that is taken the length of a shortest run to it, and the number of its last move."""
        self.links: list[tuple[int | None, Taken]] = []
        """Moves, each with the number of the one before."""
        self.stopped: str | None = None
        self.is_large = False

    def run(self, wanted: set[Place]) -> None:
        """Visit states until all that is wanted is found."""
        start: Node = (self.start, None)
        known = {self.key(start)}
        queue: list[tuple[Node, int | None, int]] = [(start, None, 0)]
        try:
            for count, (node, before, length) in enumerate(queue):
                for taken in self.moves(*node):
                    move = taken[0]
                    self.links.append((before, taken))
                    self.note(taken[1], length + 1)
                    following: Node = (move.state, move.holder)
                    if not is_fault(move) and self.key(following) not in known:
                        known.add(self.key(following))
                        queue.append((following, len(self.links) - 1, length + 1))
                if count % ASK_EVERY == 0:
                    if wanted <= self.first.keys():
                        return
                    if len(known) >= self.most:
                        self.stopped, self.is_large = f"{len(known):,} states", True
                        return
                    current_budget().demand()
        except (Fault, OutOfBudget) as reason:
            self.stopped = str(reason)
        except KeyboardInterrupt:
            current_budget().interrupt()
            self.stopped = INTERRUPTED

    def key(self, node: Node) -> Node:
        return self.interpreter.key(node[0]), node[1]

    def note(self, taken: frozenset[int], length: int) -> None:
        for edge in taken:
            for place in self.copies.get(edge, ()):
                self.first.setdefault(place, (length, len(self.links) - 1))

    def moves(self, state: State, holder: int | None) -> Iterator[Taken]:
        """The moves of the process that holds control; others only if it is blocked."""
        found = list(self.recorded(state, holder))
        yield from found if found or holder is None else self.recorded(state, None)

    def recorded(self, state: State, holder: int | None) -> Iterator[Taken]:
        taken = self.interpreter.taken
        taken.clear()
        for move in self.interpreter.moves(state, holder):
            yield move, own_edges(move) | taken
            taken.clear()

    def way_to(self, place: Place) -> Way:
        """The moves up to the first one that takes an edge."""
        found, number = list[Taken](), self.first[place][1]
        while True:
            before, taken = self.links[number]
            found.append(taken)
            if before is None:
                return found[::-1]
            number = before
