"""`Abstract`: what abstracted components can do to those that are kept, that is to send them something.

A *unit* is an atomic block with a send to another component in it, or such a send alone.  In guarded-command form nothing but
the first statement of it can block, so an abstracted component does it at once or not at all.  `Abstract` does it with
any values that the component may have: every variable that the unit reads before it writes it gets any value of its sort; what
is received from the own channel, which abs(m) does not keep, is any message; and where the component might
have to wait, the unit may be given up.  Afterwards all variables are reset, as nothing of abstracted components is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

from coset.languages.features.conditions import decided
from coset.languages.features.expand import expand, walk
from coset.languages.features.flow import Flow
from coset.languages.features.generate import linked
from coset.languages.features.may import LINK, May, both, name
from coset.languages.features.obstacle import NotAbstractable, Obstacle
from coset.languages.features.scope import CHANNEL, ID, Variable
from coset.languages.features.text import body, declaration, reference, statement
from coset.languages.features.tree import Component, Lookup, Network
from coset.languages.promela import tree as t
from coset.source.records import dataclass
from coset.source.text import Span

INDENT = "\t"


@dataclass
class Reads:
    """The variables that a unit mentions, and those that it reads before it writes them, by their text."""

    mentioned: dict[str, t.Reference] = field(default_factory=dict)
    early: dict[str, t.Reference] = field(default_factory=dict)


class Units:
    """The process `Abstract` for one proctype."""

    def __init__(self, proctype: str, network: Network, flow: Flow, may: May, link: Callable[[int], str]) -> None:
        self.proctype, self.network, self.flow, self.may, self.link = proctype, network, flow, may, link
        self.scope = flow.scopes[proctype]

    def text(self) -> str:
        """The body of `Abstract`."""
        steps = expand(self.network.templates[self.proctype].body, self.network.ids)
        different = {self.option(unit, 0): unit for unit in map(sending, units(steps))}
        mentioned = {text: x for unit in different.values() for text, x in self.reads(unit).mentioned.items()}
        options = [self.option(unit, number) for number, unit in enumerate(different.values())]
        loop = "\n".join([f"{INDENT}do", f"{INDENT}:: (_pid > 0) /* idle */", *options, f"{INDENT}od"])
        return ";\n".join([*self.declarations(mentioned), loop])

    def declarations(self, mentioned: dict[str, t.Reference]) -> Iterator[str]:
        used = {each.name for each in mentioned.values()}
        for node in walk(self.network.templates[self.proctype].body):
            if isinstance(node, t.Declaration):
                for item in node.items:
                    if item.name in used:
                        own = t.Reference(item.span, "in") if node.type.name == "chan" else None
                        yield INDENT + declaration(replace(node, items=(replace(item, initial=own),)))

    def option(self, unit: tuple[t.Statement, ...], number: int) -> str:
        """One option of the loop: set the stage, do the unit, reset."""
        found = self.reads(unit)
        span = unit[0].span
        done = t.Goto(span, f"done_{number}")
        only = only_channel(unit)
        steps: list[t.Statement] = [step for x in found.early.values() for step in self.havoc(x, x.name == only)]
        steps += linked(self.steps(unit, done), self.link)
        resets = [self.reset(x) for x in found.mentioned.values()] or [t.Guard(span, t.Number(span, 1))]
        steps += [t.Labelled(span, done.label, resets[0]), *resets[1:]]
        return f"{INDENT}:: atomic {{\n{body(steps, 3)}\n{INDENT * 2}}}"

    # --- the unit ------------------------------------------------------------------------------------------

    def steps(self, steps: tuple[t.Statement, ...], done: t.Goto) -> tuple[t.Statement, ...]:
        return tuple(each for step in steps for each in self.step(step, done))

    def step(self, x: t.Statement, done: t.Goto) -> Iterator[t.Statement]:
        give_up = (t.Guard(x.span, t.Number(x.span, 1)), done)
        match x:
            case t.Guard(condition=t.Number()) | t.Assert() | t.Print():
                return
            case t.Guard(condition=condition):
                yield t.If(x.span, ((t.Guard(x.span, self.may(condition)),), give_up))
            case t.Receive(arguments=arguments):
                for each in arguments:
                    if isinstance(each, t.Bind) and self.is_variable(each.target):
                        yield from self.havoc(each.target)
            case t.Send(channel=target):
                if target.name != "in":
                    link = name(x.span, LINK)
                    lost = t.Guard(x.span, t.Binary(x.span, "==", target, link))
                    room = t.ChannelQuery(x.span, "nfull", target)
                    ready = t.Guard(x.span, t.Binary(x.span, "&&", t.Binary(x.span, "!=", target, link), room))
                    yield t.If(x.span, ((lost,), (ready, x), give_up))
            case t.Goto():
                yield done
            case t.Labelled(statement=inner):
                yield from self.step(inner, done)
            case t.Block(body=inner_steps):
                yield from self.steps(inner_steps, done)
            case t.If(options=options):
                chosen = tuple(self.choice(each, done) for each in options)
                yield t.If(x.span, chosen if decided(list(options)) else (*chosen, give_up))
            case t.Assign() | Lookup():
                yield x
            case _:
                raise NotAbstractable(Obstacle(f"`{statement(x)}` is in a block that sends", x.span))

    def choice(self, option: tuple[t.Statement, ...], done: t.Goto) -> tuple[t.Statement, ...]:
        first = option[0]
        if isinstance(first, t.Guard):
            return (t.Guard(first.span, self.may(first.condition)), *self.steps(option[1:], done))
        return self.steps(option, done) or (t.Guard(first.span, t.Number(first.span, 1)),)

    # --- variables -----------------------------------------------------------------------------------------

    def is_variable(self, x: t.Reference) -> bool:
        return self.scope.variable(x.name) is not None

    def leaf(self, x: t.Reference) -> Variable:
        found = self.scope.leaf(x)
        assert found is not None
        return found

    def havoc(self, x: t.Reference, kept: bool = False) -> Iterator[t.Statement]:
        """Any value of its sort for a variable; if `kept`, only channels of components that are kept."""
        values = self.values(x)
        if kept and len(values) > 1:
            values = [each for each in values if not (isinstance(each, t.Reference) and each.name == LINK)]
        options = tuple((t.Assign(x.span, x, value),) for value in values)
        yield t.If(x.span, options)

    def values(self, x: t.Reference) -> list[t.Expression]:
        leaf, span = self.leaf(x), x.span
        if leaf.kind == ID:
            types = self.flow.of(self.flow.place(self.proctype, x))
            ids = [number for number, type_ in self.network.types.items() if type_ in types]
            return [t.Number(span, 0), *(Component(span, number) for number in ids)]
        if leaf.kind == CHANNEL:
            types = self.flow.of(self.flow.place(self.proctype, x))
            links = [self.link(number) for number, type_ in self.network.types.items() if type_ in types]
            return [name(span, each) for each in dict.fromkeys((*links, LINK))]
        if leaf.type.name in ("bit", "bool"):
            return [t.Number(span, 0), t.Number(span, 1)]
        if leaf.type.name == "mtype" and leaf.type.subtype is None:
            return [t.Number(span, 0), *(name(span, each) for each in sorted(self.scope.constants))]
        why = f"`{reference(x)}` of type {leaf.type.name} is sent, or decides what is, and may have too many values"
        raise NotAbstractable(Obstacle(why, span))

    def reset(self, x: t.Reference) -> t.Statement:
        value = t.Reference(x.span, "in") if self.leaf(x).kind == CHANNEL else t.Number(x.span, 0)
        return t.Assign(x.span, x, value)

    # --- reads and writes ----------------------------------------------------------------------------------

    def reads(self, steps: tuple[t.Statement, ...]) -> Reads:
        found = Reads()
        self.read_steps(steps, frozenset(), found)
        return found

    def read_steps(self, steps: tuple[t.Statement, ...], written: frozenset[str], found: Reads) -> frozenset[str]:
        """What is surely written after some steps; reads before that are noted."""
        for step in steps:
            written = self.read_step(step, written, found)
        return written

    def read_step(self, x: t.Statement, written: frozenset[str], found: Reads) -> frozenset[str]:
        match x:
            case t.Assign(target=target, value=value):
                self.note(value, written, found)
                return written | self.write(target, written, found)
            case Lookup(component=component, channel=target):
                self.note(component, written, found)
                return written | self.write(target, written, found)
            case t.Receive(arguments=arguments):
                for each in arguments:
                    if isinstance(each, t.Bind) and self.is_variable(each.target):
                        written |= self.write(each.target, written, found)
                return written
            case t.Send(channel=target) if target.name == "in":
                return written
            case t.If(options=options):
                ends = [self.read_steps(option, written, found) for option in options]
                return frozenset.intersection(*ends)
            case t.Block(body=inner):
                return self.read_steps(inner, written, found)
            case t.Labelled(statement=inner_step):
                return self.read_step(inner_step, written, found)
            case t.Assert() | t.Print():
                return written
        self.note(x, written, found)
        return written

    def write(self, x: t.Reference, written: frozenset[str], found: Reads) -> frozenset[str]:
        text = reference(x)
        found.mentioned[text] = x
        return frozenset({text})

    def note(self, x: t.Node, written: frozenset[str], found: Reads) -> None:
        for node in references(x):
            if not self.is_variable(node):
                continue
            if self.leaf(node).size is not None and not self.leaf(node).per_component:
                raise NotAbstractable(Obstacle(f"`{reference(node)}` is an element of an array", node.span))
            text = reference(node)
            found.mentioned[text] = node
            if text not in written:
                found.early.setdefault(text, node)


def references(x: object) -> Iterator[t.Reference]:
    """The variables that an expression or a statement reads, each as a whole; indices of them are read too."""
    if isinstance(x, tuple):
        for each in x:
            yield from references(each)
    elif isinstance(x, t.Reference):
        yield x
        part: t.Reference | None = x
        while part is not None:
            yield from references(part.index)
            part = part.rest
    elif isinstance(x, t.ChannelQuery):
        if x.channel.name != "in":
            yield x.channel
    elif isinstance(x, t.Poll):
        return
    elif isinstance(x, t.Node):
        for each in x.__dataclass_fields__:
            if each != "span":
                yield from references(getattr(x, each))


def units(steps: tuple[t.Statement, ...]) -> Iterator[tuple[t.Statement, ...]]:
    """The outermost atomic blocks that send to other components, and single sends."""
    for step in steps:
        match step:
            case t.Block(control="atomic", body=inner):
                if any(sends(node) for node in walk(inner)):
                    yield inner
            case t.Block(body=inner):
                yield from units(inner)
            case t.Labelled(statement=labelled):
                yield from units((labelled,))
            case t.If(options=options) | t.Do(options=options):
                for option in options:
                    yield from units(option)
            case t.Send() if sends(step):
                yield (step,)


def sends(node: t.Node) -> bool:
    return isinstance(node, t.Send) and node.channel.name != "in"


def only_channel(unit: tuple[t.Statement, ...]) -> str | None:
    """The channel variable that a unit sends to, if it is one, the same all the time: sending to abstracted components alone is
    doing nothing."""
    nodes = list(walk(unit))
    sent = {node.channel.name for node in nodes if isinstance(node, t.Send) and sends(node)}
    set_ = {node.target.name for node in nodes if isinstance(node, t.Assign)}
    set_ |= {node.channel.name for node in nodes if isinstance(node, Lookup)}
    return next(iter(sent)) if len(sent) == 1 and not sent & set_ else None


def sending(steps: tuple[t.Statement, ...], later: bool = False) -> tuple[t.Statement, ...]:
    """A unit without steps that do not lead to a send, as these are invisible.  `later` if there is a send after these steps."""
    last = max((k for k, step in enumerate(steps) if any(map(sends, walk(step)))), default=-1)
    kept = steps if later else steps[: last + 1]
    return tuple(sending_step(step, later or k < last) for k, step in enumerate(kept))


def sending_step(x: t.Statement, later: bool) -> t.Statement:
    if isinstance(x, t.Block):
        return replace(x, body=sending(x.body, later))
    if not isinstance(x, t.If):
        return x
    leave = (t.Goto(x.span, "done"),)
    options = []
    for option in x.options:
        first, goes_on = option[0], later and goes_through(option)
        if isinstance(first, t.Else):  # the others may be left out, but not forgotten
            option = (t.Guard(first.span, negation(x.options, first.span)), *option[1:])
        options.append(sending(option, goes_on) if goes_on or any(map(sends, walk(option))) else leave)
    return replace(x, options=tuple(dict.fromkeys(options)))


def goes_through(steps: tuple[t.Statement, ...]) -> bool:
    """Whether what follows may be reached: some way through the steps does not end in a jump."""
    match steps[-1] if steps else None:
        case t.Goto():
            return False
        case t.Block(body=inner):
            return goes_through(inner)
        case t.If(options=options):
            return any(map(goes_through, options))
    return True


def negation(options: tuple[tuple[t.Statement, ...], ...], span: Span) -> t.Expression:
    """The condition of `else`."""
    guards = [option[0] for option in options if not isinstance(option[0], t.Else)]
    for guard in guards:
        if not isinstance(guard, t.Guard):
            raise NotAbstractable(
                Obstacle(f"`else` stands beside `{statement(guard)}`, which is no condition", guard.span)
            )
    return both([t.Unary(span, "!", guard.condition) for guard in guards if isinstance(guard, t.Guard)], span)
