"""From the text of a shared-variable program to its tree: declarations and statements."""

from __future__ import annotations

from dataclasses import replace

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.cursor import ADDITIVE, OR, Cursor
from coset.languages.shared.lexer import tokenise
from coset.languages.tokens import END, NAME, NUMBER, Failure, Token
from coset.model.depth import refused
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source, Span

DECLARATIONS = (
    "const", "parameter", "define", "type", "global", "shared", "class", "assume", "property", "ltl", "invariant",
    "synchronous", "asynchronous",
)  # fmt: skip
NUMBERS = ("int", "nat", "sem")


def parse(source: Source, diagnostics: Diagnostics) -> t.Program:
    """The tree of a file."""
    parser = Parser(tokenise(source, diagnostics), diagnostics)
    try:
        return parser.program(source)
    except RecursionError:  # blocks in blocks; expressions have a limit of their own
        raise refused(parser.peek().span) from None


def parse_property(what: str, name: str, source: Source, diagnostics: Diagnostics) -> t.Property | None:
    """A formula that is a text of its own."""
    parser = Parser(tokenise(source, diagnostics), diagnostics)
    try:
        formula = parser.formula("ltl" if what == "ltl" else "ctl")
        parser.expect(END, "after the formula")
    except Failure:
        return None
    return t.Property(what, name, formula, source.text, span=Span(source, 0, len(source.text)))


