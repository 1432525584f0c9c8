"""Statements of Promela as sequences of control flow.

Each statement becomes one `Item` to be placed (`flow`); some, like `for`, place other items before it.
Declarations after the first statement of a body are steps of their own, as in SPIN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.promela import codes, flow, tree
from coset.languages.promela.lower_action import Actions
from coset.languages.promela.spelling import one_line
from coset.languages.promela.symbols import Record, Scope, Symbol
from coset.languages.promela.type_checks import check_counter
from coset.model import domain as d
from coset.model import expression as e
from coset.model import model as m
from coset.source.text import Span

if TYPE_CHECKING:
    from coset.languages.promela.lower import Lowering


class Statements(Actions):
    """Lowers the body of one proctype, claim or trace."""

    def __init__(self, lowering: Lowering, scope: Scope, owner: str, claim: bool = False, events: bool = False) -> None:
        super().__init__(lowering, scope, owner, claim, events)
        self.flow = flow.Flow()
        self.symbols: list[Symbol] = []
        self.loops: list[flow.FlowNode] = []
        self.counters = 0
        self.labels: list[flow.LabelName] = []

    def body(self, statements: tuple[tree.Statement, ...], span: Span) -> flow.Sequence:
        """A whole body, with the end of the process behind it."""
        sequence = flow.Sequence()
        for statement in statements:
            self.statement(statement, sequence)
        end = flow.Action(e.Youngest(), (m.Exit(),), "-end-")
        self.flow.place(flow.Basic(end, span), sequence)
        self.close(sequence, span)
        return sequence

    def sequence(self, statements: tuple[tree.Statement, ...], span: Span) -> flow.Sequence:
        sequence = flow.Sequence()
        for statement in statements:
            self.statement(statement, sequence)
        self.close(sequence, span)
        return sequence

    def scoped(self, statements: tuple[tree.Statement, ...], span: Span) -> flow.Sequence:
        """A sequence in braces: its declarations are its own."""
        outer, self.scope = self.scope, self.scope.enter()
        sequence = self.sequence(statements, span)
        self.scope = outer
        return sequence

    def close(self, sequence: flow.Sequence, span: Span) -> None:
        if sequence.first is None:
            # Only declarations without a step, or nothing that could be understood.
            self.flow.place(flow.Basic(flow.Action(text="(1)", is_skip=True), span), sequence)
            if not self.diagnostics.errors:
                self.diagnostics.error(codes.EMPTY, "a sequence needs at least one statement", span, "write `skip`")
        sequence.extent = sequence.last

    def statement(self, statement: tree.Statement, sequence: flow.Sequence) -> None:
        """Append a statement to a sequence."""
        match statement:
            case tree.DeclarationStatement(_, declaration, leading):
                if isinstance(declaration, tree.MtypeDeclaration):
                    self.lowering.types.declare_mtype(declaration)
                else:
                    self.declare(declaration, leading, sequence)
            case tree.ChannelAccess(_, _, channels):
                for channel in channels:
                    self.channel(channel)
            case _:
                item = self.item(statement, sequence)
                if item is not None:
                    self.flow.place(item, sequence)

    # --- declarations ----------------------------------------------------------------------------

    def declare(self, declaration: tree.Declaration, leading: bool, sequence: flow.Sequence) -> None:
        for declarator in declaration.items:
            symbol = self.lowering.symbol(declaration, declarator, self, keep_initial=leading)
            if symbol is None:
                continue
            if self.enter(symbol, hidden=False) and not leading:
                self.declaration_step(symbol, declarator, sequence)

    def enter(self, symbol: Symbol, hidden: bool) -> bool:
        """Make a name known, and its variables part of the process; False if the name is taken.  As in SPIN, a name
        must not hide one of an outer block either."""
        earlier = self.scope.find(symbol.name)
        if earlier is not None:
            twice = symbol.name in self.scope.names
            self.diagnostics.error(
                codes.REDECLARED,
                f"'{symbol.name}' is declared twice" if twice else f"'{symbol.name}' hides a name declared outside",
                symbol.span,
                None if twice else "SPIN refuses this; give the inner one another name",
                [("first declared here", earlier.span)],
            )
            return False
        self.scope.names[symbol.name] = symbol
        taken = {variable.name.split(".")[0] for variable in self.variables}
        name, copy = symbol.name, 1
        while name in taken:
            copy += 1
            name = f"{symbol.name}#{copy}"
        self.symbols.append(symbol)
        self.variables.extend(self.lowering.variables_of(symbol, self.owner, name, hidden))
        return True

    def declaration_step(self, symbol: Symbol, declarator: tree.Declarator, sequence: flow.Sequence) -> None:
        """A declaration after the first statement is a step that assigns."""
        initial = declarator.initial
        if isinstance(initial, tree.ChannelInitial):
            self.diagnostics.error(
                codes.BAD_INITIAL, f"channel '{symbol.name}' is created after the first statement", declarator.span,
                "declare channels at the beginning of the body, or globally",
            )  # fmt: skip
        if isinstance(initial, tree.ArrayInitial):
            self.diagnostics.error(
                codes.BAD_INITIAL, f"array '{symbol.name}' cannot be given a list of values here", declarator.span,
                "lists of values are for global variables and for declarations at the beginning of a body",
            )  # fmt: skip
        effects: tuple[m.Effect, ...] = ()
        if not isinstance(symbol.type, Record):
            value = self.value(initial) if isinstance(initial, tree.Expression) else e.Const(0)
            indices = () if symbol.size is None else (e.Const(0),)
            effects = (m.Assign(e.Place(symbol.leaves[()], indices), value),)
        action = flow.Action(effects=effects, text=one_line(declarator.span))
        self.flow.place(flow.Basic(action, declarator.span), sequence)

    # --- statements ------------------------------------------------------------------------------

    def item(self, statement: tree.Statement, sequence: flow.Sequence) -> flow.Item | None:
        """The item of a statement; what must come before it is placed in the sequence at once."""
        span = statement.span
        match statement:
            case tree.Labelled(_, label, tree.Unless(_, tree.Block(), _) as unless):
                return flow.Label(self.label(label, span), self.labelled_unless(unless))
            case tree.Labelled(_, label, inner):
                item = self.item(inner, sequence)
                return None if item is None else flow.Label(self.label(label, span), item)
            case tree.Goto(_, label):
                return flow.Goto(flow.LabelName(label, self.scope.number, span), span)
            case tree.Break():
                if not self.loops:
                    self.diagnostics.error(codes.MISPLACED_BREAK, "there is no loop to break from", span)
                    return None
                return flow.Goto(self.loops[-1], span)
            case tree.Block():
                return self.block(statement)
            case tree.If(_, options):
                return flow.Choice(self.options(options, span), None, span)
            case tree.Do(_, options):
                leave = self.flow.pending(span)
                self.loops.append(leave)
                sequences = self.options(options, span)
                self.loops.pop()
                return flow.Choice(sequences, leave, span)
            case tree.ForRange() | tree.ForIn() | tree.Select():
                return self.loop(statement, sequence)
            case tree.Unless():
                return self.unless(statement)
            case _:
                return flow.Basic(self.action(statement), span)

    def label(self, name: str, span: Span) -> flow.LabelName:
        """A label where it is declared; its name must be its own."""
        label = flow.LabelName(name, self.scope.number, span)
        variable = self.scope.find(name)
        if variable is not None:
            self.diagnostics.error(
                codes.WRONG_NAME, f"label '{name}' has the name of a variable", span,
                notes=[("declared here", variable.span)],
            )  # fmt: skip
        for other in self.labels:
            if (other.name, other.scope) == (name, label.scope):
                self.diagnostics.error(
                    codes.REDECLARED, f"label '{name}' is declared twice", span,
                    notes=[("first declared here", other.span)],
                )  # fmt: skip
        self.labels.append(label)
        return label

    def options(self, options: tuple[tuple[tree.Statement, ...], ...], span: Span) -> list[flow.Sequence]:
        sequences = [self.sequence(option, span) for option in options]
        if not self.claim:
            flow.drop_repeated_skips(sequences)
        elses = [s for s in sequences if flow.starts_with_else(s)]
        if elses and any(s.first and s.first.action and s.first.action.uses_channel for s in sequences):
            assert elses[0].first is not None
            self.diagnostics.warning(
                codes.MISPLACED, "'else' next to a send or receive depends on what others do at this very moment",
                elses[0].first.span, "test the channel instead, e.g. with empty(c) or c?[x]",
            )  # fmt: skip
        return sequences

    def block(self, block: tree.Block) -> flow.Item:
        body = self.scoped(block.body, block.span)
        if block.control is not None:
            flow.make_atomic(body, block.control == "d_step")
        return flow.Braces(body, block.control, block.span)

    def unless(self, statement: tree.Unless) -> flow.Item:
        """The escape is placed before the main part, unless the main part is a block (numbers matter to the
        order in which nested escapes are tried)."""
        scratch = flow.Sequence()
        main = self.item(statement.main, scratch)
        other = self.item(statement.escape, scratch)
        if main is None or other is None:
            return flow.Basic(flow.Action(text="(1)", is_skip=True), statement.span)
        escape = self.alone(other)
        return flow.Escape(self.alone(main), escape, statement.span)

    def labelled_unless(self, statement: tree.Unless) -> flow.Item:
        """`L: { main } unless escape`: the label is for a block around both, so that it can be jumped to."""
        scratch = flow.Sequence()
        main = self.item(statement.main, scratch)
        other = self.item(statement.escape, scratch)
        assert isinstance(main, flow.Braces)
        if other is None:
            return main
        around = flow.Sequence()
        self.flow.place(flow.Escape(main.body, self.alone(other), statement.span), around)
        around.extent = around.last
        return flow.Braces(around, main.control, statement.span)

    def alone(self, item: flow.Item) -> flow.Sequence:
        """A sequence of its own for an item; a plain block is one already."""
        if isinstance(item, flow.Braces) and item.control is None:
            return item.body
        sequence = flow.Sequence()
        self.flow.place(item, sequence)
        sequence.extent = sequence.last
        return sequence

    # --- loops over a range ----------------------------------------------------------------------

    def loop(self, statement: tree.Statement, sequence: flow.Sequence) -> flow.Item | None:
        """`for` and `select`, written out as SPIN does; every step of it is shown as what the user wrote."""
        match statement:
            case tree.ForRange(_, variable, first, last, body, span):
                place = self.place(variable)
                check_counter(self.diagnostics, place.variable, variable)
                start, end = self.value(first), self.value(last)
                return self.counted(place, start, end, body, sequence, span)
            case tree.ForIn(_, variable, collection, body, span):
                return self.for_in(variable, collection, body, sequence, span)
            case tree.Select(span, variable, first, last, literal):
                place = self.place(variable)
                check_counter(self.diagnostics, place.variable, variable)
                start, end = self.value(first), self.value(last)
                if literal and isinstance(start, e.Const) and isinstance(end, e.Const):
                    values = range(start.value, end.value + 1)
                    return flow.Choice([self.alone(self.assign(place, e.Const(v), span)) for v in values], None, span)
                return self.selected(place, start, end, sequence, span)
        raise TypeError(type(statement).__name__)

    def assign(self, place: e.Place, value: e.Expr, span: Span) -> flow.Basic:
        return flow.Basic(flow.Action(effects=(m.Assign(place, value),), text=one_line(span)), span)

    def guard(self, condition: e.Expr, span: Span) -> flow.Basic:
        return flow.Basic(flow.Action(condition, text=one_line(span)), span)

    def current(self, place: e.Place) -> e.Expr:
        return e.Const(0) if place.variable is None else e.Get(place.variable, place.indices)

    def counted(
        self, place: e.Place, first: e.Expr, last: e.Expr, body: tuple[tree.Statement, ...],
        sequence: flow.Sequence, span: Span,
    ) -> flow.Item:  # fmt: skip
        """`i = first; do :: i <= last -> body; i++ :: else -> break od`"""
        leave = self.flow.pending(span)
        self.loops.append(leave)
        self.flow.place(self.assign(place, first, span), sequence)
        main = flow.Sequence()
        self.flow.place(self.guard(e.Binary("<=", self.current(place), last), span), main)
        return self.rest_of_loop(place, body, main, leave, span)

    def rest_of_loop(
        self, place: e.Place, body: tuple[tree.Statement, ...], main: flow.Sequence, leave: flow.FlowNode, span: Span
    ) -> flow.Item:
        """The body, the increment, and the way out."""
        outer, self.scope = self.scope, self.scope.enter()
        for statement in body:
            self.statement(statement, main)
        self.scope = outer
        self.flow.place(self.assign(place, e.Binary("+", self.current(place), e.Const(1)), span), main)
        main.extent = main.last
        out = flow.Sequence()
        self.flow.place(flow.Basic(flow.Action(e.Otherwise(), text=one_line(span), is_else=True), span), out)
        self.flow.place(flow.Goto(leave, span), out)
        out.extent = out.last
        self.loops.pop()
        return flow.Choice([out, main], leave, span)

    def selected(self, place: e.Place, first: e.Expr, last: e.Expr, sequence: flow.Sequence, span: Span) -> flow.Item:
        """`x = first; do :: x < last -> x++ :: break od`"""
        leave = self.flow.pending(span)
        self.flow.place(self.assign(place, first, span), sequence)
        main = flow.Sequence()
        self.flow.place(self.guard(e.Binary("<", self.current(place), last), span), main)
        self.flow.place(self.assign(place, e.Binary("+", self.current(place), e.Const(1)), span), main)
        main.extent = main.last
        return flow.Choice([self.alone(flow.Goto(leave, span)), main], leave, span)

    def for_in(
        self, variable: tree.Reference, collection: tree.Reference, body: tuple[tree.Statement, ...],
        sequence: flow.Sequence, span: Span,
    ) -> flow.Item | None:  # fmt: skip
        """Over the indices of an array, or over the messages of a channel, which is rotated once."""
        over = self.scope.find(collection.name)
        if over is None:
            self.undeclared(collection.name, collection.span)
            return None
        if over.size is not None and collection.index is None:
            return self.counted(self.place(variable), e.Const(0), e.Const(over.size - 1), body, sequence, span)
        kind = self.static_type(collection)
        element = self.scope.find(variable.name)
        if kind is None or kind.capacity == 0 or element is None or not isinstance(element.type, Record):
            self.diagnostics.error(
                codes.NOT_ARRAY, f"'{collection.name}' is neither an array nor a buffered channel of one record type",
                collection.span, "to go over the messages of a channel declare the variable with the channel's typedef",
            )  # fmt: skip
            return None
        domain = d.SHORT if kind.capacity > 255 else d.BYTE
        self.counters += 1
        counter = m.Variable(f"#count{self.counters}", domain, owner=self.owner)
        self.variables.append(counter)
        place = e.Place(counter)
        leave = self.flow.pending(span)
        self.loops.append(leave)
        self.flow.place(self.assign(place, e.Const(0), span), sequence)
        main = flow.Sequence()
        channel = self.channel(collection)
        self.flow.place(self.guard(e.Binary("<", self.current(place), e.Length(channel)), span), main)
        leaves = self.expanded(variable)
        take = m.Receive(channel, tuple(e.Pattern(None, e.Place(*leaf)) for leaf in leaves))
        give = m.Send(channel, tuple(e.Get(*leaf) for leaf in leaves))
        for effect in (take, give):
            self.flow.place(
                flow.Basic(flow.Action(effects=(effect,), text=one_line(span), uses_channel=True), span), main
            )
        return self.rest_of_loop(place, body, main, leave, span)
