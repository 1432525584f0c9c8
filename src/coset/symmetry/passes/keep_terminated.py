"""Processes that end, and symmetry.

In Promela only the youngest process can go away, so that numbers are given back in order: two processes that do the same
are told apart by when they may disappear, and in the exact state graph no symmetry exchanges them.  But often nobody notices:
a process that has come to its end does nothing any more, whether it is still there or not.  `keep_terminated` then lets all
processes stay at their ends, which no property without next can tell, and symmetries are free again.

What must not be: that new processes take the numbers of old ones, that somebody counts processes or looks into one
that is gone, that priorities, `_last` or a channel that dies with its owner make the disappearance felt.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import process_expressions, property_expressions
from coset.model.interpreter import Interpreter
from coset.symmetry.startup import StartedStates, startup

NOTICES = (e.ProcessCount, e.Enabled, e.Position, e.PriorityOf, e.LastMover)
"""Expressions that may tell that a process has gone."""


def keep_terminated(model: m.Model) -> m.Model:
    """The model in which processes stay at their ends, if that is invisible; else the model as it is."""
    dying = [kind for kind in model.kinds if any(edge.target == m.GONE for _, edge in kind.edges())]
    if not dying or model.prioritised or model.remembers_mover or notices(model, dying):
        return model
    if not isinstance(startup(Interpreter(model)), StartedStates):
        return model
    return replace(model, kinds=tuple(staying(kind) if kind in dying else kind for kind in model.kinds))


def notices(model: m.Model, dying: list[m.Kind]) -> bool:
    """Whether the model may refer to a process that has terminated, or about what it leaves behind."""
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
    """Whether all that happens at a location is that the process ends, and nothing marks it."""
    return (
        len(location.edges) == 1
        and location.end
        and not location.accept
        and not location.progress
        and all(isinstance(effect, m.Exit) for effect in edge.effects)
        and edge.guard == e.Youngest()
    )


def staying(kind: m.Kind) -> m.Kind:
    """The kind without the steps by which its processes go away."""
    locations = tuple(
        replace(location, edges=tuple(edge for edge in location.edges if edge.target != m.GONE))
        for location in kind.locations
    )
    return replace(kind, locations=locations)
