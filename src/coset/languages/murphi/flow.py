"""The statements of a rule as the effects of an edge, and as locations that are left at once where a branch or loop is.

Branches that only assign become conditional values, `if c then x := 1 end` is `x = (c -> 1 : x)`: a rule without larger branches
is one edge, in which symmetry is seen, and its C has no jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coset.languages.murphi import folding
from coset.languages.murphi.statements import Branch, Check, Claim, Set, Statement, While
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import parts, places

MOST_PARTS = 4000
"""The most parts of the expressions of a branch that is written as conditional values."""


class Jumps(Exception):
    """A branch cannot be written as conditional values."""


class Flow:
    """The locations of the process that executes the rules."""

    def __init__(self) -> None:
        self.locations: list[m.Location] = []
        self.known: dict[tuple[m.Edge, ...], int] = {}

    def new(self, *edges: m.Edge, transient: bool = True) -> int:
        """A location with these edges; one that is left at once is shared by all that do the same from there on."""
        if transient and edges:
            if edges not in self.known:
                self.locations.append(m.Location(edges, transient=True))
                self.known[edges] = len(self.locations) - 1
            return self.known[edges]
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
                        return tuple(fused(effects)), self.branch(each, self.joint(statements[number + 1 :], target))
                case While(condition, body):
                    head = self.new()
                    rest = self.joint(statements[number + 1 :], target)
                    inside = self.way(body, head)
                    edges = (m.Edge(inside[1], condition, inside[0]), m.Edge(rest))
                    self.locations[head] = m.Location(edges, transient=True)
                    return tuple(fused(effects)), head
        return tuple(fused(effects)), target

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
    asked: set[e.Expr] = set()
    add(branch, None, effects, asked)
    if sum(folding.size(each.value, MOST_PARTS) for each in effects if isinstance(each, m.Assign)) > MOST_PARTS:
        raise Jumps
    return in_order(effects, asked)


def in_order(effects: list[m.Effect], asked: set[e.Expr]) -> list[m.Effect]:
    """The effects with the one last that changes what conditions ask about.  Raises `Jumps` if there are several."""
    read = [part for x in asked for part in x.walk() if isinstance(part, e.Get)]
    late = [each for each in effects if any(is_read(each, part) for part in read)]
    if not late:
        return effects
    if len(late) > 1:
        raise Jumps
    place = effects.index(late[0])
    if any(conflicts(late[0], each) for each in effects[place + 1 :]):
        raise Jumps
    return [*effects[:place], *effects[place + 1 :], late[0]]


def is_read(effect: m.Effect, part: e.Get) -> bool:
    """Whether an effect may change a part of a condition."""
    if not isinstance(effect, m.Assign) or effect.place.variable is not part.variable:
        return False
    pairs = zip(effect.place.indices, part.indices, strict=True)
    return not any(isinstance(i, e.Const) and isinstance(j, e.Const) and i.value != j.value for i, j in pairs)


def conflicts(one: m.Effect, other: m.Effect) -> bool:
    """Whether one of two effects may write what the other reads or writes."""
    return touches(one, other) or touches(other, one)


def touches(writer: m.Effect, other: m.Effect) -> bool:
    """Whether an effect writes what another one reads or writes."""
    read = [part for x in parts(other) for part in x.walk() if isinstance(part, e.Get)]
    read += [held(place) for place in places(other) if place.variable is not None]
    return any(is_read(writer, part) for part in read)


def add(branch: Branch, outer: e.Expr | None, effects: list[m.Effect], asked: set[e.Expr]) -> None:
    """Append the effects of a branch that is reached if `outer` holds; `asked` are the conditions."""
    condition = branch.condition
    asked.add(condition)
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
                    effects.append(m.Assign(place, folding.stepped(holds, value, held(place))))
                case Check(value):
                    effects.append(m.Assign(e.Place(None), folding.choice(holds, value, folding.TRUE)))
                case Branch():
                    add(each, holds, effects, asked)
                case _:
                    raise Jumps
            if len(effects) > MOST_PARTS:
                raise Jumps


def fused(effects: Sequence[m.Effect]) -> list[m.Effect]:
    """The effects with `n = n + a; n = n + b` as one assignment, in which the order of the amounts does not show.

    >>> from coset.model.domain import BYTE
    >>> n = m.Variable("n", BYTE)
    >>> one = m.Assign(e.Place(n), e.Binary("+", e.Get(n), e.Self()))
    >>> [str(each) for each in fused([one, one])]
    ['n = n + _pid + _pid']
    """
    found: list[m.Effect] = []
    for each in effects:
        match each:
            case m.Assign(place, value) if place.variable is not None and amount(value, place) is not None:
                before = next((k for k in reversed(range(len(found))) if writes(found[k], place)), None)
                if before is not None:
                    earlier = found[before]
                    assert isinstance(earlier, m.Assign)
                    joined = added(earlier.value, value, place) if earlier.place == place else None
                    if joined is not None and not any(conflicts(earlier, other) for other in found[before + 1 :]):
                        del found[before]
                        each = m.Assign(place, joined)
        found.append(each)
    return [
        replace(each, value=folding.as_number(each.value)) if isinstance(each, m.Assign) else each for each in found
    ]


def writes(effect: m.Effect, place: e.Place) -> bool:
    return isinstance(effect, m.Assign) and effect.place.variable is place.variable


def amount(value: e.Expr, place: e.Place) -> tuple[str, e.Expr] | None:
    """By what an assignment changes a place: `+ amount` or `- amount`, which has one sign."""
    inner = value.operand if isinstance(value, e.Checked) else value
    match inner:
        case e.Binary("+" | "-" as operator, left, right) if is_fixed(place):
            first = left
            while isinstance(first, e.Binary) and first.operator == operator:
                first = first.left
            if first == held(place) and folding.BOUNDS.interval(right)[0] >= 0:
                return operator, right
    return None


def added(first: e.Expr, second: e.Expr, place: e.Place) -> e.Expr | None:
    """The value after two changes of the same direction: if it is in its range, so was the one between."""
    one, other = amount(first, place), amount(second, place)
    if one is None or other is None or one[0] != other[0]:
        return None
    is_checked = isinstance(first, e.Checked), isinstance(second, e.Checked)
    if is_checked[0] != is_checked[1]:
        return None
    inner = first.operand if isinstance(first, e.Checked) else first
    total = e.Binary(one[0], inner, other[1])
    return replace(second, operand=total) if isinstance(second, e.Checked) else total


def is_fixed(place: e.Place) -> bool:
    return all(isinstance(index, e.Const) for index in place.indices)


def held(place: e.Place) -> e.Get:
    assert place.variable is not None
    return e.Get(place.variable, place.indices)
