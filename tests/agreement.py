"""One harness for all configurations: whatever the options, a model has one meaning.

    python -m tests.agreement --seeds FROM TO [-j N]      random models, every configuration, differences shrunk
    python -m tests.agreement FILE...                     some models, every configuration
    python -m tests.agreement --configurations            list them

The meaning is what the interpreter finds on the plain model, without any reduction.  Against it: merged and plain steps,
partial order reduction in both orders of search, every method to find symmetries with every strategy for representatives,
the three engines, threads, storages; linear and branching time; and SPIN without its reductions.  What must agree:

- the verdict on every property, in every configuration, and every counterexample is a run that shows the violation;
- the counts of states, transitions and errors wherever nothing is reduced, SPIN's among them;
- `represents`, wherever it is not None, and the count of all states;
- merged steps and plain ones, as far as bisimulation can tell.

A configuration may refuse a model or leave a property open; that is counted, and `refused` must not become everything.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path

import coset
from coset.engines.contract import Unsupported
from coset.engines.reduction import UnusableSymmetry
from coset.engines.settings import Settings
from coset.engines.symbolic.runs import Refused
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import CtlProperty, Model, Variable
from coset.model.passes import merged
from coset.model.state import State, offsets
from coset.properties.kinds import BUILTIN
from coset.results.exploration import Errors, Exploration
from coset.results.verdict import Check, Verdict
from coset.symmetry.canonical.plan import Unplannable
from tests.support import bisimulation
from tests.support.confirmation import confirmed
from tests.support.contention_random import for_spin
from tests.support.contention_random import generate as contention
from tests.support.ctl_random import formula as branching_formula
from tests.support.ids_random import generate as ids
from tests.support.promela_random import generate as promela
from tests.support.random_formulas import conditions
from tests.support.random_formulas import formula as linear_formula
from tests.support.spin_compare import NOT_COMPARABLE, OK, SPIN_REJECTS, TOO_LARGE, compare, minimise
from tests.support.symmetric_random import generate as symmetric
from tests.support.symmetric_random import varied

SMALL = 3_000
"""States that the interpreter visits in a moment; larger models are left out."""
AGREED, REFUSED, OPEN, LARGE, DIFFERENT = "agreed", "refused", "open", "large", "DIFFERENT"
REFUSALS = (Unsupported, Refused, UnusableSymmetry, Unplannable, coset.InputError)
METHODS = ("program", "channels", "constraints", "hypergraph")
STRATEGIES = ("enumerate", "sort", "chain", "local")


# --- what is compared ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Configuration:
    """One way to answer: a command and its options.  `question` is what is asked of it: counts, safety, ltl or ctl."""

    question: str
    engine: str = "explicit"
    steps: str = "plain"
    settings: Settings = field(default_factory=Settings)

    def __str__(self) -> str:
        usual, chosen = Settings(), self.settings
        names = ("symmetry", "representative", "reduction", "order", "storage", "threads")
        options = [f"{name}={getattr(chosen, name)}" for name in names if getattr(chosen, name) != getattr(usual, name)]
        return " ".join([self.question, self.engine, self.steps, *options])

    @property
    def reduces(self) -> bool:
        return self.steps == "merged" or self.settings.symmetry != "off" or self.settings.reduction != "none"


def configurations() -> tuple[Configuration, ...]:
    """All of them; those that share no option with their neighbours are far apart only by the stride of `rotated`."""
    auto, off = Settings(symmetry="auto"), Settings()
    searches = [off, Settings(threads=2), Settings(storage="states"), Settings(order="depth")]
    counts = [Configuration("counts", "explicit", "plain", each) for each in searches]
    counts += [Configuration("counts", "explicit", "merged", each) for each in searches]
    counts += [Configuration("counts", engine, "plain", off) for engine in ("symbolic", "auto")]
    counts += [Configuration("counts", "reference", "plain", Settings(symmetry=method)) for method in METHODS]
    folded = [Settings(symmetry=method, representative=each) for method in METHODS for each in STRATEGIES]
    counts += [Configuration("counts", "explicit", steps, each) for each in folded for steps in ("plain", "merged")]
    counts += [Configuration("counts", "explicit", "plain", Settings(2, symmetry="program", order="breadth"))]
    counts += [Configuration("counts", "symbolic", "plain", Settings(symmetry="program", representative=each))
               for each in ("auto", "enumerate", "sort", "local")]  # fmt: skip
    found = list(counts)
    ordered = [Settings(reduction="por", order=order) for order in ("breadth", "depth")]
    for question in ("safety", "ltl"):
        found += [Configuration(question, engine, "merged", auto) for engine in ("auto", "explicit")]
        found += [Configuration(question, "explicit", steps, each) for each in ordered for steps in ("plain", "merged")]
        found += [Configuration(question, "explicit", "merged", replace(auto, reduction="por"))]
        found += [Configuration(question, "explicit", "merged", each) for each in searches]
        found += [Configuration(question, "explicit", "plain", each) for each in searches[:3]]
        found += [Configuration(question, "explicit", "merged", each) for each in folded]
        found += [Configuration(question, "symbolic", "plain", each) for each in (off, Settings(symmetry="program"))]
    found += [Configuration("ctl", engine, "plain", off) for engine in ("explicit", "symbolic")]
    found += [Configuration("ctl", "explicit", "merged", auto)]
    found += [Configuration("ctl", "explicit", "merged", Settings(symmetry=method)) for method in METHODS]
    found += [Configuration("ctl", "symbolic", "plain", Settings(symmetry="program"))]
    return tuple(dict.fromkeys(found))


CONFIGURATIONS = configurations()
DEFAULT = Configuration("safety", "auto", "merged", Settings(symmetry="auto"))
ORDERED = Configuration("safety", "explicit", "plain", Settings(reduction="por"))
BOTH = Configuration("ltl", "explicit", "merged", Settings(reduction="por"))
CORE = ((DEFAULT, replace(DEFAULT, question="ltl"), ORDERED), (DEFAULT, replace(DEFAULT, question="ltl"), BOTH))
"""What models are asked in turn: what users get by default, and partial order reduction."""


def rotated(seed: int, count: int) -> list[Configuration]:
    """The core, and some others: over the seeds all take their turn, unlike ones together."""
    stride = next(k for k in (47, 43, 41, 37) if len(CONFIGURATIONS) % k)
    chosen = [CONFIGURATIONS[(seed * count + k) * stride % len(CONFIGURATIONS)] for k in range(count)]
    return list(dict.fromkeys([*CORE[seed // 8 % 2], *chosen]))


# --- the models ------------------------------------------------------------------------------------------------------


@dataclass
class Subject:
    """A model with properties: `ltl` blocks are in its text, formulas of branching time are not part of Promela.
    `spin` says whether its meaning is SPIN's."""

    name: str
    text: str
    ctl: tuple[str, ...] = ()
    spin: bool = True

    @cached_property
    def model(self) -> Model:
        with tempfile.TemporaryDirectory(prefix="coset-agreement-") as folder:
            path = Path(folder) / f"{self.name}.pml"
            path.write_text(self.text)
            return coset.load(path, ctl=self.ctl)

    @cached_property
    def bare(self) -> Model:
        return replace(self.model, properties=())

    @cached_property
    def whole(self) -> Exploration:
        """All states, by the interpreter."""
        return coset.explore(self.bare, engine="reference", symmetry="off", max_states=SMALL)

    @cached_property
    def meaning(self) -> dict[str, Verdict]:
        """The verdict on every property, on the plain model by the interpreter."""
        return verdicts(coset.check(self.model, engine="reference", symmetry="off", steps="plain"))

    def asked(self, question: str) -> list[str]:
        """The names of the properties that a question is about."""
        branching = [each.name for each in self.model.properties if isinstance(each, CtlProperty)]
        if question == "ctl":
            return branching
        return [name for name in self.meaning if name not in branching and (name in BUILTIN) == (question == "safety")]


