"""Options that commands share, and the parsers of their values.

An option that does not apply is refused by name, with the alternatives; it is never ignored.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from coset.engines.settings import Settings
    from coset.model.model import Model
    from coset.source.diagnostics import Diagnostic

COMMAND_NAMES = (
    "check", "explore", "prove", "symmetry", "simulate", "replay", "show", "draw", "features", "serve", "doctor"
)  # fmt: skip
ENGINES = ("auto", "explicit", "symbolic", "reference")
SYMMETRIES = ("auto", "off", "program", "channels", "constraints", "hypergraph", "features")
REPRESENTATIVES = ("auto", "enumerate", "sort", "chain", "local")
REDUCTIONS = ("auto", "none", "por")
STORAGES = ("packed", "states", "fingerprints", "bits")
ORDERS = ("breadth", "depth")
"""As in `coset.engines.settings`, which would take long to load for --help; a test compares."""
STEPS = ("plain", "merged")
PROGRESS = ("auto", "line", "log", "json", "off")

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII)
_COMMAND = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


class UsageError(Exception):
    """The command line is wrong; `usage` is the usage line of the command."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that `--json` prints an object for wrong usage, too.  Options cannot be abbreviated:
    abbreviations in scripts would break when an option is added."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})

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


class Choice:
    """Parses one of the available values; those of `later` are refused as not yet available."""

    def __init__(self, available: Sequence[str], later: Sequence[str]) -> None:
        self.available, self.later = tuple(available), tuple(later)

    def __call__(self, text: str) -> str:
        if text in self.available:
            return text
        why = "is not available yet" if text in self.later else "is not known"
        raise argparse.ArgumentTypeError(f"'{text}' {why} (available: {', '.join(self.available)})")


def choice(available: Sequence[str], later: Sequence[str]) -> Choice:
    """The parser of an option with named values.

    >>> choice(("auto", "reference"), ("quantum",))("quantum")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: 'quantum' is not available yet (available: auto, reference)
    """

    return Choice(available, later)


def count(text: str) -> int:
    """A whole number of at least 1.

    >>> count("1_000_000")
    1000000
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive whole number")
    return number


def duration(text: str) -> float:
    """A positive number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


def size(text: str) -> int:
    """A number of bytes; K, M, G and T are powers of 1024.

    >>> size("2G"), size("1.5K"), size("500 MB"), size("4096")
    (2147483648, 1536, 524288000, 4096)
    """
    match = _SIZE.fullmatch(text.strip())
    number = float(match[1]) * 1024 ** _UNITS[match[2].lower()] if match else 0.0
    if not 1 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 500M or 2G")
    return int(number)


