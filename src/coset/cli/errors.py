"""What can go wrong, and the exit code for it.

One place for all commands: whatever is raised below ends here, as text on standard error and, with
`--json`, as one object on standard output.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from coset.cli.options import UsageError
from coset.source.budget import Budget, OutOfBudget, current_budget, installed

if TYPE_CHECKING:
    from coset.source.diagnostics import Diagnostic

VIOLATED, USAGE, INCONCLUSIVE, ENVIRONMENT, INTERNAL, INTERRUPTED = 1, 2, 3, 4, 70, 130
BROKEN_PIPE = 128 + signal.SIGPIPE


class Missing(Exception):
    """Something outside of Coset is needed and is not there, or not free."""


class Interruption:
    """Whether the user pressed Ctrl-C.  An engine may catch the exception and return what it has so far; the command
    still has to know."""

    seen = False

    @classmethod
    def note(cls, number: int, frame: FrameType | None) -> None:
        cls.seen = True
        current_budget().interrupt()
        raise KeyboardInterrupt


def guarded(arguments: Sequence[str], action: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever happens."""
    Interruption.seen = False
    replace_closed_streams()
    tolerate_any_text()
    previous = listen_to_interruptions()
    try:
        with installed(Budget()):
            return outcome(arguments, action)
    except BrokenPipeError:
        silence_output()
        return BROKEN_PIPE
    except OSError as error:  # not even the message could be written, as on a full disk
        silence_output()
        with contextlib.suppress(OSError):
            print(f"coset: error: standard output: {error.strerror or error}", file=sys.stderr)
        return ENVIRONMENT
    except KeyboardInterrupt:  # a second one, while the first was being answered
        return INTERRUPTED
    finally:
        if previous is not None:
            signal.signal(signal.SIGINT, previous)


def outcome(arguments: Sequence[str], action: Callable[[], int]) -> int:
    """The exit code of the action, or of the failure that it ended with."""
    try:
        code = action()
        sys.stdout.flush()
        return code
    except SystemExit as leave:  # argparse, after --help
        sys.stdout.flush()
        return leave.code if isinstance(leave.code, int) else 0
    except UsageError as error:
        return fail(arguments, "usage", USAGE, str(error), error.usage)
    except BrokenPipeError:
        raise
    except Missing as error:
        return fail(arguments, "environment", ENVIRONMENT, str(error))
    except OSError as error:
        name = "" if error.filename is None else f"{error.filename}: "
        return fail(arguments, "environment", ENVIRONMENT, f"{name}{error.strerror or error}")
    except MemoryError:
        return fail(arguments, "environment", ENVIRONMENT, "out of memory")
    except KeyboardInterrupt:
        return fail(arguments, "interrupted", INTERRUPTED, "interrupted")
    except OutOfBudget as limit:
        if limit.interrupted:
            return fail(arguments, "interrupted", INTERRUPTED, "interrupted")
        return fail(arguments, "limit", INCONCLUSIVE, f"not complete: stopped at {limit}")
    except Exception as error:
        return unexpected(arguments, error)


def unexpected(arguments: Sequence[str], error: Exception) -> int:
    """Bad input is the user's, anything else is ours."""
    from coset.source.diagnostics import InputError, render

    if isinstance(error, InputError):
        found = error.diagnostics
        text = "\n".join(render(each) for each in found)
        number = len(found)
        return fail(arguments, "input", USAGE, f"{number} problem{'s' * (number != 1)} in the input", text, found)
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
    """Say what went wrong; returns the exit code."""
    if "--json" in arguments:
        from coset.formats import json_output

        print(json_output.text(json_output.failure(command(arguments), kind, code, message, diagnostics)))
    sys.stdout.flush()
    if details:
        print(details.rstrip("\n"), file=sys.stderr)
    if not diagnostics:
        word = "" if kind in ("interrupted", "limit") else "error: "
        print(f"coset: {word}{message}", file=sys.stderr)
    return code


def command(arguments: Sequence[str]) -> str | None:
    """The command that was meant, as far as one can tell."""
    from coset.cli import COMMANDS

    names = {module.NAME for module in COMMANDS}
    return next((argument for argument in arguments if argument in names), None)


def listen_to_interruptions() -> signal.Handlers | Callable[[int, FrameType | None], object] | int | None:
    """Note Ctrl-C; returns the handler from before, or None where it must not be touched: in another thread than
    the main one, or where interruptions are ignored, as in a background job of a shell."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            return None
        return signal.signal(signal.SIGINT, Interruption.note)
    except ValueError:
        return None


def replace_closed_streams() -> None:
    """Who closes a stream does not want to read it; without one, Python would print messages among the results."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (it stays open to the end)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def tolerate_any_text() -> None:
    """File names and models may hold characters that the terminal cannot show: escape them rather than fail."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def silence_output() -> None:
    """Nobody reads any more: what is still in the buffer goes nowhere, without a complaint at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
