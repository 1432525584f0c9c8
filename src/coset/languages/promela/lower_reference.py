"""References of Promela: which variable or element a name means, with fields and indices, and what is assigned to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from coset.languages.promela import codes, tree
from coset.languages.promela.symbols import Record, Scope, Symbol
from coset.model import domain as d
from coset.model import expression as e
from coset.model.model import Variable
from coset.source.diagnostics import suggest
from coset.source.records import dataclass
from coset.source.text import Span

if TYPE_CHECKING:
    from coset.languages.promela.lower import Lowering


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference means: a symbol, the path of fields taken, and the indices given."""

    symbol: Symbol
    path: tuple[str, ...]
    indices: tuple[e.Expr, ...]
    type: d.Domain | Record
    open: bool
    """Whether the last part is an array without an index."""


class References(ABC):
    """Resolves names inside one proctype, claim or global declaration."""

    def __init__(self, lowering: Lowering, scope: Scope, owner: str | None, claim: bool = False) -> None:
        self.lowering = lowering
        self.diagnostics = lowering.diagnostics
        self.scope = scope
        self.owner = owner
        self.claim = claim
        self.runs: list[tree.Run] | None = None
        """Where a `run` may be part of a larger expression, those that were met; None elsewhere."""

    @abstractmethod
    def value(self, x: tree.Expression) -> e.Expr:
        """The expression of the model, for an index."""

    def target(self, reference: tree.Reference) -> Target | None:
        """What a reference to a variable means; None (and a diagnostic) if it means nothing."""
        symbol = self.scope.find(reference.name)
        if symbol is None:
            self.undeclared(reference.name, reference.span)
            return None
        return self.follow(reference, symbol, symbol)

    def follow(self, reference: tree.Reference, symbol: Symbol, root: Symbol) -> Target | None:
        path: list[str] = []
        indices: list[e.Expr] = []
        while True:
            open_ = False
            if reference.index is not None:
                index = self.value(reference.index)
                if symbol.size is not None:
                    self.check_index(index, symbol, reference)
                    indices.append(index)
                elif index != e.Const(0):
                    self.diagnostics.error(
                        codes.NOT_ARRAY, f"'{reference.name}' is not an array", reference.span,
                        notes=[("declared here", symbol.span)],
                    )  # fmt: skip
            elif symbol.size is not None:
                open_ = True
            if reference.rest is None:
                return Target(root, tuple(path), tuple(indices), symbol.type, open_)
            if open_:
                self.needs_index(reference, symbol)
                return None
            if not isinstance(symbol.type, Record):
                self.diagnostics.error(codes.NOT_RECORD, f"'{reference.name}' has no fields", reference.rest.span)
                return None
            inner = symbol.type.field(reference.rest.name)
            if inner is None:
                names = [field.name for field in symbol.type.fields]
                close = suggest(reference.rest.name, names)
                self.diagnostics.error(
                    codes.NO_FIELD, f"'{symbol.type.name}' has no field '{reference.rest.name}'", reference.rest.span,
                    f"did you mean '{close}'?" if close else f"its fields are {', '.join(names)}",
                )  # fmt: skip
                return None
            symbol, reference = inner, reference.rest
            path.append(symbol.name)

    def check_index(self, index: e.Expr, symbol: Symbol, reference: tree.Reference) -> None:
        assert symbol.size is not None
        if isinstance(index, e.Const) and not 0 <= index.value < symbol.size:
            self.diagnostics.warning(
                codes.BAD_SIZE, f"index {index.value} of '{reference.name}' is not in 0..{symbol.size - 1}",
                reference.span,
            )  # fmt: skip

    def undeclared(self, name: str, span: Span) -> None:
        known = [*self.scope.visible(), *self.lowering.types.constants]
        close = suggest(name, known)
        hint = f"did you mean '{close}'?" if close else None
        if name in self.lowering.proctypes:
            hint = f"'{name}' is a proctype; to start a process write `run {name}(...)`"
        self.diagnostics.error(codes.UNDECLARED, f"'{name}' is not declared", span, hint)

    def needs_index(self, reference: tree.Reference, symbol: Symbol) -> None:
        self.diagnostics.error(
            codes.NEEDS_INDEX, f"'{reference.name}' is an array of {symbol.size} and needs an index", reference.span,
            f"write {reference.name}[i]",
        )  # fmt: skip

    def variable(self, reference: tree.Reference) -> tuple[Variable, tuple[e.Expr, ...]] | None:
        """The single variable (or element) that a reference means."""
        target = self.target(reference)
        if target is None:
            return None
        if isinstance(target.type, Record):
            self.diagnostics.error(
                codes.NEEDS_FIELD, f"'{reference.span.text}' is a record; name one of its fields", reference.span,
                f"its fields are {', '.join(field.name for field in target.type.fields)}",
            )  # fmt: skip
            return None
        if target.open:
            self.needs_index(reference, target.symbol)
            return None
        return target.symbol.leaves[target.path], target.indices

    def place(self, reference: tree.Reference) -> e.Place:
        """What is assigned to."""
        if reference.name == "_" and self.scope.find("_") is None:
            return e.Place(None)
        if self.scope.find(reference.name) is None and reference.name in ("_pid", "_nr_pr", "_last", "np_"):
            self.diagnostics.error(codes.BAD_ASSIGNMENT, f"'{reference.name}' cannot be assigned to", reference.span)
            return e.Place(None)
        if self.scope.find(reference.name) is None and reference.name in self.lowering.types.constants:
            self.diagnostics.error(codes.BAD_ASSIGNMENT, f"'{reference.name}' is an mtype constant", reference.span)
            return e.Place(None)
        found = self.variable(reference)
        return e.Place(None) if found is None else e.Place(*found)

    def expanded(self, reference: tree.Reference) -> list[tuple[Variable, tuple[e.Expr, ...]]]:
        """The leaves that a reference stands for in a message: several if it is a record."""
        target = self.target(reference)
        if target is None:
            return []
        if not isinstance(target.type, Record):
            if target.open:
                self.needs_index(reference, target.symbol)
                return []
            return [(target.symbol.leaves[target.path], target.indices)]
        result = []
        for path, variable in target.symbol.leaves.items():
            if path[: len(target.path)] == target.path:
                result.append((path, variable))
        return self.in_message_order(target, result)

    def in_message_order(
        self, target: Target, found: list[tuple[tuple[str, ...], Variable]]
    ) -> list[tuple[Variable, tuple[e.Expr, ...]]]:
        """The elements below a record, in the order in which a message holds them."""
        table = dict(found)
        result: list[tuple[Variable, tuple[e.Expr, ...]]] = []

        def visit(path: tuple[str, ...], record: Record, indices: tuple[e.Expr, ...]) -> None:
            for field in record.fields:
                below: list[tuple[e.Expr, ...]] = (
                    [()] if field.size is None else [(e.Const(k),) for k in range(field.size)]
                )
                for index in below:
                    if isinstance(field.type, Record):
                        visit((*path, field.name), field.type, indices + index)
                    else:
                        result.append((table[(*path, field.name)], indices + index))

        assert isinstance(target.type, Record)
        if target.open:
            for k in range(target.symbol.size or 1):
                visit(target.path, target.type, (*target.indices, e.Const(k)))
        else:
            visit(target.path, target.type, target.indices)
        return result
