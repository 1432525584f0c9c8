"""`coset check FILE`: a verdict on every property of the model, and the counterexample."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from coset.cli import options as common
from coset.cli import reports
from coset.cli.errors import VIOLATED
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption
from coset.source.budget import current_budget, reporting

if TYPE_CHECKING:
    from coset.model.model import Model
    from coset.model.suite import Suite
    from coset.results.trace import Run
    from coset.results.verdict import Check

NAME = "check"
SUMMARY = "verify the properties of a model, show the counterexample"
DESCRIPTION = f"""{SUMMARY.capitalize()}: assertions, invalid end states, faults, ltl blocks, never claims.
With --property, --ltl or --ctl, only the named properties are verified.
Exit code 0: all hold; 1: one is violated; 3: inconclusive."""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=DESCRIPTION)
    common.add_model(parser)
    parser.add_argument(
        "--property", dest="properties", metavar="NAME", action="append", default=[],
        help="verify this one: the name of an ltl block or claim, 'assertions', 'end states' or 'faults'; repeatable",
    )  # fmt: skip
    common.add_formulas(parser, "verify this formula")
    parser.add_argument(
        "--fair", action="store_true",
        help="weak fairness: ignore runs in which a process is always enabled but never moves",
    )  # fmt: skip
    parser.add_argument(
        "--all-errors", action="store_true",
        help="do not stop at the first error in a single state: count all (every statement is a step then), and list each "
        "different one with the shortest run to it",
    )  # fmt: skip
    parser.add_argument(
        "--cross-check", action="store_true",
        help="decide every verdict again by another engine, with plain steps, without symmetry and reductions, within the same "
        "limits; small models are always decided twice",
    )  # fmt: skip
    parser.add_argument(
        "--shortest", action="store_true",
        help="show shortest runs to errors in single states, however long it takes to find them; otherwise, a run that is "
        "found quickly will do",
    )  # fmt: skip
    parser.add_argument(
        "--keep-going", action="store_true",
        help="decide every property; otherwise, properties that take long are left open once another one is violated",
    )  # fmt: skip
    common.add_end(parser)
    parser.add_argument("--trace", metavar="OUT", help="write the first counterexample, for `coset replay`")
    parser.add_argument("--trail", action="store_true", help="write FILE.trail for `spin -t`")
    parser.add_argument("--svg", metavar="OUT", help="write the counterexample as a message sequence chart")
    reports.add_to(parser)
    common.add_search(parser, steps="merged")
    common.add_seed(parser)
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from coset.results.verdict import Verdict
    from coset.source.diagnostics import InputError

    reports.refuse_unwritable(options)
    if options.all_errors and options.order == "depth":
        raise common.UsageError("--all-errors needs a search breadth first (--order breadth)")
    if options.all_errors and options.checkpoint:
        raise common.UsageError("--all-errors cannot be used with --checkpoint yet")
    try:
        model, result = verified(options)
    except InputError as error:
        reports.write_rejected(error.diagnostics, options)
        raise
    with reporting():
        present(model, result, options)
    if Interruption.seen:
        return INTERRUPTED
    return {Verdict.HOLDS: 0, Verdict.VIOLATED: VIOLATED, Verdict.UNKNOWN: INCONCLUSIVE}[result.verdict]


def present(model: Model, result: Check, options: argparse.Namespace) -> None:
    """Show the verdicts and traces, and write the requested files."""
    from coset.results.trace import replay

    decided = {each.name: result.models.get(each.name, model) for each in result.properties}
    runs = {each.name: replay(decided[each.name], each.trace) for each in result.properties if each.trace is not None}
    first = next(iter(runs.values()), None)
    show(result, runs, options)
    sys.stdout.flush()
    write_files(first, options)
    reports.write(model, result, runs, options)


def verified(options: argparse.Namespace) -> tuple[Model, Check]:
    """The model of the file with the formulas of the command line, and the verdicts."""
    from coset.tasks import check as check_task
    from coset.tasks import load as load_task
    from coset.views.progress import listener

    settings, listening = common.settings(options), listener(sys.stderr, options.progress)
    asked: Model | Suite
    if load_task.is_suite(options.file, options.language):
        refuse_promela_options(options)
        asked = load_task.load_suite(options.file, dict(options.defines), options.language)
        model = asked.models[0]
    else:
        model = asked = common.with_end(common.load_model(options), options)
    loading = current_budget().elapsed
    named = [*options.properties, *check_task.command_line_properties(model, len(options.ltl), len(options.ctl))]
    result = check_task.check(
        asked,
        properties=named or None,
        fair=options.fair,
        steps=options.steps,
        all_errors=options.all_errors,
        cross_check=options.cross_check,
        keep_going=options.keep_going,
        engine=options.engine,
        settings=settings,
        max_states=options.max_states,
        max_seconds=options.max_seconds,
        max_memory=options.max_memory,
        listener=listening,
    )
    result.seconds["load"] = round(loading, 6)
    return model, result


def refuse_promela_options(options: argparse.Namespace) -> None:
    """Refuse options that CSP# models state in the file, or that only SPIN understands."""
    if options.ltl or options.ctl:
        raise common.UsageError("--ltl and --ctl are for Promela: write `#assert System() |= ...;` in the file")
    for name in ("empty_channels", "trail", "checkpoint"):
        if getattr(options, name, None):
            raise common.UsageError(f"--{name.replace('_', '-')} cannot be used with CSP#")


def show(result: Check, runs: dict[str, Run], options: argparse.Namespace) -> None:
    if options.json:
        from coset.formats import check_json, json_output

        print(json_output.text(check_json.check(result, runs, options.fair)))
        return
    import shutil

    from coset.views import terminal
    from coset.views.lanes import lanes

    style = terminal.style(sys.stdout)
    for line in terminal.properties(result.properties, style):
        common.say(line)
    for line in terminal.all_errors(result, style):
        common.say(line)
    for name, found in list(runs.items())[:1]:
        others = f" ({len(runs) - 1} more: --property, --json)" if len(runs) > 1 else ""
        print(f"\nA run that violates '{name}'{others}:\n")
        common.say(lanes(found, shutil.get_terminal_size().columns))
    for line in terminal.unconfirmed(result.properties):
        common.say(line)
    common.say(terminal.conclusion(result, style))


def write_files(first: Run | None, options: argparse.Namespace) -> None:
    """Write the requested files, all about the first counterexample."""
    if not (options.trace or options.trail or options.svg):
        return
    if first is None:
        print("coset: there is no counterexample: no file was written", file=sys.stderr)
        return
    if options.trace:
        from coset.formats import json_output, trace_json

        reports.put("trace", options, json_output.text(trace_json.document(first.trace, first)) + "\n")
    if options.trail:
        from pathlib import Path

        from coset.formats.spin_trail import trail

        Path(f"{options.file}.trail").write_text(trail(first), "utf-8")
    if options.svg:
        from coset.views.sequence_chart import sequence_chart

        reports.put("svg", options, sequence_chart(first))
