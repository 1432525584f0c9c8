"""Murphi's expressions as expressions of the model, for given values of parameters.

Quantifiers, calls and aliases are written out.  Local variables are kept as expressions over the variables of the model for as
long as these do not change (`Values`), so that most of them are constants or copies and never become variables of the model.

Reading a variable that may be undefined is a `Checked` expression.  What has to be done besides computing a value (a
check inside of a function, an assignment to a global variable) is appended to `statements`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from coset.languages.murphi import codes, folding
from coset.languages.murphi import tree as t
from coset.languages.murphi.exact import exact, opposite
from coset.languages.murphi.purity import Purity
from coset.languages.murphi.statements import Branch, Check, Set, Statement, branch, written
from coset.languages.murphi.storage import PRESENT, Leaf, Ref, Storage, offset, variable
from coset.languages.murphi.symbols import Alias, Bound, Constant, Found, FunctionName, Symbol, Variable
from coset.languages.murphi.types import BOOLEAN, NUMBER, Array, Multiset, Record, Simple, Type, Union
from coset.model import expression as e
from coset.model import model as m
from coset.source.budget import current_budget
from coset.source.diagnostics import Diagnostic, InputError
from coset.source.text import Span

LARGEST = 80
"""A local variable whose value is a larger expression becomes a variable of the model."""
MOST_VALUES = 10_000
"""The most values of a quantifier or a loop that is written out."""
MOST_STATEMENTS = 2_000_000
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class Local(NamedTuple):
    """The value of a local variable, and whether it is certainly defined."""

    x: e.Expr
    is_defined: bool


class Bounds(NamedTuple):
    """The bounds of a loop that are computed, the step, and all values that its variable may have, in their order."""

    low: e.Expr
    high: e.Expr
    step: int
    values: Sequence[int]

    def has(self, value: int, low: e.Expr, high: e.Expr) -> Iterator[e.Expr]:
        """Whether the loop takes a value, if its bounds have these values."""
        x, (first, last) = e.Const(value), ("<=", ">=") if self.step > 0 else (">=", "<=")
        yield folding.binary(first, low, x)
        yield folding.binary(last, high, x)
        if abs(self.step) > 1:
            distance = folding.binary("-", x, low) if self.step > 0 else folding.binary("-", low, x)
            yield folding.binary("=", folding.binary("%", distance, e.Const(abs(self.step))), e.Const(0))


def missing(leaf: Leaf) -> Local:
    """The value of a local variable before the first assignment."""
    return Local(e.Const(leaf.undefined), False)


class Held(e.Expr):
    """The index of an alias or `var` parameter, which keeps its value: it is kept like a local variable."""

    __slots__ = ("leaf",)

    def __init__(self, leaf: Leaf) -> None:
        object.__setattr__(self, "leaf", leaf)

    leaf: Leaf


class NotPure(Exception):
    """An expression that is evaluated only under a condition does something besides computing a value."""


def refused(code: str, message: str, span: Span, hint: str | None = None) -> InputError:
    return InputError([Diagnostic(code, message, span, hint)])


class Expressions:
    """Writes out the expressions of one program.  `begin` starts with a new rule."""

    owner = "rules"
    """The kind of the one process, which executes the rules."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.storages: dict[int, Storage] = {}
        self.locals: list[m.Variable] = []
        """The variables of the process, shared by all rules."""
        self.temporaries: dict[int, list[m.Variable]] = {}
        self.purity = Purity(found)
        self.total = 0
        for symbol in found.variables:
            self.storage(symbol)
        self.begin()

    def begin(self) -> None:
        """Forget everything about local variables."""
        self.values: dict[Leaf, Local] = {}
        self.bindings: dict[int, e.Expr] = {}
        self.refs: dict[int, Ref] = {}
        self.statements: list[Statement] = []
        self.variables: dict[int, tuple[e.Expr, frozenset[m.Variable]]] = {}
        self.used_temporaries: dict[int, int] = {}
        self.touched: dict[m.Variable, None] = {}
        """The variables of the process that the rule assigns to."""
        self.calls: list[FunctionName] = []
        self.frozen_leaves: list[Leaf] = []
        """The indices that aliases and parameters keep, as long as these exist."""
        self.is_guard = False
        self.largest = LARGEST

    # --- storage -----------------------------------------------------------------------------------

    def storage(self, symbol: Variable) -> Storage:
        """Where a variable is kept."""
        known = self.storages.get(id(symbol))
        if known is None:
            owner = self.owner if symbol.local else None
            known = self.storages[id(symbol)] = Storage(symbol.name, symbol.type, owner, span=symbol.span)
        return known

    def variable_of(self, storage: Storage, leaf: Leaf) -> m.Variable:
        """The variable of the model for a leaf."""
        if leaf.variable is None:
            made = variable(leaf, storage.owner, storage.span)
            if storage.owner is not None:
                made = self.own(made)
            leaf.variable = made
        return leaf.variable

    def own(self, made: m.Variable) -> m.Variable:
        """A variable of the process with a name that no other one has."""
        taken = {each.name for each in self.locals}
        name, number = made.name, 1
        while name in taken:
            number += 1
            name = f"{made.name}_{number}"
        made = replace(made, name=name)
        self.locals.append(made)
        return made

    def is_kept(self, storage: Storage, leaf: Leaf) -> bool:
        """Whether a leaf is kept as an expression: it is a local variable and no array."""
        return storage.owner is not None and not leaf.dimensions

    def temporary(self, type_: Simple) -> m.Variable:
        """A variable of the process that this rule has not used yet.  Each type has its own, so that what has nothing to do with
        each other is not of one sort."""
        key = id(type_)
        number = self.used_temporaries.get(key, 0)
        self.used_temporaries[key] = number + 1
        known = self.temporaries.setdefault(key, [])
        if number == len(known):
            plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in type_.name)
            leaf = Leaf(f"{plain}_{number}", (), (), (0,), type_)
            made = variable(leaf, self.owner, None)
            if type_ is not NUMBER:  # no two are alike, so that a symmetry cannot exchange them
                made = replace(made, domain=replace(made.domain, high=made.domain.high + number))
            known.append(self.own(made))
        return known[number]

    def fresh(self, type_: Simple) -> Leaf:
        """A local variable without a name."""
        return Leaf("value", (), (), (0,), type_)

    # --- statements --------------------------------------------------------------------------------

    def emit(self, statement: Statement) -> None:
        self.total += 1
        if self.total % 1000 == 0:
            current_budget().check()
        if self.total > MOST_STATEMENTS:
            span = self.found.program.span
            raise refused(codes.TOO_LARGE, "the rules are too large when their loops are written out", span)
        self.statements.append(statement)

    def check(self, x: e.Expr) -> e.Expr:
        """Evaluate an expression that may fault; it is returned without its checks, which need not be repeated."""
        if folding.may_fault(x):
            self.emit(Check(x))
            return folding.unchecked(x)
        return x

    def set(self, target: m.Variable, indices: tuple[e.Expr, ...], value: e.Expr) -> None:
        """Assign to a variable of the model.  Local variables whose values depend on it get variables of their own."""
        if self.is_guard and target.owner is None:
            raise NotPure
        self.displace(target, indices)
        if target.owner is not None:
            self.touched[target] = None
        self.emit(Set(e.Place(target, indices), value))

    def displace(self, target: m.Variable, indices: tuple[e.Expr, ...]) -> None:
        for leaf, local in list(self.values.items()):
            if isinstance(local.x, e.Const) or target not in self.variables_in(local.x):
                continue
            if not depends(local.x, target, indices):
                continue
            own = self.temporary(leaf.type)
            self.touched[own] = None
            self.emit(Set(e.Place(own), local.x))
            self.values[leaf] = Local(e.Get(own), local.is_defined)

    def variables_in(self, x: e.Expr) -> frozenset[m.Variable]:
        """The variables that an expression reads, which is asked often."""
        known = self.variables.get(id(x))
        if known is None:
            found = frozenset(part.variable for part in x.walk() if isinstance(part, e.Get))
            known = self.variables[id(x)] = x, found
        return known[1]

    def put(self, leaf: Leaf, x: e.Expr, is_defined: bool = True) -> None:
        """Give a local variable a value."""
        if is_defined:
            x = self.check(x)
        self.values[leaf] = Local(x, is_defined)
        if folding.size(x, self.largest) >= self.largest:
            own = self.temporary(leaf.type)
            self.values.pop(leaf)
            self.set(own, (), x)
            self.values[leaf] = Local(e.Get(own), is_defined)

    def branch(self, condition: e.Expr, yes: Callable[[], None], no: Callable[[], None]) -> None:
        """Do one thing or another, and join what is known afterwards."""
        if isinstance(condition, e.Const):
            (yes if condition.value else no)()
            return
        condition = self.check(condition)
        before, outer, free = dict(self.values), self.statements, dict(self.used_temporaries)
        positive: list[Statement] = []
        self.statements = positive
        yes()
        after_yes, self.values = self.values, before
        # Only one of both is executed, so that they can share their variables.
        used, self.used_temporaries = self.used_temporaries, free
        negative: list[Statement] = []
        self.statements = negative
        no()
        for key, number in used.items():
            self.used_temporaries[key] = max(number, self.used_temporaries.get(key, 0))
        after_no, self.statements = self.values, outer
        changed = written(positive) | written(negative)
        is_stable = not any(part.variable in changed for part in condition.walk() if isinstance(part, e.Get))
        self.values = {}
        for leaf in dict.fromkeys((*after_yes, *after_no)):
            one, other = after_yes.get(leaf), after_no.get(leaf)
            if leaf in self.frozen_leaves:  # the other arm has left an alias
                one, other = one or other, other or one
            self.values[leaf] = self.joined(
                leaf, condition if is_stable else None, one or missing(leaf), other or missing(leaf), positive, negative
            )
        if positive or negative:
            self.emit(branch(condition, positive, negative))

    def joined(
        self, leaf: Leaf, condition: e.Expr | None, one: Local, other: Local,
        positive: list[Statement], negative: list[Statement],
    ) -> Local:  # fmt: skip
        """The value of a local variable after a branch."""
        if one == other:
            return one
        is_defined = one.is_defined and other.is_defined
        if condition is not None:
            x = folding.stepped(condition, one.x, other.x, leaf.type is BOOLEAN and is_defined)
            if x == e.Conditional(condition, one.x, other.x):
                x = folding.stepped(folding.negated(condition), other.x, one.x)
            if folding.size(x, self.largest) < self.largest:
                return Local(x, is_defined)
        own = self.temporary(leaf.type)
        self.touched[own] = None
        positive.append(Set(e.Place(own), one.x))
        negative.append(Set(e.Place(own), other.x))
        return Local(e.Get(own), is_defined)

    def under(self, node: t.Expression) -> e.Expr:
        """The value of an expression that is evaluated under a condition.  Raises `NotPure` if it does more than that."""
        outer, values = self.statements, dict(self.values)
        self.statements = []
        try:
            x = self.value(node)
            done = self.statements
        finally:
            self.statements = outer
        return self.with_checks(done, x, values)

    def with_checks(self, done: Sequence[Statement], x: e.Expr, values: dict[Leaf, Local]) -> e.Expr:
        """A value after some checks, as one expression."""
        try:
            checks = checked(done)
        except NotPure:
            self.values = values
            raise
        is_truth = isinstance(x, e.Unary | e.Binary) and x.operator in folding.LOGIC
        return x if checks is None else folding.after(checks, x, is_truth)

    # --- designators -------------------------------------------------------------------------------

    def type_of(self, node: t.Expression) -> Type:
        return self.found.type_of(node)

    def ref(self, node: t.Expression) -> Ref:
        """What an expression denotes that is a variable, or the result of a function."""
        match node:
            case t.Name():
                symbol = self.symbol_of(node)
                if id(symbol) in self.refs:
                    return self.refs[id(symbol)]
                if isinstance(symbol, Alias):
                    return self.ref(symbol.value)
                assert isinstance(symbol, Variable)
                return Ref(self.storage(symbol), symbol.type)
            case t.Field(record, name):
                of = self.ref(record)
                assert isinstance(of.type, Record)
                return Ref(of.storage, of.type.fields[name], (*of.path, name), of.indices)
            case t.Element(array, index):
                of = self.ref(array)
                if isinstance(of.type, Multiset):
                    place = self.index(index, of.type.slot)
                    return Ref(of.storage, of.type.element, of.path, (*of.indices, place))
                assert isinstance(of.type, Array)
                place = self.index(index, of.type.index)
                return Ref(of.storage, of.type.element, of.path, (*of.indices, place))
            case t.Call():
                result = self.call(node)
                assert isinstance(result, Ref)
                return result
            case t.Conditional(condition, yes, no):
                chosen = self.value(condition)
                if isinstance(chosen, e.Const):
                    return self.ref(yes if chosen.value else no)
        raise refused(
            codes.UNSUPPORTED, "this expression as a whole record or array", node.span, "assign it field by field"
        )

    def index(self, node: t.Expression, type_: Simple) -> e.Expr:
        """The value of an index, as it is stored."""
        x = (
            folding.within(self.value(node), type_.low, type_.high, "index", shown(node))
            if not self.fits(self.type_of(node), type_)
            else self.value(node)
        )
        shift = offset(type_)
        return folding.binary("-", x, e.Const(shift)) if shift else x

    def fits(self, one: Type, other: Simple) -> bool:
        """Whether every value of one type is a value of another one."""
        if not isinstance(one, Simple):
            return False
        if isinstance(one, Union) or isinstance(other, Union):
            return set(one.values()) <= set(other.values())
        return other.low <= one.low and one.high <= other.high

    def frozen(self, ref: Ref) -> Ref:
        """A reference that stays the same when variables in its indices change."""
        indices: list[e.Expr] = []
        dimensions = next(ref.parts()).dimensions
        for x, dimension in zip(ref.indices, dimensions, strict=False):
            if isinstance(x, e.Const | Held):
                indices.append(x)
            else:
                leaf = self.fresh(NUMBER if offset(dimension) else dimension)
                self.frozen_leaves.append(leaf)
                self.put(leaf, x)
                indices.append(Held(leaf))
        return Ref(ref.storage, ref.type, ref.path, tuple(indices))

    def release(self, mark: int) -> None:
        """Forget the indices that have been kept since there were so many."""
        for leaf in self.frozen_leaves[mark:]:
            self.values.pop(leaf, None)
        del self.frozen_leaves[mark:]

    def resolved(self, indices: Sequence[e.Expr]) -> tuple[e.Expr, ...]:
        return tuple(self.values[x.leaf].x if isinstance(x, Held) else x for x in indices)

    # --- reading -----------------------------------------------------------------------------------

    def raw(self, storage: Storage, leaf: Leaf, indices: Sequence[e.Expr]) -> Local:
        """What a leaf holds, which may be the number for `undefined`."""
        if self.is_kept(storage, leaf):
            return self.values.get(leaf) or missing(leaf)
        return Local(e.Get(self.variable_of(storage, leaf), self.resolved(indices)), False)

    def read(self, ref: Ref, name: str) -> e.Expr:
        """The value of a simple variable, which must be defined."""
        leaf = ref.leaf
        x, is_defined = self.raw(ref.storage, leaf, ref.indices)
        return x if is_defined else folding.within(x, leaf.type.low, leaf.type.high, "undefined", name)

    def value(self, node: t.Expression) -> e.Expr:
        """The value of an expression of a simple type."""
        match node:
            case t.Number(value):
                return e.Const(value)
            case t.Name():
                return self.named(node)
            case t.Field() | t.Element():
                return self.read(self.ref(node), shown(node))
            case t.Unary(operator, operand):
                x = self.value(operand)
                return (
                    folding.negated(x)
                    if operator == "!"
                    else opposite(x, shown(node))
                    if operator == "-"
                    else inverted(x)
                )
            case t.Binary(operator, left, right):
                return self.binary(node, operator, left, right)
            case t.Conditional(condition, yes, no):
                chosen = self.value(condition)
                if isinstance(chosen, e.Const):
                    return self.value(yes if chosen.value else no)
                is_truth = self.type_of(yes) is BOOLEAN
                return self.lazily(
                    self.simple_type(node), chosen, lambda: self.value(yes), lambda: self.value(no),
                    lambda: folding.choice(chosen, self.under(yes), self.under(no), is_truth),
                )  # fmt: skip
            case t.Quantified(kind, quantifier, body):
                return self.quantified(kind, quantifier, body)
            case t.Call():
                result = self.call(node)
                assert isinstance(result, e.Expr)
                return result
            case t.IsUndefined(of):
                ref = self.ref(of)
                x, is_defined = self.raw(ref.storage, ref.leaf, ref.indices)
                return folding.FALSE if is_defined else folding.binary("=", x, e.Const(ref.leaf.undefined))
            case t.IsMember(of, type_):
                x, wanted = self.value(of), self.found.type_of(type_)
                assert isinstance(wanted, Simple)
                if isinstance(x, e.Const):
                    return e.Const(int(x.value in wanted.values()))
                return folding.joined("||", (folding.binary("=", x, e.Const(value)) for value in wanted.values()))
            case t.Count(_, multiset, condition):
                return self.count(node, self.ref(multiset), condition)
        raise TypeError(f"unknown expression {type(node).__name__}")

    def simple_type(self, node: t.Expression) -> Simple:
        found = self.type_of(node)
        assert isinstance(found, Simple)
        return found

    def symbol_of(self, node: t.Name) -> Symbol:
        found = self.found.symbols.get(id(node))
        if found is None:
            hint = "ask `isundefined(x)`, or write `undefine x`"
            raise refused(codes.WRONG_KIND, f"`{node.name}` can only be assigned and passed", node.span, hint)
        return found

    def named(self, node: t.Name) -> e.Expr:
        symbol = self.symbol_of(node)
        match symbol:
            case Constant():
                return e.Const(symbol.value)
            case Bound():
                return self.bindings[id(symbol)]
            case Alias(value=value) if id(symbol) not in self.refs:
                return self.value(value)
        return self.read(self.ref(node), node.name)

    def binary(self, node: t.Binary, operator: str, left: t.Expression, right: t.Expression) -> e.Expr:
        one = self.type_of(left)
        if operator in ("=", "!=") and not isinstance(one, Simple):
            same = folding.joined("&&", self.equal(self.ref(left), self.ref(right)))
            return same if operator == "=" else folding.negated(same)
        if operator in ("&", "|") and one is BOOLEAN:
            operator *= 2
        if operator == "^" and one is BOOLEAN:
            operator = "!="
        if operator not in ("&&", "||", "->"):
            first, second = self.operands(operator, left, right)
            return (
                folding.shifted(operator, first, second)
                if operator in ("<<", ">>")
                else exact(operator, first, second, shown(node))
            )
        first = self.value(left)
        stop = operator == "||"
        if isinstance(first, e.Const):
            decided = bool(first.value) == stop if operator != "->" else not first.value
            return e.Const(int(operator != "&&")) if decided else self.value(right)
        outcome = e.Const(int(operator != "&&"))

        def rest() -> e.Expr:
            return self.value(right)

        def known() -> e.Expr:
            return outcome

        first_choice, second_choice = (known, rest) if operator == "||" else (rest, known)
        return self.lazily(
            BOOLEAN, first, first_choice, second_choice, lambda: folding.binary(operator, first, self.under(right))
        )

    def operands(self, operator: str, left: t.Expression, right: t.Expression) -> tuple[e.Expr, e.Expr]:
        """The values of two operands.  If one of them changes something, the order matters, and no manual says what it is: this
        is the one in which gcc computes what Rumur writes, from the right in arithmetic."""
        if not (self.purity.changes(left) or self.purity.changes(right)):
            return self.value(left), self.value(right)
        if operator in COMPARISONS:
            held = self.held(left)
            second = self.value(right)
            return self.values.pop(held).x, second
        held = self.held(right)
        first = self.value(left)
        return first, self.values.pop(held).x

    def held(self, node: t.Expression) -> Leaf:
        """The value of an expression, kept while something else is executed."""
        leaf = self.fresh(self.simple_type(node))
        self.put(leaf, self.value(node))
        return leaf

    def lazily(
        self,
        type_: Simple,
        condition: e.Expr,
        yes: Callable[[], e.Expr],
        no: Callable[[], e.Expr],
        pure: Callable[[], e.Expr],
    ) -> e.Expr:
        """One of two values: as an expression if it is one, otherwise by a branch."""
        values = dict(self.values)
        try:
            return pure()
        except NotPure:
            if self.is_guard:
                raise
            self.values = values
        leaf = self.fresh(type_)
        self.branch(condition, lambda: self.put(leaf, yes()), lambda: self.put(leaf, no()))
        return self.values.pop(leaf).x

    def equal(self, one: Ref, other: Ref) -> Iterator[e.Expr]:
        """Whether two records or arrays are the same, element by element."""
        for mine, yours, indices in self.pairs(one, other):
            x, _ = self.raw(one.storage, mine, (*one.indices, *indices))
            y, _ = self.raw(other.storage, yours, (*other.indices, *indices))
            yield folding.binary("=", x, y)

    def pairs(self, one: Ref, other: Ref) -> Iterator[tuple[Leaf, Leaf, tuple[e.Expr, ...]]]:
        """The simple parts of two variables of one type, with the indices that follow those of the variables."""
        others = {leaf.path[len(other.path) :]: leaf for leaf in other.parts()}
        for leaf in one.parts():
            for indices in self.elements(one, leaf):
                yield leaf, others[leaf.path[len(one.path) :]], indices

    def elements(self, ref: Ref, leaf: Leaf) -> Iterator[tuple[e.Expr, ...]]:
        """The indices of all elements of a leaf below a reference."""
        from itertools import product

        rest = leaf.dimensions[len(ref.indices) :]
        for each in product(*([value - offset(type_) for value in type_.values()] for type_ in rest)):
            yield tuple(map(e.Const, each))

    # --- quantifiers -------------------------------------------------------------------------------

    def bound_values(self, quantifier: t.Quantifier) -> list[int] | None:
        """The values of a quantifier, None if its bounds are not constant."""
        if quantifier.type is not None:
            type_ = self.found.type_of(quantifier.type)
            assert isinstance(type_, Simple)
            if type_.high - type_.low >= MOST_VALUES:
                raise refused(codes.TOO_LARGE, f"more than {MOST_VALUES:,} values", quantifier.span)
            return list(type_.values())
        assert quantifier.low is not None and quantifier.high is not None
        low, high = self.value(quantifier.low), self.value(quantifier.high)
        step = self.value(quantifier.step) if quantifier.step is not None else e.Const(1)
        if not (isinstance(low, e.Const) and isinstance(high, e.Const) and isinstance(step, e.Const)):
            return None
        if step.value == 0:
            return None
        values = range(low.value, high.value + (1 if step.value > 0 else -1), step.value)
        if len(values) > MOST_VALUES:
            raise refused(codes.TOO_LARGE, f"more than {MOST_VALUES:,} values", quantifier.span)
        return list(values)

    def computed_bounds(self, quantifier: t.Quantifier) -> Bounds | None:
        """The bounds of a quantifier that are not constant; None if its step is not, or if they may be anything."""
        assert quantifier.low is not None and quantifier.high is not None
        step = self.value(quantifier.step) if quantifier.step is not None else e.Const(1)
        if not isinstance(step, e.Const) or step.value == 0:
            return None
        low, high = self.value(quantifier.low), self.value(quantifier.high)
        if step.value < 0:
            first, last = folding.BOUNDS.interval(high)[0], folding.BOUNDS.interval(low)[1]
        else:
            first, last = folding.BOUNDS.interval(low)[0], folding.BOUNDS.interval(high)[1]
        if last - first >= MOST_VALUES:
            return None
        values = range(first, last + 1)
        return Bounds(low, high, step.value, values if step.value > 0 else values[::-1])

    def quantified(self, kind: str, quantifier: t.Quantifier, body: t.Expression) -> e.Expr:
        symbol = self.found.symbol_of(quantifier)
        operator = "&&" if kind == "forall" else "||"
        values: Sequence[int] | None = self.bound_values(quantifier)
        bounds = None
        if values is None:
            bounds = self.computed_bounds(quantifier)
            if bounds is None:
                hint = "take a range with constant bounds, and ask for the others inside"
                raise refused(codes.UNSUPPORTED, f"`{kind}` with such bounds", quantifier.span, hint)
            values = bounds.values
        known = dict(self.values)
        try:
            return self.conjunction(symbol, operator, values, bounds, body)
        except NotPure:
            if self.is_guard:
                raise
            self.values = known
        open_ = self.fresh(BOOLEAN)
        self.put(open_, folding.TRUE)
        for value in values:
            self.bindings[id(symbol)] = e.Const(value)
            inside = folding.TRUE
            if bounds is not None:
                inside = folding.joined("&&", bounds.has(value, bounds.low, bounds.high))
            asked = folding.binary("&&", self.values[open_].x, inside)
            self.branch(asked, partial(self.decide, open_, body, kind == "forall"), lambda: None)
        undecided = self.values.pop(open_).x
        return undecided if kind == "forall" else folding.negated(undecided)

    def decide(self, open_: Leaf, body: t.Expression, is_open: bool) -> None:
        """Ask for one value of a quantifier, if that takes more than an expression: it stays open, or is decided."""
        x = self.value(body)
        self.put(open_, x if is_open else folding.negated(x))

    def conjunction(
        self, symbol: object, operator: str, values: Sequence[int], bounds: Bounds | None, body: t.Expression
    ) -> e.Expr:
        """What is said of each value, joined by `&&` or `||`."""
        result = folding.TRUE if operator == "&&" else folding.FALSE
        for value in values:
            self.bindings[id(symbol)] = e.Const(value)
            holds = self.under(body)
            if bounds is not None:
                inside = folding.joined("&&", bounds.has(value, bounds.low, bounds.high))
                joined = folding.binary("&&", inside, holds)
                holds = folding.binary("||", folding.negated(inside), holds) if operator == "&&" else joined
            result = folding.binary(operator, result, holds)
            if isinstance(result, e.Const) and bool(result.value) == (operator == "||"):
                break
        return result

    def count(self, node: t.Expression, multiset: Ref, condition: t.Expression) -> e.Expr:
        """How many elements of a multiset satisfy a condition."""
        symbol = self.found.symbol_of(node)
        assert isinstance(multiset.type, Multiset)
        total: e.Expr = e.Const(0)
        for slot in multiset.type.slot.values():
            self.bindings[id(symbol)] = e.Const(slot)
            holds = folding.binary("&&", self.is_present(multiset, slot), self.under(condition))
            total = folding.binary("+", total, folding.choice(holds, e.Const(1), e.Const(0)))
        return total

    def is_present(self, multiset: Ref, slot: int) -> e.Expr:
        leaf = multiset.storage.leaves[(*multiset.path, PRESENT)]
        x, _ = self.raw(multiset.storage, leaf, (*multiset.indices, e.Const(slot)))
        return folding.binary("=", x, folding.TRUE)

    def call(self, node: t.Call) -> e.Expr | Ref:
        raise NotImplementedError


