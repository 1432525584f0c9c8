"""Which constructs of Promela occur in random programs, which of them together, and which inside of which.

    python -m tests.support.constructs FROM TO       the tables for the programs of all generators with these seeds

Two constructs that never occur together hide the faults that they have together.  `IMPOSSIBLE` has the pairs that SPIN rejects,
each with the reason; `test_constructs` sees to it that every other pair occurs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations

from coset.languages.promela import tree as t
from coset.languages.promela.parse import parse
from coset.source.diagnostics import Diagnostics, InputError
from coset.source.text import Source
from tests.support.contention_random import for_spin
from tests.support.contention_random import generate as contention
from tests.support.ids_random import generate as ids
from tests.support.promela_random import generate as promela
from tests.support.symmetric_random import varied

GENERATORS = (promela, contention, for_spin, ids, varied)

CONSTRUCTS = (
    "handshake send", "handshake receive", "send", "receive", "sorted send", "random receive", "peek", "poll", "len",
    "probe", "eval", "constant pattern", "else", "else beside message", "timeout", "unless", "atomic", "d_step",
    "stalling atomic", "waiting d_step", "if", "do", "goto", "break", "for", "select", "label", "assert", "print",
    "assignment", "skip", "conditional", "run", "init", "provided", "priority", "enabled", "_pid", "_nr_pr", "_last",
    "pc_value", "get_priority", "remote variable", "remote label", "array", "record", "array by pid", "local array",
    "channel array", "channel variable", "inline", "trace",
)  # fmt: skip

_NO_HANDSHAKE = "SPIN does not combine priorities with handshakes"
_NO_ENABLED = "SPIN has no `enabled` in models with handshakes"
IMPOSSIBLE: dict[frozenset[str], str] = {
    **{
        frozenset({name, handshake}): reason
        for handshake in ("handshake send", "handshake receive")
        for name, reason in (("priority", _NO_HANDSHAKE), ("get_priority", _NO_HANDSHAKE), ("enabled", _NO_ENABLED))
    },
}
"""Pairs that cannot be in one program that SPIN accepts."""


@dataclass
class Table:
    """In how many programs each construct occurs, each pair, and each construct inside of another."""

    programs: int = 0
    rejected: int = 0
    single: Counter[str] = field(default_factory=Counter)
    pairs: Counter[frozenset[str]] = field(default_factory=Counter)
    nested: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        try:
            found = list(occurrences(parsed(text)))
        except InputError:
            self.rejected += 1
            return
        names = {name for name, _ in found}
        self.programs += 1
        self.single.update(names)
        self.pairs.update(map(frozenset, combinations(sorted(names), 2)))
        self.nested.update({(outer, name) for name, around in found for outer in around})

    def missing(self) -> list[tuple[str, str]]:
        """The pairs that could occur together and do not."""
        pairs = combinations(CONSTRUCTS, 2)
        return [pair for pair in pairs if not self.pairs[frozenset(pair)] and frozenset(pair) not in IMPOSSIBLE]


def table(texts: Iterable[str]) -> Table:
    result = Table()
    for text in texts:
        result.add(text)
    return result


def parsed(text: str) -> t.Program:
    diagnostics = Diagnostics()
    program = parse(Source("random.pml", text), {}, (), diagnostics)
    diagnostics.check()
    assert program is not None
    return program


# --- what there is -----------------------------------------------------------------------------------------------------


def occurrences(program: t.Program) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every construct with what is around it, from the outside in."""
    yield from Occurrences(program).all()


