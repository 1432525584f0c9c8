"""Reading procs.def and features.def: one definition per line, with comments as in C or after `#`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from coset.languages.features import codes
from coset.languages.features.tree import Definition, Feature
from coset.languages.promela.lexer import KEYWORDS, TYPES
from coset.languages.promela.tree import TypeName
from coset.source.diagnostics import Diagnostics, suggest
from coset.source.text import Source, Span

_PROCTYPE = re.compile(r"(\d+)\s*:\s*([A-Za-z_]\w*)\s*(?:<-|->)\s*\[\s*(\d+)\s*\]\s*of\s*\{([^{}]*)\}\s*;?")
_FEATURE = re.compile(r"([A-Za-z_]\w*)\s*\[(.*)\]\s*;?")
_MEMBER = re.compile(r"\s*(?:(\d+)|\(\s*(\d+)\s*,\s*(\d+)\s*\))\s*(?:,|$)")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)

RESERVED = frozenset({"array", "lookup", "NCOMP", "in", "init"})
MOST_COMPONENTS = 200
"""SPIN has at most 255 processes."""


def statements(source: Source) -> Iterator[Span]:
    """The lines that say something, without comments and blanks around.

    >>> [span.text for span in statements(Source("f.def", "A[1] /* one */\\n\\n# no\\n  B[(1,2)]"))]
    ['A[1]', 'B[(1,2)]']
    """
    text = _COMMENT.sub(lambda match: "".join(c if c == "\n" else " " for c in match[0]), source.text)
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            left = start + len(line) - len(line.lstrip())
            yield Span(source, left, left + len(line.strip()))
        start += len(line)


def part(line: Span, match: re.Match[str], group: int) -> Span:
    """Where a group of a match is."""
    return Span(line.source, line.start + match.start(group), line.start + match.end(group))


def read_definitions(source: Source, diagnostics: Diagnostics) -> tuple[Definition, ...]:
    """The proctypes of procs.def."""
    found: list[Definition] = []
    for line in statements(source):
        match = _PROCTYPE.fullmatch(line.text)
        if match is None:
            diagnostics.error(codes.BAD_DEFINITION, "expected `n: name <- [k] of {types}`", line)
            continue
        name, count = match[2], int(match[1])
        if count < 1:
            diagnostics.error(codes.BAD_DEFINITION, f"there must be at least one `{name}`", part(line, match, 1))
            continue
        if name in RESERVED or name in KEYWORDS:
            diagnostics.error(codes.BAD_DEFINITION, f"`{name}` has another meaning", part(line, match, 2))
        if any(each.name == name for each in found):
            diagnostics.error(codes.BAD_DEFINITION, f"`{name}` is defined twice", part(line, match, 2))
            continue
        span = part(line, match, 4)
        fields = tuple(TypeName(span, each.strip()) for each in match[4].split(","))
        for each in fields:
            if not re.fullmatch(r"[A-Za-z_]\w*", each.name) or (each.name in KEYWORDS and each.name not in TYPES):
                diagnostics.error(codes.BAD_DEFINITION, f"`{each.name}` is not the name of a type", span)
        found.append(Definition(count, name, int(match[3]), fields, line))
    if sum(each.count for each in found) > MOST_COMPONENTS:
        diagnostics.error(codes.BAD_DEFINITION, f"there are more than {MOST_COMPONENTS} components", found[-1].span)
    if not found and not diagnostics.errors:
        diagnostics.error(codes.BAD_DEFINITION, "there is no definition", Span(source, 0, 0))
    return tuple(found)


def read_features(source: Source, diagnostics: Diagnostics) -> tuple[Feature, ...]:
    """The feature configuration, as it is written in features.def or on the command line."""
    found: dict[str, Feature] = {}
    for line in statements(source):
        match = _FEATURE.fullmatch(line.text)
        members = read_members(line, match, diagnostics) if match is not None else None
        if match is None or members is None:
            diagnostics.error(codes.BAD_FEATURE, "expected `NAME[1,2]` or `NAME[(1,2),(3,4)]`", line)
            continue
        known = found.get(match[1])
        arities = {len(member) for member in members} | ({known.arity} if known and known.members else set())
        if len(arities) > 1:
            diagnostics.error(codes.WRONG_ARITY, f"`{match[1]}` has single components and pairs", line)
            continue
        if known is not None:
            members = [*known.members, *members]
        found[match[1]] = Feature(match[1], max(arities, default=0), tuple(dict.fromkeys(members)), line)
    return tuple(found.values())


def read_members(line: Span, match: re.Match[str], diagnostics: Diagnostics) -> list[tuple[int, ...]] | None:
    text, at, members = match[2], 0, list[tuple[int, ...]]()
    while at < len(text.rstrip()):
        member = _MEMBER.match(text, at)
        if member is None:
            return None
        members.append(tuple(int(each) for each in member.groups() if each is not None))
        at = member.end()
    return members


def configured(
    known: Sequence[Feature], wanted: Sequence[Feature], components: int, diagnostics: Diagnostics
) -> tuple[Feature, ...]:
    """The features that templates ask for, with those who shall have them."""
    arity = {feature.name: feature.arity for feature in known}
    for feature in wanted:
        if feature.name not in arity:
            close = suggest(feature.name, arity)
            hint = f"did you mean `{close}`?" if close else f"there are {', '.join(sorted(arity)) or 'none'}"
            message = f"no template asks for feature `{feature.name}`"
            diagnostics.error(codes.UNKNOWN_FEATURE, message, feature.span, hint)
        elif feature.members and feature.arity != arity[feature.name]:
            wants = {1: "one component", 2: "a host and a partner"}[arity[feature.name]]
            diagnostics.error(codes.WRONG_ARITY, f"in the templates `{feature.name}` is of {wants}", feature.span)
        for number in sorted({number for member in feature.members for number in member}):
            if not 1 <= number <= components:
                message = f"there is no component {number}: they are numbered 1 to {components}"
                diagnostics.error(codes.NO_COMPONENT, message, feature.span)
    members = {feature.name: feature.members for feature in wanted}
    return tuple(replace(feature, members=members.get(feature.name, ())) for feature in known)
