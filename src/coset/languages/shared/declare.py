"""From the declarations of a program to its symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.flow import automaton
from coset.languages.shared.lower_expression import Expressions
from coset.languages.shared.refusal import Refused
from coset.languages.shared.symbols import (
    ANY_PROCESS,
    NATURAL,
    SEMAPHORE,
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
)
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import INT, Domain, Refers
from coset.model.family import NoProcess
from coset.source.diagnostics import Diagnostics, suggest

MOST_PROCESSES = 255
MOST_ELEMENTS = 100_000
NUMBERS = {"int": INT, "nat": NATURAL, "sem": SEMAPHORE}


class Declarations:
    """Makes the symbols; what is wrong with one declaration is reported, and the others are looked at."""

    def __init__(self, program: t.Program, values: Mapping[str, int], symbolic: bool, diagnostics: Diagnostics) -> None:
        self.program, self.given, self.diagnostics = program, values, diagnostics
        self.symbols = Symbols(symbolic, synchronous=program.synchronous)
        self.expressions = Expressions(self.symbols)
        self.names: dict[str, t.Node] = {}

    def declared(self) -> Symbols:
        program, symbols = self.program, self.symbols
        self.check_defines()
        for constant in program.constants:
            with self.reporting():
                self.constant(constant)
        for abbreviation in program.abbreviations:
            self.declare(abbreviation.name, abbreviation)
            symbols.abbreviations[abbreviation.name] = abbreviation.value
        for each in program.types:
            with self.reporting():
                self.type_declaration(each)
        for class_ in program.classes:
            with self.reporting():
                self.class_(class_)
        if self.diagnostics.errors:
            return symbols
        if not symbols.symbolic:
            with self.reporting():
                self.references()
        for variable in program.variables:
            with self.reporting():
                self.declare(variable.name, variable)
                symbols.variables[variable.name] = self.variable(variable, None)
        for shared in program.shared:
            with self.reporting():
                self.declare(shared.variable.name, shared)
                symbols.variables[shared.variable.name] = self.shared(shared)
        for class_ in program.classes:
            self.locals(class_)
        return symbols

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Report what is refused."""
        try:
            yield
        except Refused as refused:
            self.diagnostics.error(refused.code, refused.message, refused.node.span, refused.hint)

    def declare(self, name: str, node: t.Node) -> None:
        before = self.names.setdefault(name, node)
        if before is not node:
            self.diagnostics.error(
                codes.REDECLARED, f"`{name}` is declared twice", node.span, notes=[("the first is here", before.span)]
            )

    # --- constants and parameters --------------------------------------------------------------------

    def check_defines(self) -> None:
        known = {each.name for each in self.program.constants} | self.sizes()
        for name, value in self.given.items():
            if name not in known:
                close = suggest(name, known)
                hint = f"did you mean `{close}`?" if close else f"declare it: `parameter {name} = {value};`"
                text = f"-D {name}={value}: the program has no constant or parameter `{name}`"
                self.diagnostics.error(codes.UNNAMED_DEFINE, text, None, hint)

    def sizes(self) -> set[str]:
        """Names that are the size of a class: parameters, even if undeclared."""
        return {each.size.name for each in self.program.classes if isinstance(each.size, t.Name)}

    def constant(self, x: t.Constant) -> None:
        self.declare(x.name, x)
        symbols = self.symbols
        if x.name in self.given:
            symbols.constants[x.name] = Value(e.Const(self.given[x.name]), WHOLE)
        elif symbols.symbolic and (x.symbolic or x.name in self.sizes()):
            symbols.parameters[x.name] = m.Variable(x.name, NATURAL, span=x.span)
        elif x.value is not None:
            symbols.constants[x.name] = Value(e.Const(self.expressions.constant(x.value)), WHOLE)
        else:
            symbols.constants[x.name] = Value(e.Const(1), WHOLE)
            raise no_value(x.name, x)

    def size(self, x: t.Class) -> int | m.Variable:
        if x.size is None:
            return 1
        symbols = self.symbols
        if isinstance(x.size, t.Name) and x.size.name not in {*symbols.constants, *symbols.parameters, *self.names}:
            name = x.size.name
            if name in self.given:
                symbols.constants[name] = Value(e.Const(self.given[name]), WHOLE)
            elif symbols.symbolic:
                symbols.parameters[name] = m.Variable(name, NATURAL, span=x.size.span)
            else:
                raise no_value(name, x.size)
        if isinstance(x.size, t.Name) and x.size.name in symbols.parameters:
            return symbols.parameters[x.size.name]
        if not isinstance(self.expressions.number(x.size), e.Const):
            self.expressions.told_apart(x.size, "the number of processes is computed, and has no name")
        size = self.expressions.constant(x.size)
        if not (1 if symbols.symbolic else 0) <= size <= MOST_PROCESSES:
            raise Refused(codes.BAD_RANGE, f"`{x.name}` has {size} processes; up to {MOST_PROCESSES} can be", x.size)
        return size

    # --- types -----------------------------------------------------------------------------------------

    def type_declaration(self, x: t.Enumeration) -> None:
        self.declare(x.name, x)
        if x.type is not None:
            type_, bounds = self.type(x.type)
            if bounds is not None:
                raise Refused(codes.NOT_CONSTANT, "a range that depends on parameters can have no name", x.type)
            self.symbols.types[x.name] = type_
            return
        labels = tuple(enumerate(x.values))
        domain = Domain(x.name, 0, len(labels) - 1, labels=labels)
        type_ = self.symbols.types[x.name] = Type("enumeration", x.name, domain)
        for number, value in labels:
            self.declare(value, x)
            if value in self.symbols.constants:
                raise Refused(codes.REDECLARED, f"`{value}` is declared twice", x)
            self.symbols.constants[value] = Value(e.Const(number, domain), type_)

    def references(self) -> None:
        """Types of references to processes: `P`, for its members or none, and `process`, for all."""
        symbols, names = self.symbols, []
        for members in symbols.classes.values():
            names += [(pid, members.called(pid - members.start)) for pid in members.range]
        if len(names) > MOST_PROCESSES:
            text = f"there are {len(names)} processes; up to {MOST_PROCESSES} can be"
            raise Refused(codes.TOO_LARGE, text, self.program)
        labels = (*names, (len(names), "none"))
        for name in (ANY_PROCESS, *symbols.classes):
            domain = Domain(name, 0, len(names), Refers.PROCESS, labels)
            symbols.types[f"ref {name}"] = Type("process", name, domain)

    def type(self, x: t.Type) -> tuple[Type, tuple[e.Expr, e.Expr] | None]:
        """The type, and its bounds if they depend on parameters."""
        symbols = self.symbols
        if x.name == "bool":
            return TRUTH, None
        if x.name in NUMBERS:
            domain = NUMBERS[x.name]
            if x.bounds is None:
                return replace(WHOLE, domain=domain), None
            low, high = (self.expressions.number(bound) for bound in x.bounds)
            if not isinstance(low, e.Const) or not isinstance(high, e.Const):
                return replace(WHOLE, domain=domain), (low, high)
            if low.value > high.value:
                raise Refused(codes.BAD_RANGE, f"the range {low.value}..{high.value} is empty", x)
            return replace(WHOLE, domain=Domain(f"{low.value}..{high.value}", low.value, high.value)), None
        if x.name in symbols.types:
            return symbols.types[x.name], None
        if x.name == ANY_PROCESS or x.name in symbols.classes:
            return symbols.reference(x.name), None
        close = suggest(x.name, [*symbols.types, *symbols.classes, *NUMBERS, "bool"])
        raise Refused(
            codes.UNDECLARED, f"there is no type `{x.name}`", x, f"did you mean `{close}`?" if close else None
        )

    # --- variables -------------------------------------------------------------------------------------

    def variable(self, x: t.Variable, of: Members | None) -> Declared:
        type_, bounds = self.type(x.type)
        dimensions = tuple(self.dimension(each) for each in x.dimensions)
        shape = tuple(d if isinstance(d, int) else self.symbols.classes[d].count for d in dimensions)
        size = 1
        for length in shape:
            size *= length
        if size > MOST_ELEMENTS or size < 1:
            raise Refused(codes.BAD_RANGE, f"`{x.name}` has {size} elements; up to {MOST_ELEMENTS} can be", x)
        initial = self.initial(x, type_, of)
        owner = None if of is None else of.name
        names = tuple(self.element_names(x.name, dimensions)) if any(isinstance(d, str) for d in dimensions) else ()
        variable = m.Variable(x.name, type_.domain, shape, owner, (initial,), span=x.span, elements=names)
        return Declared(variable, type_, dimensions, bounds)

    def dimension(self, x: t.Expression) -> str | int:
        if isinstance(x, t.Name) and x.name in self.symbols.classes:
            self.expressions.told_apart(x, "an array has an element for every process")
            return x.name
        size = self.expressions.constant(x)
        if size < 1:
            raise Refused(codes.BAD_RANGE, f"an array of {size} elements", x)
        return size

    def element_names(self, name: str, dimensions: tuple[str | int, ...]) -> Iterator[str]:
        """Elements by the numbers of processes, which start at 1."""
        if not dimensions:
            yield name
            return
        first = dimensions[0]
        numbers = range(first) if isinstance(first, int) else range(1, self.symbols.classes[first].count + 1)
        for number in numbers:
            yield from self.element_names(f"{name}[{number}]", dimensions[1:])

    def initial(self, x: t.Variable, type_: Type, of: Members | None) -> e.Expr:
        if x.initial is None and type_.what == "process" and self.symbols.symbolic:
            return NoProcess()
        if x.initial is None:
            return e.Const(self.symbols.processes if type_.what == "process" else max(type_.domain.low, 0))
        itself = None if of is None or self.symbols.symbolic else self.itself(of)
        value = self.expressions.within(Scope(itself)).of_type(x.initial, type_)
        if isinstance(value, e.Const) and not type_.domain.low <= value.value <= type_.domain.high:
            text = f"{value.value}, the initial value of `{x.name}`, is not in {type_.domain}"
            raise Refused(codes.BAD_RANGE, text, x.initial)
        known = {*self.symbols.parameters.values(), of and of.number}
        if any(isinstance(part, e.Get | e.Remote) and part.variable not in known for part in value.walk()):
            raise Refused(codes.NOT_CONSTANT, "an initial value cannot depend on variables", x.initial)
        return value

    def shared(self, x: t.Shared) -> Declared:
        """A variable with, for every element, the processes that may use it."""
        declared = self.variable(x.variable, None)
        if self.symbols.symbolic:
            for each in x.by:
                if not (isinstance(each, t.Name) and each.name in self.symbols.classes):
                    self.expressions.told_apart(each, "this names a process")
            return declared
        if x.binder is None:
            among = frozenset(pid for each in x.by for pid in self.named(each, self.expressions))
            return replace(declared, sharers=(among,) * declared.variable.size)
        members = self.expressions.class_of(x.binder)
        sharers = []
        for place in range(members.count):
            here = self.expressions.within(Scope(None, {x.binder.names[0]: members.member(place)}))
            sharers.append(frozenset(pid for each in x.by for pid in self.named(each, here)))
        return replace(declared, sharers=tuple(sharers))

    def named(self, x: t.Expression, here: Expressions) -> list[int]:
        """The numbers of the processes that an expression of a set names: a class, a process, or, if there is one class
        only, a number."""
        classes = self.symbols.classes
        if isinstance(x, t.Name) and x.name in classes:
            return list(classes[x.name].range)
        if isinstance(x, t.Number) and len(classes) == 1:
            return [constant_pid(here.member(next(iter(classes.values())), (x,), x))]
        process = here.process(x)
        if not isinstance(process.pid, e.Const):
            raise Refused(codes.NOT_CONSTANT, "a process is needed here", x)
        return [constant_pid(process)]

    # --- classes ---------------------------------------------------------------------------------------

    def class_(self, x: t.Class) -> None:
        self.declare(x.name, x)
        symbols = self.symbols
        size = self.size(x)
        start = 0 if symbols.symbolic else symbols.processes
        number = None
        if isinstance(size, int) and self.needs_number(x):
            number = m.Variable("self", Domain("number", 0, max(size - 1, 0)), owner=x.name)
        symbols.classes[x.name] = Members(x.name, size, start, x.size is None, automaton(x), {}, number)

    def needs_number(self, x: t.Class) -> bool:
        """Whether the place in its class must be in a variable of each process.  It is the number of the process if there
        is only one class; but where such numbers are also values, with `none` among them, symmetry could not tell that
        `self + 1` is never asked of `none`."""
        classes = {each.name for each in self.program.classes}
        refers = any(
            isinstance(node, t.Type) and (node.name in classes or node.name == ANY_PROCESS)
            for node in self.program.walk()
        )
        if len(classes) == 1 and not refers:
            return False
        return any(computes_with_self(node) for part in (x, *self.program.abbreviations) for node in part.walk())

    def itself(self, members: Members) -> Process:
        """`self` in the program of a class."""
        if members.number is not None:
            return Process(members.name, e.Self(), e.Get(members.number))
        member = binary("-", e.Self(), e.Const(members.start)) if members.start else e.Self()
        return Process(members.name, e.Self(), member)

    def locals(self, x: t.Class) -> None:
        members = self.symbols.classes[x.name]
        found: dict[str, Declared] = {}
        for variable in x.locals:
            with self.reporting():
                if variable.name in found:
                    raise Refused(codes.REDECLARED, f"`{variable.name}` is declared twice", variable)
                if variable.name in self.names:
                    raise Refused(codes.REDECLARED, f"`{variable.name}` is declared outside, too", variable)
                found[variable.name] = self.variable(variable, members)
        self.symbols.classes[x.name] = replace(members, variables=found)


def computes_with_self(x: t.Node) -> bool:
    """Whether it matters which member of its class `self` is."""
    match x:
        case t.Binary("+" | "-", t.Itself()) | t.NumberOf(t.Itself()):
            return True
        case t.Element(_, indices) | t.Local(_, _, indices):
            return any(isinstance(index, t.Itself) for index in indices)
    return False


def constant_pid(process: Process) -> int:
    assert isinstance(process.pid, e.Const)
    return process.pid.value


def no_value(name: str, node: t.Node) -> Refused:
    hint = f"give it one with `-D {name}=3`, or a default: `parameter {name} = 3;`"
    return Refused(codes.NO_VALUE, f"`{name}` has no value", node, hint)


def within(value: e.Expr, low: e.Expr, high: e.Expr) -> e.Expr:
    """Whether a value is in a range."""
    return binary("&&", binary("<=", low, value), binary("<=", value, high))