def verdicts(result: Check) -> dict[str, Verdict]:
    return {each.name: each.verdict for each in result.properties}


def subject(seed: int) -> Subject:
    """A random model with formulas, from one of the generators in turn."""
    turn, number = seed % 8, seed // 8
    if turn in (0, 1, 2, 3):
        spin = turn in (1, 3)
        name, text = "contention", (for_spin if spin else contention)(4 * number + turn)
    else:
        spin = True
        name, generator = [("promela", promela), ("ids", ids), ("varied", varied), ("symmetric", symmetric)][turn - 4]
        text = generator(number)
    return with_properties(Subject(f"{name}-{seed}", text, spin=spin), seed)


def with_properties(plain: Subject, seed: int) -> Subject:
    """A model with a formula of each logic about its globals: random ones, or one that a careless reduction gets wrong."""
    chance = random.Random(seed)
    atoms = conditions(plain.model)
    if not atoms or not plain.whole.complete:
        return plain
    text = plain.text + sharp_property(plain.model, chance, hidden=plain.whole.errors.assertions > 0)
    if "ltl " not in text:
        text += f"ltl random {{ {linear_formula(chance, atoms, chance.randint(1, 4))} }}\n"
    return Subject(plain.name, text, (branching_formula(chance, atoms, chance.randint(1, 4)),), plain.spin)


