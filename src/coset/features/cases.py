"""The cases of an analysis, up to symmetry: tuples of components of which no two are equal up to renaming.

Without features all components of a type can be exchanged, so only which parameters are equal matters.  Such patterns are
restricted growth strings (Knuth, The Art of Computer Programming 4A, Section 7.2.1.5): the first component is 1, and each
further one has been there before or is the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from coset.features.properties import Instance, Parameter, Property
from coset.languages.features.tree import Network
from coset.source.records import dataclass


def patterns(types: Sequence[str], ids: Mapping[str, Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Tuples of components of these types, one of each class under permutations that keep types.

    The call forwarding of user i to user j, as seen by user k: of 216 cases with six users there are three, if i and j differ.

    >>> [case for case in patterns(["user"] * 3, {"user": [1, 2, 3, 4, 5, 6]}) if case[0] != case[1]]
    [(1, 2, 1), (1, 2, 2), (1, 2, 3)]
    """
    if not types:
        yield ()
        return
    for begun in patterns(types[:-1], ids):
        used = {number for number, type_ in zip(begun, types, strict=False) if type_ == types[-1]}
        yield from ((*begun, number) for number in ids[types[-1]][: len(used) + 1])


@dataclass(frozen=True, slots=True)
class Case:
    """Two features, each for some components, with the further parameters of their properties."""

    first: Instance
    second: Instance

    def __str__(self) -> str:
        return f"{self.first} + {self.second}"


def arguments_of(
    property_: Property, network: Network, further: Sequence[Property] = ()
) -> Iterator[list[tuple[int, ...]]]:
    """The parameters of one or more properties, up to renaming; host and partner of a feature differ."""
    all_ = [property_, *further]
    flat: list[Parameter] = [parameter for each in all_ for parameter in each.parameters]
    ids = {each.name: network.ids(each.name) for each in network.definitions}
    for case in patterns([each.proctype for each in flat], ids):
        split, at = list[tuple[int, ...]](), 0
        for each in all_:
            split.append(case[at : at + len(each.parameters)])
            at += len(each.parameters)
        if all(len(set(part[: each.arity])) == each.arity for part, each in zip(split, all_, strict=True)):
            yield split


def single_cases(property_: Property, network: Network) -> list[Instance]:
    """The cases of one feature."""
    return [Instance(property_.name, arguments) for (arguments,) in arguments_of(property_, network)]


def pair_cases(one: Property, other: Property, network: Network) -> list[Case]:
    """The cases of two features, or of one feature twice."""
    found = []
    for first, second in arguments_of(one, network, [other]):
        if one.name != other.name or first[: one.arity] != second[: one.arity]:
            found.append(Case(Instance(one.name, first), Instance(other.name, second)))
    return found


def canonical(instance: Instance, property_: Property, network: Network) -> Instance:
    """The single case that an instance is a renaming of."""
    images: dict[int, int] = {}
    for number, parameter in zip(instance.arguments, property_.parameters, strict=True):
        ids = network.ids(parameter.proctype)
        images.setdefault(number, ids[len([one for one in images if one in ids])])
    return Instance(instance.name, tuple(images[number] for number in instance.arguments))
