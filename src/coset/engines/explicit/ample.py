"""Partial order reduction: locations from which it is enough to let one process move.

A set of steps is *ample* if what all others do cannot interfere with it: D. Peled, "All from one, one for all" (CAV 1993).
Here it is all steps of one process at a location where each is private (own variables only), or where the only step sends to
(receives from) a channel that no one else sends to (receives from) and no one asks about.  Such steps commute with those
of all other processes, none of which can enable more of them or take them away (conditions C0 and C1), and no property
without next can see them (C2).

That nothing is put off for ever (C3) is seen to beforehand, without looking at the search: every cycle of an automaton
has a location that is not ample (R. Kurshan, V. Levin, M. Minea, D. Peled, H. Yenigun, "Static partial order reduction",
TACAS 1998).  So it goes with any order of search, with several threads, and with symmetry: representatives are states
of the model, and the quotient has the same steps up to permutation (E. A. Emerson, S. Jha, D. Peled, TACAS 1997).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.passes.draft import Draft, has_no_message
from coset.model.passes.facts import Facts, gather, process_expressions, property_expressions, visible_variables
from coset.model.state import State
from coset.symmetry.instances import Settled, settle

Ample = tuple[frozenset[int], ...]
"""For each kind the locations whose steps are ample."""


def ample_locations(model: m.Model) -> Ample:
    """The ample locations of a model, for the properties that it has, which must be without next."""
    facts = gather(model, visible_variables(model), marks=False)
    if facts.steps_matter or facts.positions_matter or model.prioritised or model.monitor is not None or waits(model):
        return (frozenset(),) * len(model.kinds)
    users = ChannelUsers(model)
    return tuple(acyclic(kind, candidates(kind, facts, users)) for kind in model.kinds)


def waits(model: m.Model) -> bool:
    """Whether somebody asks whether others can move."""
    return any(isinstance(part, e.Timeout | e.Enabled) for x in process_expressions(model) for part in x.walk())


def candidates(kind: m.Kind, facts: Facts, users: ChannelUsers) -> list[int]:
    """Locations all steps of which are nobody else's concern, in order."""
    if kind.provided != e.TRUE:
        return []
    draft = Draft(kind, facts)
    found = []
    for number, location in enumerate(kind.locations):
        edges = location.edges
        if location.transient or not edges or any(edge.hold or edge.target == m.GONE for edge in edges):
            continue
        private = all(
            (edge.guard == e.Otherwise() or (facts.local(edge.guard) and not facts.ranges.may_fault(edge.guard)))
            and draft.is_private_step(number, edge)
            for edge in edges
        )
        alone = len(edges) == 1 and is_exclusive(kind, number, edges[0], draft, facts, users)
        if private or alone:
            found.append(number)
    return found


def is_exclusive(
    kind: m.Kind, number: int, edge: m.Edge, draft: Draft, facts: Facts, users: ChannelUsers
) -> bool:
    """Whether a step is one message from or to a channel that is used so by this process alone."""
    if has_no_message(edge) or edge.guard != e.TRUE or draft.is_transient(edge.target):
        return False
    first, *rest = edge.effects
    if not draft.same_region(number, edge.target) or not all(map(draft.is_private_effect, rest)):
        return False
    match first:
        case m.Send(e.Get() as channel, values, sorted=False):
            plain = all(facts.local(value) and not facts.ranges.may_fault(value) for value in values)
            return plain and users.is_only_user(kind, channel, users.senders)
        case m.Receive(e.Get() as channel, patterns, random=False, peek=False):
            plain = all(
                (p.value is None or (facts.local(p.value) and not facts.ranges.may_fault(p.value)))
                and (p.place is None or is_private_place(p.place, facts))
                for p in patterns
            )
            return plain and users.is_only_user(kind, channel, users.receivers)
    return False


def is_private_place(place: e.Place, facts: Facts) -> bool:
    if place.variable is None:
        return True
    return (
        facts.private(place.variable)
        and all(map(facts.local, place.indices))
        and not facts.ranges.place_may_fault(place)
    )


