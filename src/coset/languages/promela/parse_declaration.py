"""Declarations: variables, channels, mtypes, typedefs."""

from __future__ import annotations

from dataclasses import fields

from coset.languages.promela.cursor import Failure
from coset.languages.promela.lexer import CONSTANT, NAME, TYPE_NAME, TYPES, Token
from coset.languages.promela.parse_expression import ExpressionParser
from coset.languages.promela.tree import (
    ArrayInitial,
    Binary,
    ChannelInitial,
    Declaration,
    Declarator,
    Expression,
    MtypeDeclaration,
    Node,
    Number,
    Reference,
    Run,
    Typedef,
    TypeName,
    Unary,
)
from coset.source.diagnostics import register
from coset.source.text import Span

NOT_CONSTANT = register("S020", "A constant is needed: numbers, parentheses, and `+ - * / %` between them.")
NOT_AN_ARRAY = register("S021", "Only an array can be initialised by a list in braces.")
LOCAL_MTYPE = register("S022", "The constants of an mtype must be declared outside of all proctypes.")
BAD_SUBTYPE = register("S023", "Only `mtype` can be followed by `:` and the name of a set of constants.")
BAD_FIELD = register("S024", "This type cannot be used for a field of a message.")
RUN_IN_INITIALISER = register("S025", "A variable cannot be initialised by `run`.")
BAD_WIDTH = register("S026", "`unsigned`, and no other type, needs a width of 1 to 31 bits: `unsigned x : 5`.")
BAD_VISIBILITY = register("S027", "`hidden`, `show` and `local` have no meaning here.")

VISIBILITY = frozenset({"hidden", "show", "local"})
_ARITHMETIC = frozenset("+-*/%")
_BEGINS = TYPES | VISIBILITY | {TYPE_NAME}


def has_run(node: object) -> bool:
    """Whether `run` occurs in an expression."""
    if isinstance(node, Run):
        return True
    if isinstance(node, Node):
        return any(has_run(getattr(node, each.name)) for each in fields(node))
    return isinstance(node, tuple) and any(has_run(each) for each in node)


