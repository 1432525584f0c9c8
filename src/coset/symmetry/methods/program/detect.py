"""From a model to its group: settle, infer sorts, build the graph, find its automorphisms, certify them.

symmetry = detect(model)          all that the processes and the model's properties allow
symmetry.group.order, symmetry.describe()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.source.text import Span
from coset.symmetry.action import Action, Points
from coset.symmetry.certify import MOVES, certify
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.instances import Unsettled, settle
from coset.symmetry.methods.program.graph import conditions, program_graph
from coset.symmetry.sorts import infer
from coset.symmetry.values import find_values

MOST_COMPARED = 5000
"""Edges whose texts are compared with what the generators make of them: more would take long."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the text that symmetry has to say a word about."""

    text: str
    span: Span | None = None


@dataclass(frozen=True)
class Symmetry:
    """The symmetry of a model as some method has found it.  Without `points` there is none, and `findings` say why."""

    method: str
    model: m.Model
    points: Points | None
    group: Group
    candidate: Group | None = None
    findings: tuple[Finding, ...] = ()
    certified: int = 0
    """On how many reachable states the generators were tried."""
    extra: dict[str, object] = field(default_factory=dict, compare=False)

    @property
    def order(self) -> int:
        return self.group.order

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The generators, ready to be applied to states."""
        points = self.points
        return () if points is None else tuple(Action(points, generator) for generator in self.group.generators)

    def generators(self) -> list[str]:
        """The generators in cycle notation, by name."""
        return [self.show(generator) for generator in self.group.generators]

    def show(self, permutation: Permutation) -> str:
        """A symmetry as it moves what the user has a name for: processes, channels, variables, values."""
        if self.points is None:
            return "()"
        return self.points.show(permutation)

    def describe(self) -> str:
        """The structure of the group in a few words, as `S4 on client{1,2,4,5}`."""
        from coset.symmetry.describe import describe

        return describe(self)


def detect(model: m.Model, properties: Sequence[m.Property] | None = None, *, moves: int = MOVES) -> Symmetry:
    """The symmetries of a model that keep the given properties (by default all that it states).  They are tried on
    reachable states for so many moves, on one state at least."""
    kept = model.properties if properties is None else tuple(properties)
    if any(variable.hidden for variable in model.variables):
        why = "hidden variables: which state stands for several depends on the order of the search"
        return Symmetry("program", model, None, Group(0), findings=(Finding(why),))
    interpreter = Interpreter(replace(model, properties=kept))
    settled = settle(interpreter)
    if isinstance(settled, Unsettled):
        return Symmetry("program", model, None, Group(0), findings=(Finding(settled.why, settled.span),))
    sorts = infer(interpreter, settled)
    find_values(interpreter, settled, sorts)
    program = program_graph(interpreter, settled, sorts, kept)
    group = program.graph.group(program.vertices)
    findings = tuple(
        Finding(f"{sort.name}: {sort.pinned}", sort.pinned_at)
        for sort in sorts.all
        if sort.pinned is not None and sort.objects
    )
    actions = [Action(program.points, generator) for generator in group.generators]
    tried = certify(actions, property_conditions(kept), moves)
    if moves >= MOVES and len(actions) * sum(1 for kind in model.kinds for _ in kind.edges()) <= MOST_COMPARED:
        from coset.symmetry.certify_text import certify_text

        certify_text(actions, kept)
    return Symmetry("program", model, program.points, group, findings=findings, certified=tried)


def property_conditions(properties: Sequence[m.Property]) -> list[e.Expr]:
    """The conditions that properties look at."""
    found: list[e.Expr] = []
    for property_ in properties:
        if isinstance(property_, m.Claim):
            found += [edge.guard for _, edge in property_.automaton.edges() if not owned(edge.guard)]
        else:
            found += conditions(property_.formula)
    return found


def owned(x: e.Expr) -> bool:
    """Whether a condition of a claim asks for something of the claim's own, which cannot be tried without it."""
    return any(
        isinstance(part, e.Otherwise | e.Youngest) or (isinstance(part, e.Get) and part.variable.owner is not None)
        for part in x.walk()
    )
