"""From the syntax tree to the concurrent model.

The units are read in order, as a name must be declared before it is used; bodies are lowered when all
proctypes are known, automata are assembled last, when it is known which labels others ask for.
"""

from __future__ import annotations

from dataclasses import replace

from coset.languages.promela import codes, flow, tree
from coset.languages.promela.assemble import assemble, detached
from coset.languages.promela.claim_steps import flat_claims
from coset.languages.promela.lower_expression import Expressions
from coset.languages.promela.lower_formula import formula
from coset.languages.promela.lower_statement import Statements
from coset.languages.promela.symbols import (
    MOST_ELEMENTS,
    MOST_FIELDS,
    Record,
    Scope,
    Symbol,
    Types,
    extent,
    model_variables,
)
from coset.languages.promela.type_checks import is_foreign
from coset.model import domain as d
from coset.model import expression as e
from coset.model import model as m
from coset.model.rewrite import rewrite_model
from coset.source.diagnostics import Diagnostics
from coset.source.text import Span

INITIAL_ORDER = ["unsigned", "bit", "bool", "byte", "pid", "chan", "mtype", "short", "int"]
"""The order by type in which SPIN gives global variables their initial values."""


class Lowering:
    """Lowers one program."""

    def __init__(self, program: tree.Program, name: str, diagnostics: Diagnostics) -> None:
        self.program, self.name, self.diagnostics = program, name, diagnostics
        self.types = Types(diagnostics)
        self.globals = Scope((), None)
        self.variables: list[m.Variable] = []
        self.order: list[tuple[int, int]] = []
        self.proctypes = {unit.name: unit for unit in program.units if isinstance(unit, tree.Proctype)}
        self.built: dict[str, Statements] = {}
        self.others: dict[int, Statements] = {}
        self.bodies: dict[str, flow.Sequence] = {}
        self.wanted_labels: dict[tuple[str, str], Span] = {}
        self.current: flow.Flow | None = None
        """The body that is being built."""
        self.places: dict[tuple[str, str], int | None] = {}
        self.index: dict[flow.FlowNode, int] = {}
        self.prioritised = False
        self.remembers_mover = False

    def model(self) -> m.Model:
        """The model of the program; look at the diagnostics before using it."""
        self.declare_units()
        for proctype in self.program.units:
            if isinstance(proctype, tree.Proctype):
                self.build(proctype)
        claims = [self.claim(unit) for unit in self.program.units if isinstance(unit, tree.Never)]
        formulas = [self.temporal(unit) for unit in self.program.units if isinstance(unit, tree.Ltl)]
        traces = [unit for unit in self.program.units if isinstance(unit, tree.Trace)]
        monitor = self.trace(traces[0]) if traces else None
        for extra in traces[1:]:
            self.diagnostics.error(codes.REDECLARED, "a second trace", extra.span)
        self.number_statements()
        positions = self.positions()
        model = m.Model(
            self.name,
            self.ordered_variables(),
            tuple(self.kind(unit, positions) for unit in self.program.units if isinstance(unit, tree.Proctype)),
            self.instances(),
            (*(self.assembled_claim(*claim) for claim in claims), *formulas),
            None if monitor is None else m.Monitor(self.automaton("trace", *monitor), traces[0].negated),
            self.prioritised,
            self.remembers_mover,
        )
        if not model.processes:
            self.diagnostics.error(
                codes.NO_PROCESS, "no process is started", None, "write `active proctype` or an `init` process"
            )
        model = self.with_labels(model, positions) if self.wanted_labels else model
        return flat_claims(model)

    # --- global declarations ---------------------------------------------------------------------

    def declare_units(self) -> None:
        # mtype names may be used before the line that declares them.
        for unit in self.program.units:
            if isinstance(unit, tree.MtypeDeclaration):
                self.types.declare_mtype(unit)
        expressions = Expressions(self, self.globals, None)
        seen: dict[str, Span] = {}
        for unit in self.program.units:
            if isinstance(unit, tree.Typedef):
                self.declare_record(unit, expressions)
            elif isinstance(unit, tree.Declaration):
                self.declare_global(unit, expressions)
            elif isinstance(unit, tree.Proctype):
                if unit.name in seen:
                    self.diagnostics.error(
                        codes.REDECLARED, f"proctype '{unit.name}' is declared twice", unit.span,
                        notes=[("first declared here", seen[unit.name])],
                    )  # fmt: skip
                if unit.name in self.globals.names:
                    self.diagnostics.error(
                        codes.REDECLARED, f"proctype '{unit.name}' has the name of a variable", unit.span,
                        notes=[("first declared here", self.globals.names[unit.name].span)],
                    )  # fmt: skip
                seen.setdefault(unit.name, unit.span)

    def declare_record(self, typedef: tree.Typedef, expressions: Expressions) -> None:
        fields: list[Symbol] = []
        for declaration in typedef.fields:
            for declarator in declaration.items:
                if declaration.type.name == typedef.name:
                    self.diagnostics.error(codes.RECURSIVE_TYPE, f"'{typedef.name}' contains itself", declarator.span)
                    continue
                symbol = self.symbol(declaration, declarator, expressions)
                if symbol is not None:
                    fields.append(symbol)
        if typedef.name in self.types.records:
            self.diagnostics.error(codes.REDECLARED, f"type '{typedef.name}' is declared twice", typedef.span)
        self.types.records[typedef.name] = Record(typedef.name, tuple(fields))

    def declare_global(self, declaration: tree.Declaration, expressions: Expressions) -> None:
        for declarator in declaration.items:
            symbol = self.symbol(declaration, declarator, expressions)
            if symbol is None:
                continue
            if symbol.name in self.globals.names:
                self.diagnostics.error(
                    codes.REDECLARED, f"'{symbol.name}' is declared twice", symbol.span,
                    notes=[("first declared here", self.globals.names[symbol.name].span)],
                )  # fmt: skip
                continue
            self.globals.names[symbol.name] = symbol
            hidden = declaration.visibility == "hidden"
            new = self.variables_of(symbol, None, symbol.name, hidden)
            name = declaration.type.name
            rank = INITIAL_ORDER.index(name) if name in INITIAL_ORDER else len(INITIAL_ORDER)
            self.order.extend((rank, len(self.variables) + k) for k in range(len(new)))
            self.variables.extend(new)

    def ordered_variables(self) -> tuple[m.Variable, ...]:
        """In the order of the text, unless an initial value depends on another variable: then in SPIN's order."""
        depends = any(
            isinstance(x, e.Get)
            for v in self.variables
            if not isinstance(v.initial, m.NewChannel)
            for initial in v.initial
            for x in initial.walk()
        )
        if not depends:
            return tuple(self.variables)
        return tuple(self.variables[k] for _, k in sorted(self.order))

    def symbol(
        self, declaration: tree.Declaration, declarator: tree.Declarator, expressions: Expressions,
        keep_initial: bool = True,
    ) -> Symbol | None:  # fmt: skip
        """The symbol of one declared name."""
        size: int | None = None
        if declarator.size is not None:
            size = expressions.constant(declarator.size, "the size of an array")
            if size is None:
                return None
            if not 0 < size <= MOST_ELEMENTS:
                self.diagnostics.error(codes.BAD_SIZE, f"an array of {size} elements", declarator.size.span)
                return None
        width = declarator.width
        if width is not None and (declaration.type.name != "unsigned" or not 0 < width <= 32):
            what = "only `unsigned` takes a width" if declaration.type.name != "unsigned" else "a width is 1 to 32"
            self.diagnostics.error(codes.BAD_SIZE, what, declarator.span)
        type_ = self.types.resolve(declaration.type, width, size is not None)
        if not self.fits(declarator, type_, size):
            return None
        initial: m.Initial = ()
        if keep_initial:
            initial = self.initial(declarator, type_, size, expressions)
        constant = declarator.initial.value if isinstance(declarator.initial, tree.Number) else None
        return Symbol(declarator.name, type_, size, declarator.span, initial, {}, constant)

    def fits(self, declarator: tree.Declarator, type_: d.Domain | Record, size: int | None) -> bool:
        """Whether a variable, with all that is in it, is small enough to be a part of states."""
        names, elements = extent(type_)
        elements *= size or 1
        if elements > MOST_ELEMENTS:
            text = f"'{declarator.name}' has {elements:,} elements; up to {MOST_ELEMENTS:,} can be"
        elif names > MOST_FIELDS:
            text = f"'{declarator.name}' has {names:,} fields; up to {MOST_FIELDS:,} can be"
        else:
            return True
        self.diagnostics.error(codes.BAD_SIZE, text, declarator.span)
        return False

    def initial(
        self, declarator: tree.Declarator, type_: d.Domain | Record, size: int | None, expressions: Expressions
    ) -> m.Initial:
        match declarator.initial:
            case None:
                return ()
            case tree.ChannelInitial(span, capacity, fields):
                if not isinstance(type_, d.Domain) or type_.refers is not d.Refers.CHANNEL:
                    self.diagnostics.error(codes.BAD_INITIAL, f"'{declarator.name}' is not a channel", span)
                count = expressions.constant(capacity, "the capacity of a channel")
                if count is None:
                    return ()
                if not 0 <= count <= 255:
                    self.diagnostics.error(codes.BAD_SIZE, f"a channel of capacity {count}", capacity.span)
                return m.NewChannel(self.types.message(fields, count, declarator.name))
            case tree.ArrayInitial(span, values):
                if size is None:
                    self.diagnostics.error(codes.BAD_INITIAL, f"'{declarator.name}' is not an array", span)
                    return ()
                row = [expressions.value(value) for value in values]
                if len(row) > size:
                    self.diagnostics.error(codes.BAD_INITIAL, f"{len(row)} values for an array of {size}", span)
                    return ()
                return tuple(row + [e.Const(0)] * (size - len(row))) if size > 1 else tuple(row[:1])
            case value:
                if isinstance(type_, Record):
                    self.diagnostics.error(codes.BAD_INITIAL, f"'{declarator.name}' is a record", value.span)
                    return ()
                assert isinstance(value, tree.Expression)
                first = expressions.value(value)
                if isinstance(first, e.Const) and is_foreign(type_, first.domain):
                    self.diagnostics.error(
                        codes.CONFUSED_TYPES, f"'{declarator.name}' has the type {type_}, and this is of {first.domain}",
                        value.span,
                    )  # fmt: skip
                return (first,)

    def variables_of(self, symbol: Symbol, owner: str | None, name: str, hidden: bool) -> list[m.Variable]:
        return model_variables(symbol, owner, name, hidden)

    # --- bodies ----------------------------------------------------------------------------------

    def parameter_count(self, proctype: str) -> int:
        """The number of values that a process is created with; a record counts as many as it has leaves."""
        return sum(variable.size for variable in self.parameters(proctype))

    def parameters(self, proctype: str) -> list[m.Variable]:
        """The variables that get the arguments of a process."""
        unit = self.proctypes[proctype]
        scratch = Statements(self, self.globals.enter(), proctype)
        self.declare_parameters(unit, scratch, quiet=True)
        return scratch.variables

    def declare_parameters(self, unit: tree.Proctype, statements: Statements, quiet: bool = False) -> None:
        for declaration in unit.parameters:
            for declarator in declaration.items:
                symbol = self.symbol(declaration, declarator, statements, keep_initial=False)
                if symbol is None:
                    continue
                if declarator.initial is not None and not quiet:
                    self.diagnostics.error(
                        codes.BAD_INITIAL, f"parameter '{symbol.name}' has an initial value", declarator.span
                    )
                if symbol.size is not None and not quiet:
                    self.diagnostics.error(
                        codes.BAD_INITIAL, f"parameter '{symbol.name}' is an array", declarator.span,
                        "pass the elements one by one, or make the array global",
                    )  # fmt: skip
                statements.enter(symbol, hidden=False)

    def build(self, unit: tree.Proctype) -> None:
        """Lower the body of a proctype to control flow."""
        if unit.name in self.built:
            return
        statements = Statements(self, self.globals.enter(), unit.name)
        self.built[unit.name] = statements
        self.declare_parameters(unit, statements)
        self.bodies[unit.name] = self.guarded(statements, unit.body, unit.span)

    def guarded(self, statements: Statements, body: tuple[tree.Statement, ...], span: Span) -> flow.Sequence:
        outer, self.current = self.current, statements.flow
        try:
            return statements.body(body, span)
        except flow.FlowError as error:
            self.diagnostics.error(error.code, error.message, error.span)
            return statements.body((), span)
        finally:
            self.current = outer

    def claim(self, unit: tree.Never) -> tuple[str, Statements, flow.Sequence, Span]:
        statements = Statements(self, self.globals.enter(), unit.name, claim=True)
        self.others[id(unit)] = statements
        return unit.name, statements, self.guarded(statements, unit.body, unit.span), unit.span

    def trace(self, unit: tree.Trace) -> tuple[Statements, flow.Sequence, Span]:
        statements = Statements(self, self.globals.enter(), "trace", events=True)
        self.others[id(unit)] = statements
        return statements, self.guarded(statements, unit.body, unit.span), unit.span

    def temporal(self, unit: tree.Ltl) -> m.LtlProperty:
        expressions = Expressions(self, self.globals, None, claim=True)
        return m.LtlProperty(unit.name, formula(unit.formula, expressions), unit.formula.span.text, unit.span)

    # --- references into other processes ---------------------------------------------------------

    def remote_label(self, x: tree.RemoteLabel, process: e.Expr | None) -> e.Expr:
        if (x.proctype, x.label) not in self.wanted_labels:
            self.wanted_labels[x.proctype, x.label] = x.span
            statements = self.built.get(x.proctype)
            node = statements.flow.find(flow.LabelName(x.label, (), x.span)) if statements else None
            if self.current is not None and node is not None and node.shape is flow.Shape.GOTO:
                self.current.leave_out()  # here SPIN splits the goto, see `assemble.mark_remote_gotos`
        return e.AtLocation(x.proctype, process, x.label, frozenset())

    def local_symbol(self, proctype: str, name: str) -> Symbol | None:
        self.build(self.proctypes[proctype])
        return next((s for s in self.built[proctype].symbols if s.name == name), None)

    def local_names(self, proctype: str) -> list[str]:
        return [symbol.name for symbol in self.built[proctype].symbols]

    def number_statements(self) -> None:
        """Number the statements of all bodies as SPIN does: through the whole text, in the order of the bodies."""
        count = 0
        for unit in self.program.units:
            statements = self.built.get(unit.name) if isinstance(unit, tree.Proctype) else self.others.get(id(unit))
            if statements is not None:
                statements.flow.base = count
                count += statements.flow.size

    # --- assembling ------------------------------------------------------------------------------

    def positions(self) -> dict[tuple[str, str], flow.FlowNode]:
        """The nodes of the labels that others ask for."""
        result: dict[tuple[str, str], flow.FlowNode] = {}
        for (proctype, label), span in self.wanted_labels.items():
            node = self.built[proctype].flow.find(flow.LabelName(label, (), span))
            if node is None:
                names = sorted({name.name for name, _ in self.built[proctype].flow.labels})
                self.diagnostics.error(
                    codes.NO_LABEL, f"proctype '{proctype}' has no label '{label}'", span,
                    f"its labels are {', '.join(names)}" if names else "it has no labels",
                )  # fmt: skip
            else:
                node.remote = True
                result[proctype, label] = node
        return result

    def automaton(self, name: str, statements: Statements, body: flow.Sequence, span: Span) -> m.Kind:
        """The automaton of a body; remembers where nodes went."""
        try:
            locations, start, self.index = assemble(statements.flow, body)
        except flow.FlowError as error:
            self.diagnostics.error(error.code, error.message, error.span)
            locations, start, self.index = (m.Location(()),), 0, {}
        unplaced = detached(statements.flow, locations)
        return m.Kind(name, tuple(statements.variables), 0, locations, start, span=span, detached=unplaced)

    def kind(self, unit: tree.Proctype, positions: dict[tuple[str, str], flow.FlowNode]) -> m.Kind:
        statements = self.built[unit.name]
        kind = self.automaton(unit.name, statements, self.bodies[unit.name], unit.span)
        for (proctype, label), node in positions.items():
            if proctype == unit.name:
                self.places[proctype, label] = self.index.get(node)
        provided = e.TRUE
        if unit.provided is not None:
            expressions = Expressions(self, statements.scope, unit.name)
            provided = expressions.value(unit.provided)
        return replace(
            kind,
            parameters=self.count_parameters(unit, statements),
            provided=provided,
            priority=self.priority(unit),
            deterministic=unit.deterministic,
        )

    def count_parameters(self, unit: tree.Proctype, statements: Statements) -> int:
        count = sum(len(declaration.items) for declaration in unit.parameters)
        return sum(len(symbol.leaves) for symbol in statements.symbols[:count])

    def priority(self, unit: tree.Proctype) -> int:
        if unit.priority is None:
            return 1
        self.prioritised = True
        return Expressions(self, self.globals, None).constant(unit.priority, "a priority") or 1

    def assembled_claim(self, name: str, statements: Statements, body: flow.Sequence, span: Span) -> m.Claim:
        return m.Claim(name, self.automaton(name, statements, body, span))

    def instances(self) -> tuple[m.Instance, ...]:
        """The processes that exist at the start, in the order of the text."""
        expressions = Expressions(self, self.globals, None)
        result = []
        for unit in self.program.units:
            if not isinstance(unit, tree.Proctype) or unit.active is None:
                continue
            count = expressions.constant(unit.active, "the number of processes") or 0
            if count > 255:
                self.diagnostics.error(codes.TOO_MANY, f"{count} processes; at most 255", unit.active.span)
                count = 255
            zeros = (e.Const(0),) * self.parameter_count(unit.name)
            result.extend([m.Instance(unit.name, zeros, self.priority(unit))] * count)
        return tuple(result)

    def with_labels(self, model: m.Model, positions: dict[tuple[str, str], flow.FlowNode]) -> m.Model:
        """The model with the locations of labels filled in where expressions ask for them."""

        def fill(x: e.Expr) -> e.Expr:
            if isinstance(x, e.AtLocation):
                place = self.places.get((x.kind, x.label))
                return replace(x, locations=frozenset() if place is None else frozenset({place}))
            return x

        return rewrite_model(model, fill)


def lower(program: tree.Program, name: str, diagnostics: Diagnostics) -> m.Model:
    """The concurrent model of a program; only to be used if there are no errors among the diagnostics."""
    return Lowering(program, name, diagnostics).model()
