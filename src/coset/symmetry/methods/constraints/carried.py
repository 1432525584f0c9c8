"""Symmetries of the sequential form of a model, carried back to the states of the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from coset.model import model as m
from coset.model.sequential.homes import flattened, restored
from coset.model.state import State
from coset.source.diagnostics import Diagnostic, InputError, register
from coset.source.records import dataclass
from coset.symmetry.certify import NotASymmetry, sample, step_outcomes
from coset.symmetry.groups.group import Group
from coset.symmetry.literal_action import LiteralAction, cycles, names
from coset.symmetry.methods.constraints.certify import UncertifiedError
from coset.symmetry.methods.constraints.detect import ConstraintSymmetry, detect_constraints
from coset.symmetry.methods.constraints.form import Form, sequential_form
from coset.symmetry.methods.constraints.graph import MOST_VERTICES
from coset.symmetry.methods.constraints.problem import TooLarge
from coset.symmetry.startup import StartedStates, UnknownProcesses
from coset.symmetry.symmetry import Finding

TOO_LARGE = register(
    "Q005",
    "a variable or an expression has too many values to be written out as constraints",
    "Give the variable a smaller range, or use --symmetry program.",
)
MORTAL = register(
    "Q006",
    "a symmetry by constraints moves a process that may end, which has no counterpart after it has ended",
    "Let the process stay at its end, or use --symmetry program.",
)


class CarriedAction:
    """A permutation of literals, ready to be applied to states of the concurrent model."""

    def __init__(self, form: Form, action: LiteralAction) -> None:
        self.form, self.action = form, action

    def __str__(self) -> str:
        return cycles(self.action.permutation, self.action.points, names(self.form.flat))

    def acts_on(self, state: State) -> bool:
        """Whether the state is one from the started one on."""
        return self.form.started.includes(state)

    def __call__(self, state: State) -> State:
        """The state after the symmetry.  States before the started one are left alone."""
        if not self.acts_on(state):
            return state
        row = self.action.on_state(flattened(self.form.flat, state))
        return restored(self.form.flat, self.form.interpreter, row, state)


@dataclass(frozen=True)
class CarriedSymmetry:
    """The symmetries of a model as permutations of the literals of its form.  Without a form there are none, and
    `findings` say why."""

    form: Form | None
    found: ConstraintSymmetry | None
    findings: tuple[Finding, ...] = ()
    certified: int = 0
    method: str = "constraints"

    @property
    def group(self) -> Group:
        return Group(0) if self.found is None else self.found.group

    @property
    def order(self) -> int:
        return self.group.order

    @property
    def started(self) -> StartedStates:
        assert self.form is not None
        return self.form.started

    @cached_property
    def actions(self) -> tuple[CarriedAction, ...]:
        """The generators, ready to be applied to states."""
        if self.form is None or self.found is None:
            return ()
        return tuple(CarriedAction(self.form, action) for action in self.found.actions)

    def generators(self) -> list[str]:
        return [] if self.found is None else self.found.generators()

    def describe(self) -> str:
        return "trivial" if self.found is None else self.found.describe()


def detect_literals(
    model: m.Model, properties: Sequence[m.Property] = (), *, moves: int, most_vertices: int = MOST_VERTICES
) -> CarriedSymmetry:
    """The symmetries by constraints of a model that keep some properties.  Raises `InputError`, which names what stands
    against it."""
    form = sequential_form(model, properties)
    if isinstance(form, UnknownProcesses):
        return CarriedSymmetry(None, None, (Finding(form.why, form.span),))
    try:
        found = detect_constraints(form.flat, moves=moves, most_vertices=most_vertices)
    except TooLarge as error:
        raise InputError([Diagnostic(TOO_LARGE, str(error), None, "--symmetry program needs no tables")]) from None
    except UncertifiedError as error:
        raise NotASymmetry(str(error)) from None
    refuse_mortal(form, found)
    symmetry = CarriedSymmetry(form, found)
    certify_carried(symmetry)
    return CarriedSymmetry(form, found, (), found.certified)


def refuse_mortal(form: Form, found: ConstraintSymmetry) -> None:
    """A process that is no more has lost its place in the row of processes, so no other process can take it."""
    state = form.started.state
    for home, is_moved in zip(form.flat.homes, moved_elements(found), strict=True):
        if is_moved and home.what in ("location", "local"):
            kind = form.interpreter.model.kinds[state.processes[home.owner].kind]
            visited = form.started.locations[home.owner]
            if any(edge.target == m.GONE for at, edge in kind.edges() if at in visited):
                message = f"{kind.name} may end, and the symmetries move it"
                raise InputError([Diagnostic(MORTAL, message, kind.span, "--symmetry program supports this")])


def moved_elements(found: ConstraintSymmetry) -> list[bool]:
    """Whether a symmetry moves a literal of the element, for each element."""
    moved = {found.points[x][0] for x in found.group.support}
    return [k in moved for k in range(len(found.model.elements))]


def certify_carried(symmetry: CarriedSymmetry) -> None:
    """Try the carried symmetries on some states of the model itself: permute, then step, is step, then permute."""
    form = symmetry.form
    assert form is not None
    interpreter = form.interpreter
    for state, holder in sample(interpreter, form.started.states):
        if holder is not None or not form.started.includes(state):
            continue
        for action in symmetry.actions:
            image = action(state)
            if interpreter.valid_end(image) != interpreter.valid_end(state):
                raise NotASymmetry("a symmetry by constraints maps a valid end to an invalid one")
            if step_outcomes(interpreter, state, action) != step_outcomes(interpreter, image, None):
                raise NotASymmetry("a symmetry by constraints does not commute with the steps of a reachable state")
