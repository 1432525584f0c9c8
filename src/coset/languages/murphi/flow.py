"""The statements of a rule as the effects of an edge, and as locations that are left at once where a branch or loop is.

Branches that only assign become conditional values, `if c then x := 1 end` is `x = (c -> 1 : x)`: a rule without larger branches
is one edge, in which symmetry is seen, and its C has no jumps.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.languages.murphi import folding
from coset.languages.murphi.statements import Branch, Check, Claim, Set, Statement, While
from coset.model import expression as e
from coset.model import model as m

MOST_PARTS = 4000
"""The most parts of the expressions of a branch that is written as conditional values."""


class Jumps(Exception):
    """A branch cannot be written as conditional values."""


class Flow:
    """The locations of the process that executes the rules."""

    def __init__(self) -> None:
        self.locations: list[m.Location] = []

    def new(self, *edges: m.Edge, transient: bool = True) -> int:
        self.locations.append(m.Location(edges, transient=transient))
        return len(self.locations) - 1

    def way(self, statements: Sequence[Statement], target: int) -> tuple[tuple[m.Effect, ...], int]:
        """What is done up to the first branch that jumps, and the location where it is decided; `target` if there is none."""
        effects: list[m.Effect] = []
        for number, each in enumerate(statements):
            match each:
                case Set(place, value):
                    effects.append(m.Assign(place, value))
                case Check(value):
                    effects.append(m.Assign(e.Place(None), value))
                case Claim(condition, message):
                    effects.append(m.Assert(condition, message))
                case Branch():
                    try:
                        effects += predicated(each)
                    except Jumps:
                        return tuple(effects), self.branch(each, self.joint(statements[number + 1 :], target))
                case While(condition, body):
                    head = self.new()
                    rest = self.joint(statements[number + 1 :], target)
                    inside = self.way(body, head)
                    edges = (m.Edge(inside[1], condition, inside[0]), m.Edge(rest))
                    self.locations[head] = m.Location(edges, transient=True)
                    return tuple(effects), head
        return tuple(effects), target

    def joint(self, statements: Sequence[Statement], target: int) -> int:
        """The location where what follows a branch begins."""
        effects, after = self.way(statements, target)
        return self.new(m.Edge(after, e.TRUE, effects)) if effects else after

    def branch(self, branch: Branch, joint: int) -> int:
        yes, no = self.way(branch.yes, joint), self.way(branch.no, joint)
        return self.new(m.Edge(yes[1], branch.condition, yes[0]), m.Edge(no[1], e.TRUE, no[0]))


def predicated(branch: Branch) -> list[m.Effect]:
    """A branch as effects with conditional values.  Raises `Jumps`.

    >>> from coset.languages.murphi.statements import branch
    >>> from coset.model.domain import BYTE
    >>> x = m.Variable("x", BYTE)
    >>> [str(each) for each in predicated(branch(e.Self(), (Set(e.Place(x), e.Const(1)),), ()))]
    ['x = (_pid -> 1 : x)']
    """
    effects: list[m.Effect] = []
    add(branch, None, effects)
    parts = sum(
        folding.size(each.value, MOST_PARTS) if isinstance(each, m.Assign) else MOST_PARTS for each in effects
    )
    if parts > MOST_PARTS:
        raise Jumps
    return effects


def add(branch: Branch, outer: e.Expr | None, effects: list[m.Effect]) -> None:
    """Append the effects of a branch that is reached if `outer` holds."""
    condition = branch.condition
    if any(isinstance(part, e.Get) and part.variable in branch.changes for part in condition.walk()):
        raise Jumps
    yes = condition if outer is None else folding.binary("&&", outer, condition)
    no = folding.negated(condition) if outer is None else folding.binary("&&", outer, folding.negated(condition))
    match branch.yes, branch.no:
        case (Set(one, first),), (Set(other, second),) if one == other and is_fixed(one):
            value = folding.choice(condition, first, second)
            effects.append(m.Assign(one, value if outer is None else folding.choice(outer, value, held(one))))
            return
    for holds, arm in ((yes, branch.yes), (no, branch.no)):
        for each in arm:
            match each:
                case Set(place, value):
                    if not is_fixed(place):
                        raise Jumps
                    effects.append(m.Assign(place, folding.choice(holds, value, held(place))))
                case Check(value):
                    effects.append(m.Assign(e.Place(None), folding.choice(holds, value, folding.TRUE)))
                case Branch():
                    add(each, holds, effects)
                case _:
                    raise Jumps
            if len(effects) > MOST_PARTS:
                raise Jumps


def is_fixed(place: e.Place) -> bool:
    return all(isinstance(index, e.Const) for index in place.indices)


def held(place: e.Place) -> e.Expr:
    assert place.variable is not None
    return e.Get(place.variable, place.indices)
