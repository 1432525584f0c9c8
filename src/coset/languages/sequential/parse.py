"""From the text of a `.seq` file to a sequential model.

    const N = 3;                    // -D N=5 gives another value
    type Agent = 0..N-1;
    process ring(bit label[N]) =
        Agent u, Agent v . [v == (u + 1) % N && label[u] != label[v]] copy { label[v] = label[u]; }
      + ...
    init ring(*);                   // any start; or ring(label = {0, 1, *}), one value for all: label = 0
    always label[0] == label[1] || label[1] == label[2] || label[2] == label[0];

Values that do not fit a variable wrap around, as those of machines do.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import prod

from coset.languages.sequential.loops import Endless, unrolled
from coset.languages.sequential.parse_expression import ExpressionParser
from coset.model import expression as e
from coset.model.depth import refuse_depth, refused
from coset.model.domain import Domain
from coset.model.model import Variable
from coset.model.sequential.fold import with_value
from coset.model.sequential.tokens import NAME, SYNTAX, TYPE, Token
from coset.model.sequential_model import Assign, If, SequentialModel, Start, Statement, Summand
from coset.source.text import Source, Span

MOST_ELEMENTS = 100_000


def parse(source: Source, defines: Mapping[str, str] | None = None) -> SequentialModel:
    """The model in a source; raises `InputError` with what is wrong with it."""
    try:
        model = Parser(source, defines or {}).model()
    except RecursionError:  # many operators in a row are nested, too
        raise refused(Span(source, 0, 0)) from None
    refuse_depth(model)
    return model


def parse_text(text: str, name: str = "model.seq", defines: Mapping[str, str] | None = None) -> SequentialModel:
    """The model in a text.

    >>> print(parse_text("process p(bit x) = [!x] up { x = 1; } init p(0);"), end="")
    process p(bit x) =
        [!x] up { x = 1; }
    init p(x = 0);
    """
    return parse(Source(name, text), defines)


class Parser(ExpressionParser):
    def __init__(self, source: Source, defines: Mapping[str, str]) -> None:
        super().__init__(source, defines)
        self.locals: dict[tuple[str, Domain, tuple[int, ...]], Variable] = {}
        """Variables of blocks.  Outside of their blocks they have their least values, so that they are no part of the state."""

    def model(self) -> SequentialModel:
        while self.token.text in ("const", "type"):
            self.declaration()
        self.expect("process")
        name = self.name().text
        self.expect("(")
        variables = [self.parameter()]
        while self.accept(","):
            variables.append(self.parameter())
        self.expect(")")
        self.expect("=")
        summands = [self.summand()]
        while self.accept("+"):
            summands.append(self.summand())
        starts = [self.start(name, variables)]
        while self.token.text == "init":
            starts.append(self.start(name, variables))
        conditions, always = list[e.Expr](), list[e.Expr]()
        while self.token.text in ("always", "condition"):
            kept = [conditions, always] if self.take().text == "always" else [conditions]
            condition = self.expression()
            for row in kept:
                row.append(condition)
            self.expect(";")
        control = None
        if self.accept("control"):
            control = self.known(self.take())
            self.expect(";")
        if self.token.text:
            raise self.fail(SYNTAX, f"expected the end of the file, found {self.shown()}", self.token.span)
        inner = tuple(self.locals.values())
        unused = tuple(lowest(variable.domain) for variable in inner for _ in range(variable.size))
        starts = list(dict.fromkeys((*start, *unused) for start in starts))
        return SequentialModel(
            name, (*variables, *inner), tuple(summands), tuple(starts), tuple(conditions), control, tuple(always)
        )

    # --- declarations ----------------------------------------------------------------------------

    def declaration(self) -> None:
        is_constant = self.take().text == "const"
        token = self.fresh()
        self.expect("=")
        if not is_constant:
            self.types[token.text] = self.domain()
        else:
            value = self.constant()
            given = self.defines.get(token.text)
            if given is not None and not given.removeprefix("-").isdecimal():
                raise self.fail(TYPE, f"-D {token.text}={given}: a number is needed", token.span)
            self.constants[token.text] = value if given is None else int(given)
        self.expect(";")

    def parameter(self) -> Variable:
        return self.declared(*self.declarator())

    def declared(self, token: Token, domain: Domain, shape: tuple[int, ...]) -> Variable:
        self.scope[token.text] = variable = Variable(token.text, domain, shape, span=token.span)
        return variable

    def declarator(self) -> tuple[Token, Domain, tuple[int, ...]]:
        """`byte x[2]`."""
        domain, token = self.domain(), self.fresh()
        shape: list[int] = []
        while self.accept("["):
            span, length = self.token.span, self.constant()
            if length <= 0:
                raise self.fail(TYPE, f"`{token.text}` has a dimension of length {length}", span)
            shape.append(length)
            self.expect("]")
        if prod(shape) > MOST_ELEMENTS:
            raise self.fail(TYPE, f"`{token.text}` has more than {MOST_ELEMENTS} elements", token.span)
        return token, domain, tuple(shape)

    def start(self, name: str, variables: list[Variable]) -> Start:
        """`init NAME(...)`: variables that are not mentioned begin with 0, or with their least value."""
        self.expect("init")
        token = self.name()
        if token.text != name:
            raise self.fail(NAME, f"the process is named `{name}`, not `{token.text}`", token.span)
        self.expect("(")
        values: dict[Variable, list[int | None]] = {}
        if self.token.text == "*" and self.following.text == ")":
            self.take()
            values = {variable: [None] * variable.size for variable in variables}
        elif self.token.text != ")":
            place = 0
            while True:
                variable = self.initialised(variables, place)
                values[variable] = self.initial(variable)
                place += 1
                if not self.accept(","):
                    break
        self.expect(")")
        self.expect(";")
        return tuple(x for v in variables for x in values.get(v, [lowest(v.domain)] * v.size))

    def initialised(self, variables: list[Variable], place: int) -> Variable:
        """The variable that is named, or else the next in order."""
        if self.following.text == "=":
            variable = self.known(self.take())
            self.take()
            return variable
        if place >= len(variables):
            raise self.fail(TYPE, f"there are only {len(variables)} variables", self.token.span)
        return variables[place]

    def initial(self, variable: Variable) -> list[int | None]:
        span = self.token.span
        if not self.accept("{"):
            return [self.value(variable)] * variable.size
        values = [self.value(variable)]
        while self.accept(","):
            values.append(self.value(variable))
        self.expect("}")
        if len(values) != variable.size:
            raise self.fail(
                TYPE, f"`{variable.name}` has {variable.size} elements, {len(values)} values are given", span
            )
        return values

    def value(self, variable: Variable) -> int | None:
        if self.accept("*"):
            return None
        span, value = self.token.span, self.constant()
        if not variable.domain.low <= value <= variable.domain.high:
            raise self.fail(TYPE, f"{value} is no value of `{variable.name}`", span)
        return value

    # --- summands --------------------------------------------------------------------------------

    def summand(self) -> Summand:
        first = self.token.span
        outer = dict(self.scope)
        choices: list[Variable] = []
        if self.token.text != "[" and self.following.text != "{":
            choices.append(self.choice())
            while self.accept(","):
                choices.append(self.choice())
            self.expect(".")
        guard: e.Expr = e.TRUE
        if self.accept("["):
            guard = self.expression()
            self.expect("]")
        event = self.name()
        program = self.block(choices)
        self.scope = outer
        return Summand(event.text, tuple(choices), guard, program, first.join(event.span))

    def choice(self) -> Variable:
        domain, token = self.domain(), self.fresh()
        self.scope[token.text] = variable = Variable(token.text, domain, span=token.span)
        return variable

    def block(self, choices: list[Variable]) -> tuple[Statement, ...]:
        self.expect("{")
        found: list[Statement] = []
        own: dict[str, Variable] = {}
        while not self.accept("}"):
            if self.token.text == "each":
                found += self.each(choices)
            elif self.token.text == "while":
                found += self.loop(choices)
            elif self.is_declaration():
                name, variable = self.local()
                own[name] = variable
                found += self.beginning(variable)
            else:
                found.append(self.statement(choices))
        for name, variable in own.items():
            found += filled(variable, e.Const(lowest(variable.domain)))
            del self.scope[name]
        return tuple(found)

    def is_declaration(self) -> bool:
        """Whether a type begins here: neither a type nor a constant can be assigned to."""
        token = self.token
        return token.text in self.types or token.text in self.constants or token.what == "number" or token.text == "-"

    def local(self) -> tuple[str, Variable]:
        """A variable of a block, or an array, by its name there.  Blocks share those that are declared alike."""
        token, domain, shape = self.declarator()
        key = token.text, domain, shape
        if key not in self.locals:
            taken = {*self.scope, *self.constants, *self.types, *(each.name for each in self.locals.values())}
            names = (token.text if k == 1 else f"{token.text}_{k}" for k in count(1))
            name = next(name for name in names if name not in taken)
            self.locals[key] = Variable(name, domain, shape, span=token.span)
        self.scope[token.text] = self.locals[key]
        return token.text, self.locals[key]

    def beginning(self, variable: Variable) -> list[Statement]:
        """The value that a variable of a block begins with; an array has it in all elements."""
        value: e.Expr = e.Const(lowest(variable.domain))
        if self.accept("="):
            value = self.expression()
        self.expect(";")
        return filled(variable, value)

    def loop(self, choices: list[Variable]) -> tuple[Statement, ...]:
        """`while (condition) { ... }`, as many rounds as it can take."""
        with self.nested():
            token = self.expect("while")
            self.expect("(")
            condition = self.expression()
            self.expect(")")
            body = self.block(choices)
        try:
            return unrolled(condition, body)
        except Endless as endless:
            hint = "count up to a constant, with a variable of a small range"
            raise self.fail(TYPE, f"this loop cannot be written out: {endless}", token.span, hint) from None

    def each(self, choices: list[Variable]) -> list[Statement]:
        """`each j : Agent { ... }`, written out for every value, in order."""
        self.take()
        token = self.fresh()
        self.expect(":")
        domain = self.domain()
        self.scope[token.text] = bound = Variable(token.text, domain)
        body = self.block([*choices, bound])
        del self.scope[token.text]
        values = range(domain.low, domain.high + 1)
        return [with_value(statement, bound, value) for value in values for statement in body]

    def statement(self, choices: list[Variable]) -> Statement:
        with self.nested():
            if self.accept("if"):
                self.expect("(")
                condition = self.expression()
                self.expect(")")
                yes = self.block(choices)
                if not self.accept("else"):
                    return If(condition, yes)
                return If(
                    condition, yes, (self.statement(choices),) if self.token.text == "if" else self.block(choices)
                )
            token = self.name()
            variable = self.known(token)
            if variable in choices:
                raise self.fail(TYPE, f"`{token.text}` is chosen by the summand and cannot be assigned to", token.span)
            place = e.Place(variable, self.indices(variable, token.span))
            self.expect("=")
            value = self.expression()
            self.expect(";")
            return Assign(place, value)


def filled(variable: Variable, value: e.Expr) -> list[Statement]:
    """Assignments to all elements of a variable."""
    places = (tuple(map(e.Const, variable.indices(k))) for k in range(variable.size))
    return [Assign(e.Place(variable, indices), value) for indices in places]


def lowest(domain: Domain) -> int:
    return 0 if domain.low <= 0 <= domain.high else domain.low
