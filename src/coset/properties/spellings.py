r"""Formulas of linear and of branching time in the spellings of TLA+ and Spot, as Coset's parsers have them.

    G p  F p  GF p  XXp             [] p  <> p  [] <> p  X X p                    (Spot; Pnueli)
    p R q  p M q                    p V q  p strongrelease q
    p /\ q  p \/ q  ~p              p && q  p || q  !p                            (TLA+; Lamport, The temporal logic
    p => q  p <=> q  p ~> q         p -> q  p <-> q  p leadsto q                   of actions, 1994)
    x = 1  x # 1  x /= 1  x =< 1    x == 1  x != 1  x != 1  x <= 1
    TRUE  not p  p and q  p or q    true  !p  p && q  p || q
    "x == 1"                        (x == 1)                                      (a condition in Spot)
    AGEF p                          AG EF p                                       (branching time)

A letter is an operator only where no expression of Promela can have a name: `G` before an operand, `R` between two; and
`GFp` is `G F p` only if the model has a name `p` and no `GFp`.  `~` is the bitwise complement of Promela wherever its value is
computed with or compared: `(~x & 1) == 0`.  What SPIN, Spot and TLA+ read in different ways is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""<=>|<->|<>|\[\]|=>|=<|~>|->|/\\|\\/|/=|&&|\|\||[=!<>]=|<<|>>|[^\W\d]\w*|\d\w*|"[^"]*"|'(?:\\.|[^'\\])'|\S"""
)
_SAME = {
    "/\\": "&&",
    "\\/": "||",
    "=>": "->",
    "<=>": "<->",
    "~>": "leadsto",
    "=": "==",
    "#": "!=",
    "/=": "!=",
    "=<": "<=",
}
_TRUTHS = {"TRUE": "true", "FALSE": "false", "True": "true", "False": "false"}
_NEGATIONS = frozenset({"not", "Not"})
_PREFIXES = {"G": "[]", "F": "<>", "not": "!", "Not": "!"}
_INFIXES = {"R": "V", "M": "strongrelease", "and": "&&", "or": "||"}
_QUANTIFIED = frozenset({"AG", "EG", "AF", "EF", "AX", "EX"})
_UNTIL = frozenset({"U", "V", "W", "R", "M", "until", "weakuntil", "stronguntil", "release"})
_CONNECTIVES = frozenset(
    {"&&", "||", "->", "<->", "implies", "equivalent", "and", "or", "/\\", "\\/", "=>", "<=>", "~>"}
)
_OPERATORS = _UNTIL | {"X", "always", "eventually", "next", "implies", "equivalent", "and", "or"}
_LOGICAL = _OPERATORS | _CONNECTIVES | _QUANTIFIED | {"!", "[]", "<>", "~", *_PREFIXES}
_COMPUTED = frozenset(
    {"==", "!=", "<", ">", "<=", ">=", "=", "#", "/=", "=<", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}
)
_TLA_COMPARISONS = frozenset({"=", "#", "/=", "=<"})
_BITWISE = frozenset({"&", "|", "^"})
_JOINED = re.compile(r"([GFX]+)(\w*)"), re.compile(r"((?:[AE][GFX])+)(\w*)")
"""Operators that are written as one word, with what they stand before, of linear and of branching time."""


class Respelled(NamedTuple):
    """A formula, and for each of its characters (and its end) where the user's text has it."""

    text: str
    offsets: tuple[int, ...]


class AmbiguousFormula(ValueError):
    """SPIN, Spot and TLA+ read a formula in different ways, or Coset does not know an operator."""

    def __init__(self, message: str, offset: int, hint: str) -> None:
        super().__init__(message)
        self.message, self.offset, self.hint = message, offset, hint


class Token(NamedTuple):
    word: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.word)


def no_name(name: str) -> bool:
    """For formulas without a model."""
    return False