def sharp_property(model: Model, chance: random.Random, hidden: bool) -> str:
    """A violated property whose violations a careless reduction loses: that some values do not occur together, or do not follow
    each other.  One carelessness is to think that nobody notices a step which changes neither globals nor channels, another not
    to mind channels.  If they lose nothing, values that few states have.  An assertion is no use where one is violated
    already, which would hide it."""
    numeric = [v for v in model.variables if v.domain.name in ("bit", "bool", "byte") and not v.shape and not v.hidden]
    numeric = [v for v in numeric if v.name not in ("owner", "ticks")][:4]
    every, changes = reached(model, numeric, None)
    if len(every) < 2:
        return ""
    for eager in chance.sample((unnoticed, unseen), 2):
        found, found_changes = reached(model, numeric, eager)
        lost, lost_changes = every.keys() - found.keys(), changes - found_changes
        if lost and chance.random() < 0.7:
            return watched(distinguishing(numeric, lost, every.keys() - lost, chance), chance, hidden)
        if lost_changes and chance.random() < 0.8:
            before, after = (f"({equations(numeric, values)})" for values in chance.choice(sorted(lost_changes)))
            return f"ltl follows {{ [] ({before} -> !({before} U {after})) }}\n"
    chosen = [k for k in range(len(numeric)) if chance.random() < 0.5] or [0]
    counted: Counter[tuple[int, ...]] = Counter()
    for values, count in every.items():
        counted[tuple(values[k] for k in chosen)] += count
    rarest = sorted(counted, key=lambda values: (counted[values], values))[:2]
    return watched(equations([numeric[k] for k in chosen], chance.choice(rarest)), chance, hidden)


def watched(condition: str, chance: random.Random, hidden: bool) -> str:
    """That a condition never holds, said by a process that may look at any time, or by a formula."""
    if chance.random() < 0.8 and not hidden:
        return f"active proctype Watcher() {{ assert(!({condition})) }}\n"
    return f"ltl rare {{ [] !({condition}) }}\n"


def equations(variables: Sequence[Variable], values: Sequence[int]) -> str:
    return " && ".join(f"{variable.name} == {value}" for variable, value in zip(variables, values, strict=True))


def distinguishing(
    variables: Sequence[Variable], lost: Set[tuple[int, ...]], kept: Set[tuple[int, ...]], chance: random.Random
) -> str:
    """Values of as few variables as possible that occur in what is lost and not in what is kept."""
    values = chance.choice(sorted(lost))
    for count in range(1, len(variables) + 1):
        for chosen in combinations(range(len(variables)), count):
            part = tuple(values[k] for k in chosen)
            if all(tuple(other[k] for k in chosen) != part for other in kept):
                return equations([variables[k] for k in chosen], part)
    return equations(variables, values)


Eager = Callable[[State, State], bool]


def unnoticed(before: State, after: State) -> bool:
    return before.values == after.values and before.channels == after.channels


def unseen(before: State, after: State) -> bool:
    return before.values == after.values


Values = tuple[int, ...]


def reached(
    model: Model, variables: Sequence[Variable], eager: Eager | None
) -> tuple[Counter[Values], set[tuple[Values, Values]]]:
    """The values of some variables in all states that are reached, in how many, and how they change.  A process all of
    whose steps are `eager` and lead to new states goes before all others, whether or not that is sound."""
    interpreter = Interpreter(model)
    places = [offsets(model.variables)[variable] for variable in variables]
    queue = [interpreter.initial()]
    seen = set(queue)
    counted: Counter[Values] = Counter()
    changes = set()
    for state in queue:
        values = tuple(state.values[place] for place in places)
        counted[values] += 1
        steps = [step for step in interpreter.steps(state) if not is_fault(step.moves[-1])]
        if eager is not None:
            for process in {step.moves[0].process: None for step in steps}:
                mine = [step for step in steps if step.moves[0].process == process]
                if all(eager(state, step.state) and step.state not in seen for step in mine):
                    steps = mine
                    break
        for step in steps:
            following = tuple(step.state.values[place] for place in places)
            if following != values:
                changes.add((values, following))
            if step.state not in seen and len(queue) < SMALL:
                seen.add(step.state)
                queue.append(step.state)
    return counted, changes


