"""The form of a model as a command line: its fields, the commands that they apply to, and the options that they set.

Values are passed on unchanged, and the command reports errors in them.  Every value is joined to its option by `=`, so that
it cannot be mistaken for an option.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from coset.options.catalogue import OPTIONS
from coset.options.option import Option
from coset.options.values import count, definition, duration
from coset.source.records import dataclass

COMMANDS = {
    "check": "verify the properties",
    "explore": "count all states",
    "symmetry": "find the group",
}
Form = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form.  `kind` is text, words (each one is a value), number, choice or switch."""

    flag: str
    label: str
    kind: str
    commands: tuple[str, ...]
    values: tuple[str, ...] = ()
    example: str = ""

    @property
    def name(self) -> str:
        return "define" if self.flag == "-D" else self.flag.lstrip("-")


def fields() -> list[Field]:
    """The fields of the form, from the options that have a label; what commands name alike is one field."""
    found: dict[str, list[Option]] = {}
    for option in OPTIONS:
        if option.label and any(command in option.commands for command in COMMANDS):
            found.setdefault(option.flags[0], []).append(option)
    return [field(alike) for alike in found.values()]


def field(alike: Sequence[Option]) -> Field:
    """The field for an option of several commands.  The first value of a choice is what the command does by itself."""
    first = alike[0]
    commands = tuple(command for command in COMMANDS if any(command in option.commands for option in alike))
    values = first.names
    if values:
        usual = first.default if len({option.default for option in alike}) == 1 else "default"
        values = (usual, *(name for name in values if name != usual))
    return Field(first.flags[0], first.label, kind(first), commands, values, first.example)


def kind(option: Option) -> str:
    if option.choices is not None:
        return "choice"
    if not option.value:
        return "switch"
    return "words" if option.read is definition else "number" if option.read in (count, duration) else "text"


class BadForm(ValueError):
    """The form does not describe a command."""


def command_line(form: Form, file: str) -> list[str]:
    """The arguments of `coset` for a form.

    >>> form = {"command": ["check"], "define": ["N=3 FAST"], "property": ["end states"], "engine": ["auto"]}
    >>> command_line({**form, "fair": ["strong"], "explain": ["on"]}, "-m.pml")
    ['check', './-m.pml', '-DN=3', '-DFAST', '--property=end states', '--fair=strong']
    """
    command = first(form, "command") or "check"
    if command not in COMMANDS:
        raise BadForm(f"unknown command '{command}'; expected one of {', '.join(COMMANDS)}")
    found = [command, f"./{file}" if file.startswith("-") else file]
    for each in fields():
        if command in each.commands:
            found += options(each, first(form, each.name).strip())
        if each.name == "define" and command != "explore":
            found += [f"--property={name}" for name in form.get("property", ())]
    if any("\0" in each for each in found):
        raise BadForm("a NUL character cannot be part of a command line")
    return found


def options(field: Field, value: str) -> Iterator[str]:
    """The options for the value of a field: none for the default."""
    if not value or (field.kind == "choice" and value == field.values[0]):
        return
    if field.kind == "switch":
        yield field.flag
    elif field.kind == "words":
        yield from (f"{field.flag}{word}" for word in words(value))
    else:
        yield f"{field.flag}={value}"


def words(text: str) -> list[str]:
    """Split a text into words, respecting quotation marks."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadForm(f"defines (-D): {error}") from None


def first(form: Form, name: str) -> str:
    return next(iter(form.get(name, ())), "")