class DeclarationParser(ExpressionParser):
    def at_declaration(self) -> bool:
        return self.peek().kind in _BEGINS

    def declaration(self, inside: bool) -> Declaration | MtypeDeclaration:
        """One declaration; `inside` a proctype or a typedef no mtype constants can be declared."""
        start = self.peek()
        visibility = self.take().kind if start.kind in VISIBILITY else None
        token = self.peek()
        if token.kind not in TYPES and token.kind != TYPE_NAME:
            hint = self.misspelt(token, TYPES | self.names.typedefs)
            raise self.failure(f"expected a type after `{visibility}`, not {self.describe()}", hint=hint)
        self.take()
        subtype: Token | None = None
        if token.kind != TYPE_NAME and self.accept(":"):
            subtype = self.expect_name("the name of an mtype set")
            if token.kind != "mtype":
                message = f"`{token.text}` cannot have a subtype"
                self.diagnostics.error(BAD_SUBTYPE, message, subtype.span, "only `mtype:name` can")
        if token.kind != TYPE_NAME and (self.at("{") or self.at("=")):
            return self.mtype_constants(start, token, subtype, inside, visibility)
        type_name = TypeName(self.span_from(token), token.text, subtype.text if subtype else None)
        if inside and visibility == "hidden":
            self.diagnostics.error(BAD_VISIBILITY, "only a global variable can be `hidden`", start.span)
        items = [self.declarator(type_name)]
        while self.accept(","):
            if self.at_declaration():
                raise self.failure(
                    f"expected a name after `,`, not the type {self.describe()}",
                    hint="separate declarations with `;`, not with `,`",
                )
            items.append(self.declarator(type_name))
        return Declaration(self.span_from(start), type_name, tuple(items), visibility)

    def mtype_constants(
        self, start: Token, token: Token, subtype: Token | None, inside: bool, visibility: str | None
    ) -> MtypeDeclaration:
        """`= { a, b }`: the commas are optional."""
        if token.kind != "mtype":
            raise self.failure(f"expected the name of a variable, not {self.describe()}")
        if not self.accept("=") and subtype is not None:
            raise self.failure(f"expected `=` or the name of a variable, not {self.describe()}")
        opening = self.expect("{", "before the constants of the mtype")
        names: list[tuple[str, Span]] = []
        first = self.expect_name("a constant")
        names.append((first.text, first.span))
        while not self.at("}"):
            if self.accept(","):
                continue
            if self.peek().kind == CONSTANT or self.peek().kind == NAME:
                name = self.expect_name("a constant")
                names.append((name.text, name.span))
            else:
                self.expect("}", "after the constants of the mtype", opening)
        self.take()
        self.names.mtypes.update(name for name, _ in names)
        span = self.span_from(start)
        if inside:
            message = "the constants of an mtype must be declared outside of proctypes and typedefs"
            self.diagnostics.error(LOCAL_MTYPE, message, token.span, "move this declaration to the top")
        if visibility is not None:
            self.diagnostics.error(BAD_VISIBILITY, f"mtype constants cannot be `{visibility}`", start.span)
        return MtypeDeclaration(span, tuple(names), subtype.text if subtype else None)

    def declarator(self, type_name: TypeName) -> Declarator:
        """`x`, `x : 3`, `x[4]`, with an initialiser."""
        if type_name.name in self.names.typedefs and self.peek().kind in ("=", "[", ".", "++", "--", "!", "?", ":"):
            where = f"after `{type_name.name}`, which is the name of a typedef"
            raise self.failure(f"expected the name of a variable {where}, not {self.describe()}")
        token = self.expect_name("the name of a variable")
        width: int | None = None
        size: Expression | None = None
        if self.accept(":"):
            width = self.width(token, type_name)
        elif opening := self.accept("["):
            size = self.constant_expression("the size of an array", True)
            self.expect("]", "after the size of the array", opening)
        if type_name.name == "unsigned" and width is None:
            message = f"`unsigned {token.text}` needs a width"
            self.diagnostics.error(BAD_WIDTH, message, token.span, f"write `unsigned {token.text} : 8` for eight bits")
        initial = self.initialiser(token, size) if self.accept("=") else None
        return Declarator(self.span_from(token), token.text, width, size, initial)

    def width(self, name: Token, type_name: TypeName) -> int:
        bits = self.expect(CONSTANT, "after `:` for the width")
        if type_name.name != "unsigned":
            message = f"`{type_name.name} {name.text}` cannot have a width"
            self.diagnostics.error(BAD_WIDTH, message, bits.span, f"write `unsigned {name.text} : {bits.text}`")
        elif bits.value is None or not 1 <= bits.value <= 31:
            self.diagnostics.error(BAD_WIDTH, "the width must be a number from 1 to 31", bits.span)
        return bits.value if bits.value is not None and 1 <= bits.value <= 31 else 1

    def initialiser(self, name: Token, size: Expression | None) -> Expression | ChannelInitial | ArrayInitial:
        token = self.peek()
        if token.kind == "[":
            return self.channel()
        if token.kind == "{":
            self.take()
            values = [self.constant(self.expect(CONSTANT, "in the list of initial values"))]
            while self.accept(","):
                values.append(self.constant(self.expect(CONSTANT, "in the list of initial values")))
            self.expect("}", "after the initial values", token)
            if size is None:
                message = f"`{name.text}` is not an array"
                self.diagnostics.error(NOT_AN_ARRAY, message, name.span, f"declare it as `{name.text}[{len(values)}]`")
            return ArrayInitial(self.span_from(token), tuple(values))
        value = self.expression()
        if has_run(value):
            self.diagnostics.error(
                RUN_IN_INITIALISER,
                f"`run` cannot initialise `{name.text}`",
                value.span,
                f"declare `{name.text}` first, then write `{name.text} = run ...` as a statement",
            )
        return value

    def channel(self) -> ChannelInitial:
        """`[capacity] of { types }`"""
        token = self.take()
        capacity = self.constant_expression("the capacity of a channel", False)
        self.expect("]", "after the capacity of the channel", token)
        self.expect("of", "in the declaration of a channel: `[capacity] of { types }`")
        opening = self.expect("{", "before the types of the channel's messages")
        fields = [self.field()]
        while self.accept(","):
            fields.append(self.field())
        self.expect("}", "after the types of the channel's messages", opening)
        return ChannelInitial(self.span_from(token), capacity, tuple(fields))

    def field(self) -> TypeName:
        """The type of one field of a message."""
        token = self.peek()
        if token.kind == TYPE_NAME:
            self.take()
            return TypeName(token.span, token.text)
        if token.kind not in TYPES:
            hint = self.misspelt(token, TYPES | self.names.typedefs)
            raise self.failure(f"expected a type for a field of the message, not {self.describe()}", hint=hint)
        self.take()
        if token.kind == "unsigned":
            message = "`unsigned` cannot be used for a field of a message"
            self.diagnostics.error(BAD_FIELD, message, token.span, "use `byte`, `short` or `int`")
            if self.accept(":"):
                self.accept(CONSTANT)
            return TypeName(self.span_from(token), "byte")
        subtype: str | None = None
        if self.accept(":"):
            subtype = self.expect_name("the name of an mtype set").text
            if token.kind != "mtype":
                self.diagnostics.error(BAD_SUBTYPE, f"`{token.text}` cannot have a subtype", token.span)
        return TypeName(self.span_from(token), token.text, subtype)

    def constant_expression(self, what: str, name_allowed: bool) -> Expression:
        """A constant, or where SPIN allows it the name of an initialised variable alone."""
        start = self.peek()
        value = self.expression()
        if isinstance(value, Reference) and value.index is None and value.rest is None and name_allowed:
            return value
        if not self._constant(value):
            self.diagnostics.error(
                NOT_CONSTANT,
                f"{what} must be a constant",
                self.span_from(start),
                "use numbers and `#define`d names, with `+ - * / %` and parentheses",
            )
            return Number(value.span, 1)
        return value

    def _constant(self, value: Expression) -> bool:
        if isinstance(value, Reference):
            return value.name in self.names.mtypes
        if isinstance(value, Binary):
            return value.operator in _ARITHMETIC and self._constant(value.left) and self._constant(value.right)
        if isinstance(value, Unary):
            return value.operator == "-" and self._constant(value.operand)
        return isinstance(value, Number)

    # --- typedefs ----------------------------------------------------------------------------------

    def typedef(self) -> Typedef:
        token = self.take()
        name = self.expect_name("the name of the new type")
        opening = self.expect("{", "after the name of the type")
        self.stream.in_sequence = True
        fields: list[Declaration] = []
        try:
            while True:
                if not self.at_declaration():
                    hint = self.misspelt(self.peek(), TYPES | self.names.typedefs)
                    raise self.failure(f"expected the declaration of a field, not {self.describe()}", hint=hint)
                field = self.declaration(True)
                if isinstance(field, Declaration):
                    fields.append(field)
                if not self.accept(";"):
                    break
            self.expect("}", "after the fields of the type", opening)
        except Failure:
            self.skip_block()
        finally:
            self.stream.in_sequence = False
            self.names.typedefs.add(name.text)
        return Typedef(self.span_from(token), name.text, tuple(fields))
