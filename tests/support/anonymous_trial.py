"""By definition: processes may be arranged in any order in each reachable state, and a search by representatives finds their
representatives, and the same errors."""

from __future__ import annotations

from coset.engines.explicit.safety import explore as explore_compiled
from coset.engines.reduction import reduction
from coset.engines.reference.certify import behaviour
from coset.engines.reference.engine import Explorer, explore
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.results.events import ignore_events
from coset.source.budget import Limits
from coset.symmetry.canonical.anonymous_plan import AnonymousPlan, SortedStates
from tests.support.bisimulation import bisimilar, shown
from tests.support.unreduced import states_of

MOST = 400


def tried(model: m.Model, compiles: bool = False) -> int:
    """How many states the representatives stand for, 0 if the processes are not anonymous."""
    found = reduction(model, model.properties, Settings(symmetry="program"))
    assert "error of Coset" not in (found.used.note or ""), found.used.note
    if not isinstance(found.plan, AnonymousPlan):
        return 0
    interpreter, processes = Interpreter(model), found.plan.processes
    states = states_of(interpreter, MOST)
    for state in states:
        here = processes(state)
        mine = behaviour(interpreter, here, processes)
        for exchange in processes.exchanges(here):
            image = exchange(here)
            assert processes(image) == here
            assert behaviour(interpreter, image, processes) == mine, f"{exchange} in {state}"
    plain = explore(model, Limits(2 * MOST))
    search = Explorer(model, Limits(2 * MOST), ignore_events, SortedStates(processes))
    reduced = search.run()
    assert plain.complete and reduced.complete
    expected = {processes(state) for state in states}
    assert search.stored >= expected and (any(processes.over) or search.stored == expected), "other states are reached"
    assert set(plain.examples) == set(reduced.examples), (plain.examples, reduced.examples)
    if "processes" in plain.examples:
        return len(states)  # a representative may go on where the model has too many processes
    names = {variable.name for variable in model.variables}
    whole, quotient = shown(model, names, MOST), shown(model, names, MOST, processes)
    assert bisimilar(whole, quotient, stuttering=any(processes.over)), "the quotient is not bisimilar"
    if compiles:
        compiled = explore_compiled(model, Limits(2 * MOST), symmetry=found.plan)
        assert (compiled.states, compiled.transitions) == (reduced.states, reduced.transitions)
        assert bool(compiled.errors.total) == bool(reduced.errors.total)
    return len(states)
