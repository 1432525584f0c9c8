"""Which functions and expressions change something: a global variable, a multiset, or a `var` parameter.

The order in which operands, arguments and indices are computed matters only if one of them does (`elaborate_expression.py`).
"""

from __future__ import annotations

from coset.languages.murphi import tree as t
from coset.languages.murphi.symbols import Found, FunctionName, Variable


class Purity:
    def __init__(self, found: Found) -> None:
        self.found = found
        self.known: dict[int, bool] = {}
        self.recursive: dict[int, bool] = {}
        self.callees: dict[int, list[FunctionName]] = {}

    def changes(self, node: t.Node) -> bool:
        """Whether an expression calls a function that changes more than its own variables."""
        if id(node) not in self.known:
            self.known[id(node)] = any(map(self.function_changes, self.called_in(node)))
        return self.known[id(node)]

    def function_changes(self, function: FunctionName) -> bool:
        """Whether a function may change more than its own variables."""
        if id(function) not in self.known:
            self.known[id(function)] = any(map(self.assigns_outside, self.reached(function)))
        return self.known[id(function)]

    def is_recursive(self, function: FunctionName) -> bool:
        """Whether a function may call itself, maybe by way of others."""
        if id(function) not in self.recursive:
            called = [each for callee in self.called_by(function) for each in self.reached(callee)]
            self.recursive[id(function)] = function in called
        return self.recursive[id(function)]

    def reached(self, function: FunctionName) -> list[FunctionName]:
        """A function, and those that are executed when it is called."""
        found, pending = [function], [function]
        while pending:
            for callee in self.called_by(pending.pop()):
                if callee not in found:
                    found.append(callee)
                    pending.append(callee)
        return found

    def called_by(self, function: FunctionName) -> list[FunctionName]:
        if id(function) not in self.callees:
            self.callees[id(function)] = [f for statement in function.tree.body for f in self.called_in(statement)]
        return self.callees[id(function)]

    def called_in(self, node: t.Node) -> list[FunctionName]:
        symbols = (self.found.symbol_of(each) for each in node.walk() if isinstance(each, t.Call))
        return [symbol for symbol in symbols if isinstance(symbol, FunctionName)]

    def assigns_outside(self, function: FunctionName) -> bool:
        return any(self.is_outside(each) for statement in function.tree.body for each in statement.walk())

    def is_outside(self, node: t.Node) -> bool:
        match node:
            case t.Assign(target) | t.Clear(target) | t.Undefine(target):
                return not self.is_own(target)
            case t.MultisetAdd() | t.MultisetRemove():
                return True
        return False

    def is_own(self, target: t.Expression) -> bool:
        """Whether a variable belongs to the function in which it is assigned to."""
        match target:
            case t.Field(of) | t.Element(of):
                return self.is_own(of)
            case t.Name():
                symbol = self.found.symbol_of(target)
                return isinstance(symbol, Variable) and symbol.local and not symbol.by_reference
        return False
