"""The naive twin of the passes, by definition: the graphs of all states of two models, each state labelled with all that is
visible, are bisimilar.

Branching bisimulation that respects divergence for passes that join steps, strong bisimulation for the others; the
coarsest one is found by refining a partition by signatures (Blom and Orzan, Distributed branching bisimulation
reduction of state spaces, PDMC 2003).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import gather
from coset.model.evaluate import Evaluator, Fault
from coset.model.interpreter import Interpreter, is_fault
from coset.model.passes import Pass, visible_variables
from coset.model.state import State, offsets
from coset.model.validate import validate
from tests.support.state_graph import TooLarge


@dataclass
class Graph:
    """All states by number: what is visible in each, where its steps lead, how it ends if it has none, and all errors."""

    labels: list[Hashable]
    successors: list[set[int]]
    ends: list[str]
    errors: set[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.labels)


def graph(
    model: m.Model, kept: set[str], limit: int, stored_as: Callable[[State], State] = lambda state: state
) -> Graph | None:
    """The states of a model, None if there are too many.  `kept` are the names of the global variables to look at; a search may
    store another state for each."""
    interpreter = Interpreter(model)
    show = observer(interpreter, kept)
    states = [stored_as(interpreter.initial())]
    numbers = {states[0]: 0}
    result = Graph([], [], [], set())
    for state in states:
        steps = list(interpreter.steps(state))
        after = set()
        for step in steps:
            for move in step.moves[step.shared :]:
                result.errors.update(move.errors)
            if not is_fault(step.moves[-1]):
                target = stored_as(step.state)
                if target not in numbers:
                    numbers[target] = len(states)
                    states.append(target)
                after.add(numbers[target])
        ended = "valid" if not state.processes or interpreter.valid_end(state) else "invalid"
        result.labels.append(show(state))
        result.successors.append(after)
        result.ends.append("" if steps else ended)
        if len(states) > limit:
            return None
    return result


def observer(interpreter: Interpreter, kept: set[str]) -> Callable[[State], Hashable]:
    """Everything that somebody could look at: globals, channels, who is there, marks, and the atoms of properties."""
    model = interpreter.model
    places = offsets(model.variables)
    cells = [places[v] + k for v in model.variables if v.name in kept for k in range(v.size)]
    atoms = [atom for p in model.properties if isinstance(p, m.LtlProperty) for atom in p.formula.atoms()]
    functions = [interpreter.evaluation.expression(x) for x in (e.Accepting(), e.NonProgress(), *atoms)]

    def value(function: Evaluator, state: State) -> int:
        now = interpreter.moment(state, 0)
        now.own = ()
        try:
            return int(function(now))
        except Fault:
            return -1

    def show(state: State) -> Hashable:
        values = tuple(state.values[cell] for cell in cells)
        who = tuple(model.kinds[process.kind].name for process in state.processes)
        told = tuple(value(function, state) for function in functions)
        return values, tuple(c.messages for c in state.channels), who, state.watch, told

    return show


def bisimilar(one: Graph, other: Graph, stuttering: bool) -> bool:
    """Whether the first states of two graphs are bisimilar; with `stuttering`, steps that show nothing do not count."""
    shift = len(one)
    successors = one.successors + [{number + shift for number in after} for after in other.successors]
    ends = one.ends + other.ends
    block = numbered(one.labels + other.labels)
    while True:
        signatures = weak_signatures if stuttering else strong_signatures
        finer = numbered(list(zip(block, signatures(block, successors, ends), strict=True)))
        if max(finer) == max(block):
            return finer[0] == finer[shift]
        block = finer


def numbered(things: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(thing, len(numbers)) for thing in things]


def strong_signatures(block: list[int], successors: list[set[int]], ends: list[str]) -> list[Hashable]:
    return [(end, frozenset(block[t] for t in after)) for end, after in zip(ends, successors, strict=True)]


def weak_signatures(block: list[int], successors: list[set[int]], ends: list[str]) -> list[Hashable]:
    """What can be reached in one step after any number of steps inside of the block; staying inside for ever counts."""
    inert = [[t for t in after if block[t] == block[s]] for s, after in enumerate(successors)]
    component, order = components(inert)
    found: list[frozenset[object]] = [frozenset()] * len(order)
    for number, members in enumerate(order):
        reached: set[object] = set()
        for s in members:
            reached |= {ends[s]} - {""}
            for t in successors[s]:
                if block[t] != block[s]:
                    reached.add(block[t])
                elif component[t] == number:
                    reached.add("for ever")
                else:
                    reached |= found[component[t]]
        found[number] = frozenset(reached)
    return [found[component[s]] for s in range(len(block))]


def components(successors: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Strongly connected components, those that can be reached from another one before it (Tarjan 1972)."""
    count = len(successors)
    index, low, component = [-1] * count, [0] * count, [-1] * count
    open_: list[int] = []
    order: list[list[int]] = []
    clock = 0
    for root in range(count):
        work: list[tuple[int, Iterator[int]]] = []
        enter = [root] if index[root] < 0 else []
        while enter or work:
            if enter:
                node = enter.pop()
                index[node] = low[node] = clock
                clock += 1
                open_.append(node)
                work.append((node, iter(successors[node])))
            node, rest = work[-1]
            for following in rest:
                if index[following] < 0:
                    enter.append(following)
                    break
                if component[following] < 0:
                    low[node] = min(low[node], index[following])
            if enter:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                members = open_[open_.index(node) :]
                del open_[-len(members) :]
                for member in members:
                    component[member] = len(order)
                order.append(members)
    return component, order


def differences(model: m.Model, changed: m.Model, stuttering: bool = True, limit: int = 3000) -> list[str] | None:
    """What is wrong with a changed model, None if the model is too large to tell."""
    if problems := validate(changed):
        return problems
    kept = {variable.name for variable in changed.variables}
    before = graph(model, kept, limit)
    if before is None:
        return None
    after = graph(changed, kept, limit)
    if after is None or len(after) > len(before):
        return ["there are more states"]
    found = [] if bisimilar(before, after, stuttering) else ["not bisimilar"]
    return found + ([f"errors: {before.errors} became {after.errors}"] if before.errors != after.errors else [])


def shown(
    model: m.Model, names: set[str], limit: int = 3000, stored_as: Callable[[State], State] = lambda state: state
) -> Graph:
    """All states, and the values of variables in them; not which processes and channels there are."""
    found = graph(model, names, limit, stored_as)
    if found is None:
        raise TooLarge
    labels = cast("list[tuple[object, ...]]", found.labels)
    return replace(found, labels=[(label[0], *label[3:]) for label in labels])


def changed_correctly(model: m.Model, change: Callable[[m.Model], m.Model]) -> bool:
    """Whether a model is changed at all; if it is, both show the same values in the same order, and end in the same way."""
    changed = change(model)
    if changed is model:
        return False
    assert not validate(changed)
    names = {variable.name for variable in model.variables}
    before, after = (shown(each, names) for each in (model, changed))
    assert bisimilar(before, after, stuttering=True) and before.errors == after.errors
    return True


def run_pass(pass_: Pass, model: m.Model, visible: Collection[m.Variable] = ()) -> m.Model:
    """What a pass makes of a model in which these variables are visible, too."""
    return pass_.run(model, gather(model, {*visible_variables(model), *visible}))
