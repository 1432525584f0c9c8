"""The methods by which symmetries are found, one description each.  A new one is its module and an entry here.

Descriptions are light, as `coset --help` shows them: a method is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from coset.model.model import Model, Property
    from coset.symmetry.methods.constraints.carried import CarriedSymmetry
    from coset.symmetry.symmetry import Symmetry

Listener = Callable[[str], None]


class Question(NamedTuple):
    """The symmetries of a model that keep some properties.  `moves` is how many moves generators are certified on (None:
    as many as the method does by itself); `listener` hears of the progress of a long search; `starts` is what `program` may do
    to values of the started states (`dead_starts.Starts`, by name)."""

    model: Model
    properties: Sequence[Property]
    moves: int | None = None
    listener: Listener = lambda line: None
    starts: str = "KEPT"

    @property
    def certification(self) -> dict[str, int]:
        return {} if self.moves is None else {"moves": self.moves}


class Method(NamedTuple):
    """`explains`: what breaks the symmetries that it finds can be told.  `compares`: what other properties would leave of the
    group is found by the same method; else by `program`, as the method takes long."""

    name: str
    summary: str
    detect: Callable[[Question], Symmetry | CarriedSymmetry]
    explains: bool = True
    compares: bool = False


def by_program(question: Question) -> Symmetry:
    from coset.symmetry.dead_starts import Starts
    from coset.symmetry.methods.program.detect import detect

    starts = Starts[question.starts]
    return detect(question.model, question.properties, **question.certification, starts=starts)


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


AUTO = "program; constraints for .seq files, and for small models in which program finds no symmetry"
"""What is done if no method is chosen."""
METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("program", "the graph of the whole model", by_program, compares=True),
        Method("channels", "the static channel diagram", by_channels),
        Method("constraints", "permutations of literals, on the sequential form", by_constraints, explains=False),
        Method("hypergraph", "the hypergraph of shared variables", by_hypergraph, explains=False, compares=True),
        Method("features", "the feature configuration of a network", by_features, explains=False),
    )
}
