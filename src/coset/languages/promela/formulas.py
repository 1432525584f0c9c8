"""Formulas that are not in the file, such as those of the command line: each becomes one more property of the model.

A formula of linear time is put behind the text as an `ltl` block; one of branching time, which Promela has no words for,
is cut into its conditions, and each of these is put there as a block.  So a formula can speak of everything that the
file declares, macros included.  What is wrong with a formula is then said about the formula, and not about a line that
the user never wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from coset.model import expression as e
from coset.model import model as m
from coset.properties.ctl import Branching, BranchingUntil, CtlSyntaxError, parse_ctl
from coset.properties.ctl_evidence import is_plain
from coset.properties.formula import Atom, Constant, Formula, Logic, Modal, Not, Until
from coset.source.diagnostics import Diagnostic, Diagnostics, register
from coset.source.records import dataclass
from coset.source.text import Source, Span

CTL_SYNTAX = register(
    "C001", "a formula of computation tree logic is malformed",
    "Every temporal operator needs a path quantifier: AX EX AF EF AG EG, A[p U q], E[p U q], also with W and R.",
)  # fmt: skip
LINEAR_INSIDE = register("C002", "an operator of linear time is inside of a formula of computation tree logic")

STEM, CTL_STEM = "command_line", "ctl"
LTL_ORIGIN, CTL_ORIGIN = "--ltl", "--ctl"
"""What the place of a mistake in a formula is called."""


class Block(NamedTuple):
    """An `ltl` block behind the text: its name, where in the text its formula starts, and which part of which formula
    of the user it is."""

    name: str
    start: int
    origin: Source
    first: int
    end: int


class Skeleton(NamedTuple):
    """A formula of branching time over the numbers of the blocks of its conditions."""

    name: str
    origin: Source
    formula: Formula[int]


@dataclass(frozen=True, slots=True)
class Appended:
    """A source with more `ltl` blocks, of which those of `skeletons` are only conditions."""

    source: Source
    blocks: tuple[Block, ...]
    skeletons: tuple[Skeleton, ...]
    original: int

    def located(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic, with its place in the formula if it is about one."""
        message = diagnostic.message
        if self.is_behind(diagnostic.span):
            message = message.replace("`}`", "the end of the formula")
        return replace(
            diagnostic,
            message=message,
            span=self.place(diagnostic.span),
            notes=tuple((text, self.place(span)) for text, span in diagnostic.notes),
        )

    def place(self, span: Span | None) -> Span | None:
        if span is None or not self.is_added(span):
            return span
        block = self.block(span)
        begin = min(max(span.start - block.start + block.first, block.first), block.end)
        end = min(max(span.end - block.start + block.first, begin), block.end)
        return Span(block.origin, begin, end, span.via, span.definition)

    def is_added(self, span: Span) -> bool:
        return span.source is self.source and span.start >= self.original

    def is_behind(self, span: Span | None) -> bool:
        """Whether this is the brace that closes a block, which the user has not written."""
        if span is None or not self.is_added(span):
            return False
        block = self.block(span)
        return span.start >= block.start + block.end - block.first

    def block(self, span: Span) -> Block:
        return max((b for b in self.blocks if b.start <= span.start), key=lambda b: b.start, default=self.blocks[0])

    def completed(self, model: m.Model, diagnostics: Diagnostics) -> m.Model:
        """The model with formulas of branching time in the place of their conditions."""
        if not self.skeletons:
            return model
        conditions = {number for each in self.skeletons for number in each.formula.atoms()}
        names = {self.blocks[number].name for number in conditions}
        found = {each.name: each.formula for each in model.properties if isinstance(each, m.LtlProperty)}
        for number in conditions:
            block = self.blocks[number]
            if any(isinstance(part, Modal | Until) for part in parts(found[block.name])):
                diagnostics.error(
                    LINEAR_INSIDE, "this is a formula of linear time, not a condition on one state",
                    Span(block.origin, block.first, block.end), "use operators with path quantifiers, such as AG and EF",
                )  # fmt: skip
        if diagnostics.errors:
            return model
        kept = tuple(each for each in model.properties if each.name not in names)
        added = tuple(
            m.CtlProperty(
                each.name,
                filled(each.formula, lambda number: found[self.blocks[number].name]),
                each.origin.text,
                Span(each.origin, 0, len(each.origin.text)),
            )
            for each in self.skeletons
        )
        return replace(model, properties=(*kept, *added))


