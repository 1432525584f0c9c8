"""The grammars of the documentation are those of the parsers: the same tokens, and the same sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from coset.features.properties import joined, parse_properties
from coset.languages.csp import codes as csp_codes
from coset.languages.csp import lexer as csp_lexer
from coset.languages.csp import parse as csp_parse
from coset.languages.features import codes as feature_codes
from coset.languages.features.definitions import read_definitions, read_features
from coset.languages.features.load import load_network
from coset.languages.features.template import TemplateParser
from coset.languages.features.tree import Network
from coset.languages.promela import lexer as promela_lexer
from coset.languages.promela.inline import Inline
from coset.languages.promela.parse import Parser
from coset.languages.promela.parse import parse as promela_parse
from coset.languages.promela.parse_expression import EMBEDDED_C_WORDS
from coset.languages.sequential import parse as sequential_parse
from coset.languages.shared import codes as shared_codes
from coset.languages.shared import lexer as shared_lexer
from coset.languages.shared import parse as shared_parse
from coset.languages.tokens import Token
from coset.model.sequential import tokens as sequential_tokens
from coset.source.diagnostics import Diagnostics, InputError
from coset.source.text import Source
from tests.support.grammar import accepts, described, grammar, refused_at
from tests.support.paths import ROOT
from tests.support.promela_random import generate

DOCS, MODELS = ROOT / "docs", ROOT / "models"
EXAMPLES = sorted(Path("/usr/share/doc/spin/examples/Examples").rglob("*.pml"))
LONGEST = 350
"""Words of a model that is parsed in the tests that are always run."""
PAGES = {"promela": "promela.md", "csp": "csp.md", "spl": "spl.md", "seq": "sequential.md"}
GRAMMARS = {name: grammar(DOCS / page) for name, page in PAGES.items()}
GRAMMARS["features"] = grammar(DOCS / "features.md", GRAMMARS["promela"])


def found(suffix: str) -> list[Path]:
    return sorted(MODELS.rglob(f"*.{suffix}"))


# --- tokens -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRAMMARS)
def test_grammar_is_whole(name: str) -> None:
    assert not GRAMMARS[name].undefined
    if name != "features":
        assert not GRAMMARS[name].unreachable


def marks(pattern: str, group: str) -> set[str]:
    """The tokens of a group of a lexer's pattern: alternatives, and last a class of single characters."""
    found = re.search(rf"\(\?P<{group}>(.*)\|\[(.*)\]\)", pattern)
    assert found is not None
    tokens = [*re.split(r"(?<!\\)\|", found[1]), *re.sub(r"\\(.)", r"\1", found[2])]
    return {re.sub(r"\\(.)", r"\1", each) for each in tokens}


TEMPORAL = {"AX", "EX", "AF", "EF", "AG", "EG", "A", "E", "U", "W", "R", "V", "G", "F", "X"}
CONTEXTUAL = {
    "csp": {
        *csp_parse.PLAIN_ASSERTIONS, "define", "alphabet", "assert", "reaches", "cfull", "cempty", "ccount",
        "G", "F", "X", "U", "R", "V", "W",
    },
    "spl": {"number", *TEMPORAL},
    "seq": set[str](),
    "promela": {"in", *promela_lexer.LTL_NAMES},
}  # fmt: skip
"""Keywords that are names elsewhere."""
REFUSED = {"csp": {"hvar"}, "spl": set[str](), "seq": set[str](), "promela": EMBEDDED_C_WORDS}
WORDS = {
    "csp": csp_lexer.KEYWORDS | marks(csp_lexer.LEXICON.pattern.pattern, "mark"),
    "spl": shared_lexer.KEYWORDS | marks(shared_lexer.LEXICON.pattern.pattern, "mark"),
    "seq": sequential_tokens.KEYWORDS | marks(sequential_tokens.TOKEN.pattern, "sign"),
    "promela": promela_lexer.KEYWORDS
    | set("(){}],;^~@*/%!?:.[<>-+&|=")
    | {"->", "++", "--", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "::", "!!", "??", ".."},
}


