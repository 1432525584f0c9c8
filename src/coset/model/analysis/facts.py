"""Facts about a model for passes: which variables, locations and steps are observed from outside of their process.

A *private* variable is local and not read by other processes (`Remote`) or properties.  A *region* is a set of
locations of a kind that an expression refers to (`P@label`), or a property may refer to (those marked as accept, those marked
as progress): a step is invisible only if it neither enters nor leaves a region.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis import Accesses
from coset.model.analysis.occurrences import Spot, assigned, process_expressions, property_expressions
from coset.model.analysis.ranges import Ranges, find_ranges
from coset.source.records import dataclass


@dataclass(frozen=True)
class Facts:
    """The facts about one model."""

    model: m.Model
    watched: frozenset[m.Variable]
    """Variables that are read from outside of their process, or that the caller declares visible."""
    assigned: frozenset[m.Variable]
    """Variables that change after their initialisation."""
    regions: dict[str, tuple[frozenset[int], ...]]
    positions_matter: bool
    """Whether numbers of locations are read (`pc_value`)."""
    steps_matter: bool
    """Whether single steps are observable: by `_last`, `enabled` or `pc_value`."""
    prioritised: bool
    """Whether a process may have to wait for others although it could move."""
    may_hand_over: bool
    """Whether some channel has capacity 0, so that a send may be a handshake."""
    ranges: Ranges

    @cached_property
    def accesses(self) -> Accesses:
        """What each step touches, and what conflicts with it."""
        return Accesses(self.model, self)

    def region(self, kind: str, location: int) -> tuple[bool, ...]:
        """Which of the regions of the kind the location is in."""
        return tuple(location in region for region in self.regions.get(kind, ()))

    def private(self, variable: m.Variable) -> bool:
        """Whether only the process that owns the variable can read it."""
        return variable.owner is not None and variable not in self.watched

    def local(self, x: e.Expr) -> bool:
        """Whether no other process can change the value of the expression: it reads only own variables and constants.

        >>> from coset.model.domain import BYTE
        >>> facts = gather(m.Model("", (), (), ()))
        >>> facts.local(e.Binary("<", e.Get(m.Variable("x", BYTE, owner="P")), e.Self())), facts.local(e.ProcessCount())
        (True, False)
        """
        return all(self.local_part(part) for part in x.walk())

    def local_part(self, x: e.Expr) -> bool:
        match x:
            case e.Get(variable):
                return variable.owner is not None or variable not in self.assigned
            case e.Const() | e.Self() | e.Unary() | e.Binary() | e.Conditional():
                return True
        return False


def gather(
    model: m.Model, visible: Collection[m.Variable] = (), keep: Collection[Spot] = (), marks: bool = True
) -> Facts:
    """The facts about a model.  `visible` and `keep` are variables and locations that the caller observes in addition;
    `marks` tells whether accept and progress marks matter."""
    everything = [part for x in process_expressions(model) for part in x.walk()]
    everything += [part for x in property_expressions(model) for part in x.walk()]
    remote = {part.variable for part in everything if isinstance(part, e.Remote)}
    asked = {(part.kind, part.locations) for part in everything if isinstance(part, e.AtLocation)}
    asked |= {(kind, frozenset({location})) for kind, location in keep}
    for kind in model.kinds:
        if marks or any(isinstance(part, e.Accepting) for part in everything):
            asked.add((kind.name, frozenset(n for n, place in enumerate(kind.locations) if place.accept)))
        if marks or any(isinstance(part, e.NonProgress) for part in everything):
            asked.add((kind.name, frozenset(n for n, place in enumerate(kind.locations) if place.progress)))
    regions: dict[str, tuple[frozenset[int], ...]] = {}
    for name, region in sorted(asked, key=lambda pair: (pair[0], sorted(pair[1]))):
        regions[name] = (*regions.get(name, ()), region)
    positions = any(isinstance(part, e.Position) for part in everything)
    observers = (e.Position, e.Enabled, e.LastMover)
    steps = model.remembers_mover or any(isinstance(part, observers) for part in everything)
    rows = (model.variables, *(kind.variables for kind in model.kinds))
    handshakes = any(isinstance(v.initial, m.NewChannel) and v.initial.type.capacity == 0 for row in rows for v in row)
    return Facts(
        model, frozenset(remote) | frozenset(visible), assigned(model), regions, positions, steps, model.prioritised,
        handshakes, find_ranges(model),
    )  # fmt: skip
