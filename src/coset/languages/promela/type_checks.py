"""Confusions of types that SPIN rejects.

SPIN 6.5.2 compares types in few places: a constant assigned to a channel (`c = 1`), a name of another set assigned to an `mtype`
with a set of its own, and a variable passed for a parameter of type mtype.  There it rejects every variable, those of type
mtype, too, which is not followed here.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.languages.promela import codes, tree
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain, Refers
from coset.source.diagnostics import Diagnostics


def check_assignment(
    diagnostics: Diagnostics, variable: m.Variable | None, value: e.Expr, written: tree.Expression
) -> None:
    """Refuse a constant for a channel, except for one in a record, and a name of another set for an mtype."""
    if variable is None or not isinstance(value, e.Const) or not isinstance(written, tree.Number | tree.Reference):
        return
    if variable.domain.refers is Refers.CHANNEL and "." not in variable.name:
        diagnostics.error(
            codes.CONFUSED_TYPES, f"'{variable.name}' is a channel and cannot be assigned a constant", written.span,
            "assign another channel",
        )  # fmt: skip
    elif is_foreign(variable.domain, value.domain):
        diagnostics.error(
            codes.CONFUSED_TYPES,
            f"'{variable.name}' has the type {variable.domain}, and '{written.span.text}' is of {value.domain}",
            written.span,
        )


def check_counter(diagnostics: Diagnostics, variable: m.Variable | None, written: tree.Reference) -> None:
    """Refuse a channel that a `for` or `select` assigns numbers to."""
    if variable is not None and variable.domain.refers is Refers.CHANNEL and "." not in variable.name:
        diagnostics.error(
            codes.CONFUSED_TYPES, f"'{written.span.text}' is a channel and cannot be assigned numbers", written.span,
            "use a variable of type byte, short or int",
        )  # fmt: skip


def is_foreign(wanted: Domain, found: Domain | None) -> bool:
    """Whether a name is of another set than a variable with a set of its own.

    >>> is_foreign(Domain("mtype:x", 0, 255), Domain("mtype", 0, 255)), is_foreign(Domain("mtype", 0, 255), None)
    (True, False)
    """
    return found is not None and wanted.name.startswith("mtype:") and found.name != wanted.name


def check_arguments(
    diagnostics: Diagnostics, run: tree.Run, parameters: Sequence[m.Variable], values: Sequence[e.Expr]
) -> None:
    """Refuse variables of other types for parameters of type mtype."""
    if not len(parameters) == len(values) == len(run.arguments):
        return  # with records or a wrong number
    for parameter, value, written in zip(parameters, values, run.arguments, strict=True):
        found = value.variable.domain.name if isinstance(value, e.Get) else "pid" if isinstance(value, e.Self) else None
        wanted = parameter.domain.name
        if wanted.startswith("mtype") and found not in (None, wanted):
            diagnostics.error(
                codes.CONFUSED_TYPES, f"'{run.proctype}' takes a value of type {wanted} here, not of {found}", written.span,
                notes=[("declared here", parameter.span)],
            )  # fmt: skip
