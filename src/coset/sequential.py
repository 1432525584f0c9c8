"""Symmetry by constraints, as `coset symmetry` asks for it: of a sequential model (`.seq`), or of the sequential form of a
concurrent one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.sequential import Inexpressible, SequentialModel
from coset.model.sequential.convert import sequential
from coset.model.sequential.words import INEXPRESSIBLE
from coset.results.symmetry import GroupFound, Remark, SymmetryReport
from coset.source.diagnostics import Diagnostic, InputError, register
from coset.symmetry.constraints import ConstraintSymmetry, TooLarge, detect_constraints
from coset.symmetry.instances import Unsettled, settle
from coset.symmetry.program import conditions

TOO_LARGE = register(
    "Q005",
    "a variable or an expression has too many values to be written out as constraints",
    "Give the variable a smaller range, or use --symmetry program.",
)


def sequential_form(model: m.Model, kept: Sequence[m.Property] = ()) -> SequentialModel | Unsettled:
    """The sequential form of a model, with the conditions that properties look at.  Raises `InputError`, which names what
    has no such form."""
    if any(variable.hidden for variable in model.variables):
        raise refused(Inexpressible("hidden variables"))
    interpreter = Interpreter(model)
    settled = settle(interpreter)
    if isinstance(settled, Unsettled):
        return settled
    try:
        return sequential(interpreter, settled.states, settled.locations, list(looked_at(kept)))
    except Inexpressible as construct:
        raise refused(construct) from None


def refused(construct: Inexpressible) -> InputError:
    message = f"{construct.construct}: no sequential form is known, which symmetry by constraints needs"
    return InputError([Diagnostic(INEXPRESSIBLE, message, construct.span, "--symmetry program reads all of Promela")])


def looked_at(properties: Sequence[m.Property]) -> Iterator[e.Expr]:
    """The conditions on states in properties."""
    for property_ in properties:
        if not isinstance(property_, m.Claim):
            yield from conditions(property_.formula)
            continue
        for _, edge in property_.automaton.edges():
            parts = list(edge.guard.walk())
            acts = any(not isinstance(effect, m.Exit | m.Print) for effect in edge.effects)
            if acts or any(isinstance(x, e.Get) and x.variable.owner is not None for x in parts):
                raise refused(
                    Inexpressible(f"a claim with variables and effects of its own ({property_.name})", edge.span)
                )
            if not any(isinstance(x, e.Otherwise | e.Youngest) for x in parts):
                yield edge.guard
            elif len(parts) > 1:
                raise refused(Inexpressible(f"`{edge.guard}` in a claim", edge.span))


def symmetry_by_constraints(model: m.Model, kept: Sequence[m.Property], *, steps: str = "plain") -> SymmetryReport:
    """The symmetries of a concurrent model that keep some properties, as permutations of literals."""
    began = time.monotonic()
    flat = sequential_form(model, kept)
    names = tuple(each.name for each in kept)
    if isinstance(flat, Unsettled):
        none = GroupFound(1)
        findings = (Remark(flat.why, flat.span),)
        return SymmetryReport(model.name, "constraints", steps, none, names, none, (), None, False, 0, findings)
    spent = time.monotonic() - began
    found = detected(flat)
    plain = found
    if kept:
        without = sequential_form(model)
        assert isinstance(without, SequentialModel)
        plain = detected(without, seconds=0.0)
    return report(found, names, plain, {"sequential": spent, **found.seconds}, steps)


def symmetry_of_sequential(model: SequentialModel, name: str) -> SymmetryReport:
    """The symmetries of a sequential model; they keep its conditions."""
    found = detected(model)
    return report(found, (), found, found.seconds, "plain", name)


def detected(model: SequentialModel, seconds: float = 1.0) -> ConstraintSymmetry:
    try:
        return detect_constraints(model, seconds=seconds)
    except TooLarge as error:
        raise InputError([Diagnostic(TOO_LARGE, str(error), None, "--symmetry program needs no tables")]) from None


def report(
    found: ConstraintSymmetry,
    kept: tuple[str, ...],
    plain: ConstraintSymmetry,
    seconds: dict[str, float],
    steps: str,
    name: str | None = None,
) -> SymmetryReport:
    size = f"{found.vertices} vertices, {len(found.model.summands)} summands, {len(found.points)} literals"
    return SymmetryReport(
        name or found.model.name,
        "constraints",
        steps,
        group(found),
        kept,
        group(plain),
        tuple((each, found.order) for each in kept) if len(kept) == 1 or found.order == plain.order else (),
        tried=found.certified,
        log=(size,),
        seconds={phase: round(spent, 6) for phase, spent in seconds.items()},
    )


def group(found: ConstraintSymmetry) -> GroupFound:
    return GroupFound(found.order, tuple(found.generators()), found.describe())
