"""The form of a model as a command line: which fields there are, for which commands, and the options that they mean.

Values are handed on as they are: the command itself says what is wrong with them.  Every value is glued to its option,
so that none is taken for an option of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coset.engines.registry import ENGINES
from coset.symmetry.methods import reductions

COMMANDS = {
    "check": "verify the properties",
    "explore": "count all states",
    "symmetry": "find the group",
}
SEARCHES = ("check", "explore")
Form = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form.  `kind` is text, words (each a value of its own), number, choice or switch."""

    name: str
    label: str
    kind: str
    commands: tuple[str, ...]
    values: tuple[str, ...] = ()
    example: str = ""

    @property
    def option(self) -> str:
        return "-D" if self.name == "define" else f"--{self.name}"


FIELDS = (
    Field("define", "defines (-D)", "words", tuple(COMMANDS), example="N=3 FAST"),
    Field("ltl", "LTL formula", "text", ("check", "symmetry"), example="[] (x < 3)"),
    Field("ctl", "CTL formula", "text", ("check", "symmetry"), example="AG EF done"),
    Field("fair", "weak fairness", "switch", ("check",)),
    Field("all-errors", "all errors, not only the first", "switch", ("check",)),
    Field("cross-check", "decide again by another engine", "switch", ("check",)),
    Field("explain", "say what breaks the symmetry", "switch", ("symmetry",)),
    Field("symmetry", "symmetry", "choice", tuple(COMMANDS), tuple(reductions())),
    Field("engine", "engine", "choice", SEARCHES, tuple(ENGINES)),
    Field("steps", "steps", "choice", tuple(COMMANDS), ("default", "plain", "merged")),
    Field("threads", "threads", "number", SEARCHES, example="1"),
    Field("max-states", "max states", "number", SEARCHES, example="no limit"),
    Field("max-seconds", "time limit (seconds)", "number", SEARCHES, example="no limit"),
    Field("max-memory", "memory limit", "text", SEARCHES, example="2G"),
)


class BadForm(ValueError):
    """A form that means no command."""


def command_line(form: Form, file: str) -> list[str]:
    """The arguments of `coset` that a form asks for.

    >>> form = {"command": ["check"], "define": ["N=3 FAST"], "property": ["end states"], "engine": ["auto"]}
    >>> command_line({**form, "fair": ["on"], "explain": ["on"]}, "-m.pml")
    ['check', './-m.pml', '-DN=3', '-DFAST', '--property=end states', '--fair']
    """
    command = first(form, "command") or "check"
    if command not in COMMANDS:
        raise BadForm(f"unknown command '{command}'; expected one of {', '.join(COMMANDS)}")
    found = [command, f"./{file}" if file.startswith("-") else file]
    for field in FIELDS:
        if command in field.commands:
            found += options(field, first(form, field.name).strip())
        if field.name == "define" and command != "explore":
            found += [f"--property={name}" for name in form.get("property", ())]
    if any("\0" in each for each in found):
        raise BadForm("a NUL character cannot be part of a command line")
    return found


def options(field: Field, value: str) -> Iterator[str]:
    """The options that the value of a field means: none if it is left as it was."""
    if not value or (field.kind == "choice" and value == field.values[0]):
        return
    if field.kind == "switch":
        yield field.option
    elif field.kind == "words":
        yield from (f"{field.option}{word}" for word in words(value))
    else:
        yield f"{field.option}={value}"


def words(text: str) -> list[str]:
    """Words, in which quotation marks keep together what belongs together."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadForm(f"defines (-D): {error}") from None


def first(form: Form, name: str) -> str:
    return next(iter(form.get(name, ())), "")
