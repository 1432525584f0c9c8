"""`coset check FILE`: a verdict on every property of the model, and the counterexample."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from coset.cli import options as common
from coset.cli import reports
from coset.cli.errors import VIOLATED
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption
from coset.cli.parser import UsageError
from coset.source.budget import current_budget, reporting

if TYPE_CHECKING:
    from coset.engines.settings import Settings
    from coset.model.model import Model
    from coset.model.suite import Suite
    from coset.results.trace import Run
    from coset.results.verdict import Check, PropertyResult


def run(options: argparse.Namespace) -> int:
    from coset.results.verdict import Verdict
    from coset.source.diagnostics import InputError

    reports.refuse_unwritable(options)
    if options.all_errors and options.order == "depth":
        raise UsageError("--all-errors needs a search breadth first (--order breadth)")
    if options.all_errors and options.checkpoint:
        raise UsageError("--all-errors cannot be used with --checkpoint yet")
    if options.all_errors and options.disk:
        raise UsageError("--all-errors cannot be used with --disk yet")
    settings = common.settings(options)
    try:
        model, result = verified(options, settings)
    except InputError as error:
        reports.write_rejected(error.diagnostics, options)
        raise
    with reporting():
        present(model, result, options)
    if Interruption.seen:
        return INTERRUPTED
    if options.strict and result.verdict is Verdict.HOLDS and not result.is_strictly_fine:
        return VIOLATED
    return {Verdict.HOLDS: 0, Verdict.VIOLATED: VIOLATED, Verdict.UNKNOWN: INCONCLUSIVE}[result.verdict]


def present(model: Model, result: Check, options: argparse.Namespace) -> None:
    """Show the verdicts and traces, and write the requested files."""
    from coset.results.trace import replay

    decided = {each.name: result.models.get(each.name, model) for each in result.properties}
    runs = {each.name: replay(decided[each.name], each.run) for each in result.properties if each.run is not None}
    first = next((runs[each.name] for each in shown(result)), None)
    show(result, runs, options)
    sys.stdout.flush()
    write_files(first, options)
    reports.write(model, result, runs, options)


def shown(result: Check) -> list[PropertyResult]:
    """The properties with a run, violated ones first: a counterexample matters more than a witness."""
    return sorted((each for each in result.properties if each.run is not None), key=lambda each: each.trace is None)


def verified(options: argparse.Namespace, settings: Settings) -> tuple[Model, Check]:
    """The model of the file with the formulas of the command line, and the verdicts."""
    from coset.model.fairness import asked_for
    from coset.tasks import check as check_task
    from coset.tasks import load as load_task
    from coset.views.progress import listener

    listening = listener(sys.stderr, options.progress)
    asked: Model | Suite
    if load_task.is_suite(options.file, options.language):
        refuse_promela_options(options)
        asked = load_task.load_suite(options.file, dict(options.defines), options.language)
        model = asked.models[0]
    else:
        model = asked = common.with_end(common.load_model(options), options)
    loading = current_budget().elapsed
    added = [
        len(each)
        for each in (options.ltl, options.ctl, options.invariants, asked_for(options.fair)[1] if options.fair else ())
    ]
    named = [*options.properties, *check_task.command_line_properties(model, *added)]
    result = check_task.check(
        asked,
        properties=named or None,
        settings=settings,
        listener=listening,
        **common.keywords(options),
    )
    result.seconds["load"] = round(loading, 6)
    return model, result


def refuse_promela_options(options: argparse.Namespace) -> None:
    """Refuse options that CSP# models state in the file, or that only SPIN understands."""
    if options.ltl or options.ctl or options.invariants:
        raise UsageError("--ltl, --ctl and --invariant are for Promela: write `#assert System() |= ...;` in the file")
    for name in ("empty_channels", "deadlock", "trail", "checkpoint"):
        if getattr(options, name, None):
            raise UsageError(f"--{name.replace('_', '-')} cannot be used with CSP#")


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
    for each in shown(result)[:1]:
        others = f" ({len(runs) - 1} more: --property, --json)" if len(runs) > 1 else ""
        what = "violates" if each.trace is not None else "is a witness of"
        print(f"\nA run that {what} '{each.name}'{others}:\n")
        common.say(lanes(runs[each.name], shutil.get_terminal_size().columns, brief=True))
    for line in terminal.findings_beside(result, style, options.coverage):
        common.say(line)
    for line in terminal.unconfirmed(result.properties):
        common.say(line)
    common.say(terminal.conclusion(result, style))
    if options.timing:
        from coset.source.timing import TIMING

        common.say(terminal.timing(TIMING.all()))


def write_files(first: Run | None, options: argparse.Namespace) -> None:
    """Write the requested files, all about the first counterexample, or the first witness."""
    if not (options.trace or options.trail or options.svg):
        return
    if first is None:
        print("coset: there is no counterexample and no witness: no file was written", file=sys.stderr)
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
