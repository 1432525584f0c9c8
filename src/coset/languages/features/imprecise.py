"""What abs(m) knows only in part, and values that depend on it.

It knows in part whether two ids are equal, who has a feature, and what is in a channel.  In conditions `may` takes care of that:
below negations, conjunctions and disjunctions there are comparisons of ids, features, and questions about channels.  Wherever
else one of these stands, a value depends on it that abs(m) may have wrong: that is refused, not what is known to go wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from coset.languages.features.expand import walk
from coset.languages.features.flow import Flow
from coset.languages.features.obstacle import Obstacle
from coset.languages.features.restrictions import Restrictions
from coset.languages.features.scope import ID, Scope
from coset.languages.features.tree import Network
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics

COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")


def imprecise(body: tuple[t.Statement, ...], scope: Scope, abstracted: bool) -> Iterator[Obstacle]:
    """Values of a template that depend on what abs(m) does not know.  `abstracted` if some components of this type are
    abstracted: then not even their own channel is known."""
    for step in walk(body):
        if isinstance(step, t.Statement) and not isinstance(step, t.Assert | t.Print):
            values = atoms(step.condition, scope) if isinstance(step, t.Guard) else parts(step)
            for value in values:
                if any(unknown(node, scope, abstracted) for node in walk(value)):
                    yield Obstacle("a value depends on ids, features or channels of other components", value.span)
        if isinstance(step, t.Poll) or (isinstance(step, t.Receive) and step.random):
            for each in step.arguments:
                if isinstance(each, t.Match) and is_id(each.value, scope) and not is_exact(each.value):
                    yield Obstacle("which message it is depends on an id that may be abstracted", each.span)


def parts(step: t.Statement) -> Iterator[t.Node]:
    """What a statement consists of, other than statements."""
    for field in fields(step):
        found = getattr(step, field.name)
        for each in found if isinstance(found, tuple) else (found,):
            if isinstance(each, t.Node) and not isinstance(each, t.Statement):
                yield each


def atoms(x: t.Expression, scope: Scope) -> Iterator[t.Node]:
    """The values in a condition, of which nothing may be unknown."""
    match x:
        case t.Unary(operator="!", operand=operand):
            yield from atoms(operand, scope)
        case t.Binary(operator="&&" | "||", left=left, right=right):
            yield from atoms(left, scope)
            yield from atoms(right, scope)
        case t.Binary(operator=operator, left=left, right=right) if operator in COMPARISONS:
            yield from (side for side in (left, right) if not isinstance(side, t.ChannelQuery))
        case t.ChannelQuery():
            pass
        case t.Poll(arguments=arguments):
            yield from arguments
        case t.Reference() if is_feature(x, scope):
            yield from (index for index in (x.index, None if x.rest is None else x.rest.index) if index is not None)
        case _:
            yield x


def unknown(node: t.Node, scope: Scope, abstracted: bool) -> bool:
    match node:
        case t.Binary(operator="==" | "!=", left=left, right=right):
            return is_id(left, scope) or is_id(right, scope)
        case t.ChannelQuery(channel=channel) | t.Poll(channel=channel):
            return abstracted or channel.name != "in"
        case t.Reference():
            return is_feature(node, scope)
    return False


def is_feature(x: t.Reference, scope: Scope) -> bool:
    return x.name in scope.features and scope.variable(x.name) is None


def is_id(x: t.Expression, scope: Scope) -> bool:
    return Restrictions(scope, Diagnostics()).kind(x) == ID


def is_exact(x: t.Expression) -> bool:
    """Whether an id is surely not one of an abstracted component."""
    return isinstance(x, t.Number) or (isinstance(x, t.Reference) and x.name == "_pid")


# --- mtypes -------------------------------------------------------------------------------------------------


def not_mtypes(network: Network, flow: Flow) -> Iterator[Obstacle]:
    """Numbers that go to where an mtype belongs: `Abstract` sends any mtype that is declared, and no other."""
    why = "this may be a number that no mtype has, which abs(m) does not know of"
    constants = next(iter(flow.scopes.values())).constants
    for declared in (node for node in walk(network.units) if isinstance(node, t.Declaration)):
        for item in declared.items if declared.type.name == "mtype" else ():
            named = isinstance(item.initial, t.Reference) and item.initial.name in constants
            if item.initial is not None and not named:
                yield Obstacle(why, item.span)
    for name, template in network.templates.items():
        scope = flow.scopes[name]
        for value in mtypes_in(template.body, name, flow):
            if not is_mtype(value, scope):
                yield Obstacle(why, value.span)


def mtypes_in(body: tuple[t.Statement, ...], owner: str, flow: Flow) -> Iterator[t.Expression]:
    """The expressions of a template whose values go to where an mtype belongs."""
    scope = flow.scopes[owner]
    for node in walk(body):
        match node:
            case t.Assign(target=target, value=value) if scope.type_of(target) == "mtype":
                yield value
            case t.Declaration(type=t.TypeName(name="mtype"), items=items):
                yield from (item.initial for item in items if isinstance(item.initial, t.Expression))
                yield from (
                    each for item in items if isinstance(item.initial, t.ArrayInitial) for each in item.initial.values
                )
            case t.Send(channel=channel, arguments=sent):
                for receiver in flow.receivers(owner, channel):
                    for field, value in zip(flow.definitions[receiver].fields, sent, strict=False):
                        if field.name == "mtype":
                            yield value
            case t.Receive(arguments=received):
                for field, each in zip(scope.definition.fields, received, strict=False):
                    if field.name != "mtype" and isinstance(each, t.Bind) and scope.type_of(each.target) == "mtype":
                        yield t.Number(each.span, 1)


def is_mtype(x: t.Expression, scope: Scope) -> bool:
    match x:
        case t.Number(value=value):
            return value == 0
        case t.Reference(name=name):
            return scope.type_of(x) == "mtype" or (scope.variable(name) is None and name in scope.constants)
        case t.Conditional(yes=yes, no=no):
            return is_mtype(yes, scope) and is_mtype(no, scope)
    return False
