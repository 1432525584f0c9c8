"""Initial values that no run ever reads.

`byte turn` of Peterson's algorithm starts as 0, the number of a process, and yet no process reads it before it has written it
itself.  Such a value does not distinguish processes: two started states that differ only in it have the same future.

*Dead.*  A variable is dead in the started states if every process, on every path from where it stands, writes it before it
reads it, and no property, monitor, `provided` clause or remote reference reads it.  Whoever reads the variable has then
written it before, after the start; so what is read is never the value of the start, whatever other processes do in between.
Elements of arrays are compared by their indices: `last[k]` is written as long as no variable in `k` has changed since.  This
is a forward must analysis of each automaton (Nielson, Nielson and Hankin, Principles of Program Analysis, 1999, section 2.1).

*Sound.*  Without the dead values, the program graph has more automorphisms.  Each is still an automorphism of the relation
between states, for the text is preserved; it only maps a started state s to a state g(s) with other dead values.  So s and
g(s) are bisimilar, and the quotient has the verdicts of the model (`docs/soundness.md`).

*Sums.*  The orbits that a search visits are those of all g(r), with r reachable.  These are reachable themselves if every
g(s) is: then the group maps the reachable states to themselves, and the sum of orbit sizes is exact.  `is_closed` looks for a
run to each g(s), for generators g: the h with h(s) reachable for all s form a group, since what can be reached from h(s) is h
of what can be reached from s.  Where it finds none, the sum may be too large, and none is claimed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts, gather
from coset.model.analysis.occurrences import edge_expressions, parts, places, read_by, visible_variables
from coset.model.analysis.ranges import Ranges
from coset.model.domain import Refers
from coset.model.interpreter import Interpreter, is_fault
from coset.model.state import State, offsets
from coset.symmetry.action import Action, Point, Points
from coset.symmetry.startup import StartedStates


class Starts(Enum):
    """What symmetries do to the started states."""

    KEPT = "they map them to each other"
    REACHED = "they may change values, if what they make of a started state can be reached"
    FREE = "they may change values, and sizes of orbits need not add up"


Written = int
"""Places that a process has certainly written since the start: a set of their numbers, as bits."""

SOLO_STATES, JOINT_STATES = 100, 600
"""How many states are visited by the moves of one process alone, and of all, to find a run to the image of a started state."""


# --- dead values -----------------------------------------------------------------------------------


def dead_variables(interpreter: Interpreter, started: StartedStates) -> frozenset[m.Variable]:
    """The variables whose values in the started states are never read."""
    model = interpreter.model
    facts = gather(model, visible_variables(model))
    candidates = {v for v in facts.assigned if is_candidate(v) and v not in facts.watched}
    candidates -= {v for kind in model.kinds for v in read_by(kind.provided)}
    for kind, spots in standing(model, started):
        if candidates:
            candidates -= read_first(kind, spots, facts)
    return frozenset(candidates)


def is_candidate(variable: m.Variable) -> bool:
    """Channels have contents, and what is hidden is in no state: these are left alone."""
    is_channel = variable.domain.refers is Refers.CHANNEL or isinstance(variable.initial, m.NewChannel)
    return not is_channel and not variable.hidden


def standing(model: m.Model, started: StartedStates) -> Iterator[tuple[m.Kind, frozenset[int]]]:
    """The kinds of processes, and where they stand in the started states."""
    for number, kind in enumerate(model.kinds):
        spots = {p.at for state in started.states for p in state.processes if p.kind == number}
        if spots:
            yield kind, frozenset(spots)


def read_first(kind: m.Kind, spots: Collection[int], facts: Facts) -> set[m.Variable]:
    """The variables that a process may read, from one of these locations on, without having written them."""
    numbering = Numbering(kind, facts)
    written: dict[int, Written] = dict.fromkeys(spots, 0)
    steps: dict[int, list[tuple[int, list[Step]]]] = {}
    pending = list(spots)
    while pending:
        source = pending.pop()
        if source not in steps:
            steps[source] = [(edge.target, numbering.steps(edge)) for edge in kind.locations[source].edges]
        for target, along in steps[source]:
            after = written[source]
            for step in along:
                after = after & ~step.forgotten | step.written
            before = written.get(target)
            if target != m.GONE and (before is None or before & ~after):
                written[target] = after if before is None else before & after
                pending.append(target)
    found: set[m.Variable] = set()
    for source, known in written.items():
        for _, along in steps.get(source, ()):
            now = known
            for step in along:
                found |= {variable for place, variable in step.read if not now >> place & 1}
                now = now & ~step.forgotten | step.written
    return found


class Step(NamedTuple):
    """A guard or an effect: the places that it reads, with their variables, and the sets of those that it writes, and of those
    that are no longer known to be written, because a variable of an index has changed."""

    read: list[tuple[int, m.Variable]]
    forgotten: Written = 0
    written: Written = 0


class Numbering:
    """Numbers of the places that the edges of a kind mention.

    >>> from coset.model.analysis.facts import gather
    >>> from coset.tasks.load import parse_text
    >>> model = parse_text("byte a[3]; active proctype P() { byte i; a[i] = a[1]; i = 2 }")
    >>> numbering = Numbering(model.kinds[0], gather(model))
    >>> [str(place) for place in numbering.numbers]
    ['a[1]', 'i', 'a[i]']
    >>> [step[1:] for _, edge in model.kinds[0].edges() for step in numbering.steps(edge) if step.written]
    [(0, 4), (4, 2)]
    """

    def __init__(self, kind: m.Kind, facts: Facts) -> None:
        self.facts = facts
        self.numbers: dict[e.Place, int] = {}
        for _, edge in kind.edges():
            for x in edge_expressions(edge):
                for place in gets(x):
                    self.numbers.setdefault(place, len(self.numbers))
            for effect in edge.effects:
                for place in places(effect):
                    self.numbers.setdefault(place, len(self.numbers))
        self.mentioning: dict[m.Variable, Written] = {}
        """For each variable the places with it in an index."""
        for place, number in self.numbers.items():
            for variable in {v for index in place.indices for v in read_by(index)}:
                self.mentioning[variable] = self.mentioning.get(variable, 0) | 1 << number

    def steps(self, edge: m.Edge) -> list[Step]:
        """The guard of an edge and its effects, one after the other."""
        found = [Step(self.reads(edge.guard))]
        for effect in edge.effects:
            forgotten = written = 0
            for place in places(effect):
                forgotten |= self.mentioning.get(place.variable, 0) if place.variable is not None else 0
                if isinstance(effect, m.Assign | m.Receive) and is_stable(place, effect, self.facts):
                    written |= 1 << self.numbers[place]
            found.append(Step([read for x in parts(effect) for read in self.reads(x)], forgotten, written))
        return found

    def reads(self, x: e.Expr) -> list[tuple[int, m.Variable]]:
        return [(self.numbers[place], place.variable) for place in gets(x) if place.variable is not None]


def gets(x: e.Expr) -> Iterator[e.Place]:
    """What an expression reads of its own process and of the global variables."""
    return (e.Place(part.variable, part.indices) for part in x.walk() if isinstance(part, e.Get))


def is_stable(place: e.Place, effect: m.Effect, facts: Facts) -> bool:
    """Whether a place stays the same element while its process does not change an index: others cannot, and the effect does
    not itself."""
    changed = [other.variable for other in places(effect)]
    return all(facts.local(index) and not any(v in changed for v in read_by(index)) for index in place.indices)


# --- what a larger group needs ---------------------------------------------------------------------


def distinguish(points: Points, free: frozenset[m.Variable]) -> bool:
    """Whether what some variables hold in the started states may distinguish anything: values that can be permuted, or
    different ones.  Otherwise the group is no larger without them."""
    model, held = points.interpreter.model, set[int]()
    for state in points.started.states:
        rows = [(model.variables, state.values)]
        rows += [(model.kinds[process.kind].variables, process.values) for process in state.processes]
        for variables, values in rows:
            for variable, start in offsets(variables).items():
                if variable in free:
                    here = set(values[start : start + variable.size])
                    sort = points.sorts.of_variable[variable].leader
                    if sort.mobile and not here.isdisjoint(sort.values):
                        return True
                    held |= here
    return len(held) > 1


def keeps_ranges(actions: Sequence[Action], ranges: Ranges) -> bool:
    """Whether the bounds of variables, found from their initial values on, hold for the images of states as well."""
    points = actions[0].points
    model = points.interpreter.model
    rows = [("global", 0, model.variables)]
    rows += [("local", number, kind.variables) for number, kind in enumerate(model.kinds)]
    for action in actions:
        for what, number, variables in rows:
            images = action.tables.get((what, number), {})
            targets = model.kinds[action.kind[number]].variables if what == "local" else model.variables
            for item, variable in enumerate(variables):
                if Point(what, number, item) not in points.known:
                    continue
                low, high = bounds = ranges.of_variable(variable)
                if ranges.of_variable(targets[images.get(item, item)]) != bounds:
                    return False
                table = action.value(points.sorts.of_variable[variable])
                if any(low <= value <= high and not low <= image <= high for value, image in table.items()):
                    return False
    return True


def is_closed(points: Points, actions: Sequence[Action]) -> bool:
    """Whether runs were found that lead from the started states to their images under generators."""
    interpreter = points.interpreter
    first = first_states(interpreter, points.started)
    wanted = {action(state) for action in actions for state in first} - set(first)
    for state in first:
        for process in range(len(state.processes)):
            if wanted:
                wanted -= visited(interpreter, [state], [process], SOLO_STATES)
    return not wanted or not wanted - visited(interpreter, first, None, JOINT_STATES)


def first_states(interpreter: Interpreter, started: StartedStates) -> list[State]:
    """The observable states, all processes started, that the process which starts the others leads to by itself.  All others
    can be reached from these (`startup`).  A started state may be one in which that process still holds control."""
    queue, found = [interpreter.initial()], dict[State, None]()
    seen = set(queue)
    for state in queue:
        if started.starter is None or started.includes(state):
            found.setdefault(state)
            continue
        for step in interpreter.steps(state, [started.starter]):
            if step.state not in seen and not is_fault(step.moves[-1]):
                seen.add(step.state)
                queue.append(step.state)
    return list(found)


def visited(interpreter: Interpreter, states: Sequence[State], movers: Sequence[int] | None, most: int) -> set[State]:
    """The first states that are reached by steps of some processes, or of all."""
    queue = list(dict.fromkeys(states))
    seen = set(queue)
    for state in queue:
        there = None if movers is None else [pid for pid in movers if pid < len(state.processes)]
        for step in interpreter.steps(state, there):
            if len(queue) >= most:
                return seen
            if step.state not in seen and not is_fault(step.moves[-1]):
                seen.add(step.state)
                queue.append(step.state)
    return seen
