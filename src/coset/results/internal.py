"""Internal errors that Coset detects itself: there is no verdict, and the message says what to report."""

from __future__ import annotations


class InternalError(Exception):
    """Coset contradicts itself, so that its results cannot be trusted."""


class Disagreement(InternalError):
    """Two searches, or a search and the interpreter, contradict each other."""


class WrongSymmetry(InternalError):
    """A permutation that the search used is not a symmetry: it fails on a visited state."""

    def __init__(self, generator: str, state: str) -> None:
        super().__init__(
            f"the search used {generator} as a symmetry of the model, but it is none: in the state {state} the steps, errors or "
            "conditions of the property are not those of its image. No verdict is given; --symmetry off decides "
            "without symmetry"
        )


class ConflictingVerdicts(InternalError):
    """Two decisions of a property have different verdicts."""

    def __init__(self, name: str, first: str, second: str) -> None:
        super().__init__(f"two verdicts on '{name}': {first}, but {second}. No verdict is given")