def definition(text: str) -> tuple[str, str]:
    """A macro: `NAME=VALUE`, or `NAME` for the value 1 as in C.

    >>> definition("N=3"), definition("FAST"), definition("EMPTY=")
    (('N', '3'), ('FAST', '1'), ('EMPTY', ''))
    """
    name, equals, value = text.partition("=")
    if not _NAME.fullmatch(name):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME or NAME=VALUE")
    return name, value if equals else "1"


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model file and the options of the preprocessor."""
    parser.add_argument(
        "file", metavar="FILE",
        help="a model in Promela (.pml), CSP# (.csp), sequential form (.seq), or a shared-variable program (.spl)",
    )  # fmt: skip
    parser.add_argument(
        "--language", metavar="NAME",
        help="the language of the file: promela, csp, sequential or shared (default: by the file's extension)",
    )  # fmt: skip
    parser.add_argument(
        "-D", dest="defines", metavar="NAME[=VALUE]", type=definition, action="append", default=[],
        help="define a macro, as for a C compiler",
    )  # fmt: skip
    parser.add_argument(
        "-I", dest="include_dirs", metavar="DIR", action="append", default=[],
        help="search this folder for included files",
    )  # fmt: skip


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, and nothing else, on standard output"
    )


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", metavar="N", type=whole, default=None, help="seed of the random choices")


def add_search(parser: argparse.ArgumentParser, steps: str = "plain") -> None:
    """Add the options and limits of a search.  `steps` is the default of the command."""
    parser.add_argument(
        "--engine", metavar="NAME", type=choice(ENGINES, ()), default="auto",
        help="explicit (compiled), symbolic (decision diagrams, for very large regular state spaces), reference (the "
        "interpreter), or auto: explicit or reference, depending on the model",
    )  # fmt: skip
    parser.add_argument(
        "--symmetry", metavar="NAME", type=choice(SYMMETRIES, ()), default="auto",
        help="how symmetries are found: program (the graph of the whole model), channels (static channel diagram), "
        "constraints (of literals, on the sequential form), hypergraph (of shared variables), features (feature "
        "configuration of a network), auto (program; constraints for .seq files), or off: no reduction (auto)",
    )  # fmt: skip
    parser.add_argument(
        "--representative", metavar="NAME", type=choice(REPRESENTATIVES, ()), default="auto",
        help="how the representative of an orbit is computed: enumerate, sort, chain, local (several per orbit), or "
        "auto: by the structure of the group",
    )  # fmt: skip
    parser.add_argument(
        "--steps", metavar="NAME", type=choice(STEPS, ()), default=steps,
        help="plain: every statement is a step, as `spin -o1 -o2 -o3` counts them; merged: merges steps that "
        f"are invisible to other processes and resets dead variables, which preserves verdicts ({steps})",
    )  # fmt: skip
    parser.add_argument(
        "--reduction", metavar="NAME", type=choice(REDUCTIONS, ()), default="auto",
        help="por: partial order reduction, explores only some orders of independent steps; for safety properties and "
        "formulas without next, explicit engine only; none; auto: `check` uses it where it saves states (auto)",
    )  # fmt: skip
    parser.add_argument("--threads", metavar="N", type=count, default=1, help="threads of the explicit engine (1)")
    parser.add_argument("--max-states", metavar="N", type=count, help="stop after this many states")
    add_limits(parser)
    parser.add_argument(
        "--storage", metavar="NAME", type=choice(STORAGES, ()), default="packed",
        help="how the explicit engine stores states: packed (exact, small), states (exact, whole), fingerprints (64-bit "
        "hashes; with n states, a state is omitted with probability about n^2/2^65), bits (a bit table of fixed size, "
        "which omits states as it fills); temporal properties always use exact storage",
    )  # fmt: skip
    parser.add_argument(
        "--bits", metavar="LOG2", type=count,
        help="for --storage bits: 2^LOG2 bits of memory (32, or what --max-memory allows)",
    )  # fmt: skip
    parser.add_argument(
        "--order", metavar="NAME", type=choice(ORDERS, ()), default="breadth",
        help="breadth (first; shortest counterexamples) or depth (first; one thread)",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="save the search to this folder at intervals, at every limit, and on Ctrl-C",
    )
    parser.add_argument("--checkpoint-every", metavar="S", type=duration, help="seconds between checkpoints (60)")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in --checkpoint DIR")
    add_progress(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the limits of the whole command: loading, detection, compiling, searching and drawing together."""
    parser.add_argument("--max-seconds", metavar="S", type=duration, help="stop after this many seconds")
    parser.add_argument("--max-memory", metavar="SIZE", type=size, help="stop at this memory use, such as 500M or 2G")
    parser.set_defaults(limits_all=True)


def add_progress(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--progress", metavar="NAME", type=choice(PROGRESS, ()), default="auto",
        help="what to report on standard error: line (one line, updated in place), log (a line at intervals), json (one line "
        "per event), off, or auto: line on a terminal, log elsewhere (auto)",
    )  # fmt: skip


