"""From the text of a shared-variable program to a model, or to a family of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from coset.languages.shared import codes
from coset.languages.shared.lower import Lowering
from coset.languages.shared.parse import parse, parse_property
from coset.languages.shared.tree import Program
from coset.model.family import Family
from coset.model.model import Model
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source


def load(
    source: Source,
    defines: Mapping[str, str],
    include_dirs: Sequence[str],
    diagnostics: Diagnostics,
    ltl: Sequence[str] = (),
    ctl: Sequence[str] = (),
    invariants: Sequence[str] = (),
) -> Model | None:
    """The model for the values that parameters have by default or in `defines`, or None if there are errors.  Formulas
    are added to its properties, as `invariant_1`, `command_line_1`, `ctl_1` and so on."""
    program, values = read(source, defines, diagnostics)
    added = [("ltl", f"invariant_{number}", f"[] ({text})") for number, text in enumerate(invariants, 1)]
    added += [("ltl", f"command_line_{number}", text) for number, text in enumerate(ltl, 1)]
    added += [("property", f"ctl_{number}", text) for number, text in enumerate(ctl, 1)]
    for what, name, text in added:
        origin = Source("--ltl" if what == "ltl" else "--ctl", text)
        property_ = parse_property(what, name, origin, diagnostics)
        if property_ is not None:
            program = replace(program, properties=(*program.properties, property_))
    if diagnostics.errors:
        return None
    try:
        return Lowering(program, values, diagnostics).model(Path(source.path).name)
    except RecursionError:
        diagnostics.error(codes.TOO_LARGE, "an expression is nested too deeply", program.span)
        return None


def load_family(source: Source, defines: Mapping[str, str], diagnostics: Diagnostics) -> Family | None:
    """The family of the models for all values of the parameters, but for those in `defines`, which are fixed; None if
    there are errors, or if the program tells its processes apart."""
    program, values = read(source, defines, diagnostics)
    if diagnostics.errors:
        return None
    try:
        return Lowering(program, values, diagnostics, is_symbolic=True).family(Path(source.path).name)
    except RecursionError:
        diagnostics.error(codes.TOO_LARGE, "an expression is nested too deeply", program.span)
        return None


def read(source: Source, defines: Mapping[str, str], diagnostics: Diagnostics) -> tuple[Program, dict[str, int]]:
    """The tree, and the numbers that are given from outside."""
    program = parse(source, diagnostics)
    values: dict[str, int] = {}
    for name, text in defines.items():
        try:
            values[name] = int(text)
        except ValueError:
            diagnostics.error(codes.NOT_CONSTANT, f"-D {name}={text}: the value must be a number", None)
    return program, values
