"""From the text of a Murphi file to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from coset.languages.murphi import codes
from coset.languages.murphi.check import check
from coset.languages.murphi.formulas import parse_formulas
from coset.languages.murphi.lower import Lowering
from coset.languages.murphi.parse import parse
from coset.languages.murphi.scalarsets import warn
from coset.model.model import Model
from coset.source.diagnostics import Diagnostics, InputError
from coset.source.text import Source

UNCHECKED = "`cover` is not checked in a start state, in a condition, and where a loop without constant bounds decides"
HINT = "keep what it asks in a variable, and write `cover` outside of the rule"


def load(
    source: Source,
    defines: Mapping[str, str],
    diagnostics: Diagnostics,
    ltl: Sequence[str] = (),
    ctl: Sequence[str] = (),
    invariants: Sequence[str] = (),
    constraints: Sequence[str] = (),
) -> Model | None:
    """The model, or None if there are errors.  `defines` gives constants other values; formulas are added to the properties."""
    numbers: dict[str, int] = {}
    for name, text in defines.items():
        try:
            numbers[name] = int(text, 0)
        except ValueError:
            diagnostics.error(codes.NOT_CONSTANT, f"-D {name}={text}: the value must be a number", None)
    program = parse(source, diagnostics)
    added = parse_formulas(ltl, ctl, invariants, constraints, diagnostics)
    program = replace(program, parts=(*program.parts, *added))
    if diagnostics.errors:
        return None
    try:
        found = check(program, numbers, diagnostics)
        if diagnostics.errors:
            return None
        lowering = Lowering(found, Path(source.path).name)
        model = lowering.model()
    except InputError as error:
        for each in error.diagnostics:
            diagnostics.error(each.code, each.message, each.span, each.hint)
        return None
    except RecursionError:
        diagnostics.error(codes.TOO_LARGE, "an expression or a rule is nested too deeply", program.span)
        return None
    for statement in lowering.unchecked:
        diagnostics.warning(codes.UNCHECKED_COVER, UNCHECKED, statement.span, HINT)
    warn(found, diagnostics)
    return model