def checked(done: Sequence[Statement]) -> e.Expr | None:
    """Some checks as one expression, whose value does not matter; None if there is nothing to check."""
    found: e.Expr | None = None
    for each in done:
        match each:
            case Check(value):
                part: e.Expr | None = value
            case Branch(condition, yes, no):
                one, other = checked(yes), checked(no)
                part = None
                if one is not None or other is not None:
                    part = e.Conditional(condition, one or folding.TRUE, other or folding.TRUE)
            case _:
                raise NotPure
        if found is None or part is None:
            found = found or part
        else:
            found = e.Binary("&&", e.Binary("||", found, folding.TRUE), part)
    return found


def depends(x: e.Expr, target: m.Variable, indices: tuple[e.Expr, ...]) -> bool:
    """Whether an expression may read an element that is assigned to."""
    for part in x.walk():
        if isinstance(part, e.Get) and part.variable is target:
            pairs = zip(part.indices, indices, strict=True)
            if not any(isinstance(i, e.Const) and isinstance(j, e.Const) and i.value != j.value for i, j in pairs):
                return True
    return False


def inverted(x: e.Expr) -> e.Expr:
    return e.Const(~x.value) if isinstance(x, e.Const) else e.Unary("~", x)


def shown(node: t.Node) -> str:
    """The text of an expression, in one line."""
    return " ".join(node.span.text.split())
