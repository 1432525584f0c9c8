"""Second opinions on counterexamples: the interpreter executes them, and so does `spin -t`."""

from __future__ import annotations

from pathlib import Path

from coset.formats.spin_replay import check_with_spin, differences, values
from coset.formats.spin_trail import trail
from coset.model.interpreter import Move, is_fault
from coset.model.model import Model
from coset.results.trace import Run, in_control, replay
from coset.results.verdict import Check, PropertyResult, Verdict


def confirmed(model: Model, result: Check, fair: bool = False, path: Path | None = None) -> None:
    """Every violated property has a run that shows it, and no other has one.  With the `path` of the model, SPIN
    replays the run, too."""
    for each in result.properties:
        assert (each.trace is not None) == (each.verdict is Verdict.VIOLATED)
        if each.trace is not None:
            run = replay(model, each.trace)
            assert not fair or is_fair(run)
            if path is not None and not overflows(run):
                found = differences(run, check_with_spin(path, trail(run)))
                assert not found, f"{each.name}: {found}"


def overflows(run: Run) -> bool:
    """Whether some `bit` or `bool` holds more than 1.  In arrays and in messages SPIN's verifier has room for that, its
    simulator has not, so that what the verifier finds is not always what the simulator replays."""
    return any(
        domain.name in ("bit", "bool") and value > 1
        for state in run.states
        for _, domain, value in values(run.interpreter, state)
    )


def is_fair(run: Run) -> bool:
    """Whether every process that can always move in the cycle does, by the definition.  Who can only answer in a
    handshake cannot move by itself, and a step into a fault leads nowhere."""
    start = run.trace.loop_start
    if start is None or start == len(run.moves):
        return True
    neglected = set(range(len(run.states[start].processes)))
    for state, holder, move in list(zip(run.states, run.holders, run.moves))[start:]:
        neglected -= movers(move)
        if in_control(run.interpreter, state, holder) is None:
            able: set[int] = set()
            for step in run.interpreter.steps(state):
                if not is_fault(step.moves[-1]):
                    able.add(step.moves[0].process)
            neglected &= able
    return not neglected


def movers(move: Move) -> set[int]:
    return {move.process} | ({move.partner[0]} if move.partner else set())


def stops(result: PropertyResult) -> bool:
    """Whether the run that shows the violation comes to a halt."""
    return result.trace is not None and result.trace.loop_start in (None, len(result.trace))
