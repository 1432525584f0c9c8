"""The symmetries of a model by definition: all permutations of its processes and channels, each tried on the whole
state graph.  For models that keep to the paper's types: ids are `pid`, channels `chan`, and arrays are indexed by ids.

A permutation is a symmetry if there is a renaming of locations with which it maps the reachable states, the steps between
them, their errors and the truth of the conditions of properties to themselves (Sections 2.2 and 3.3 of the FM 2005 paper).
The renaming is found on the way: two states that correspond say which locations do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import permutations, product

from coset.model import expression as e
from coset.model.domain import Refers
from coset.model.interpreter import Interpreter
from coset.model.model import NewChannel, Variable
from coset.model.state import Process, State, offsets
from coset.symmetry.certify import value
from coset.symmetry.startup import StartedStates, startup

Images = tuple[int, ...]
Pair = tuple[Images, Images]
"""The images of all processes, and of all channels (at their places, from 1 on)."""
Places = dict[tuple[int, int], int]
MOST_STATES = 1000


class TooLarge(Exception):
    """The state graph is not for this."""


class Naive:
    def __init__(self, interpreter: Interpreter, conditions: Sequence[e.Expr]) -> None:
        started = startup(interpreter)
        assert isinstance(started, StartedStates)
        self.interpreter, self.model, self.started = interpreter, interpreter.model, started
        self.truth = [interpreter.evaluation.expression(condition) for condition in conditions]
        self.steps: dict[State, Counter[tuple[State, tuple[str, ...]]]] = {}
        todo = list(started.states)
        while todo:
            state = todo.pop()
            if state not in self.steps:
                self.steps[state] = Counter(
                    (step.state, tuple(sorted(kind for move in step.moves for kind, _ in move.errors)))
                    for step in interpreter.steps(state)
                )
                todo += [following for following, _ in self.steps[state]]
            if len(self.steps) > MOST_STATES:
                raise TooLarge

    def group(self) -> set[Pair]:
        """Every permutation that is a symmetry."""
        return {pair for pair in self.candidates() if self.is_symmetry(pair)}

    def candidates(self) -> Iterator[Pair]:
        state = self.started.state
        processes = list(kept([process.kind for process in state.processes]))
        types = [self.interpreter.channel_types[channel.type] for channel in state.channels]
        channels = list(kept([(type_.capacity, type_.fields) for type_ in types]))
        for one, other in product(processes, channels):
            yield one, (0, *(number + 1 for number in other))

    def is_symmetry(self, pair: Pair) -> bool:
        (start,) = self.started.states
        places = self.correspond(pair, start, start, {})
        return places is not None and self.search(pair, {}, [(start, start)], places)

    # --- states ----------------------------------------------------------------------------------

    def image(self, pair: Pair, state: State) -> State:
        """The state with processes, channels and their names renamed, and locations left as they are."""
        processes: list[Process] = list(state.processes)
        for number, process in enumerate(state.processes):
            values = renamed(pair, self.model.kinds[process.kind].variables, process.values)
            processes[pair[0][number]] = process._replace(values=values)
        channels = list(state.channels)
        for number, channel in enumerate(state.channels, 1):
            domains = self.interpreter.channel_types[channel.type].fields
            messages = tuple(
                tuple(new_name(pair, domain.refers, v) for domain, v in zip(domains, message, strict=True))
                for message in channel.messages
            )
            target = pair[1][number] - 1
            channels[target] = state.channels[target]._replace(messages=messages)
        values = renamed(pair, self.model.variables, state.values)
        return state._replace(values=values, channels=tuple(channels), processes=tuple(processes))

    def correspond(self, pair: Pair, one: State, other: State, places: Places) -> Places | None:
        """Whether a state is the image of another if locations are renamed, and as has been done before; the renaming."""
        image = self.image(pair, one)
        if (image.values, image.channels) != (other.values, other.channels):
            return None
        places = dict(places)
        for mine, theirs in zip(image.processes, other.processes, strict=True):
            if (mine.kind, mine.values, mine.priority) != (theirs.kind, theirs.values, theirs.priority):
                return None
            if places.setdefault((mine.kind, mine.at), theirs.at) != theirs.at:
                return None
        back = {(kind, target) for (kind, _), target in places.items()}
        return places if len(back) == len(places) else None

    def alike(self, one: State, other: State) -> bool:
        """Whether the conditions of properties do not tell two states apart."""
        return self.interpreter.valid_end(one) == self.interpreter.valid_end(other) and all(
            value(self.interpreter, truth, one) == value(self.interpreter, truth, other) for truth in self.truth
        )

    def search(self, pair: Pair, done: dict[State, State], todo: list[tuple[State, State]], places: Places) -> bool:
        """Go through all states side by side; where a step has several counterparts, try each."""
        todo = list(todo)
        while todo:
            one, other = todo.pop()
            if one in done:
                if done[one] != other:
                    return False
                continue
            if not self.alike(one, other) or self.steps[one].total() != self.steps[other].total():
                return False
            done[one] = other
            for (following, errors), count in self.steps[one].items():
                options = []
                for (counterpart, others), times in self.steps[other].items():
                    found = self.correspond(pair, following, counterpart, places)
                    if (others, times) == (errors, count) and found is not None:
                        options.append((counterpart, found))
                if len(options) > 1:  # they differ in locations that have not been met before
                    del done[one]
                    return any(self.search(pair, dict(done), [*todo, (one, other)], found) for _, found in options)
                if not options:
                    return False
                places = options[0][1]
                todo.append((following, options[0][0]))
        return True


def kept(colours: Sequence[Hashable]) -> Iterator[Images]:
    """All permutations that keep colours.

    >>> list(kept([7, 8, 7]))
    [(0, 1, 2), (2, 1, 0)]
    """
    classes = [[k for k, colour in enumerate(colours) if colour == wanted] for wanted in dict.fromkeys(colours)]
    for images in product(*(permutations(members) for members in classes)):
        result = list(range(len(colours)))
        for members, image in zip(classes, images, strict=True):
            for k, target in zip(members, image, strict=True):
                result[k] = target
        yield tuple(result)


def new_name(pair: Pair, refers: Refers, v: int) -> int:
    images = {Refers.PROCESS: pair[0], Refers.CHANNEL: pair[1]}.get(refers, ())
    return images[v] if v < len(images) else v


def renamed(pair: Pair, variables: tuple[Variable, ...], values: tuple[int, ...]) -> tuple[int, ...]:
    result = list(values)
    for variable, start in offsets(variables).items():
        if variable.owner is None and isinstance(variable.initial, NewChannel):
            continue  # but the name of a static channel
        for k in range(variable.size):
            target = new_name(pair, Refers.PROCESS, k) if variable.shape else 0
            result[start + target] = new_name(pair, variable.domain.refers, values[start + k])
    return tuple(result)
