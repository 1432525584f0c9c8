"""Prove a property of a family for every number of processes.

An abstraction with k processes in the spotlight decides all sizes of at least k.  For smaller sizes, some class has a fixed
size, and the rest is a family with fewer parameters, which is decided in the same way; a family without parameters is a
single model, which is checked.  Sizes with fewer processes than the property mentions satisfy it vacuously.

Every definite verdict is tested on a member of the family: a violation is shown by a run of a concrete model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from coset.engines import contract
from coset.engines.backward.forward import reached_by_members
from coset.engines.backward.identities import has_identities, program_with_identities
from coset.engines.backward.lemmas import lemma
from coset.engines.backward.recheck import is_proof
from coset.engines.backward.search import Found, always, always_begins, backward
from coset.engines.spotlight.context import Context
from coset.engines.spotlight.expressions import Obstacle
from coset.engines.spotlight.invariants import Knowledge, knowledge
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.lift import lifted
from coset.engines.spotlight.members import exists, fair_value, member, run_of, small_members, with_values
from coset.engines.spotlight.program import FamilyProgram, assertions_of, program_of
from coset.engines.spotlight.refine import Bounds, Outcome, Refinement, Round, question
from coset.engines.spotlight.sizes import is_vacuous, lowest, named, sizes_text, slot_names, threshold
from coset.engines.spotlight.solver import Solver
from coset.model import expression as e
from coset.model import model as m
from coset.model.family import Family, FamilyProperty
from coset.properties.branching_time import in_branching_time
from coset.properties.ctl_evidence import linear
from coset.results.events import Finished, Listener, Refined, ignore_events
from coset.results.internal import Disagreement
from coset.results.proof import Proof, PropertyProof, RoundReport, SizeVerdict
from coset.results.trace import Trace
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.source.diagnostics import Diagnostic, InputError, register
from coset.source.records import dataclass
from coset.tasks import checker

OBSTACLE = register(
    "A001",
    "the program cannot be proved for every number of processes by this method",
    "`coset prove` takes processes that are interchangeable and share variables only; "
    "`coset check` decides every program for given numbers.",
)

BACKWARD_ONLY = "where processes know themselves or each other, only conditions on all states are decided for all sizes"
VERDICTS = {Truth.TRUE: Verdict.HOLDS, Truth.FALSE: Verdict.VIOLATED, Truth.UNKNOWN: Verdict.UNKNOWN}
MEMBER_STATES = 20_000
"""The most states of a member that is searched to confirm a verdict or to find a violation."""
SMALL_STATES = 2_000_000
"""The most states of a member that no abstraction decides."""
LARGEST_BOUND = 6
"""Sizes below this bound may be excluded from an abstraction."""
MOST_TRIED = 6
"""The number of members searched for a violation if the abstraction is inconclusive."""


@dataclass(slots=True)
class Pieces:
    """The verdicts on one property by size, and the first violation with its run."""

    found: list[SizeVerdict] = field(default_factory=list)
    trace: Trace | None = None
    model: m.Model | None = None
    at: str | None = None

    def add(self, each: SizeVerdict) -> None:
        if each not in self.found:
            self.found.append(each)

    @property
    def verdict(self) -> Verdict:
        verdicts = {each.verdict for each in self.found if each.general}
        for verdict in (Verdict.VIOLATED, Verdict.UNKNOWN):
            if verdict in verdicts:
                return verdict
        return Verdict.HOLDS


def prove(
    family: Family,
    *,
    properties: Sequence[str] | None = None,
    fair: bool = False,
    max_spotlight: int | None = None,
    merges_shade: bool = False,
    limits: Limits | None = None,
    listener: Listener = ignore_events,
) -> Proof:
    """Decide the properties with these names (all if None) for all sizes.  Raises `InputError` if the program is not
    supported."""
    began = time.monotonic()
    limits = limits or Limits()
    try:
        prover = Prover(family, fair, max_spotlight, merges_shade, limits, listener)
    except Obstacle as obstacle:
        raise refusal(obstacle) from None
    invariants = time.monotonic() - began
    result = Proof(family.name, fair, dropped=prover.dropped)
    for property_ in prover.family.properties:
        if properties is None or property_.name in properties:
            try:
                result.properties.append(prover.property(property_))
            except Obstacle as obstacle:
                raise refusal(obstacle) from None
    result.invariants = prover.invariants
    total = time.monotonic() - began
    result.seconds = {"invariants": round(invariants, 6), "prove": round(total - invariants, 6)}
    listener(Finished(all(each.verdict is not Verdict.UNKNOWN for each in result.properties)))
    return result


def refusal(obstacle: Obstacle) -> InputError:
    """The error for an unsupported program."""
    return InputError([Diagnostic(OBSTACLE, obstacle.reason, obstacle.span, "`coset check` can verify a fixed number")])


def family_of(model: m.Model) -> Family:
    """The family that a model is a member of.  Raises `InputError` with the reason if there is none."""
    try:
        return lifted(model)
    except Obstacle as obstacle:
        raise refusal(obstacle) from None


def names(family: Family) -> list[str]:
    """The names of the family's properties."""
    found = [each.name for each in family.properties]
    asserted = any(isinstance(x, m.Assert) for c in family.classes for _, edge in c.kind.edges() for x in edge.effects)
    return [*found, contract.ASSERTIONS] if asserted else found