class Parser(Cursor):
    def __init__(self, found: list[Token], diagnostics: Diagnostics) -> None:
        super().__init__(found, diagnostics)
        self.constants: list[t.Constant] = []
        self.abbreviations: list[t.Abbreviation] = []
        self.types: list[t.Enumeration] = []
        self.variables: list[t.Variable] = []
        self.shared: list[t.Shared] = []
        self.classes: list[t.Class] = []
        self.assumptions: list[t.Expression] = []
        self.properties: list[t.Property] = []
        self.synchronous = False

    def program(self, source: Source) -> t.Program:
        while not self.at(END):
            try:
                self.declaration()
            except Failure:
                self.recover()
        return t.Program(
            tuple(self.constants), tuple(self.abbreviations), tuple(self.types), tuple(self.variables),
            tuple(self.shared), tuple(self.classes), tuple(self.assumptions), tuple(self.properties),
            self.synchronous, span=Span(source, 0, len(source.text)),
        )  # fmt: skip

    def recover(self) -> None:
        """Skip to the next declaration."""
        self.depth, self.weakest = 0, 1
        self.take()
        while not self.at(END, *DECLARATIONS):
            self.take()

    # --- declarations --------------------------------------------------------------------------------

    def declaration(self) -> None:
        start = self.take()
        match start.kind:
            case "const" | "parameter":
                self.constants.append(self.constant(start))
                while self.accept(","):
                    self.constants.append(self.constant(start))
                self.end()
            case "define":
                name = self.expect(NAME, "for the abbreviation").text
                self.expect("=", "before what it stands for")
                self.abbreviations.append(t.Abbreviation(name, self.expression(), span=self.since(start)))
                self.end()
            case "type":
                self.types.append(self.enumeration(start))
            case "global":
                self.variables += self.several_variables()
            case "shared":
                self.shared.append(self.shared_variable(start))
            case "class":
                self.classes.append(self.class_(start))
            case "assume":
                self.assumptions.append(self.expression())
                self.end()
            case "property" | "ltl" | "invariant":
                self.properties.append(self.property(start))
            case "synchronous" | "asynchronous":
                self.synchronous = start.kind == "synchronous"
                self.end()
            case _:
                self.position -= 1
                known = ", ".join(f"`{token}`" for token in DECLARATIONS)
                raise self.failure(f"expected a declaration, not {self.shown()}", f"declarations begin with {known}")

    def constant(self, start: Token) -> t.Constant:
        name = self.expect(NAME, "for the constant")
        value = self.expression() if self.accept("=") else None
        if value is None and start.kind == "const":
            raise self.failure("a constant needs a value", "or is it a `parameter`?")
        return t.Constant(name.text, value, start.kind == "parameter", span=self.since(name))

    def end(self) -> None:
        self.expect(";", "at the end")

    def property(self, start: Token) -> t.Property:
        name = self.label("for the property")
        self.expect(":", "before the formula")
        first = self.peek()
        formula = self.formula("ltl" if start.kind == "ltl" else "ctl")
        text = " ".join(self.since(first).text.split())
        self.end()
        return t.Property(start.kind, name, formula, text, span=self.since(start))

    def enumeration(self, start: Token) -> t.Enumeration:
        name = self.expect(NAME, "for the type").text
        self.expect("=", "before the values")
        if not self.accept("{"):
            type_ = self.type()
            self.end()
            return t.Enumeration(name, (), type_, span=self.since(start))
        values = [self.expect(NAME, "for a value").text]
        while self.accept(","):
            values.append(self.expect(NAME, "for a value").text)
        self.expect("}", "after the values")
        self.end()
        return t.Enumeration(name, tuple(values), span=self.since(start))

    def several_variables(self) -> list[t.Variable]:
        found = [self.variable()]
        while self.accept(","):
            found.append(self.variable())
        self.end()
        return found

    def variable(self) -> t.Variable:
        name = self.expect(NAME, "for a variable")
        dimensions = self.indices()
        return self.typed(name, dimensions)

    def typed(self, name: Token, dimensions: tuple[t.Expression, ...]) -> t.Variable:
        """`: type where x = e`, or `: type = e`."""
        self.expect(":", "before the type")
        type_ = self.type()
        initial = None
        if self.accept("where"):
            if self.peek().text != name.text:
                raise self.failure(f"expected `{name.text} = ...` after `where`, not {self.shown()}")
            self.take()
            self.expect("=", "before the initial value")
            initial = self.expression()
        elif self.accept("="):
            initial = self.expression()
        return t.Variable(name.text, dimensions, type_, initial, span=self.since(name))

    def type(self) -> t.Type:
        start = self.peek()
        if self.at(*NUMBERS):
            self.take()
            bounds = None
            if self.accept("["):
                bounds = self.range()
                self.expect("]", "after the range")
            return t.Type(start.kind, bounds, span=self.since(start))
        if self.at("bool", "process") or (self.at(NAME) and not self.range_follows()):
            return t.Type(self.take().text, span=start.span)
        return t.Type("int", self.range(), span=self.since(start))

    def range_follows(self) -> bool:
        return self.peek(1).kind in ("..", "+", "-", "*", "/", "%")

    def range(self) -> tuple[t.Expression, t.Expression]:
        low = self.expression(ADDITIVE)
        self.expect("..", "between the bounds")
        return low, self.expression(ADDITIVE)

    def shared_variable(self, start: Token) -> t.Shared:
        """`x{P[1], Q}: type;` or `f[i in P]{P[i], P[i + 1]}: type;`"""
        name = self.expect(NAME, "for a variable")
        binder = None
        if self.at("[") and self.peek(1).kind == NAME and self.peek(2).kind == "in":
            self.take()
            binder = self.bound()
            self.expect("]", "after the class")
            dimensions: tuple[t.Expression, ...] = (t.Name(binder.of or "", span=binder.span),)
        else:
            dimensions = self.indices()
        self.expect("{", "before the processes that share it")
        by = [self.expression()]
        while self.accept(","):
            by.append(self.expression())
        self.expect("}", "after the processes that share it")
        variable = self.typed(name, dimensions)
        self.end()
        return t.Shared(variable, binder, tuple(by), span=self.since(start))

    def class_(self, start: Token) -> t.Class:
        name = self.expect(NAME, "for the class").text
        size = None
        if self.accept("["):
            size = self.expression()
            self.expect("]", "after the number of processes")
        self.expect("{", "before the class")
        variables: list[t.Variable] = []
        while self.accept("local"):
            variables += self.several_variables()
        body = self.statements()
        self.expect("}", "after the class")
        kinds = {isinstance(each, t.Transition) for each in body}
        if len(kinds) == 2:
            place = next(each for each in body if isinstance(each, t.Transition) != isinstance(body[0], t.Transition))
            self.diagnostics.error(
                codes.MIXED, f"`{name}` has both statements and transitions", place.span,
                "write all of it in one way: a transition is `l : guard -> x := 1 : m;`",
            )  # fmt: skip
        return t.Class(name, size, tuple(variables), body, span=self.since(start))

    # --- statements ----------------------------------------------------------------------------------

    def statements(self) -> tuple[t.Statement, ...]:
        """Statements up to a closing brace."""
        found = []
        while not self.at("}", END, "class", "property"):
            self.depth = 0
            found.append(self.statement())
        return tuple(found)

    def body(self, after: str) -> tuple[t.Statement, ...]:
        self.expect("{", f"after `{after}`")
        found = self.statements()
        self.expect("}", "after the statements")
        return found

    def statement(self) -> t.Statement:
        start = self.peek()
        label = None
        if self.at(NAME, NUMBER) and self.peek(1).kind == ":":
            label = self.take().text
            self.take()
            if self.transition_follows():
                return self.transition(label, start)
        return replace(self.unlabelled(), label=label, span=self.since(start))

    def unlabelled(self) -> t.Statement:
        start = self.peek()
        match start.kind:
            case "skip" | "critical" | "noncritical" | "halt" | "goto" | "await" | "request" | "release" | "<":
                found = self.simple()
                self.end()
                return replace(found, span=self.since(start))
            case "if":
                return self.if_()
            case "while":
                self.take()
                condition = self.expression()
                self.expect("do", "after the condition")
                return t.While(condition, self.body("do"), span=self.since(start))
            case "loop":
                self.take()
                self.expect("forever", "after `loop`")
                self.expect("do", "after `loop forever`")
                return t.Loop(self.body("do"), span=self.since(start))
            case "choose":
                self.take()
                options = [self.body("choose")]
                while self.accept("or"):
                    options.append(self.body("or"))
                return t.Choose(tuple(options), span=self.since(start))
            case "atomic":
                self.take()
                return t.Block(self.body("atomic"), True, span=self.since(start))
            case "{":
                return t.Block(self.body("the label"), span=self.since(start))
        if self.at(NAME):
            assignments = self.assignments(",")
            self.end()
            return t.Assign(None, assignments, span=self.since(start))
        raise self.failure(f"expected a statement, not {self.shown()}")

    def simple(self) -> t.Statement:
        start = self.take()
        match start.kind:
            case "goto":
                return t.Goto(self.label("for the label to go to"), span=self.since(start))
            case "halt":
                return t.Halt(span=start.span)
            case "await":
                return t.Assign(self.expression(), (), span=self.since(start))
            case "<":
                self.expect("await", "after `<`")
                condition = self.expression()
                assignments: tuple[t.Assignment, ...] = ()
                if self.accept(";"):
                    assignments = self.assignments(",")
                self.accept(";")
                self.expect(">", "at the end of `< await ... >`")
                return t.Assign(condition, assignments, span=self.since(start))
            case "request" | "release":
                amount = None
                bracket = self.accept("(")
                place = self.place()
                if bracket:
                    if self.accept(","):
                        amount = self.expression()
                    self.expect(")", f"after the amount of `{start.kind}`")
                return t.Semaphore(start.kind, place, amount, span=self.since(start))
        return t.Skip(start.kind, span=start.span)

    def if_(self) -> t.Statement:
        start = self.take()
        condition = self.expression()
        self.expect("then", "after the condition")
        yes = self.body("then")
        no: tuple[t.Statement, ...] = ()
        if self.accept("else"):
            no = (self.if_(),) if self.at("if") else self.body("else")
        return t.If(condition, yes, no, span=self.since(start))

    def assignments(self, *separators: str) -> tuple[t.Assignment, ...]:
        found = [self.assignment()]
        while self.at(*separators):
            self.take()
            found.append(self.assignment())
        return tuple(found)

    def assignment(self) -> t.Assignment:
        start = self.peek()
        place = self.place()
        self.expect(":=", "in the assignment")
        if not self.accept("oneof"):
            return t.Assignment(place, (self.expression(),), span=self.since(start))
        self.expect("{", "after `oneof`")
        values = [self.expression()]
        while self.accept(","):
            values.append(self.expression())
        self.expect("}", "after the values")
        return t.Assignment(place, tuple(values), span=self.since(start))

    def place(self) -> t.Expression:
        return self.postfix(self.primary())

    # --- transitions ---------------------------------------------------------------------------------

    def transition_follows(self) -> bool:
        """Whether what comes after a label is `guard -> ...`, and no statement."""
        if self.peek().kind not in (
            NAME, NUMBER, "(", "!", "-", "true", "false", "self", "none", "deadlock", "exists", "forall", "count",
        ):  # fmt: skip
            return False
        ahead = 0
        while self.peek(ahead).kind not in (";", "{", "}", END):
            if self.peek(ahead).kind in ("->", ":="):
                return self.peek(ahead).kind == "->"
            ahead += 1
        return False

    def transition(self, label: str, start: Token) -> t.Statement:
        self.weakest = OR
        guard = self.expression(OR)
        self.weakest = 1
        self.expect("->", "after the guard")
        assignments: tuple[t.Assignment, ...] = ()
        if not self.accept("skip"):
            assignments = self.assignments("||", ",")
        self.expect(":", "before the label to go to")
        target = self.label("for the label to go to")
        self.end()
        return t.Transition(guard, assignments, target, label=label, span=self.since(start))
