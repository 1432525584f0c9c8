"""Which channels an expression may denote.

A points-to analysis without regard to the order of steps (Andersen, 1994): an *origin* is a variable that is declared with
channels of its own; origins flow through assignments, arguments and message fields to the variables that may hold them.
What is not such a flow (a number, arithmetic) may denote any channel.

    >>> from coset.model import expression as e, model as m
    >>> from coset.model.domain import CHANNEL
    >>> own = m.Variable("c", CHANNEL, initial=m.NewChannel(m.ChannelType("c", 0, ())))
    >>> channels = Channels(m.Model("", (own,), (), ()))
    >>> channels.may_be_sync(e.Get(own)), channels.may_be_buffered(e.Get(own))
    (True, False)
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model import model as m

Origins = frozenset[m.Variable]


class Channels:
    """The channels of one model."""

    def __init__(self, model: m.Model) -> None:
        self.model = model
        rows = (model.variables, *(kind.variables for kind in model.kinds))
        self.all: Origins = frozenset(v for row in rows for v in row if isinstance(v.initial, m.NewChannel))
        self.held: dict[m.Variable, Origins] = {origin: frozenset({origin}) for origin in self.all}
        self.carried: dict[tuple[m.Variable, int], Origins] = {}
        """By origin and field: what messages carry."""
        if self.all:
            self.solve()

    def solve(self) -> None:
        """The least solution: variables and messages hold what may flow to them."""
        parameters = {kind.name: kind.variables[: kind.parameters] for kind in self.model.kinds}
        effects = [effect for kind in self.model.kinds for _, edge in kind.edges() for effect in edge.effects]
        grows = True
        while grows:
            before = sum(map(len, self.held.values())) + sum(map(len, self.carried.values()))
            for variable, value in self.initial_flows(parameters):
                self.flow(variable, self.origins(value))
            for effect in effects:
                self.effect(effect, parameters)
            grows = before != sum(map(len, self.held.values())) + sum(map(len, self.carried.values()))

    def initial_flows(self, parameters: dict[str, tuple[m.Variable, ...]]) -> Iterator[tuple[m.Variable, e.Expr]]:
        for row in (self.model.variables, *(kind.variables for kind in self.model.kinds)):
            for variable in row:
                if isinstance(variable.initial, tuple):
                    yield from ((variable, value) for value in variable.initial)
        for instance in self.model.processes:
            yield from zip(parameters[instance.kind], instance.arguments, strict=True)

    def effect(self, effect: m.Effect, parameters: dict[str, tuple[m.Variable, ...]]) -> None:
        match effect:
            case m.Assign(place, value):
                self.flow(place.variable, self.origins(value))
            case m.Run(kind, arguments):
                for variable, value in zip(parameters[kind], arguments, strict=True):
                    self.flow(variable, self.origins(value))
            case m.Send(channel, values) | m.Deliver(_, channel, values):
                for origin in self.origins(channel):
                    for number, value in enumerate(values):
                        known = self.carried.get((origin, number), frozenset())
                        self.carried[origin, number] = known | self.origins(value)
            case m.Receive(channel, patterns):
                for origin in self.origins(channel):
                    for number, pattern in enumerate(patterns):
                        if pattern.place is not None:
                            self.flow(pattern.place.variable, self.carried.get((origin, number), frozenset()))

    def flow(self, variable: m.Variable | None, origins: Origins) -> None:
        if variable is not None:
            self.held[variable] = self.held.get(variable, frozenset()) | origins

    def origins(self, x: e.Expr) -> Origins:
        """The variables whose channels an expression may denote."""
        match x:
            case e.Get(variable) | e.Remote(variable=variable):
                return self.held.get(variable, frozenset())
            case e.Conditional(_, yes, no):
                return self.origins(yes) | self.origins(no)
            case e.Const(0):
                return frozenset()
        return self.all

    def capacities(self, x: e.Expr) -> set[int]:
        types = (origin.initial for origin in self.origins(x))
        return {initial.type.capacity for initial in types if isinstance(initial, m.NewChannel)}

    def may_be_sync(self, x: e.Expr) -> bool:
        """Whether a send to the channel may be a handshake."""
        return 0 in self.capacities(x)

    def may_be_buffered(self, x: e.Expr) -> bool:
        """Whether the channel may hold messages."""
        return any(capacity > 0 for capacity in self.capacities(x))
