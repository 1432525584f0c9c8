"""What the options of a command line mean: settings of a search, a model that is loaded.

An option that does not apply is refused by name; it is never ignored.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from coset.cli.parser import UsageError
from coset.options.catalogue import options_of

if TYPE_CHECKING:
    from coset.engines.settings import Settings
    from coset.model.model import Model
    from coset.source.diagnostics import Diagnostic


def keywords(options: argparse.Namespace) -> dict[str, Any]:
    """What the options about the search and its limits mean for the function of the command in Python, without `settings`."""
    found = options_of(options.command, "search", "limits")
    return {each.keyword: getattr(options, each.attribute) for each in found if each.keyword and not each.setting}


def settings(options: argparse.Namespace) -> Settings:
    """The settings of the compiled engine; options that exclude each other are refused by name."""
    if options.cluster is not None and options.engine == "auto":
        options.engine = "distributed"
    refuse_with_engine(options)
    if options.bits is not None and options.storage != "bits":
        raise UsageError("--bits is the size of the table of --storage bits")
    if options.bits is not None and options.max_memory is not None and (1 << options.bits) // 8 > options.max_memory:
        raise UsageError(f"--bits {options.bits} takes more memory than --max-memory allows")
    if options.disk is not None and options.storage != "disk":
        raise UsageError("--disk is the folder of --storage disk")
    if options.checkpoint is not None and options.storage == "disk":
        raise UsageError("--storage disk keeps its states in a folder already: --disk DIR instead of --checkpoint DIR")
    folder, flag = (options.disk, "--disk") if options.disk is not None else (options.checkpoint, "--checkpoint")
    if folder is None and (options.resume or options.checkpoint_every is not None):
        raise UsageError("--resume and --checkpoint-every need --checkpoint DIR or --disk DIR")
    from pathlib import Path

    from coset.engines.settings import Checkpoints, Settings

    checkpoints = None
    if folder is not None:
        if Path(folder).is_file():
            raise UsageError(f"{flag} {folder}: is a file; expected a folder")
        checkpoints = Checkpoints(Path(folder), options.checkpoint_every or 60.0, options.resume)
    chosen = {each.setting: getattr(options, each.attribute) for each in options_of(options.command) if each.setting}
    if chosen.get("generators") is not None:
        from coset.tasks.load import read

        if chosen["symmetry"] != "auto":
            raise UsageError("--generators gives the symmetries: there is no method to choose (--symmetry)")
        chosen["generators"] = read(chosen["generators"])
    from coset.engines.registry import refuse_cluster

    try:
        made = Settings(log_bits=options.bits or bits_within(options.max_memory), checkpoints=checkpoints, **chosen)
        refuse_cluster(options.engine, made)
        return made
    except ValueError as error:
        raise UsageError(str(error)) from None


def refuse_with_engine(options: argparse.Namespace) -> None:
    """Refuse options that the chosen engine does not have."""
    from coset.engines.registry import ENGINES

    refuses = ENGINES[options.engine].refuses
    for each in options_of(options.command, "search", "limits"):
        reason = refuses.get(each.attribute)
        if reason is not None and getattr(options, each.attribute) != each.default:
            raise UsageError(f"the {options.engine} engine {reason}: {each.flags[0]} cannot be used with it")


def bits_within(memory: int | None) -> int:
    """The size of the table of --storage bits, as a power of two: at most half of the memory.

    >>> bits_within(None), bits_within(150 << 20)
    (32, 29)
    """
    return 32 if memory is None else max(16, min(32, (4 * memory).bit_length() - 1))


def with_end(model: Model, options: argparse.Namespace) -> Model:
    """The model with the options about valid end states."""
    from dataclasses import replace

    from coset.model.deadlock import with_deadlock

    return replace(with_deadlock(model, options.deadlock), empty_at_end=options.empty_channels)


def say(text: str) -> None:
    """Print a result, wrapped to the width of the terminal."""
    from coset.views.wrapping import fitted

    print(fitted(text, sys.stdout))


def load_model(options: argparse.Namespace, hear: Callable[[Diagnostic], object] = bool) -> Model:
    """Load the model with the formulas of the command line; warnings go to standard error and to `hear`."""
    from coset.model.fairness import asked_for
    from coset.source.diagnostics import render
    from coset.tasks import load as load_task

    def warn(warning: Diagnostic) -> None:
        print(render(warning), file=sys.stderr)
        hear(warning)

    defines, include_dirs = load_options(options)
    formulas = getattr(options, "ltl", ()), getattr(options, "ctl", ())
    invariants = getattr(options, "invariants", ())
    fair = getattr(options, "fair", ())
    constraints = asked_for(fair)[1] if fair else ()
    return load_task.load(
        options.file, defines, include_dirs, warn, *formulas, options.language, invariants, constraints
    )


def load_options(options: argparse.Namespace) -> tuple[dict[str, str], list[str]]:
    """The macros and folders for the preprocessor; the last definition of a macro counts."""
    return dict(options.defines), list(options.include_dirs)
