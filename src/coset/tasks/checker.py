"""Check a model with one engine: every property gets a verdict and its evidence.

Errors in single states (violated assertions, invalid end states, runtime errors) are found by breadth-first search, so that
traces are shortest; temporal properties are decided one by one.  The interpreter replays every trace before it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from coset.engines import fair_formulas, goals
from coset.engines.analysis import Analysis
from coset.engines.contract import FAULTS, SKIPPED, Postponed, PropertyEngine, safety_result, undecided
from coset.engines.registry import ENGINES
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.fairness import Fairness, fairness_of
from coset.model.implicit import implicit_properties
from coset.properties.kinds import BUILTIN
from coset.results.events import Listener, ignore_events
from coset.results.exploration import Exploration
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.source.budget import INTERRUPTED, Limits, Phases
from coset.tasks.by_symmetry import as_they_are, by_orbit

Answer = tuple[Exploration | None, list[PropertyResult]]
Question = Callable[[str | None], Answer]
"""What decides some properties; given a reason, it leaves them open instead."""
GoalSearch = tuple[m.CtlProperty, m.LtlProperty]
"""A goal, and the property that no run reaches it."""
FairSearch = tuple[m.CtlProperty, m.LtlProperty, bool]
"""A property about fair runs, and that of linear time which says the same, or the opposite (True)."""


def check(
    model: m.Model,
    *,
    engine: str = "auto",
    threads: int = 1,
    settings: Settings | None = None,
    limits: Limits | None = None,
    properties: Sequence[str] | None = None,
    fair: bool | str | Fairness = False,
    steps: str = "merged",
    all_errors: bool = False,
    keep_going: bool = False,
    listener: Listener = ignore_events,
) -> Check:
    """Verify the properties with these names (all if None).  If `fair`, only fair runs count.  `steps` is "merged" (invisible
    steps are merged where no property can tell) or "plain".  With `all_errors` the search continues after the first error in a
    single state: all are counted, on the plain model, and each distinct one gets a trace."""
    began, phases = time.monotonic(), Phases()
    fairness = fairness_of(fair)
    temporal = [each for each in (*model.properties, *implicit_properties(model)) if each not in fairness.stated]
    wanted = [
        name for name in (*BUILTIN, *(each.name for each in temporal)) if properties is None or name in properties
    ]
    asked = [each for each in temporal if each.name in wanted]
    merges = steps == "merged" and model.sequential is None and ENGINES[engine].merges and not fairness
    settings = settings or Settings(threads)
    questions = phases(partial(by_orbit, model, asked, settings, fairness, listener)) or as_they_are(model, asked)
    analysis = Analysis(questions.model, limits or Limits(), listener, settings, fairness, merges, keep_going)
    serving = phases(partial(ENGINES[engine].properties, analysis, questions.asked))
    safety = [name for name in BUILTIN if name in wanted]
    if serving is None:
        result = nothing_decided(analysis, engine, safety, questions.asked, phases.stopped)
    else:
        with serving:
            result = decided(analysis, serving, phases, safety, questions.asked, all_errors)
    result.properties = questions.completed(result.properties)
    result.seconds = {"check": round(time.monotonic() - began, 6)}
    return result


def decided(
    analysis: Analysis,
    engine: PropertyEngine,
    phases: Phases,
    safety: Sequence[str],
    temporal: Sequence[m.Property],
    all_errors: bool,
) -> Check:
    """Decide the requested properties by one engine, within the budget.  Long searches come after the others, and are skipped if
    another property is already violated, unless the user requests all verdicts."""
    result = Check(analysis.model.name, engine.name, Exploration(analysis.model.name, engine.name))
    branching = [each for each in temporal if isinstance(each, m.CtlProperty)]
    searches = goal_searches(branching) if engine.looks_for_goals and not analysis.fair else {}
    fair_ones = fair_searches(branching, analysis.fair) if analysis.fair and not engine.has_fair_graphs else {}
    questions: list[Question] = []
    answers: dict[int, Answer] = {}
    if safety:
        questions.append(partial(single_states, analysis, engine, phases, safety, all_errors))
    questions += [partial(linear, engine, phases, each) for each in temporal if not isinstance(each, m.CtlProperty)]
    questions += [partial(goal, analysis, engine, phases, search, answers) for search in searches.values()]
    questions += [partial(fair_formula, analysis, engine, phases, search) for search in fair_ones.values()]
    others = [each for each in branching if each.name not in searches and each.name not in fair_ones]
    if others:
        questions.append(partial(branching_time, engine, phases, others))
    engine.postpone(len(questions) > 1)
    for number, question in enumerate(questions):
        with suppress(Postponed):
            answers[number] = question(None)
    engine.postpone(False)
    for number, question in enumerate(questions):
        if number not in answers:
            try:
                answers[number] = question(None)
            except Postponed:
                answers[number] = question(SKIPPED)
    for number in sorted(answers):
        exploration, found = answers[number]
        if exploration is not None:
            result.exploration = exploration
            result.engine = exploration.engine if engine.alternative is not None else result.engine
        result.properties += found
    order = [each.name for each in branching]  # as asked, whether they were goals or not
    result.properties.sort(key=lambda each: order.index(each.name) if each.name in order else -1)
    is_own = result.engine == engine.name  # and not that of an alternative, which makes plain steps without symmetry
    result.exploration.steps = "merged" if analysis.merges and not all_errors and is_own else "plain"
    if not all_errors and phases.stopped is None and is_own:
        result.exploration.symmetry = engine.symmetry_used(bool(safety))
    return result


def single_states(
    analysis: Analysis,
    engine: PropertyEngine,
    phases: Phases,
    names: Sequence[str],
    all_errors: bool,
    skipped: str | None,
) -> Answer:
    """Errors in single states.  What is `skipped` is left open, for that reason."""
    decide = engine.all_errors if all_errors else engine.safety
    found = None if skipped else phases(partial(decide, names))
    return found or unfinished(analysis, engine.name, names, skipped or phases.stopped)


def linear(engine: PropertyEngine, phases: Phases, property_: m.Claim | m.LtlProperty, skipped: str | None) -> Answer:
    """A property of infinite runs."""
    found = None if skipped else phases(partial(engine.temporal, property_))
    return None, [found or undecided(property_, skipped or phases.stopped)]


def goal_searches(properties: Sequence[m.CtlProperty]) -> dict[str, GoalSearch]:
    """The properties that are goals, with what is looked for."""
    found = ((each, goals.complement(each)) for each in properties)
    return {each.name: (each, never) for each, never in found if never is not None}


def goal(
    analysis: Analysis,
    engine: PropertyEngine,
    phases: Phases,
    search: GoalSearch,
    answers: Mapping[int, Answer],
    skipped: str | None,
) -> Answer:
    """A goal that some run reaches, or none; `answers` to earlier questions may say that no run ends in a runtime error."""
    property_, never = search
    known = (each for _, results in answers.values() for each in results)
    is_faultless = any(each.name == FAULTS and each.verdict is Verdict.HOLDS for each in known)
    decide = partial(goals.decided, engine, analysis.model, property_, never, is_faultless)
    found = None if skipped else phases(decide)
    return None, [found or undecided(property_, skipped or phases.stopped)]


def fair_searches(properties: Sequence[m.CtlProperty], fairness: Fairness) -> dict[str, FairSearch]:
    """The properties about fair runs that are decided in linear time, each with what says the same there, or the opposite."""
    found: dict[str, FairSearch] = {}
    for each in properties:
        form = fair_formulas.linear_form(each.formula)
        if form is not None and not fair_formulas.is_as_without_fairness(each.formula, fairness):
            found[each.name] = each, m.LtlProperty(each.name, form[0], each.text, each.span), form[1]
    return found


def fair_formula(
    analysis: Analysis, engine: PropertyEngine, phases: Phases, search: FairSearch, skipped: str | None
) -> Answer:
    """A formula about all fair runs, or about some."""
    found = None if skipped else phases(partial(fair_formulas.decided, engine, analysis.model, *search))
    return None, [found or undecided(search[0], skipped or phases.stopped)]


def branching_time(
    engine: PropertyEngine, phases: Phases, properties: Sequence[m.CtlProperty], skipped: str | None
) -> Answer:
    """Formulas of computation tree logic, which share a graph."""
    found = None if skipped else phases(partial(engine.branching, properties))
    return None, [undecided(each, skipped or phases.stopped) for each in properties] if found is None else found


def nothing_decided(
    analysis: Analysis, engine: str, safety: Sequence[str], temporal: Sequence[m.Property], reason: str | None
) -> Check:
    """The result if the budget was exhausted before an engine was ready."""
    name = "reference" if engine == "auto" else engine
    exploration, found = unfinished(analysis, name, safety, reason)
    properties = [*found, *(undecided(each, reason) for each in temporal)]
    return Check(analysis.model.name, name, exploration, properties)


def unfinished(
    analysis: Analysis, engine: str, names: Sequence[str], reason: str | None
) -> tuple[Exploration, list[PropertyResult]]:
    """The partial result of the search for errors in single states if the budget ends before it."""
    exploration = analysis.explored or Exploration(analysis.model.name, engine)
    exploration.stopped, exploration.complete = reason, False
    exploration.interrupted = reason == INTERRUPTED
    return exploration, [safety_result(name, Verdict.UNKNOWN, exploration, reason=reason) for name in names]
