"""Where a program treats the values of a scalarset differently, although they have no order.

Murphi asks the author of a model to declare a scalarset only where nothing depends on which value is which (Ip and Dill,
Better verification through symmetry, Formal Methods in System Design 9, 1996, section 4): CMurphi and Rumur accept
programs that break this rule, and may give wrong answers for them.  Coset finds the symmetry itself and does not rely on the
declaration; what is said here tells why a scalarset may not be used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.languages.murphi import codes
from coset.languages.murphi import tree as t
from coset.languages.murphi.elaborate import inner
from coset.languages.murphi.purity import Purity
from coset.languages.murphi.storage import PRESENT, leaves
from coset.languages.murphi.symbols import Alias, Found, FunctionName, Variable
from coset.languages.murphi.types import Scalarset, Union
from coset.source.diagnostics import Diagnostics
from coset.source.text import Span

COMMUTATIVE = ("+", "-", "*", "&", "|", "^")
"""Operators with which values may be accumulated in any order."""


def warn(found: Found, diagnostics: Diagnostics) -> None:
    """Report each `clear` and loop that distinguishes the values of a scalarset."""
    for part in found.program.parts:
        for body in bodies(part):
            cleared(found, body, diagnostics)
        for node in part.walk():
            if isinstance(node, t.For):
                Loop(found, node).warn(diagnostics)


def bodies(part: t.Node) -> Iterator[Sequence[t.Statement]]:
    """Lists of statements, each in its order."""
    for node in part.walk():
        match node:
            case t.Function(body=body) | t.Rule(body=body) | t.StartState(body=body):
                yield body
            case t.AliasStatement(body=body) | t.For(body=body) | t.While(body=body) | t.Case(body=body):
                yield body
            case t.If(clauses):
                yield from (body for _, body in clauses)


def scalarset(type_: object) -> Scalarset | None:
    """The scalarset that a simple type is, or has the least value of."""
    if isinstance(type_, Union):
        type_ = next(each for each in type_.members if each.low == type_.low)
    return type_ if isinstance(type_, Scalarset) and type_.size > 1 else None


def cleared(found: Found, body: Sequence[t.Statement], diagnostics: Diagnostics) -> None:
    """`clear x` gives all of `x` its least value, which a scalarset does not have.  What follows may undo it."""
    for place, clear in enumerate(body):
        if not isinstance(clear, t.Clear):
            continue
        targets = [text(other.target) for other in body[place + 1 :] if isinstance(other, t.Assign | t.Undefine)]
        parts = list(leaves(found.type_of(clear.target)))
        multisets = [path[:-1] for path, _, _, _ in parts if path[-1:] == (PRESENT,)]  # these become empty
        for path, _, _, simple in parts:
            name = ".".join((text(clear.target), *path))
            broken = scalarset(simple)
            is_emptied = any(path[: len(each)] == each for each in multisets)
            if broken is None or is_emptied or any(one == name or one.startswith(f"{name}[") for one in targets):
                continue
            message = (
                f"`clear` gives `{name}` the first value of the scalarset `{broken.name}`, whose values have no order"
            )
            hint = f"write `undefine {name}`, or choose the value by a `ruleset`"
            diagnostics.warning(codes.CLEARED_SCALARSET, message, clear.span, hint)
            break


class Loop:
    """A `for` over a scalarset, whose rounds have no order."""

    def __init__(self, found: Found, loop: t.For) -> None:
        self.found, self.loop = found, loop
        type_ = found.types.get(id(loop.quantifier.type)) if loop.quantifier.type is not None else None
        members = type_.members if isinstance(type_, Union) else (type_,)
        self.over = next((each for each in members if isinstance(each, Scalarset) and each.size > 1), None)
        self.variable = found.symbols.get(id(loop.quantifier))
        self.assigned = {self.base(each.target) for each in self.assignments(loop.body)}
        self.temporary = {
            text(each.target)
            for each in loop.body
            if isinstance(each, t.Assign) and self.is_local(each.target)
        }  # fmt: skip
        """Local variables that every round gives a value before."""

    def warn(self, diagnostics: Diagnostics) -> None:
        if self.over is None:
            return
        for span, what in self.ordered(self.loop.body, ()):
            message = f"the order of this loop over the scalarset `{self.over.name}` can matter: {what}"
            hint = "choose one value after the other by a `ruleset`, or count the values"
            diagnostics.warning(codes.ORDERED_LOOP, message, span, hint)
            return

    def ordered(self, body: Sequence[t.Statement], conditions: tuple[str, ...]) -> Iterator[tuple[Span, str]]:
        """What is done with a value that depends on the round, and is still there after it."""
        for each in body:
            match each:
                case t.Assign(target, value) if self.is_kept(target) and self.varies(target, value, conditions):
                    yield each.span, f"`{text(target)}` keeps the value of the last round that assigns to it"
                case t.Return(value) if value is not None and self.depends(value):
                    yield each.span, "it returns the first value that is found"
                case t.MultisetAdd(_, multiset):
                    yield each.span, f"elements go to the places of the multiset `{text(multiset)}` in this order"
                case t.CallStatement(call) if self.adds(call):
                    yield each.span, "elements go to the places of a multiset in this order"
                case t.If(clauses):
                    for condition, inside in clauses:
                        asked = conditions if condition is None else (*conditions, text(condition))
                        yield from self.ordered(inside, asked)
                case _:
                    yield from self.ordered(tuple(inner(each)), conditions)

    def assignments(self, body: Sequence[t.Statement]) -> Iterator[t.Assign]:
        for each in body:
            if isinstance(each, t.Assign):
                yield each
            yield from self.assignments(tuple(inner(each)))

    def is_kept(self, target: t.Expression) -> bool:
        """Whether all rounds assign to one place."""
        return not self.depends(target) and text(target) not in self.temporary

    def varies(self, target: t.Expression, value: t.Expression, conditions: Sequence[str]) -> bool:
        """Whether rounds assign different values, and not a sum, a union or an extreme value of them."""
        name = text(target)
        match value:
            case t.Binary(operator, left, right) if operator in COMMUTATIVE:
                if text(left) == name or (text(right) == name and operator != "-"):
                    return False
        if any(name in condition and text(value) in condition for condition in conditions):
            return False  # the greatest or least value
        others = self.assigned - {self.base(target)}
        return self.depends(value) or any(
            self.base(node) in others for node in value.walk() if isinstance(node, t.Name)
        )

    def adds(self, call: t.Call) -> bool:
        """Whether a procedure adds an element to a multiset."""
        function = self.found.symbols.get(id(call))
        if not isinstance(function, FunctionName):
            return False
        reached = Purity(self.found).reached(function)
        return any(isinstance(node, t.MultisetAdd) for each in reached for node in each.tree.walk())

    def base(self, node: t.Expression) -> int:
        """The variable of which something is a part, by identity."""
        match node:
            case t.Field(of) | t.Element(of):
                return self.base(of)
        symbol = self.found.symbols.get(id(node))
        return self.base(symbol.value) if isinstance(symbol, Alias) else id(symbol)

    def depends(self, node: t.Node) -> bool:
        """Whether the variable of the loop is in an expression."""
        for each in node.walk():
            symbol = self.found.symbols.get(id(each)) if isinstance(each, t.Name) else None
            if symbol is not None and symbol is self.variable:
                return True
            if isinstance(symbol, Alias) and self.depends(symbol.value):
                return True
        return False

    def is_local(self, target: t.Expression) -> bool:
        symbol = self.found.symbols.get(id(target)) if isinstance(target, t.Name) else None
        return isinstance(symbol, Variable) and symbol.local and not symbol.by_reference


def text(node: t.Node) -> str:
    """An expression as it is written, without blanks."""
    return "".join(node.span.text.split())
