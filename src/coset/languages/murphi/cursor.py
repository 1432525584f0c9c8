"""The parser's place in the text, and Murphi's expressions and types.

From weak to strong: `?:`, `->`, `||`, `&&`, `|`, `^`, `&`, `!`, `= != < <= > >=`, `<< >>`, `+ -`, `* / %`, `~`.
"""

from __future__ import annotations

from coset.languages.murphi import codes
from coset.languages.murphi import tree as t
from coset.languages.murphi.lexer import KEYWORDS
from coset.languages.tokens import END, NAME, NUMBER, TEXT, Reader, Token
from coset.source.diagnostics import Diagnostics, suggest

PRECEDENCE = {
    "->": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "=": 8, "!=": 8, "<": 8, "<=": 8, ">": 8, ">=": 8,
    "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip
NOT, COMPARISON, TIGHTEST = 7, 8, 12
DEEPEST = 150


class Cursor(Reader):
    unexpected = codes.UNEXPECTED

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics) -> None:
        super().__init__(tokens, diagnostics)
        self.depth = 0

    def advice(self, kind: str) -> str | None:
        token = self.peek()
        if kind == NAME and token.kind in KEYWORDS:
            return f"`{token.text}` is a keyword and cannot be a name"
        if kind in (":=", "=") and token.kind in (":=", "="):
            return "`:=` assigns, `=` compares, `:` defines a constant"
        if token.kind == NAME and (near := suggest(token.text.lower(), KEYWORDS)):
            return f"did you mean `{near}`?"
        return None

    def end(self, *kinds: str) -> None:
        """`end`, or `endif` and the like."""
        if self.at("end", *kinds):
            self.take()
        else:
            raise self.failure(f"expected `end` or `{kinds[0]}`, not {self.shown()}", self.advice("end"))

    def nest(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.failure(f"the text is nested more than {DEEPEST} deep")

    # --- expressions -------------------------------------------------------------------------------

    def expression(self) -> t.Expression:
        start = self.peek()
        self.nest()
        left = self.binary(1)
        if self.accept("?"):
            yes = self.expression()
            self.expect(":", "between the alternatives of `?`")
            no = self.expression()
            left = t.Conditional(left, yes, no, span=self.since(start))
        self.depth -= 1
        return left

    def binary(self, lowest: int) -> t.Expression:
        start = self.peek()
        left = self.unary()
        while (level := PRECEDENCE.get(self.peek().kind, 0)) >= lowest:
            operator = self.take().kind
            right = self.binary(level if operator == "->" else level + 1)
            left = t.Binary(operator, left, right, span=self.since(start))
        return left

    def unary(self) -> t.Expression:
        start = self.peek()
        if start.kind in ("!", "-", "+", "~"):
            self.take()
            self.nest()
            # `!` reaches over comparisons, as in Rumur and CMurphi: `!a = b` is `!(a = b)`.
            operand = self.binary(COMPARISON) if start.kind == "!" else self.unary()
            self.depth -= 1
            return operand if start.kind == "+" else t.Unary(start.kind, operand, span=self.since(start))
        return self.postfix(self.primary())

    def primary(self) -> t.Expression:
        start = self.peek()
        if self.accept("("):
            inner = self.expression()
            self.expect(")", "after the expression")
            return inner
        if self.at(NUMBER):
            return self.number()
        if self.at("forall", "exists"):
            return self.quantified()
        if self.accept("isundefined"):
            self.expect("(", "after `isundefined`")
            of = self.designator()
            self.expect(")", "after the variable")
            return t.IsUndefined(of, span=self.since(start))
        if self.accept("ismember"):
            self.expect("(", "after `ismember`")
            member = self.expression()
            self.expect(",", "before the type")
            type_ = self.type()
            self.expect(")", "after the type")
            return t.IsMember(member, type_, span=self.since(start))
        if self.accept("multisetcount"):
            self.expect("(", "after `MultisetCount`")
            element = self.expect(NAME, "for the element").text
            self.expect(":", "before the multiset")
            multiset = self.designator()
            self.expect(",", "before the condition")
            condition = self.expression()
            self.expect(")", "after the condition")
            return t.Count(element, multiset, condition, span=self.since(start))
        if self.at(TEXT):
            raise self.failure("a text is no value", "texts name rules and properties, and are printed by `put`")
        name = self.expect(NAME, "for a value")
        if self.at("("):
            return t.Call(name.text, self.arguments(), span=self.since(start))
        return t.Name(name.text, span=name.span)

    def number(self) -> t.Expression:
        token = self.take()
        if "." in token.text or ("e" in token.text.lower() and not token.text.lower().startswith("0x")):
            raise self.refused_real(token)
        text = token.text
        value = int(text, 16) if text[:2] in ("0x", "0X") else int(text, 8) if is_octal(text) else int(text)
        return t.Number(value, span=token.span)

    def refused_real(self, token: Token) -> Exception:
        from coset.languages.tokens import Failure

        hint = "use an integer range in a fixed unit: `0..1000` in tenths"
        self.diagnostics.error(codes.REAL, f"`{token.text}`: real numbers are not supported", token.span, hint)
        return Failure()

    def arguments(self) -> tuple[t.Expression, ...]:
        self.expect("(", "before the arguments")
        found = []
        while not self.at(")", END):
            found.append(self.expression())
            if not self.accept(","):
                break
        self.expect(")", "after the arguments")
        return tuple(found)

    def postfix(self, x: t.Expression) -> t.Expression:
        start = Token("", "", x.span)
        while self.at(".", "["):
            if self.accept("."):
                name = self.field_name()
                x = t.Field(x, name, span=self.since(start))
            else:
                self.take()
                index = self.expression()
                self.expect("]", "after the index")
                x = t.Element(x, index, span=self.since(start))
        return x

    def field_name(self) -> str:
        return self.expect(NAME, "for a field").text

    def designator(self) -> t.Expression:
        name = self.expect(NAME, "for a variable")
        return self.postfix(t.Name(name.text, span=name.span))

    def quantified(self) -> t.Expression:
        start = self.take()
        quantifier = self.quantifier()
        self.expect("do", "before what is said of each value")
        body = self.expression()
        self.end(f"end{start.kind}")
        return t.Quantified(start.kind, quantifier, body, span=self.since(start))

    def quantifier(self) -> t.Quantifier:
        start = self.expect(NAME, "for the values")
        if self.accept(":"):
            return t.Quantifier(start.text, self.type(), span=self.since(start))
        self.expect(":=", "or `:` and a type")
        low = self.expression()
        self.expect("to", "between the bounds")
        high = self.expression()
        step = self.expression() if self.accept("by") else None
        return t.Quantifier(start.text, None, low, high, step, span=self.since(start))

    # --- types -------------------------------------------------------------------------------------

    def type(self) -> t.Type:
        start = self.peek()
        self.nest()
        found = self.simple_or_composed(start)
        self.depth -= 1
        return found

    def simple_or_composed(self, start: Token) -> t.Type:
        if self.accept("boolean"):
            return t.BooleanType(span=start.span)
        if self.accept("enum"):
            self.expect("{", "before the members")
            names = []
            while self.at(NAME):
                member = self.take()
                names.append(t.Name(member.text, span=member.span))
                if not self.accept(","):
                    break
            self.expect("}", "after the members")
            return t.EnumType(tuple(names), span=self.since(start))
        if self.accept("record"):
            fields = self.variables()
            self.end("endrecord")
            return t.RecordType(fields, span=self.since(start))
        if self.accept("array"):
            self.expect("[", "before the type of the index")
            index = self.type()
            self.expect("]", "after the type of the index")
            self.expect("of", "before the type of the elements")
            return t.ArrayType(index, self.type(), span=self.since(start))
        if self.accept("multiset"):
            self.expect("[", "before the size")
            size = self.expression()
            self.expect("]", "after the size")
            self.expect("of", "before the type of the elements")
            return t.MultisetType(size, self.type(), span=self.since(start))
        if self.accept("scalarset"):
            self.expect("(", "before the size")
            size = self.expression()
            self.expect(")", "after the size")
            return t.ScalarsetType(size, span=self.since(start))
        if self.accept("union"):
            self.expect("{", "before the types")
            members = []
            while not self.at("}", END):
                members.append(self.type())
                if not self.accept(","):
                    break
            self.expect("}", "after the types")
            return t.UnionType(tuple(members), span=self.since(start))
        if self.at("real"):
            raise self.refused_real(self.peek())
        if self.at(NAME) and self.peek(1).kind not in (
            "..",
            "+",
            "-",
            "*",
            "/",
            "%",
            "(",
            "[",
            ".",
            "<<",
            ">>",
            "&",
            "|",
            "^",
        ):
            return t.NamedType(self.take().text, span=start.span)
        low = self.binary(1)
        self.expect("..", "between the bounds of a range")
        high = self.binary(1)
        return t.RangeType(low, high, span=self.since(start))

    def variables(self) -> tuple[t.VarDecl, ...]:
        """`a, b: T; c: U;`, as long as names follow."""
        found: list[t.VarDecl] = []
        while self.at(NAME):
            names = self.names()
            self.expect(":", "before the type")
            type_ = self.type()
            found += [t.VarDecl(name.text, type_, span=name.span) for name in names]
            while self.accept(";"):
                pass
        return tuple(found)

    def names(self) -> list[Token]:
        found = [self.expect(NAME, "for a declaration")]
        while self.accept(","):
            if not self.at(NAME):
                break
            found.append(self.take())
        return found


def is_octal(text: str) -> bool:
    """Whether a number is octal, as in C and Rumur: it begins with 0.

    >>> is_octal("017"), is_octal("0"), is_octal("08")
    (True, False, False)
    """
    return len(text) > 1 and text[0] == "0" and all(digit in "01234567" for digit in text)
