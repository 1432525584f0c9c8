"""Errors of commands and their exit codes.

All commands report errors here: as text on standard error and, with `--json`, as one object on standard output.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO, cast

from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption, ended_from_outside
from coset.cli.parser import UsageError
from coset.options.commands import COMMAND_NAMES
from coset.source.budget import Budget, OutOfBudget, installed
from coset.source.printable import Printable, one_line

if TYPE_CHECKING:
    from coset.source.diagnostics import Diagnostic

VIOLATED, USAGE, ENVIRONMENT, INTERNAL = 1, 2, 4, 70
BROKEN_PIPE = 128 + signal.SIGPIPE


class Missing(Exception):
    """Something outside of Coset is required and is missing or in use."""


def guarded(arguments: Sequence[str], action: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever happens."""
    replace_closed_streams()
    streams = sys.stdout, sys.stderr
    show_any_text()
    budget = Budget()
    try:
        with ended_from_outside(budget, lambda code, message: ended_text(arguments, code, message)), installed(budget):
            return Interruption.exit_code(outcome(arguments, action))
    except BrokenPipeError:
        silence_output()
        return BROKEN_PIPE
    except OSError as error:  # not even the message could be written, as on a full disk
        silence_output()
        with contextlib.suppress(OSError):
            print(f"coset: error: standard output: {error.strerror or error}", file=sys.stderr)
        return ENVIRONMENT
    except KeyboardInterrupt:  # a second interruption while the first was being handled
        return Interruption.exit_code(INTERRUPTED)
    finally:
        sys.stdout, sys.stderr = streams


def outcome(arguments: Sequence[str], action: Callable[[], int]) -> int:
    """The exit code of the action, or of the failure that it ended with."""
    try:
        code = action()
        sys.stdout.flush()
        return code
    except SystemExit as leave:  # argparse, after --help
        sys.stdout.flush()
        return leave.code if isinstance(leave.code, int) else 0
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return fail(arguments, "interrupted", INTERRUPTED, "interrupted")
    except Exception as error:
        if (
            Interruption.seen
        ):  # Python may wrap the interruption in another exception, as during the creation of a class
            return fail(arguments, "interrupted", INTERRUPTED, "interrupted")
        return failure(arguments, error)


def failure(arguments: Sequence[str], error: Exception) -> int:
    """The exit code for an exception."""
    match error:
        case UsageError():
            return fail(arguments, "usage", USAGE, str(error), error.usage)
        case Missing():
            return fail(arguments, "environment", ENVIRONMENT, str(error))
        case OSError():
            name = "" if error.filename is None else f"{one_line(str(error.filename))}: "
            return fail(arguments, "environment", ENVIRONMENT, f"{name}{error.strerror or error}")
        case MemoryError():
            return fail(arguments, "environment", ENVIRONMENT, "out of memory")
        case OutOfBudget():
            return fail(arguments, "limit", INCONCLUSIVE, f"not complete: stopped at {error}")
    return unexpected(arguments, error)


def unexpected(arguments: Sequence[str], error: Exception) -> int:
    """Report an unexpected exception as an internal error, unless the input is to blame or a search refuses it."""
    from coset.cli.refusals import refusal
    from coset.source.diagnostics import InputError, render

    if isinstance(error, InputError):
        found = error.diagnostics
        text = "\n".join(render(each) for each in found)
        number = len(found)
        return fail(arguments, "input", USAGE, f"{number} problem{'s' * (number != 1)} in the input", text, found)
    if (refused := refusal(error)) is not None:
        return failure(arguments, refused)
    if os.environ.get("COSET_DEBUG"):
        import traceback

        traceback.print_exc()
    from coset import __version__

    message = f"internal error: {type(error).__name__}: {error}"
    advice = (
        "coset: this is a bug in Coset; please report it with the model, the command line and the version"
        f" ({__version__}; COSET_DEBUG=1 shows where it happened)\n"
    )
    return fail(arguments, "internal", INTERNAL, message, advice)


def fail(
    arguments: Sequence[str],
    kind: str,
    code: int,
    message: str,
    details: str = "",
    diagnostics: Sequence[Diagnostic] = (),
) -> int:
    """Report an error; returns the exit code."""
    if "--json" in arguments:
        print(failure_text(arguments, kind, code, message, diagnostics))
    sys.stdout.flush()
    if details:
        print(details.rstrip("\n"), file=sys.stderr)
    if not diagnostics:
        word = "" if kind in ("interrupted", "limit") else "error: "
        print(f"coset: {word}{message}", file=sys.stderr)
    return code


def failure_text(
    arguments: Sequence[str], kind: str, code: int, message: str, diagnostics: Sequence[Diagnostic] = ()
) -> str:
    from coset.formats import json_output

    return json_output.text(json_output.failure(command(arguments), kind, code, message, diagnostics))


def ended_text(arguments: Sequence[str], code: int, message: str) -> str:
    """The standard output of a command that the watchdog ends."""
    kind = "interrupted" if code == INTERRUPTED else "limit"
    return f"{failure_text(arguments, kind, code, message)}\n" if "--json" in arguments else ""


def command(arguments: Sequence[str]) -> str | None:
    """The command in the arguments, if there is one."""
    return next((argument for argument in arguments if argument in COMMAND_NAMES), None)


def replace_closed_streams() -> None:
    """Redirect closed standard streams to the null device; otherwise Python might write messages into another file."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (it stays open to the end)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def show_any_text() -> None:
    """Escape characters of file names and models that the terminal cannot show, or would interpret."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = cast("TextIO", Printable(sys.stdout)), cast("TextIO", Printable(sys.stderr))


def silence_output() -> None:
    """Discard buffered output that no process reads any more, without an error message at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
