"""The kinds of properties: how each is named in JSON, on the command line and in traces."""

from __future__ import annotations

from enum import StrEnum


class PropertyKind(StrEnum):
    """The value is the name in JSON and in text.

    `violation` says what is wrong if a property of the kind is violated.  `builtin` is the name of the one that every model
    has, which is about single states; `errors` are the kinds of error that violate it, as traces name them.

    >>> PropertyKind.SAFETY.builtin, PropertyKind.SAFETY.errors, PropertyKind.LTL.builtin, f"{PropertyKind('ltl')}"
    ('faults', ('fault', 'trace'), None, 'ltl')
    """

    violation: str
    builtin: str | None
    errors: tuple[str, ...]

    def __new__(
        cls, name: str, violation: str, builtin: str | None = None, errors: tuple[str, ...] = ()
    ) -> PropertyKind:
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.violation, kind.builtin, kind.errors = violation, builtin, errors
        return kind

    ASSERTION = "assertion", "An assertion is violated.", "assertions", ("assertion",)
    DEADLOCK = "deadlock", "The system stops in a state that is not a valid end.", "end states", ("deadlock",)
    SAFETY = (
        "safety",
        "A step has no meaning: an index out of range, a division by zero and the like.",
        "faults",
        ("fault", "trace"),
    )
    LTL = "ltl", "A formula of linear temporal logic is violated."
    NEVER = "never", "The system does what a never claim forbids."
    CTL = "ctl", "A formula of computation tree logic is violated."


BUILTIN = {kind.builtin: kind for kind in PropertyKind if kind.builtin is not None}
"""The properties that every model has, and the kind of each."""
ERRORS = tuple(error for kind in PropertyKind for error in kind.errors)
"""The kinds of error that a finite run shows."""
WITNESS = "witness"
TRACES = (*ERRORS, *(kind.value for kind in PropertyKind if not kind.errors), WITNESS, "run")
"""What a trace can show: an error, the violation of a property of infinite runs, that an existential property holds, or
nothing in particular."""


def violated_by(error: str) -> str:
    """The property that an error of a kind violates; an error without a name of its own is a fault.

    >>> violated_by("deadlock"), violated_by("trace"), violated_by("index")
    ('end states', 'faults', 'faults')
    """
    return next((name for name, kind in BUILTIN.items() if error in kind.errors), "faults")
