"""What the rules of a Murphi program do, for given values of parameters: calls, loops and locals are written out.

A `return` ends a function or rule in the middle of its statements.  What would follow goes into those branches that do not
return: `if a then return end; x := 1` is `if a then else x := 1 end`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from coset.languages.murphi import codes, folding
from coset.languages.murphi import tree as t
from coset.languages.murphi.covers import Conditions
from coset.languages.murphi.elaborate_expression import (
    LARGEST,
    MOST_VALUES,
    Expressions,
    Local,
    NotPure,
    missing,
    refused,
    shown,
)
from coset.languages.murphi.statements import Check, Cover, Statement, While
from coset.languages.murphi.storage import PRESENT, Leaf, Ref, Storage
from coset.languages.murphi.symbols import Alias, Bound, Found, FunctionName, Variable
from coset.languages.murphi.types import BOOLEAN, NUMBER, Multiset, Simple
from coset.model import expression as e

Rest = Callable[[], None]
"""What is done after a statement that may return."""
Condition = Callable[[], e.Expr]
MOST_COPIES = 32
"""The most values of a loop with computed bounds whose body is written out for each of them."""
MOST_CALLS = 50
"""The most calls inside of each other, if functions call themselves."""
MOST_ROUNDS = 100
"""The most rounds of a `while` loop that are written out."""


GUARD_LARGEST = 5000
"""The largest value of a local variable in a guard, where it must be an expression."""


class Frame(NamedTuple):
    """What a call of a function knows while the function is called again: its variables, and what its names denote."""

    values: dict[Leaf, Leaf]
    bindings: dict[int, e.Expr]
    refs: dict[int, Ref]


def nothing() -> None:
    return None


def always() -> e.Expr:
    return folding.TRUE


class Elaborator(Expressions):
    def __init__(self, found: Found) -> None:
        super().__init__(found)
        self.returning: dict[int, bool] = {}
        self.results: dict[tuple[int, int], Storage] = {}
        self.given_undefined: set[int] = set()
        self.uncovered: Conditions = {}
        """The `cover` statements in functions that are called where nothing can happen but a value be computed."""
        self.leaving: list[tuple[int, Leaf]] = []
        """The loops around a statement that a `return` leaves: how many calls there are, and whether one has returned."""

    def returns(self, statement: t.Statement) -> bool:
        """Whether there is a `return` in a statement."""
        known = self.returning.get(id(statement))
        if known is None:
            known = isinstance(statement, t.Return) or any(map(self.returns, inner(statement)))
            self.returning[id(statement)] = known
        return known

    # --- bodies ------------------------------------------------------------------------------------

    def body(self, declarations: Sequence[t.Declaration], statements: Sequence[t.Statement]) -> tuple[Statement, ...]:
        """The statements of a rule.  `touched` are the variables of the process that they leave changed."""
        self.declared(declarations)
        self.run(statements, nothing)
        return tuple(self.statements)

    def guard(self, node: t.Expression) -> e.Expr:
        """The value of a condition that is evaluated in a state: a guard or a property.  Raises `NotPure`."""
        self.is_guard, self.largest = True, GUARD_LARGEST
        try:
            return self.under(node)
        finally:
            self.is_guard, self.largest = False, LARGEST

    def declared(self, declarations: Sequence[t.Declaration]) -> None:
        """Local variables are undefined at first."""
        for each in declarations:
            if isinstance(each, t.VarDecl):
                symbol = self.found.symbol_of(each)
                assert isinstance(symbol, Variable)
                storage = self.storage(symbol)
                for leaf in storage.leaves.values():
                    if self.is_kept(storage, leaf):
                        self.values.pop(leaf, None)
                    elif leaf.variable in self.touched:
                        self.fill(Ref(storage, symbol.type), leaf, lambda leaf: leaf.undefined)

    def run(self, statements: Sequence[t.Statement], rest: Rest) -> None:
        """Execute statements, and then what follows unless one of them has returned."""
        for place, each in enumerate(statements):
            if self.returns(each):
                following = statements[place + 1 :]
                self.returning_statement(each, lambda: self.run(following, rest))  # noqa: B023 (called before the loop goes on)
                return
            self.statement(each)
        rest()

    # --- statements --------------------------------------------------------------------------------

    def statement(self, statement: t.Statement) -> None:
        match statement:
            case t.Assign(target, value):
                self.assignment(target, value)
            case t.PropertyStatement(category, message, condition):
                if category == "cover" and self.is_guard:
                    self.uncovered[id(statement)] = None
                elif category == "cover":
                    self.emit(Cover(id(statement), self.check(self.value(condition))))
                else:
                    self.property(category, message or shown(condition), condition)
            case t.ErrorStatement(message):
                self.emit(Check(e.Checked(folding.FALSE, 1, 1, "error", f"error: {message}")))
            case t.Clear(target):
                self.clear(self.ref(target))
            case t.Undefine(target):
                ref = self.ref(target)
                for leaf in ref.parts():
                    self.fill(ref, leaf, lambda leaf: 0 if leaf.path[-1:] == (PRESENT,) else leaf.undefined)
            case t.Put(value):
                if (
                    isinstance(value, t.Expression)
                    and isinstance(self.type_of(value), Simple)
                    and not isinstance(value, t.Name | t.Field | t.Element)
                ):
                    self.check(self.value(value))
            case t.CallStatement(call):
                self.called(call)
            case t.MultisetAdd(value, multiset):
                self.add(self.ref(multiset), value)
            case t.MultisetRemove():
                self.remove(statement)
            case _:
                self.returning_statement(statement, nothing)

    def returning_statement(self, statement: t.Statement, rest: Rest) -> None:
        """A statement with others inside."""
        match statement:
            case t.Return(value):
                self.returned(value)
            case t.If(clauses):
                self.clauses(clauses, rest)
            case t.Switch(of, cases):
                self.switch(of, cases, rest)
            case t.AliasStatement(aliases, body):
                mark = len(self.frozen_leaves)
                self.bind(aliases)

                def ended() -> None:
                    kept = self.frozen_leaves[:]
                    self.release(mark)
                    rest()
                    self.frozen_leaves = kept  # another branch may still be inside

                self.run(body, ended)
                self.release(mark)
            case t.For():
                self.loop(statement, rest)
            case t.While():
                self.while_(statement, rest)
            case _:
                raise TypeError(f"unknown statement {type(statement).__name__}")

    def bind(self, aliases: Sequence[t.AliasDecl]) -> None:
        """Aliases of variables keep the element that they denote now."""
        for alias in aliases:
            symbol = next((s for s in self.aliases_of(alias)), None)
            if symbol is not None and self.is_variable(alias.value):
                self.refs[id(symbol)] = self.frozen(self.ref(alias.value))

    def aliases_of(self, alias: t.AliasDecl) -> Iterator[Alias]:
        symbol = self.found.symbols.get(id(alias))
        if isinstance(symbol, Alias):
            yield symbol

    def is_variable(self, node: t.Expression) -> bool:
        match node:
            case t.Field(inner) | t.Element(inner):
                return self.is_variable(inner)
            case t.Name():
                symbol = self.found.symbol_of(node)
                return isinstance(symbol, Variable) or (
                    isinstance(symbol, Alias) and (id(symbol) in self.refs or self.is_variable(symbol.value))
                )
        return False

    def clauses(self, clauses: Sequence[tuple[t.Expression | None, tuple[t.Statement, ...]]], rest: Rest) -> None:
        if not clauses:
            rest()
            return
        (condition, body), *others = clauses
        if condition is None:
            self.run(body, rest)
            return
        self.branch(self.value(condition), lambda: self.run(body, rest), lambda: self.clauses(others, rest))

    def switch(self, of: t.Expression, cases: Sequence[t.Case], rest: Rest) -> None:
        leaf = self.fresh(self.simple_type(of))
        self.put(leaf, self.value(of))

        def following(place: int) -> None:
            if place == len(cases):
                rest()
                return
            case = cases[place]
            if not case.values:
                self.run(case.body, rest)
                return
            x = self.values[leaf].x
            holds = folding.joined("||", [folding.binary("=", x, self.value(value)) for value in case.values])
            self.branch(holds, lambda: self.run(case.body, rest), lambda: following(place + 1))

        following(0)
        self.values.pop(leaf, None)

    def property(self, category: str, message: str, condition: t.Expression) -> None:
        fault, text = ("assume", message) if category == "assume" else ("error", f"assertion failed: {message}")
        holds = self.value(condition)
        if holds != folding.TRUE:
            self.emit(Check(e.Checked(holds, 1, 1, fault, text)))

    def returned(self, value: t.Expression | None) -> None:
        for depth, leaf in self.leaving:
            if depth == len(self.calls):
                self.put(leaf, folding.TRUE)
        if value is None or not self.calls:
            return
        function = self.calls[-1]
        result = self.result_of(function, self.calls.count(function) - 1)
        self.assign(Ref(result, result.type), value)

    # --- assignments -------------------------------------------------------------------------------

    def assignment(self, target: t.Expression, value: t.Expression) -> None:
        type_ = self.type_of(target)
        if not isinstance(type_, Simple) or not self.purity.changes(target):
            self.assign(self.ref(target), value)
            return
        kept = Storage("value", type_, self.owner)  # the value comes first, as in C++
        self.assign(Ref(kept, type_), value)
        self.copy(self.ref(target), Ref(kept, type_))
        self.values.pop(kept.leaves[()], None)

    def assign(self, target: Ref, value: t.Expression) -> None:
        if is_undefined_literal(self.found, value) or self.is_given_undefined(value):
            for leaf in target.parts():
                self.fill(target, leaf, lambda leaf: leaf.undefined)
            return
        if isinstance(target.type, Simple):
            leaf = target.leaf
            x = self.value(value)
            if not self.fits(self.type_of(value), leaf.type) or not isinstance(value, t.Name | t.Field | t.Element):
                x = self.member(x, leaf.type, leaf.name)
            self.store(target.storage, leaf, target.indices, Local(x, True))
            return
        self.copy(target, self.ref(value))

    def is_given_undefined(self, value: t.Expression) -> bool:
        """Whether a value is a parameter for which CMurphi's `UNDEFINED` was passed: it may be assigned."""
        symbol = self.found.symbols.get(id(value)) if isinstance(value, t.Name) else None
        return id(symbol) in self.given_undefined

    def member(self, x: e.Expr, type_: Simple, name: str) -> e.Expr:
        """A value that must be one of a type."""
        return folding.within(x, type_.low, type_.high, "range", name)

    def store(self, storage: Storage, leaf: Leaf, indices: Sequence[e.Expr], local: Local) -> None:
        if self.is_kept(storage, leaf):
            self.put(leaf, local.x, local.is_defined)
        else:
            self.set(self.variable_of(storage, leaf), self.resolved(indices), local.x)

    def copy(self, target: Ref, source: Ref) -> None:
        """Copy a record or array; undefined parts stay undefined."""
        for mine, yours, indices in self.pairs(target, source):
            local = self.raw(source.storage, yours, (*source.indices, *indices))
            self.store(
                target.storage,
                mine,
                (*target.indices, *indices),
                self.converted(local, yours.type, mine.type, mine.name),
            )

    def converted(self, local: Local, source: Simple, target: Simple, name: str) -> Local:
        """A value of one type as a value of another one, which may have another number for `undefined`."""
        if source is target or (source.low, source.high, source.room) == (target.low, target.high, target.room):
            return local
        x = local.x
        if not local.is_defined:
            is_missing = folding.binary("=", x, e.Const(source.room))
            return Local(folding.choice(is_missing, e.Const(target.room), self.member(x, target, name)), False)
        return Local(self.member(x, target, name), True)

    def fill(self, ref: Ref, leaf: Leaf, value: Callable[[Leaf], int]) -> None:
        """Give all elements of a leaf below a reference one value."""
        number = value(leaf)
        is_defined = number != leaf.undefined
        for indices in self.elements(ref, leaf):
            self.store(ref.storage, leaf, (*ref.indices, *indices), Local(e.Const(number), is_defined))

    def clear(self, ref: Ref) -> None:
        """The least value everywhere; multisets become empty."""
        empty = {leaf.path[:-1] for leaf in ref.parts() if leaf.path[-1:] == (PRESENT,)}
        for leaf in ref.parts():
            is_inside = any(leaf.path[: len(path)] == path for path in empty) and leaf.path[-1:] != (PRESENT,)
            self.fill(ref, leaf, lambda leaf: leaf.undefined if is_inside else leaf.type.low)  # noqa: B023

    # --- multisets ---------------------------------------------------------------------------------

    def add(self, multiset: Ref, value: t.Expression) -> None:
        """Put an element into the first free slot."""
        assert isinstance(multiset.type, Multiset)
        element, slots = multiset.type.element, list(multiset.type.slot.values())
        kept = Storage("element", element, self.owner)
        self.assign(Ref(kept, element), value)
        free = [folding.negated(self.is_present(multiset, slot)) for slot in slots]
        message = f"error: the multiset {multiset.storage.name} is full"
        self.emit(Check(e.Checked(folding.joined("||", free), 1, 1, "error", message)))
        first: e.Expr = e.Const(slots[-1])
        for slot, is_free in reversed(list(zip(slots[:-1], free[:-1], strict=True))):
            first = folding.choice(is_free, e.Const(slot), first)
        place = self.frozen(Ref(multiset.storage, element, multiset.path, (*multiset.indices, first)))
        self.copy(place, Ref(kept, element))
        present = multiset.storage.leaves[(*multiset.path, PRESENT)]
        self.store(multiset.storage, present, place.indices, Local(folding.TRUE, True))

    def remove(self, statement: t.MultisetRemove) -> None:
        multiset = self.ref(statement.multiset)
        symbol = self.found.symbol_of(statement)
        assert isinstance(multiset.type, Multiset) and isinstance(symbol, Bound)
        if statement.condition is None:
            slot = self.bindings[id(symbol)]
            assert isinstance(slot, e.Const)
            self.take(multiset, slot.value)
            return
        for number in multiset.type.slot.values():
            self.bindings[id(symbol)] = e.Const(number)
            present = self.is_present(multiset, number)
            holds = folding.binary("&&", present, self.under(statement.condition))
            self.branch(holds, lambda: self.take(multiset, number), nothing)  # noqa: B023

    def take(self, multiset: Ref, slot: int) -> None:
        """Remove the element in a slot."""
        assert isinstance(multiset.type, Multiset)
        here = Ref(multiset.storage, multiset.type.element, multiset.path, (*multiset.indices, e.Const(slot)))
        for leaf in here.parts():
            self.fill(here, leaf, lambda leaf: leaf.undefined)
        present = multiset.storage.leaves[(*multiset.path, PRESENT)]
        self.store(multiset.storage, present, here.indices, Local(folding.FALSE, True))

    # --- loops -------------------------------------------------------------------------------------

    def leavable(self, statement: t.Statement, loop: Callable[[Condition], None], rest: Rest) -> None:
        """A loop that goes on as long as nothing in it has returned, and what follows."""
        if not self.returns(statement):
            loop(always)
            rest()
            return
        returned = self.fresh(BOOLEAN)
        self.put(returned, folding.FALSE)
        self.leaving.append((len(self.calls), returned))
        loop(lambda: folding.negated(self.values[returned].x))
        self.leaving.pop()
        self.branch(self.values.pop(returned).x, nothing, rest)

    def loop(self, statement: t.For, rest: Rest) -> None:
        quantifier, body = statement.quantifier, statement.body
        values = self.bound_values(quantifier)
        symbol = self.found.symbol_of(quantifier)
        if values is None:
            self.leavable(statement, lambda go: self.varying(symbol, quantifier, body, go), rest)
            return
        if not self.returns(statement):
            for value in values:
                self.bindings[id(symbol)] = e.Const(value)
                self.run(body, nothing)
            rest()
            return

        def round_(place: int) -> None:
            if place == len(values):
                rest()
                return
            self.bindings[id(symbol)] = e.Const(values[place])
            self.run(body, lambda: round_(place + 1))

        round_(0)

    def varying(self, symbol: object, quantifier: t.Quantifier, body: Sequence[t.Statement], go: Condition) -> None:
        """A loop whose bounds are computed: for each value that it may take, or by counting if these are many."""
        bounds = self.computed_bounds(quantifier)
        if bounds is None or (len(bounds.values) > MOST_COPIES and not self.is_guard):
            self.counted(symbol, quantifier, body, go)
            return
        low, high = self.fresh(NUMBER), self.fresh(NUMBER)
        self.put(low, bounds.low)
        self.put(high, bounds.high)
        for value in bounds.values:
            self.bindings[id(symbol)] = e.Const(value)
            inside = folding.joined("&&", bounds.has(value, self.values[low].x, self.values[high].x))
            self.branch(folding.binary("&&", go(), inside), lambda: self.run(body, nothing), nothing)
        for leaf in (low, high):
            self.values.pop(leaf, None)

    def counted(self, symbol: object, quantifier: t.Quantifier, body: Sequence[t.Statement], go: Condition) -> None:
        """A loop with a counter."""
        assert quantifier.low is not None and quantifier.high is not None
        counter, limit, step = (self.fresh(NUMBER) for _ in range(3))
        self.put(counter, self.value(quantifier.low))
        self.put(limit, self.value(quantifier.high))
        self.put(step, self.value(quantifier.step) if quantifier.step is not None else e.Const(1))
        width = self.values[step].x
        if width == e.Const(0) or not isinstance(width, e.Const):
            is_step = folding.binary("!=", width, e.Const(0))
            self.emit(Check(e.Checked(is_step, 1, 1, "error", "error: a step of 0")))

        def goes_on() -> e.Expr:
            x, last, width = self.values[counter].x, self.values[limit].x, self.values[step].x
            up, down = folding.binary("<=", x, last), folding.binary(">=", x, last)
            inside = folding.choice(folding.binary(">", width, e.Const(0)), up, down, is_truth=True)
            return folding.binary("&&", go(), inside)

        def round_() -> None:
            self.bindings[id(symbol)] = self.values[counter].x
            self.run(body, nothing)
            self.put(counter, folding.binary("+", self.values[counter].x, self.values[step].x))

        self.repeat(goes_on, round_)
        for leaf in (counter, limit, step):
            self.values.pop(leaf, None)

    def while_(self, statement: t.While, rest: Rest) -> None:
        """A loop with a condition: written out as far as it is known, in a guard altogether."""

        def rounds(done: int, rest: Rest) -> None:
            def again() -> None:
                rounds(done + 1, rest)

            x = self.check(self.value(statement.condition))
            if isinstance(x, e.Const) and done < MOST_ROUNDS:
                self.run(statement.body, again) if x.value else rest()
            elif not self.is_guard:
                self.leavable(statement, lambda go: self.until(statement, x, go), rest)
            elif done == MOST_ROUNDS:
                raise NotPure
            elif self.returns(statement):
                self.branch(x, lambda: self.run(statement.body, again), rest)
            else:
                after, rest = rest, nothing
                self.branch(x, lambda: self.run(statement.body, again), nothing)
                after()

        rounds(0, rest)

    def until(self, statement: t.While, first: e.Expr, go: Condition) -> None:
        """A loop that decides after each round whether there is another one."""
        again = self.fresh(BOOLEAN)
        self.put(again, first)

        def holds() -> e.Expr:
            goes, condition = go(), statement.condition
            if isinstance(goes, e.Const):
                return self.value(condition) if goes.value else folding.FALSE
            return self.lazily(
                BOOLEAN, goes, lambda: self.value(condition), lambda: folding.FALSE,
                lambda: folding.binary("&&", goes, self.under(condition)),
            )  # fmt: skip

        def round_() -> None:
            self.run(statement.body, nothing)
            self.put(again, holds())

        self.repeat(lambda: self.values[again].x, round_)
        self.values.pop(again, None)

    def repeat(self, condition: Callable[[], e.Expr], body: Callable[[], None]) -> None:
        """A loop.  The local variables that its body changes become variables of the process: which ones these are is found by
        writing the body out again until no more appear."""
        kept: dict[Leaf, object] = {}
        values, outer, touched, used = (
            dict(self.values),
            self.statements,
            dict(self.touched),
            dict(self.used_temporaries),
        )
        own = {}
        while True:
            self.values, self.statements, self.touched = dict(values), [], dict(touched)
            self.used_temporaries = dict(used)
            for leaf in kept:
                own[leaf] = self.temporary(leaf.type)
                self.set(own[leaf], (), values[leaf].x)
                self.values[leaf] = Local(e.Get(own[leaf]), False)
            head, begin = self.statements, dict(self.values)
            self.statements = []
            holds = condition()
            if self.statements:
                holds = self.with_checks(self.statements, holds, dict(self.values))
            inner_statements: list[Statement] = []
            self.statements = inner_statements
            body()
            for leaf in self.values:  # what is assigned to inside has no value before
                if leaf not in begin and leaf not in self.frozen_leaves:
                    values[leaf] = begin[leaf] = missing(leaf)
            changed = {leaf for leaf, local in begin.items() if leaf not in kept and self.values.get(leaf) != local}
            if not changed:
                break
            kept |= dict.fromkeys(leaf for leaf in begin if leaf in changed)
        for leaf in kept:
            local = self.values[leaf]
            if local.x != e.Get(own[leaf]):
                self.values.pop(leaf)
                self.set(own[leaf], (), local.x)
        self.statements = outer
        for each in head:
            self.emit(each)
        self.emit(While(holds, tuple(inner_statements)))
        self.values = begin

    # --- calls -------------------------------------------------------------------------------------

    def result_of(self, function: FunctionName, depth: int) -> Storage:
        """Where a function leaves its result, if so many calls of it are going on."""
        known = self.results.get((id(function), depth))
        if known is None:
            assert function.result is not None
            known = Storage(f"{function.name}.result", function.result, self.owner)
            self.results[id(function), depth] = known
        return known

    def call(self, node: t.Call) -> e.Expr | Ref:
        """The value of a function."""
        function = self.called(node)
        result = self.result_of(function, self.calls.count(function))
        if not isinstance(result.type, Simple):
            return Ref(result, result.type)
        return self.read(Ref(result, result.type), f"the result of {function.name}")

    def called(self, node: t.Call) -> FunctionName:
        function = self.found.symbol_of(node)
        assert isinstance(function, FunctionName)
        mark = len(self.frozen_leaves)
        passed = self.arguments(node, function)
        frame = self.suspended(node, function) if function in self.calls else None
        for each in passed:
            each()
        if function.result is not None:
            for leaf in self.result_of(function, self.calls.count(function)).leaves.values():
                self.values.pop(leaf, None)
        self.calls.append(function)
        self.declared(function.tree.declarations)
        if self.purity.is_recursive(function):
            self.by_value(function, [self.storage(each).leaves[()] for each in function.parameters if is_value(each)])
        else:
            self.run(function.tree.body, nothing)
        self.calls.pop()
        self.forget(function)
        self.release(mark)
        if frame is not None:
            self.resumed(frame)
        return function

    def by_value(self, function: FunctionName, parameters: Sequence[Leaf]) -> None:
        """Execute a recursive function for each value of its parameters, so that the end of the recursion is known."""
        unknown = [leaf for leaf in parameters if not isinstance(self.values.get(leaf, missing(leaf)).x, e.Const)]
        if not unknown or len(list(unknown[0].type.values())) > MOST_VALUES:
            self.run(function.tree.body, nothing)
            return
        leaf = unknown[0]
        x, is_defined = self.values[leaf]
        if not is_defined:
            x = self.check(folding.within(x, leaf.type.low, leaf.type.high, "undefined", leaf.name))

        def value(numbers: Sequence[int]) -> None:
            number, *others = numbers

            def chosen() -> None:
                self.values[leaf] = Local(e.Const(number), True)
                self.by_value(function, parameters)

            if others:
                self.branch(folding.binary("=", x, e.Const(number)), chosen, lambda: value(others))
            else:
                chosen()

        least, most = folding.BOUNDS.interval(x)
        value([number for number in leaf.type.values() if least <= number <= most])

    def suspended(self, node: t.Call, function: FunctionName) -> Frame:
        """Put the variables of a call aside, as the function is called again."""
        hint = "write a loop: calls are expanded where they are"
        if len(self.calls) >= MOST_CALLS:
            text = f"`{function.name}` calls itself, and the end of that depends on more than its parameters"
            raise refused(codes.RECURSION, text, node.span, hint)
        kept: dict[Leaf, Leaf] = {}
        for leaf in self.leaves_of(function):
            if leaf.dimensions:
                raise refused(codes.RECURSION, f"`{function.name}` calls itself, and has arrays", node.span, hint)
            if leaf in self.values:
                kept[leaf] = self.fresh(leaf.type)
                self.values[kept[leaf]] = self.values.pop(leaf)
        return Frame(kept, dict(self.bindings), dict(self.refs))

    def resumed(self, frame: Frame) -> None:
        self.bindings, self.refs = frame.bindings, frame.refs
        for leaf, kept in frame.values.items():
            self.values[leaf] = self.values.pop(kept)

    def arguments(self, node: t.Call, function: FunctionName) -> list[Callable[[], None]]:
        """What gives the parameters their values: all arguments are evaluated before."""
        passed: list[Callable[[], None]] = []
        is_recursive = self.purity.is_recursive(function)
        is_ordered = is_recursive or any(map(self.purity.changes, node.arguments))
        for argument, parameter in zip(node.arguments, function.parameters, strict=True):
            storage = self.storage(parameter)
            self.given_undefined.discard(id(parameter))
            target = Ref(storage, parameter.type)
            if parameter.by_reference:
                passed.append(partial(self.refer, parameter, self.frozen(self.ref(argument))))
            elif is_undefined_literal(self.found, argument):
                passed.append(partial(self.assign, target, argument))
                self.given_undefined.add(id(parameter))
            elif (
                isinstance(parameter.type, Simple)
                and self.is_variable(argument)
                and self.fits(self.type_of(argument), parameter.type)
            ):
                # Rumur passes variables as they are: the function may ask whether they are undefined.
                source, leaf = self.ref(argument), storage.leaves[()]
                local = self.raw(source.storage, source.leaf, source.indices)
                local = self.converted(local, source.leaf.type, leaf.type, parameter.name)
                passed.append(self.given(leaf, local, is_ordered))
            elif isinstance(parameter.type, Simple):
                leaf = storage.leaves[()]
                x = self.value(argument)
                if not self.fits(self.type_of(argument), leaf.type) or not isinstance(
                    argument, t.Name | t.Field | t.Element
                ):
                    x = self.member(x, leaf.type, parameter.name)
                passed.append(self.given(leaf, Local(self.check(x), True), is_ordered))
            elif self.is_guard or not self.purity.function_changes(function):
                passed.append(partial(self.refer, parameter, self.frozen(self.ref(argument))))
            else:
                if is_recursive:
                    hint = "pass it as a `var` parameter"
                    raise refused(codes.RECURSION, f"`{function.name}` calls itself with a copy", argument.span, hint)
                self.refs.pop(id(parameter), None)
                passed.append(partial(self.copy, target, self.frozen(self.ref(argument))))
        return passed

    def given(self, parameter: Leaf, local: Local, is_ordered: bool) -> Callable[[], None]:
        """Gives a parameter its value, which an argument that follows may change if `is_ordered`."""
        if not is_ordered:
            return partial(self.put, parameter, *local)
        held = self.fresh(parameter.type)
        self.put(held, *local)
        return lambda: self.put(parameter, *self.values.pop(held))

    def refer(self, parameter: Variable, ref: Ref) -> None:
        self.refs[id(parameter)] = ref

    def forget(self, function: FunctionName) -> None:
        """Local variables of a function that has returned need no place any more."""
        for leaf in self.leaves_of(function):
            self.values.pop(leaf, None)

    def leaves_of(self, function: FunctionName) -> Iterator[Leaf]:
        """The local variables of a function."""
        symbols = [self.found.symbols.get(id(each)) for each in function.tree.declarations]
        for symbol in (*function.parameters, *symbols):
            if isinstance(symbol, Variable) and not symbol.by_reference:
                yield from self.storage(symbol).leaves.values()


def is_value(parameter: Variable) -> bool:
    return isinstance(parameter.type, Simple) and not parameter.by_reference


def inner(statement: t.Statement) -> Iterator[t.Statement]:
    """The statements inside of a statement."""
    match statement:
        case t.AliasStatement(_, body) | t.For(_, body) | t.While(_, body):
            yield from body
        case t.If(clauses):
            for _, body in clauses:
                yield from body
        case t.Switch(_, cases):
            for case in cases:
                yield from case.body


def is_undefined_literal(found: Found, node: t.Expression) -> bool:
    """CMurphi's `UNDEFINED`."""
    return isinstance(node, t.Name) and node.name.lower() == "undefined" and id(node) not in found.symbols
