"""The expansion of macros in a stream of tokens, in GCC's order.

An expansion is put on a stack of *contexts* and read again.  Its macro is disabled as long as it is
there, and a name that is met while its macro is disabled is painted, that is, never expanded any
more.  Where the tokens come from is left to `Preprocessor`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from coset.source.diagnostics import Diagnostics, register
from coset.source.macros import BAD_ARGUMENTS, UNCLOSED_ARGUMENTS, Macro, Substitution, parse_definition
from coset.source.records import dataclass
from coset.source.text import Source
from coset.source.tokens import Kind, PreprocessingToken, scan

COMMAND_LINE = "<command line>"
MAXIMAL_EXPANSION = 500_000  # tokens
MAXIMAL_CONTEXTS = 10_000
MAXIMAL_ARGUMENT_DEPTH = 100
TOO_LARGE = register("P015", "The expansion of macros is too large or too deep.")


@dataclass
class Context:
    """Tokens to be read before the text goes on.  At the end of a `barrier` reading stops."""

    tokens: list[PreprocessingToken]
    macro: Macro | None = None
    barrier: bool = False
    position: int = 0


class Expander(ABC):
    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.macros: dict[str, Macro] = {}
        self.contexts: list[Context] = []
        self.seeking = False  # looking whether a `(` follows the name of a macro
        self.collecting = 0  # reading arguments: nothing is expanded
        self.space = self.newline = False  # white space left behind by an empty expansion
        self.newline_behind = False  # the arguments of a macro in the text spanned lines
        self.produced = 0  # tokens out of macros
        self.exhausted = False  # too many of them: drop what is left of the expansion
        self.argument_depth = 0  # how many arguments are being expanded inside each other
        for name, value in (("__STDC__", "1"), ("__STDC_VERSION__", "199901L"), ("__FILE__", ""), ("__LINE__", "")):
            self.define_from_outside(name, value)

    @abstractmethod
    def next_unexpanded(self) -> PreprocessingToken | None:
        """The next token of the text itself."""

    @abstractmethod
    def position_macro(self, name: str, use: PreprocessingToken) -> PreprocessingToken:
        """What `__FILE__` or `__LINE__` stands for."""

    def next(self) -> PreprocessingToken | None:
        """The next token of the expanded text, None at its end or at a barrier."""
        contexts = self.contexts
        while True:
            if contexts:
                context = contexts[-1]
                if context.position < len(context.tokens):
                    token: PreprocessingToken | None = context.tokens[context.position]
                    context.position += 1
                elif context.barrier:
                    return None
                else:
                    contexts.pop()
                    if context.macro is not None:
                        context.macro.disabled = False
                    continue
            else:
                token = self.next_unexpanded()
                if self.newline_behind and (self.seeking or not self.collecting) and token is not None:
                    token = token.spaced(True, token.space_before)
                    self.newline_behind = False
            if token is None:
                return None
            if token.kind is Kind.NAME and not token.painted:
                macro = self.macros.get(token.text)
                if macro is not None:
                    if macro.disabled:
                        return token.paint()
                    if not self.collecting and self.enter(macro, token):
                        continue
            return token

    def define_from_outside(self, name: str, value: str) -> None:
        """A macro of the command line: NAME or NAME(parameters)."""
        source = Source(COMMAND_LINE, f"{name} {value}")
        line = scan(source, self.diagnostics)
        if line and (macro := parse_definition(line, line[0], self.diagnostics)):
            self.macros[macro.name] = macro

    def enter(self, macro: Macro, use: PreprocessingToken) -> bool:
        """Put the expansion of a macro on the stack; False if this is not a use of it."""
        if macro.name in ("__FILE__", "__LINE__") and macro.span.file == COMMAND_LINE:
            self.contexts.append(Context([self.position_macro(macro.name, use)]))
            return True
        arguments: list[list[PreprocessingToken]] = []
        if macro.parameters is not None:
            found = self._arguments(macro, use)
            if found is None:
                return False
            arguments = found
        tokens = Substitution(macro, use, arguments, self.expand, self.diagnostics).result()
        self.produced += len(tokens) + 1
        if self.produced > MAXIMAL_EXPANSION or len(self.contexts) > MAXIMAL_CONTEXTS:
            if not self.exhausted:
                self.diagnostics.error(TOO_LARGE, "the expansion of macros is too large", use.span)
            self.macros.clear()  # it would only grow
            self.exhausted = True
            return False
        if not tokens:
            self.space = self.space or use.space_before
            self.newline = self.newline or (use.newline_before and not self.argument_depth)
        macro.disabled = True
        self.contexts.append(Context(tokens, macro))
        return True

    def _arguments(self, macro: Macro, use: PreprocessingToken) -> list[list[PreprocessingToken]] | None:
        """The arguments in parentheses after the name; None if there are none to be had."""
        self.collecting += 1
        self.seeking = True
        opening = self.next()
        self.seeking = False
        if opening is None or opening.text != "(":
            self.collecting -= 1
            if opening is not None:
                self.contexts.append(Context([opening]))
            return None
        arguments: list[list[PreprocessingToken]] = [[]]
        depth = 1
        assert macro.parameters is not None
        limit = len(macro.parameters) if macro.variadic else 0
        spans_lines = opening.newline_before
        while (token := self.next()) is not None:
            spans_lines = spans_lines or token.newline_before
            if token.kind is Kind.PUNCTUATOR:
                if token.text == "(":
                    depth += 1
                elif token.text == ")":
                    depth -= 1
                    if depth == 0:
                        break
                elif token.text == "," and depth == 1 and len(arguments) != limit:
                    arguments.append([])
                    continue
            arguments[-1].append(token)
        self.collecting -= 1
        self.newline_behind = self.newline_behind or spans_lines
        if token is None:
            message = f"the argument list of macro `{macro.name}` is never closed"
            notes = [("the macro is defined here", macro.span)]
            self.diagnostics.error(UNCLOSED_ARGUMENTS, message, use.span, "add the missing `)`", notes)
            return None
        return arguments if self._right_number(macro, use, arguments) else None

    def _right_number(self, macro: Macro, use: PreprocessingToken, arguments: list[list[PreprocessingToken]]) -> bool:
        """Check the number of arguments, and complete it where C allows it."""
        assert macro.parameters is not None
        wanted = len(macro.parameters)
        given = 0 if wanted == 0 and arguments == [[]] else len(arguments)
        if macro.variadic and given == wanted - 1:
            arguments.append([])
            return True
        if given == wanted:
            return True
        message = f"macro `{macro.name}` takes {wanted} argument{'s' * (wanted != 1)}, not {given}"
        self.diagnostics.error(BAD_ARGUMENTS, message, use.span, None, [("the macro is defined here", macro.span)])
        return False

    def expand(self, tokens: list[PreprocessingToken]) -> list[PreprocessingToken]:
        """The complete expansion of a piece of text that stands alone: an argument, a condition."""
        if not any(token.kind is Kind.NAME and token.text in self.macros for token in tokens):
            return tokens
        if self.argument_depth > MAXIMAL_ARGUMENT_DEPTH:
            self.diagnostics.error(TOO_LARGE, "macros are nested too deeply in their arguments", tokens[0].span)
            return tokens
        self.contexts.append(Context(tokens, None, True))
        collecting, self.collecting = self.collecting, 0
        self.argument_depth += 1
        output: list[PreprocessingToken] = []
        while (token := self.next()) is not None:
            output.append(token)
        self.argument_depth -= 1
        self.collecting = collecting
        self.contexts.pop()
        return [] if self.exhausted else output
