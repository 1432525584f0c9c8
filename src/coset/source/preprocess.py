"""The C preprocessor, as `gcc -E -x c -std=gnu99` behaves: text -> tokens without directives.

SPIN runs every model through it, and two models in five use `#define`.  Tokens keep the place where
the user wrote them; a token out of a macro has the place where the macro was used, and remembers
the definition (see `Span`).

Directives are obeyed as the tokens are asked for, by `Expander`, which this class completes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from coset.source.budget import current_budget
from coset.source.conditions import ConditionError, evaluate
from coset.source.diagnostics import Diagnostics, register, suggest
from coset.source.expand import Expander
from coset.source.macros import REDEFINED, parse_definition
from coset.source.records import dataclass
from coset.source.text import Source, Span
from coset.source.tokens import Kind, PreprocessingToken, scan, spell

BAD_DIRECTIVE = register("P002", "A preprocessor directive is unknown or malformed.")
UNBALANCED_CONDITION = register("P003", "`#if`, `#else` and `#endif` do not match.")
BAD_CONDITION = register("P004", "The expression of an `#if` or `#elif` cannot be evaluated.")
NO_INCLUDE = register("P005", "An included file cannot be read.")
DEEP_INCLUDE = register("P006", "Files include each other without end.")
USER_ERROR = register("P007", "The text contains an `#error` directive.")
USER_WARNING = register("P008", "The text contains a `#warning` directive.")
UNREADABLE = register("P009", "A file cannot be read or is not text.")

MAXIMAL_DEPTH = 100
MAXIMAL_FILES = 1000
DIRECTIVES = (
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "line",
    "pragma",
)  # fmt: skip


def read_source(path: str, diagnostics: Diagnostics, blame: Span | None = None) -> Source | None:
    """The file as a source, or None after a diagnostic.  Bytes that are not UTF-8 are taken as
    Latin-1, which old models use in their comments."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        diagnostics.error(UNREADABLE, f"cannot read `{path}`: {error.strerror or error}", blame)
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return Source(path, text)


@dataclass
class _Condition:
    """An open `#if`.  `taken`: one of its branches was read, or is being read."""

    token: PreprocessingToken
    taken: bool
    seen_else: bool = False


@dataclass
class _File:
    source: Source
    tokens: list[PreprocessingToken]
    position: int = 0
    conditions: list[_Condition] = field(default_factory=list)
    line_shift: int = 0  # by #line
    shown_name: str = ""


def preprocess(
    source: Source, defines: Mapping[str, str], include_dirs: Sequence[str], diagnostics: Diagnostics
) -> tuple[list[PreprocessingToken], list[Source]]:
    """The tokens of a file after preprocessing, and the files that it included (for hashing).

    `defines` are the macros of the command line: `-D NAME=VALUE`, where a bare `-D NAME` is "1"."""
    preprocessor = Preprocessor(include_dirs, diagnostics)
    for name, value in defines.items():
        preprocessor.define_from_outside(name, value)
    return preprocessor.run(source), preprocessor.included


