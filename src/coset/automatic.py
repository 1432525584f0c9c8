"""`coset symmetry` without a method: both methods where that is cheap, and a word on which was used and why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from coset.model import model as m
from coset.results.symmetry import SymmetryReport
from coset.sequential import symmetry_by_constraints
from coset.source.budget import OutOfBudget, Phases, current_budget, installed, within
from coset.source.diagnostics import InputError
from coset.symmetries import symmetry
from coset.symmetry.auto import MOST_EDGES, REPORT_STEPS, REPORT_VERTICES, size
from coset.symmetry.constraints import TooLarge
from coset.symmetry.constraints.detect import uncertified
from coset.symmetry.constraints.form import sequential_form
from coset.symmetry.instances import Unsettled


def symmetry_by_either(
    model: m.Model, kept: Sequence[m.Property], *, explain: bool = False, steps: str = "plain"
) -> SymmetryReport:
    """What `program` finds, or, where that is nothing, `constraints`: as `auto` does for a search."""
    report = symmetry(model, kept, explain=explain, steps=steps)
    began, phases = time.monotonic(), Phases()
    order = phases(lambda: order_by_constraints(model, kept))
    seconds = {**report.seconds, "constraints": round(time.monotonic() - began, 6)}
    if order is None:
        return replace(report, seconds=seconds, stopped=phases.stopped)
    if isinstance(order, str):
        return replace(report, why=order or None, seconds=seconds)
    if order <= report.found.order:
        more = "no more" if order == report.found.order else f"less (order {order})"
        return replace(report, why=f"constraints finds {more} in the sequential form", seconds=seconds)
    if report.found.order > 1:
        larger = f"constraints finds more (order {order:,}), but searches slower: --symmetry constraints"
        return replace(report, why=larger, seconds=seconds)
    used = "program finds nothing; constraints looks only at values that can occur"
    other = phases(lambda: symmetry_by_constraints(model, kept, steps=steps))
    if other is None:
        return replace(report, seconds=seconds, stopped=phases.stopped)
    return replace(other, why=used, seconds={**seconds, **other.seconds}, explanation=report.explanation)


def order_by_constraints(model: m.Model, kept: Sequence[m.Property]) -> int | str:
    """The order of the group that `constraints` finds, or why it is not known; nothing where other findings tell."""
    if size(model) > MOST_EDGES:
        return f"constraints was not tried: the processes have more than {MOST_EDGES} edges"
    try:
        with installed(within(steps=REPORT_STEPS)):
            form = sequential_form(model, kept)
            return "" if isinstance(form, Unsettled) else uncertified(form.flat, REPORT_VERTICES).order
    except OutOfBudget as limit:
        current_budget().demand()
        return f"constraints was not tried to the end: it takes more than {limit}"
    except InputError as error:
        return f"constraints cannot be used: {error.diagnostics[0].message}"
    except TooLarge as error:
        return f"constraints cannot be used: {error}"
