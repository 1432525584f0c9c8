"""Data classes by `coset.source.records` behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar

import pytest

from coset.source import records


def family(decorator: Any) -> tuple[Any, Any, Any]:
    """The same classes by one decorator or the other."""

    @decorator(frozen=True)
    class Node:
        span: int = dataclasses.field(compare=False, repr=False, kw_only=True, default=7)

    @decorator(frozen=True)
    class Leaf(Node):
        kinds: ClassVar[int] = 3
        value: int
        name: str = "leaf"

    @decorator
    class Bag:
        items: list[int] = dataclasses.field(default_factory=list)
        total: int = dataclasses.field(init=False, default=0)

        def __post_init__(self) -> None:
            self.total = sum(self.items)

    return Node, Leaf, Bag


STANDARD, OURS = family(dataclasses.dataclass), family(records.dataclass)


@pytest.mark.parametrize("arguments", [(1,), (1, "x")])
def test_the_same_objects(arguments: tuple[Any, ...]) -> None:
    theirs, ours = (classes[1](*arguments, span=2) for classes in (STANDARD, OURS))
    assert repr(ours).split(".")[-1] == repr(theirs).split(".")[-1]
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert dataclasses.replace(ours, value=5) == OURS[1](5, *arguments[1:])
    assert [each.name for each in dataclasses.fields(ours)] == [each.name for each in dataclasses.fields(theirs)]
    assert type(ours).__match_args__ == type(theirs).__match_args__
    assert ours == OURS[1](*arguments) and hash(ours) == hash(OURS[1](*arguments))
    assert ours != theirs and ours != OURS[1](9) and ours != OURS[0]()
    assert copy.deepcopy(ours) == ours


def test_frozen_objects_do_not_change() -> None:
    leaf = OURS[1](1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        leaf.value = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del leaf.value


def test_factories_and_what_comes_after_the_constructor() -> None:
    first, second = OURS[2](), OURS[2]([1, 2])
    first.items.append(4)
    assert OURS[2]().items == [] and (second.total, second) == (3, OURS[2]([1, 2]))
    with pytest.raises(TypeError):
        hash(second)


@pytest.mark.parametrize("arguments", [(), (1, "x", 2), (1, "x", "y")])
def test_wrong_arguments(arguments: tuple[Any, ...]) -> None:
    for classes in (STANDARD, OURS):
        with pytest.raises(TypeError):
            classes[1](*arguments)


def test_a_mutable_default_is_refused() -> None:
    with pytest.raises(ValueError, match="default_factory"):

        @records.dataclass
        class Wrong:
            items: list[int] = []


@records.dataclass(frozen=True)
class Sent:
    value: int


def test_objects_travel_between_processes() -> None:
    assert pickle.loads(pickle.dumps(Sent(3))) == Sent(3)


def test_a_standard_data_class_may_extend_one() -> None:
    @dataclasses.dataclass(frozen=True)
    class More(Sent):
        other: int = 1

    assert More(2).value == 2 and repr(More(2)).endswith("More(value=2, other=1)")