def respelled(
    text: str,
    is_macro: Callable[[str], bool] = no_name,
    is_name: Callable[[str], bool] = no_name,
    is_branching: bool = False,
) -> Respelled:
    r"""The formula as Coset's parsers have it; `is_macro` says which names are macros of the model, `is_name` which words
    occur in it at all.

    >>> respelled("G (p => F ~q)").text
    '[] (p -> <> !q)'
    >>> respelled("p /\\ ~(x > 1) \\/ (~y & 1) == 0").text
    'p && !(x > 1) || (~y & 1) == 0'
    >>> respelled("G == 1 && R[2] > 0").text, respelled("G(p)", "G".__eq__).text
    ('G == 1 && R[2] > 0', 'G(p)')
    >>> respelled("GF p => FGq", is_name="q".__eq__).text, respelled("AGEF(x = 1)", is_branching=True).text
    ('[]<> p -> <>[]q', 'AG EF(x == 1)')
    """
    tokens = list(separated(text, is_name, is_branching))
    words = [token.word for token in tokens]
    pairs = brackets(words)
    refuse_strangers(tokens, is_name)
    refuse_negations(tokens, pairs)
    refuse_ambiguity(tokens, is_branching)
    result, offsets, done = "", list[int](), 0
    for number, (word, start) in enumerate(tokens):
        result, offsets = result + text[done:start], [*offsets, *range(done, start)]
        new = word if is_macro(word) else replacement(words, number, pairs, is_branching) or word
        if (
            words[number + 1 :]
            and tokens[number + 1].start == start + len(word)
            and (new + words[number + 1]).isalnum()
        ):
            new += " "  # they were joined
        places = (
            range(start, start + len(word))
            if new == word
            else (min(start + k, start + len(word) - 1) for k in range(len(new)))
        )
        result, offsets = result + new, [*offsets, *places]
        done = start + len(word)
    return Respelled(result + text[done:], (*offsets, *range(done, len(text) + 1)))


def separated(text: str, is_name: Callable[[str], bool], is_branching: bool) -> Iterator[Token]:
    """The tokens; operators that are written as one word, with or without what they stand before, are separate."""
    found = [Token(each.group(), each.start()) for each in _TOKEN.finditer(text)]
    words = [token.word for token in found]
    size = 2 if is_branching else 1
    for number, token in enumerate(found):
        parts = _JOINED[is_branching].fullmatch(token.word)
        if parts is None or is_name(token.word):
            yield token
            continue
        operators, rest = parts.groups()
        before = is_name(rest) if rest else len(operators) > size and begins_operand(words, number + 1)
        if not before:
            yield token
            continue
        for k in range(0, len(operators), size):
            yield Token(operators[k : k + size], token.start + k)
        if rest:
            yield Token(rest, token.start + len(operators))


def replacement(words: list[str], number: int, pairs: dict[int, int], is_branching: bool) -> str:
    """What Coset's parsers have for a token; empty if that is the same."""
    word = words[number]
    if word in _SAME:
        return _SAME[word]
    if word in _TRUTHS:
        return _TRUTHS[word]
    can_begin, can_end = begins_operand(words, number + 1), ends_operand(words, number - 1)
    if word in _PREFIXES and can_begin and not can_end and (not is_branching or word in _NEGATIONS):
        return _PREFIXES[word]
    if word in _INFIXES and can_begin and can_end and (not is_branching or word in _CONNECTIVES):
        return _INFIXES[word]
    if word == "~" and is_negation(words, number, pairs, is_branching):
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


def is_negation(words: list[str], number: int, pairs: dict[int, int], is_branching: bool = False) -> bool:
    """Whether a `~` negates a formula: around it there is nothing but logic."""

    def is_logic(at: int) -> bool:
        """Whether the formula ends here, or goes on with a bracket or an operator of the logic."""
        if not 0 <= at < len(words) or words[at] in _LOGICAL or words[at] in ("(", ")"):
            return True
        if not is_branching:
            return False
        opening = at if words[at] == "[" else next((first for first, last in pairs.items() if last == at), at)
        return words[at] in ("A", "E") or (words[at] in ("[", "]") and words[opening - 1] in ("A", "E"))

    last = operand_end(words, number + 1, pairs)
    if not (is_logic(number - 1) and is_logic(last + 1)):
        return False
    return all(
        is_logic(start) and is_logic(start - 1) and is_logic(end + 1)
        for start, end in pairs.items()
        if start < number < end
    )


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


