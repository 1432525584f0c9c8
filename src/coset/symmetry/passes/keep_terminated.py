"""Termination of processes, and symmetry.

In Promela only the youngest process can terminate, so that process numbers are freed in last-in, first-out order.  This
distinguishes otherwise identical processes, and in the exact state graph no symmetry exchanges them.  Often the difference
is not observable: a process at its end does nothing any more, whether it still exists or not.  `keep_terminated` then lets
all processes stay at their ends, which no property without next can observe, and symmetries can exchange them.

The pass does not apply if new processes reuse the numbers of old ones, if an expression counts processes or refers to a
terminated one, or if priorities, `_last` or a channel that is removed with its owner make the termination observable.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions
from coset.model.interpreter import Interpreter
from coset.symmetry.startup import StartedStates, startup

NOTICES = (e.ProcessCount, e.Enabled, e.Position, e.PriorityOf, e.LastMover)
"""Expressions whose value may depend on whether a process has terminated."""


def keep_terminated(model: m.Model) -> m.Model:
    """The model in which processes stay at their ends, if that is invisible; otherwise the model itself."""
    dying = [kind for kind in model.kinds if any(edge.target == m.GONE for _, edge in kind.edges())]
    if not dying or model.prioritised or model.remembers_mover or notices(model, dying):
        return model
    if not isinstance(startup(Interpreter(model)), StartedStates):
        return model
    return replace(model, kinds=tuple(staying(kind) if kind in dying else kind for kind in model.kinds))


def notices(model: m.Model, dying: list[m.Kind]) -> bool:
    """Whether the model may refer to a terminated process or to its channels."""
    names = {kind.name for kind in dying}
    ends = {kind.name: {number for number, edge in kind.edges() if edge.target == m.GONE} for kind in dying}
    for kind in dying:
        if any(isinstance(variable.initial, m.NewChannel) for variable in kind.variables):
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