def append(source: Source, ltl: Sequence[str], ctl: Sequence[str], diagnostics: Diagnostics) -> Appended:
    r"""The source with an `ltl` block for each formula of linear time and for each condition of those of branching time.

    >>> appended = append(Source("m.pml", "byte x;"), ["[] (x == 0)"], ["AG EF x > 1"], Diagnostics())
    >>> print(appended.source.text, end="")
    byte x;
    ltl command_line_1 { [] (x == 0) }
    ltl ctl_1_part_1 { x > 1 }
    >>> print(appended.skeletons[0].formula)
    AG EF (1)
    """
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    blocks: list[Block] = []

    def add(name: str, formula: str, origin: Source, first: int) -> int:
        nonlocal text
        text += f"ltl {name} {{ "
        blocks.append(Block(name, len(text), origin, first, first + len(formula)))
        text += f"{formula} }}\n"
        return len(blocks) - 1

    for name, formula in zip(fresh(STEM, source.text), ltl, strict=False):
        add(name, formula, Source(LTL_ORIGIN, formula), 0)
    skeletons: list[Skeleton] = []
    for name, formula in zip(fresh(CTL_STEM, source.text), ctl, strict=False):
        origin, numbers = Source(CTL_ORIGIN, formula), count(1)

        def condition(part: str, offset: int) -> int:
            return add(f"{name}_part_{next(numbers)}", part, origin, offset)  # noqa: B023 (called at once)

        try:
            skeletons.append(Skeleton(name, origin, parse_ctl(formula, condition)))
        except CtlSyntaxError as error:
            place = Span(origin, error.offset, min(error.offset + 1, len(formula)))
            diagnostics.error(CTL_SYNTAX, error.message, place, error.hint)
    return Appended(Source(source.path, text), tuple(blocks), tuple(skeletons), len(source.text))


def fresh(stem: str, text: str) -> Iterator[str]:
    """Names that do not occur in a text."""
    return (name for number in count(1) if (name := f"{stem}_{number}") not in text)


def filled(formula: Formula[int], condition: Callable[[int], Formula[e.Expr]]) -> Formula[e.Expr]:
    """The formula with conditions in the places of their numbers.  What has no path quantifier is one condition, so that
    `i < 3 -> a[i] == 0` does not look at `a[3]`."""
    match formula:
        case Branching(quantifier, operator, operand):
            return Branching(quantifier, operator, filled(operand, condition))
        case BranchingUntil(quantifier, operator, left, right):
            return BranchingUntil(quantifier, operator, filled(left, condition), filled(right, condition))
        case Not(operand):
            whole: Formula[e.Expr] = Not(filled(operand, condition))
        case Logic(operator, left, right):
            whole = Logic(operator, filled(left, condition), filled(right, condition))
        case Atom(number):
            whole = condition(number)
        case Constant(value):
            whole = Constant(value)
        case _:
            raise TypeError(f"not a formula of computation tree logic: {formula!r}")
    return Atom(joined(whole)) if is_plain(whole) else whole


def joined(formula: Formula[e.Expr]) -> e.Expr:
    """A formula about one state as an expression."""
    match formula:
        case Constant(value):
            return e.Const(int(value))
        case Atom(value):
            expression: e.Expr = value
            return expression
        case Not(operand):
            return e.Unary("!", joined(operand))
        case Logic("->", left, right):
            return e.Binary("||", e.Unary("!", joined(left)), joined(right))
        case Logic("<->", left, right):
            one, other = joined(left), joined(right)
            neither = e.Binary("&&", e.Unary("!", one), e.Unary("!", other))
            return e.Binary("||", e.Binary("&&", one, other), neither)
        case Logic(operator, left, right):
            return e.Binary(operator, joined(left), joined(right))
    raise TypeError(f"not about one state: {formula!r}")


def parts(formula: Formula[e.Expr]) -> Iterator[Formula[e.Expr]]:
    """A formula of linear time and everything in it."""
    yield formula
    match formula:
        case Not(operand) | Modal(_, operand):
            yield from parts(operand)
        case Logic(_, left, right) | Until(_, left, right):
            yield from parts(left)
            yield from parts(right)
