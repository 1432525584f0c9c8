"""The command line: `coset COMMAND FILE`.

Thin on purpose: a command reads its options, calls a task and hands the result to `formats` or `views`.  The module of a command
is imported when it runs, so that `coset --help` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from coset.cli.errors import guarded
from coset.cli.parser import UsageError, guess, make_parser
from coset.options.catalogue import options_of
from coset.source.budget import current_budget


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every failure is turned into one as well."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.set_int_max_str_digits(0)  # the order of a group may have more digits than Python prints by default
    return guarded(arguments, lambda: dispatch(arguments))


def dispatch(arguments: Sequence[str]) -> int:
    whole = make_parser()
    options, unknown = whole.parse_known_args(arguments)
    if unknown:
        refuse(options, unknown[0])
    options.arguments = list(arguments)  # for reports, which say how to repeat what they tell
    if options.version:
        from coset import __version__

        print(f"coset {__version__}")
        return 0
    if options.completion is not None:
        from coset.cli import completion

        print(completion.script(options.completion), end="")
        return 0
    if options.command is None:
        whole.print_help(sys.stderr)
        return 2
    limit(options)
    return int(import_module(f"coset.cli.{options.command}").run(options))


def limit(options: argparse.Namespace) -> None:
    """Give the budget of the command the limits that the user wants."""
    budget = options.budget = current_budget()
    budget.seconds, budget.memory = getattr(options, "max_seconds", None), getattr(options, "max_memory", None)


def refuse(options: argparse.Namespace, word: str) -> NoReturn:
    """Say what is wrong with a word that no command has use for."""
    path = tuple(filter(None, (options.command, getattr(options, "action", None))))
    name = " ".join(("coset", *path))
    usage = f"usage: {name} ... (see {name} --help)"
    if not word.startswith("-"):
        raise UsageError(f"{name}: unexpected argument '{word}'", usage)
    known = [flag for option in options_of(" ".join(path)) for flag in option.flags]
    option = word.partition("=")[0]
    raise UsageError(f"{name} has no option '{option}'{guess(option, known)}", usage)
