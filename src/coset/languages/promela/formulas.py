"""Formulas that are not in the file, such as those of the command line: each becomes one more property of the model.

A formula of linear time is put behind the text as an `ltl` block; one of branching time, which Promela has no words for,
is cut into its conditions, and each of these is put there as a block.  So a formula can speak of everything that the
file declares, macros included.  What is wrong with a formula is then said about the formula, and not about a line that
the user never wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from coset.model import expression as e
from coset.model import model as m
from coset.model.fairness import NotAConstraint, constraints_of
from coset.model.state_formula import joined
from coset.properties.ctl import Branching, BranchingUntil, CtlSyntaxError, parse_ctl
from coset.properties.ctl_evidence import is_plain
from coset.properties.formula import Atom, Constant, Formula, Logic, Modal, Not, Until
from coset.properties.spellings import AmbiguousFormula, respelled
from coset.source.diagnostics import Diagnostic, Diagnostics, register
from coset.source.records import dataclass
from coset.source.text import Source, Span

CTL_SYNTAX = register(
    "C001", "a formula of computation tree logic is malformed",
    "Every temporal operator needs a path quantifier: AX EX AF EF AG EG, A[p U q], E[p U q], also with W and R.",
)  # fmt: skip
LINEAR_INSIDE = register("C002", "an operator of linear time is inside of a formula of computation tree logic")

LTL_SYNTAX = register("C004", "a formula of linear time can be read in two ways, or has an unknown operator")

NO_CONSTRAINT = register("C005", "a formula is no fairness constraint")

STEM, CTL_STEM, INVARIANT_STEM, FAIR_STEM = "command_line", "ctl", "invariant", "fairness"
LTL_ORIGIN, CTL_ORIGIN, INVARIANT_ORIGIN, FAIR_ORIGIN = "--ltl", "--ctl", "--invariant", "--fair"
"""What the place of a mistake in a formula is called."""


class Block(NamedTuple):
    """An `ltl` block behind the text: its name, where in the text its formula starts, and which part of which formula
    of the user it is."""

    name: str
    start: int
    origin: Source
    first: int
    end: int
    offsets: tuple[int, ...]
    """For each character of the formula where the user's text has it."""


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
            message = message.replace("`}`", "the end of the formula").replace("`)`", "the end of the formula")
        elif diagnostic.span is not None and self.is_added(diagnostic.span):
            message = message.replace("expected `}` after the formula, not", "the formula ends before").replace(
                "`}`", "the end"
            )
        return replace(
            diagnostic,
            message=message,
            span=self.place(diagnostic.span),
            notes=tuple(
                (text, self.place(span)) for text, span in diagnostic.notes if span is None or not self.is_brace(span)
            ),
        )

    def place(self, span: Span | None) -> Span | None:
        if span is None or not self.is_added(span):
            return span
        block = self.block(span)
        last = len(block.offsets) - 1
        begin, end = (block.offsets[min(max(at - block.start, 0), last)] for at in (span.start, span.end - 1))
        return Span(block.origin, begin, max(begin, min(end + 1, block.end)), span.via, span.definition)

    def is_added(self, span: Span) -> bool:
        return span.source is self.source and span.start >= self.original

    def is_brace(self, span: Span) -> bool:
        """Whether this is the brace that opens a block."""
        return self.is_added(span) and span.text == "{"

    def is_behind(self, span: Span | None) -> bool:
        """Whether this is the brace that closes a block, which the user has not written."""
        if span is None or not self.is_added(span):
            return False
        block = self.block(span)
        return span.start >= block.start + len(block.offsets) - (2 if block.origin.path == INVARIANT_ORIGIN else 1)

    def block(self, span: Span) -> Block:
        return max((b for b in self.blocks if b.start <= span.start), key=lambda b: b.start, default=self.blocks[0])

    def completed(self, model: m.Model, diagnostics: Diagnostics) -> m.Model:
        """The model with formulas of branching time in the place of their conditions."""
        self.refuse_temporal_invariants(model, diagnostics)
        self.refuse_other_constraints(model, diagnostics)
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

    def refuse_temporal_invariants(self, model: m.Model, diagnostics: Diagnostics) -> None:
        """An invariant is about one state."""
        for block in self.blocks:
            found = next(each for each in model.properties if each.name == block.name)
            if block.origin.path != INVARIANT_ORIGIN or not isinstance(found, m.LtlProperty):
                continue
            if sum(isinstance(part, Modal | Until) for part in parts(found.formula)) > 1:
                diagnostics.error(
                    LINEAR_INSIDE, "an invariant is a condition on one state, without temporal operators",
                    Span(block.origin, block.first, block.end), "use --ltl",
                )  # fmt: skip

    def refuse_other_constraints(self, model: m.Model, diagnostics: Diagnostics) -> None:
        """A fairness constraint has one of a few forms."""
        for block in self.blocks:
            found = next(each for each in model.properties if each.name == block.name)
            if block.origin.path == FAIR_ORIGIN and isinstance(found, m.LtlProperty):
                try:
                    list(constraints_of(found.formula))
                except NotAConstraint as error:
                    diagnostics.error(NO_CONSTRAINT, str(error), Span(block.origin, block.first, block.end))


