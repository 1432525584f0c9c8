"""What a template may say, so that whatever is generated from it is open symmetric and balanced.

Ids are values of type `pid`, `_pid`, and the names of template options.  They may be compared by == and !=, copied, sent, and
used as indices of arrays of NCOMP elements: a permutation of the components then maps statements to statements
(Definition 7 of Miller, Calder and Donaldson 2007; Theorem 3 rests on it).  0 is the id of no component and is fixed by every
permutation.  Channels come from `lookup`, from `in`, or from another channel variable, and messages are received from `in` only
(Definition 2).
"""

from __future__ import annotations

import re

from coset.languages.features import codes
from coset.languages.features.scope import CHANNEL, COUNT, DATA, ID, ZERO, Scope, kind_of
from coset.languages.features.tree import Component, Lookup, TemplateOption
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics
from coset.source.text import Span

_LINK = re.compile(r"link\d+")
_FORBIDDEN = {
    t.Unless: "unless", t.ForRange: "for", t.ForIn: "for", t.Select: "select", t.SetPriority: "set_priority",
    t.ChannelAccess: "xr and xs", t.Run: "run", t.Timeout: "timeout", t.NonProgress: "np_",
    t.RemoteLabel: "a place in another process", t.RemoteVariable: "a variable of another process",
}  # fmt: skip
_NAMES = ("_nr_pr", "_last", "_priority")


