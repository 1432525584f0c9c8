"""The names and types of Murphi's expressions and types."""

from __future__ import annotations

from collections.abc import Mapping

from coset.languages.murphi import codes
from coset.languages.murphi import tree as t
from coset.languages.murphi.symbols import Alias, Bound, Constant, Found, FunctionName, Symbol, TypeName, Variable
from coset.languages.murphi.types import (
    BOOLEAN,
    NUMBER,
    UNKNOWN,
    Array,
    Boolean,
    Enumeration,
    Multiset,
    Named,
    Range,
    Record,
    Scalarset,
    Simple,
    Type,
    Union,
    compatible,
    members,
)
from coset.source.diagnostics import Diagnostics, suggest
from coset.source.text import Span

LARGEST = (1 << 31) - 2
"""The largest number in a range: one more stands for `undefined`."""
MOST_ELEMENTS = 100_000
ARITHMETIC = ("+", "-", "*", "/", "%", "<<", ">>", "^")
ORDERS = ("<", "<=", ">", ">=")
LOGIC = ("&&", "||", "->")


class NotConstant(Exception):
    """The value of an expression is not known before the rules run."""


class ExpressionChecker:
    def __init__(self, program: t.Program, defines: Mapping[str, int], diagnostics: Diagnostics) -> None:
        self.found = Found(program)
        self.defines, self.diagnostics = defines, diagnostics
        self.scopes: list[dict[str, Symbol]] = [{}]
        for name, value in (("true", 1), ("false", 0)):
            self.scopes[0][name] = Constant(name, None, BOOLEAN, value)

    # --- names -------------------------------------------------------------------------------------

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self.diagnostics.error(code, message, span, hint)

    def declare(self, symbol: Symbol) -> None:
        scope = self.scopes[-1]
        if symbol.name in scope:
            assert symbol.span is not None
            self.error(codes.REDECLARED, f"`{symbol.name}` is declared already", symbol.span)
        scope[symbol.name] = symbol

    def lookup(self, name: str, span: Span) -> Symbol | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name.lower() in ("true", "false"):
            return self.scopes[0][name.lower()]
        near = suggest(name, [each for scope in self.scopes for each in scope])
        self.error(codes.UNDECLARED, f"`{name}` is not declared", span, f"did you mean `{near}`?" if near else None)
        return None

    # --- constants ---------------------------------------------------------------------------------

    def constant(self, x: t.Expression) -> int:
        """The value of an expression that is the same in every state.  Raises `NotConstant`."""
        match x:
            case t.Number(value):
                return value
            case t.Name():
                return self.constant_name(self.found.symbols.get(id(x)))
            case t.Unary(operator, operand):
                value = self.constant(operand)
                return {"-": -value, "!": int(not value), "~": ~value}[operator]
            case t.Binary(operator, left, right):
                return folded(operator, self.constant(left), self.constant(right))
            case t.Conditional(condition, yes, no):
                return self.constant(yes if self.constant(condition) else no)
        raise NotConstant

    def constant_name(self, symbol: Symbol | None) -> int:
        match symbol:
            case Constant(member_of=None):
                return symbol.value
            case Alias(value=value):
                return self.constant(value)
        raise NotConstant

    def number(self, x: t.Expression, what: str) -> int | None:
        """The value of a constant number; None after an error."""
        type_ = self.expression(x)
        if type_ is UNKNOWN and self.diagnostics.errors:
            return None
        try:
            if not isinstance(type_, Range):
                raise NotConstant
            return self.constant(x)
        except (NotConstant, ZeroDivisionError):
            self.error(codes.NOT_CONSTANT, f"{what} must be a constant number", x.span)
            return None

    # --- types -------------------------------------------------------------------------------------

    def type(self, node: t.Type, name: str = "") -> Type:
        found = self.found.types[id(node)] = self.read_type(node, name)
        return found

    def read_type(self, node: t.Type, name: str) -> Type:
        match node:
            case t.BooleanType():
                return BOOLEAN
            case t.NamedType(called):
                return self.named_type(called, node.span)
            case t.RangeType(low, high):
                least, most = self.number(low, "the bound of a range"), self.number(high, "the bound of a range")
                if least is None or most is None:
                    return UNKNOWN
                if most < least or least < -LARGEST or most > LARGEST:
                    hint = "the first bound is the least value" if most < least else "bounds have 31 bits"
                    self.error(codes.BAD_RANGE, f"the range {least}..{most} is empty or too large", node.span, hint)
                    return UNKNOWN
                return Range(name or f"{least}..{most}", least, most)
            case t.EnumType(names):
                enumeration = Enumeration(
                    name or "enum", max(1, len(names)), members=tuple(each.name for each in names)
                )
                if not names:
                    self.error(codes.BAD_RANGE, "the enumeration has no member", node.span)
                for place, each in enumerate(names):
                    self.declare_outside(Constant(each.name, each.span, enumeration, place, enumeration))
                self.found.named.append(enumeration)
                return enumeration
            case t.ScalarsetType(size):
                count = self.number(size, "the size of a scalarset")
                if count is None:
                    return UNKNOWN
                if not 1 <= count <= MOST_ELEMENTS:
                    self.error(codes.BAD_RANGE, f"a scalarset of {count} values is empty or too large", node.span)
                    return UNKNOWN
                scalarset = Scalarset(name or "Scalarset", count, span=node.span)
                self.found.named.append(scalarset)
                return scalarset
            case t.UnionType(parts):
                return self.union(node, parts, name)
            case t.RecordType(fields):
                record = Record(name or "record")
                for field in fields:
                    if field.name in record.fields:
                        self.error(codes.REDECLARED, f"the record has a field `{field.name}` already", field.span)
                    known = self.found.types.get(id(field.type))
                    record.fields[field.name] = known if known is not None else self.type(field.type)
                return record
            case t.ArrayType(index, element):
                return self.array(node, index, element, name)
            case t.MultisetType(size, element):
                count = self.number(size, "the size of a multiset")
                inner = self.type(element)
                if count is None or inner is UNKNOWN:
                    return UNKNOWN
                if not 1 <= count <= MOST_ELEMENTS:
                    self.error(codes.BAD_RANGE, f"a multiset of {count} elements is empty or too large", node.span)
                    return UNKNOWN
                return Multiset(name or "multiset", Range("slot", 0, count - 1), inner)
        raise TypeError(f"unknown type {type(node).__name__}")

    def declare_outside(self, symbol: Symbol) -> None:
        self.declare(symbol)

    def named_type(self, called: str, span: Span) -> Type:
        symbol = self.lookup(called, span)
        if symbol is None:
            return UNKNOWN
        if not isinstance(symbol, TypeName):
            self.error(codes.WRONG_KIND, f"`{called}` is no type", span)
            return UNKNOWN
        return symbol.type

    def union(self, node: t.UnionType, parts: tuple[t.Type, ...], name: str) -> Type:
        found: list[Named] = []
        for part in parts:
            inner = self.type(part)
            if isinstance(inner, Union):
                found += inner.members
            elif isinstance(inner, Named):
                found.append(inner)
            elif inner is not UNKNOWN:
                hint = "members are scalarsets and enumerations"
                self.error(codes.WRONG_TYPE, f"a union cannot have the member `{inner.name}`", part.span, hint)
        if not found:
            if not parts:
                self.error(codes.BAD_RANGE, "the union has no member", node.span)
            return UNKNOWN
        union = Union(name or "union", tuple(dict.fromkeys(found)))
        self.found.unions.append(union)
        return union

    def array(self, node: t.ArrayType, index: t.Type, element: t.Type, name: str) -> Type:
        subscript, inner = self.type(index), self.type(element)
        if UNKNOWN in (subscript, inner):
            return UNKNOWN
        if not isinstance(subscript, Simple):
            self.error(codes.WRONG_TYPE, "arrays are indexed by numbers, enumerations and scalarsets", index.span)
            return UNKNOWN
        if subscript.high - subscript.low >= MOST_ELEMENTS:
            self.error(codes.BAD_RANGE, f"an array of more than {MOST_ELEMENTS:,} elements", index.span)
            return UNKNOWN
        return Array(name or "array", subscript, inner)

    def simple_type(self, node: t.Type) -> Simple | None:
        """A type with values that can be listed; None after an error."""
        found = self.type(node)
        if isinstance(found, Simple):
            return found
        if found is not UNKNOWN:
            self.error(codes.WRONG_TYPE, f"a simple type is needed, not `{found.name}`", node.span)
        return None

    # --- expressions -------------------------------------------------------------------------------

    def expression(self, x: t.Expression) -> Type:
        found = self.found.types[id(x)] = self.read_expression(x)
        return found

    def expect(self, x: t.Expression, wanted: Type, where: str) -> Type:
        """An expression of a given type; `where` completes the message."""
        found = self.expression(x)
        if not compatible(found, wanted):
            hint = (
                "compare with 0: numbers are no truth values"
                if wanted is BOOLEAN and isinstance(found, Range)
                else None
            )
            self.error(
                codes.WRONG_TYPE, f"a value of type `{wanted.name}` is needed {where}, not `{found.name}`", x.span, hint
            )
        return found

    def read_expression(self, x: t.Expression) -> Type:
        match x:
            case t.Number(value):
                if value > LARGEST:
                    self.error(codes.BAD_RANGE, f"{value} does not fit into 32 bits", x.span)
                return NUMBER
            case t.Name(name):
                return self.name_type(x, name)
            case t.Field(record, name):
                return self.field_type(x, record, name)
            case t.Element(array, index):
                return self.element_type(array, index)
            case t.Unary("!", operand):
                self.expect(operand, BOOLEAN, "after `!`")
                return BOOLEAN
            case t.Unary(operator, operand):
                self.expect(operand, NUMBER, f"after `{operator}`")
                return NUMBER
            case t.Binary(operator, left, right):
                return self.binary_type(x, operator, left, right)
            case t.Conditional(condition, yes, no):
                self.expect(condition, BOOLEAN, "before `?`")
                one = self.expression(yes)
                self.expect(no, one, "as the other alternative")
                return NUMBER if isinstance(one, Range) else one
            case t.Quantified(_, quantifier, body):
                self.scopes.append({})
                self.quantifier(quantifier)
                self.expect(body, BOOLEAN, "in a quantifier")
                self.scopes.pop()
                return BOOLEAN
            case t.Call():
                return self.call_type(x, is_value=True)
            case t.IsUndefined(of):
                inner = self.expression(of)
                if inner is not UNKNOWN and not isinstance(inner, Simple):
                    self.error(
                        codes.WRONG_TYPE, "`isundefined` asks about a simple variable, not about a whole one", of.span
                    )
                self.stored(of, "`isundefined` asks about a variable")
                return BOOLEAN
            case t.IsMember(of, type_):
                one, other = self.expression(of), self.type(type_)
                if not compatible(one, other) and not (members(one) & members(other)):
                    self.error(codes.WRONG_TYPE, f"a `{one.name}` is never a `{other.name}`", x.span)
                return BOOLEAN
            case t.Count(name, multiset, condition):
                self.scopes.append({})
                self.chosen(x, name, multiset)
                self.expect(condition, BOOLEAN, "in `MultisetCount`")
                self.scopes.pop()
                return NUMBER
        raise TypeError(f"unknown expression {type(x).__name__}")

    def chosen(self, node: t.Node, name: str, multiset: t.Expression) -> None:
        """Declare a name for the elements of a multiset."""
        of = self.expression(multiset)
        if isinstance(of, Multiset):
            bound = Bound(name, node.span, of.slot, of)
            self.found.symbols[id(node)] = bound
            self.declare(bound)
        else:
            if of is not UNKNOWN:
                self.error(codes.WRONG_TYPE, f"a multiset is needed, not `{of.name}`", multiset.span)
            self.declare(Bound(name, node.span, NUMBER))

    def is_undefined(self, name: str) -> bool:
        """CMurphi's `UNDEFINED`, which fits every variable."""
        return name.lower() == "undefined" and not any(name in scope for scope in self.scopes)

    def name_type(self, x: t.Expression, name: str) -> Type:
        if self.is_undefined(name):
            return UNKNOWN
        symbol = self.lookup(name, x.span)
        if symbol is None:
            return UNKNOWN
        self.found.symbols[id(x)] = symbol
        match symbol:
            case Constant(type=type_) | Variable(type=type_) | Bound(type=type_):
                return type_
            case Alias(value=value):
                return self.found.types.get(id(value), UNKNOWN)
        what = "a type" if isinstance(symbol, TypeName) else "a function"
        hint = f"write `{name}(...)`" if isinstance(symbol, FunctionName) else None
        self.error(codes.WRONG_KIND, f"`{name}` is {what}, and no value", x.span, hint)
        return UNKNOWN

    def field_type(self, x: t.Expression, record: t.Expression, name: str) -> Type:
        of = self.expression(record)
        if of is UNKNOWN:
            return UNKNOWN
        if not isinstance(of, Record):
            self.error(codes.WRONG_TYPE, f"`.{name}` is asked of a value that is no record but `{of.name}`", x.span)
            return UNKNOWN
        if name not in of.fields:
            near = suggest(name, of.fields)
            hint = f"did you mean `{near}`?" if near else f"its fields are {', '.join(of.fields)}"
            self.error(codes.NO_FIELD, f"`{of.name}` has no field `{name}`", x.span, hint)
            return UNKNOWN
        return of.fields[name]

    def element_type(self, array: t.Expression, index: t.Expression) -> Type:
        of = self.expression(array)
        match of:
            case Array(index=subscript, element=element):
                self.expect(index, subscript, "as an index")
                return element
            case Multiset(slot=slot, element=element):
                self.expect(index, slot, "as a chosen element")
                return element
        self.expression(index)
        if of is not UNKNOWN:
            self.error(codes.WRONG_TYPE, f"`{of.name}` is no array and has no elements", array.span)
        return UNKNOWN

    def binary_type(self, x: t.Expression, operator: str, left: t.Expression, right: t.Expression) -> Type:
        if operator in LOGIC:
            self.expect(left, BOOLEAN, f"before `{operator}`")
            self.expect(right, BOOLEAN, f"after `{operator}`")
            return BOOLEAN
        if operator in ARITHMETIC or operator in ORDERS:
            self.expect(left, NUMBER, f"before `{operator}`")
            self.expect(right, NUMBER, f"after `{operator}`")
            return NUMBER if operator in ARITHMETIC else BOOLEAN
        one, other = self.expression(left), self.expression(right)
        if operator in ("=", "!="):
            if not compatible(one, other):
                self.error(codes.WRONG_TYPE, f"`{one.name}` and `{other.name}` cannot be compared", x.span)
            return BOOLEAN
        known = one if one is not UNKNOWN else other
        if known is not UNKNOWN and not isinstance(known, Boolean | Range):
            self.error(
                codes.WRONG_TYPE, f"`{operator}` is for truth values and numbers, not for `{known.name}`", left.span
            )
        elif not compatible(one, other):
            self.error(codes.WRONG_TYPE, f"`{operator}` has operands of types `{one.name}` and `{other.name}`", x.span)
        return BOOLEAN if isinstance(known, Boolean) else NUMBER if isinstance(known, Range) else UNKNOWN

    def quantifier(self, quantifier: t.Quantifier) -> None:
        """Declare the name of a quantifier."""
        type_: Simple = NUMBER
        if quantifier.type is not None:
            type_ = self.simple_type(quantifier.type) or NUMBER
        else:
            assert quantifier.low is not None and quantifier.high is not None
            self.expect(quantifier.low, NUMBER, "as a bound")
            self.expect(quantifier.high, NUMBER, "as a bound")
            if quantifier.step is not None:
                self.expect(quantifier.step, NUMBER, "as a step")
            self.check_steps(quantifier)
        bound = Bound(quantifier.name, quantifier.span, type_)
        self.found.symbols[id(quantifier)] = bound
        self.declare(bound)

    def check_steps(self, quantifier: t.Quantifier) -> None:
        """A loop that steps away from its end would never end."""
        assert quantifier.low is not None and quantifier.high is not None
        try:
            low, high = self.constant(quantifier.low), self.constant(quantifier.high)
            step = self.constant(quantifier.step) if quantifier.step is not None else 1
        except (NotConstant, ZeroDivisionError):
            return
        if step == 0:
            self.error(codes.BAD_RANGE, "a step of 0 never ends", quantifier.span)
        elif (high - low) * step < 0:
            hint = f"write `by {-step}`" if abs(step) == 1 else None
            self.error(codes.BAD_RANGE, f"steps of {step} do not lead from {low} to {high}", quantifier.span, hint)

    def call_type(self, x: t.Call, is_value: bool) -> Type:
        symbol = self.lookup(x.name, x.span)
        for argument in x.arguments:
            self.expression(argument)
        if symbol is None:
            return UNKNOWN
        if not isinstance(symbol, FunctionName):
            self.error(codes.WRONG_KIND, f"`{x.name}` is no function", x.span)
            return UNKNOWN
        self.found.symbols[id(x)] = symbol
        if len(x.arguments) != len(symbol.parameters):
            needs = f"{len(symbol.parameters)} argument{'' if len(symbol.parameters) == 1 else 's'}"
            self.error(codes.ARITY, f"`{x.name}` takes {needs}, but {len(x.arguments)} are given", x.span)
        for argument, parameter in zip(x.arguments, symbol.parameters, strict=False):
            found = self.found.types[id(argument)]
            if not compatible(found, parameter.type):
                message = f"`{parameter.name}` of `{x.name}` is a `{parameter.type.name}`, not a `{found.name}`"
                self.error(codes.ARITY, message, argument.span)
            elif parameter.by_reference:
                self.stored(argument, f"`{parameter.name}` of `{x.name}` is a `var` parameter", must_change=True)
        if is_value and symbol.result is None:
            hint = "call a procedure as a statement"
            self.error(codes.WRONG_KIND, f"`{x.name}` is a procedure and has no value", x.span, hint)
            return UNKNOWN
        return symbol.result if symbol.result is not None else UNKNOWN

    def stored(self, x: t.Expression, why: str, must_change: bool = False) -> None:
        """Require that an expression denotes a variable, or a part of one."""
        match x:
            case t.Field(inner) | t.Element(inner):
                return self.stored(inner, why, must_change)
            case t.Name(name):
                symbol = self.found.symbols.get(id(x))
                if isinstance(symbol, Alias):
                    return self.stored(symbol.value, why, must_change)
                if symbol is None or (isinstance(symbol, Variable) and (symbol.assignable or not must_change)):
                    return None
                hint = "declare the parameter as `var`, or copy it" if isinstance(symbol, Variable) else None
                what = "is a parameter by value" if isinstance(symbol, Variable) else "is no variable"
                self.error(codes.NOT_ASSIGNABLE, f"{why}, and `{name}` {what}", x.span, hint)
                return None
        if self.found.types.get(id(x)) is not UNKNOWN:
            self.error(codes.NOT_ASSIGNABLE, f"{why}, and this is a value", x.span)
        return None


def folded(operator: str, left: int, right: int) -> int:
    """The value of an operation on constants; division rounds towards zero.

    >>> folded("/", -7, 2), folded("%", -7, 2), folded("->", 1, 0)
    (-3, -1, 0)
    """
    match operator:
        case "/" | "%":
            if right == 0:
                raise ZeroDivisionError
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if operator == "/" else left - right * quotient
        case "<<":
            return left << (right & 31)
        case ">>":
            return left >> (right & 31)
        case "->":
            return int(not left or bool(right))
        case "&&":
            return int(bool(left) and bool(right))
        case "||":
            return int(bool(left) or bool(right))
    return {
        "+": left + right, "-": left - right, "*": left * right, "=": int(left == right), "!=": int(left != right),
        "<": int(left < right), "<=": int(left <= right), ">": int(left > right), ">=": int(left >= right),
        "&": left & right, "|": left | right, "^": left ^ right,
    }[operator]  # fmt: skip
