"""What stays constant once all processes have been started: parameters, `_pid`, tables that are never changed.

An expression such as `fork[(_pid + 1) % N]` names at each process one element, whatever happens.  Diagrams of who uses
what are drawn with what expressions always name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import places
from coset.model.evaluate import Fault, flat
from coset.model.state import offsets
from coset.symmetry.action import Points
from coset.symmetry.operators import leaves_of
from coset.symmetry.values import evaluate


class Constants:
    """The values that expressions always have, at each process, from the started state on."""

    def __init__(self, points: Points) -> None:
        self.points, self.model, self.state = points, points.interpreter.model, points.started.state
        self.start = offsets(self.model.variables)
        self.changing = frozenset(self.changed())

    def steps(self) -> Iterator[tuple[int, m.Edge]]:
        """The processes with every edge that they can come to."""
        for number, spots in enumerate(self.points.started.locations):
            kind = self.model.kinds[self.state.processes[number].kind]
            for spot in sorted(spots):
                for edge in kind.locations[spot].edges:
                    yield number, edge

    def changed(self) -> Iterator[m.Variable]:
        """The variables that may change from the started state on."""
        for _, edge in self.steps():
            for effect in edge.effects:
                yield from (place.variable for place in places(effect) if place.variable is not None)

    def value(self, x: e.Expr, process: int | None) -> int | None:
        """The value that an expression always has at a process (None: wherever it is asked for), if it is known."""
        match x:
            case e.Const(value):
                return value
            case e.Self():
                return process
            case e.Get(variable, indices):
                return self.held(variable, indices, process)
            case e.Binary() | e.Unary() | e.Conditional():
                leaves = {leaf: self.value(leaf, process) for leaf in leaves_of(x)}
                known = {leaf: value for leaf, value in leaves.items() if value is not None}
                if len(known) == len(leaves):
                    with suppress(Fault):
                        return evaluate(x, known)
        return None

    def element(self, variable: m.Variable, indices: tuple[e.Expr, ...], process: int | None) -> int | None:
        """The flat offset of the element that indices always name; None if it is not known, or there is no such element."""
        found = [self.value(index, process) for index in indices]
        known = [index for index in found if index is not None]
        shape = variable.shape
        if len(known) < len(shape) or not all(0 <= i < n for i, n in zip(known, shape)):
            return None
        return flat(known, shape)

    def held(self, variable: m.Variable, indices: tuple[e.Expr, ...], process: int | None) -> int | None:
        """What a variable that never changes holds."""
        if variable in self.changing:
            return None
        element = self.element(variable, indices, process)
        if element is None:
            return None
        if variable.owner is None:
            return self.state.values[self.start[variable] + element] if variable in self.start else None
        if process is None:
            return None
        owner = self.state.processes[process]
        start = offsets(self.model.kinds[owner.kind].variables)
        return owner.values[start[variable] + element] if variable in start else None
