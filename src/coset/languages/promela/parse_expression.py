"""Expressions, with the precedences of SPIN's grammar.

From weak to strong:  `-> <-> ~>` (ltl), `||`, `&&`, `U V W M` (ltl), `|`, `^`, `&`, `== !=`,
`< <= > >=`, `<< >>`, `+ -`, `* / %`, and the prefixes `! - ~ [] <> X`.  All binary ones group to the
left, `U` as well.

The probes `full`, `empty`, `nfull`, `nempty` may only be combined by `&&` and `||`: their negation
would not be what partial order reduction takes it for.
"""

from __future__ import annotations

from coset.languages.promela.cursor import Cursor
from coset.languages.promela.lexer import CONSTANT, END, INLINE_NAME, NAME, PROCTYPE_NAME, TYPE_NAME, Token
from coset.languages.promela.tree import (
    Binary,
    Bind,
    Builtin,
    ChannelQuery,
    Conditional,
    Expression,
    Match,
    NonProgress,
    Number,
    Poll,
    ReceiveArgument,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Timeout,
    Unary,
)
from coset.source.diagnostics import register

PROBE = register(
    "S010",
    "`full`, `empty`, `nfull` and `nempty` can only be combined with `&&` and `||`.",
    "Use the opposite probe instead of a negation: `nfull(c)` for `!full(c)`, `nempty(c)` for `!empty(c)`.",
)
ASSIGNMENT_IN_EXPRESSION = register("S011", "`=` is an assignment; expressions compare with `==`.")
TEMPORAL_OPERAND = register(
    "S013",
    "A temporal formula is compared or computed with.",
    "`[]`, `<>`, `X` and `!` bind more tightly than `==`: write `[] (x == 1)`.",
)
INLINE_IN_EXPRESSION = register("S012", "An inline is a sequence of statements and has no value in an expression.")
EMBEDDED_C = register(
    "U001",
    "Embedded C code is not supported.",
    "Its effect on the state is not visible, so neither symmetries nor verdicts would be sound.",
)
EMBEDDED_C_WORDS = frozenset({"c_code", "c_expr", "c_decl", "c_state", "c_track"})

BINARY_OPERATORS = {
    "implies": 1, "<->": 1, "~>": 1, "||": 2, "&&": 3, "U": 4, "V": 4, "W": 4, "M": 4, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8,
    ">": 9, "<": 9, ">=": 9, "<=": 9, "<<": 10, ">>": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
}  # fmt: skip
_TEMPORAL = frozenset({"[]", "<>", "X", "U", "V", "W", "M", "->", "<->", "~>"})
_PREFIXES = frozenset({"!", "-", "~", "[]", "<>", "X"})
_OPPOSITE = {"full": "nfull", "nfull": "full", "empty": "nempty", "nempty": "empty"}
_CALLS = frozenset({"enabled", "pc_value", "get_priority"})


def is_probe(expression: Expression) -> bool:
    """Whether this is what SPIN's grammar calls an `Expr`: built from probes by `&&` and `||`."""
    if isinstance(expression, ChannelQuery):
        return expression.operator != "len"
    if isinstance(expression, Binary) and expression.operator in ("&&", "||"):
        return is_probe(expression.left) or is_probe(expression.right)
    return False