@pytest.mark.parametrize("name", PAGES)
def test_words_are_those_of_the_lexer(name: str) -> None:
    said = GRAMMARS[name].terminals
    assert WORDS[name] - said - REFUSED[name] - ({"."} if name == "seq" and "." in said else set()) == set()
    assert said - WORDS[name] == CONTEXTUAL[name] - WORDS[name]


# --- sentences ---------------------------------------------------------------------------------------

CLASSES = {
    "NAME": ("name",), "NUMBER": ("number", promela_lexer.CONSTANT), "TEXT": ("text",), "STRING": ("string",),
    "TYPE": (promela_lexer.TYPE_NAME,), "PROCTYPE": (promela_lexer.PROCTYPE_NAME,), "INLINE": (promela_lexer.INLINE_NAME,),
}  # fmt: skip
ANY_NAME = (promela_lexer.NAME, promela_lexer.TYPE_NAME, promela_lexer.PROCTYPE_NAME, promela_lexer.INLINE_NAME)


def matches(sign: str, token: Any) -> bool:
    """Whether a token, of any of the lexers, is what the grammar wants."""
    kind, text = getattr(token, "kind", None) or getattr(token, "what", None), token.text
    if sign == "WORD":
        return bool(re.fullmatch(r"\w+'*", text))
    if sign == "NAME" and isinstance(token, Token) and text in TEMPORAL and len(text) == 2:
        return False
    if sign in CLASSES:
        if kind == promela_lexer.CONSTANT and token.value is None and sign == "NAME":
            return True  # the name of an mtype constant where a name is declared
        return kind in CLASSES[sign] and not (
            kind == "name" and isinstance(token, sequential_tokens.Token) and text in sequential_tokens.KEYWORDS
        )
    return sign[1:-1] in (kind, text)


def csp_tokens(text: str) -> list[Token]:
    return csp_lexer.tokenise(Source("m.csp", text), Diagnostics())[:-1]


def spl_tokens(text: str) -> list[Token]:
    return shared_lexer.tokenise(Source("m.spl", text), Diagnostics())[:-1]


def seq_tokens(text: str) -> list[sequential_tokens.Token]:
    return sequential_tokens.tokenise(Source("m.seq", text), Diagnostics())[:-1]


LEX: dict[str, Callable[[str], list[Any]]] = {"csp": csp_tokens, "spl": spl_tokens, "seq": seq_tokens}


BEYOND = re.compile(
    r"after `where`|path quantifier|is of branching time|needs a value|expected `\.\.` before|before `\[`|found `\.\.`"
)
"""What a grammar without context does not tell: the name after `where` is that of the variable, each formula has its own
logic, and in sequential models the names of types, constants and variables are not those of each other."""


def problems(name: str, text: str) -> set[str]:
    """The codes of what a parser has against a text."""
    diagnostics = Diagnostics()
    source = Source(f"m.{name}", text)
    try:
        if name == "csp":
            csp_parse.parse(source, {}, diagnostics)
        elif name == "spl":
            shared_parse.parse(source, diagnostics)
        else:
            sequential_parse.parse(source)
    except InputError as error:
        return {"beyond" if BEYOND.search(each.message) else each.code for each in error.diagnostics}
    return {"beyond" if BEYOND.search(each.message) else each.code for each in diagnostics.errors}


UNEXPECTED = {"csp": csp_codes.UNEXPECTED, "spl": shared_codes.UNEXPECTED, "seq": sequential_tokens.SYNTAX}


@pytest.mark.parametrize("path", [path for name in LEX for path in found(name)], ids=lambda path: path.name)
def test_models_are_sentences(path: Path) -> None:
    name = path.suffix[1:]
    tokens = LEX[name](path.read_text("utf-8"))
    assert tokens
    at = refused_at(GRAMMARS[name], tokens, matches)
    assert at is None, described(tokens, at)


def mutants(name: str, path: Path, count: int) -> Iterator[str]:
    """Texts of the model with a token too few, a token twice, or another token in its place; tokens that are names
    elsewhere stay."""
    dice = random.Random(f"{path.name}")
    texts = [token.text for token in LEX[name](path.read_text("utf-8"))]
    pool = sorted({*GRAMMARS[name].terminals - CONTEXTUAL[name], "x", "1"})
    for _ in range(count):
        at = dice.choice([place for place, text in enumerate(texts) if text not in CONTEXTUAL[name]])
        alike = [text for text in texts if text[0].isalnum() == texts[at][0].isalnum() and text not in CONTEXTUAL[name]]
        new = dice.choice((dice.choice(alike), dice.choice(alike), "x", dice.choice(pool)))
        instead = dice.choice(([], [texts[at]] * 2, [new], [new], [texts[at], new]))
        yield " ".join([*texts[:at], *instead, *texts[at + 1 :]])


