"""`coset replay FILE TRACE`: a stored counterexample, step by step."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING

from coset.cli import options as common
from coset.cli.errors import VIOLATED
from coset.cli.interruption import INCONCLUSIVE
from coset.cli.parser import UsageError

if TYPE_CHECKING:
    from coset.model.model import Model
    from coset.results.trace import Run


def run(options: argparse.Namespace) -> int:

    defines, include_dirs = common.load_options(options)
    model = common.load_model(options)
    model = common.with_end(model, options)
    found = replayed(model, options.trace, options)
    write_files(found, options)
    spin: list[str] | None = None
    if options.spin:
        from coset.formats.spin_replay import check_with_spin, differences
        from coset.formats.spin_trail import trail

        spin = differences(found, check_with_spin(options.file, trail(found), defines, include_dirs))
    show(found, spin, options.json)
    if spin:
        return INCONCLUSIVE
    return 0 if found.trace.kind == "run" else VIOLATED


def replayed(model: Model, path: str, options: argparse.Namespace) -> Run:
    """Replay the trace in a file."""
    from coset.formats.trace_json import TraceFormatError, read
    from coset.results.trace import ReplayError, digest, replay
    from coset.tasks import load as load_task

    text = sys.stdin.read() if path == "-" else load_task.read(path).text
    try:
        trace = read(text)
    except TraceFormatError as error:
        raise UsageError(f"{path}: {error}") from None
    if load_task.is_suite(options.file, options.language):
        models = load_task.load_suite(options.file, dict(options.defines), options.language).models
        model = next((each for each in models if digest(each) == trace.digest), model)
    changed = trace.digest not in (None, digest(model))
    if changed:
        print(f"coset: warning: {model.name} has changed since {path} was written", file=sys.stderr)
    try:
        return replay(model, trace)
    except ReplayError as error:
        raise UsageError(f"{path} is not a run of {model.name} with this error: {error}") from None


def write_files(found: Run, options: argparse.Namespace) -> None:
    """Write the other requested formats."""
    from pathlib import Path

    if options.svg:
        from coset.views.sequence_chart import sequence_chart

        Path(options.svg).write_text(sequence_chart(found), "utf-8")
    if options.trail:
        from coset.formats.spin_trail import trail

        Path(options.trail).write_text(trail(found), "utf-8")
    if options.itf:
        from coset.formats.itf import itf
        from coset.formats.json_output import text

        Path(options.itf).write_text(text(itf(found)) + "\n", "utf-8")


def show(found: Run, spin: list[str] | None, as_json: bool) -> None:
    if as_json:
        from coset.formats import json_output, trace_json

        print(json_output.text(trace_json.replayed(found, spin)))
        return
    from coset.views.lanes import lanes

    common.say(lanes(found, shutil.get_terminal_size().columns).removesuffix("\n"))
    if spin is not None:
        print("SPIN does not confirm it:" if spin else "SPIN confirms it.")
        for difference in spin or ():
            print(f"  {difference}")