class Preprocessor(Expander):
    def __init__(self, include_dirs: Sequence[str], diagnostics: Diagnostics) -> None:
        super().__init__(diagnostics)
        self.include_dirs = include_dirs
        self.included: list[Source] = []
        self.files: list[_File] = []
        self.is_deep = False  # too many files: no more are included
        self.budget = current_budget()

    # --- the flow of tokens --------------------------------------------------------------------

    def run(self, source: Source) -> list[PreprocessingToken]:
        self.files.append(_File(source, scan(source, self.diagnostics), shown_name=source.path))
        output: list[PreprocessingToken] = []
        append = output.append
        while (token := self.next()) is not None:
            self.budget.check()
            if self.space or self.newline:
                token = token.spaced(token.newline_before or self.newline, token.space_before or self.space)
                self.space = self.newline = False
            append(token)
        return output

    def next_unexpanded(self) -> PreprocessingToken | None:
        """The next token of the files; directives on the way are obeyed."""
        while self.files:
            file = self.files[-1]
            if file.position >= len(file.tokens):
                if self.collecting and len(self.files) > 1:
                    return None  # a macro's arguments do not go on in the including file
                self._close(file)
                continue
            token = file.tokens[file.position]
            if token.starts_line and token.text == "#" and token.kind is Kind.PUNCTUATOR:
                if self.seeking:
                    return None
                self._directive(file)
                continue
            file.position += 1
            return token
        return None

    def _close(self, file: _File) -> None:
        for condition in file.conditions:
            name = condition.token.text
            self.diagnostics.error(UNBALANCED_CONDITION, f"`#{name}` without `#endif`", condition.token.span)
        self.files.pop()

    def position_macro(self, name: str, use: PreprocessingToken) -> PreprocessingToken:
        file = self.files[-1] if self.files else None
        if name == "__FILE__":
            path = file.shown_name if file else use.source.path
            text = '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
            kind = Kind.STRING
        else:
            text = str(use.source.position(use.start)[0] + (file.line_shift if file else 0))
            kind = Kind.NUMBER
        return PreprocessingToken(
            kind, text, use.source, use.start, use.end, use.newline_before, use.space_before, use.definition
        )

    # --- directives ----------------------------------------------------------------------------

    def _directive(self, file: _File) -> None:
        """Obey the directive at the file's position, and move behind it."""
        start = file.position + 1
        end = start
        tokens = file.tokens
        while end < len(tokens) and not tokens[end].starts_line:
            end += 1
        file.position = end
        if end == start:
            return  # a lone #
        name, line = tokens[start], tokens[start + 1 : end]
        word = name.text
        if word in ("if", "ifdef", "ifndef"):
            self._open_condition(file, name, line)
        elif word in ("elif", "else", "endif"):
            self._next_condition(file, name, line)
        elif word == "define":
            self._define(name, line)
        elif word == "undef":
            if len(line) < 1 or line[0].kind is not Kind.NAME:
                self.diagnostics.error(BAD_DIRECTIVE, "`#undef` needs the name of a macro", name.span)
            else:
                self.macros.pop(line[0].text, None)
        elif word in ("include", "include_next", "import"):
            self._include(file, name, line)
        elif word == "error":
            self.diagnostics.error(USER_ERROR, f"#error {spell(line)}".rstrip(), name.span)
        elif word == "warning":
            self.diagnostics.warning(USER_WARNING, f"#warning {spell(line)}".rstrip(), name.span)
        elif word == "line" or name.kind is Kind.NUMBER:
            self._line(file, name, self.expand(line) if word == "line" else [name, *line])
        elif word not in ("pragma", "ident", "sccs", "assert", "unassert"):
            hint = suggest(word, DIRECTIVES)
            self.diagnostics.error(
                BAD_DIRECTIVE,
                f"unknown directive `#{word}`",
                name.span,
                f"did you mean `#{hint}`?" if hint else None,
            )

    def _define(self, name: PreprocessingToken, line: list[PreprocessingToken]) -> None:
        macro = parse_definition(line, name, self.diagnostics)
        if macro is None:
            return
        old = self.macros.get(macro.name)
        if old is not None and not macro.same_as(old):
            self.diagnostics.warning(
                REDEFINED,
                f"macro `{macro.name}` is defined again with another meaning",
                macro.span,
                None,
                [("the first definition", old.span)],
            )
        self.macros[macro.name] = macro

    def _line(self, file: _File, name: PreprocessingToken, line: list[PreprocessingToken]) -> None:
        if not line or not line[0].text.isdecimal():
            self.diagnostics.error(BAD_DIRECTIVE, "`#line` needs a number", name.span)
            return
        file.line_shift = int(line[0].text) - (name.source.position(name.start)[0] + 1)
        if len(line) > 1 and line[1].kind is Kind.STRING:
            file.shown_name = line[1].text[1:-1]

    def _include(self, file: _File, name: PreprocessingToken, line: list[PreprocessingToken]) -> None:
        if line and line[0].kind is not Kind.STRING and line[0].text != "<":
            line = self.expand(line)
        path, angled = "", False
        if line and line[0].kind is Kind.STRING:
            path = line[0].text[1:-1]
        elif line and line[0].text == "<" and any(token.text == ">" for token in line):
            closing = next(index for index, token in enumerate(line) if token.text == ">")
            path, angled = spell(line[1:closing]), True
        if not path:
            self.diagnostics.error(BAD_DIRECTIVE, '`#include` needs "file" or <file>', name.span)
            return
        if self.is_deep:
            return
        if len(self.files) >= MAXIMAL_DEPTH or len(self.included) >= MAXIMAL_FILES:
            how = f"{MAXIMAL_DEPTH} deep" if len(self.files) >= MAXIMAL_DEPTH else f"{MAXIMAL_FILES} times"
            self.diagnostics.error(DEEP_INCLUDE, f"files are included more than {how}", line[0].span)
            self.is_deep = True
            return
        folders = [] if angled else [os.path.dirname(file.source.path)]
        for folder in (*folders, *self.include_dirs):
            candidate = os.path.join(folder, path)
            if os.path.isfile(candidate):
                source = read_source(candidate, self.diagnostics, line[0].span)
                if source is not None:
                    self.included.append(source)
                    self.files.append(_File(source, scan(source, self.diagnostics), shown_name=candidate))
                return
        self.diagnostics.error(NO_INCLUDE, f"cannot find the included file `{path}`", line[0].span)

    # --- conditions ----------------------------------------------------------------------------

    def _open_condition(self, file: _File, name: PreprocessingToken, line: list[PreprocessingToken]) -> None:
        live = self._holds(name, line)
        file.conditions.append(_Condition(name, live))
        if not live:
            self._skip(file)

    def _next_condition(self, file: _File, name: PreprocessingToken, line: list[PreprocessingToken]) -> None:
        """`#elif`, `#else`, `#endif` met while reading: the branch before was live."""
        if not self._matches(file, name):
            return
        if name.text == "endif":
            file.conditions.pop()
        else:
            self._skip(file)

    def _matches(self, file: _File, name: PreprocessingToken) -> bool:
        """Whether there is an `#if` for this directive; also notes an `#else`."""
        word = name.text
        if not file.conditions:
            self.diagnostics.error(UNBALANCED_CONDITION, f"`#{word}` without `#if`", name.span)
            return False
        condition = file.conditions[-1]
        if condition.seen_else and word != "endif":
            note = ("the `#if` is here", condition.token.span)
            self.diagnostics.error(UNBALANCED_CONDITION, f"`#{word}` after `#else`", name.span, None, [note])
        condition.seen_else = condition.seen_else or word == "else"
        return True

    def _skip(self, file: _File) -> None:
        """Skip to the directive that ends the group, or opens a live one."""
        tokens = file.tokens
        condition = file.conditions[-1]
        depth = 0
        position = file.position
        while position < len(tokens):
            hash_sign = tokens[position]
            position += 1
            if not (hash_sign.starts_line and hash_sign.text == "#"):
                continue
            start = position
            while position < len(tokens) and not tokens[position].starts_line:
                position += 1
            if position == start:
                continue
            name, line = tokens[start], tokens[start + 1 : position]
            if name.text in ("if", "ifdef", "ifndef"):
                depth += 1
            elif name.text == "endif" and depth:
                depth -= 1
            elif depth == 0 and name.text in ("endif", "else", "elif"):
                file.position = position
                self._matches(file, name)
                if name.text == "endif":
                    file.conditions.pop()
                    return
                if not condition.taken and (name.text == "else" or self._holds(name, line)):
                    condition.taken = True
                    return
        file.position = len(tokens)

    def _holds(self, name: PreprocessingToken, line: list[PreprocessingToken]) -> bool:
        if name.text in ("ifdef", "ifndef"):
            if not line or line[0].kind is not Kind.NAME:
                self.diagnostics.error(BAD_DIRECTIVE, f"`#{name.text}` needs the name of a macro", name.span)
                return False
            return (line[0].text in self.macros) == (name.text == "ifdef")
        if not line:
            self.diagnostics.error(BAD_CONDITION, f"`#{name.text}` needs an expression", name.span)
            return False
        try:
            return evaluate(self.expand(self._resolve_defined(line)))
        except ConditionError as error:
            self.diagnostics.error(BAD_CONDITION, f"bad condition: {error}", (error.token or line[-1]).span)
            return False

    def _resolve_defined(self, line: list[PreprocessingToken]) -> list[PreprocessingToken]:
        """`defined X` and `defined(X)` become 1 or 0, before macros are expanded."""
        output: list[PreprocessingToken] = []
        position = 0
        while position < len(line):
            token = line[position]
            position += 1
            if token.text != "defined":
                output.append(token)
                continue
            bracket = position < len(line) and line[position].text == "("
            position += bracket
            if position >= len(line) or line[position].kind is not Kind.NAME:
                raise ConditionError("`defined` needs the name of a macro", token)
            known = line[position].text in self.macros
            position += 1
            if bracket:
                if position >= len(line) or line[position].text != ")":
                    raise ConditionError("expected `)` after `defined(...`", token)
                position += 1
            output.append(PreprocessingToken(Kind.NUMBER, str(int(known)), token.source, token.start, token.end))
        return output
