"""Symmetries that the user gives: a file with one generator per line, in cycle notation.

    (1 2)(box_1 box_2)      # names as `coset symmetry` prints them

What is not named follows: a process that is not named stays, channels go with the processes, variables and locations too.
A generator is looked up in the group that `program` finds, and certified like any other; one that is not in there is
refused, with what in the model stands against it and, where one is found, a state on which it fails.

`user_generators` refuses a file with a wrong generator.  `given` takes those that preserve some properties as well: a search
for a property uses them and leaves out the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from coset.model import model as m
from coset.model.domain import Refers
from coset.model.evaluate import Fault
from coset.model.state import State, describe_values, process_name
from coset.source.diagnostics import Diagnostic, Diagnostics, register
from coset.source.text import Source, Span
from coset.symmetry.action import Action, Points
from coset.symmetry.certify import Behaviour, NotASymmetry, certify, check, sample
from coset.symmetry.conditions import property_conditions
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Finding, Symmetry

MALFORMED = register("G001", "a generator is not in cycle notation", "One generator per line, as `(1 2)(box_1 box_2)`.")
UNKNOWN_NAME = register(
    "G002", "a generator names an object that the model does not have", "`coset symmetry FILE` prints the names."
)
NO_SYMMETRY = register("G003", "a given generator is no symmetry of the model", "`--explain` gives details.")

MOST_NAMES = 30
MOST_SHOWN = 8
"""Parts of a state that are shown."""

Cycle = list[tuple[int, Span]]


def user_generators(model: m.Model, source: Source, properties: Sequence[m.Property] | None = None) -> Symmetry:
    """The group that the generators in a file make.  Raises `InputError` if one of them is wrong."""
    whole = detect(model, properties)
    diagnostics = Diagnostics()
    generators = []
    if whole.points is None or not whole.points.sorts.process.leader.mobile:
        why = whole.findings[0]
        diagnostics.error(NO_SYMMETRY, f"processes cannot be permuted: {why.text}", why.span or Span(source, 0, 0))
    else:
        for span in written(source):
            found = Reader(whole.points, diagnostics).read(span)
            if found is not None:
                element = extended(whole, found)
                if isinstance(element, Permutation):
                    generators.append(element)
                else:
                    diagnostics.add(Refusal(model, properties, whole, found, span).diagnostic())
        if not generators and not diagnostics.errors:
            diagnostics.error(MALFORMED, "the file has no generator", Span(source, 0, 0))
    diagnostics.check()
    assert whole.points is not None
    kept = model.properties if properties is None else properties
    actions = [Action(whole.points, generator) for generator in generators]
    tried = certify(actions, property_conditions(kept))
    return Symmetry("given", model, whole.points, Group(whole.group.degree, generators), None, (), tried)


def given(model: m.Model, source: Source, properties: Sequence[m.Property], moves: int) -> Symmetry:
    """The group of those generators in a file that are symmetries of the model and preserve the properties."""
    whole = detect(model, properties, moves=moves)
    if whole.points is None:
        return replace(whole, method="given")
    lines = list(written(source))
    reader = Reader(whole.points, Diagnostics())
    found = [extended(whole, images) for images in map(reader.read, lines) if images is not None]
    generators = [each for each in found if each is not None]
    findings = whole.findings
    if len(generators) < len(lines):
        findings = (Finding(f"{len(generators)} of {len(lines)} given generators preserve what is checked"),)
    actions = [Action(whole.points, generator) for generator in generators]
    tried = certify(actions, property_conditions(properties), moves)
    return Symmetry("given", model, whole.points, Group(whole.group.degree, generators), None, findings, tried)


def written(source: Source) -> Iterator[Span]:
    """The lines of a file that say something, without comments and blanks around."""
    start = 0
    for line in source.text.splitlines(keepends=True):
        text = line.split("#", 1)[0]
        if text.strip():
            left = start + len(text) - len(text.lstrip())
            yield Span(source, left, left + len(text.strip()))
        start += len(line)


class Reader:
    """Reads cycles of names.  Names may have blanks and parentheses in them, so the longest that fits is taken."""

    def __init__(self, points: Points, diagnostics: Diagnostics) -> None:
        self.points, self.diagnostics = points, diagnostics
        self.numbers: dict[str, int] = {}
        for number, point in sorted(enumerate(points.points), key=lambda pair: points.rank(pair[1])):
            if point.what != "location":
                self.numbers.setdefault(points.name(point), number)
        self.names = sorted(self.numbers, key=len, reverse=True)

    def read(self, line: Span) -> dict[int, int] | None:
        """Where the named points go; None if something is wrong."""
        images: dict[int, int] = {}
        for cycle in self.cycles(line):
            if cycle is None:
                return None
            for (point, span), (image, _) in zip(cycle, (*cycle[1:], *cycle[:1]), strict=True):
                if point in images:
                    self.diagnostics.error(MALFORMED, f"'{span.text}' occurs twice", span)
                    return None
                if self.points.points[point].what != self.points.points[image].what or (
                    self.points.points[point].number != self.points.points[image].number
                ):
                    self.diagnostics.error(MALFORMED, "a cycle has things of one sort: processes, or channels", line)
                    return None
                images[point] = image
        return images

    def cycles(self, line: Span) -> Iterator[Cycle | None]:
        text, at, cycle = line.source.text, line.start, list[tuple[int, Span]]()
        is_open = False
        while at < line.end:
            character = text[at]
            if character.isspace() or (character == "," and is_open):
                at += 1
            elif not is_open and character == "(":
                is_open, cycle, at = True, [], at + 1
            elif is_open and character == ")":
                is_open, at = False, at + 1
                yield cycle
            elif not is_open:
                break
            else:
                name = next((name for name in self.names if self.stands(text, at, name)), None)
                if name is None:
                    self.unknown(line, at)
                    yield None
                    return
                cycle.append((self.numbers[name], Span(line.source, at, at + len(name))))
                at += len(name)
        if is_open or at < line.end:
            self.diagnostics.error(MALFORMED, "expected cycles of names, as `(1 2)(box_1 box_2)`", line)
            yield None

    def stands(self, text: str, at: int, name: str) -> bool:
        return text.startswith(name, at) and text[at + len(name) : at + len(name) + 1] in (
            " ",
            "\t",
            ",",
            ")",
            "\n",
            "",
        )

    def unknown(self, line: Span, at: int) -> None:
        word = re.split(r"[\s,)]", line.source.text[at : line.end], maxsplit=1)[0] or line.source.text[at]
        points = self.points.points
        objects = [name for name, number in self.numbers.items() if self.points.rank(points[number]) < 2]
        listed = ", ".join(objects[:MOST_NAMES]) + ", ..." * (len(objects) > MOST_NAMES)
        span = Span(line.source, at, at + len(word))
        self.diagnostics.error(UNKNOWN_NAME, f"the model has no object '{word}'", span, hint=f"there are {listed}")


def extended(whole: Symmetry, images: dict[int, int]) -> Permutation | None:
    """The symmetry that moves points as it is said; what is not named stays if it can, and follows if not."""
    points = whole.points
    assert points is not None
    stays = {
        number: number
        for number, point in enumerate(points.points)
        if point.what == "value" and points.sort(point.number).objects and number not in images
    }
    channels = {number for number in stays if points.sort(points.points[number].number).objects == "channel"}
    processes = {number: number for number in stays if number not in channels}
    for fixed in (stays, processes, {}) if not set(images) - set(channels) else (stays, processes):
        found = element(whole.group, images | fixed)
        if found is not None:
            return found
    return None


def element(group: Group, images: dict[int, int]) -> Permutation | None:
    """An element of the group that maps points as it is said, if there is one.

    It is h * t, where t maps the point of the first level to its image, and h, found in the same way, fixes that point.

    >>> element(Group.symmetric(4), {0: 2, 1: 1})
    Permutation(4, '(0 2)')
    >>> element(Group(4, [Permutation([1, 2, 3, 0])]), {0: 1, 1: 0}) is None
    True
    """
    chain = group.chain_at(list(images))
    found = Permutation.identity(group.degree)
    for level in chain.levels[: chain.prefix]:
        image = found.inverse()(images[level.point])
        if image not in level:
            return None
        found = level.to_point(image).inverse() * found
    return found if all(found(point) == image for point, image in images.items()) else None


class Refusal:
    """Why a permutation is no symmetry, in words."""

    def __init__(
        self,
        model: m.Model,
        properties: Sequence[m.Property] | None,
        whole: Symmetry,
        images: dict[int, int],
        span: Span,
    ) -> None:
        self.model, self.properties, self.whole, self.images, self.span = model, properties, whole, images, span

    def diagnostic(self) -> Diagnostic:
        from coset.symmetry.explain.explanation import explain_permutation
        from coset.symmetry.explain.wording import broken

        points = self.whole.points
        assert points is not None
        moves = {
            points.points[x].item: points.points[y].item
            for x, y in self.images.items()
            if points.points[x].number == points.sorts.process.leader.number and points.points[x].what == "value"
        }
        processes, kinds = points.started.state.processes, self.model.kinds
        for one, other in moves.items():
            if processes[one].kind != processes[other].kind:
                names = (f"{kinds[processes[number].kind].name} {number}" for number in (one, other))
                return self.refused(f"{' and '.join(names)} are not of one kind")
        along = self.follower(moves)
        if moves and along is not None:
            return self.refused(f"with these processes go others: {along}")
        if not moves:
            return self.refused("no symmetry that keeps all processes in their places does this")
        notes = []
        for each in broken(explain_permutation(self.model, self.properties, moves)):
            notes.append((each.why, each.spans[0] if each.spans else None))
        return self.refused("these processes are not interchangeable", notes)

    def follower(self, moves: dict[int, int]) -> str | None:
        """The symmetry that moves the processes as it is said, but not all that is named."""
        points = self.whole.points
        assert points is not None
        process = points.sorts.process.leader.number
        images = {
            number: next(k for k, p in enumerate(points.points) if p == point._replace(item=moves[point.item]))
            if point.item in moves
            else number
            for number, point in enumerate(points.points)
            if point.what == "value" and point.number == process
        }
        found = element(self.whole.group, images)
        return None if found is None else points.show(found)

    def refused(self, why: str, notes: Sequence[tuple[str, Span | None]] = ()) -> Diagnostic:
        state = self.failing_state()
        if state is not None:
            notes = [*notes, (f"it fails in the reachable state {self.shown(state)}", None)]
        return Diagnostic(NO_SYMMETRY, f"{self.span.text} is no symmetry: {why}", self.span, None, tuple(notes))

    def failing_state(self) -> State | None:
        """A reachable state in which the permutation, without moving what is not named, does not commute with the moves."""
        points = self.whole.points
        assert points is not None
        action = Action(points, Permutation([self.images.get(number, number) for number in range(len(points.points))]))
        behaviour = Behaviour(points.interpreter)
        for state, holder in sample(points.interpreter, points.started.states):
            try:
                check(behaviour, action, (state, holder))
            except NotASymmetry:
                return state
            except (Fault, IndexError):  # the image is no state of the model
                return state
        return None

    def shown(self, state: State) -> str:
        """The parts of a state that are not 0, and where processes are, as far as they fit."""
        values = describe_values(self.model.variables, state.values)
        channels = {
            each.name.partition("[")[0] for each in self.model.variables if each.domain.refers is Refers.CHANNEL
        }
        changing = {name: value for name, value in values.items() if name.partition("[")[0] not in channels}
        parts = [f"{name} = {value}" for name, value in changing.items() if value not in ("0", "false")]
        for number, process in enumerate(state.processes):
            kind = self.model.kinds[process.kind]
            at = next((edge.span for edge in kind.locations[process.at].edges if edge.span is not None), None)
            if at is not None:
                parts.append(f"{process_name(self.model, number, process)} at line {at.line}")
        return ", ".join(parts[:MOST_SHOWN]) + ", ..." * (len(parts) > MOST_SHOWN)