@pytest.mark.parametrize("name", LEX)
def test_parser_and_grammar_agree(name: str) -> None:
    """On models with one token changed: what the parser reads without complaint is a sentence, and of a sentence it does not say
    that a token is unexpected."""
    small = sorted(found(name), key=lambda path: path.stat().st_size)[:6]
    both = [0, 0]
    for path in small:
        for text in mutants(name, path, 50):
            codes = problems(name, text)
            tokens = LEX[name](text)
            at = refused_at(GRAMMARS[name], tokens, matches)
            both[at is None] += 1
            if not codes:
                assert at is None, described(tokens, at)
            if at is None:
                assert UNEXPECTED[name] not in codes, text
    assert min(both) > 15


# --- Promela -----------------------------------------------------------------------------------------


def promela_tokens(text: str, path: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Any], Diagnostics]:
    """The tokens as the parser takes them: with the `;` that new lines stand for, and without the bodies of inlines, which are
    read where they are called."""
    taken: list[Any] = []
    take, definition, enter = Parser.take, Parser.inline_definition, promela_lexer.Stream.enter

    def recorded(self: Parser) -> promela_lexer.Token:
        token = take(self)
        if token.via is None:
            taken.append(token)
        return token

    def defined(self: Parser) -> None:
        definition(self)
        end = promela_lexer.Token("", "", None, Source("", ""), 0, 0)
        taken.extend(promela_lexer.Token(kind, kind, None, end.source, 0, 0) for kind in ("{", "break", "}"))

    def entered(self: promela_lexer.Stream, body: list[promela_lexer.Token], inline: Inline) -> None:
        inside = [token.copy(token.newline_before, token.space_before, token.via or token.span) for token in body]
        enter(self, inside, inline)

    diagnostics = Diagnostics()
    with monkeypatch.context() as patch:
        patch.setattr(Parser, "take", recorded)
        patch.setattr(Parser, "inline_definition", defined)
        patch.setattr(promela_lexer.Stream, "enter", entered)
        promela_parse(Source(path, text), None, [str(Path(path).parent)], diagnostics)
    return taken, diagnostics


def programs() -> Iterator[tuple[str, str]]:
    """Promela text: models, what the tests of errors have, SPIN's own examples, and random programs."""
    for path in [*found("pml"), *sorted((ROOT / "tests" / "cases").rglob("*.pml")), *EXAMPLES]:
        yield str(path), path.read_text("utf-8", errors="replace")
    for seed in range(40):
        yield f"random_{seed}.pml", generate(seed)


def test_promela_that_is_accepted_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted = 0
    for path, text in programs():
        tokens, diagnostics = promela_tokens(text, path, monkeypatch)
        if diagnostics.errors or len(tokens) > LONGEST:
            continue
        at = refused_at(GRAMMARS["promela"], tokens, matches)
        assert at is None, f"{path}: {described(tokens, at)}"
        accepted += 1
    assert accepted > 60


@pytest.mark.long
def test_long_promela_that_is_accepted_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in programs():
        tokens, diagnostics = promela_tokens(text, path, monkeypatch)
        if not diagnostics.errors and len(tokens) > LONGEST:
            at = refused_at(GRAMMARS["promela"], tokens, matches)
            assert at is None, f"{path}: {described(tokens, at)}"


def test_promela_with_a_word_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, _ = promela_tokens("active proctype P() { byte x; x = 1; skip }", "m.pml", monkeypatch)
    assert accepts(GRAMMARS["promela"], tokens, matches)
    spoiled = [
        accepts(GRAMMARS["promela"], [*tokens[:at], tokens[at], *tokens[at:]], matches) for at in range(len(tokens))
    ]
    assert [str(tokens[at].text) for at, fine in enumerate(spoiled) if fine] == [";", ";"]


