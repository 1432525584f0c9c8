"""The elements of a state as boolean variables: the values that an element may have are numbered, and the number is
written in binary.

A variable of the state before a step has an even number, and the one of the state after it the next odd one.  That the
values are all that occur is not assumed: a step that leaves them is noticed (`steps.Overflow`).
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.symbolic.diagrams import Diagram, Diagrams
from coset.engines.symbolic.order import Order, firsts
from coset.model.sequential import SequentialModel

Row = Sequence[int]
"""A value for every element of a sequential model."""


class Encoding:
    """Elements are known by their number in `SequentialModel.elements`.

    >>> from coset.languages.sequential.parse import parse_text
    >>> model = parse_text("process p(0..4 x, bit y) = [x < 4] up { x = x + 1; } init p(0, 0);")
    >>> encoding = Encoding(model, [(0, 1, 2, 3, 4), (0, 1)], [0, 1])
    >>> encoding.bits, encoding.next_bits
    ([(0, 2, 4), (6,)], [(1, 3, 5), (7,)])
    >>> encoding.contains(encoding.literal(0, 3), (3, 1)), encoding.count(encoding.literal(1, 1) & encoding.valid)
    (True, 5)
    """

    def __init__(
        self, model: SequentialModel, values: Sequence[Sequence[int]], order: Order, diagrams: Diagrams | None = None
    ) -> None:
        self.model, self.values, self.order = model, [tuple(row) for row in values], order
        self.first = firsts(model)
        self.bits: list[tuple[int, ...]] = [()] * len(values)
        used = 0
        for element in order:
            width = (len(values[element]) - 1).bit_length()
            self.bits[element] = tuple(range(used, used + 2 * width, 2))
            used += 2 * width
        self.next_bits = [tuple(bit + 1 for bit in row) for row in self.bits]
        self.width = used // 2
        self.diagrams = diagrams or Diagrams(used)
        self.codes = [{value: code for code, value in enumerate(row)} for row in self.values]
        self._literals: dict[tuple[int, int, bool], Diagram] = {}

    def literal(self, element: int, value: int, after: bool = False) -> Diagram:
        """Where an element has a value, before a step or after it."""
        key = element, value, after
        if key not in self._literals:
            bits = (self.next_bits if after else self.bits)[element]
            self._literals[key] = self.number(bits, self.codes[element][value])
        return self._literals[key]

    def number(self, bits: Sequence[int], code: int) -> Diagram:
        result = self.diagrams.true
        for place, bit in enumerate(reversed(bits)):
            variable = self.diagrams.variable(bit)
            result = (variable if code >> place & 1 else ~variable) & result
        return result

    @property
    def valid(self) -> Diagram:
        """Where every element has a value."""
        result = self.diagrams.true
        for element in reversed(self.order):
            result = self.diagrams.union(self.literal(element, value) for value in self.values[element]) & result
        return result

    def states(self, row: Sequence[int | None]) -> Diagram:
        """The states with these values; None is any."""
        result = self.diagrams.true
        for element in reversed(self.order):
            value = row[element]
            if value is None:
                any_ = self.diagrams.union(self.literal(element, each) for each in self.values[element])
                result = any_ & result
            else:
                result = self.literal(element, value) & result
        return result

    def contains(self, states: Diagram, row: Row) -> bool:
        """Whether a state is in a set."""
        if any(value not in codes for value, codes in zip(row, self.codes, strict=True)):
            return False
        pairs = (
            (bit, bool(self.codes[element][row[element]] >> place & 1))
            for element, bits in enumerate(self.bits)
            for place, bit in enumerate(reversed(bits))
        )
        return bool(states.eval(pairs))

    def count(self, states: Diagram) -> int:
        return self.diagrams.count(states, self.width)

    def some(self, states: Diagram) -> Row:
        """A state of a set that is not empty."""
        cube = states.pick_cube()
        assert cube is not None
        row = []
        for bits, values in zip(self.bits, self.values, strict=True):
            code = 0
            for bit in bits:
                code = code << 1 | bool(cube[bit])
            row.append(values[code])
        return tuple(row)
