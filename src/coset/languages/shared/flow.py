"""From statements to an automaton: the places where a process can stand, and the steps between them.

One statement is one step; so is the test of `if` and `while`, and the decision of `choose`.  What is no step: `loop
forever`, blocks, and a `goto` without a label.  Steps keep their statement; what it means is the business of
`lower_statement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.refusal import Refused
from coset.source.diagnostics import suggest
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Test:
    """The step of a condition that holds, or does not."""

    condition: t.Expression
    holds: bool


@dataclass(frozen=True, slots=True)
class Step:
    """`what` happens on the way to `target`: a statement, a test, or nothing (a choice)."""

    what: t.Statement | Test | None
    target: Spot
    span: Span


@dataclass(eq=False, slots=True)
class Spot:
    """A place in the text.  `same` is the place that it turned out to be."""

    span: Span
    steps: list[Step] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    same: Spot | None = None

    @property
    def resolved(self) -> Spot:
        spot, seen = self, {self}
        while spot.same is not None:
            spot = spot.same
            if spot in seen:
                raise Refused(codes.ENDLESS, "this leads back to itself without a statement", spot)
            seen.add(spot)
        return spot


@dataclass(frozen=True, slots=True)
class Automaton:
    """The places that can be reached, in the order of the text, and where the labels are."""

    spots: tuple[Spot, ...]
    start: Spot
    labels: dict[str, frozenset[int]]

    def number(self, spot: Spot) -> int:
        return self.spots.index(spot.resolved)


def automaton(class_: t.Class) -> Automaton:
    """The automaton of a class."""
    return Flow(class_).automaton()


class Flow:
    def __init__(self, class_: t.Class) -> None:
        self.class_ = class_
        self.labelled: dict[str, Spot] = {}

    def automaton(self) -> Automaton:
        if any(isinstance(each, t.Transition) for each in self.class_.body):
            start = self.transitions(self.class_.body)
        else:
            self.find_labels(self.class_.body)
            start = self.sequence(self.class_.body, Spot(replace(self.class_.span, start=self.class_.span.end)))
        spots = reachable(start.resolved)
        for label, spot in self.labelled.items():
            spot.resolved.labels.append(label)
        numbers = {spot: number for number, spot in enumerate(spots)}
        labels = {
            label: frozenset({numbers[spot.resolved]} if spot.resolved in numbers else ())
            for label, spot in self.labelled.items()
        }
        return Automaton(spots, start.resolved, labels)

    def find_labels(self, body: Sequence[t.Statement]) -> None:
        for statement in (node for each in body for node in each.walk()):
            if isinstance(statement, t.Statement) and statement.label is not None:
                self.declare(statement.label, statement)

    def declare(self, label: str, statement: t.Statement) -> None:
        if label in self.labelled:
            raise Refused(codes.REDECLARED, f"label `{label}` is used twice in `{self.class_.name}`", statement)
        self.labelled[label] = Spot(statement.span)

    def at(self, label: str, node: t.Node) -> Spot:
        if label not in self.labelled:
            close = suggest(label, self.labelled)
            hint = f"did you mean `{close}`?" if close else None
            raise Refused(codes.NO_LABEL, f"`{self.class_.name}` has no label `{label}`", node, hint)
        return self.labelled[label]

    # --- statements ----------------------------------------------------------------------------------

    def sequence(self, body: Sequence[t.Statement], after: Spot) -> Spot:
        for statement in reversed(body):
            after = self.statement(statement, after)
        return after

    def statement(self, x: t.Statement, after: Spot) -> Spot:
        """Where the statement begins, if it is followed by what begins at `after`."""
        spot = Spot(x.span) if x.label is None else self.labelled[x.label]
        match x:
            case t.Halt():
                pass
            case t.Goto(target):
                if x.label is None:
                    return self.at(target, x)
                spot.steps.append(Step(None, self.at(target, x), x.span))
            case t.If(condition, yes, no):
                spot.steps.append(Step(Test(condition, True), self.sequence(yes, after), condition.span))
                spot.steps.append(Step(Test(condition, False), self.sequence(no, after), condition.span))
            case t.While(condition, body):
                spot.steps.append(Step(Test(condition, True), self.sequence(body, spot), condition.span))
                spot.steps.append(Step(Test(condition, False), after, condition.span))
            case t.Choose(options):
                for option in options:
                    entry = self.sequence(option, after)
                    spot.steps.append(Step(None, entry, option[0].span if option else x.span))
            case t.Loop(body):
                again = Spot(x.span)
                again.same = self.sequence(body, again)
                spot.same = again
            case t.Block(body, False):
                spot.same = self.sequence(body, after)
            case _:
                spot.steps.append(Step(x, after, x.span))
        return spot

    def transitions(self, body: Sequence[t.Statement]) -> Spot:
        found = [each for each in body if isinstance(each, t.Transition)]
        for each in found:
            assert each.label is not None
            self.labelled.setdefault(each.label, Spot(each.span))
        for each in found:
            self.labelled.setdefault(each.target, Spot(each.span))
        for each in found:
            assert each.label is not None
            self.labelled[each.label].steps.append(Step(each, self.labelled[each.target], each.span))
        return self.labelled[found[0].label or ""]


def reachable(start: Spot) -> tuple[Spot, ...]:
    """The places that steps lead to, in the order of the text."""
    found = {start}
    todo = [start]
    while todo:
        for step in todo.pop().steps:
            spot = step.target.resolved
            if spot not in found:
                found.add(spot)
                todo.append(spot)
    return tuple(sorted(found, key=lambda spot: spot.span.start))