class Occurrences:
    """A walk through one program; it knows the capacities of the channels that have one for good."""

    def __init__(self, program: t.Program) -> None:
        self.program = program
        self.capacity: dict[str, int] = {}
        self.locals: set[str] = set()
        for node in nodes(program.units):
            if isinstance(node, t.Declarator) and isinstance(node.initial, t.ChannelInitial):
                size = node.initial.capacity
                self.capacity[node.name] = size.value if isinstance(size, t.Number) else 1
            if isinstance(node, t.Proctype):
                inside = (part for part in nodes(node.body) if isinstance(part, t.DeclarationStatement))
                self.locals |= {
                    item.name for part in inside for item in nodes([part]) if isinstance(item, t.Declarator)
                }

    def all(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for unit in self.program.units:
            yield from self.walk(unit, ())

    def walk(self, node: t.Node, around: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name in self.names(node):
            yield name, around
        for part, child in parts(node):
            outer = container(node, part)
            yield from self.walk(child, (*around, outer) if outer else around)

    def names(self, node: t.Node) -> Iterator[str]:
        """What a node is by itself."""
        simple = {
            t.If: "if", t.Do: "do", t.Goto: "goto", t.Break: "break", t.ForRange: "for", t.ForIn: "for",
            t.Select: "select", t.Labelled: "label", t.Assert: "assert", t.Print: "print", t.Assign: "assignment",
            t.Conditional: "conditional", t.Run: "run", t.Timeout: "timeout", t.Unless: "unless", t.Else: "else",
            t.RemoteVariable: "remote variable", t.RemoteLabel: "remote label", t.Poll: "poll", t.Trace: "trace",
            t.Typedef: "record",
        }  # fmt: skip
        if type(node) in simple:
            yield simple[type(node)]
        match node:
            case t.Proctype():
                yield from ["init"] * (node.name == "init")
                yield from ["provided"] * (node.provided is not None)
                yield from ["priority"] * (node.priority is not None)
            case t.Run(priority=t.Expression()):
                yield "priority"
            case t.Send() | t.Receive():
                yield from self.message(node)
            case t.ChannelQuery():
                yield "len" if node.operator == "len" else "probe"
            case t.Builtin():
                yield node.operator
            case t.Match():
                yield "constant pattern" if isinstance(node.value, t.Number) else "eval"
            case t.Block():
                yield from [node.control or ""] * (node.control is not None)
                yield from ["inline"] * (node.inlined is not None)
                yield from ["stalling atomic"] * (node.control == "atomic" and any(map(may_wait, node.body[1:])))
                yield from ["waiting d_step"] * (node.control == "d_step" and any(map(may_wait, node.body[:1])))
            case t.Guard(condition=t.Number()):
                yield "skip"
            case t.Declarator(size=t.Expression()) if isinstance(node.initial, t.ChannelInitial):
                yield "channel array"
            case t.Declarator(size=t.Expression()):
                yield "local array" if node.name in self.locals else "array"
            case t.Reference(name="_pid" | "_nr_pr" | "_last" as name):
                yield name
            case t.Reference(index=t.Expression() as index):
                by_pid = any(isinstance(part, t.Reference) and part.name == "_pid" for part in nodes([index]))
                yield from ["array by pid"] * by_pid
        if isinstance(node, t.If | t.Do):
            firsts = [option[0] for option in node.options if option]
            messages = any(isinstance(first, t.Send | t.Receive) for first in firsts)
            yield from ["else beside message"] * (messages and any(isinstance(first, t.Else) for first in firsts))

    def message(self, node: t.Send | t.Receive) -> Iterator[str]:
        capacity = self.capacity.get(node.channel.name)
        verb = "send" if isinstance(node, t.Send) else "receive"
        if capacity is None:
            yield "channel variable"
        yield f"handshake {verb}" if capacity == 0 else verb
        if isinstance(node, t.Send):
            yield from ["sorted send"] * node.sorted
        else:
            yield from ["random receive"] * node.random
            yield from ["peek"] * node.peek


def may_wait(statement: t.Statement) -> bool:
    """Whether a statement may have to wait, as far as its form tells."""
    match statement:
        case t.Labelled():
            return may_wait(statement.statement)
        case t.Guard():
            return not isinstance(statement.condition, t.Number | t.Run)
        case t.If() | t.Do():
            firsts = [option[0] for option in statement.options if option]
            return not any(isinstance(first, t.Else) for first in firsts) and all(map(may_wait, firsts))
        case t.Unless():
            return may_wait(statement.main)
        case t.Block():
            return bool(statement.body) and may_wait(statement.body[0])
    return isinstance(statement, t.Send | t.Receive)


def container(node: t.Node, part: str) -> str:
    """What a part of a node is inside of, if that has a name."""
    match node, part:
        case t.Block(control="atomic" | "d_step" as control), _:
            return str(control)
        case t.Unless(), "main" | "escape":
            return f"unless {part}"
        case ((t.If() | t.Do()), "guard"):
            return "guard"
        case t.Send(), "arguments":
            return "message"
        case t.Match(), _:
            return "pattern"
        case t.Reference(), "index":
            return "index"
        case t.Assert(), _:
            return "assert"
        case t.Conditional(), _:
            return "conditional"
        case t.Proctype(), "provided":
            return "provided"
        case ((t.ForRange() | t.ForIn()), "body"):
            return "for"
        case t.Do(), _:
            return "do"
    return ""


def parts(node: t.Node) -> Iterator[tuple[str, t.Node]]:
    """The nodes directly below a node, each with the name of the part; the first statements of options are guards."""
    if isinstance(node, t.If | t.Do):
        for option in node.options:
            for number, statement in enumerate(option):
                yield ("guard" if number == 0 else "options"), statement
        return
    for each in fields(node):
        pending: list[object] = [getattr(node, each.name)]
        while pending:
            value = pending.pop(0)
            if isinstance(value, t.Node):
                yield each.name, value
            elif isinstance(value, tuple):
                pending[:0] = value


def nodes(roots: Iterable[t.Node]) -> Iterator[t.Node]:
    """All nodes of some trees."""
    pending = list(roots)
    while pending:
        node = pending.pop()
        yield node
        pending += [child for _, child in parts(node)]


# --- printing ----------------------------------------------------------------------------------------------------------


def shown(found: Table) -> str:
    """Three tables: how often each construct occurs, each pair, and each inside of another."""
    lines = [
        f"{found.programs} programs",
        "",
        "construct, in how many programs, and how often beside each of the others",
    ]
    width = max(map(len, CONSTRUCTS))
    lines.append(" " * (width + 8) + " ".join(f"{number:4}" for number in range(len(CONSTRUCTS))))
    for number, name in enumerate(CONSTRUCTS):
        row = [found.pairs[frozenset({name, other})] if other != name else found.single[name] for other in CONSTRUCTS]
        cells = [
            "   x" if frozenset({name, other}) in IMPOSSIBLE else f"{count:4}"
            for other, count in zip(CONSTRUCTS, row, strict=True)
        ]
        lines.append(f"{number:3} {name:{width}} :  " + " ".join(cells))
    outers = sorted({outer for outer, _ in found.nested})
    lines += ["", "construct inside of another"]
    lines.append(" " * (width + 2) + " ".join(f"{outer:>13}" for outer in outers))
    for name in CONSTRUCTS:
        lines.append(f"{name:{width}}: " + " ".join(f"{found.nested[outer, name]:13}" for outer in outers))
    missing = ", ".join(f"{one} with {other}" for one, other in found.missing())
    return "\n".join([*lines, "", f"never together: {missing or 'none'}"])


def programs(seeds: Iterable[int]) -> Iterator[str]:
    """The programs of all generators."""
    return (generator(seed) for seed in seeds for generator in GENERATORS)


def main(arguments: Sequence[str]) -> int:
    print(shown(table(programs(range(*map(int, arguments))))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