def settings(options: argparse.Namespace) -> Settings:
    """The settings of the compiled engine; options that exclude each other are refused by name."""
    if options.engine == "reference":
        if options.threads > 1:
            raise UsageError("the reference engine has one thread (--threads 1)")
        if options.storage != "packed":
            raise UsageError(
                f"the reference engine keeps whole states: --storage {options.storage} is for the explicit one"
            )
        if options.checkpoint is not None:
            raise UsageError("the reference engine makes no checkpoints: --checkpoint is for the explicit one")
    if options.engine == "symbolic":
        refuse_with_symbolic(options)
    if options.bits is not None and options.storage != "bits":
        raise UsageError("--bits is the size of the table of --storage bits")
    if options.bits is not None and options.max_memory is not None and (1 << options.bits) // 8 > options.max_memory:
        raise UsageError(f"--bits {options.bits} takes more memory than --max-memory allows")
    if options.checkpoint is None and (options.resume or options.checkpoint_every is not None):
        raise UsageError("--resume and --checkpoint-every need --checkpoint DIR")
    from pathlib import Path

    from coset.engines.settings import Checkpoints, Settings

    checkpoints = None
    if options.checkpoint is not None:
        if Path(options.checkpoint).is_file():
            raise UsageError(f"--checkpoint {options.checkpoint}: is a file; expected a folder")
        checkpoints = Checkpoints(Path(options.checkpoint), options.checkpoint_every or 60.0, options.resume)
    try:
        return Settings(
            options.threads,
            options.storage,
            options.order,
            options.bits or bits_within(options.max_memory),
            checkpoints,
            options.symmetry,
            options.representative,
            options.reduction,
            getattr(options, "shortest", False),
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def bits_within(memory: int | None) -> int:
    """The size of the table of --storage bits, as a power of two: at most half of the memory.

    >>> bits_within(None), bits_within(150 << 20)
    (32, 29)
    """
    return 32 if memory is None else max(16, min(32, (4 * memory).bit_length() - 1))


def refuse_with_symbolic(options: argparse.Namespace) -> None:
    """Refuse options about single states, which the symbolic engine does not have."""
    if options.threads > 1:
        raise UsageError("the symbolic engine has one thread (--threads 1)")
    if options.max_states is not None:
        raise UsageError("the symbolic engine does not visit states one by one: --max-states is for the others")
    for name, usual in (("storage", "packed"), ("order", "breadth"), ("reduction", "auto"), ("checkpoint", None)):
        if getattr(options, name) != usual:
            raise UsageError(f"--{name} is for the explicit engine, not for the symbolic one")


def add_formulas(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options for formulas beside those of the file; `what` begins their help."""
    parser.add_argument(
        "--ltl", metavar="FORMULA", action="append", default=[], help=f"{what}, written as in an ltl block; repeatable"
    )
    parser.add_argument(
        "--ctl", metavar="FORMULA", action="append", default=[],
        help=f"{what}, of computation tree logic: AX EX AF EF AG EG p, A[p U q], E[p U q], also W and R; repeatable",
    )  # fmt: skip


def add_end(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--empty-channels", action="store_true", help="a valid end state also needs empty channels, as with `pan -q`"
    )


def with_end(model: Model, options: argparse.Namespace) -> Model:
    """The model with the options about valid end states."""
    from dataclasses import replace

    return replace(model, empty_at_end=options.empty_channels)


def say(text: str) -> None:
    """Print a result, wrapped to the width of the terminal."""
    from coset.views.wrapping import fitted

    print(fitted(text, sys.stdout))


def load_model(options: argparse.Namespace, hear: Callable[[Diagnostic], object] = bool) -> Model:
    """Load the model with the formulas of the command line; warnings go to standard error and to `hear`."""
    from coset.source.diagnostics import render
    from coset.tasks import load as load_task

    def warn(warning: Diagnostic) -> None:
        print(render(warning), file=sys.stderr)
        hear(warning)

    defines, include_dirs = load_options(options)
    formulas = getattr(options, "ltl", ()), getattr(options, "ctl", ())
    return load_task.load(options.file, defines, include_dirs, warn, *formulas, options.language)


def load_options(options: argparse.Namespace) -> tuple[dict[str, str], list[str]]:
    """The macros and folders for the preprocessor; the last definition of a macro counts."""
    return dict(options.defines), list(options.include_dirs)