class Prover:
    """Proofs about one family; the analysis of each derived family is cached."""

    def __init__(
        self,
        family: Family,
        fair: bool,
        max_spotlight: int | None,
        merges_shade: bool,
        limits: Limits,
        listener: Listener,
    ) -> None:
        self.fair, self.max_spotlight, self.merges_shade = fair, max_spotlight, merges_shade
        self.limits, self.listener = limits, listener
        self.solver = Solver()
        self.lemmas: list[str] = []
        """What was found backwards to hold always."""
        if not exists(family, self.solver):
            raise Obstacle("no values of the parameters satisfy the assumptions")
        self.knows_itself = has_identities(family)
        """Whether processes know themselves and each other: then nothing but backward reachability applies."""
        asserted = None if self.knows_itself else assertions_of(program_of(family), contract.ASSERTIONS)
        properties = tuple(map(of_branching_time, family.properties))
        self.family = replace(family, properties=(*properties, *([asserted] if asserted else [])))
        self.analyses: dict[tuple[tuple[str, int], ...], tuple[FamilyProgram, Knowledge]] = {}
        self.dropped = tuple(lemma.name for lemma in self.analysed({})[1].dropped)

    @property
    def invariants(self) -> tuple[str, ...]:
        """The invariants found with the greatest effort made, without duplicates."""
        _, known = self.analyses.get((("deep", 1),), self.analysed({}))
        texts = [*map(str, known.context.laws), *(each.text for each in known.context.invariants)]
        return tuple(dict.fromkeys([*texts, *self.lemmas]))

    def analysed(
        self, fixed: Mapping[str, int], least: Mapping[str, int] | None = None, deep: bool = False
    ) -> tuple[FamilyProgram, Knowledge]:
        """The program of the family with some parameters fixed and lower bounds on others, and its invariants."""
        bounds = ((f">= {name}", value) for name, value in sorted((least or {}).items()))
        key = *sorted(fixed.items()), *bounds, ("deep", int(deep))
        if key not in self.analyses:
            family = with_values(self.family, fixed) if fixed else self.family
            if least:
                large = [
                    e.Binary(">=", e.Get(each), e.Const(least[each.name]))
                    for each in family.parameters
                    if each.name in least
                ]
                family = replace(family, assumptions=(*family.assumptions, *large))
            if self.knows_itself:
                program = program_with_identities(family)
                self.analyses[key] = program, Knowledge(Context(program, self.solver), family.lemmas)
            else:
                program = program_of(family)
                self.analyses[key] = program, knowledge(program, self.solver, deep=deep)
        return self.analyses[key]

    # --- one property ----------------------------------------------------------------------------

    def property(self, property_: FamilyProperty) -> PropertyProof:
        pieces = Pieces()
        if property_.linear:
            reason = "a formula of linear time that none of branching time is equal to; `[] (p -> <> q)` and its like have one"
            pieces.add(SizeVerdict(sizes_text(self.family), Verdict.UNKNOWN, "spotlight", reason=reason))
            outcome = None
        else:
            outcome = self.decide(property_, {}, pieces)
        backward_proof = next((each for each in pieces.found if each.how == "backward" and each.general), None)
        whole = backward_proof is not None and backward_proof is pieces.found[0]
        slots = slot_names(self.family, property_, outcome.spotlight if outcome and not whole else ())
        general = (
            backward_proof.verdict
            if backward_proof and whole
            else VERDICTS[outcome.truth]
            if outcome
            else Verdict.UNKNOWN
        )
        by_paper = outcome is not None and outcome.spotlight == outcome.diameter
        return PropertyProof(
            property_.name,
            property_.text,
            pieces.verdict,
            general,
            pieces.found[0].sizes if whole or (outcome and outcome.truth.definite) else None,
            VERDICTS[outcome.truth] if outcome is not None and by_paper else Verdict.UNKNOWN,
            tuple(slots.values()),
            tuple(named(each, slots) for each in (outcome.predicates if outcome and not whole else ())),
            tuple(self.report(each, property_) for each in (outcome.rounds if outcome else ())),
            tuple(pieces.found),
            next((each.reason for each in pieces.found if each.verdict is pieces.verdict and each.reason), None),
            pieces.trace,
            pieces.model,
            pieces.at,
        )

    def decide(self, property_: FamilyProperty, fixed: dict[str, int], pieces: Pieces) -> Outcome | None:
        """Decide all sizes with some parameters fixed; returns the outcome of the abstraction, if one was needed."""
        family = with_values(self.family, fixed)
        if not exists(family, self.solver):
            return None
        if is_vacuous(family, property_):
            pieces.add(SizeVerdict(sizes_text(self.family, {}, fixed), Verdict.HOLDS, "vacuous"))
            return None
        if not family.parameters:
            pieces.add(self.check(property_, fixed, pieces, SMALL_STATES))
            return None
        if self.knows_itself:
            self.decide_backwards(property_, fixed, pieces)
            return None
        quick = self.outcome(property_, fixed, {}, growth=0, listener=lambda each: None)
        backwards = self.backwards(property_, fixed) if quick.truth is Truth.UNKNOWN else None
        if backwards is not None and backwards.holds:
            sizes = sizes_text(self.family, {}, fixed)
            pieces.add(SizeVerdict(sizes, Verdict.HOLDS, "backward", len(backwards.cubes)))
            self.compare(property_, fixed, pieces)
            return quick
        outcome, bounds = self.outcome_for_large(property_, fixed)
        verdict = VERDICTS[outcome.truth]
        if verdict is Verdict.UNKNOWN:
            if backwards is not None and self.refute(property_, fixed, backwards, pieces):
                return outcome
            self.search(property_, fixed, pieces)
            pieces.add(SizeVerdict(self.rest(fixed, pieces), verdict, "spotlight", reason=outcome.reason))
            return outcome
        least = {name: max(first, bounds.get(name, 1)) for name, first in lowest(family, outcome).items()}
        states = outcome.rounds[-1].states
        pieces.add(SizeVerdict(sizes_text(self.family, least, fixed), verdict, "spotlight", states))
        self.confirm(property_, fixed, least, outcome, pieces)
        for name, first in least.items():
            for value in range(1, first):
                self.decide(property_, {**fixed, name: value}, pieces)
        return outcome

    def rest(self, fixed: Mapping[str, int], pieces: Pieces) -> str:
        """The sizes that are left where some small ones have been decided one by one."""
        decided = {each.sizes for each in pieces.found if each.general}
        free = [each.name for each in self.family.parameters if each.name not in fixed]
        if len(free) != 1:
            return sizes_text(self.family, {}, fixed) + (" otherwise" if decided else "")
        least = 1
        while sizes_text(self.family, {}, {**fixed, free[0]: least}) in decided:
            least += 1
        return sizes_text(self.family, {free[0]: least}, fixed)

    def refute(self, property_: FamilyProperty, fixed: Mapping[str, int], found: Found, pieces: Pieces) -> bool:
        """Use a violation found backwards, if it is one for all sizes with enough processes for it; it is shown by a run of
        the smallest member.  Other sizes are decided as usual."""
        program, known = self.analysed(fixed)
        if found.at is None or not always_begins(found.at, known.context):
            return False
        least: dict[str, int] = {}
        for class_ in program.classes:
            if isinstance(class_.size, m.Variable):
                needed = len(found.at.by_class.get(class_.number, ()))
                least[class_.size.name] = max(1, needed, least.get(class_.size.name, 1))
        family = with_values(self.family, fixed)
        values = next(small_members(family, self.solver, least), None)
        if values is None:
            return False
        shown = self.check(property_, {**fixed, **values}, pieces, MEMBER_STATES, general=False)
        if shown.verdict is Verdict.HOLDS:
            raise Disagreement(f"{property_.name}: violated backwards, not for {shown.sizes}")
        pieces.add(SizeVerdict(sizes_text(self.family, least, fixed), Verdict.VIOLATED, "backward", len(found.run) + 1))
        if shown.verdict is Verdict.VIOLATED:
            pieces.add(shown)
        for name, first in least.items():
            for value in range(1, first):
                self.decide(property_, {**fixed, name: value}, pieces)
        return True

    def outcome_for_large(self, property_: FamilyProperty, fixed: Mapping[str, int]) -> tuple[Outcome, dict[str, int]]:
        """The outcome of the abstractions, perhaps only for sizes above some bounds: if the outcome depends on whether a size
        exceeds a small number, the sizes up to it are decided separately."""
        sizes = {each.size.name for each in self.family.classes if isinstance(each.size, m.Variable)} - {*fixed}
        bounds: dict[str, int] = {}
        outcome = first = self.outcome(property_, fixed, bounds)
        if outcome.truth is Truth.UNKNOWN and self.goes_deeper(fixed):
            outcome = self.outcome(property_, fixed, bounds, deep=True)
            outcome = first = replace(outcome, rounds=(*first.rounds, *outcome.rounds))
        while outcome.truth is Truth.UNKNOWN and outcome.depends is not None:
            name, least = threshold(outcome.depends)
            if name not in sizes or not bounds.get(name, 1) < least <= LARGEST_BOUND:
                return first, {}
            bounds[name] = least
            outcome = self.outcome(property_, fixed, bounds)
        return (outcome, bounds) if outcome.truth.definite else (first, {})

    def goes_deeper(self, fixed: Mapping[str, int]) -> bool:
        """Whether more effort finds more invariants, within the time limit."""
        if self.limits.exceeded(0) is not None:
            return False
        shallow, deep = (self.analysed(fixed, deep=each)[1].context for each in (False, True))
        return len(deep.laws) + len(deep.invariants) > len(shallow.laws) + len(shallow.invariants)

    def outcome(
        self,
        property_: FamilyProperty,
        fixed: Mapping[str, int],
        least: Mapping[str, int],
        deep: bool = False,
        growth: int | None = None,
        listener: Callable[[Round], None] | None = None,
    ) -> Outcome:
        """The outcome of the abstractions for fixed sizes and lower bounds, with at most `growth` processes besides those of the
        property."""
        program, known = self.analysed(fixed, least, deep)
        asked = question(program, next(each for each in program.family.properties if each.name == property_.name))
        if growth is None:
            growth = Bounds().growth if self.max_spotlight is None else max(0, self.max_spotlight - sum(asked.diameter))
        bounds = Bounds(growth=growth, exceeded=lambda: self.limits.exceeded(0))
        return Refinement(
            known.context,
            asked,
            bounds,
            self.fair,
            self.merges_shade,
            listener or (lambda each: self.announce(each, property_)),
        ).outcome()

    # --- backwards -------------------------------------------------------------------------------

    def backwards(self, property_: FamilyProperty, fixed: Mapping[str, int]) -> Found | None:
        """What a search from the violations says; None if the property demands more than a condition on all states.  A proof is
        checked again by other means."""
        program, known = self.analysed(fixed)
        asked = question(program, next(each for each in program.family.properties if each.name == property_.name))
        condition = always(asked.formula)
        if condition is None:
            return None
        found = backward(
            known.context,
            asked,
            lambda: reached_by_members(known.context.program, self.solver),
            lambda: self.limits.exceeded(0),
        )
        if found is not None and found.holds:
            if not is_proof(found.cubes, known.context, asked, condition, lambda: self.limits.exceeded(0)):
                return Found(
                    None, reason=self.limits.exceeded(0) or "a proof was found that could not be checked again"
                )
            self.lemmas += [lemma(cube, known.context.program) for cube in found.cubes]
        return found

    def decide_backwards(self, property_: FamilyProperty, fixed: Mapping[str, int], pieces: Pieces) -> None:
        """Decide all sizes of a program whose processes know themselves."""
        found = self.backwards(property_, fixed)
        if found is not None and found.holds:
            pieces.add(SizeVerdict(sizes_text(self.family, {}, fixed), Verdict.HOLDS, "backward", len(found.cubes)))
            self.compare(property_, fixed, pieces)
            return
        if found is not None and found.holds is False and self.refute(property_, fixed, found, pieces):
            return
        self.search(property_, fixed, pieces)
        reason = BACKWARD_ONLY if found is None else found.reason or "no run of a small member shows the violation"
        pieces.add(SizeVerdict(self.rest(fixed, pieces), Verdict.UNKNOWN, "backward", reason=reason))

    def compare(self, property_: FamilyProperty, fixed: Mapping[str, int], pieces: Pieces) -> None:
        """Compare a proof with the smallest member of which the property says something."""
        for values in small_members(with_values(self.family, fixed), self.solver, {}):
            whole = {**fixed, **values}
            if is_vacuous(with_values(self.family, whole), property_):
                continue
            found = self.check(property_, whole, pieces, MEMBER_STATES, general=False)
            if found.verdict is Verdict.VIOLATED:
                raise Disagreement(f"{property_.name}: proved for all sizes, but violated for {found.sizes}")
            if found.verdict is Verdict.HOLDS:
                pieces.add(found)
            return

    # --- single members --------------------------------------------------------------------------

    def check(
        self,
        property_: FamilyProperty,
        values: Mapping[str, int],
        pieces: Pieces,
        most_states: int,
        general: bool = True,
    ) -> SizeVerdict:
        """The verdict on one member, and its run if it is the first that violates the property."""
        model = member(self.family, values)
        left = None if self.limits.seconds is None else max(0.01, self.limits.seconds - self.limits.elapsed)
        limits = Limits(most_states, left, self.limits.memory)
        text = sizes_text(self.family, {}, values)
        if self.fair and property_.name != contract.ASSERTIONS:
            branching = next(each for each in model.properties if each.name == property_.name)
            assert isinstance(branching, m.CtlProperty)
            truth, states, reason = fair_value(model, branching, limits)
            if truth is Truth.FALSE and pieces.trace is None:
                self.show_fair_run(model, branching, limits, pieces, text)
            return SizeVerdict(text, VERDICTS[truth], "explicit", states, reason, general)
        if property_.name == contract.ASSERTIONS:
            model = replace(model, properties=())
        (found,) = checker.check(model, limits=limits, properties=[property_.name]).properties
        if found.verdict is Verdict.VIOLATED and pieces.trace is None:
            pieces.trace, pieces.model, pieces.at = found.trace, model, text
        return SizeVerdict(text, found.verdict, "explicit", found.states, found.reason, general)

    def show_fair_run(
        self, model: m.Model, property_: m.CtlProperty, limits: Limits, pieces: Pieces, text: str
    ) -> None:
        """Show a fair run that violates the formula, if a single run can."""
        linear_one = m.LtlProperty(property_.name, linear(property_.formula), property_.text, property_.span)
        model = replace(model, properties=(linear_one,))
        (found,) = checker.check(model, limits=limits, properties=[property_.name], fair=True).properties
        if found.trace is not None:
            pieces.trace, pieces.model, pieces.at = found.trace, model, text

    def confirm(
        self,
        property_: FamilyProperty,
        fixed: Mapping[str, int],
        least: Mapping[str, int],
        outcome: Outcome,
        pieces: Pieces,
    ) -> None:
        """Compare a verdict with the smallest member that it covers, and with the next one if the property is violated.  If the
        member is too large to be checked, the steps of the spotlight are tried on it."""
        family, verdict = with_values(self.family, fixed), VERDICTS[outcome.truth]
        members = small_members(family, self.solver, least)
        for values, _ in zip(members, range(2 if verdict is Verdict.VIOLATED else 1), strict=False):
            found = self.check(property_, {**fixed, **values}, pieces, MEMBER_STATES, general=False)
            if found.verdict is Verdict.UNKNOWN:
                if verdict is Verdict.VIOLATED and pieces.trace is None and not self.fair:
                    model = member(self.family, {**fixed, **values})
                    pieces.trace = run_of(model, property_.name, outcome)
                    if pieces.trace is not None:
                        pieces.model, pieces.at = model, found.sizes
                        pieces.add(replace(found, verdict=verdict, reason="by a run of the abstraction"))
                return
            if found.verdict is not verdict:
                raise Disagreement(f"{property_.name}: {verdict.value} by abstraction, not for {found.sizes}")
            pieces.add(found)

    def search(self, property_: FamilyProperty, fixed: Mapping[str, int], pieces: Pieces) -> None:
        """Search small members for a violation; a single one refutes the property."""
        family = with_values(self.family, fixed)
        for values, _ in zip(small_members(family, self.solver, {}), range(MOST_TRIED), strict=False):
            if self.limits.exceeded(0) is not None:
                return
            whole = {**fixed, **values}
            if is_vacuous(with_values(self.family, whole), property_):
                pieces.add(SizeVerdict(sizes_text(self.family, {}, whole), Verdict.HOLDS, "vacuous"))
                continue
            found = self.check(property_, whole, pieces, MEMBER_STATES)
            if found.verdict is Verdict.UNKNOWN:
                return
            pieces.add(found)
            if found.verdict is Verdict.VIOLATED:
                return

    # --- reports ---------------------------------------------------------------------------------

    def report(self, each: Round, property_: FamilyProperty) -> RoundReport:
        slots = slot_names(self.family, property_, each.spotlight)
        predicates = tuple(named(x, slots) for x in each.predicates)
        new = [named(x, slots) for x in each.new]
        following = f"new predicates: {', '.join(new)}" if new else each.cause
        return RoundReport(tuple(slots.values()), predicates, each.states, str(each.truth), following)

    def announce(self, each: Round, property_: FamilyProperty) -> None:
        found = self.report(each, property_)
        self.listener(Refined(property_.name, found.spotlight, found.predicates, found.states, found.truth, found.next))


def of_branching_time(property_: FamilyProperty) -> FamilyProperty:
    """The property in CTL, if it can be expressed there."""
    formula = in_branching_time(property_.formula) if property_.linear else None
    return property_ if formula is None else replace(property_, formula=formula, linear=False)