class ExpressionParser(Cursor):
    def full_expression(self) -> Expression:
        """An expression as a statement, in an assignment, an `assert`, `provided`, `ltl`."""
        return self.binary(1, None)

    def expression(self) -> Expression:
        """Any other expression: without probes."""
        return self.no_probe(self.binary(1, None))

    def no_probe(self, expression: Expression, operator: str = "") -> Expression:
        if is_probe(expression):
            probe = expression
            while isinstance(probe, Binary):
                probe = probe.left if is_probe(probe.left) else probe.right
            assert isinstance(probe, ChannelQuery)
            if operator == "!" and expression is probe:
                hint = f"write `{_OPPOSITE[probe.operator]}({probe.channel.span.text})`"
            else:
                hint = "probes can only be combined with `&&` and `||`"
            where = f"as an operand of `{operator}`" if operator else "here"
            self.diagnostics.error(PROBE, f"`{probe.operator}(...)` cannot be used {where}", probe.span, hint)
        return expression

    def no_temporal(self, operand: Expression, operator: str) -> None:
        """`[] x == 1` is `([] x) == 1` to SPIN, which then compares with nonsense and says nothing."""
        if isinstance(operand, Unary | Binary) and operand.operator in _TEMPORAL:
            hint = f"`{operand.operator}` binds more tightly than `{operator}`: use parentheses"
            message = f"`{operand.operator}` cannot be used in an operand of `{operator}`"
            self.diagnostics.error(TEMPORAL_OPERAND, message, operand.span, hint)

    def binary(self, level: int, left: Expression | None, start: Token | None = None) -> Expression:
        """Precedence climbing.  `left` is given when the caller has read the first operand."""
        if left is None or start is None:
            start = self.peek()
            left = self.unary()
        while True:
            kind = self.peek().kind
            strength = BINARY_OPERATORS.get(kind, 0)
            if strength < level:
                return left
            self.take()
            right = self.binary(strength + 1, None)
            if strength not in (2, 3):
                self.no_probe(left, kind)
                self.no_probe(right, kind)
            if strength > 4:
                self.no_temporal(left, kind)
                self.no_temporal(right, kind)
            left = Binary(self.span_from(start), "->" if kind == "implies" else kind, left, right)

    def unary(self) -> Expression:
        token = self.peek()
        kind = token.kind
        if kind in _PREFIXES:
            self.take()
            operand = self.no_probe(self.unary(), kind)
            if kind in ("-", "~"):
                self.no_temporal(operand, kind)
            return Unary(self.span_from(token), kind, operand)
        if kind == NAME:
            return self.reference_or_poll(self.reference())
        if kind == CONSTANT:
            self.take()
            return self.constant(token)
        if kind == "(":
            return self.parenthesised()
        return self.special(token)

    def constant(self, token: Token) -> Expression:
        if token.value is None:
            return Reference(token.span, token.text)
        return Number(token.span, token.value)

    def parenthesised(self) -> Expression:
        opening = self.take()
        inner = self.binary(1, None)
        if self.at("->"):
            self.no_probe(inner, "->")
            self.take()
            yes = self.expression()
            self.expect(":", "in the conditional expression `(condition -> yes : no)`")
            no = self.expression()
            inner = Conditional(self.span_from(opening), inner, yes, no)
        if self.at("="):
            raise self.failure(
                "`=` cannot be used in an expression", hint="compare with `==`", code=ASSIGNMENT_IN_EXPRESSION
            )
        self.close(opening)
        return inner

    def close(self, opening: Token) -> None:
        self.expect(")", "to close the parenthesis", opening)

    def special(self, token: Token) -> Expression:
        """The expressions that begin with a token of Promela."""
        kind = token.kind
        if kind == "run":
            return self.run()
        if kind == "timeout":
            self.take()
            return Timeout(token.span)
        if kind == "np_":
            self.take()
            return NonProgress(token.span)
        if kind in _OPPOSITE or kind == "len":
            self.take()
            opening = self.expect("(", f"after `{kind}`")
            channel = self.reference()
            self.close(opening)
            return ChannelQuery(self.span_from(token), kind, channel)
        if kind in _CALLS:
            self.take()
            opening = self.expect("(", f"after `{kind}`")
            operand = self.expression()
            self.close(opening)
            return Builtin(self.span_from(token), kind, operand)
        if kind == PROCTYPE_NAME:
            return self.remote()
        if kind in EMBEDDED_C_WORDS:
            self.embedded_c()
            return Number(token.span, 0)
        if kind == INLINE_NAME:
            raise self.failure(f"inline `{token.text}` cannot be used in an expression", code=INLINE_IN_EXPRESSION)
        if kind == TYPE_NAME:
            raise self.failure(f"`{token.text}` is the name of a typedef, not of a variable")
        if kind in ("++", "--"):
            raise self.failure(
                f"`{kind}` cannot be used in an expression", hint=f"write `x{kind}` as a statement of its own"
            )
        raise self.failure(f"expected an expression, not {self.describe()}")

    def run(self) -> Expression:
        token = self.take()
        name = self.peek()
        if name.kind not in (NAME, PROCTYPE_NAME):
            raise self.failure(f"expected the name of a proctype after `run`, not {self.describe()}")
        self.take()
        opening = self.expect("(", f"after the name of the proctype: `run {name.text}(...)`")
        arguments = self.arguments(")")
        self.close(opening)
        priority = self.priority()
        return Run(self.span_from(token), name.text, arguments, priority)

    def priority(self) -> Expression | None:
        """`priority 3`, if it is there."""
        if not self.accept("priority"):
            return None
        return self.constant(self.expect(CONSTANT, "after `priority`"))

    def arguments(self, end: str) -> tuple[Expression, ...]:
        """Expressions separated by commas; none if `end` comes at once."""
        if self.at(end):
            return ()
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return tuple(found)

    def remote(self) -> Expression:
        """`proctype[pid]@label`, `proctype:variable`, ..."""
        token = self.take()
        pid: Expression | None = None
        if self.accept("["):
            pid = self.expression()
            self.expect("]", "after the process number")
        if self.accept("@"):
            label = self.expect_name("a label")
            return RemoteLabel(self.span_from(token), token.text, pid, label.text)
        if self.accept(":"):
            if pid is None and not self.at(NAME):
                raise self.failure(f"`{token.text}` is the name of a proctype and cannot be a label", token)
            start = self.expect_name("a variable of the process")
            index = self.index()
            variable = Reference(self.span_from(start), start.text, index)
            return RemoteVariable(self.span_from(token), token.text, pid, variable)
        raise self.failure(
            f"`{token.text}` is the name of a proctype, not of a variable",
            token,
            f"`run {token.text}(...)` starts a process, `{token.text}[pid]@label` asks where one is",
        )

    # --- references and channels -------------------------------------------------------------------

    def index(self) -> Expression | None:
        """`[expression]`, if it is there."""
        if not self.accept("["):
            return None
        index = self.expression()
        self.expect("]", "after the index")
        return index

    def reference(self) -> Reference:
        """`name`, `name[index]`, `name[index].field`"""
        token = self.expect_name("the name of a variable")
        index = self.index()
        rest = self.reference() if self.accept(".") else None
        return Reference(self.span_from(token), token.text, index, rest)

    def reference_or_poll(self, channel: Reference) -> Expression:
        """`c?[...]` and `c??[...]` ask whether a message could be received."""
        kind = self.peek().kind
        if kind not in ("?", "??"):
            return channel
        self.take()
        if not self.at("["):
            raise self.failure(
                "receiving a message is a statement, not an expression", hint=f"ask with `{kind}[...]` instead"
            )
        return self.poll(channel, kind == "??")

    def poll(self, channel: Reference, random: bool) -> Poll:
        """The rest of a poll, from `[`."""
        self.take()
        arguments = self.receive_arguments()
        self.expect("]", "after the arguments of the poll")
        span = channel.span if self.last is None else channel.span.join(self.last.span)
        return Poll(span, channel, arguments, random)

    def receive_arguments(self) -> tuple[ReceiveArgument, ...]:
        """`a, b`, `m(a, b)`, `(a, b)`"""
        if opening := self.accept("("):
            found = self.receive_arguments()
            self.close(opening)
            return found
        arguments = [self.receive_argument()]
        while self.accept(","):
            if self.at("("):
                return (*arguments, *self.receive_arguments())
            arguments.append(self.receive_argument())
        if opening := self.accept("("):
            arguments.extend(self.receive_arguments())
            self.close(opening)
        return tuple(arguments)

    def receive_argument(self) -> ReceiveArgument:
        token = self.peek()
        if token.kind == NAME:
            target = self.reference()
            return Bind(target.span, target)
        if token.kind == CONSTANT:
            self.take()
            value = self.constant(token)
            return Bind(value.span, value) if isinstance(value, Reference) else Match(value.span, value)
        if token.kind == "-":
            self.take()
            constant = self.expect(CONSTANT, "after `-`")
            negative = Number(self.span_from(token), -(constant.value or 0))
            return Match(negative.span, negative)
        if token.kind == "eval":
            self.take()
            opening = self.expect("(", "after `eval`")
            expression = self.expression()
            self.close(opening)
            return Match(self.span_from(token), expression)
        hint = "write `eval(expression)` to compare with a value" if token.kind in ("(", "!", "~") else None
        raise self.failure(f"expected a variable or a constant to receive, not {self.describe()}", hint=hint)

    # --- embedded C --------------------------------------------------------------------------------

    def embedded_c(self) -> None:
        """Refuse C code, and skip it."""
        token = self.take()
        self.diagnostics.error(EMBEDDED_C, f"embedded C (`{token.text}`) is not supported", token.span)
        if token.kind in ("c_state", "c_track"):
            while self.at("string"):
                self.take()
            return
        opening = self.stream.raw()
        while opening.text not in ("{", "") and opening.kind != END:
            opening = self.stream.raw()  # a precondition in brackets
        depth = 1
        while depth > 0:
            inner = self.stream.raw()
            if inner.kind == END:
                raise self.failure("this C code is not closed by `}`", token)
            depth += (inner.text == "{") - (inner.text == "}")