# --- comparing -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What became of one configuration on one model."""

    name: str
    configuration: str
    what: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.configuration}: {self.what}{': ' * bool(self.detail)}{self.detail}"


def outcome(subject: Subject, configuration: Configuration) -> Outcome:
    """Ask one question in one way.  Whatever is raised and is no refusal is a difference."""
    try:
        problem = asked_for_counts(subject, configuration) if configuration.question == "counts" else None
        if configuration.question != "counts":
            problem = asked_for_verdicts(subject, configuration)
    except REFUSALS as reason:
        return Outcome(subject.name, str(configuration), REFUSED, f"{type(reason).__name__}: {str(reason)[:200]}")
    except Exception as error:
        return Outcome(subject.name, str(configuration), DIFFERENT, f"{type(error).__name__}: {str(error)[:300]}")
    if problem is None:
        return Outcome(subject.name, str(configuration), OPEN)
    return Outcome(subject.name, str(configuration), DIFFERENT if problem else AGREED, problem)


def asked_for_counts(subject: Subject, configuration: Configuration) -> str | None:
    """What is wrong with the counts; None if the search did not come to its end."""
    result = coset.explore(
        subject.bare,
        engine=configuration.engine,
        steps=configuration.steps,
        settings=configuration.settings,
        max_states=20 * SMALL,
    )
    if not result.complete:
        return None
    if (note := result.symmetry.note) and "error of Coset" in note:
        return note
    whole = subject.whole
    mine, theirs = kinds(result.errors), kinds(whole.errors)
    if mine != theirs:
        return f"errors {sorted(mine)}, but {sorted(theirs)}"
    if configuration.steps == "merged":
        return "" if result.states <= whole.states else f"{result.states} states, and {whole.states} plain ones"
    if configuration.settings.symmetry != "off":
        wrong = result.represents not in (None, whole.states) or result.states > whole.states
        return f"{result.states} states for {result.represents}, but {whole.states}" if wrong else ""
    found, expected = (figures(each, configuration.engine == "symbolic") for each in (result, whole))
    return "" if found == expected else f"{found}, but {expected}"


def kinds(errors: Errors) -> set[str]:
    """Which kinds of errors there are."""
    counts = {"assertion": errors.assertions, "end": errors.invalid_end_states, "trace": errors.trace, **errors.faults}
    return {kind for kind, count in counts.items() if count}


def figures(result: Exploration, symbolic: bool) -> tuple[object, ...]:
    """What must be the same wherever nothing is reduced; in decision diagrams errors are counted by states."""
    errors = result.errors
    exact = () if symbolic else (errors.assertions, errors.trace, tuple(sorted(errors.faults.items())))
    return (result.states, result.transitions, errors.invalid_end_states, *exact)


def asked_for_verdicts(subject: Subject, configuration: Configuration) -> str | None:
    """What is wrong with the verdicts; None if there are none."""
    names = subject.asked(configuration.question)
    if not names:
        return None
    result = coset.check(
        subject.model,
        properties=names,
        engine=configuration.engine,
        steps=configuration.steps,
        settings=configuration.settings,
        max_states=20 * SMALL,
    )
    if (note := result.exploration.symmetry.note) and "error of Coset" in note:
        return note
    found = verdicts(result)
    decided = [
        name for name in names if found[name] is not Verdict.UNKNOWN and subject.meaning[name] is not Verdict.UNKNOWN
    ]
    wrong = [name for name in decided if found[name] is not subject.meaning[name]]
    if wrong:
        return "; ".join(f"{name} {found[name].value}, but {subject.meaning[name].value}" for name in wrong)
    if configuration.question != "ctl":
        confirmed(subject.model, result)
    return "" if decided else None


def bisimilar(subject: Subject) -> Outcome:
    """Merged steps and plain ones, by the naive twin of the passes: what globals show, not only what a property asks."""
    everything = subject.bare.variables
    found = bisimulation.differences(subject.bare, merged(subject.bare, visible=everything), limit=SMALL)
    what = LARGE if found is None else DIFFERENT if found else AGREED
    return Outcome(subject.name, "merged steps, bisimulation", what, "; ".join(found or ()))


def against_spin(subject: Subject) -> Outcome:
    """The interpreter's counts and SPIN's."""
    with tempfile.TemporaryDirectory(prefix="coset-agreement-") as folder:
        path = Path(folder) / f"{subject.name}.pml"
        path.write_text(subject.text)
        found = compare(path, seconds=5, max_states=20 * SMALL)
    what = {OK: AGREED, SPIN_REJECTS: REFUSED, NOT_COMPARABLE: OPEN, TOO_LARGE: LARGE}.get(found.verdict, DIFFERENT)
    return Outcome(subject.name, "SPIN", what, str(found) if what in (DIFFERENT, REFUSED) else "")


