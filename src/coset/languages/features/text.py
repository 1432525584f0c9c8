"""Syntax trees as Promela text that SPIN accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coset.languages.features.tree import Lookup
from coset.languages.promela import tree as t

INDENT = "\t"


def expression(x: t.Expression, outermost: bool = True) -> str:
    """An expression; parts of it are in parentheses, so that no precedence needs to be known.

    >>> from coset.source.text import Source, Span
    >>> at = Span(Source("", ""), 0, 0)
    >>> a, b = t.Reference(at, "a", t.Number(at, 1)), t.Reference(at, "b", None, t.Reference(at, "c"))
    >>> print(expression(t.Binary(at, "&&", t.Unary(at, "!", a), t.Binary(at, "==", a, b))))
    !a[1] && (a[1] == b.c)
    """
    match x:
        case t.Number(value=value):
            return str(value) if value >= 0 else f"({value})"
        case t.Reference():
            return reference(x)
        case t.Unary(operator=operator, operand=operand):
            return f"{operator}{expression(operand, False)}"
        case t.Binary(operator=operator, left=left, right=right):
            text = f"{expression(left, False)} {operator} {expression(right, False)}"
        case t.Conditional(condition=condition, yes=yes, no=no):
            return f"({expression(condition, False)} -> {expression(yes, False)} : {expression(no, False)})"
        case t.ChannelQuery(operator=operator, channel=channel):
            return f"{operator}({reference(channel)})"
        case t.Poll(channel=channel, arguments=arguments, random=random):
            return f"{reference(channel)}{'??' if random else '?'}[{received(arguments)}]"
        case t.RemoteLabel(proctype=proctype, pid=pid, label=label):
            return f"{proctype}{'' if pid is None else f'[{expression(pid)}]'}@{label}"
        case _:
            raise TypeError(f"no text for {type(x).__name__}")
    return text if outermost else f"({text})"


def reference(x: t.Reference) -> str:
    index = "" if x.index is None else f"[{expression(x.index)}]"
    return x.name + index + ("" if x.rest is None else f".{reference(x.rest)}")


def received(arguments: Iterable[t.ReceiveArgument]) -> str:
    return ", ".join(map(argument, arguments))


def argument(x: t.ReceiveArgument) -> str:
    match x:
        case t.Bind(target=target):
            return reference(target)
        case t.Match(value=t.Number(value=value)):
            return str(value)
        case t.Match(value=value):
            return f"eval({expression(value)})"
    raise TypeError(f"no text for {type(x).__name__}")


def declaration(x: t.Declaration) -> str:
    """A declaration of local variables."""
    return f"{x.type.name} {', '.join(map(declarator, x.items))}"


def declarator(x: t.Declarator) -> str:
    width = "" if x.width is None else f" : {x.width}"
    size = "" if x.size is None else f"[{expression(x.size)}]"
    match x.initial:
        case None:
            initial = ""
        case t.ArrayInitial(values=values):
            initial = f" = {{ {', '.join(map(expression, values))} }}"
        case t.Expression():
            initial = f" = {expression(x.initial)}"
        case _:
            raise TypeError("a template makes no channels")
    return f"{x.name}{width}{size}{initial}"


def body(steps: Iterable[t.Statement], depth: int = 1) -> str:
    """The lines of a sequence."""
    return ";\n".join(lines(steps, depth))


def lines(steps: Iterable[t.Statement], depth: int) -> Iterator[str]:
    for step in steps:
        yield INDENT * depth + statement(step, depth)


def statement(x: t.Statement, depth: int = 0) -> str:
    """A statement; lines after the first are indented."""
    match x:
        case t.DeclarationStatement(declaration=t.Declaration() as declared):
            return declaration(declared)
        case t.Labelled(label=label, statement=inner):
            return f"{label}: {statement(inner, depth)}"
        case t.Guard(condition=t.Number(value=1)):
            return "skip"
        case t.Guard(condition=condition):
            return expression(condition, isinstance(condition, t.Poll | t.Reference))
        case t.Else():
            return "else"
        case t.Assign(target=target, value=value):
            return f"{reference(target)} = {expression(value)}"
        case t.Send(channel=channel, arguments=arguments):
            return f"{reference(channel)}!{', '.join(map(expression, arguments))}"
        case t.Receive(channel=channel, arguments=arguments, random=random, peek=peek):
            inner_text = received(arguments)
            return f"{reference(channel)}{'??' if random else '?'}{f'<{inner_text}>' if peek else inner_text}"
        case t.Assert(condition=condition):
            return f"assert({expression(condition)})"
        case t.Print(format=None, arguments=arguments):
            return f"printm({expression(arguments[0])})"
        case t.Print(format=text, arguments=arguments):
            return f'printf("{text}"{"".join(f", {expression(each)}" for each in arguments)})'
        case t.Goto(label=label):
            return f"goto {label}"
        case t.Break():
            return "break"
        case Lookup(component=component, channel=channel):
            return f"lookup({expression(component)}, {reference(channel)})"
        case t.Block(body=steps, control=control):
            head = "{" if control is None else f"{control} {{"
            return f"{head}\n{body(steps, depth + 1)}\n{INDENT * depth}}}"
        case t.If(options=options):
            return choice("if", options, "fi", depth)
        case t.Do(options=options):
            return choice("do", options, "od", depth)
    raise TypeError(f"no text for {type(x).__name__}")


def choice(opening: str, options: Iterable[tuple[t.Statement, ...]], closing: str, depth: int) -> str:
    shown = "\n".join(f"{INDENT * depth}:: {option(steps, depth)}" for steps in options)
    return f"{opening}\n{shown}\n{INDENT * depth}{closing}"


def option(steps: tuple[t.Statement, ...], depth: int) -> str:
    """The steps of an option: an arrow after what guards it."""
    first, rest = statement(steps[0], depth + 1), body(steps[1:], depth + 1)
    if not rest:
        return first
    guards = isinstance(steps[0], t.Guard | t.Else)
    return f"{first}{' ->' if guards else ';'}\n{rest}"
