"""What a command is, and what an option is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

Names = Callable[[], Mapping[str, str]]
"""Names to choose from, each with its summary.  A function, because registries may grow."""


class Described(Protocol):
    """What registries hold."""

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...


def summaries(registry: Mapping[str, Described]) -> dict[str, str]:
    """The names of a registry, each with its summary."""
    return {each.name: each.summary for each in registry.values()}


class Command(NamedTuple):
    """A command by its words (`features prove`).  `details` go on after the summary, which is the beginning of a sentence."""

    name: str
    summary: str
    details: str = "."

    @property
    def description(self) -> str:
        return self.summary[:1].upper() + self.summary[1:] + self.details


class Option(NamedTuple):
    """An option or, without flags, an argument of some commands.  Where commands differ in it, there is one for each of them.

    `value` stands for its value in the help, and is empty for a switch; `read` makes the value from a word and raises
    `ArgumentTypeError`.  `choices` are its values, if these are names; if it is not `strict`, a later stage refuses others.
    `usual` says in words what happens without the option, where the default does not.
    """

    flags: tuple[str, ...]
    commands: tuple[str, ...]
    help: str | Callable[[], str]
    value: str = ""
    read: Callable[[str], Any] = str
    choices: Names | None = None
    strict: bool = True
    default: Any = None
    usual: str = ""
    repeatable: bool = False
    alone: str = ""
    """The value that the flag has by itself; then the next word is its value only if `takes` says so."""
    takes: Callable[[str], bool] | None = None
    dest: str = ""
    """The attribute of the parsed command line, if the flag does not tell it."""
    keyword: str = ""
    """The keyword of the function in Python; empty if there is none."""
    setting: str = ""
    """The field of `engines.settings.Settings`; empty if there is none."""
    label: str = ""
    """In the form of the server; empty if it is not there."""
    example: str = ""
    """In an empty field of that form."""

    def on(self, *commands: str, **changes: Any) -> Option:
        """The option as other commands have it: on the command line only, unless changes say more."""
        return self._replace(**{"commands": commands, "keyword": "", "setting": "", "label": "", **changes})

    @property
    def attribute(self) -> str:
        """Where the parsed command line has the value.

        >>> Option(("--max-states",), (), "").attribute
        'max_states'
        """
        return self.dest or self.flags[0].lstrip("-").replace("-", "_")

    @property
    def names(self) -> tuple[str, ...]:
        """The names to choose from; none if the value is no name."""
        return () if self.choices is None else tuple(self.choices())

    @property
    def text(self) -> str:
        """The help in full.

        >>> colours = {"red": "warm", "blue": ""}
        >>> Option(("--colour",), (), "the colour", "NAME", choices=lambda: colours, default="red").text
        'the colour: red (warm), blue (default: red)'
        """
        found = self.help if isinstance(self.help, str) else self.help()
        if self.choices is not None:
            summaries = self.choices().items()
            found += ": " + ", ".join(f"{name} ({summary})" if summary else name for name, summary in summaries)
        if self.repeatable:
            found += "; repeatable"
        if self.usual:
            return f"{found} (default: {self.usual})"
        is_told = self.value and self.default is not None and not self.repeatable
        return f"{found} (default: {self.default})" if is_told else found
