"""Symmetries on sets of states: the set of the images, by replacing variables in a diagram.

The set S becomes {s' : g^-1(s') in S}: where S asks for an element, the image asks for the element that it went to, with
the value that it had before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from coset.engines.symbolic.diagrams import Diagram, Renaming
from coset.engines.symbolic.encoding import Encoding
from coset.symmetry.elements import ElementAction


class Unclosed(Exception):
    """Symmetries lead to values that the encoding does not know: `found` has them with their elements."""

    def __init__(self, found: Iterable[tuple[int, int]]) -> None:
        super().__init__("a symmetry leads to values that the encoding does not know")
        self.found = list(found)


class Permuting:
    """One symmetry, made ready for sets of states (with `after`: for the states after a step).

    >>> from coset.languages.sequential.parse import parse_text
    >>> model = parse_text("process p(0..2 x, 0..2 y) = [x < y] up { x = y; } init p(0, 0);")
    >>> encoding = Encoding(model, [(0, 1, 2)] * 2, [0, 1])
    >>> swap = Permuting(encoding, ElementAction((1, 0), ({}, {})))
    >>> encoding.some(swap(encoding.states((2, 1))))
    (1, 2)
    """

    def __init__(self, encoding: Encoding, action: ElementAction, after: bool = False) -> None:
        self.encoding, self.action = encoding, action
        outside = list(unknown(encoding, [action]))
        if outside:
            raise Unclosed(outside)
        bits = encoding.next_bits if after else encoding.bits
        pairs: list[tuple[int, Diagram]] = []
        for element in action.moved:
            there, codes = bits[action.targets[element]], coded(encoding, action, element)
            for place, bit in enumerate(bits[element]):
                if codes == list(range(len(codes))):
                    pairs.append((bit, encoding.diagrams.variable(there[place])))
                else:
                    weight = 1 << (len(bits[element]) - 1 - place)
                    images = [image for code, image in enumerate(codes) if code & weight]
                    pairs.append((bit, encoding.diagrams.union(encoding.number(there, image) for image in images)))
        self.replacing: Renaming = encoding.diagrams.replacing(pairs)

    def __call__(self, states: Diagram) -> Diagram:
        return self.encoding.diagrams.renamed(states, self.replacing)


def coded(encoding: Encoding, action: ElementAction, element: int) -> list[int]:
    """The code that each code of an element becomes.  Codes that no value has become such codes, too: a set of states has
    none of them, and its image must not."""
    table, there = action.values[element], encoding.codes[action.targets[element]]
    images = [there[table.get(value, value)] for value in encoding.values[element]]
    return images + [code for code in range(1 << len(encoding.bits[element])) if code not in images]


def unknown(encoding: Encoding, actions: Iterable[ElementAction]) -> Iterator[tuple[int, int]]:
    """Values that symmetries lead to, but the encoding does not know, with their elements."""
    for action in actions:
        for element in action.moved:
            target, table = action.targets[element], action.values[element]
            for value in encoding.values[element]:
                if table.get(value, value) not in encoding.codes[target]:
                    yield target, table.get(value, value)


def unfolded(states: Diagram, generators: Sequence[Permuting]) -> Diagram:
    """All images of the states of a set under the group that symmetries generate."""
    while True:
        before = states
        for generator in generators:
            while (more := states | generator(states)) != states:
                states = more
            generator.encoding.diagrams.rest()
        if states == before:
            return states
