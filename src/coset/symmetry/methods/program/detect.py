"""From a model to its group: find the started states, infer sorts, build the graph, find and certify its automorphisms.

symmetry = detect(model)          all that the processes and the model's properties allow
symmetry.group.order, symmetry.describe()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from coset.model import model as m
from coset.model.analysis.ranges import find_ranges
from coset.model.interpreter import Interpreter
from coset.symmetry.action import Action, Points
from coset.symmetry.certify import MOVES, certify, certify_steps
from coset.symmetry.certify_text import certify_text
from coset.symmetry.conditions import property_conditions
from coset.symmetry.dead_starts import Starts, dead_variables, distinguish, is_closed, keeps_ranges
from coset.symmetry.free_starts import id_variables
from coset.symmetry.groups.aside import TooMuchMemory
from coset.symmetry.groups.automorphisms import TooManyVertices
from coset.symmetry.groups.group import Group
from coset.symmetry.joined_choices import joined_choices
from coset.symmetry.logical_values import written_as_choices
from coset.symmetry.loop_summaries import summarised
from coset.symmetry.methods.program.graph import ProgramGraph, program_graph
from coset.symmetry.sort_inference import infer
from coset.symmetry.startup import UnknownProcesses, startup
from coset.symmetry.symmetry import Finding, Symmetry, pinned_objects
from coset.symmetry.values import find_values

MOST_COMPARED = 5000
"""Edges whose texts are compared with what the generators make of them: more would take long."""


MOST_EDGES = 20_000
"""Edges of all kinds together.  Automata of this size are products of processes that a language has not kept apart."""
TOO_LARGE = "the model is too large for its symmetry to be looked for"


def detect(
    model: m.Model, properties: Sequence[m.Property] | None = None, *, moves: int = MOVES, starts: Starts = Starts.KEPT
) -> Symmetry:
    """The symmetries of a model that keep the given properties (by default all that it states).  They are tried on
    reachable states for so many moves, on one state at least."""
    kept = model.properties if properties is None else tuple(properties)
    whole = replace(model, properties=kept)
    if sum(len(location.edges) for kind in model.kinds for location in kind.locations) > MOST_EDGES:
        large = Finding(f"{TOO_LARGE}: its automata have more than {MOST_EDGES:,} edges")
        return Symmetry("program", model, None, Group(0), findings=(large,))
    found = largest([detected(read, whole, starts) for read in readings(whole)])
    if isinstance(found, Finding):
        return Symmetry("program", model, None, Group(0), findings=(found,))
    group, actions = found.group, found.actions
    tried = certify(actions, property_conditions(kept), moves)
    if moves >= MOVES and len(actions) * sum(1 for kind in model.kinds for _ in kind.edges()) <= MOST_COMPARED:
        certify_text(actions, kept)
    read = found.points.interpreter.model
    if read is not whole:
        found = found._replace(points=on_states_of(whole, found.points))
        certify_steps(found.actions, moves)
    return Symmetry(
        "program", model, found.points, group, findings=pinned_objects(found.points.sorts), certified=tried,
        sums=found.sums, read=read,
    )  # fmt: skip


def readings(model: m.Model) -> list[m.Model]:
    """The model, and models with the same observable states and steps whose text may show more symmetry."""
    found = [model]
    for read in (summarised, joined_choices, written_as_choices):
        better = read(found[-1])
        if better is not found[-1] and has_same_start(model, better):
            found.append(better)
    return found


def has_same_start(model: m.Model, read: m.Model) -> bool:
    started, others = startup(Interpreter(model)), startup(Interpreter(read))
    if isinstance(started, UnknownProcesses) or isinstance(others, UnknownProcesses):
        return False
    return set(started.states) == set(others.states)


def detected(read: m.Model, model: m.Model, starts: Starts) -> Detected | Finding:
    """The group of a model as it is read."""
    program = program_of(read, model.properties)
    if isinstance(program, Finding):
        return program
    try:
        found = Detected(program.points, program.graph.group(program.vertices))
    except TooMuchMemory as error:
        return Finding(str(error))
    return found if starts is Starts.KEPT else larger(found, model, starts) or found


def largest(found: Sequence[Detected | Finding]) -> Detected | Finding:
    """The largest group; of equal ones the first."""
    groups = [each for each in found if not isinstance(each, Finding)]
    return max(groups, key=lambda each: each.group.order) if groups else found[0]


def on_states_of(model: m.Model, points: Points) -> Points:
    """The points of a readable model, to act on states of the model as it is written."""
    interpreter = Interpreter(model)
    started = startup(interpreter)
    assert not isinstance(started, UnknownProcesses)
    return replace(points, interpreter=interpreter, started=replace(started, free=points.started.free))


class Detected(NamedTuple):
    """A group before it is certified."""

    points: Points
    group: Group
    sums: bool = True

    @property
    def actions(self) -> list[Action]:
        return [Action(self.points, generator) for generator in self.group.generators]


def larger(found: Detected, model: m.Model, starts: Starts) -> Detected | None:
    """A larger group that changes values of the started states, if there is one: values of ids, or only dead ones.  What is
    known of the values of variables, in the model as it is read and as it is written, must stay true."""
    points = found.points
    dead = dead_variables(points.interpreter, points.started)
    for free in dict.fromkeys((dead | id_variables(points), dead)):
        more = freed(found, model, free) if distinguish(points, free) else found
        if more.group.order <= found.group.order:
            break  # with fewer free variables there are no more symmetries
        known = [find_ranges(points.interpreter.model), find_ranges(model)]
        if all(keeps_ranges(more.actions, ranges) for ranges in known):
            more = more._replace(sums=is_closed(more.points, more.actions))
            if more.sums or starts is Starts.FREE:
                return more
    return None


def freed(found: Detected, model: m.Model, free: frozenset[m.Variable]) -> Detected:
    """The group that may change the initial values of some variables."""
    interpreter, started, sorts = found.points.interpreter, found.points.started, found.points.sorts
    program = program_graph(interpreter, replace(started, free=free), sorts, model.properties)
    return Detected(program.points, program.graph.group(program.vertices))


def program_of(model: m.Model, properties: Sequence[m.Property]) -> ProgramGraph | Finding:
    """The graph of a model, or why there is none."""
    if any(variable.hidden for variable in model.variables):
        return Finding(
            "hidden variables that a later step may read: which state stands for several depends on the order of the search"
        )
    interpreter = Interpreter(model)
    started = startup(interpreter)
    if isinstance(started, UnknownProcesses):
        return Finding(started.why, started.span)
    sorts = infer(interpreter, started)
    find_values(interpreter, started, sorts)
    try:
        return program_graph(interpreter, started, sorts, properties)
    except TooManyVertices as error:
        return Finding(f"{TOO_LARGE}: its graph has {error}")


def points_of(model: m.Model, properties: Sequence[m.Property]) -> Points | Finding:
    """What may be permuted in a model, or why nothing may be."""
    program = program_of(model, properties)
    return program if isinstance(program, Finding) else program.points
