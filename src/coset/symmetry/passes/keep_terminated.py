"""Termination of processes, and symmetry.

In Promela only the youngest process can terminate, so that process numbers are freed in last-in, first-out order.  This
distinguishes otherwise identical processes, and in the exact state graph no symmetry exchanges them.  Often the difference
is not observable: a process at its end does nothing any more, whether it still exists or not.  `keep_terminated` then lets
all processes stay at their ends, which no property without next can observe, and symmetries can exchange them.

The pass does not apply if an expression counts processes (but for `joins`) or refers to a terminated one, or if priorities,
`_last` or a channel that is removed with its owner make the termination observable.  The channels of process 0 do not: when it
terminates, no other process is left.

If a process may terminate before the last one is started, that one reuses its number, while in the new model it gets another:

    proctype P() { x++ }    init { run P(); run P() }

Theorem.  If no expression depends on a number of a process, the relation "the same processes in the same order, those at
their ends apart" is a bisimulation between both models, in which terminations are stuttering steps, finitely many in a row.
The starter's path must not depend on others (`startup`), so that both models start as many processes, and neither too many.

Processes that are started while the system runs cannot all stay, as there may be no end to them.  The model is then only marked
(`unseen_ends`): a search may leave processes at their ends out of account (`canonical/anonymous`).
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions
from coset.model.interpreter import Interpreter
from coset.symmetry.passes.joins import is_oldest, others_are_over, with_joins, without_joins
from coset.symmetry.startup import StartedStates, startup

NOTICES = (e.ProcessCount, e.Enabled, e.Position, e.PriorityOf, e.LastMover)
"""Expressions whose value may depend on whether a process has terminated."""

NUMBERS = (*NOTICES, e.Self, e.Remote, e.AtLocation, e.Started)
"""Expressions whose value may depend on the number of a process."""


def keep_terminated(model: m.Model) -> m.Model:
    """The model in which processes stay at their ends, if that is invisible; otherwise the model itself."""
    dying, asked = dying_kinds(model), without_joins(model)
    if not dying or model.prioritised or model.remembers_mover or notices(asked, dying_kinds(asked)):
        return model
    interpreter = Interpreter(model)
    started = startup(interpreter)
    if not isinstance(started, StartedStates):
        if reads_numbers(asked):
            return model
        started = startup(interpreter, staying=True)
        if not isinstance(started, StartedStates):
            return replace(model, unseen_ends=True)
    kept = replace(model, kinds=tuple(staying(kind) if kind in dying else kind for kind in model.kinds))
    if asked is model:
        return kept
    all_over = others_are_over(started.state.processes, [ends(kind) for kind in model.kinds], model)
    return with_joins(kept, lambda guard: all_over)


def dying_kinds(model: m.Model) -> list[m.Kind]:
    """The kinds whose processes may terminate."""
    return [kind for kind in model.kinds if any(edge.target == m.GONE for _, edge in kind.edges())]


def notices(model: m.Model, dying: list[m.Kind]) -> bool:
    """Whether the model may refer to a terminated process or to its channels."""
    names = {kind.name for kind in dying}
    ends = {kind.name: {number for number, edge in kind.edges() if edge.target == m.GONE} for kind in dying}
    for kind in dying:
        if has_channels(kind) and (model.empty_at_end or not is_oldest(kind, model)):
            return True
        for number, edge in kind.edges():
            location = kind.locations[number]
            if edge.target == m.GONE and not is_plain_end(location, edge):
                return True
    for whole in (*process_expressions(model), *property_expressions(model)):
        for x in whole.walk():
            match x:
                case e.Remote(kind=name) if name in names:
                    return True
                case e.AtLocation(kind=name, locations=spots) if name in names and spots & ends[name]:
                    return True
                case e.Youngest() | e.Timeout():
                    continue
            if isinstance(x, NOTICES):
                return True
    return False


def ends(kind: m.Kind) -> frozenset[int]:
    """The locations at which a process can only end."""
    return frozenset(number for number, edge in kind.edges() if edge.target == m.GONE)


def has_channels(kind: m.Kind) -> bool:
    return any(isinstance(variable.initial, m.NewChannel) for variable in kind.variables)


def reads_numbers(model: m.Model) -> bool:
    """Whether the number of a process may be read or asked for."""
    return any(
        isinstance(x, NUMBERS)
        for whole in (*process_expressions(model), *property_expressions(model))
        for x in whole.walk()
    )


def is_plain_end(location: m.Location, edge: m.Edge) -> bool:
    """Whether the process only terminates at an unmarked location."""
    return (
        len(location.edges) == 1
        and location.end
        and not location.accept
        and not location.progress
        and all(isinstance(effect, m.Exit) for effect in edge.effects)
        and edge.guard == e.Youngest()
    )


def staying(kind: m.Kind) -> m.Kind:
    """The kind without the steps by which its processes terminate."""
    locations = tuple(
        replace(location, edges=tuple(edge for edge in location.edges if edge.target != m.GONE))
        for location in kind.locations
    )
    return replace(kind, locations=locations)
