"""Which symmetry a search makes use of: detect the group, plan the representatives, or say why there is nothing to reduce."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coset.engines.settings import Settings
from coset.model import fairness
from coset.model import model as m
from coset.results.symmetry import GroupFound, SymmetryUsed
from coset.source.records import dataclass
from coset.source.text import Source
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import SymmetryPlan
    from coset.symmetry.canonical.representative import Representatives
    from coset.symmetry.methods.constraints.carried import CarriedSymmetry
    from coset.symmetry.symmetry import Symmetry

MOST_VISITED = 5040
"""Orbits that the reference engine visits whole: larger groups are for the compiled engine."""
MOVES = 4000
"""Moves on which the generators of a group are tried before a search: about a tenth of a second."""
WORTH_IT, LARGE_ORBIT, FEW_STATES = 1.5, 16, 8
"""A search on the quotient costs more for each state, so orbits must be larger than this on average."""
WORTH_SORTING = 1.2
"""Sorted processes (`AnonymousPlan`) must save so much among the states near the beginning: their steps are not memoised."""
MOST_IMAGES = 4000
"""Images of states that are made to find out."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """The symmetry that a search may use; without a plan the search visits every state."""

    used: SymmetryUsed
    symmetry: Symmetry | CarriedSymmetry | None = None
    plan: SymmetryPlan | LiteralPlan | AnonymousPlan | None = None
    seconds: float = 0.0
    is_thorough: bool = True
    """Whether nothing more can be found."""

    @property
    def allows_partial_order(self) -> bool:
        """Symmetries of literals may exchange locations of a process, which stubborn sets distinguish."""
        from coset.symmetry.canonical.literal_plan import LiteralPlan

        return not isinstance(self.plan, LiteralPlan)

    def representatives(self) -> Representatives | None:
        """For the reference engine, which visits whole orbits."""
        from coset.symmetry.canonical.anonymous_plan import AnonymousPlan, SortedStates
        from coset.symmetry.canonical.representative import Representatives

        if isinstance(self.plan, AnonymousPlan):
            return SortedStates(self.plan.processes)
        if self.symmetry is None or self.plan is None or self.symmetry.order > MOST_VISITED:
            return None
        return Representatives(self.symmetry.actions, self.plan.counts)

    def orbits(self) -> Representatives | None:
        """For those who show orbits: whether a search would be any faster does not matter to them."""
        from coset.symmetry.canonical.representative import Representatives

        if self.symmetry is None or self.symmetry.order == 1:
            return None
        if self.symmetry.order > MOST_VISITED:
            raise UnusableSymmetry(
                f"there are {self.symmetry.order:,} symmetries, and orbits are visited whole up to {MOST_VISITED:,}"
            )
        return Representatives(self.symmetry.actions)


NO_REDUCTION = Reduction(SymmetryUsed())
GIVEN = "given"
UNFAIR = "not used: under fairness this engine visits every state"
NO_PROCESSES = "not used: permutations of literals do not tell which process becomes which, as fairness has to know"


ANONYMOUS = "nothing reads the numbers of processes, so each state is stored once for all orders of its processes"


class UnusableSymmetry(ValueError):
    """What was asked for cannot be had with the group of this model."""


def refuse_unfair(settings: Settings, reason: str = UNFAIR) -> None:
    """Symmetry that is asked for by name is not to be had with fairness."""
    if settings.symmetry not in ("auto", "off") or settings.generators is not None:
        raise UnusableSymmetry(f"symmetry '{asked_for(settings)}' with fairness is {reason}")


def asked_for(settings: Settings) -> str:
    """The name of the method, or that symmetries are given."""
    return settings.symmetry if settings.generators is None else GIVEN


@phase("symmetry")
def reduction(
    model: m.Model,
    properties: Sequence[m.Property],
    settings: Settings,
    fair: fairness.Fairness = fairness.UNFAIR,
    thorough: bool = True,
    counts: bool = False,
) -> Reduction:
    """The symmetry of a model that keeps some properties, as the settings want it.  Without being `thorough`, `auto` asks only
    the method that takes milliseconds: the other one is for searches that take longer than it does.  A search that `counts`
    wants to know how many states its orbits have together."""
    if settings.symmetry == "off":
        return NO_REDUCTION
    if fair and method_for(model, settings) == "constraints":
        refuse_unfair(settings, NO_PROCESSES)
        return Reduction(SymmetryUsed(note=NO_PROCESSES))
    from coset.source.diagnostics import InputError
    from coset.symmetry.canonical.plan import Unplannable
    from coset.symmetry.certify import NotASymmetry
    from coset.symmetry.symmetry import Symmetry

    began = time.monotonic()
    try:
        starts = "REACHED" if counts else "FREE"
        found = (
            detected(model, properties, method_for(model, settings), starts)
            if settings.generators is None
            else given(model, properties, settings.generators)
        )
        sorted_ = None if fair or counts else sorted_by(properties, found, settings)
        if sorted_ is not None:
            structure = GroupFound(1, (), sorted_.processes.describe())
            used = SymmetryUsed(found.method, structure, sorted_.strategy, ANONYMOUS)
            return Reduction(used, None, sorted_, time.monotonic() - began)
        second = second_opinion(model, properties, settings) if thorough and found.order == 1 and not fair else None
        found = second or found
    except NotASymmetry as error:
        return Reduction(SymmetryUsed(note=f"not used: an error of Coset, please report it: {error}"))
    except InputError as error:
        if asked_for(settings) != "auto":
            raise
        return Reduction(SymmetryUsed(note=f"not used: {error.diagnostics[0].message}"))
    group = GroupFound(found.order, tuple(found.generators()), found.describe())
    note: str | None = "; ".join(finding.text for finding in found.findings) or None
    if second is not None:
        note = "method 'program' finds none; 'constraints' considers only values that occur"
    is_free = asked_for(settings) == "auto" and found.order > 1
    if is_free and isinstance(found, Symmetry) and (size := usual_orbit(found)) < WORTH_IT:
        note = f"not used: orbits of the first states have {size:.1f} states on average"
        return Reduction(SymmetryUsed(found.method, group, None, note), found, None, time.monotonic() - began)
    try:
        planned = planned_for(found, settings.representative)
    except Unplannable as reason:
        if settings.representative != "auto":
            raise UnusableSymmetry(str(reason)) from None
        planned, note = None, f"not used: {reason}"
    strategy = planned.strategy if planned is not None else None
    used = SymmetryUsed(found.method, group, strategy, note)
    return Reduction(used, found, planned, time.monotonic() - began, thorough or found.order > 1)


def sorted_by(
    properties: Sequence[m.Property], found: Symmetry | CarriedSymmetry, settings: Settings
) -> AnonymousPlan | None:
    """How the processes of a state are sorted, if there is no group and nothing tells them apart."""
    from coset.symmetry.symmetry import Symmetry

    if not isinstance(found, Symmetry) or found.points is not None or settings.generators is not None:
        return None
    if settings.representative not in ("auto", "sort"):
        return None
    from coset.symmetry.canonical.anonymous import certify, in_any_order, saving

    processes = in_any_order(found, properties)
    if processes is None:
        return None
    from coset.symmetry.canonical.anonymous_plan import anonymous_plan

    if asked_for(settings) == "auto" and saving(processes) < WORTH_SORTING:
        return None
    certify(processes)
    return anonymous_plan(processes)


def method_for(model: m.Model, settings: Settings) -> str:
    """The method that the settings mean: a sequential model has no processes, so `auto` looks for permutations of literals."""
    is_partial = settings.reduction == "por"
    if settings.symmetry == "auto":
        return "constraints" if model.sequential is not None and not is_partial else "program"
    if settings.symmetry == "constraints" and is_partial:
        raise UnusableSymmetry(
            "symmetry 'constraints' may exchange locations of a process, which --reduction por tells apart"
        )
    return settings.symmetry


def second_opinion(model: m.Model, properties: Sequence[m.Property], settings: Settings) -> CarriedSymmetry | None:
    """What `auto` uses where `program` finds nothing."""
    from coset.symmetry.methods.auto import by_constraints

    is_free = asked_for(settings) == "auto" and settings.representative == "auto" and settings.reduction != "por"
    return by_constraints(model, properties, MOVES) if is_free and model.sequential is None else None


def planned_for(found: Symmetry | CarriedSymmetry, strategy: str) -> SymmetryPlan | LiteralPlan | None:
    from coset.symmetry.canonical.plan import plan
    from coset.symmetry.symmetry import Symmetry

    if isinstance(found, Symmetry):
        return plan(found, strategy)
    from coset.symmetry.canonical.literal_plan import plan_literals

    return plan_literals(found, strategy)


def usual_orbit(symmetry: Symmetry) -> float:
    """How large orbits are on average among some states near the beginning, as far as it matters."""
    from coset.symmetry.canonical.representative import orbit
    from coset.symmetry.certify import sample

    assert symmetry.points is not None
    sizes = list[int]()
    for state, holder in sample(symmetry.points.interpreter, symmetry.points.started.states):
        if holder is not None:
            continue  # no state that a search would store
        sizes.append(min(LARGE_ORBIT, len(orbit(state, symmetry.actions, LARGE_ORBIT))))
        images = sum(sizes) * len(symmetry.actions)
        is_clear = len(sizes) > 2 * FEW_STATES and sum(sizes) > LARGE_ORBIT / 2 * len(sizes)
        if is_clear or (images > MOST_IMAGES and len(sizes) > FEW_STATES):
            break
    later = sizes[len(sizes) // 4 :]  # the very first states are the most symmetric ones
    return sum(later) / len(later)


def given(model: m.Model, properties: Sequence[m.Property], generators: Source) -> Symmetry:
    from coset.symmetry.user_generators import given as those_that_preserve

    return those_that_preserve(model, generators, properties, MOVES)


def detected(
    model: m.Model, properties: Sequence[m.Property], method: str, starts: str = "KEPT"
) -> Symmetry | CarriedSymmetry:
    from coset.symmetry.methods.registry import METHODS, Question

    return METHODS[method].detect(Question(model, properties, MOVES, starts=starts))
