"""The grammars of the documentation, and Earley's algorithm to ask whether a text is in one of them.

Grammars are in the notation of Niklaus Wirth ("What can we do about the unnecessary diversity of notation for syntactic
definitions?", CACM 20, 1977): `[x]` maybe, `{x}` any number of times, `|` or, and `"x"` the word itself.  Names in capitals are
classes of words.  J. Earley, "An efficient context-free parsing algorithm", CACM 13, 1970; a symbol that can be empty is
passed over when it is predicted (Aycock and Horspool 2002).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_BLOCK = re.compile(r"^```ebnf\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"^(\w+)\s+=", re.MULTILINE)
_SIGN = re.compile(r'\s*("[^"\n]+"|\w+|[][(){}|])')

Production = tuple[str, ...]
Item = tuple[str, Production, int, int]
"""A rule, one of its productions, the place of the dot in it, and the number of the word where it began."""
Matches = Callable[[str, object], bool]
"""Whether a word of the text is what a terminal, written as in the grammar, stands for."""


@dataclass(frozen=True)
class Grammar:
    """The productions of each rule.  Brackets and braces are rules of their own, whose names are numbers."""

    start: str
    rules: dict[str, list[Production]] = field(repr=False)

    @property
    def terminals(self) -> set[str]:
        """The words that are written out."""
        return {
            sign[1:-1] for each in self.rules.values() for production in each for sign in production if sign[0] == '"'
        }

    @property
    def classes(self) -> set[str]:
        """The classes of words, as `NAME`."""
        signs = {sign for each in self.rules.values() for production in each for sign in production}
        return {sign for sign in signs if sign.isupper()}

    @property
    def undefined(self) -> set[str]:
        signs = {sign for each in self.rules.values() for production in each for sign in production}
        return {sign for sign in signs if sign[0] != '"' and not sign.isupper() and sign not in self.rules}

    @property
    def unreachable(self) -> set[str]:
        seen, todo = {self.start}, [self.start]
        while todo:
            for production in self.rules.get(todo.pop(), ()):
                todo += [sign for sign in production if sign in self.rules and sign not in seen]
                seen.update(production)
        return set(self.rules) - seen

    def nullable(self) -> set[str]:
        """The rules that can be empty."""
        found: set[str] = set()
        while True:
            more = {
                rule for rule, each in self.rules.items() if any(found.issuperset(production) for production in each)
            }
            if more == found:
                return found
            found = more


def grammar(page: Path, extends: Grammar | None = None) -> Grammar:
    """The grammar on a page; its first rule is where it starts.  Rules replace those of the grammar that it `extends`."""
    text = "\n".join(_BLOCK.findall(page.read_text("utf-8")))
    heads = list(_RULE.finditer(text))
    rules: dict[str, list[Production]] = {} if extends is None else dict(extends.rules)
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : following.start() if following else len(text)]
        reader = _Reader(body, rules, head[1])
        rules[head[1]] = reader.alternatives()
        assert reader.position == len(reader.signs), f"{page.name}: {head[1]} = ... {reader.signs[reader.position :]}"
    return Grammar(heads[0][1], rules)


class _Reader:
    """Reads the right side of a rule; adds rules for what is in brackets and braces."""

    def __init__(self, text: str, rules: dict[str, list[Production]], name: str) -> None:
        self.signs = _SIGN.findall(text)
        assert "".join(self.signs) == re.sub(r'\s+(?=(?:[^"]*"[^"]*")*[^"]*$)', "", text), (
            f"cannot read {name} = {text}"
        )
        self.rules, self.name, self.position = rules, name, 0

    def peek(self) -> str:
        return self.signs[self.position] if self.position < len(self.signs) else ""

    def take(self) -> str:
        self.position += 1
        return str(self.signs[self.position - 1])

    def alternatives(self) -> list[Production]:
        found = [self.production()]
        while self.peek() == "|":
            self.take()
            found.append(self.production())
        return found

    def production(self) -> Production:
        signs: list[str] = []
        while self.peek() not in ("", "|", ")", "]", "}"):
            sign = self.take()
            signs.append(self.group(sign) if sign in ("(", "[", "{") else sign)
        return tuple(signs)

    def group(self, opening: str) -> str:
        inner = self.alternatives()
        closing = self.take()
        assert opening + closing in ("()", "[]", "{}"), f"{self.name}: {opening} is closed by {closing}"
        name = f"{self.name} {len(self.rules)}"
        self.rules[name] = (
            inner if opening == "(" else [(), *inner] if opening == "[" else [(), *((*p, name) for p in inner)]
        )
        return name


def accepts(grammar: Grammar, words: Sequence[object], matches: Matches) -> bool:
    """Whether the words are a sentence of the grammar."""
    return refused_at(grammar, words, matches) is None


def refused_at(grammar: Grammar, words: Sequence[object], matches: Matches) -> int | None:
    """The number of the first word that cannot be there; None if the words are a sentence."""
    rules, empty = grammar.rules, grammar.nullable()
    columns: list[dict[Item, None]] = [{} for _ in range(len(words) + 1)]
    waiting: list[dict[str, list[Item]]] = [{} for _ in range(len(words) + 1)]
    columns[0] = {(grammar.start, production, 0, 0): None for production in rules[grammar.start]}
    for at, column in enumerate(columns):
        if not column:
            return at - 1
        todo = list(column)

        def add(item: Item, column: dict[Item, None] = column, todo: list[Item] = todo) -> None:
            if item not in column:
                column[item] = None
                todo.append(item)

        while todo:
            item = todo.pop()
            rule, production, dot, began = item
            if dot == len(production):
                for left, other, place, start in waiting[began].get(rule, ()):
                    add((left, other, place + 1, start))
                continue
            sign = production[dot]
            if sign in rules:
                first = sign not in waiting[at]
                waiting[at].setdefault(sign, []).append(item)
                if first:
                    for each in rules[sign]:
                        add((sign, each, 0, at))
                if sign in empty:
                    add((rule, production, dot + 1, began))
            elif at < len(words) and matches(sign, words[at]):
                columns[at + 1][(rule, production, dot + 1, began)] = None
    ends = (item for item in columns[-1] if item[0] == grammar.start and item[3] == 0 and item[2] == len(item[1]))
    return None if next(ends, None) is not None else len(words)


def described(words: Iterable[object], at: int | None) -> str:
    """The words around a place, for messages."""
    shown = [str(getattr(word, "text", word)) for word in words]
    return "" if at is None else " ".join([*shown[max(0, at - 12) : at], ">>>", *shown[at : at + 5]])
