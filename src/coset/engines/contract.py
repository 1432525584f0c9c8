"""What an engine is to the tasks: it explores, and it decides properties, each with its evidence.

Three engines fulfil `PropertyEngine`: the reference interpreter, the compiled explicit engine and the symbolic one.  Which
of them serves is chosen by name (registry.py), or else in one place (choose.py); what one of them cannot do it says by name,
as a reason of an open verdict or by an exception when it is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from coset.model import model as m
from coset.properties.kinds import BUILTIN
from coset.results.exploration import Exploration
from coset.results.internal import Disagreement
from coset.results.symmetry import SymmetryUsed
from coset.results.trace import Trace, replay
from coset.results.verdict import PropertyResult, Verdict
from coset.source.timing import phase

ASSERTIONS, END_STATES, FAULTS = BUILTIN


class NoCompiler(Exception):
    """There is no C compiler, or it does not work; the message says what was tried."""


class Unsupported(Exception):
    """The compiled engine does not support this model; the message names the construct."""


SKIPPED = "not decided, as another property is violated and this one takes long; --keep-going decides it, too"


class Postponed(Exception):
    """The question takes longer than the quick tier is for; asked again, it is answered, however long that takes."""


Answer = tuple[Exploration, list[PropertyResult]]
"""Counts, and verdicts on properties of single states."""


class AnsweredElsewhere(Exception):
    """Another engine has answered while this one was searching."""

    def __init__(self, answer: Answer) -> None:
        super().__init__("another engine has answered")
        self.answer = answer


class PropertyEngine(AbstractContextManager["PropertyEngine"], ABC):
    """Decides the properties of one model.  A limit that ends a search leaves its properties unknown, with the reason.  What
    an engine holds while it is used (`with`), such as the folder of its checkpoints, it gives back at the end."""

    name: str
    looks_for_goals = True
    """Whether goals of branching time are looked for as counterexamples of linear time (goals.py)."""
    has_fair_graphs = True
    """Whether formulas of branching time about fair runs are decided; else only some are (fair_formulas.py)."""
    alternative: Callable[[Sequence[str]], Answer | None] | None = None
    """Another engine, which is asked about errors in single states if a search is very long.  It may have no answer."""
    fair_formulas: Callable[[], PropertyEngine] | None = None
    """Another engine for formulas of branching time about fair runs that this one does not decide."""

    def __exit__(self, *unused: object) -> None:
        return None

    @abstractmethod
    def safety(self, names: Sequence[str]) -> Answer:
        """The properties of `BUILTIN` with these names: of each violated one a shortest run."""

    @abstractmethod
    def all_errors(self, names: Sequence[str]) -> Answer:
        """The same, but all errors are counted, and each different one gets a run."""

    @abstractmethod
    def temporal(self, property_: m.Claim | m.LtlProperty) -> PropertyResult:
        """A property of infinite runs."""

    @abstractmethod
    def branching(self, properties: Sequence[m.CtlProperty]) -> list[PropertyResult]:
        """Formulas of computation tree logic."""

    def postpone(self, is_wanted: bool) -> None:
        """Whether questions that take long are to be postponed (`Postponed`), so that short ones are answered first.  Also
        later, they are postponed if a property is violated and the user does not want to know all verdicts.  An engine
        that cannot tell which questions take long answers all of them at once."""

    @abstractmethod
    def symmetry_used(self, safety: bool) -> SymmetryUsed:
        """What the search for errors in single states made use of, or else the last search."""


# --- results ---------------------------------------------------------------------------------------


def safety_result(
    name: str, verdict: Verdict, exploration: Exploration, trace: Trace | None = None, reason: str | None = None
) -> PropertyResult:
    return PropertyResult(name, BUILTIN[name], verdict, trace, reason, exploration.states, exploration.transitions)


def undecided(property_: m.Property, reason: str | None) -> PropertyResult:
    return PropertyResult(property_.name, property_.kind, Verdict.UNKNOWN, reason=reason)


@phase("evidence")
def confirmed(model: m.Model, trace: Trace) -> Trace:
    """The trace, after the interpreter has executed it."""
    replay(model, trace)
    return trace


def branching_evidence(model: m.Model, name: str, trace: Trace | None, is_whole: bool) -> None:
    """Execute the evidence of a formula of computation tree logic; `is_whole` if it shows the violation by itself."""
    if trace is not None:
        run = replay(model, trace)
        if is_whole and not run.shows_violation:
            raise Disagreement(f"{name}: {run.message}")


def reservation_about(exploration: Exploration) -> str | None:
    """What must be said about a search that found no error."""
    if exploration.complete and exploration.omission_probability:
        return f"a state was omitted with a probability of at most {exploration.omission_probability:.1g}"
    return exploration.stopped if exploration.storage != "bits" else f"no error was found; {exploration.stopped}"


def counted_errors(exploration: Exploration) -> dict[str, int]:
    """How many errors there are that violate each of the properties that every model has."""
    found = exploration.errors
    faults = sum(found.faults.values()) + found.trace
    return {ASSERTIONS: found.assertions, END_STATES: found.invalid_end_states, FAULTS: faults}
