"""The names and types of a Murphi file.  All that is wrong is reported in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coset.languages.murphi import codes
from coset.languages.murphi import tree as t
from coset.languages.murphi.check_expression import ExpressionChecker, NotConstant
from coset.languages.murphi.symbols import Alias, Bound, Constant, Found, FunctionName, TypeName, Variable
from coset.languages.murphi.types import BOOLEAN, NUMBER, UNKNOWN, Multiset, Simple, Type, allot, compatible, members
from coset.source.diagnostics import Diagnostics


def check(program: t.Program, defines: Mapping[str, int], diagnostics: Diagnostics) -> Found:
    """What names denote, and the types of expressions."""
    checker = Checker(program, defines, diagnostics)
    checker.whole()
    if not diagnostics.errors:
        allot(checker.found.unions, checker.found.named)
    return checker.found


class Checker(ExpressionChecker):
    def __init__(self, program: t.Program, defines: Mapping[str, int], diagnostics: Diagnostics) -> None:
        super().__init__(program, defines, diagnostics)
        self.result: Type | None = None
        self.in_function = ""
        self.starts = 0

    def whole(self) -> None:
        for part in self.found.program.parts:
            if isinstance(part, t.Function):
                self.function(part)
            elif isinstance(part, t.Declaration):
                self.declaration(part, local=False)
            else:
                self.rule(part)
        unused = self.defines.keys() - {p.name for p in self.found.program.parts if isinstance(p, t.ConstDecl)}
        for name in sorted(unused):
            self.diagnostics.error(codes.UNNAMED_DEFINE, f"-D {name}: the file has no constant `{name}`", None)
        if not self.starts and not self.diagnostics.errors:
            hint = "write `startstate ... end` with a value for every variable"
            end = self.found.program.span
            self.error(codes.NO_RULES, "the file has no start state", end, hint)

    # --- declarations ------------------------------------------------------------------------------

    def declaration(self, part: t.Declaration, local: bool) -> None:
        match part:
            case t.ConstDecl(name, value):
                self.constant_declaration(part, name, value, local)
            case t.TypeDecl(name, type_):
                known = self.found.types.get(id(type_))
                self.declare(TypeName(name, part.span, known if known is not None else self.type(type_, name)))
            case t.VarDecl(name, type_):
                known = self.found.types.get(id(type_))
                variable = Variable(name, part.span, known if known is not None else self.type(type_), local)
                self.found.symbols[id(part)] = variable
                self.declare(variable)
                if not local:
                    self.found.variables.append(variable)

    def constant_declaration(self, part: t.Declaration, name: str, value: t.Expression, local: bool) -> None:
        if not local and name in self.defines:
            self.declare(Constant(name, part.span, NUMBER, self.defines[name]))
            return
        type_ = self.expression(value)
        if isinstance(type_, Simple):
            try:
                number: int | None = self.constant(value)
            except ZeroDivisionError:
                self.error(codes.NOT_CONSTANT, f"the value of `{name}` divides by zero", value.span)
                number = 1
            except NotConstant:
                number = None
            if number is not None:
                self.declare(Constant(name, part.span, type_, number))
                return
            symbol = self.found.symbols.get(id(value))
            if isinstance(symbol, Constant):  # the member of an enumeration
                self.declare(Constant(name, part.span, symbol.type, symbol.number, symbol.member_of))
                return
        if type_ is not UNKNOWN or not self.diagnostics.errors:
            self.error(codes.NOT_CONSTANT, f"the value of `{name}` is no constant", value.span)
        self.declare(Constant(name, part.span, NUMBER, 1))

    def function(self, part: t.Function) -> None:
        parameters = tuple(self.parameter(each) for each in part.parameters)
        result = self.type(part.result) if part.result is not None else None
        symbol = FunctionName(part.name, part.span, part, parameters, result)
        self.found.symbols[id(part)] = symbol
        self.declare(symbol)
        self.scopes.append({})
        for parameter in parameters:
            self.declare(parameter)
        self.scopes.append({})
        for each in part.declarations:
            self.declaration(each, local=True)
        self.result, self.in_function = result, part.name
        self.statements(part.body)
        self.in_function = ""
        del self.scopes[-2:]

    def parameter(self, part: t.Parameter) -> Variable:
        known = self.found.types.get(id(part.type))
        type_ = known if known is not None else self.type(part.type)
        return Variable(part.name, part.span, type_, True, part.by_reference, assignable=part.by_reference)

    # --- rules -------------------------------------------------------------------------------------

    def rule(self, part: t.AnyRule) -> None:
        self.scopes.append({})
        match part:
            case t.Rule(_, guard, declarations, body):
                if guard is not None:
                    self.expect(guard, BOOLEAN, "as a guard")
                self.body(declarations, body)
            case t.StartState(_, declarations, body):
                self.starts += 1
                self.body(declarations, body)
            case t.Property(category, _, condition):
                self.expect(condition, BOOLEAN, f"after `{category}`")
            case t.FormulaProperty(category, _, formula):
                for condition in formula.atoms():
                    self.expect(condition, BOOLEAN, "in a formula" if category != "invariant" else "as an invariant")
            case t.Ruleset(quantifiers, rules):
                for quantifier in quantifiers:
                    self.quantifier(quantifier)
                self.rules(rules)
            case t.AliasRule(aliases, rules):
                self.aliases(aliases)
                self.rules(rules)
            case t.Choose(name, multiset, rules):
                self.chosen(part, name, multiset)
                self.rules(rules)
        self.scopes.pop()

    def rules(self, rules: Sequence[t.AnyRule]) -> None:
        for each in rules:
            self.rule(each)

    def body(self, declarations: Sequence[t.Declaration], body: Sequence[t.Statement]) -> None:
        self.scopes.append({})
        for each in declarations:
            self.declaration(each, local=True)
        self.statements(body)
        self.scopes.pop()

    def aliases(self, aliases: Sequence[t.AliasDecl]) -> None:
        for each in aliases:
            self.expression(each.value)
            alias = self.found.symbols[id(each)] = Alias(each.name, each.span, each.value)
            self.declare(alias)

    # --- statements --------------------------------------------------------------------------------

    def statements(self, statements: Sequence[t.Statement]) -> None:
        for each in statements:
            self.statement(each)

    def inner(self, statements: Sequence[t.Statement]) -> None:
        self.scopes.append({})
        self.statements(statements)
        self.scopes.pop()

    def statement(self, statement: t.Statement) -> None:
        match statement:
            case t.Assign(target, value):
                self.assign(target, value)
            case t.AliasStatement(aliases, body):
                self.scopes.append({})
                self.aliases(aliases)
                self.statements(body)
                self.scopes.pop()
            case t.PropertyStatement(category, _, condition):
                self.expect(condition, BOOLEAN, f"after `{category}`")
                if category == "liveness":
                    hint = "state it outside of rules"
                    self.error(codes.UNSUPPORTED, "`liveness` inside of a rule", statement.span, hint)
            case t.Clear(target) | t.Undefine(target):
                self.expression(target)
                self.stored(target, "only variables can be changed", must_change=True)
            case t.For(quantifier, body):
                self.scopes.append({})
                self.quantifier(quantifier)
                self.statements(body)
                self.scopes.pop()
            case t.If(clauses):
                for holds, inside in clauses:
                    if holds is not None:
                        self.expect(holds, BOOLEAN, "after `if`")
                    self.inner(inside)
            case t.Switch(of, cases):
                self.switch(of, cases)
            case t.While(condition, body):
                self.expect(condition, BOOLEAN, "after `while`")
                self.inner(body)
            case t.Put(value):
                if value is not None:
                    self.expression(value)
            case t.Return(value):
                self.returned(statement, value)
            case t.CallStatement(call):
                self.found.types[id(call)] = self.call_type(call, is_value=False)
            case t.MultisetAdd(value, multiset):
                self.multiset_add(value, multiset)
            case t.MultisetRemove():
                self.multiset_remove(statement)

    def assign(self, target: t.Expression, value: t.Expression) -> None:
        wanted = self.expression(target)
        found = self.expression(value)
        if not compatible(found, wanted):
            message = f"a `{found.name}` cannot be assigned to a variable of type `{wanted.name}`"
            self.error(codes.WRONG_TYPE, message, value.span)
        self.stored(target, "only variables can be assigned to", must_change=True)

    def switch(self, of: t.Expression, cases: Sequence[t.Case]) -> None:
        type_ = self.expression(of)
        if type_ is not UNKNOWN and not isinstance(type_, Simple):
            self.error(codes.WRONG_TYPE, f"`switch` needs a simple value, not `{type_.name}`", of.span)
        for case in cases:
            for value in case.values:
                found = self.expression(value)
                if not compatible(found, type_) and not members(found) & members(type_):
                    self.error(codes.WRONG_TYPE, f"a `{type_.name}` is never a `{found.name}`", value.span)
            self.inner(case.body)

    def returned(self, statement: t.Statement, value: t.Expression | None) -> None:
        wanted = self.result if self.in_function else None
        if value is None:
            if wanted is not None:
                self.error(codes.BAD_RETURN, f"`{self.in_function}` has to return a value", statement.span)
            return
        found = self.expression(value)
        if wanted is None:
            where = f"the procedure `{self.in_function}`" if self.in_function else "a rule"
            self.error(codes.BAD_RETURN, f"{where} returns no value", value.span, "write `return` alone")
        elif not compatible(found, wanted):
            message = f"`{self.in_function}` returns a `{wanted.name}`, not a `{found.name}`"
            self.error(codes.BAD_RETURN, message, value.span)

    def multiset_add(self, value: t.Expression, multiset: t.Expression) -> None:
        found, of = self.expression(value), self.expression(multiset)
        if isinstance(of, Multiset):
            if not compatible(found, of.element):
                message = f"the multiset has elements of type `{of.element.name}`, not `{found.name}`"
                self.error(codes.WRONG_TYPE, message, value.span)
            self.stored(multiset, "elements are added to a variable", must_change=True)
        elif of is not UNKNOWN:
            self.error(codes.WRONG_TYPE, f"a multiset is needed, not `{of.name}`", multiset.span)

    def multiset_remove(self, statement: t.MultisetRemove) -> None:
        if statement.condition is None:
            symbol = self.lookup(statement.name, statement.span)
            of = self.expression(statement.multiset)
            if symbol is None or of is UNKNOWN:
                return
            self.found.symbols[id(statement)] = symbol
            if not isinstance(symbol, Bound) or symbol.multiset is None or not isinstance(of, Multiset):
                hint = "write the rule inside of `choose i: m do`"
                self.error(
                    codes.WRONG_KIND, f"`{statement.name}` is no chosen element of a multiset", statement.span, hint
                )
            return
        self.scopes.append({})
        self.chosen(statement, statement.name, statement.multiset)
        self.expect(statement.condition, BOOLEAN, "in `MultisetRemovePred`")
        self.scopes.pop()
