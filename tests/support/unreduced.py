"""What a search on the quotient found, compared with one of all states by the same engine's naive twin."""

from __future__ import annotations

from coset.engines.reduction import Reduction, reduction
from coset.engines.reference.engine import explore
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.source.budget import Limits
from coset.symmetry.certify import value
from coset.symmetry.conditions import property_conditions
from coset.symmetry.symmetry import Symmetry
from tests.support.state_graph import TooLarge
from tests.support.symmetry_trial import commutes

MOST = 3000


def states_of(interpreter: Interpreter, most: int = MOST) -> set:  # type: ignore[type-arg]
    """All reachable states, by the interpreter."""
    queue = [interpreter.initial()]
    seen = set(queue)
    for state in queue:
        for step in interpreter.steps(state):
            if step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
        if len(queue) > most:
            raise TooLarge
    return seen


def tried_everywhere(symmetry: Symmetry, model: m.Model, most: int = MOST) -> None:
    """By definition: every generator commutes with every step from every reachable state of the model as it is written, and
    with what properties see; if sums are claimed, the reachable states are mapped to themselves."""
    interpreter = Interpreter(model)
    states = states_of(interpreter, most)
    truths = [interpreter.evaluation.expression(x) for x in property_conditions(model.properties)]
    for action in symmetry.actions:
        for state in states:
            if not action.acts_on(state):
                continue
            image = action(state)
            assert commutes(interpreter, action, state), f"{action} in {state}"
            assert all(value(interpreter, x, state) == value(interpreter, x, image) for x in truths), action
            assert not symmetry.sums or image in states, f"{action} leaves the reachable states"


def compared(model: m.Model, counts: bool = True) -> Reduction:
    """The reduction that a search uses; its sum is that of all states, if one is claimed, and it finds the same errors."""
    found = reduction(model, model.properties, Settings(symmetry="program"), counts=counts)
    if not isinstance(found.symmetry, Symmetry) or found.symmetry.order == 1:
        return found
    tried_everywhere(found.symmetry, model)
    representatives = found.representatives()
    assert representatives is not None
    plain = explore(model, Limits(2 * MOST))
    reduced = explore(model, Limits(2 * MOST), representatives=representatives)
    assert plain.complete and reduced.complete
    assert reduced.represents == (plain.states if found.symmetry.sums else None)
    assert not counts or reduced.represents is not None
    assert set(plain.examples) == set(reduced.examples)
    return found
