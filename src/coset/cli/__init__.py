"""The command line: `coset COMMAND FILE`.

A command only reads its options, calls a task and hands the result to `formats` or `views`.
Nothing heavy is imported before a command runs, so that `coset --help` is fast.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from coset.cli import check, doctor, draw, explore, features, prove, replay, serve, show, simulate, symmetry
from coset.cli.errors import guarded
from coset.cli.options import Parser, UsageError, choice, guess
from coset.source.budget import current_budget

COMMANDS = (check, explore, prove, symmetry, simulate, replay, show, draw, features, serve, doctor)
SHELLS = ("bash", "zsh", "fish")

EPILOG = """\
exit codes: 0 done or holds, 1 violated, 2 bad input or usage, 3 inconclusive (a limit was reached),
4 environment, 70 internal error, 130 interrupted.  `coset COMMAND --help` has the options."""


def parser() -> Parser:
    """The parser of the whole command line; each command adds its own part."""
    whole = Parser(
        prog="coset",
        description="Model checking on the quotient: finds the symmetry of a concurrent model automatically.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="store_true", help="print the version and exit")
    whole.add_argument(
        "--completion", metavar="SHELL", type=choice(SHELLS, ()),
        help=f"print a completion script for this shell, and exit ({', '.join(SHELLS)})",
    )  # fmt: skip
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=Parser)
    for command in COMMANDS:
        command.add_to(commands)
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code, also for every failure."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.set_int_max_str_digits(0)  # the order of a group may have more digits than Python prints by default
    return guarded(arguments, lambda: dispatch(arguments))


def dispatch(arguments: Sequence[str]) -> int:
    whole = parser()
    options, unknown = whole.parse_known_args(arguments)
    if unknown:
        refuse(whole, options, unknown[0])
    options.arguments = list(arguments)  # for reports, which contain the command line
    if options.version:
        from coset import __version__

        print(f"coset {__version__}")
        return 0
    if options.completion is not None:
        from coset.cli import completion

        print(completion.script(whole, options.completion), end="")
        return 0
    if options.command is None:
        whole.print_help(sys.stderr)
        return 2
    limit(options)
    return int(options.run(options))


def limit(options: argparse.Namespace) -> None:
    """Set the limits of the command's budget."""
    budget = options.budget = current_budget()
    if getattr(options, "limits_all", False):
        budget.seconds, budget.memory = options.max_seconds, options.max_memory


def refuse(whole: Parser, options: argparse.Namespace, argument: str) -> NoReturn:
    """Raise the error for an argument that no parser accepts."""
    from coset.cli.completion import levels

    path = tuple(filter(None, (options.command, getattr(options, "action", None))))
    name = " ".join(("coset", *path))
    usage = f"usage: {name} ... (see {name} --help)"
    if not argument.startswith("-"):
        raise UsageError(f"{name}: unexpected argument '{argument}'", usage)
    known = [each for level in levels(whole) if level.path == path for option in level.options for each in option.names]
    option = argument.partition("=")[0]
    raise UsageError(f"{name} has no option '{option}'{guess(option, known)}", usage)