# --- featured networks -------------------------------------------------------------------------------

FEATURES = MODELS / "features"
LINES = [
    ("components", "3: client <- [1] of {pid, pid}", True),
    ("components", "1:mailer->[2] of { byte };", True),
    ("components", "client <- [1] of {pid}", False),
    ("components", "3: client <- 1 of {pid}", False),
    ("components", "3: client <- [1] of {pid};;", False),
    ("configuration", "AUTORESP[1,2]", True),
    ("configuration", "FILTER[(3,5),(4,5),];", True),
    ("configuration", "FILTER[ ]", True),
    ("configuration", "FILTER[(3,5,6)]", False),
    ("configuration", "FILTER(1)", False),
    ("configuration", "FILTER[,]", False),
    ("promise", "FILTER(i, j): [] (last_del_from[i] != j)", True),
    ("promise", "FORWARD(i, j), forall k != j: [] (last_del_to[k] != i)", True),
    ("promise", "own(i in mailer; k), forall m in client != i != k: <> (last_del_to[i] == 0)", True),
    ("promise", "FILTER(i, j) [] true", False),
    ("promise", "FILTER(i j): true", False),
    ("promise", "FILTER(i), for all k: true", False),
]


class Sign(NamedTuple):
    """A token of a definition."""

    kind: str
    text: str


def signs(line: str) -> list[Sign]:
    tokens = re.findall(r"\w+|<->|\[\]|<>|<-|->|[!=<>]=|&&|\|\||\S", line)
    kinds = ["number" if each.isdigit() else "name" if each[0].isalpha() else each for each in tokens]
    remote = [
        each in ("client", "user") and next_ == "[" for each, next_ in zip(tokens, [*tokens[1:], ""], strict=True)
    ]
    return [
        Sign(promela_lexer.PROCTYPE_NAME if there else kind, each) for kind, each, there in zip(kinds, tokens, remote)
    ]


def network(folder: Path) -> Network:
    found = load_network(folder, Diagnostics())
    assert found is not None
    return found


def is_definition(rule: str, line: str) -> bool:
    """Whether the reader of a file takes the line; what features and components there are does not matter here."""
    diagnostics, source = Diagnostics(), Source("x.def", line)
    if rule == "components":
        read_definitions(source, diagnostics)
    elif rule == "configuration":
        read_features(source, diagnostics)
    else:
        parse_properties(source, network(FEATURES / "email"), diagnostics)
    wrong = {feature_codes.BAD_DEFINITION, feature_codes.BAD_FEATURE, feature_codes.BAD_PROPERTY}
    return not any(each.code in wrong and "has 2 parameters" not in each.message for each in diagnostics.errors)


@pytest.mark.parametrize(("rule", "line", "fine"), LINES)
def test_definitions_of_networks(rule: str, line: str, fine: bool) -> None:
    assert accepts(replace(GRAMMARS["features"], start=rule), signs(line), matches) == fine
    assert is_definition(rule, line) == fine


@pytest.mark.parametrize("folder", sorted(FEATURES.iterdir()), ids=lambda path: path.name)
def test_networks_are_sentences(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {"procs.def": "components", "features.def": "configuration", "properties.def": "promise"}
    for file, rule in rules.items():
        for span in joined(Source(file, (folder / file).read_text("utf-8"))):
            tokens = signs(re.sub(r"//.*|/\*.*?\*/", " ", span.text))
            at = refused_at(replace(GRAMMARS["features"], start=rule), tokens, matches)
            assert at is None, described(tokens, at)
    templates: list[list[Any]] = []
    whole, take = TemplateParser.whole, TemplateParser.take

    def begun(self: TemplateParser, source: Source) -> object:
        templates.append([])
        return whole(self, source)

    def recorded(self: TemplateParser) -> promela_lexer.Token:
        token = take(self)
        templates[-1].append(token)
        return token

    with monkeypatch.context() as patch:
        patch.setattr(TemplateParser, "whole", begun)
        patch.setattr(TemplateParser, "take", recorded)
        network(folder)
    assert len(templates) == len(list(folder.glob("*.tmpl")))
    for template in templates:
        at = refused_at(replace(GRAMMARS["features"], start="template"), template, matches)
        assert at is None, described(template, at)
