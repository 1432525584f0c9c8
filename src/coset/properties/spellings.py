r"""Formulas of linear time in the spellings of TLA+ and Spot, as SPIN writes them.

    G p  F p  p R q         [] p  <> p  p V q            (Spot; Pnueli)
    p /\ q  p \/ q  ~p      p && q  p || q  !p           (TLA+; Lamport, The temporal logic of actions, 1994)
    p => q  p <=> q         p -> q  p <-> q
    not p  p and q  p or q  !p  p && q  p || q
    "x == 1"                (x == 1)                     (a condition in Spot)

A letter is an operator only where no expression of Promela can have a name: `G` before an operand, `R` between two.  `~` is
the bitwise complement of Promela wherever its value is computed with or compared: `(~x & 1) == 0`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_TOKEN = re.compile(
    r"""<=>|<->|<>|\[\]|=>|->|/\\|\\/|&&|\|\||[=!<>]=|<<|>>|[^\W\d]\w*|\d\w*|"[^"]*"|'(?:\\.|[^'\\])'|\S"""
)
_SAME = {"/\\": "&&", "\\/": "||", "=>": "->", "<=>": "<->"}
_PREFIXES = {"G": "[]", "F": "<>", "not": "!", "Not": "!"}
_INFIXES = {"R": "V", "and": "&&", "or": "||"}
_LOGICAL = frozenset({"&&", "||", "->", "<->", "!", "[]", "<>", "~", "U", "V", "W", "X", "always", "eventually", "next",
                      "until", "weakuntil", "stronguntil", "release", "implies", "equivalent",
                      *_SAME, *_PREFIXES, *_INFIXES})  # fmt: skip
_OPERATORS = frozenset({"U", "V", "W", "X", "always", "eventually", "next", "until", "weakuntil", "stronguntil", "release",
                        "implies", "equivalent", *_INFIXES})  # fmt: skip


class Respelled(NamedTuple):
    """A formula, and for each of its characters (and its end) where the user's text has it."""

    text: str
    offsets: tuple[int, ...]


class AmbiguousFormula(ValueError):
    """TLA+ and Spot read a formula in different ways, or Coset does not know an operator."""

    def __init__(self, message: str, offset: int, hint: str) -> None:
        super().__init__(message)
        self.message, self.offset, self.hint = message, offset, hint


def respelled(text: str, is_macro: Callable[[str], bool] = lambda name: False) -> Respelled:
    r"""The formula as SPIN would have it; `is_macro` says which names are macros of the model.

    >>> respelled("G (p => F ~q)").text
    '[] (p -> <> !q)'
    >>> respelled("p /\\ ~(x > 1) \\/ (~y & 1) == 0").text
    'p && !(x > 1) || (~y & 1) == 0'
    >>> respelled("G == 1 && R[2] > 0").text, respelled("G(p)", "G".__eq__).text
    ('G == 1 && R[2] > 0', 'G(p)')
    """
    tokens = [(found.group(), found.start()) for found in _TOKEN.finditer(text)]
    words = [word for word, _ in tokens]
    pairs = brackets(words)
    refuse_chains(tokens, pairs)
    result, offsets, done = "", list[int](), 0
    for number, (word, start) in enumerate(tokens):
        result, offsets = result + text[done:start], [*offsets, *range(done, start)]
        new = "" if is_macro(word) else replacement(words, number, pairs)
        if not new:
            result, offsets = result + word, [*offsets, *range(start, start + len(word))]
        else:
            result, offsets = (
                result + new,
                [*offsets, *(min(start + k, start + len(word) - 1) for k in range(len(new)))],
            )
        done = start + len(word)
    return Respelled(result + text[done:], (*offsets, *range(done, len(text) + 1)))


def replacement(words: list[str], number: int, pairs: dict[int, int]) -> str:
    """What SPIN writes for a token; empty if that is the same."""
    word = words[number]
    if word in _SAME:
        return _SAME[word]
    if word in _PREFIXES and not ends_operand(words, number - 1) and begins_operand(words, number + 1):
        return _PREFIXES[word]
    if word in _INFIXES and ends_operand(words, number - 1) and begins_operand(words, number + 1):
        return _INFIXES[word]
    if word == "~" and is_negation(words, number, pairs):
        return "!"
    if word.startswith('"') and len(word) > 2:
        return f"({word[1:-1]})"
    return ""


def begins_operand(words: list[str], number: int) -> bool:
    """Whether a formula or a condition can begin here."""
    if number >= len(words):
        return False
    word = words[number]
    return word in ("(", "!", "~", "[]", "<>") or word[0] == '"' or word[0].isalnum() or word[0] == "_"


def ends_operand(words: list[str], number: int) -> bool:
    """Whether a formula or a condition can end here."""
    if number < 0:
        return False
    word = words[number]
    if word in (")", "]") or word[0] == '"':
        return True
    return (word[0].isalnum() or word[0] == "_") and word not in _OPERATORS and word not in _PREFIXES


def is_negation(words: list[str], number: int, pairs: dict[int, int]) -> bool:
    """Whether a `~` negates a formula: around it there is nothing but logic."""
    last = operand_end(words, number + 1, pairs)
    if not (is_logic(words, number - 1) and is_logic(words, last + 1)):
        return False
    return all(
        words[start] == "(" and is_logic(words, start - 1) and is_logic(words, end + 1)
        for start, end in pairs.items()
        if start < number < end
    )


def is_logic(words: list[str], number: int) -> bool:
    """Whether the formula ends here, or goes on with a bracket or an operator of the logic."""
    return not 0 <= number < len(words) or words[number] in _LOGICAL or words[number] in ("(", ")")


def operand_end(words: list[str], number: int, pairs: dict[int, int]) -> int:
    """The last token of what a prefix stands before."""
    while number < len(words) and words[number] in _LOGICAL:
        number += 1
    end = pairs.get(number, number)
    while end + 1 < len(words) and words[end + 1] in ("[", "(", ".", "@"):
        end = pairs.get(end + 1, end + 2)
    return end


def brackets(words: list[str]) -> dict[int, int]:
    """From each opening bracket to its closing one."""
    found, opened = dict[int, int](), list[int]()
    for number, word in enumerate(words):
        if word in ("(", "["):
            opened.append(number)
        elif word in (")", "]") and opened:
            found[opened.pop()] = number
    return found


def refuse_chains(tokens: list[tuple[str, int]], pairs: dict[int, int]) -> None:
    """`p => q => r` groups to the right in Spot, to the left in SPIN, and is no formula of TLA+.  `~>` is TLA+'s only."""
    seen: set[int] = set()
    for number, (word, start) in enumerate(tokens):
        if word == "~" and number + 1 < len(tokens) and tokens[number + 1] == (">", start + 1):
            raise AmbiguousFormula("`~>` is not an operator here", start, "write `[] (p -> <> q)` for `p ~> q`")
        if word == "=>":
            inside = max((first for first, last in pairs.items() if first < number < last), default=-1)
            if inside in seen:
                raise AmbiguousFormula("a second `=>` can be read in two ways", start, "put parentheses around one")
            seen.add(inside)
