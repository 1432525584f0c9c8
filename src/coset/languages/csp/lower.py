"""An asserted process as a model: each side of its outermost `|||` is a process of the model.

Sides that call one process with different arguments share a kind, with the arguments as parameters that never change, so
that symmetry can permute them.  So do copies of a process (`|||{n}@P`), except where the whole graph is needed, without
symmetry: there copies are one automaton that counts them, as PAT does.  Everything else is one automaton per side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from coset.languages.csp import codes
from coset.languages.csp import tree as t
from coset.languages.csp.automaton import (
    MOST_VALUES,
    Automaton,
    Component,
    Origin,
    Side,
    build,
    components,
    known,
    sent,
    symbolic,
    tells_apart,
)
from coset.languages.csp.beginning import BeginningLowering, beginning, is_large
from coset.languages.csp.lower_expression import Declarations, Expressions, Interval, interval_domain, number
from coset.languages.csp.lower_kind import NORMAL, KindLowering, Watching
from coset.languages.csp.normalise import Normaliser, reads_variable
from coset.languages.csp.steps import RECEIVE, SEND, TICK, Messages, Step
from coset.languages.csp.terms import Refused
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import BOOL, INT, PROCESS

Group = list[Side]
Built = tuple[Component, Automaton]


class Lowering:
    """One asserted process of a program on its way to a model."""

    def __init__(
        self, program: t.Program, process: t.Process, watching: Watching, other: Lowering | None = None
    ) -> None:
        """`other` is a lowering of the same process that watches something else, and whose automata are the same."""
        self.program, self.process, self.watching = program, process, watching
        self.normaliser = Normaliser(program)
        self.declarations = Declarations(program)
        self.names: set[str] = set()
        self.built: list[Built] = []
        self.begins = False
        """Whether the first automaton starts the others."""
        if other is not None:
            self.normaliser, self.built, self.begins = other.normaliser, other.built, other.begins
            self.declarations.fields = other.declarations.fields

    def model(self, name: str) -> m.Model:
        """The model, without properties."""
        built = self.built = self.built or self.automata()
        first, sides = (built[0], built[1:]) if self.begins else (None, built)
        alone = sum(len(component.instances) for component, _ in built) == 1
        lowerings = [self.lowering(each, alone) for each in sides]
        self.refuse_urgent_handshakes(lowerings)
        instances = [
            m.Instance(lowering.component.name, tuple(map(e.Const, instance)), lowering.priorities[0])
            for lowering in lowerings
            for instance in lowering.component.instances
        ]
        extra: tuple[m.Variable, ...] = () if self.watching.last is None else (self.watching.last,)
        if ends_together(sides):
            ended = m.Variable("ended", BOOL)
            still = e.Unary("!", e.Get(ended))
            kinds = [lowering.kind(still) for lowering in lowerings]
            kinds.append(self.ending(lowerings, ended))
            instances.append(m.Instance("Ending"))
            extra += (ended,)
        else:
            kinds = [lowering.kind() for lowering in lowerings]
        if len(instances) > 255:
            raise Refused(codes.TOO_LARGE, f"there are {len(instances)} processes; 255 is the most", self.process)
        if first is not None:
            starter = BeginningLowering(*first, self.declarations, self.normaliser, self.watching, False)
            kinds.insert(0, starter.started(instances))
            instances = [m.Instance(first[0].name)]
        return m.Model(
            name,
            (*self.declarations.variables(), *extra),
            tuple(kinds),
            tuple(instances),
            prioritised=any(lowering.urgent() for lowering in lowerings),
        )

    def has_automata_for(self, watching: Watching) -> bool:
        """Whether the automata are the same where something else is watched: not if copies, or all sides together, are one
        automaton in one of both."""
        if self.watching.printed == watching.printed:
            return True
        texts = (self.process, *(definition.body for definition in self.program.definitions.values()))
        return not self.begins and not any(isinstance(x, t.Counted) for whole in texts for x in everywhere(whole))

    # --- components --------------------------------------------------------------------------------

    def lowering(self, built: Built, alone: bool = False) -> KindLowering:
        return KindLowering(*built, self.declarations, self.normaliser, self.watching, alone)

    def automata(self) -> list[Built]:
        started = None if self.watching.printed else self.started()
        if started is not None:
            self.begins = True
            return started
        built = self.fixpoint(components(self.process, self.normaliser, counted=self.watching.printed))
        if ends_together(built) and any(awkward(automaton) for _, automaton in built):
            return self.joined(built)
        return built

    def started(self) -> list[Built] | None:
        """Automata of what comes before the sides, and of the sides, if these are too many for one automaton."""
        found = beginning(self.process, self.normaliser)
        if found is None:
            return None
        first, rest = found
        try:
            built = self.fixpoint([[(first, None)], *components(rest, self.normaliser)])
        except Refused:
            return None
        lone, sides = built[0], built[1:]
        is_over = any(isinstance(term, t.Skip | t.Ended) for term in lone[1].terms)
        is_awkward = ends_together(sides) and any(awkward(automaton) for _, automaton in sides)
        if not is_over or is_awkward or not is_large(sides) or any(self.lowering(each).urgent() for each in built):
            return None
        return built

    def joined(self, built: list[Built]) -> list[Built]:
        """One automaton for all sides, if that is small: where sides can end in different places, the states after the
        common end would be told apart, and PAT has one."""
        whole: Group = [(self.normaliser.normalised(self.process), None)]
        try:
            return self.fixpoint([whole])
        except Refused:
            return built

    def fixpoint(self, groups: list[Group]) -> list[Built]:
        """All automata, once it is known what can come through channels: more messages may make for more steps, and
        these for more messages."""
        concrete: set[int] = set()
        messages: Messages = {}
        while True:
            self.names = set()
            built = [each for k, group in enumerate(groups) for each in self.group(k, group, messages, concrete)]
            found = self.messages(built)
            if found == messages:
                return built
            messages = found

    def group(self, number_: int, group: Group, messages: Messages, concrete: set[int]) -> Iterator[Built]:
        """The automata of sides that have one origin."""
        origins = [origin for _, origin in group if origin is not None]
        shared = symbolic(origins) if origins else None
        if shared is not None and number_ not in concrete:
            shared = replace(shared, name=self.fresh(shared.name))
            try:
                automaton = build(shared, self.program, messages, self.normaliser)
                if tells_apart(automaton, shared):
                    yield shared, automaton
                    return
            except Refused:
                pass  # what cannot be done for all instances at once may be possible for each
            concrete.add(number_)
            self.names.remove(shared.name)
        copies: dict[t.Process, list[Origin | None]] = {}
        for side, origin in group:
            copies.setdefault(side, []).append(origin)
        for side, each in copies.items():
            component = Component(self.fresh(*stem(side, each[0])), side, (), ((),) * len(each))
            yield component, build(component, self.program, messages, self.normaliser)

    def fresh(self, *parts: str) -> str:
        """A name for a kind."""
        wanted = "_".join(parts).replace("-", "m")
        name = next(n for n in (wanted if k == 1 else f"{wanted}_{k}" for k in count(1)) if n not in self.names)
        self.names.add(name)
        return name

    # --- channels ----------------------------------------------------------------------------------

    def messages(self, built: list[Built]) -> dict[str, list[list[int]]]:
        """The values that each field of each channel can have; domains are noted on the way."""
        found: dict[str, list[set[int]]] = {}
        ranges: dict[str, list[Interval]] = {}
        for component, automaton in built:
            lowering = KindLowering(component, Automaton(), self.declarations, self.normaliser, self.watching, True)
            for channel, arguments, step in sent(automaton):
                fields = found.setdefault(channel, [set() for _ in arguments])
                bounds = ranges.setdefault(channel, [(0, 0) for _ in arguments])
                for place, argument in enumerate(arguments):
                    values = self.values(argument, component, lowering.expressions)
                    low, high = values if isinstance(values, tuple) else (min(values), max(values))
                    bounds[place] = min(low, bounds[place][0]), max(high, bounds[place][1])
                    if not isinstance(values, tuple):
                        fields[place] |= values
                    elif high - low < MOST_VALUES:
                        fields[place] |= set(range(low, high + 1))
                    elif self.is_bound(channel, place):
                        raise Refused(codes.TOO_MANY_VALUES, f"`{channel}` can carry {low}..{high}", step.origin)
        for channel, intervals in ranges.items():
            self.declarations.fields[channel] = tuple(
                interval_domain(low, high) if (low, high) != (INT.low, INT.high) else INT for low, high in intervals
            )
        for channel in self.program.channels:
            if channel not in ranges:
                self.declarations.fields[channel] = (BOOL,) * self.arity(channel)
        return {channel: [sorted(field) for field in fields] for channel, fields in found.items()}

    def values(self, x: t.Expression, component: Component, expressions: Expressions) -> set[int] | Interval:
        """What an expression can be: the values for all instances, or bounds if it reads variables."""
        if reads_variable(x):
            return expressions.interval(x)
        found = [known(x, component.values(instance)) for instance in component.instances]
        return {each.value for each in found if isinstance(each, t.Number)} or expressions.interval(x)

    def is_bound(self, channel: str, place: int) -> bool:
        """Whether some input takes whatever comes in this field."""
        return any(
            x.channel == channel and isinstance(x.patterns[place], t.Binder)
            for definition in self.program.definitions.values()
            for x in everywhere(definition.body)
            if isinstance(x, t.Input)
        )

    def arity(self, channel: str) -> int:
        """The number of fields of a channel to which nothing is ever sent."""
        for definition in self.program.definitions.values():
            for x in everywhere(definition.body):
                if isinstance(x, t.Input) and x.channel == channel:
                    return len(x.patterns)
        return 1

    # --- the end -----------------------------------------------------------------------------------

    def ending(self, lowerings: list[KindLowering], ended: m.Variable) -> m.Kind:
        """All sides of `|||` end in one step, once each of them can."""
        guard, pid = e.TRUE, int(self.begins)
        for lowering in lowerings:
            places = frozenset(lowering.tickable)
            for place, step in lowering.tickable.items():
                if step.guards:
                    raise Refused(
                        codes.UNSUPPORTED, "an end under a condition, beside other processes, is not supported",
                        lowering.automaton.terms[place], "put the condition before an event",
                    )  # fmt: skip
            for _ in lowering.component.instances:
                who = e.Const(pid, PROCESS)
                guard = e.conjunction(guard, e.AtLocation(lowering.component.name, who, "Skip", places))
                pid += 1
        effects: tuple[m.Effect, ...] = (m.Assign(e.Place(ended), e.Const(1)),)
        if self.watching.last is not None:
            effects = (m.Assign(e.Place(self.watching.last), e.Const(0)), *effects)
        if self.watching.printed:
            effects = (m.Print(TICK, ()), *effects)
        tick = m.Edge(1, guard, effects, text=TICK, span=self.process.span)
        return m.Kind("Ending", (), 0, (m.Location((tick,)), m.Location((), end=True, number=1)), 0)

    def refuse_urgent_handshakes(self, lowerings: list[KindLowering]) -> None:
        """Whether an atomic process can move must not depend on whether a partner is there."""
        if not any(lowering.urgent() for lowering in lowerings):
            return
        for lowering in lowerings:
            for place, row in enumerate(lowering.automaton.edges):
                for step, _ in row:
                    if step.action.kind not in (SEND, RECEIVE) or number(self.channel_capacity(step.action.name)):
                        continue
                    if lowering.priorities[place] != NORMAL:
                        text = f"`{step.action.name}`, a channel of capacity 0, in `atomic` is not supported"
                        raise Refused(codes.UNSUPPORTED, text, step.origin, "use a channel of capacity 1")

    def channel_capacity(self, name: str) -> t.Expression:
        return self.program.channels[name].capacity


def ends_together(built: list[Built]) -> bool:
    """Whether there are several sides that can end, which they do in one step."""
    several = sum(len(component.instances) for component, _ in built) > 1
    return several and all(ends(automaton) for _, automaton in built)


def ends(automaton: Automaton) -> list[Step]:
    return [step for row in automaton.edges for step, _ in row if step.action.kind == TICK]


def awkward(automaton: Automaton) -> bool:
    """Whether a side can end in several places, or under a condition."""
    found = ends(automaton)
    return len(found) > 1 or any(step.guards for step in found)


def stem(side: t.Process, origin: Origin | None) -> list[str]:
    """What a kind is named after."""
    if origin is None:
        return [side.name if isinstance(side, t.Call) else "Part"]
    return [origin.definition.name, *(str(a.value) for a in origin.arguments if isinstance(a, t.Number))]


def everywhere(x: t.Process) -> Iterator[t.Process]:
    """A process and all processes in its text."""
    yield x
    for name in x.__dataclass_fields__:
        part = getattr(x, name)
        for each in part if isinstance(part, tuple) else (part,):
            if isinstance(each, t.Process):
                yield from everywhere(each)
            elif isinstance(each, tuple):
                for inner in each:
                    if isinstance(inner, t.Process):
                        yield from everywhere(inner)