# --- what is refused -------------------------------------------------------------------------------


def refuse_strangers(tokens: Sequence[Token], is_name: Callable[[str], bool]) -> None:
    """What belongs to other languages, and what would end a block of Promela."""
    for word, start in tokens:
        if word == "'":
            raise AmbiguousFormula("`'` is not an operator here", start, "write `X (x == 1)` for the next state")
        if word in ("{", "}"):
            raise AmbiguousFormula(f"`{word}` cannot be used in a formula", start, "group with parentheses")
        if word[:3] in ("WF_", "SF_") and not is_name(word):
            raise AmbiguousFormula(
                f"`{word[:2]}` is not an operator here",
                start,
                "fairness is an option: --fair weak, --fair strong, or a formula",
            )


def refuse_negations(tokens: Sequence[Token], pairs: dict[int, int]) -> None:
    """`not x == 1` is `not (x == 1)` to most readers, and `(!x) == 1` in Promela."""
    words = [token.word for token in tokens]
    for number, (word, start) in enumerate(tokens):
        against = _COMPUTED if word in _NEGATIONS else _TLA_COMPARISONS if word == "~" else frozenset[str]()
        if not against or not begins_operand(words, number + 1):
            continue
        following = operand_end(words, number + 1, pairs) + 1
        if following < len(words) and words[following] in against:
            raise AmbiguousFormula(
                f"`{word}` before `{words[following]}` can be read in two ways",
                start,
                "put parentheses around what is negated",
            )


class Stretch:
    """A part of a formula without connectives of propositional logic, at one level of brackets."""

    def __init__(self) -> None:
        self.implications = 0
        self.begin()

    def begin(self) -> None:
        self.temporal: list[Token] = []
        self.untils: list[Token] = []
        self.bitwise: list[Token] = []

    def end(self) -> None:
        """Refuse what cannot be meant in one way only."""
        if self.bitwise and self.temporal:
            word, start = self.bitwise[0]
            raise AmbiguousFormula(
                f"`{word}` beside `{self.temporal[0].word}` can be read in two ways", start,
                f"write `{word * 2}`, or put parentheses around the bitwise `{word}`" if word != "^" else "add parentheses",
            )  # fmt: skip
        if len(self.untils) > 1 and any(each.word in ("R", "M") for each in self.untils):
            word, start = self.untils[1]
            raise AmbiguousFormula(
                f"a second operator `{word}` can be read in two ways", start, "put parentheses around one"
            )
        self.begin()


def refuse_ambiguity(tokens: Sequence[Token], is_branching: bool) -> None:
    """Refuse what SPIN, Spot and TLA+ group in different ways: `p => q => r`, `p R q R r`, and `G p & q`, where `&` is bitwise
    and binds tightly in Promela, and is a weak connective in Spot and NuSMV."""
    words = [token.word for token in tokens]
    stretches = [Stretch()]
    for number, token in enumerate(tokens):
        word = token.word
        here = stretches[-1]
        can_begin, can_end = begins_operand(words, number + 1), ends_operand(words, number - 1)
        if word in ("(", "["):
            stretches.append(Stretch())
        elif word in (")", "]"):
            here.end()
            if len(stretches) > 1:
                stretches.pop()
        elif word in _CONNECTIVES:
            here.end()
            if word in ("=>", "~>"):
                if here.implications:
                    raise AmbiguousFormula(
                        f"a second `{word}` can be read in two ways", token.start, "put parentheses around one"
                    )
                here.implications += 1
        elif word in _BITWISE:
            here.bitwise.append(token)
        elif is_branching:
            if word in _QUANTIFIED:
                here.temporal.append(token)
        elif word in _UNTIL and can_begin and can_end:
            here.temporal.append(token)
            here.untils.append(token)
        elif word in ("[]", "<>") or (word in ("X", "G", "F") and can_begin and not can_end):
            here.temporal.append(token)
    stretches[-1].end()
