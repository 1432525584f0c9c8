"""Tables of components whose values are numbered together, in C (component_dictionary.h).

Columns that symmetries exchange have the same numbers: if a value gets a number in one column, its images in all other columns
get the same number.  Then a symmetry moves columns of numbers, and what is inside of them need not be renamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from coset.engines.explicit.components import Components
from coset.model.state import State

NO_COLUMN = 255

Columns = Sequence[Sequence[int]]
"""Columns, each with its components."""


def equivariant_tables(components: Components, families: Sequence[Columns]) -> list[str]:
    """For each component the next one that has the same numbers, and its column."""
    following, column_of = list(range(len(components.all))), [NO_COLUMN] * len(components.all)
    for number, column in enumerate(chain.from_iterable(families)):
        for k in column:
            column_of[k] = number
    for columns in families:
        for row in zip(*columns, strict=True):
            for one, other in zip(row, (*row[1:], row[0]), strict=True):
                following[one] = other
    return [
        f"const uint16_t model_peer[] = {{{', '.join(map(str, following))}}};",
        f"static const u8 column_of[] = {{{', '.join(map(str, column_of))}}};",
    ]


def template_table(components: Components, template: State) -> str:
    """A state in which symmetries act."""
    state = ", ".join(map(str, components.layout.encode(template)))
    return f"const u8 model_template[STATE_SIZE] = {{{state}}};"
