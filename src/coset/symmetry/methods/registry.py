"""The methods by which symmetries are found, one description each.  A new one is its module and an entry here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coset.model import model as m

if TYPE_CHECKING:
    from coset.symmetry.methods.constraints.carried import CarriedSymmetry
    from coset.symmetry.symmetry import Symmetry

Listener = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Question:
    """The symmetries of a model that keep some properties.  `moves` is how many moves generators are certified on (None:
    as many as the method does by itself); `listener` hears of the progress of a long search."""

    model: m.Model
    properties: Sequence[m.Property]
    moves: int | None = None
    listener: Listener = lambda line: None

    @property
    def certification(self) -> dict[str, int]:
        return {} if self.moves is None else {"moves": self.moves}


@dataclass(frozen=True, slots=True)
class Method:
    """`explains`: what breaks the symmetries that it finds can be told.  `compares`: what other properties would leave of the
    group is found by the same method; else by `program`, as the method takes long."""

    name: str
    summary: str
    detect: Callable[[Question], Symmetry | CarriedSymmetry]
    explains: bool = True
    compares: bool = False


def by_program(question: Question) -> Symmetry:
    from coset.symmetry.methods.program.detect import detect

    return detect(question.model, question.properties, **question.certification)


def by_channels(question: Question) -> Symmetry:
    from coset.symmetry.methods.channels import detect_channels

    return detect_channels(question.model, question.properties, listener=question.listener)


def by_hypergraph(question: Question) -> Symmetry:
    from coset.symmetry.methods.hypergraph import detect_hypergraph

    return detect_hypergraph(question.model, question.properties, **question.certification)


def by_features(question: Question) -> Symmetry:
    from coset.symmetry.methods.features import detect_features

    return detect_features(question.model, question.properties)


def by_constraints(question: Question) -> CarriedSymmetry:
    from coset.symmetry.methods.constraints.carried import detect_literals

    return detect_literals(question.model, question.properties, **question.certification)


METHODS = {
    method.name: method
    for method in (
        Method("program", "the whole text as one graph", by_program, compares=True),
        Method("channels", "static channel diagram, SymmExtractor", by_channels),
        Method("hypergraph", "of shared variables, SYMM", by_hypergraph, explains=False, compares=True),
        Method("features", "of a featured network", by_features, explains=False),
        Method("constraints", "sequential form, permutations of literals", by_constraints, explains=False),
    )
}
