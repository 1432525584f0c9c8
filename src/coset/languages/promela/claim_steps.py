"""Never claims with assertions, variables and atomic sequences, as claims that only test conditions.

A claim moves once before each step of the system, and an atomic sequence of it is executed at once, in one state: SPIN translates
`[] p` to `atomic { !p -> assert(p) }`.  Such a sequence becomes one step whose condition is the conjunction of all conditions
in it, and an assertion is a step to the end of the claim if it is violated:

    T0: do :: atomic { !p -> assert(p) } :: true od      T0 -> T0 [!p && p], T0 -> end [!p && !p], T0 -> T0 [true]

Variables that only the claim uses are part of its location, and their values are put into its conditions.  A value that
depends on the system is guessed and compared (partial evaluation, as in Jones, Gomard and Sestoft 1993):

    n = 0;  do :: x == 3 -> n = n + 1 od                 (T0, 0) -> (T1, 0) [x == 3], (T1, 0) -> (T0, 1) [true], ...
    old = x                                              (T0, 0) -> (T1, 0) [x == 0], (T0, 0) -> (T1, 1) [x == 1], ...

So nothing after this needs to know of assertions and assignments in claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import kind_expressions, places, property_expressions
from coset.model.analysis.ranges import Ranges, find_ranges, fitted
from coset.model.sequential.fold import substituted
from coset.source.records import dataclass

LONGEST = 32
"""The most statements of one step."""
MOST = 8_192
"""The most steps of a claim, with all values of its variables."""

Values = tuple[int, ...]
Point = tuple[int, Values]
"""A location of the claim, and the values of its variables."""


class NotFlat(Exception):
    """The claim is too large, or changes what the processes see."""


@dataclass(frozen=True, slots=True)
class ClaimPath:
    """Statements that a claim executes in one state, and where it is then; nowhere if an assertion is violated."""

    edges: tuple[m.Edge, ...]
    guard: e.Expr
    target: Point | None


def flat_claims(model: m.Model) -> m.Model:
    """The model with claims in which every edge only tests a condition; those for which that is impossible are unchanged."""
    return replace(
        model, properties=tuple(flat(model, each) if isinstance(each, m.Claim) else each for each in model.properties)
    )


def flat(model: m.Model, claim: m.Claim) -> m.Claim:
    kind = claim.automaton
    edges = [edge for _, edge in kind.edges() if edge.target != m.GONE]
    is_plain = not kind.variables and not any(location.transient for location in kind.locations)
    if is_plain and not any(edge.hold or changes(edge) for edge in edges):
        return claim
    try:
        own = own_variables(model, claim)
        return replace(claim, automaton=Flattening(kind, own, find_ranges(model)).automaton())
    except NotFlat:
        return claim


def changes(edge: m.Edge) -> bool:
    """Whether an edge does more than to test a condition."""
    return any(not isinstance(effect, m.Print) for effect in edge.effects)


def own_variables(model: m.Model, claim: m.Claim) -> tuple[m.Variable, ...]:
    """The variables of the claim, and those that it assigns; nothing else may use these."""
    others = replace(model, properties=tuple(each for each in model.properties if each is not claim))
    whole = [*(x for kind in model.kinds for x in kind_expressions(kind)), *property_expressions(others)]
    foreign = {part.variable for x in whole for part in x.walk() if isinstance(part, e.Get | e.Remote)}
    foreign.update(variable for kind in model.kinds for variable in assigned_in(kind))
    own = tuple(dict.fromkeys([*claim.automaton.variables, *assigned_in(claim.automaton)]))
    if any(each in foreign or each.shape or not isinstance(each.initial, tuple) for each in own):
        raise NotFlat
    return own


def assigned_in(kind: m.Kind) -> Iterator[m.Variable]:
    for _, edge in kind.edges():
        for effect in edge.effects:
            yield from (place.variable for place in places(effect) if place.variable is not None)


class Flattening:
    """The automaton over locations with values."""

    def __init__(self, kind: m.Kind, own: tuple[m.Variable, ...], ranges: Ranges) -> None:
        self.kind, self.own, self.ranges = kind, own, ranges
        self.numbers: dict[Point, int] = {}
        self.points: list[Point] = []

    def automaton(self) -> m.Kind:
        self.number((self.kind.start, tuple(self.initial(variable) for variable in self.own)))
        steps: list[list[ClaimPath]] = []
        for point in self.points:  # which grows meanwhile
            steps.append(list(self.paths(point)))
            if sum(map(len, steps)) > MOST:
                raise NotFlat
        end = len(steps)
        locations = [
            replace(
                self.kind.locations[at],
                edges=tuple(self.edge(path, end) for path in steps[number]),
                transient=False,
            )
            for (at, _), number in self.numbers.items()
        ]
        final = m.Edge(
            m.GONE, e.Youngest(), (m.Exit(),), text="-end-", span=self.kind.span, statement=last_statement(self.kind)
        )
        locations.append(m.Location((final,), span=self.kind.span))
        return replace(self.kind, variables=self.own, locations=tuple(locations), start=0)

    def initial(self, variable: m.Variable) -> int:
        first = variable.initial[0] if isinstance(variable.initial, tuple) and variable.initial else e.Const(0)
        return variable.domain.fit(known(first))

    def number(self, point: Point) -> None:
        if point not in self.numbers:
            self.numbers[point] = len(self.points)
            self.points.append(point)

    def edge(self, path: ClaimPath, end: int) -> m.Edge:
        """One edge for the whole path."""
        first, last = path.edges[0], path.edges[-1]
        target = end if path.target is None else self.numbers[path.target]
        if first.target == m.GONE:
            return first
        return replace(
            first, target=target, guard=path.guard, effects=(), hold=False, text=last.text, span=last.span,
            statements=tuple(edge.statement for edge in path.edges[1:]),
        )  # fmt: skip

    def paths(self, point: Point) -> Iterator[ClaimPath]:
        """What the claim can do in one state."""
        for count, path in enumerate(self.from_here(ClaimPath((), e.TRUE, point), *point)):
            if count >= MOST:
                raise NotFlat
            if path.target is not None and path.edges[0].target != m.GONE:
                self.number(path.target)
            yield path

    def from_here(self, before: ClaimPath, at: int, values: Values) -> Iterator[ClaimPath]:
        location = self.kind.locations[at]
        if any(edge.target == m.GONE for edge in location.edges):
            if before.edges:
                yield before
            else:
                yield from (ClaimPath((edge,), edge.guard, None) for edge in location.edges)
            return
        if len(before.edges) >= LONGEST:
            raise NotFlat
        others: list[e.Expr] = []
        for edge in location.edges:
            if isinstance(edge.guard, e.Otherwise):
                guard = reduce(e.conjunction, (e.Unary("!", other) for other in others), e.TRUE)
            else:
                guard = self.with_values(edge.guard, values)
            others.append(guard)
            if guard != e.FALSE:
                so_far = ClaimPath((*before.edges, edge), e.conjunction(before.guard, guard), (edge.target, values))
                yield from self.after_effects(so_far, edge.effects, values)

    def after_effects(self, path: ClaimPath, effects: tuple[m.Effect, ...], values: Values) -> Iterator[ClaimPath]:
        """The continuations of a path after the effects of its last edge."""
        if not effects:
            last = path.edges[-1]
            path = replace(path, target=(last.target, values))
            if last.hold or self.kind.locations[last.target].transient:
                yield from self.from_here(path, last.target, values)
            else:
                yield path
            return
        first, rest = effects[0], effects[1:]
        match first:
            case m.Print():
                yield from self.after_effects(path, rest, values)
            case m.Assert(condition):
                condition = self.with_values(condition, values)
                violated, passed = (
                    e.conjunction(path.guard, e.Unary("!", condition)),
                    e.conjunction(path.guard, condition),
                )
                if condition != e.TRUE:
                    yield replace(path, guard=violated, target=None)
                if condition != e.FALSE:
                    yield from self.after_effects(replace(path, guard=passed), rest, values)
            case m.Assign(place, value):
                if place.variable is None:
                    yield from self.after_effects(path, rest, values)
                    return
                for guard, result in self.possible(self.with_values(value, values), place.variable):
                    changed = tuple(
                        result if variable is place.variable else old for variable, old in zip(self.own, values)
                    )
                    yield from self.after_effects(replace(path, guard=e.conjunction(path.guard, guard)), rest, changed)
            case _:
                raise NotFlat

    def possible(self, value: e.Expr, variable: m.Variable) -> Iterator[tuple[e.Expr, int]]:
        """The values that a variable may get, and the condition for each."""
        if isinstance(value, e.Const):
            yield e.TRUE, variable.domain.fit(value.value)
            return
        bounds = self.ranges.interval(value)
        low, high = fitted(variable, bounds)
        size = high - low + 1
        if size > 256:
            raise NotFlat
        if (low, high) != bounds:  # the value is truncated
            if low != 0 or size & high:
                raise NotFlat
            value = e.Binary("&", value, e.Const(high))
        for result in range(low, high + 1):
            yield e.Binary("==", value, e.Const(result)), result

    def with_values(self, x: e.Expr, values: Values) -> e.Expr:
        images: Mapping[m.Variable, e.Expr] = {
            variable: e.Const(value) for variable, value in zip(self.own, values, strict=True)
        }
        return substituted(x, images)


def known(x: e.Expr) -> int:
    if not isinstance(x, e.Const):
        raise NotFlat
    return x.value


def last_statement(kind: m.Kind) -> int:
    return max(edge.statement for _, edge in kind.edges())
