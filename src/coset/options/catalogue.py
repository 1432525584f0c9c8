"""All options, by section, and those of each command.  A new option is one entry in one of the sections."""

from __future__ import annotations

from coset.options.option import Option
from coset.options.reading import ARGUMENTS, MODEL, PROPERTIES
from coset.options.searching import LIMITS, SEARCH
from coset.options.showing import OTHER, OUTPUT

SECTIONS = {
    "arguments": ARGUMENTS,
    "options": OTHER,
    "model": MODEL,
    "properties": PROPERTIES,
    "search": SEARCH,
    "limits": LIMITS,
    "output": OUTPUT,
}
OPTIONS = tuple(option for section in SECTIONS.values() for option in section)


def options_of(command: str, *sections: str) -> tuple[Option, ...]:
    """The options that a command takes, or those of them in some sections.

    >>> [option.flags[0] for option in options_of("doctor")]
    ['-h', '--clear-cache', '--json']
    """
    chosen = sections or tuple(SECTIONS)
    return tuple(option for name in chosen for option in SECTIONS[name] if command in option.commands)
