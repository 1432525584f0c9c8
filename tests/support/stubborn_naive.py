"""The naive twin of partial order reduction: stubborn sets by the definition, on the states of the interpreter.

`present` and `future` evaluate the accesses of the theory (`coset.model.analysis`) in a state, object by object, without
masks.  `Reduced` searches as the compiled engine does, but slowly; `violations` tells what is wrong with a set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator

from coset.engines.explicit.stubborn import reducible
from coset.model import model as m
from coset.model.analysis import Access, Aspect
from coset.model.analysis.accesses import ChannelSet, When
from coset.model.analysis.aspects import adverse
from coset.model.analysis.facts import Facts
from coset.model.analysis.occurrences import property_expressions
from coset.model.evaluate import flat
from coset.model.interpreter import FAULTS, Interpreter, Step, is_fault
from coset.model.state import State

Touched = set[tuple[Aspect, Hashable]]


class Sets:
    """Stubborn sets of one model."""

    def __init__(self, model: m.Model, facts: Facts) -> None:
        self.interpreter, self.accesses = Interpreter(model), facts.accesses
        self.steps = {(k.name, n): self.accesses.step(k, n) for k in model.kinds for n in range(len(k.locations))}
        self.seen = self.accesses.observed(property_expressions(model))

    def value(self, state: State, pid: int, x: object) -> int:
        now = self.interpreter.moment(state, pid)
        now.own = state.processes[pid].values if pid >= 0 else ()
        return self.interpreter.evaluation.expression(x)(now)  # type: ignore[arg-type]

    def objects(self, state: State, pid: int, access: Access) -> Iterator[Hashable]:
        match access.subject:
            case m.Variable(shape=shape) as variable:
                every = range(variable.size)
                if access.indices is not None and shape:
                    known = [self.value(state, pid, index) for index in access.indices]
                    every = range(flat(known, shape), flat(known, shape) + 1)
                yield from ((variable, k) for k in every)
            case ChannelSet(x, origins):
                if x is not None:
                    yield self.value(state, pid, x)
                else:
                    yield from (n for n, c in enumerate(state.channels, 1) if self.may_denote(c.type, origins))
            case _:
                yield access.subject

    def may_denote(self, type_: int, origins: Iterable[m.Variable]) -> bool:
        types = self.interpreter.channel_types
        return any(isinstance(o.initial, m.NewChannel) and o.initial.type is types[type_] for o in origins)

    def counts(self, state: State, pid: int, access: Access) -> bool:
        """Whether an access counts while the process waits."""
        match access.subject:
            case ChannelSet(x) if x is not None and access.when in (When.EMPTY, When.FULL):
                number = self.value(state, pid, x)
                if not 1 <= number <= len(state.channels):
                    return True
                held = state.channels[number - 1]
                capacity = self.interpreter.channel_types[held.type].capacity
                return len(held.messages) == 0 if access.when is When.EMPTY else len(held.messages) >= max(1, capacity)
        return True

    def touched(self, state: State, pid: int, accesses: Iterable[Access]) -> Touched:
        return {(a.aspect, o) for a in accesses if self.counts(state, pid, a) for o in self.objects(state, pid, a)}

    def kind(self, state: State, pid: int) -> m.Kind:
        return self.interpreter.model.kinds[state.processes[pid].kind]

    def present(self, state: State, pid: int) -> Touched:
        return self.touched(state, pid, self.steps[self.kind(state, pid).name, state.processes[pid].at])

    def future(self, state: State, pid: int) -> Touched:
        return self.touched(state, pid, self.accesses.future(self.kind(state, pid).name)[state.processes[pid].at])

    def groups(self, state: State) -> list[frozenset[int]]:
        """The stubborn sets that are not everyone, the smallest first; none where only a timeout helps."""
        everyone = range(len(state.processes))
        if not any(move for pid in everyone for move in self.interpreter.moves_of(state, pid, timeout=False)):
            return []
        later = [self.future(state, pid) for pid in everyone]
        observed = self.touched(state, -1, self.seen)
        found: list[frozenset[int]] = []
        for seed in reversed(everyone):
            group, pending, is_visible = {seed}, [seed], False
            while pending:
                pid = pending.pop()
                against = {(b, o) for a, o in self.present(state, pid) for b in adverse(a)}
                is_visible = is_visible or not against.isdisjoint(observed)
                more = {q for q in everyone if q != pid and not against.isdisjoint(later[q])} - group
                group |= more
                pending += more
            if len(group) < len(state.processes) and not is_visible and frozenset(group) not in found:
                found.append(frozenset(group))
        return sorted(found, key=len)


class Reduced:
    """A search for errors in single states that lets stubborn sets move, depth first."""

    def __init__(self, model: m.Model) -> None:
        facts = reducible(model)
        self.sets = Sets(model, facts) if facts is not None else None
        self.interpreter = Interpreter(model)
        self.errors: set[tuple[str, str]] = set()
        self.states: set[State] = set()

    def run(self, limit: int = 20_000) -> set[tuple[str, str]]:
        first = self.interpreter.initial()
        pending = deque([first])
        self.states.add(first)
        while pending and len(self.states) <= limit:
            state = pending.popleft()
            steps = list(self.interpreter.steps(state))
            if not steps and not self.interpreter.valid_end(state):
                self.errors.add(("end", "invalid end state"))
            for group in self.order(state):
                new = [s.state for s in self.taken(steps, group) if s.state not in self.states]
                self.states.update(new)
                pending.extend(dict.fromkeys(new))
                if new:
                    break
        return self.errors

    def order(self, state: State) -> list[frozenset[int]]:
        everyone = frozenset(range(len(state.processes)))
        return [*(self.sets.groups(state) if self.sets is not None else ()), everyone]

    def taken(self, steps: Iterable[Step], group: frozenset[int]) -> Iterator[Step]:
        for step in steps:
            if step.moves[0].process in group:
                self.errors.update(error for move in step.moves for error in move.errors)
                if not is_fault(step.moves[-1]):
                    yield step


# --- the definition ------------------------------------------------------------------------------


def label(step: Step) -> Hashable:
    """What a step is, wherever it happens: who takes which edges, with whom, and what goes wrong."""
    return tuple(
        (move.process, id(move.edge), (move.partner[0], id(move.partner[1])) if move.partner else None,
         tuple(kind for kind, _ in move.errors), move.holder)
        for move in step.moves
    )  # fmt: skip


Steps = dict[Hashable, set[State]]
"""Steps by what they are, with where they lead."""


def steps_of(interpreter: Interpreter, state: State) -> Steps:
    found: Steps = {}
    for step in interpreter.steps(state):
        found.setdefault(label(step), set()).add(step.state)
    return found


def violations(interpreter: Interpreter, start: State, group: frozenset[int], limit: int = 300) -> Iterator[str]:
    """Whether the steps of a set are persistent: whatever other steps come first, they stay possible and commute with
    them (Godefroid, LNCS 1032, definition 4.1)."""
    mine = {label(step) for step in interpreter.steps(start) if step.moves[0].process in group}
    if all(map(is_failing, mine)):
        return
    seen, pending = {start}, [start]
    while pending and len(seen) < limit:
        here = steps_of(interpreter, pending.pop())
        if not mine <= here.keys():
            yield f"a step of {sorted(group)} is taken away by what others do"
            return
        after_mine = {own: [steps_of(interpreter, s) for s in here[own]] for own in mine if not is_failing(own)}
        for other in here.keys() - mine:
            for target in here[other] if not is_failing(other) else ():
                after = steps_of(interpreter, target)
                for own, steps in after_mine.items():
                    if not after.get(own, set()) <= {t for each in steps for t in each.get(other, ())}:
                        yield f"a step of {sorted(group)} does not commute with another one"
                        return
                if target not in seen:
                    seen.add(target)
                    pending.append(target)


def is_failing(name: Hashable) -> bool:
    """Whether a step ends in a fault."""
    return bool(name[-1][3]) and name[-1][3][-1] in FAULTS  # type: ignore[index]
