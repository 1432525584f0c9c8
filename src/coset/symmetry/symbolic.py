"""Straight-line effects as one simultaneous assignment: the values of places after them, as expressions over the state before.

`sum = sum + a[0]; sum = sum + a[1]` becomes `sum = sum + a[0] + a[1]`, in which no order is left.  Two branches are joined to
conditional values, and a conditional change of an accumulator to an unconditional one of a conditional operand:

    if :: a[i] -> n = n + 1 :: else fi          n + (a[i] -> 1 : 0)
    if :: !a[i] -> ok = false :: else fi        ((!a[0] || !a[1]) -> 0 : ok)

A variable holds its value modulo the size of its domain.  Where a value may be too large, it is only read again to compute,
by operations that respect congruence, a value that is stored modulo the same power of two (or a smaller one).  Whatever may
fault, or may mean one element or another, is refused (`Unknown`): then nothing is known, and no symmetry is claimed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import NamedTuple

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.ranges import Ranges
from coset.model.domain import Domain
from coset.model.evaluate import Fault
from coset.source.records import dataclass
from coset.symmetry.order import conflicts
from coset.symmetry.values import evaluate

MODULAR = ("+", "-", "*", "&", "|", "^")
"""Operators whose result modulo a power of two depends on their operands modulo that power only."""
NEUTRAL = {"+": 0, "|": 0, "^": 0, "*": 1, "&": -1}
LARGEST = 1000
"""The most parts of an expression; beyond this it is given up.  A conditional count takes eight parts for each id, and detection
no longer than with fewer parts: expressions that double in each round are given up two rounds later."""


Room = Mapping[e.Expr, int]
"""Channels, and a number of messages."""


class Unknown(Exception):
    """The effects of some statements are not known as expressions."""


class Value(NamedTuple):
    """The value of a place.  What it holds is congruent to `x`, and equal to it if that is `exact`."""

    x: e.Expr
    exact: bool = True


@dataclass
class Values:
    """The places that have been written, and the assertions on the way, in terms of the state before."""

    ranges: Ranges
    held: dict[e.Place, Value] = field(default_factory=dict)
    claims: list[e.Expr] = field(default_factory=list)
    room: Room = field(default_factory=dict)
    """For some channels, how many more messages they certainly have room for."""
    sent: list[m.Deliver] = field(default_factory=list)

    def copy(self) -> Values:
        return Values(self.ranges, dict(self.held), list(self.claims), self.room, list(self.sent))

    # --- reading ---------------------------------------------------------------------------------

    def read(self, x: e.Expr, modulus: int = 0) -> e.Expr:
        """An expression over the state before.  With a `modulus` only its value modulo that matters."""
        found = self.substituted(x, modulus)
        if self.ranges.may_fault(found) or sum(1 for _ in found.walk()) > LARGEST:
            raise Unknown
        return found

    def substituted(self, x: e.Expr, modulus: int = 0) -> e.Expr:
        match x:
            case e.Const(value):
                return e.Const(value)  # whatever the text calls it
            case e.Self():
                return x
            case e.Get(variable, indices):
                return self.got(self.place(variable, indices), modulus)
            case e.Unary(operator, operand):
                return folded(e.Unary(operator, self.substituted(operand, modulus if operator in "-~" else 0)))
            case e.Binary(operator, left, right):
                inner = modulus if operator in MODULAR else 0
                return folded(e.Binary(operator, self.substituted(left, inner), self.substituted(right, inner)))
            case e.Conditional(condition, yes, no):
                return choice(
                    self.substituted(condition), self.substituted(yes, modulus), self.substituted(no, modulus)
                )
        raise Unknown

    def place(self, variable: m.Variable, indices: tuple[e.Expr, ...]) -> e.Place:
        return e.Place(variable, tuple(self.substituted(index) for index in indices))

    def got(self, place: e.Place, modulus: int) -> e.Expr:
        assert place.variable is not None
        found = self.held.get(place)
        if found is None:
            self.refuse_ambiguous(place)
            return e.Get(place.variable, place.indices)
        if not found.exact and not 0 < modulus <= size(place.variable.domain):
            raise Unknown
        return found.x

    def refuse_ambiguous(self, place: e.Place) -> None:
        """An element may be one that has been written under another name."""
        for other in self.held:
            if other.variable is place.variable and other != place and not distinct(other, place):
                raise Unknown

    # --- writing ---------------------------------------------------------------------------------

    def perform(self, effect: m.Effect) -> None:
        match effect:
            case m.Print():
                return
            case m.Assert(condition):
                self.claims.append(self.read(condition))
                return
            case m.Assign(e.Place(variable, indices), value) if variable is not None:
                place = self.place(variable, indices)
                if self.ranges.place_may_fault(place):
                    raise Unknown
                self.refuse_ambiguous(place)
                self.store(place, self.read(value, size(variable.domain)))
                return
            case m.Send(e.Get(variable, indices), values, sorted=False):
                channel = e.Get(variable, tuple(map(self.substituted, indices)))
                if sum(1 for each in self.sent if each.channel == channel) >= self.room.get(channel, 0):
                    raise Unknown
                self.sent.append(m.Deliver(e.TRUE, channel, tuple(map(self.read, values))))
                return
        raise Unknown

    def store(self, place: e.Place, x: e.Expr) -> None:
        assert place.variable is not None
        domain = place.variable.domain
        if isinstance(x, e.Const):
            x = e.Const(domain.fit(x.value))
        low, high = self.ranges.interval(x)
        exact = domain.low <= low and high <= domain.high
        if not exact and not size(domain):
            raise Unknown
        self.held[place] = Value(x, exact)

    # --- branches --------------------------------------------------------------------------------

    def joined(self, condition: e.Expr, other: Values, before: Values) -> Values:
        """These values where a condition on the state before holds, else the other ones; `before` the branches."""
        result = before.copy()
        for place in dict.fromkeys([*self.held, *other.held]):
            one, two = self.after(place), other.after(place)
            x = either(condition, one.x, two.x, before.after(place).x)
            if sum(1 for _ in x.walk()) > LARGEST:
                raise Unknown
            result.held[place] = Value(x, one.exact and two.exact)
        for branch, holds in ((self, condition), (other, negation(condition))):
            for sent in branch.sent[len(before.sent) :]:
                both = holds if sent.condition == e.TRUE else folded(e.Binary("&&", holds, sent.condition))
                result.sent.append(replace(sent, condition=both))
        known = len(before.claims)
        result.claims += [folded(e.Binary("||", negation(condition), x)) for x in self.claims[known:]]
        result.claims += [folded(e.Binary("||", condition, x)) for x in other.claims[known:]]
        return result

    def after(self, place: e.Place) -> Value:
        assert place.variable is not None
        found = self.held.get(place)
        if found is None:
            self.refuse_ambiguous(place)
            return Value(e.Get(place.variable, place.indices))
        return found

    # --- the result ------------------------------------------------------------------------------

    def effects(self, known: Mapping[e.Place, Value]) -> tuple[m.Effect, ...]:
        """Effects that change what is `known` to what is held now, in an order in which each reads the state before;
        `Unknown` if there is none."""
        waiting: list[m.Effect] = [
            m.Assign(place, value.x)
            for place, value in self.held.items()
            if place.variable is not None and value != known.get(place, Value(e.Get(place.variable, place.indices)))
        ]
        ordered: list[m.Effect] = [m.Assert(x) for x in self.claims if x != e.TRUE]
        ordered += self.sent
        while waiting:
            free = next((x for x in waiting if not any(spoils(x, y) for y in waiting if y is not x)), None)
            if free is None:
                raise Unknown
            waiting.remove(free)
            ordered.append(free)
        return tuple(ordered)


def spoils(first: m.Effect, later: m.Effect) -> bool:
    """Whether an assignment must not come before another, which reads what it writes."""
    assert isinstance(first, m.Assign) and isinstance(later, m.Assign)
    reading = m.Assert(reads_of(later))
    return conflicts(first, reading)


def reads_of(effect: m.Assign) -> e.Expr:
    """One expression with all that an assignment reads."""
    result = effect.value
    for index in effect.place.indices:
        result = e.Binary("+", result, index)
    return result


def size(domain: Domain) -> int:
    """The size of a domain that holds values modulo a power of two; otherwise 0."""
    count = domain.high - domain.low + 1
    return count if count & (count - 1) == 0 else 0


def distinct(one: e.Place, other: e.Place) -> bool:
    """Whether two places are different elements for sure.

    >>> from coset.model.domain import BYTE
    >>> a = m.Variable("a", BYTE, (2,))
    >>> first, second, own = (e.Place(a, (x,)) for x in (e.Const(0), e.Const(1), e.Self()))
    >>> distinct(first, second), distinct(first, own)
    (True, False)
    """
    return any(
        isinstance(i, e.Const) and isinstance(j, e.Const) and i.value != j.value
        for i, j in zip(one.indices, other.indices, strict=True)
    )


# --- simplification --------------------------------------------------------------------------------


def folded(x: e.Expr) -> e.Expr:
    """An operation on constants as its result.

    >>> str(folded(e.Binary("+", e.Const(1), e.Const(2))))
    '3'
    """
    if all(isinstance(part, e.Const) for part in x.children()):
        try:
            return e.Const(evaluate(x, {}))
        except Fault:
            raise Unknown from None
    match x:  # the other operand is not evaluated
        case e.Binary("&&", e.Const(0), _):
            return e.FALSE
        case e.Binary("||", e.Const(value), _) if value:
            return e.TRUE
    return x


def negation(x: e.Expr) -> e.Expr:
    return x.operand if isinstance(x, e.Unary) and x.operator == "!" else folded(e.Unary("!", x))


def choice(condition: e.Expr, yes: e.Expr, no: e.Expr) -> e.Expr:
    if isinstance(condition, e.Const):
        return yes if condition.value else no
    return yes if yes == no else extreme_of(condition, yes, no) or e.Conditional(condition, yes, no)


def either(condition: e.Expr, yes: e.Expr, no: e.Expr, before: e.Expr) -> e.Expr:
    """`condition -> yes : no`, where one of the two may be what was there before.

    >>> n, c = e.Get(m.Variable("n", Domain("byte", 0, 255))), e.Self()
    >>> str(either(c, e.Binary("+", n, e.Const(1)), n, n))
    'n + (_pid -> 1 : 0)'
    """
    if yes == no:
        return yes
    if extreme_of(condition, yes, no) is not None:
        return choice(condition, yes, no)
    if yes == before:
        condition, yes, no = negation(condition), no, yes
    if no == before:
        match yes:
            case e.Binary(operator, left, right) if operator in NEUTRAL and before in (left, right):
                operand = right if left == before else left
                return e.Binary(operator, before, choice(condition, operand, e.Const(NEUTRAL[operator])))
            case e.Binary("-", left, right) if left == before:
                return e.Binary("+", before, choice(condition, e.Unary("-", right), e.Const(0)))
        match before:
            case e.Conditional(earlier, same, rest) if same == yes:
                return e.Conditional(e.Binary("||", earlier, condition), yes, rest)
    return choice(condition, yes, no)


def extreme_of(condition: e.Expr, yes: e.Expr, no: e.Expr) -> e.Expr | None:
    """`x > y -> x : y` and the like as the greater or smaller of two values: in `max(max(a, b), c)` no order is left.

    >>> a, b = (e.Get(m.Variable(name, Domain("byte", 0, 255))) for name in "ab")
    >>> str(extreme_of(e.Binary("<=", a, b), a, b))
    'b min a'
    """
    match condition:
        case e.Binary(">" | ">=" | "<" | "<=" as operator, x, y) if (x, y) in ((yes, no), (no, yes)):
            is_greater = (operator in (">", ">=")) == (yes == x)
            return e.Binary("max" if is_greater else "min", no, yes)
        case e.Unary("!", e.Binary(">" | ">=" | "<" | "<=") as inner):
            return extreme_of(inner, no, yes)
    return None