def acyclic(kind: m.Kind, found: list[int]) -> frozenset[int]:
    """As many of the locations as can be had without a cycle among them."""
    chosen: set[int] = set()
    for number in found:
        chosen.add(number)
        if leads_back(kind, number, chosen):
            chosen.remove(number)
    return frozenset(chosen)


def leads_back(kind: m.Kind, start: int, chosen: set[int]) -> bool:
    """Whether a way from a location back to it stays among the chosen ones.  Transient locations are passed through."""
    seen, pending = set[int](), [start]
    while pending:
        for edge in kind.locations[pending.pop()].edges:
            if edge.target == start:
                return True
            inside = edge.target in chosen or (edge.target != m.GONE and kind.locations[edge.target].transient)
            if inside and edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return False


class ChannelUsers:
    """Which processes send to, receive from, or ask about each channel.  Who uses a variable that may hold any
    channel is taken to use all."""

    def __init__(self, model: m.Model) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        found = settle(self.interpreter)
        self.settled = found if isinstance(found, Settled) else None
        self.senders: defaultdict[int, set[int]] = defaultdict(set)
        self.receivers: defaultdict[int, set[int]] = defaultdict(set)
        self.asked: set[int] = set()
        self.fixed = {v for row in (model.variables, *(k.variables for k in model.kinds)) for v in row} - set(
            gather(model).assigned
        )
        if self.settled is None:
            return
        for state in self.settled.states:
            for number in range(len(state.processes)):
                self.look_at(state, number)
        for x in property_expressions(model):
            self.ask(x, None, None)

    def look_at(self, state: State, number: int) -> None:
        """What one process does with channels, wherever it may be; before the settled state, too."""
        kind = self.model.kinds[state.processes[number].kind]
        for x in (kind.provided, *(edge.guard for _, edge in kind.edges())):
            self.ask(x, state, number)
        for _, edge in kind.edges():
            for effect in edge.effects:
                match effect:
                    case m.Send(channel):
                        for each in self.channels(channel, state, number):
                            self.senders[each].add(number)
                    case m.Receive(channel, peek=peek):
                        for each in self.channels(channel, state, number):
                            self.receivers[each].add(number)
                            if peek:
                                self.asked.add(each)
                    case m.Assign(_, value) | m.Assert(value):
                        self.ask(value, state, number)

    def ask(self, x: e.Expr, state: State | None, number: int | None) -> None:
        for part in x.walk():
            if isinstance(part, e.Length | e.Full | e.Poll):
                self.asked.update(self.channels(part.channel, state, number))

    def channels(self, x: e.Expr, state: State | None, number: int | None) -> Iterator[int]:
        """The channels that an expression may mean, by number."""
        assert self.settled is not None
        known = self.held(x, state, number) if state is not None else None
        yield from range(1, len(self.settled.state.channels) + 1) if known is None else known

    def held(self, x: e.Expr, state: State, number: int | None) -> list[int] | None:
        """What a variable that keeps its value holds."""
        if not isinstance(x, e.Get) or x.variable not in self.fixed:
            return None
        variable, start = x.variable, self.interpreter.offset[x.variable]
        if variable.owner is None:
            row = state.values
        elif number is not None:
            row = state.processes[number].values
        else:
            return None
        return list(row[start : start + variable.size])

    def is_only_user(self, kind: m.Kind, channel: e.Get, users: dict[int, set[int]]) -> bool:
        """Whether each process of a kind is the only user of the channel that it means, with room in it."""
        if self.settled is None or channel.variable not in self.fixed:
            return False
        types = self.interpreter.channel_types
        for state in self.settled.states:
            for number, process in enumerate(state.processes):
                if self.model.kinds[process.kind] is not kind:
                    continue
                held = self.held(channel, state, number)
                if held is None or len(held) != 1:
                    return False
                (each,) = held
                if not 1 <= each <= len(state.channels) or types[state.channels[each - 1].type].capacity == 0:
                    return False
                if users[each] != {number} or each in self.asked:
                    return False
        return True
