"""Errors of Coset itself that were noticed in time: there is no verdict, and the message says what to report."""

from __future__ import annotations


class InternalError(Exception):
    """Coset contradicts itself, so that nothing it found can be relied on."""


class Disagreement(InternalError):
    """Two searches, or a search and the interpreter, contradict each other."""


class WrongSymmetry(InternalError):
    """A permutation that the search used as a symmetry is none: it fails on a state that the search has visited."""

    def __init__(self, generator: str, state: str) -> None:
        super().__init__(
            f"the search used {generator} as a symmetry of the model, but it is none: in the state {state} the steps, errors or "
            "conditions of the property are not those of its image. No verdict is given; --symmetry off decides "
            "without symmetry"
        )


class ConflictingVerdicts(InternalError):
    """Two ways to decide a property do not agree."""

    def __init__(self, name: str, first: str, second: str) -> None:
        super().__init__(f"two verdicts on '{name}': {first}, but {second}. No verdict is given")
