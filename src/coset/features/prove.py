"""Proof for networks of every size, by abs(m) (Theorem 1 of Miller, Calder and Donaldson 2007).

If abs(m) satisfies a formula and the conditions of the theorem are met, every network of m or more components satisfies it,
whatever features the others have (or if they have none).  Nothing follows from a violation in abs(m), as it does more than any
network: then the networks of m, m + 1 and m + 2 components are tried.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from coset.features.cases import patterns
from coset.features.load import instance
from coset.features.properties import Property
from coset.features.verify import Formula, Limits, Outcome, formula_of, specification, verify
from coset.languages.features.abstract import abstracted
from coset.languages.features.conditions import obstacles
from coset.languages.features.formulas import components_of, formula_obstacles, parse_formula
from coset.languages.features.load import flow_of
from coset.languages.features.obstacle import NotAbstractable, Obstacle
from coset.languages.features.openness import canonical
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from coset.source.records import dataclass

LARGER = 2
"""Networks with up to so many components more than m are tried."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A network in which a formula was tried: how many components of the first proctype, and its features."""

    size: int
    features: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known about a formula for all sizes."""

    verdict: Verdict
    formula: Formula
    proctype: str
    kept: int
    others: str
    features: str
    abstraction: Outcome | None
    attempts: tuple[Attempt, ...]
    reasons: tuple[str, ...]
    text: str = ""
    """abs(m)."""
    seconds: float = 0.0

    @property
    def for_all(self) -> str | None:
        """The networks that a proof is about."""
        if self.verdict is not Verdict.HOLDS:
            return None
        return f"N >= {self.kept}"


def question(
    text: str, network: Network, properties: dict[str, Property], others: str, kept: int | None
) -> tuple[Network, Formula, tuple[str, ...]]:
    """A property of properties.def to be proved.  `forall` ranges over the components that are named and one more for each
    quantifier, which stands for all others: they are alike if they have no features.  With any features they are not."""
    found = instance(text, network, properties)
    asked = properties[found.name]
    first = network.definitions[0].name
    named = [*found.arguments, *(number for _, member in network.instances() for number in member), kept or 1]
    ids = network.ids(first)
    size = max(number for number in named if number in ids or number == kept) + len(asked.quantified)
    extra = (
        ("`forall` speaks of components that may have any features",) if asked.quantified and others == "any" else ()
    )
    if foreign := [number for number in found.arguments if number not in ids]:
        extra = (*extra, f"the property speaks of components {foreign}, which are no components of type `{first}`")
    larger = moved(network, size) if asked.quantified and not foreign else network
    return larger, formula_of(asked, found, larger), extra


def prove(
    network: Network,
    formula: Formula,
    *,
    kept: int | None = None,
    others: str = "none",
    limits: Limits | None = None,
    extra: tuple[str, ...] = (),
) -> Proof:
    """Whether a formula holds in the networks of all sizes with the features of this one.  `others` is "none" or "any": the
    features of the components that are not kept.  `extra` are further reasons not to claim anything."""
    began = time.monotonic()
    limits = limits or Limits()
    first = network.definitions[0]
    ids = network.ids(first.name)
    parsed = parse_formula(specification(network, [formula]), formula.name)
    named = components_of(parsed, network)
    indices = named | {number for _, member in network.instances() for number in member}
    foreign = named & (set(network.types) - set(ids))
    kept = max([kept or 1, *(number for number in indices if number in ids)])
    network = moved(network, kept)
    features = ", ".join(str(each) for each in network.features if each.members) or "none"
    proof = Proof(Verdict.UNKNOWN, formula, first.name, kept, others, features, None, (), ())
    if foreign:  # in a network of another size these numbers belong to others
        why = f"the formula speaks of components {sorted(foreign)}, which are no components of type `{first.name}`"
        return replace(proof, reasons=(why,), seconds=round(time.monotonic() - began, 3))
    reasons = (*extra, *map(str, conditions(network, formula, kept)))
    proof = replace(proof, reasons=reasons)
    if not reasons:
        try:
            text = abstracted(network, flow_of(network), kept, others == "any", [(formula.name, formula.text)])
        except NotAbstractable as reason:
            proof = replace(proof, reasons=(str(reason),))
        else:
            (outcome,) = verify(text, f"{network.name}_abs.pml", [formula], limits)
            proof = replace(proof, abstraction=outcome, text=text)
            if outcome.verdict is Verdict.HOLDS:
                proof = replace(proof, verdict=Verdict.HOLDS)
            elif outcome.verdict is Verdict.UNKNOWN:
                proof = replace(proof, reasons=(f"abs({kept}): {outcome.reason}",))
    if proof.verdict is not Verdict.HOLDS:
        proof = tried(proof, network, limits)
    return replace(proof, seconds=round(time.monotonic() - began, 3))


def moved(network: Network, kept: int) -> Network:
    """The network with so many components of the first proctype; those that come after them get their new numbers."""
    first = network.definitions[0]
    shift = kept - first.count
    members = {
        feature.name: tuple(
            tuple(number + shift if number > first.count else number for number in member) for member in feature.members
        )
        for feature in network.features
    }
    return network.sized({first.name: kept}).featured(members)


def conditions(network: Network, formula: Formula, kept: int) -> Iterator[Obstacle]:
    """What the theorem asks for and is not so."""
    yield from obstacles(network, flow_of(network))
    tree, larger = (
        parse_formula(specification(each, [formula]), formula.name) for each in (network, moved(network, kept + 1))
    )
    if canonical(tree, {}) != canonical(larger, {}):
        yield Obstacle("what the formula says depends on the number of components")
    yield from formula_obstacles(tree, network, set(range(1, kept + 1)))
    beyond = {number for _, member in network.instances() for number in member if number > kept}
    if beyond:
        yield Obstacle(f"features name components {sorted(beyond)} of other types than `{network.definitions[0].name}`")


def tried(proof: Proof, network: Network, limits: Limits) -> Proof:
    """Look for a network that violates the formula."""
    attempts: list[Attempt] = []
    for larger in configurations(network, proof):
        text = specification(larger, [proof.formula])
        (outcome,) = verify(text, f"{network.name}.pml", [proof.formula], limits)
        features = ", ".join(str(each) for each in larger.features if each.members) or "none"
        attempts.append(Attempt(larger.definitions[0].count, features, outcome))
        if outcome.verdict is Verdict.VIOLATED:
            return replace(proof, verdict=Verdict.VIOLATED, attempts=tuple(attempts))
    reasons = proof.reasons
    if proof.abstraction is not None and proof.abstraction.verdict is Verdict.VIOLATED:
        reasons = (f"abs({proof.kept}) violates the formula, but no network that was tried does",)
    return replace(proof, attempts=tuple(attempts), reasons=reasons)


def configurations(network: Network, proof: Proof) -> Iterator[Network]:
    """Networks of m to m + 2 components; if the others may have any features, with one feature of these as well."""
    first = network.definitions[0]
    for size in range(proof.kept, proof.kept + LARGER + 1):
        larger = moved(network, size)
        yield larger
        if proof.others != "any" or size == proof.kept:
            continue
        for feature in larger.features:
            for member in extra_members(first.name, larger, proof.kept, feature.arity):
                given = {each.name: each.members for each in larger.features}
                yield larger.featured({**given, feature.name: (*given[feature.name], member)})


def extra_members(proctype: str, network: Network, kept: int, arity: int) -> Iterator[tuple[int, ...]]:
    """Who may have one feature more, up to renaming of the components that are not kept: hosts are among these."""
    ids = network.ids(proctype)
    others = ids[kept:]
    for member in patterns([proctype] * arity, {proctype: others}):
        if len(set(member)) == arity:
            yield member
    if arity == 2 and others:
        yield from ((others[0], number) for number in ids[:kept])
