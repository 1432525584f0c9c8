"""Processes that are started while the system runs: what tells them apart, and where.

If nothing does, states are stored once for all orders of their processes (`canonical/anonymous`).  What reads their numbers
distinguishes them: the number of a process that has ended is used again, and it is free only when all younger processes have
ended.

    do :: _nr_pr < 4 -> run worker() :: ... od          `_nr_pr` also counts workers that wait for younger ones to end

A join (`_nr_pr == 1` in the first process) does not, where no property can observe when processes end.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import edge_expressions, kind_expressions
from coset.source.text import Span
from coset.symmetry.explain.suspects import Suspect
from coset.symmetry.passes.joins import is_oldest, without_joins
from coset.symmetry.passes.keep_terminated import dying_kinds, has_channels

ANY_ORDER = (
    "nothing reads the numbers of processes, so `check` stores a state once for all orders of its processes; `explore` counts "
    "each of them, as not all can be reached"
)
OWN_CHANNEL = "has a channel of its own, which is removed with it: channels are numbered in the order of starts"
TIMEOUT = "`timeout` is false while a process may end, which depends on the order in which processes were started"


def observations(model: m.Model) -> tuple[Suspect, ...]:
    """What observes the numbers of processes, each with its place; if nothing does, what helps."""
    found = dict.fromkeys(
        Suspect("observed", (sentence, span), sentence, span)
        for x, span in (*read_by_processes(without_joins(model)), *read_by_properties(model))
        if (sentence := observed(x)) is not None
    )
    others = tuple(dict.fromkeys(
        Suspect("observed", (sentence, span), sentence, span) for sentence, span in obstacles(model)
    ))  # fmt: skip
    return tuple(found) or others or (Suspect("observed", ANY_ORDER, ANY_ORDER),)


def obstacles(model: m.Model) -> Iterator[tuple[str, Span | None]]:
    """Why processes that no expression tells apart cannot be arranged in any order."""
    for kind in model.kinds:
        if has_channels(kind) and not is_oldest(kind, model):
            yield f"{kind.name} {OWN_CHANNEL}", kind.span
    for x, span in read_by_processes(model):
        if isinstance(x, e.Timeout) and dying_kinds(model):
            yield TIMEOUT, span


def observed(x: e.Expr) -> str | None:
    """How an expression depends on the numbers of processes."""
    match x:
        case e.ProcessCount():
            return (
                "`_nr_pr` also counts processes that have ended and wait for younger ones to end, so the order in which they "
                "were started is observed"
            )
        case e.Self():
            return "`_pid` is read: numbers are used again, so it depends on which processes have ended before"
        case e.Remote() | e.AtLocation() | e.Enabled() | e.Position() | e.PriorityOf() if any(
            True for _ in x.children()
        ):
            return f"`{x}` names a process by its number"
        case e.LastMover():
            return "`_last` is the number of a process"
    return None


def read_by_processes(model: m.Model) -> Iterator[tuple[e.Expr, Span | None]]:
    for kind in model.kinds:
        for _, edge in kind.edges():
            effects = tuple(effect for effect in edge.effects if not isinstance(effect, m.Print))
            for whole in edge_expressions(m.Edge(edge.target, edge.guard, effects)):
                yield from ((x, edge.span) for x in whole.walk())


def read_by_properties(model: m.Model) -> Iterator[tuple[e.Expr, Span | None]]:
    for property_ in model.properties:
        if isinstance(property_, m.Claim):
            wholes, span = list(kind_expressions(property_.automaton)), property_.automaton.span
        else:
            wholes, span = list(property_.formula.atoms()), property_.span
        yield from ((x, span) for whole in wholes for x in whole.walk())