class Restrictions:
    """Checks one template."""

    def __init__(self, scope: Scope, diagnostics: Diagnostics) -> None:
        self.scope, self.diagnostics = scope, diagnostics
        self.options: list[str] = []
        """The names of the template options around the place."""

    def wrong(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self.diagnostics.error(code, message, span, hint)

    # --- statements ----------------------------------------------------------------------------------

    def steps(self, steps: tuple[t.Statement, ...]) -> None:
        for step in steps:
            self.statement(step)

    def statement(self, x: t.Statement) -> None:
        if type(x) in _FORBIDDEN:
            self.forbidden(x, _FORBIDDEN[type(x)])
            return
        match x:
            case t.DeclarationStatement(declaration=t.Declaration() as declared):
                self.declaration(declared)
            case t.DeclarationStatement():
                self.wrong(codes.FORBIDDEN, "mtypes are declared in globals.def", x.span)
            case t.Labelled(statement=inner):
                if self.options:
                    self.wrong(codes.BAD_OPTION, f"label `{x.label}` would be there for every component", x.span)
                self.statement(inner)
            case t.Guard(condition=condition) | t.Assert(condition=condition):
                self.truth(condition)
            case t.Assign(target=target, value=value):
                self.assign(target, value)
            case t.Send():
                self.send(x)
            case t.Receive(channel=channel, arguments=arguments):
                self.own(channel)
                self.patterns(arguments, x.span)
            case t.Print(arguments=arguments):
                for each in arguments:
                    self.kind(each)
            case t.Block(body=steps):
                self.steps(steps)
            case t.If(options=options) | t.Do(options=options):
                for option in options:
                    self.option(option)
            case Lookup(component=component, channel=channel):
                if self.kind(component) != ID:
                    self.wrong(codes.MIXED, "`lookup` needs an id", component.span, "a variable of type `pid`")
                self.channel_variable(channel)

    def option(self, option: tuple[t.Statement, ...]) -> None:
        first = option[0] if option else None
        if not isinstance(first, TemplateOption):
            self.steps(option)
            return
        name = first.variable
        if self.scope.variable(name) is not None or name in self.options or name in ("in", COUNT):
            self.wrong(codes.BAD_OPTION, f"the name `{name}` has another meaning here", first.span)
        self.options.append(name)
        self.option(first.body)
        self.options.pop()
        self.steps(option[1:])

    def forbidden(self, x: t.Node, what: str) -> None:
        self.wrong(codes.FORBIDDEN, f"templates have no {what}", x.span)

    def declaration(self, x: t.Declaration) -> None:
        if x.visibility is not None:
            self.forbidden(x, x.visibility)
        for item in x.items:
            if _LINK.fullmatch(item.name) or item.name in ("in", "lookup", COUNT):
                self.wrong(codes.FORBIDDEN, f"`{item.name}` has another meaning", item.span)
            initial = item.initial
            if isinstance(initial, t.ChannelInitial):
                self.wrong(codes.CHANNEL_USE, "templates make no channels", item.span, "use `lookup`")
            elif isinstance(initial, t.Expression):
                self.fits(kind_of(x.type), initial)
            elif isinstance(initial, t.ArrayInitial):
                for value in initial.values:
                    self.fits(kind_of(x.type), value)

    def assign(self, target: t.Reference, value: t.Expression) -> None:
        if target.name in self.scope.features and self.scope.variable(target.name) is None:
            self.wrong(codes.FORBIDDEN, f"feature `{target.name}` is switched on in features.def", target.span)
        self.fits(self.kind(target), value)

    def fits(self, wanted: str, value: t.Expression) -> None:
        """A value goes to where one of a kind belongs."""
        found = self.kind(value)
        if wanted == ID and found == DATA and isinstance(value, t.Number):
            self.wrong(codes.LITERAL_ID, f"component {value.value} is named by its number", value.span)
        elif wanted != found and not (found == ZERO and wanted in (ID, DATA)):
            self.wrong(codes.MIXED, f"{shown(found)} cannot be taken for {shown(wanted)}", value.span)

    # --- messages ------------------------------------------------------------------------------------

    def send(self, x: t.Send) -> None:
        if x.sorted:
            self.forbidden(x, "sorted sends (`!!`)")
        if x.channel.name == "in":
            self.arguments(x, self.scope.definition.fields)
        else:
            self.channel_variable(x.channel)
            for argument in x.arguments:
                self.kind(argument)

    def arguments(self, x: t.Send, fields: tuple[t.TypeName, ...]) -> None:
        if len(x.arguments) != len(fields):
            self.wrong(codes.MESSAGE, f"the channel has {len(fields)} fields, not {len(x.arguments)}", x.span)
        for argument, field in zip(x.arguments, fields, strict=False):
            self.fits(kind_of(field), argument)

    def patterns(self, arguments: tuple[t.ReceiveArgument, ...], span: Span) -> None:
        fields = self.scope.definition.fields
        if len(arguments) != len(fields):
            self.wrong(codes.MESSAGE, f"messages have {len(fields)} fields, not {len(arguments)}", span)
        for argument, field in zip(arguments, fields, strict=False):
            wanted = kind_of(field)
            if isinstance(argument, t.Match):
                self.fits(wanted, argument.value)
            elif isinstance(argument, t.Bind) and argument.target.name != "_":
                if argument.target.name in self.options:
                    self.wrong(codes.BAD_OPTION, "this is a component, not a variable", argument.span)
                elif (found := self.kind(argument.target)) != wanted:
                    self.wrong(codes.MIXED, f"{shown(wanted)} is received into {shown(found)}", argument.span)

    def own(self, channel: t.Reference) -> None:
        if channel.name != "in" or channel.index is not None or channel.rest is not None:
            self.wrong(codes.CHANNEL_USE, "messages are received from `in` only", channel.span)

    def channel_variable(self, channel: t.Reference) -> None:
        variable = self.scope.locals.get(channel.name)
        if variable is None or variable.kind != CHANNEL or variable.size is not None or channel.rest is not None:
            if _LINK.fullmatch(channel.name):
                message = f"`{channel.name}` names a channel by its number"
            else:
                message = f"`{channel.name}` is not a channel variable of the template"
            self.wrong(codes.CHANNEL_USE, message, channel.span, "declare `chan out` and use `lookup`")

    # --- expressions ---------------------------------------------------------------------------------

    def truth(self, x: t.Expression) -> None:
        if (found := self.kind(x)) not in (DATA, ZERO):
            self.wrong(codes.ID_ARITHMETIC, f"{shown(found)} is no condition", x.span, "compare it by == or !=")

    def kind(self, x: t.Expression) -> str:
        """The kind of a value; whatever is wrong with the expression is said."""
        if type(x) in _FORBIDDEN:
            self.forbidden(x, _FORBIDDEN[type(x)])
            return DATA
        match x:
            case Component():
                return ID
            case t.Number(value=value):
                return ZERO if value == 0 else DATA
            case t.Reference():
                return self.reference(x)
            case t.Unary(operand=operand):
                self.truth(operand)
            case t.Binary(operator="==" | "!=", left=left, right=right):
                self.comparison(left, right)
            case t.Binary(operator="&&" | "||", left=left, right=right):
                self.truth(left)
                self.truth(right)
            case t.Binary(operator=operator, left=left, right=right):
                for operand in (left, right):
                    if self.kind(operand) not in (DATA, ZERO):
                        message = f"`{operator}` cannot be used with {shown(self.kind(operand))}"
                        self.wrong(codes.ID_ARITHMETIC, message, operand.span)
            case t.Conditional(condition=condition, yes=yes, no=no):
                self.truth(condition)
                one, other = self.kind(yes), self.kind(no)
                if ZERO in (one, other):
                    return one if other == ZERO else other
                if one != other:
                    self.wrong(codes.MIXED, f"{shown(one)} and {shown(other)} are mixed", x.span)
                return one
            case t.ChannelQuery(channel=channel):
                if channel.name != "in":
                    self.channel_variable(channel)
            case t.Poll(channel=channel, arguments=arguments):
                self.own(channel)
                self.patterns(arguments, x.span)
            case t.Builtin(operator=operator):
                self.forbidden(x, operator)
        return DATA

    def comparison(self, left: t.Expression, right: t.Expression) -> None:
        one, other = self.kind(left), self.kind(right)
        for kind, literal in ((one, right), (other, left)):
            if kind == ID and isinstance(literal, t.Number) and not isinstance(literal, Component) and literal.value:
                self.wrong(codes.LITERAL_ID, f"component {literal.value} is named by its number", literal.span)
                return
        if CHANNEL in (one, other):
            self.wrong(codes.CHANNEL_USE, "channels cannot be compared", left.span, "compare the ids")
        elif one != other and ZERO not in (one, other):
            self.wrong(codes.MIXED, f"{shown(one)} is compared with {shown(other)}", left.span)

    def reference(self, x: t.Reference) -> str:
        plain = x.index is None and x.rest is None
        if x.name in self.options:
            if not plain:
                self.wrong(codes.BAD_INDEX, f"`{x.name}` is a component and has no elements", x.span)
            return ID
        if x.name == "_pid":
            return ID
        if x.name in ("in", "_") and plain:
            return CHANNEL if x.name == "in" else DATA
        if x.name in _NAMES or x.name == COUNT or _LINK.fullmatch(x.name):
            self.forbidden(x, f"`{x.name}`")
            return CHANNEL if _LINK.fullmatch(x.name) else DATA
        variable = self.scope.variable(x.name)
        if variable is None:
            if x.name in self.scope.features:
                self.feature(x)
            return DATA
        kind = self.element(variable.per_component, x, variable.kind)
        rest = x.rest
        while rest is not None:
            field = self.scope.field(kind, rest.name)
            if field is None:
                return DATA  # said when the generated text is read
            kind = self.element(field.per_component, rest, field.kind)
            rest = rest.rest
        return kind

    def element(self, per_component: bool, x: t.Reference, kind: str) -> str:
        if x.index is not None:
            found = self.kind(x.index)
            if per_component and found != ID:
                self.wrong(codes.BAD_INDEX, f"`{x.name}` has an element for each component", x.index.span, "use an id")
            elif not per_component and found not in (DATA, ZERO):
                self.wrong(codes.BAD_INDEX, f"`{x.name}` is not indexed by ids", x.index.span, "declare it as [NCOMP]")
        return kind

    def feature(self, x: t.Reference) -> None:
        feature = self.scope.features[x.name]
        indices = [x.index] if x.rest is None else [x.index, x.rest.index]
        if len(indices) != feature.arity or None in indices:
            how = f"{x.name}[i]" if feature.arity == 1 else f"{x.name}[i].to[j]"
            self.wrong(codes.WRONG_ARITY, f"feature `{x.name}` is used as `{how}`", x.span)
            return
        for index in indices:
            if index is not None and self.kind(index) != ID:
                self.wrong(codes.BAD_INDEX, f"feature `{x.name}` is of components", index.span, "use an id")


def shown(kind: str) -> str:
    return {ID: "an id", DATA: "a value that is no id", CHANNEL: "a channel", ZERO: "0"}.get(kind, f"a {kind}")


def check(scope: Scope, body: tuple[t.Statement, ...], diagnostics: Diagnostics) -> None:
    """Everything that a template must not say."""
    Restrictions(scope, diagnostics).steps(body)
