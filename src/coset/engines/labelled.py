"""Questions about the labelled graph of a model: which event leads where.

The label of a step is what it prints, so that events need not be part of the state.  The interpreter builds the whole
graph: this is for models of moderate size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, Move, Step, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.results.trace import Trace, from_moves
from coset.source.budget import Limits, OutOfBudget
from coset.source.records import dataclass

SILENT = "tau"
CHECK_EVERY = 256


@dataclass(slots=True)
class Answer:
    """`trace` is a run to the first violation; `stopped` says why the graph is not complete, if it is not."""

    states: int = 0
    transitions: int = 0
    trace: Trace | None = None
    stopped: str | None = None


@dataclass(slots=True)
class Graph:
    """The states, breadth first, each with the step that led to it and the steps that leave it."""

    model: Model
    limits: Limits
    parents: dict[State, tuple[State, Step] | None] = field(default_factory=dict)
    answer: Answer = field(default_factory=Answer)

    def rows(self) -> Iterator[tuple[State, list[Step]]]:
        """Every state that can be reached with its steps; the caller may stop at any time."""
        interpreter = Interpreter(self.model)
        initial = interpreter.initial()
        self.parents[initial] = None
        queue = [initial]
        for state in queue:
            if len(queue) % CHECK_EVERY == 0 and (stopped := self.limits.exceeded(len(queue))):
                self.answer.stopped = stopped
                return
            try:
                steps = [step for step in interpreter.steps(state) if not is_fault(step.moves[-1])]
            except Fault as fault:
                self.answer.stopped = fault.message
                return
            except OutOfBudget as limit:
                self.answer.stopped = str(limit)
                return
            for step in steps:
                if step.state not in self.parents:
                    self.parents[step.state] = state, step
                    queue.append(step.state)
            self.answer.states, self.answer.transitions = len(queue), self.answer.transitions + len(steps)
            yield state, steps

    def run_to(self, state: State, *last: Step) -> Trace:
        """A shortest run to a state, and some steps more."""
        steps: list[Step] = []
        while (link := self.parents[state]) is not None:
            state, step = link
            steps.append(step)
        moves: list[Move] = [move for step in (*reversed(steps), *last) for move in step.moves]
        return from_moves(self.model, moves, "run")


def label(step: Step) -> str:
    return " ".join(text for move in step.moves for text in move.output)


def is_deterministic(model: Model, limits: Limits) -> Answer:
    """Whether no state has two steps with the same label that lead to different states."""
    graph = Graph(model, limits)
    for state, steps in graph.rows():
        targets: dict[str, State] = {}
        for step in steps:
            if targets.setdefault(label(step), step.state) != step.state:
                graph.answer.trace = graph.run_to(state, step)
                return graph.answer
    return graph.answer


def is_divergence_free(model: Model, limits: Limits) -> Answer:
    """Whether there is no cycle of silent steps."""
    graph = Graph(model, limits)
    silent = {state: [step for step in steps if label(step) == SILENT] for state, steps in graph.rows()}
    cycle = find_cycle(silent)
    if cycle is not None:
        first, steps = cycle
        graph.answer.trace = graph.run_to(first, *steps)
    return graph.answer


def find_cycle(silent: dict[State, list[Step]]) -> tuple[State, list[Step]] | None:
    """A state and steps that lead back to it.  Depth first; what was left without a cycle is never on one."""
    done: set[State] = set()
    for start, first in silent.items():
        if start in done:
            continue
        path: list[tuple[State, Step | None]] = [(start, None)]
        depth = {start: 0}
        stack = [iter(first)]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                state, _ = path.pop()
                stack.pop()
                del depth[state]
                done.add(state)
            elif step.state in depth:
                steps = [taken for _, taken in path[depth[step.state] + 1 :] if taken is not None]
                return step.state, [*steps, step]
            elif step.state not in done:
                depth[step.state] = len(path)
                path.append((step.state, step))
                stack.append(iter(silent.get(step.state, ())))
    return None
