"""Dead ids name no process.

`byte j` in an `active` process starts as 0, which is the number of the first process, although `j` is not read before it is
written.  In the state, the first process then differs from the others.  If the value is dead at the start, it is replaced by
a number that names no process, and merged steps reset the variable to the same number.

A variable that is read before it is written keeps its initial value.  If that is an id, merged steps reset the variable to this
id wherever it is dead, which favours a process.  `null_reset_ids` lets them reset it to a number that names no process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import gather
from coset.model.analysis.liveness import Liveness, liveness
from coset.model.analysis.occurrences import visible_variables
from coset.model.domain import BYTE
from coset.model.interpreter import Interpreter
from coset.model.rewrite import replace_variables
from coset.symmetry.free_starts import names
from coset.symmetry.sort_inference import infer
from coset.symmetry.sorts import Sort, Sorts
from coset.symmetry.startup import StartedStates, startup
from coset.symmetry.values import find_values


def started_sorts(model: m.Model) -> tuple[StartedStates, Sorts] | None:
    """The started states and the sorts with their values, if all processes are known."""
    interpreter = Interpreter(model)
    started = startup(interpreter, staying=True)
    if not isinstance(started, StartedStates):
        return None
    sorts = infer(interpreter, started)
    find_values(interpreter, started, sorts)
    return started, sorts


def null_dead_ids(model: m.Model) -> m.Model:
    """The model in which ids that are dead at the start name no process."""
    found = started_sorts(model)
    if found is None:
        return model
    started, sorts = found
    facts = gather(model, visible_variables(model))
    images: dict[m.Variable, m.Variable] = {}
    for number, kind in enumerate(model.kinds):
        if not any(process.kind == number for process in started.state.processes):
            continue
        life = liveness(kind, facts)
        for variable in kind.variables[kind.parameters :]:
            unused = unused_number(variable, sorts.of_variable[variable].leader)
            if variable in life.tracked - life.at[kind.start] and not variable.shape and unused is not None:
                images[variable] = replace(variable, initial=(e.Const(unused),))
    return replace_variables(model, images) if images else model


def null_reset_ids(model: m.Model) -> m.Model:
    """The model in which a dead variable of ids is reset to a number that names no process."""
    facts = gather(model, visible_variables(model))
    lives = [liveness(kind, facts) for kind in model.kinds]
    if not any(any_reset(life) for life in lives):
        return model
    found = started_sorts(model)
    if found is None:
        return model
    _, sorts = found

    def neutral(variable: m.Variable, value: int) -> int:
        """What a variable is reset to instead of a value."""
        sort = sorts.of_variable[variable].leader
        unused = unused_number(variable, sort) if names(sort, value, sorts.processes) else None
        return value if unused is None else unused

    kinds = []
    for life in lives:
        changed = {id(edge): replace(edge, effects=effects) for edge, effects in with_resets(life, neutral)}
        locations = (
            replace(location, edges=tuple(changed[id(edge)] for edge in location.edges))
            for location in life.kind.locations
        )
        kinds.append(replace(life.kind, locations=tuple(locations)))
    return replace(model, kinds=tuple(kinds)) if tuple(kinds) != model.kinds else model


def any_reset(life: Liveness) -> bool:
    """Whether a constant is assigned to a dead variable somewhere."""
    return any(effects != edge.effects for edge, effects in with_resets(life, lambda _, value: value + 1))


def with_resets(
    life: Liveness, neutral: Callable[[m.Variable, int], int]
) -> Iterator[tuple[m.Edge, tuple[m.Effect, ...]]]:
    """The edges of a kind, each with its effects, in which constants that are assigned to dead variables are replaced."""
    for _, edge in life.kind.edges():
        live, found = life.after_edge(edge), list[m.Effect]()
        for effect in reversed(edge.effects):
            match effect:
                case m.Assign(e.Place(variable, ()), e.Const(value)) if variable is not None and life.is_dead_store(
                    effect, live
                ):
                    number = neutral(variable, value)
                    found.append(effect if number == value else replace(effect, value=e.Const(number)))
                case _:
                    found.append(effect)
            live = life.before_effect(effect, live)
        yield edge, tuple(reversed(found))


def unused_number(variable: m.Variable, sort: Sort) -> int | None:
    """A number that fits into a variable of ids and is not an id, if the initial value of the variable is one.  It should fit
    wherever ids are, also into a message with a `byte`, so that the sort need not be pinned."""
    if sort.objects == "channel" or not (sort.objects or sort.dimensions) or isinstance(variable.initial, m.NewChannel):
        return None
    highest = variable.domain.high
    return next((number for number in (min(highest, BYTE.high), highest) if number not in sort.values), None)
