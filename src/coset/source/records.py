"""Data classes whose definition takes microseconds.

`dataclasses.dataclass` writes and compiles the source of six methods for each class, half a millisecond together.  A command
imports two hundred classes, so that a third of the time of a small `coset check` went there.  This decorator shares one
implementation of all methods but `__init__`, which is compiled when the first object is made.

The classes are data classes in every other respect: `fields`, `replace`, `asdict` and `match` work, and type checkers see the
decorator of the standard library.  `slots` is accepted and has no effect, as it would define every class twice.

    >>> from dataclasses import replace
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), replace(Point(1), y=2), Point(1) == Point(1, 0)
    (Point(x=1, y=0), Point(x=1, y=2), True)
"""

from __future__ import annotations

import dataclasses
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 (a re-export)
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, slots=False):
        """The decorator, with or without arguments."""

        def made(defined):
            return Definition(defined, frozen, eq, repr).complete()

        return made if cls is None else made(cls)


class Definition:
    """A class that becomes a data class."""

    def __init__(self, cls: type, frozen: bool, eq: bool, repr: bool) -> None:
        self.cls, self.frozen, self.eq, self.repr = cls, frozen, eq, repr
        self.fields: dict[str, dataclasses.Field[Any]] = {}
        for base in reversed(cls.__mro__[1:]):
            self.fields |= base.__dict__.get("__dataclass_fields__", {})
        for name, annotation in get_annotations(cls).items():
            if not str(annotation).startswith("ClassVar"):
                self.fields[name] = self.field(name, annotation)

    def field(self, name: str, annotation: object) -> dataclasses.Field[Any]:
        value = self.cls.__dict__.get(name, dataclasses.MISSING)
        found: Any = value if isinstance(value, dataclasses.Field) else dataclasses.field(default=value)
        if found.default.__class__.__hash__ is None:
            raise ValueError(f"mutable default {found.default!r} of {name}: use default_factory")
        found.name, found.type, found._field_type = name, annotation, dataclasses._FIELD  # type: ignore[attr-defined]
        found.kw_only = found.kw_only is True
        if isinstance(value, dataclasses.Field):
            if found.default is dataclasses.MISSING:
                delattr(self.cls, name)
            else:
                setattr(self.cls, name, found.default)
        return found  # type: ignore[no-any-return]

    def complete(self) -> type:
        """The same class with the methods of a data class, except those that it defines itself."""
        names = [each.name for each in self.fields.values() if each.compare]
        self.add("__dataclass_fields__", self.fields)
        self.add("__dataclass_params__", SimpleNamespace(frozen=self.frozen, eq=self.eq, repr=self.repr))
        self.add("__match_args__", tuple(each.name for each in self.fields.values() if each.init and not each.kw_only))
        self.add("__init__", first_init)
        if self.repr:
            self.add("__repr__", shown)
        if self.eq:
            self.add("__dataclass_key__", staticmethod(attrgetter(*names) if names else nothing))
            self.add("__eq__", equal)
            # Python sets `__hash__` to None in a class that defines `__eq__`.
            if self.cls.__dict__.get("__hash__") is None:
                self.cls.__hash__ = hashed if self.frozen else None  # type: ignore[assignment,method-assign]
        if self.frozen:
            self.add("__setattr__", refuse_setting)
            self.add("__delattr__", refuse_deleting)
        return self.cls

    def add(self, name: str, value: object) -> None:
        if name not in self.cls.__dict__:
            setattr(self.cls, name, value)


def first_init(self: Any, *arguments: Any, **named: Any) -> None:
    """Stands for `__init__` until the first object is made."""
    owner: Any = next(each for each in type(self).__mro__ if each.__dict__.get("__init__") is first_init)
    init = compiled_init(owner)
    setattr(owner, "__init__", init)  # noqa: B010 (mypy does not allow the assignment)
    init(self, *arguments, **named)


def compiled_init(cls: Any) -> Any:
    """A constructor with one parameter for each field, in the order of the fields."""
    made = [each for each in cls.__dataclass_fields__.values() if each.init]
    ordered = [each for each in made if not each.kw_only]
    named = [each for each in made if each.kw_only]
    known: dict[str, object] = {"object_setattr": object.__setattr__, "MISSING": dataclasses.MISSING}
    lines = []
    for each in cls.__dataclass_fields__.values():
        name = each.name
        known[f"default_{name}"], known[f"make_{name}"] = each.default, each.default_factory
        value = name if each.init else f"default_{name}"
        if each.default_factory is not dataclasses.MISSING:
            value = f"make_{name}() if {name} is MISSING else {name}" if each.init else f"make_{name}()"
        elif not each.init and each.default is dataclasses.MISSING:
            continue
        frozen = cls.__dataclass_params__.frozen
        lines.append(f"object_setattr(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ["self", *map(parameter, ordered), *(["*"] if named else []), *map(parameter, named)]
    body = "".join(f"\n  {line}" for line in lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):{body}", known)
    init: Any = known["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return init


def parameter(each: dataclasses.Field[Any]) -> str:
    if each.default_factory is not dataclasses.MISSING:
        return f"{each.name}=MISSING"
    return each.name if each.default is dataclasses.MISSING else f"{each.name}=default_{each.name}"


# --- shared methods ------------------------------------------------------------------------------


def nothing(_: object) -> tuple[()]:
    return ()


def equal(self: Any, other: Any) -> Any:
    if other.__class__ is self.__class__:
        return self.__dataclass_key__(self) == other.__dataclass_key__(other)
    return NotImplemented


def hashed(self: Any) -> int:
    return hash(self.__dataclass_key__(self))


@recursive_repr()
def shown(self: Any) -> str:
    values = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(values)})"


def refuse_setting(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_deleting(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
