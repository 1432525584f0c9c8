"""Symmetry by constraints, as `coset symmetry` asks for it: of a sequential model (`.seq`), or of the sequential form of a
concurrent one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from coset.model import model as m
from coset.model.sequential import SequentialModel
from coset.results.symmetry import GroupFound, Remark, SymmetryReport
from coset.source.diagnostics import Diagnostic, InputError
from coset.symmetry.methods.constraints import ConstraintSymmetry, TooLarge, detect_constraints
from coset.symmetry.methods.constraints.carried import TOO_LARGE
from coset.symmetry.methods.constraints.detect import MOVES
from coset.symmetry.methods.constraints.form import sequential_form
from coset.symmetry.startup import UnknownProcesses


def symmetry_by_constraints(model: m.Model, kept: Sequence[m.Property], *, steps: str = "plain") -> SymmetryReport:
    """The symmetries of a concurrent model that keep some properties, as permutations of literals."""
    began = time.monotonic()
    form = sequential_form(model, kept)
    names = tuple(each.name for each in kept)
    if isinstance(form, UnknownProcesses):
        none = GroupFound(1)
        findings = (Remark(form.why, form.span),)
        return SymmetryReport(model.name, "constraints", steps, none, names, none, (), None, False, 0, findings)
    spent = time.monotonic() - began
    found = detected(form.flat)
    plain = found
    if kept:
        without = sequential_form(model)
        assert not isinstance(without, UnknownProcesses)
        plain = detected(without.flat, moves=0)
    return report(found, names, plain, {"sequential": spent, **found.seconds}, steps)


def symmetry_of_sequential(model: SequentialModel, name: str) -> SymmetryReport:
    """The symmetries of a sequential model; they keep its conditions."""
    found = detected(model)
    shown = report(found, (), found, found.seconds, "plain", name)
    return replace(shown, why="a sequential model has no processes, so that constraints is the method")


def detected(model: SequentialModel, moves: int = MOVES) -> ConstraintSymmetry:
    try:
        return detect_constraints(model, moves=moves)
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