def append(
    source: Source,
    ltl: Sequence[str],
    ctl: Sequence[str],
    diagnostics: Diagnostics,
    invariants: Sequence[str] = (),
    constraints: Sequence[str] = (),
) -> Appended:
    r"""The source with an `ltl` block for each formula of linear time and for each condition of those of branching time.
    Fairness constraints come last among those of linear time.

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
    skeletons: list[Skeleton] = []

    def add(name: str, formula: str, origin: Source, offsets: Sequence[int]) -> int:
        nonlocal text
        text += f"ltl {name} {{ "
        blocks.append(Block(name, len(text), origin, offsets[0], offsets[-1], tuple(offsets)))
        text += f"{formula} }}\n"
        return len(blocks) - 1

    def is_macro(name: str) -> bool:
        return re.search(rf"#\s*define\s+{re.escape(name)}\b", source.text) is not None

    def is_name(word: str) -> bool:
        return re.search(rf"\b{re.escape(word)}\b", source.text) is not None

    def add_linear(stem: str, formulas: Sequence[str], path: str) -> None:
        for name, formula in zip(fresh(stem, source.text), formulas, strict=False):
            origin = Source(path, formula)
            try:
                written = respelled(formula, is_macro, is_name)
                add(name, written.text, origin, written.offsets)
            except AmbiguousFormula as error:
                diagnostics.error(LTL_SYNTAX, error.message, Span(origin, error.offset, error.offset + 2), error.hint)

    def add_branching(name: str, formula: str) -> None:
        origin, numbers = Source(CTL_ORIGIN, formula), count(1)

        def condition(part: str, offset: int) -> int:
            offsets = written.offsets[offset : offset + len(part) + 1]
            return add(f"{name}_part_{next(numbers)}", part, origin, offsets)

        try:
            written = respelled(formula, is_macro, is_name, is_branching=True)
            skeletons.append(Skeleton(name, origin, parse_ctl(written.text, condition)))
        except CtlSyntaxError as error:
            at = written.offsets[min(error.offset, len(written.text))]
            diagnostics.error(CTL_SYNTAX, error.message, Span(origin, at, min(at + 1, len(formula))), error.hint)
        except AmbiguousFormula as error:
            diagnostics.error(CTL_SYNTAX, error.message, Span(origin, error.offset, error.offset + 1), error.hint)

    for name, formula in zip(fresh(INVARIANT_STEM, source.text), invariants, strict=False):
        if (at := closes_nothing(formula)) is not None:
            place = Span(Source(INVARIANT_ORIGIN, formula), at, at + 1)
            diagnostics.error(LTL_SYNTAX, "`)` closes nothing", place)
            continue
        offsets = (*[0] * 4, *range(len(formula) + 1), len(formula))
        add(name, f"[] ({formula})", Source(INVARIANT_ORIGIN, formula), offsets)
    add_linear(STEM, ltl, LTL_ORIGIN)
    add_linear(FAIR_STEM, constraints, FAIR_ORIGIN)
    for name, formula in zip(fresh(CTL_STEM, source.text), ctl, strict=False):
        add_branching(name, formula)
    return Appended(Source(source.path, text), tuple(blocks), tuple(skeletons), len(source.text))


def closes_nothing(text: str) -> int | None:
    """Where a text has a closing parenthesis without an opening one.

    >>> closes_nothing("(x)"), closes_nothing("x) || (y")
    (None, 1)
    """
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return at
    return None


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


def parts(formula: Formula[e.Expr]) -> Iterator[Formula[e.Expr]]:
    """A formula of linear time and everything in it."""
    yield formula
    match formula:
        case Not(operand) | Modal(_, operand):
            yield from parts(operand)
        case Logic(_, left, right) | Until(_, left, right):
            yield from parts(left)
            yield from parts(right)
