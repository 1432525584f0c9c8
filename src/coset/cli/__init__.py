"""The command line: `coset COMMAND FILE`.

A command only reads its options, calls a task and hands the result to `formats` or `views`.  Its module is imported when it
runs, so that `coset --help` is fast.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from coset.cli.errors import guarded
from coset.cli.parser import UsageError, guess, make_parser, with_values
from coset.options.catalogue import options_of
from coset.source.budget import current_budget


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code, also for every failure."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.set_int_max_str_digits(0)  # the order of a group may have more digits than Python prints by default
    return guarded(arguments, lambda: dispatch(arguments))


def dispatch(arguments: Sequence[str]) -> int:
    whole = make_parser()
    options, unknown = whole.parse_known_args(with_values(arguments))
    if unknown:
        refuse(options, unknown[0])
    options.arguments = list(arguments)  # for reports, which contain the command line
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
    """Set the limits of the command's budget."""
    budget = options.budget = current_budget()
    budget.seconds, budget.memory = getattr(options, "max_seconds", None), getattr(options, "max_memory", None)


def refuse(options: argparse.Namespace, argument: str) -> NoReturn:
    """Raise the error for an argument that no parser accepts."""
    path = tuple(filter(None, (options.command, getattr(options, "action", None))))
    name = " ".join(("coset", *path))
    usage = f"usage: {name} ... (see {name} --help)"
    if not argument.startswith("-"):
        raise UsageError(f"{name}: unexpected argument '{argument}'", usage)
    known = [flag for option in options_of(" ".join(path)) for flag in option.flags]
    option = argument.partition("=")[0]
    raise UsageError(f"{name} has no option '{option}'{guess(option, known)}", usage)
