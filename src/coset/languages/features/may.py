"""What may hold: conditions of concrete components where ids of other components are known only as ABS.

Let alpha map the id of every abstracted component to ABS.  may(g) holds in a state of abs(m) whenever g holds in some concrete
state that alpha maps there.  Negations are pushed inwards first; then only atoms matter:

    x == y                  as it is: equal ids have equal images
    x != y                  x != y, or x == ABS: two abstracted components have the same image
    F[h], F[h].to[p]        as it is if abstracted components have no features; else also if h == ABS
    polls of channel c      as it is, or c == linkABS: the channels of abstracted components are not kept
"""

from __future__ import annotations

from dataclasses import replace

from coset.languages.features.obstacle import NotAbstractable, Obstacle
from coset.languages.features.restrictions import Restrictions
from coset.languages.features.scope import ID, Scope
from coset.languages.features.text import statement
from coset.languages.features.tree import Component
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics
from coset.source.records import dataclass
from coset.source.text import Span

ABS, LINK = "ABS", "linkABS"
"""Names in the generated text: the id that stands for all abstracted components, and their channel."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_POLLS = {"empty": "nempty", "nempty": "empty", "full": "nfull", "nfull": "full"}
TRUE_VALUE = 1


@dataclass(frozen=True)
class May:
    """Conditions of one proctype in abs(m).  `abstract` if it is the abstracted process itself, whose own id is ABS and whose
    channel is not kept; `any_features` if abstracted components may have any."""

    scope: Scope
    number: int
    any_features: bool
    abstract: bool = False

    def __call__(self, x: t.Expression, positive: bool = True) -> t.Expression:
        """may(x), or may(not x)."""
        match x:
            case t.Unary(operator="!", operand=operand):
                return self(operand, not positive)
            case t.Binary(operator="&&" | "||" as operator, left=left, right=right):
                joined = operator if positive else {"&&": "||", "||": "&&"}[operator]
                return t.Binary(x.span, joined, self(left, positive), self(right, positive))
            case t.Binary(operator=operator, left=left, right=right) if operator in _OPPOSITE:
                return self.comparison(x, operator if positive else _OPPOSITE[operator], left, right)
            case t.ChannelQuery(operator=operator, channel=channel):
                if self.abstract and channel.name == "in":
                    return t.Number(x.span, TRUE_VALUE)
                poll = x if positive else self.opposite(x)
                return self.or_abstract(poll, [] if channel.name == "in" else [channel])
            case t.Reference(name=name) if name in self.scope.features and self.scope.variable(name) is None:
                atom = x if positive else negated(x)
                assert x.index is not None
                return either(atom, self.is_abstract(x.index)) if self.any_features else atom
            case t.Poll() if self.abstract:
                return t.Number(x.span, TRUE_VALUE)
        return x if positive else negated(x)

    def opposite(self, x: t.ChannelQuery) -> t.Expression:
        if x.operator in _POLLS:
            return replace(x, operator=_POLLS[x.operator])
        return t.Binary(x.span, "==", x, t.Number(x.span, 0))

    def comparison(self, x: t.Binary, operator: str, left: t.Expression, right: t.Expression) -> t.Expression:
        atom = t.Binary(x.span, operator, left, right)
        polled = [side.channel for side in (left, right) if isinstance(side, t.ChannelQuery)]
        if self.abstract and any(channel.name == "in" for channel in polled):
            return t.Number(x.span, TRUE_VALUE)
        if polled:
            return self.or_abstract(atom, [channel for channel in polled if channel.name != "in"])
        if operator == "!=" and not (self.exact(left) or self.exact(right)) and self.is_id(left, right):
            return either(atom, self.is_abstract(left))
        return atom

    def is_id(self, left: t.Expression, right: t.Expression) -> bool:
        restrictions = Restrictions(self.scope, Diagnostics())
        return ID in (restrictions.kind(left), restrictions.kind(right))

    def exact(self, x: t.Expression) -> bool:
        """Whether an expression is the id of a concrete component, or of none."""
        if isinstance(x, Component):
            return x.value != self.number
        if isinstance(x, t.Number):
            return x.value == 0
        return isinstance(x, t.Reference) and x.name == "_pid" and not self.abstract

    def is_abstract(self, x: t.Expression) -> t.Expression:
        return t.Binary(x.span, "==", x, name(x.span, ABS))

    def or_abstract(self, atom: t.Expression, channels: list[t.Reference]) -> t.Expression:
        for channel in channels:
            atom = either(atom, t.Binary(channel.span, "==", channel, name(channel.span, LINK)))
        return atom


def name(span: Span, text: str) -> t.Reference:
    return t.Reference(span, text)


def either(one: t.Expression, other: t.Expression) -> t.Expression:
    return t.Binary(one.span, "||", one, other)


def both(conditions: list[t.Expression], span: Span) -> t.Expression:
    found: t.Expression = conditions[0] if conditions else t.Number(span, TRUE_VALUE)
    for each in conditions[1:]:
        found = t.Binary(span, "&&", found, each)
    return found


def negated(x: t.Expression) -> t.Expression:
    if isinstance(x, t.Number):
        return t.Number(x.span, int(x.value == 0))
    return t.Unary(x.span, "!", x)


def otherwise(may: May, options: tuple[tuple[t.Statement, ...], ...]) -> t.Expression:
    """When `else` may be taken: every other option may be impossible."""
    found: list[t.Expression] = []
    span = options[0][0].span
    for option in options:
        first = option[0]
        while isinstance(first, t.Block) and first.body:
            first = first.body[0]
        match first:
            case t.Else():
                span = first.span
            case t.Guard(condition=condition):
                found.append(may(condition, False))
            case _:
                why = f"`else` stands beside `{statement(first)}`, which is no condition"
                raise NotAbstractable(Obstacle(why, first.span))
    return both(found, span)
