"""The shade: what the processes outside of the spotlight may do to what is known.

For every class that can have such processes and every move of it that changes a global variable that some predicate reads,
one transition: some process of the shade is at the source of the move, the guard holds, and the predicates are what the
update makes of them.  It is never a must, as nothing says that there is such a process, or that it moves.  All that such
processes do besides, to themselves or to what no predicate reads, is the step that changes nothing.

What a process of the shade may do depends on the invariants: that it gives back a semaphore only if it has got it is a
conservation law of the program, not of the word `release`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.engines.spotlight.kleene import Truth, join
from coset.engines.spotlight.program import SLOTS, Move
from coset.engines.spotlight.state import GUEST, AbstractState, Cause

if TYPE_CHECKING:
    from coset.engines.spotlight.abstraction import Abstraction, Here
    from coset.engines.spotlight.solver import Term


def shade_steps(abstraction: Abstraction, here: Here) -> list[tuple[AbstractState, Truth, Cause]]:
    """The steps of processes in the shade that may change what is known."""
    found = []
    places, values = here.state
    for class_ in abstraction.program.classes:
        if not abstraction.has_shade(class_):
            continue
        for place in class_.locations:
            for move in class_.moves[place]:
                if is_noticed(abstraction, move):
                    after = here.ask(("shade", move.number), values_after, abstraction, here, move)
                    if after is not None and after != values:
                        found.append((AbstractState(places, after), Truth.UNKNOWN, Cause(move, None)))
    return merged(found, here.state) if abstraction.merges_shade and found else found


def is_noticed(abstraction: Abstraction, move: Move) -> bool:
    """Whether a move of the shade changes what some predicate reads."""
    changed = [variable for variable, _ in move.updates if variable.owner is None]
    return any((variable, None) in reads for reads in abstraction.reads for variable in changed)


def values_after(abstraction: Abstraction, here: Here, move: Move) -> tuple[Truth, ...] | None:
    """What is known after a move of a process in the shade; None if it is not possible."""
    guest = move.class_ * SLOTS + GUEST
    solver, context = abstraction.solver, abstraction.context
    places = here.state.places

    def facts() -> list[Term]:
        more = context.guest_facts(abstraction.listed(places), guest, move.source)
        return [*abstraction.facts(places), *more, solver.truth(abstraction.guard(move, guest))]

    setting = context.setting((abstraction.slots, here.key[0], move.number), facts)
    given = here.known_predicates(setting)
    if not setting.possible(*given):
        return None
    found = []
    for number, value in enumerate(here.state.values):
        before = abstraction.after(number, move, guest)
        untouched = before is abstraction.predicates[number]
        found.append(value if untouched else setting.decide(solver.truth(before), *given))
    return tuple(found)


def merged(
    steps: list[tuple[AbstractState, Truth, Cause]], state: AbstractState
) -> list[tuple[AbstractState, Truth, Cause]]:
    """One step for all: the process that the paper calls P_bottom.  A predicate stays known if no step changes it."""
    values = state.values
    for target, _, _ in steps:
        values = tuple(map(join, values, target.values))
    return [(AbstractState(state.places, values), Truth.UNKNOWN, steps[0][2])]