def outcomes(subject: Subject, chosen: Sequence[Configuration], spin: bool) -> Iterator[Outcome]:
    """Every answer to a model."""
    if not subject.whole.complete:
        yield Outcome(subject.name, "", LARGE)
        return
    yield bisimilar(subject)
    for configuration in chosen:
        yield outcome(subject, configuration)
    if spin and subject.spin:
        yield against_spin(subject)


def compare_seed(seed: int, count: int | None = None, spin: bool = True) -> list[Outcome]:
    """What became of one random model, in all configurations or in some that rotate with the seed."""
    chosen = CONFIGURATIONS if count is None else rotated(seed, count)
    try:
        return list(outcomes(subject(seed), chosen, spin))
    except Exception as error:  # a crash in one model must not hide the others
        return [Outcome(f"seed {seed}", "the model", DIFFERENT, f"{type(error).__name__}: {str(error)[:1000]}")]


# --- shrinking -------------------------------------------------------------------------------------------------------


def shrunk(subject: Subject, different: Outcome) -> str:
    """The smallest text found that differs in the same configuration, in the same sort of way."""
    ask: Callable[[Subject], Outcome]
    named = {str(each): each for each in CONFIGURATIONS}
    if different.configuration in named:
        ask = partial(outcome, configuration=named[different.configuration])
    else:
        ask = against_spin if different.configuration == "SPIN" else bisimilar

    def still_fails(text: str) -> bool:
        smaller = replace(subject, text=text)
        try:
            if not smaller.whole.complete:
                return False
            found = ask(smaller)
        except Exception:
            return False
        return found.what == DIFFERENT and sort_of(found) == sort_of(different)

    return minimise(subject.text, still_fails)


def sort_of(found: Outcome) -> str:
    """What sort of difference it is: numbers do not matter."""
    words = found.detail.replace(",", " ").split()
    return " ".join(word for word in words if word.isalpha())


# --- the command -----------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--seeds", nargs=2, type=int, metavar=("FROM", "TO"))
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rotate", type=int, metavar="N", help="N configurations for each model instead of all")
    parser.add_argument("--no-spin", dest="spin", action="store_false")
    parser.add_argument("--shrink", type=int, default=5, metavar="N", help="shrink so many differences (5)")
    parser.add_argument("--configurations", action="store_true")
    options = parser.parse_args(arguments)
    if options.configurations:
        print(*CONFIGURATIONS, sep="\n")
        return 0
    counted: Counter[tuple[str, str]] = Counter()
    different: list[tuple[Subject | None, Outcome]] = []
    for path in options.files:
        model = Subject(path.stem, path.read_text())
        for each in outcomes(model, CONFIGURATIONS, options.spin):
            counted[each.configuration, each.what] += 1
            different += [(model, each)] * (each.what == DIFFERENT)
    seeds = range(*options.seeds) if options.seeds else range(0)
    work = partial(compare_seed, count=options.rotate, spin=options.spin)
    with ProcessPoolExecutor(options.jobs) as pool:
        for seed, found in zip(seeds, pool.map(work, seeds)):
            for each in found:
                counted[each.configuration, each.what] += 1
                if each.what == DIFFERENT:
                    different.append((subject(seed) if each.configuration != "the model" else None, each))
                    print(each, flush=True)
    report(counted)
    seen: set[str] = set()
    for model_, each in different:
        if model_ is not None and len(seen) < options.shrink and each.configuration not in seen:
            seen.add(each.configuration)
            print(f"--- {each}", shrunk(model_, each), sep="\n", flush=True)
    return 1 if different else 0


def report(counted: Counter[tuple[str, str]]) -> None:
    """A line for each configuration, and the sums."""
    rows = sorted({configuration for configuration, _ in counted})
    for row in rows:
        counts = {what: counted[row, what] for what in (AGREED, REFUSED, OPEN, LARGE, DIFFERENT)}
        print(f"{row or 'models':75}", ", ".join(f"{count} {what}" for what, count in counts.items() if count))
    total: Counter[str] = Counter()
    for (_, what), count in counted.items():
        total[what] += count
    print(", ".join(f"{count} {what}" for what, count in total.most_common()))


if __name__ == "__main__":
    sys.exit(main())
