"""Feature interaction analysis (Section 3.2 of Miller, Calder and Donaldson 2007; Calder and Miller, FMSD 28, 2006).

Each feature has a property.  First every feature is validated alone: with it, its property must hold, and without it fail, or
it says nothing about the feature.  Then every two features, on one host and on two, in all cases up to symmetry: if a property
that was validated is violated in the presence of the other feature, the two interact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement

from coset.features.cases import Case, canonical, pair_cases, single_cases
from coset.features.properties import Instance, Property
from coset.features.verify import Formula, Limits, Outcome, configured, formula_of, specification, undecided, verify
from coset.features.workers import Workers
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One specification to be verified: the features in it, and the formulas."""

    title: str
    model: str
    text: str
    formulas: tuple[Formula, ...]
    limits: Limits


@dataclass(frozen=True, slots=True)
class Validation:
    """A feature alone: its property with the feature, and without any."""

    instance: Instance
    alone: Outcome
    without: Outcome

    @property
    def valid(self) -> bool:
        return self.alone.verdict is Verdict.HOLDS


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Two features together: the properties of both, as far as they were validated."""

    case: Case
    outcomes: tuple[Outcome, ...]

    @property
    def interacts(self) -> bool:
        return any(each.verdict is Verdict.VIOLATED for each in self.outcomes)

    @property
    def unknown(self) -> bool:
        return not self.interacts and any(each.verdict is Verdict.UNKNOWN for each in self.outcomes)

    @property
    def one_host(self) -> bool:
        return self.case.first.arguments[:1] == self.case.second.arguments[:1]


@dataclass(frozen=True, slots=True)
class Analysis:
    """All validations and all cases of a network."""

    network: Network
    features: tuple[str, ...]
    validations: tuple[Validation, ...]
    cases: tuple[CaseResult, ...]
    seconds: float = 0.0

    @property
    def interactions(self) -> tuple[CaseResult, ...]:
        return tuple(each for each in self.cases if each.interacts)

    @property
    def complete(self) -> bool:
        """Whether every question was answered."""
        return not any(each.unknown for each in self.cases) and all(
            outcome.verdict is not Verdict.UNKNOWN
            for each in self.validations
            for outcome in (each.alone, each.without)
        )

    @property
    def runs(self) -> int:
        return 2 * len(self.validations) + sum(len(each.outcomes) for each in self.cases)

    def of(self, one: str, other: str) -> list[CaseResult]:
        """The cases of two features, in either order."""
        return [each for each in self.cases if {each.case.first.name, each.case.second.name} == {one, other}]


Progress = Callable[[int, int, str], None]
"""Hears how many jobs are done, of how many, and what the last one has shown."""


def ignore_progress(done: int, jobs: int, what: str) -> None:
    """Listens to nothing."""


def analyse(
    network: Network,
    properties: dict[str, Property],
    *,
    features: Sequence[str] | None = None,
    limits: Limits | None = None,
    threads: int = 1,
    progress: Progress = ignore_progress,
) -> Analysis:
    """Validate the features (by default all that have a property), and check every two of them."""
    limits = limits or Limits()
    names = tuple(
        name for name in properties if network.feature(name) is not None and (features is None or name in features)
    )
    singles = [case for name in names for case in single_cases(properties[name], network)]
    pairs = [
        case
        for one, other in combinations_with_replacement(names, 2)
        for case in pair_cases(properties[one], properties[other], network)
    ]
    jobs = [*validation_jobs(network, properties, singles, limits)]
    total = len(jobs) + len(pairs)
    with Workers(threads, work, given_up) as workers:
        outcomes = []
        for job, found in zip(jobs, workers.run(jobs), strict=True):
            outcomes.append(found[0])
            progress(len(outcomes), total, f"{job.title}: {found[0].verdict.value}")
        validations = [
            Validation(instance, alone, without)
            for instance, alone, without in zip(singles, outcomes[::2], outcomes[1::2], strict=True)
        ]
        valid = {each.instance for each in validations if each.valid}
        pending = [pair_job(network, properties, case, valid, limits) for case in pairs]
        cases = []
        for case, found in zip(pairs, workers.run(pending), strict=True):
            cases.append(CaseResult(case, tuple(found)))
            broken = ", ".join(each.name for each in found if each.verdict is Verdict.VIOLATED)
            shown = f"{broken} is violated" if broken else "unknown" if cases[-1].unknown else "no interaction"
            progress(len(jobs) + len(cases), total, f"{case}: {shown}")
    return Analysis(network, names, tuple(validations), tuple(cases))


def validation_jobs(
    network: Network, properties: dict[str, Property], singles: Iterable[Instance], limits: Limits
) -> Iterator[Job]:
    for instance in singles:
        formula = formula_of(properties[instance.name], instance, network)
        for title, features in ((f"{instance}", [instance]), (f"without {instance}", [])):
            featured = configured(network, features, properties)
            yield Job(title, f"{network.name}.pml", specification(featured, [formula]), (formula,), limits)


def pair_job(
    network: Network, properties: dict[str, Property], case: Case, valid: set[Instance], limits: Limits
) -> Job:
    """A case with the properties that were validated, each once."""
    asked = [
        instance
        for instance in dict.fromkeys((case.first, case.second))
        if canonical(instance, properties[instance.name], network) in valid
    ]
    formulas = tuple(formula_of(properties[each.name], each, network) for each in asked)
    featured = configured(network, [case.first, case.second], properties)
    return Job(str(case), f"{network.name}.pml", specification(featured, formulas), formulas, limits)


def work(job: Job) -> list[Outcome]:
    return verify(job.text, job.model, job.formulas, job.limits)


def given_up(job: Job, reason: str) -> list[Outcome]:
    return [undecided(formula, reason) for formula in job.formulas]
