"""Which properties that hold do so vacuously: formulas are decided again with constants in the place of atoms.

Small models are decided by the interpreter with every check, within an allowance that counts states and steps; larger ones,
if that is asked for, as any properties are.  What is not decided is left open (None).

An occurrence in a positive place that does not matter makes a property vacuous, as `ack` in `[] (req -> <> ack)` where `req`
is never true.  One in a negative place does not: where `[] <> ack` holds, `req` does not matter, and nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from coset.engines.reference import branching, cycles
from coset.engines.settings import Settings
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.properties.formula import Atom, Logic, Modal, Not
from coset.properties.formula import Formula as Logical
from coset.properties.vacuity import strengthenings, substituted
from coset.results.events import Listener, ignore_events
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.source.budget import Limits, OutOfBudget, installed, within
from coset.source.records import dataclass
from coset.source.timing import phase
from coset.tasks.coverage import size

SMALL, SMALL_STEPS = 1_000, 10_000
"""The most states of a product and steps that are visited without being asked for."""
MOST = 24
"""The most occurrences of atoms of a property that is looked at."""
Formula = m.LtlProperty | m.CtlProperty
Decide = Callable[[Sequence[Formula]], Mapping[str, bool | None]]
"""Whether properties hold; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A positive occurrence of an atom, and the property with false in its place."""

    atom: e.Expr
    stronger: Formula


@phase("vacuity")
def with_vacuity(
    model: m.Model,
    result: Check,
    limits: Limits,
    settings: Settings,
    fair: bool = False,
    is_asked_for: bool = False,
    listener: Listener = ignore_events,
) -> list[PropertyResult]:
    """The verdicts, with what is known of their vacuity."""
    formulas = {each.name: each for each in model.properties if isinstance(each, Formula)}
    wanted = [each for each in result.properties if each.verdict is Verdict.HOLDS and each.name in formulas]
    found: dict[str, PropertyResult] = {}
    if size(result) <= SMALL:
        with installed(within(steps=SMALL_STEPS)):
            decide = by_interpreter(model, fair)
            for each in wanted:
                if each.states <= SMALL:
                    found[each.name] = judged(each, formulas[each.name], decide)
    if is_asked_for:
        decide = as_usual(model, limits, settings, fair, listener)
        for each in wanted:
            if each.name not in found or found[each.name].vacuous is None:
                found[each.name] = judged(each, formulas[each.name], decide)
    return [found.get(each.name, each) for each in result.properties]


def judged(result: PropertyResult, property_: Formula, decide: Decide) -> PropertyResult:
    """The verdict, with whether it is vacuous, and why."""
    found = list(occurrences(property_))
    if not found or len(found) > MOST:
        return result
    holds = decide([each.stronger for each in found])
    idle = [each for each in found if holds.get(each.stronger.name)]
    if not idle:
        is_known = all(holds.get(each.stronger.name) is not None for each in found)
        return replace(result, vacuous=False if is_known else None)
    never = list(antecedents(property_))
    known = decide([each for _, each in never])
    idle_ones = [atom for atom, each in never if known.get(each.name)]
    why = never_true(idle_ones[0]) if idle_ones else f"{shown(idle[0].atom)} does not matter"
    return replace(result, vacuous=True, vacuity=why)


def never_true(atom: e.Expr) -> str:
    event = event_of(atom)
    return f"{atom} is never true" if event is None else f"{event} never happens"


def shown(atom: e.Expr) -> str:
    return event_of(atom) or str(atom)


def event_of(atom: e.Expr) -> str | None:
    """The event that an atom is about, in a formula about events, for which a front end has a variable of its own."""
    match atom:
        case e.Binary("==", e.Get(variable), e.Const(value)) if variable.span is None and variable.domain.labels:
            return variable.domain.show(value)
    return None


def occurrences(property_: Formula) -> Iterator[Occurrence]:
    """The occurrences that count."""
    for number, (atom, is_positive, formula) in enumerate(strengthenings(split(property_.formula))):
        if is_positive:
            yield Occurrence(
                atom, replace(property_, name=f"{property_.name} ~{number}", formula=formula, text=str(formula))
            )


def antecedents(property_: Formula) -> Iterator[tuple[e.Expr, m.LtlProperty]]:
    """The atoms in negative places, each with the property that it is never true."""
    for number, (atom, is_positive, _) in enumerate(strengthenings(split(property_.formula))):
        if not is_positive:
            yield atom, m.LtlProperty(f"{property_.name} never {number}", Modal("[]", Not(Atom(atom))))


def split(formula: Logical[e.Expr]) -> Logical[e.Expr]:
    """The formula with the connectives inside of its atoms as connectives of its own."""

    def parts(x: e.Expr) -> Logical[e.Expr]:
        match x:
            case e.Binary("&&" | "||" as operator, left, right):
                return Logic(operator, parts(left), parts(right))
            case e.Unary("!", e.Binary("&&" | "||") as operand):
                return Not(parts(operand))
            case e.Unary("!", e.Unary("!", operand)):
                return parts(operand)
        return Atom(x)

    return substituted(formula, parts)


# --- decisions -------------------------------------------------------------------------------------


def by_interpreter(model: m.Model, fair: bool) -> Decide:
    """On the plain model, which is small."""
    moves: cycles.Moves = {}

    def decide(properties: Sequence[Formula]) -> dict[str, bool | None]:
        found: dict[str, bool | None] = {}
        branching_ones = [each for each in properties if isinstance(each, m.CtlProperty)]
        try:
            for each in properties:
                if isinstance(each, m.LtlProperty):
                    _, trace = cycles.check_property(model, each, Limits(SMALL), fair, True, moves)
                    found[each.name] = trace is None
            if branching_ones and not fair:
                decisions = branching.check_properties(model, branching_ones, Limits(SMALL))
                found |= {each.name: known.holds for each, known in zip(branching_ones, decisions, strict=True)}
        except (cycles.OutOfLimits, OutOfBudget, Fault):
            pass
        return found

    return decide


def as_usual(model: m.Model, limits: Limits, settings: Settings, fair: bool, listener: Listener) -> Decide:
    """As `coset check` decides any properties."""
    from coset.tasks import checker

    def decide(properties: Sequence[Formula]) -> dict[str, bool | None]:
        if not properties:
            return {}
        asked = replace(model, properties=tuple(properties))
        result = checker.check(
            asked,
            settings=replace(settings, checkpoints=None, generators=None, cluster=None),
            limits=Limits(limits.states, limits.seconds, limits.memory),
            properties=[each.name for each in properties],
            fair=fair,
            keep_going=True,
            listener=listener,
        )
        known = {Verdict.HOLDS: True, Verdict.VIOLATED: False, Verdict.UNKNOWN: None}
        return {each.name: known[each.verdict] for each in result.properties}

    return decide
