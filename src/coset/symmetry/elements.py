"""What a symmetry does with the elements of a sequential model: each goes to an element, and its values to values.

A symmetry of a concurrent model moves the elements of its sequential form as it moves what they stand for (`homes`); one
that was found by constraints is a permutation of literals, which says the same in other words.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.model.sequential import SequentialModel
from coset.model.sequential_model import Home
from coset.model.state import State
from coset.source.records import dataclass
from coset.symmetry.action import IDENTITY, Action, Table
from coset.symmetry.literal_action import LiteralAction

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ElementAction:
    """Element e with value v becomes element `targets[e]` with value `values[e][v]`; values that are not in the table stay.

    >>> swap = ElementAction((1, 0, 2), ({}, {}, {0: 1, 1: 0}))
    >>> swap((7, 8, 0)), swap.inverse()(swap((7, 8, 0))), swap.moved
    ((8, 7, 1), (7, 8, 0), (0, 1, 2))
    """

    targets: tuple[int, ...]
    values: tuple[Table, ...]

    def __call__(self, row: Sequence[int]) -> Row:
        """The state after the symmetry."""
        image = [0] * len(row)
        for target, table, value in zip(self.targets, self.values, row, strict=True):
            image[target] = table.get(value, value)
        return tuple(image)

    def inverse(self) -> ElementAction:
        targets, values = [0] * len(self.targets), [IDENTITY] * len(self.targets)
        for element, (target, table) in enumerate(zip(self.targets, self.values, strict=True)):
            targets[target] = element
            values[target] = {image: value for value, image in table.items()}
        return ElementAction(tuple(targets), tuple(values))

    @property
    def moved(self) -> tuple[int, ...]:
        """The elements that go elsewhere, or get other values."""
        pairs = enumerate(zip(self.targets, self.values, strict=True))
        return tuple(element for element, (target, table) in pairs if target != element or table)


def on_elements(form: SequentialModel, state: State, action: Action) -> ElementAction:
    """The action of a symmetry of the concurrent model, whose processes and channels are those of a started state."""
    place = {home: element for element, home in enumerate(form.homes)}
    moves = [moved(home, state, action) for home in form.homes]
    return ElementAction(tuple(place[home] for home, _ in moves), tuple(table for _, table in moves))


def moved(home: Home, state: State, action: Action) -> tuple[Home, Table]:
    """Where what an element stands for goes, and where its values go."""
    match home.what:
        case "global":
            target, table = action.shared[home.offset]
            return home._replace(offset=target), table
        case "location":
            kind = state.processes[home.owner].kind
            return home._replace(owner=action.process.get(home.owner, home.owner)), action.location[kind]
        case "local":
            target, table = action.own[state.processes[home.owner].kind][home.offset]
            return home._replace(owner=action.process.get(home.owner, home.owner), offset=target), table
        case "length" | "field":
            number = home.owner + 1
            fields = action.messages.get(number, ())
            table = fields[home.offset] if home.what == "field" and fields else IDENTITY
            return home._replace(owner=action.channel.get(number, number) - 1), table
    return home, {p + 1: q + 1 for p, q in action.process.items()}


def on_literals(action: LiteralAction) -> ElementAction:
    """The action of a permutation of literals."""
    targets, values = list(range(action.size)), [dict[int, int]() for _ in range(action.size)]
    for (element, value), (target, image) in action.images.items():
        targets[element] = target
        if image != value:
            values[element][value] = image
    return ElementAction(tuple(targets), tuple(values))
