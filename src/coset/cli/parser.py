"""The parser of the command line, made from the descriptions of `coset.options`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from coset.options.catalogue import OPTIONS, SECTIONS, options_of
from coset.options.commands import COMMANDS, GROUPS
from coset.options.option import Option
from coset.options.values import one_of

_COMMAND = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")

EPILOG = """\
exit codes: 0 done or holds, 1 violated, 2 bad input or usage, 3 inconclusive (a limit was reached),
4 environment, 70 internal error, 130 interrupted.  `coset COMMAND --help` has the options."""
HELP = ("-h", "--help")


class UsageError(Exception):
    """The command line is wrong; `usage` is the usage line of the command."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that `--json` prints an object for wrong usage, too.  Options cannot be abbreviated:
    abbreviations in scripts would break when an option is added."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "add_help": False, **settings})

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """As in argparse, but `--ltl=--` has the value `--`, which argparse treats as the end of the options."""
        if action.option_strings and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        wrong = _COMMAND.search(message)
        if wrong is not None:
            message = f"there is no command '{wrong[1]}'{guess(wrong[1], re.findall(r'[a-z]+', wrong[2]))}"
        usage = self.format_usage()
        if usage.count("\n") > 4:  # the error must not be lost below a list of all options
            usage = f"usage: {self.prog} ... (see {self.prog} --help)"
        raise UsageError(message, usage)


def guess(word: str, known: Sequence[str]) -> str:
    """A suggestion for a misspelt name, as the end of a sentence.

    >>> guess("--symetry", ["--steps", "--symmetry"]), guess("x", ["check"])
    ("; did you mean '--symmetry'?", '')
    """
    import difflib

    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def with_values(arguments: Sequence[str]) -> list[str]:
    """The arguments with the values that flags have by themselves.

    >>> with_values(["check", "--fair", "m.pml"]), with_values(["check", "--fair", "strong", "m.pml"])
    (['check', '--fair=weak', 'm.pml'], ['check', '--fair', 'strong', 'm.pml'])
    """
    known = {flag: option for option in OPTIONS if option.takes is not None for flag in option.flags}
    found, last = list(arguments), len(arguments)
    if "--" in found:
        last = found.index("--")
    for place, word in enumerate(found[:last]):
        option = known.get(word)
        if option is None or option.takes is None:
            continue
        if place + 1 == last or not option.takes(found[place + 1]):
            found[place] = f"{word}={option.alone}"
    return found


# --- from the descriptions -------------------------------------------------------------------------


def make_parser() -> Parser:
    """The parser of the whole command line."""
    whole = Parser(
        prog="coset",
        description="Model checking on the quotient: finds the symmetry of a concurrent model automatically.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(whole, "")
    below = {"": whole.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=Parser)}
    for command in COMMANDS:
        group, _, name = command.name.rpartition(" ")
        made = below[group].add_parser(name, help=command.summary, description=escaped(command.description))
        add_options(made, command.name)
        if command.name in GROUPS:
            below[command.name] = made.add_subparsers(
                title="actions", metavar="ACTION", dest="action", parser_class=Parser, required=True
            )
    return whole


def add_options(parser: Parser, command: str) -> None:
    """Add the options of a command, by section."""
    for section in SECTIONS:
        found = options_of(command, section)
        group = parser.add_argument_group(section) if found and section not in ("arguments", "options") else parser
        for option in found:
            group.add_argument(*option.flags, **settings_of(option))


def settings_of(option: Option) -> dict[str, Any]:
    """What argparse is told about an option."""
    found: dict[str, Any] = {"help": escaped(option.text), "default": option.default, "dest": option.attribute}
    if option.flags == HELP:
        return {**found, "action": "help", "default": argparse.SUPPRESS}
    if not option.value:
        return {**found, "action": "store_true"}
    strict = option.choices is not None and option.strict
    found |= {"metavar": option.value, "type": partial(one_of, option.names) if strict else option.read}
    if option.repeatable:
        found["action"] = "append"
    if not option.flags and option.default is not None:
        found["nargs"] = "?"
    return found


def escaped(text: str) -> str:
    """Text in which argparse shall not replace anything."""
    return text.replace("%", "%%")
