"""Whether a model is well formed.  The tests run this after every pass that makes or changes a model.

A model that passes can be executed without surprises: every name is declared where it is used, every jump leads to a
location, messages come first on their edges, and what only monitors may say is only said there.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import parts, places


def validate(model: m.Model) -> list[str]:
    """The problems of a model; an empty list if it is well-formed."""
    return list(Validator(model).problems())


class Validator:
    def __init__(self, model: m.Model) -> None:
        self.model = model
        self.kinds = {kind.name: kind for kind in model.kinds}

    def problems(self) -> Iterator[str]:
        model = self.model
        if len(self.kinds) != len(model.kinds):
            yield "two kinds have one name"
        yield from self.variables("the model", model.variables, None)
        for kind in model.kinds:
            yield from self.kind(kind)
        for instance in model.processes:
            yield from self.creation("the start", instance.kind, len(instance.arguments))
        for property_ in model.properties:
            if isinstance(property_, m.Claim):
                yield from self.kind(property_.automaton)
            else:
                for atom in property_.formula.atoms():
                    yield from self.expression(f"property {property_.name}", atom, None)
        if model.monitor is not None:
            yield from self.kind(model.monitor.automaton, monitor=True)

    def variables(self, where: str, variables: tuple[m.Variable, ...], owner: str | None) -> Iterator[str]:
        names = [variable.name for variable in variables]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{where}: two variables are named {name}"
        for variable in variables:
            if variable.owner != owner:
                yield f"{where}: {variable.name} belongs to {variable.owner}"
            if any(length <= 0 for length in variable.shape):
                yield f"{where}: {variable.name} has an empty dimension"
            if isinstance(variable.initial, tuple):
                if len(variable.initial) not in (0, 1, variable.size):
                    yield f"{where}: {variable.name} has {len(variable.initial)} initial values"
                for initial in variable.initial:
                    yield from self.expression(f"{where}: {variable.name}", initial, owner)

    def kind(self, kind: m.Kind, monitor: bool = False) -> Iterator[str]:
        yield from self.variables(kind.name, kind.variables, kind.name)
        if not 0 <= kind.start < len(kind.locations):
            yield f"{kind.name}: starts nowhere"
        if kind.parameters > len(kind.variables):
            yield f"{kind.name}: has more parameters than variables"
        yield from self.expression(f"{kind.name}: provided", kind.provided, kind.name)
        for number, edge in kind.edges():
            where = f"{kind.name}: location {number}"
            if edge.target != m.GONE and not 0 <= edge.target < len(kind.locations):
                yield f"{where}: an edge leads to {edge.target}, which is no location"
            yield from self.expression(where, edge.guard, kind.name)
            yield from self.effects(where, edge, kind, monitor)

    def effects(self, where: str, edge: m.Edge, kind: m.Kind, monitor: bool) -> Iterator[str]:
        exits = any(isinstance(effect, m.Exit) for effect in edge.effects)
        if exits != (edge.target == m.GONE):
            yield f"{where}: exit and a target do not go together"
        for position, effect in enumerate(edge.effects):
            if isinstance(effect, m.Send | m.Receive) and position > 0:
                yield f"{where}: a message is not the first effect"
            if isinstance(effect, m.Event) != monitor and not isinstance(effect, m.Exit):
                yield f"{where}: {'only' if monitor else 'no'} events are expected here"
            if isinstance(effect, m.Run):
                yield from self.creation(where, effect.kind, len(effect.arguments))
            for part in parts(effect):
                yield from self.expression(where, part, kind.name)
            for place in places(effect):
                yield from self.place(where, place, kind.name)

    def creation(self, where: str, kind: str, arguments: int) -> Iterator[str]:
        if kind not in self.kinds:
            yield f"{where}: there is no kind {kind}"
        elif arguments != self.kinds[kind].parameters:
            yield f"{where}: {kind} takes {self.kinds[kind].parameters} arguments, not {arguments}"

    def place(self, where: str, place: e.Place, owner: str | None) -> Iterator[str]:
        if place.variable is not None:
            yield from self.access(where, place.variable, place.indices, owner)

    def access(self, where: str, variable: m.Variable, indices: tuple[e.Expr, ...], owner: str | None) -> Iterator[str]:
        if variable.owner not in (None, owner):
            yield f"{where}: {variable.name} belongs to {variable.owner}"
        known = self.model.variables if variable.owner is None else self.known(variable.owner)
        if not any(variable is other for other in known):
            yield f"{where}: {variable.name} is not declared"
        if len(indices) != len(variable.shape):
            yield f"{where}: {variable.name} has {len(indices)} indices for {len(variable.shape)} dimensions"

    def known(self, owner: str) -> tuple[m.Variable, ...]:
        automata = [p.automaton for p in self.model.properties if isinstance(p, m.Claim)]
        return next((k.variables for k in (*self.model.kinds, *automata) if k.name == owner), ())

    def expression(self, where: str, x: e.Expr, owner: str | None) -> Iterator[str]:
        for part in x.walk():
            match part:
                case e.Get(variable, indices):
                    yield from self.access(where, variable, indices, owner)
                case e.AtLocation(kind) | e.Remote(kind) if kind not in self.kinds:
                    yield f"{where}: there is no kind {kind}"
                case e.AtLocation(kind, _, label, locations):
                    if any(place >= len(self.kinds[kind].locations) for place in locations):
                        yield f"{where}: {kind} has no location for {label}"
                case e.Remote(kind, _, variable, indices):
                    yield from self.access(where, variable, indices, kind)
