"""Properties by orbit: of properties that the symmetry of the model permutes, one of each orbit is decided.

A property that is a conjunction is cut into conjuncts first, if the symmetry permutes them and does not leave the whole as it
is.  The other members of an orbit get the verdict of the one that was decided.  A violation is shown by the image of its
run, which the interpreter executes like any other.  Why this is sound: `symmetry/property_orbits.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from coset.engines.contract import confirmed
from coset.engines.evidence import fair_moves_around, moves_along
from coset.engines.reduction import MOVES
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.fairness import Fairness, fairness_of
from coset.properties.conjuncts import conjuncts
from coset.results.events import Listener, Warned
from coset.results.internal import Disagreement
from coset.results.trace import ReplayError, Trace, digest, from_moves, in_control, replay
from coset.results.verdict import BySymmetry, PropertyResult, Verdict
from coset.source.budget import OutOfBudget
from coset.source.records import dataclass
from coset.source.timing import phase
from coset.symmetry.action import Action
from coset.symmetry.certify import NotASymmetry
from coset.symmetry.property_orbits import Formula, Image, PropertyOrbits, property_orbits

MOST_CONJUNCTS = 400


@dataclass(frozen=True)
class Questions:
    """What is asked instead of the properties of a model: `asked`, which are properties of `model`.  `parts` are the conjuncts
    that a property was cut into, `images` says which properties and conjuncts are images of others."""

    user_model: m.Model
    model: m.Model
    asked: tuple[m.Property, ...]
    properties: tuple[m.Property, ...]
    parts: dict[str, tuple[Formula, ...]]
    images: dict[str, Image]
    fair: bool = False

    def completed(self, results: Sequence[PropertyResult]) -> list[PropertyResult]:
        """The verdicts on the properties that were to be decided, from those on what was asked."""
        if not self.parts and not self.images:
            return list(results)
        known = {each.name: each for each in results}
        others = [each for each in results if each.name not in {one.name for one in self.asked}]
        linear = [each for each in self.properties if not isinstance(each, m.CtlProperty)]
        branching = [each for each in self.properties if isinstance(each, m.CtlProperty)]
        return [*others, *(self.verdict(each, known) for each in (*linear, *branching))]

    def verdict(self, property_: m.Property, known: dict[str, PropertyResult]) -> PropertyResult:
        parts = self.parts.get(property_.name)
        if parts is not None:
            return self.joined(property_, parts, known)
        image = self.images.get(property_.name)
        return known[property_.name] if image is None else self.carried(property_, image, known[image.of.name])

    def carried(self, property_: m.Property, image: Image, found: PropertyResult) -> PropertyResult:
        """The verdict on the image of a property that was decided."""
        how = BySymmetry(image.of.name, str(image.action))
        if found.run is None:
            return replace(found, name=property_.name, by_symmetry=how)
        try:
            trace = self.shown(property_, found.run, image.action)
        except OutOfBudget as limit:
            if found.witness is not None:
                return replace(found, name=property_.name, witness=None, by_symmetry=how)
            reason = f"violated as {image.of.name}, by symmetry; the image of its run was not found: {limit}"
            return replace(found, name=property_.name, verdict=Verdict.UNKNOWN, trace=None, reason=reason)
        if found.witness is not None:
            return replace(found, name=property_.name, witness=trace, by_symmetry=how)
        return replace(found, name=property_.name, trace=trace, by_symmetry=how)

    def joined(
        self, property_: m.Property, parts: Sequence[Formula], known: dict[str, PropertyResult]
    ) -> PropertyResult:
        """The verdict on a conjunction: a violation of any conjunct violates it."""
        decided = list(dict.fromkeys(self.source(each).name for each in parts))
        found = [known[name] for name in decided]
        states, transitions = sum(each.states for each in found), sum(each.transitions for each in found)
        how = BySymmetry(None, None, len(parts), len(decided))
        result = PropertyResult(
            property_.name, property_.kind, Verdict.HOLDS, None, None, states, transitions, by_symmetry=how
        )
        for part in parts:
            source = known[self.source(part).name]
            if source.verdict is Verdict.VIOLATED:
                image = self.images.get(part.name)
                trace = source.trace
                if trace is not None:
                    trace = self.shown(property_, trace, None if image is None else image.action)
                return replace(result, verdict=Verdict.VIOLATED, trace=trace, reason=source.reason)
        unknown = next((each for each in found if each.verdict is Verdict.UNKNOWN), None)
        return result if unknown is None else replace(result, verdict=Verdict.UNKNOWN, reason=unknown.reason)

    def source(self, part: Formula) -> Formula:
        image = self.images.get(part.name)
        return part if image is None else image.of

    def shown(self, property_: m.Property, trace: Trace, action: Action | None) -> Trace:
        """The image of a run, which shows that another property is violated."""
        if action is None:
            trace = replace(trace, property=property_.name, digest=digest(self.user_model))
        else:
            trace = image_of(self.model, self.user_model, trace, action, property_.name, self.fair)
        try:
            return confirmed(self.user_model, trace)
        except ReplayError as error:
            raise Disagreement(f"{property_.name}: the image of a run is not a counterexample: {error}") from None


def image_of(model: m.Model, user_model: m.Model, trace: Trace, action: Action, name: str, fair: bool) -> Trace:
    """The image of a run under a symmetry.  States that others can observe are mapped, and the interpreter finds the moves
    between them: a symmetry may map a move to one with another place among its alternatives."""
    run = replay(model, trace)
    interpreter = run.interpreter
    observable = [
        in_control(interpreter, state, holder) is None for state, holder in zip(run.states, run.holders, strict=True)
    ]
    start = len(run.states) - 1 if trace.loop_start is None else trace.loop_start
    states = [(number, action(run.states[number])) for number in range(len(run.states)) if observable[number]]
    way = [state for number, state in states if number <= start]
    loop = [state for number, state in states if number >= start]
    moves = moves_along(interpreter, way)
    around = (fair_moves_around if fair else moves_along)(interpreter, loop) if len(loop) > 1 else []
    found = from_moves(model, moves + around, trace.kind, name, None if trace.loop_start is None else len(moves))
    return replace(found, model=user_model.name, digest=digest(user_model))


def as_they_are(model: m.Model, properties: Sequence[m.Property]) -> Questions:
    """Every property is decided by itself."""
    return Questions(model, model, tuple(properties), tuple(properties), {}, {})


@phase("symmetry")
def by_orbit(
    model: m.Model, properties: Sequence[m.Property], settings: Settings, fair: bool | Fairness, listener: Listener
) -> Questions:
    """What has to be asked to decide these properties."""
    plain = as_they_are(model, properties)
    stated = [each for each in properties if not isinstance(each, m.Claim) and each in model.properties]
    if fair and not fairness_of(fair).is_weak_only:
        return plain  # a symmetry need not keep constraints, and the image of a run is put together for weak fairness
    if settings.symmetry not in ("auto", "program") or settings.generators or model.sequential is not None:
        return plain
    if sum(len(conjuncts(each.formula)) for each in stated) < 2:
        return plain
    try:
        orbits = property_orbits(model, stated, MOVES)
        return plain if orbits is None else chosen(plain, orbits, stated, bool(fair))
    except NotASymmetry as error:
        listener(Warned(f"properties are not decided by orbit: an error of Coset, please report it: {error}"))
        return plain


def chosen(plain: Questions, orbits: PropertyOrbits, stated: Sequence[Formula], fair: bool) -> Questions:
    """Find the orbits, and cut properties of which only some conjuncts have to be decided."""
    images = orbits.images(stated)
    parts: dict[str, tuple[Formula, ...]] = {}
    asked: list[m.Property] = []
    for each in plain.properties:
        if each.name in images:
            continue
        found = () if isinstance(each, m.Claim) or each not in stated else tuple(cut(each))
        inner = orbits.images(found) if 1 < len(found) <= MOST_CONJUNCTS and orbits.may_cut(each) else {}
        if inner:
            images |= inner
            parts[each.name] = found
            asked += [part for part in found if part.name not in inner]
        else:
            asked.append(each)
    made = [part for found in parts.values() for part in found]
    model = replace(plain.model, properties=(*plain.model.properties, *made)) if made else plain.model
    return Questions(plain.model, model, tuple(asked), plain.properties, parts, images, fair)


def cut(property_: Formula) -> Iterator[Formula]:
    """The conjuncts of a property as properties."""
    formulas = conjuncts(property_.formula)
    if len(formulas) == 1:
        yield property_
        return
    for number, formula in enumerate(formulas, 1):
        yield replace(property_, name=f"{property_.name} #{number}", formula=formula, text=str(formula))
