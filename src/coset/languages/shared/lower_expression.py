"""Expressions of a program as expressions of the model, with their types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.refusal import Refused
from coset.languages.shared.symbols import (
    ANY_PROCESS,
    NO_PROCESS,
    TRUTH,
    WHOLE,
    Declared,
    Members,
    Process,
    Scope,
    Symbols,
    Type,
    Value,
    binary,
    minus,
    negation,
    truth,
)
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import PROCESS
from coset.model.family import Everyone, NoProcess, Someone
from coset.source.budget import current_budget
from coset.source.diagnostics import suggest

LOGIC = {"&": "&&", "|": "||"}
COMPARISONS = {"=": "==", "!=": "!="}
ORDERS = ("<", "<=", ">", ">=")
LONG = 32


class Expressions:
    """Expressions as they are meant in a scope."""

    def __init__(self, symbols: Symbols, scope: Scope | None = None) -> None:
        self.symbols, self.scope = symbols, scope or Scope()

    def within(self, scope: Scope) -> Expressions:
        return Expressions(self.symbols, scope)

    def told_apart(self, node: t.Node, what: str) -> None:
        """Refuse what a family cannot have."""
        if self.symbols.symbolic:
            raise Refused(codes.NOT_A_FAMILY, f"{what}: the program is no family of any number of processes", node)

    # --- by type ---------------------------------------------------------------------------------------

    def truth(self, x: t.Expression) -> e.Expr:
        return self.of_type(x, TRUTH)

    def number(self, x: t.Expression) -> e.Expr:
        return self.of_type(x, WHOLE)

    def of_type(self, x: t.Expression, type_: Type) -> e.Expr:
        return self.checked(self.value(x), x, type_)

    def checked(self, value: Value, x: t.Expression, type_: Type) -> e.Expr:
        """The value of `x`, which must be of the type."""
        if not type_.takes(value.type):
            raise Refused(codes.WRONG_TYPE, f"{type_} is needed here, and this is {value.type}", x)
        return value.expr

    def constant(self, x: t.Expression, type_: Type = WHOLE) -> int:
        """The value of an expression that must be known."""
        value = self.of_type(x, type_)
        if not isinstance(value, e.Const):
            raise Refused(codes.NOT_CONSTANT, "a constant is needed here", x)
        return value.value

    def process(self, x: t.Expression) -> Process:
        value = self.value(x)
        if value.type.what != "process" or value.process is None:
            raise Refused(codes.WRONG_TYPE, f"a process is needed here, and this is {value.type}", x)
        return value.process

    # --- expressions -----------------------------------------------------------------------------------

    def value(self, x: t.Expression) -> Value:
        current_budget().check()
        match x:
            case t.Number(value):
                if value > WHOLE.domain.high:
                    raise Refused(codes.BAD_RANGE, f"{value} is too large", x)
                return Value(e.Const(value), WHOLE)
            case t.Truth(holds):
                return Value(truth(holds), TRUTH)
            case t.Name(name):
                return self.name(name, x)
            case t.Element(name, indices) if name in self.symbols.classes:
                return self.of_process(self.member(self.symbols.classes[name], indices, x))
            case t.Element(name, indices):
                return self.element(self.variable(name, x), indices, x)
            case t.Itself():
                if self.scope.itself is None:
                    raise Refused(codes.WRONG_TYPE, "`self` has a meaning only in the program of a process", x)
                return self.of_process(self.scope.itself)
            case t.NoProcess():
                none = NoProcess() if self.symbols.symbolic else e.Const(self.symbols.processes)
                return Value(none, self.symbols.reference(NO_PROCESS))
            case t.NumberOf(process):
                return self.number_of(process, x)
            case t.Local(process, name, indices):
                return self.local(process, name, indices, x)
            case t.At(process, label):
                return Value(self.at(self.process(process), label, x), TRUTH)
            case t.Deadlock():
                return Value(self.deadlock(x), TRUTH)
            case t.Unary("!", operand):
                return Value(negation(self.truth(operand)), TRUTH)
            case t.Unary(_, operand):
                return Value(minus(self.number(operand)), WHOLE)
            case t.Binary():
                return self.binary(x)
            case t.Quantified(what):
                if self.symbols.symbolic:
                    return Value(self.of_any_number(x), TRUTH)
                if what == "count":
                    parts = [self.counted(inner, x) for inner in self.choices(x)]
                    return Value(folded("+", parts, e.Const(0)), WHOLE)
                parts = [self.quantified(inner, x) for inner in self.choices(x)]
                return Value(folded("&&" if what == "forall" else "||", parts, truth(what == "forall")), TRUTH)
            case t.Temporal():
                raise Refused(codes.WRONG_TYPE, "a temporal operator can only be in a formula", x)
        raise TypeError(f"unknown expression {type(x).__name__}")

    def name(self, name: str, x: t.Expression) -> Value:
        symbols = self.symbols
        if name in self.scope.bound:
            return self.of_process(self.scope.bound[name])
        if name in symbols.constants:
            return symbols.constants[name]
        if name in symbols.abbreviations:
            return self.abbreviation(name, x)
        if name in symbols.parameters:
            return Value(e.Get(symbols.parameters[name]), WHOLE)
        if name in symbols.classes and symbols.classes[name].single:
            self.told_apart(x, f"`{name}` names a process")
            return self.of_process(symbols.classes[name].member(0))
        return self.element(self.variable(name, x), (), x)

    def abbreviation(self, name: str, x: t.Expression) -> Value:
        """What the name stands for, as it would be outside of all quantifiers here; it cannot stand for itself."""
        if name in self.scope.spelled_out:
            raise Refused(codes.ENDLESS, f"`{name}` is defined by itself", x)
        inner = Scope(self.scope.itself, spelled_out=(*self.scope.spelled_out, name))
        return self.within(inner).value(self.symbols.abbreviations[name])

    def binary(self, x: t.Binary) -> Value:
        match x.operator:
            case "&" | "|":
                return Value(binary(LOGIC[x.operator], self.truth(x.left), self.truth(x.right)), TRUTH)
            case "->":
                return Value(binary("||", negation(self.truth(x.left)), self.truth(x.right)), TRUTH)
            case "<->":
                return Value(binary("==", self.truth(x.left), self.truth(x.right)), TRUTH)
            case "=" | "!=":
                left, right = self.value(x.left), self.value(x.right)
                if not left.type.compares(right.type):
                    raise Refused(codes.WRONG_TYPE, f"{left.type} is compared with {right.type}", x)
                return Value(binary(COMPARISONS[x.operator], left.expr, right.expr), TRUTH)
        left = self.value(x.left)
        if left.process is not None and x.operator in ("+", "-"):
            return self.neighbour(left.process, self.constant(x.right), x)
        one, other = self.checked(left, x.left, WHOLE), self.number(x.right)
        return Value(binary(x.operator, one, other), TRUTH if x.operator in ORDERS else WHOLE)

    # --- variables -------------------------------------------------------------------------------------

    def variable(self, name: str, x: t.Node) -> Declared:
        itself, symbols = self.scope.itself, self.symbols
        own = symbols.classes[itself.of].variables if itself is not None else {}
        found = own.get(name) or symbols.variables.get(name)
        if found is None:
            known = [
                *own,
                *symbols.variables,
                *symbols.constants,
                *symbols.abbreviations,
                *symbols.parameters,
                *self.scope.bound,
            ]
            close = suggest(name, known)
            hint = f"did you mean `{close}`?" if close else None
            if name in symbols.classes:
                raise Refused(codes.WRONG_TYPE, f"`{name}` is a class: say which of its processes, `{name}[1]`", x)
            raise Refused(codes.UNDECLARED, f"`{name}` is not declared", x, hint)
        return found

    def element(self, declared: Declared, indices: tuple[t.Expression, ...], x: t.Expression) -> Value:
        if declared.sharers is not None:
            self.check_shared(declared, indices, x)
        at = self.indices(declared, indices, x)
        return self.typed(e.Get(declared.variable, at), declared.type)

    def indices(self, declared: Declared, indices: tuple[t.Expression, ...], x: t.Node) -> tuple[e.Expr, ...]:
        if len(indices) != len(declared.dimensions):
            text = f"`{declared.variable.name}` has {len(declared.dimensions)} dimensions, not {len(indices)}"
            raise Refused(codes.BAD_INDEX, text, x)
        return tuple(self.index(d, index) for d, index in zip(declared.dimensions, indices, strict=True))

    def index(self, dimension: str | int, x: t.Expression) -> e.Expr:
        """An index: a process where a class is the dimension, else a number from 0."""
        if isinstance(dimension, int):
            index = self.number(x)
            if isinstance(index, e.Const) and not 0 <= index.value < dimension:
                raise Refused(codes.BAD_INDEX, f"index {index.value} is not in 0..{dimension - 1}", x)
            return index
        members = self.symbols.classes[dimension]
        value = self.value(x)
        if value.type.what == "number":
            return self.member(members, (x,), x).member or e.Const(0)
        if value.process is None or value.process.of != dimension:
            raise Refused(codes.BAD_INDEX, f"the index is a process of {dimension}, and this is {value.type}", x)
        assert value.process.member is not None
        return value.process.member

    def check_shared(self, declared: Declared, indices: tuple[t.Expression, ...], x: t.Expression) -> None:
        """A process may use only what it shares: asked of every member of the class whose program this is."""
        itself = self.scope.itself
        assert declared.sharers is not None
        if itself is None:
            return
        members = self.symbols.classes[itself.of]
        alike = len(set(declared.sharers)) == 1
        for place in range(members.count):
            one = self.within(replace(self.scope, itself=members.member(place)))
            at = () if alike else one.indices(declared, indices, x)
            if not all(isinstance(index, e.Const) for index in at):
                hint = "index it by `self` or by a neighbour of `self`, or declare it `global`"
                raise Refused(codes.NOT_SHARED, f"which `{declared.variable.name}` this is cannot be known", x, hint)
            offset = next((index.value for index in at if isinstance(index, e.Const)), 0)
            if members.start + place not in declared.sharers[offset]:
                name = f"{members.called(place)} does not share `{declared.variable.element(offset)}`"
                raise Refused(codes.NOT_SHARED, name, x)

    def typed(self, expr: e.Expr, type_: Type) -> Value:
        """A value of a type; references to processes know the class."""
        if type_.what != "process":
            return Value(expr, type_)
        if type_.name == ANY_PROCESS:
            return Value(expr, type_, Process(ANY_PROCESS, expr))
        start = self.symbols.classes[type_.name].start
        return Value(expr, type_, Process(type_.name, expr, binary("-", expr, e.Const(start)) if start else expr))

    # --- processes -------------------------------------------------------------------------------------

    def of_process(self, process: Process) -> Value:
        return Value(process.pid, self.symbols.reference(process.of), process)

    def member(self, members: Members, indices: tuple[t.Expression, ...], x: t.Expression) -> Process:
        """`P[2]`, or `P[i]` for a process `i` of the class."""
        self.told_apart(x, "this names a process")
        if len(indices) != 1:
            raise Refused(codes.BAD_INDEX, f"one number says which process of {members.name} is meant", x)
        value = self.value(indices[0])
        if value.process is not None and value.process.of == members.name:
            return value.process
        if value.type.what != "number" or not isinstance(value.expr, e.Const):
            text = f"a number or a process of {members.name} is needed here"
            raise Refused(codes.NOT_CONSTANT, text, indices[0])
        place = value.expr.value
        if not 1 <= place <= members.count:
            raise Refused(codes.BAD_INDEX, f"{members.name} has the processes 1..{members.count}", indices[0])
        return members.member(place - 1)

    def neighbour(self, process: Process, distance: int, x: t.Binary) -> Value:
        """`self + 1`: the next member of the class, around the ring."""
        self.told_apart(x, "this names a neighbour")
        if process.of == ANY_PROCESS or process.member is None or isinstance(process.pid, e.Get | e.Remote):
            raise Refused(codes.UNSUPPORTED, "only `self`, quantified and named processes have neighbours", x)
        members = self.symbols.classes[process.of]
        if x.operator == "-":
            distance = -distance
        around = binary("%", binary("+", process.member, e.Const(distance % members.count)), e.Const(members.count))
        pid = binary("+", around, e.Const(members.start)) if members.start else around
        return self.of_process(Process(process.of, pid, around))

    def number_of(self, process: t.Expression, x: t.Expression) -> Value:
        self.told_apart(x, "the number of a process is asked for")
        found = self.process(process)
        if found.member is None:
            raise Refused(codes.UNSUPPORTED, "the class of this process is not known, so it has no number", x)
        return Value(binary("+", found.member, e.Const(1)), WHOLE)

    def local(self, process: t.Expression, name: str, indices: tuple[t.Expression, ...], x: t.Expression) -> Value:
        who = self.process(process)
        members = self.symbols.classes.get(who.of)
        if members is None:
            raise Refused(codes.UNSUPPORTED, "the class of this process is not known, so its variables are not", x)
        declared = members.variables.get(name)
        if declared is None:
            close = suggest(name, members.variables)
            hint = f"did you mean `{close}`?" if close else None
            raise Refused(codes.UNDECLARED, f"`{who.of}` has no variable `{name}`", x, hint)
        at = self.indices(declared, indices, x)
        if isinstance(process, t.Itself):
            return self.typed(e.Get(declared.variable, at), declared.type)
        return self.typed(e.Remote(who.of, who.pid, declared.variable, at), declared.type)

    def at(self, who: Process, label: str, x: t.Expression) -> e.Expr:
        members = self.symbols.classes.get(who.of)
        if members is None:
            raise Refused(codes.UNSUPPORTED, "the class of this process is not known, so its labels are not", x)
        places = members.automaton.labels.get(label)
        if places is None:
            close = suggest(label, members.automaton.labels)
            hint = f"did you mean `{close}`?" if close else None
            raise Refused(codes.NO_LABEL, f"`{who.of}` has no label `{label}`", x, hint)
        return e.AtLocation(who.of, who.pid, label, places)

    def deadlock(self, x: t.Expression) -> e.Expr:
        if self.scope.itself is not None:
            raise Refused(codes.UNSUPPORTED, "`deadlock` can be in properties only", x)
        if self.symbols.symbolic:
            return e.Timeout()
        processes = range(1 if self.symbols.synchronous else self.symbols.processes)
        return folded("&&", [negation(e.Enabled(e.Const(pid))) for pid in processes], e.TRUE)

    # --- quantifiers -----------------------------------------------------------------------------------

    def quantified(self, inner: Expressions, x: t.Quantified) -> e.Expr:
        body = inner.truth(x.body)
        if x.condition is None:
            return body
        condition = inner.truth(x.condition)
        return binary("||", negation(condition), body) if x.what == "forall" else binary("&&", condition, body)

    def of_any_number(self, x: t.Quantified) -> e.Expr:
        """A condition on all processes of a class, or on some, of which there is any number."""
        if self.scope.itself is None or x.what == "count":
            self.told_apart(x, f"`{x.what}` looks at all processes")
        scope = self.scope
        bound: list[tuple[str, m.Variable]] = []
        apart: e.Expr = e.TRUE
        for each in x.bound:
            of = self.class_of(each).name
            for name in each.names:
                variable = m.Variable(name, PROCESS)
                for earlier, other in bound:
                    if earlier == of:
                        apart = binary("&&", apart, e.Binary("!=", e.Get(other), e.Get(variable)))
                bound.append((of, variable))
                scope = scope.binding(name, Process(of, e.Get(variable)))
        body = self.quantified(self.within(scope), x)
        made = Everyone if x.what == "forall" else Someone
        found = binary("||", negation(apart), body) if x.what == "forall" else binary("&&", apart, body)
        for of, variable in reversed(bound):
            found = made(of, variable, found)
        return found

    def counted(self, inner: Expressions, x: t.Quantified) -> e.Expr:
        condition = inner.truth(x.body)
        if x.condition is not None:
            condition = binary("&&", inner.truth(x.condition), condition)
        return condition if isinstance(condition, e.Const) else e.Conditional(condition, e.Const(1), e.Const(0))

    def choices(self, x: t.Quantified) -> Iterator[Expressions]:
        """The scopes in which the variables stand for processes, different ones if they are of one class."""
        names = [(name, self.class_of(bound)) for bound in x.bound for name in bound.names]
        yield from self.bindings(names)

    def bindings(self, names: list[tuple[str, Members]]) -> Iterator[Expressions]:
        if not names:
            yield self
            return
        (name, members), rest = names[0], names[1:]
        taken = {process.pid for process in self.scope.bound.values()}
        for place in range(members.count):
            process = members.member(place)
            if process.pid not in taken:
                yield from self.within(self.scope.binding(name, process)).bindings(rest)

    def class_of(self, bound: t.Bound) -> Members:
        classes = self.symbols.classes
        if bound.of is None:
            if len(classes) != 1:
                raise Refused(codes.UNDECLARED, "say of which class: `forall i, j in P: ...`", bound)
            return next(iter(classes.values()))
        if bound.of not in classes:
            close = suggest(bound.of, classes)
            hint = f"did you mean `{close}`?" if close else None
            raise Refused(codes.UNDECLARED, f"there is no class `{bound.of}`", bound, hint)
        return classes[bound.of]


def folded(operator: str, parts: Sequence[e.Expr], neutral: e.Expr) -> e.Expr:
    """All parts joined by an associative operator; many of them as a tree that is not deep."""
    if len(parts) > LONG:
        half = len(parts) // 2
        return binary(operator, folded(operator, parts[:half], neutral), folded(operator, parts[half:], neutral))
    result: e.Expr | None = None
    for part in parts:
        result = part if result is None else binary(operator, result, part)
    return neutral if result is None else result
