"""`coset symmetry FILE`: the group, what it costs to keep the properties, and with --explain what breaks it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from coset.cli import options as common
from coset.cli import reports
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption
from coset.cli.parser import UsageError

if TYPE_CHECKING:
    from coset.model.model import Model, Property
    from coset.results.symmetry import SymmetryReport


def run(options: argparse.Namespace) -> int:
    from coset.symmetry.methods.registry import METHODS
    from coset.tasks.load import read
    from coset.tasks.symmetry import symmetry

    reports.refuse_unwritable(options)
    if options.no_properties and options.properties:
        raise UsageError("--property and --no-properties contradict each other")
    if options.generators is not None and options.method != "auto":
        raise UsageError("--generators gives the symmetries: there is no method to choose (--symmetry)")
    if is_sequential(options):
        return show(None, of_sequential(options), options)
    model = common.load_model(options)
    kept = chosen(model, options)
    if options.explain and options.method != "auto" and not METHODS[options.method].explains:
        raise UsageError("--explain says what breaks the symmetries that `program` finds: drop --symmetry")
    report = symmetry(
        model,
        kept,
        method=options.method,
        generators=None if options.generators is None else read(options.generators),
        explain=options.explain,
        steps=options.steps,
        listener=lambda line: print(line, file=sys.stderr) if sys.stderr.isatty() else None,
    )
    return show(model, report, options)


def is_sequential(options: argparse.Namespace) -> bool:
    from coset.languages.sequential.language import SEQUENTIAL
    from coset.tasks.load import language_for

    return language_for(options.file, options.language) is SEQUENTIAL


def show(model: Model | None, report: SymmetryReport, options: argparse.Namespace) -> int:
    from coset.formats import symmetry_json
    from coset.formats.json_output import text
    from coset.views import symmetry_text, terminal

    if options.json:
        print(text(symmetry_json.report(report)))
    else:
        common.say(symmetry_text.report(report, terminal.style(sys.stdout), options.file))
    sys.stdout.flush()
    reports.write_symmetry(model, report, options)
    if report.stopped is None:
        return 0
    print(f"coset: not complete: stopped at {report.stopped}", file=sys.stderr)
    return INTERRUPTED if Interruption.seen else INCONCLUSIVE


def of_sequential(options: argparse.Namespace) -> SymmetryReport:
    """The report on a sequential model, which has no processes, and no properties but its conditions."""
    from pathlib import Path

    from coset.languages.sequential.parse import parse
    from coset.tasks import load as load_task
    from coset.tasks.constraint_symmetry import symmetry_of_sequential

    if options.method not in ("auto", "constraints"):
        raise UsageError(f"--symmetry {options.method}: a sequential model has no processes; use constraints")
    if options.explain or options.generators is not None or options.steps != "plain":
        raise UsageError("--explain, --generators and --steps are for models with processes, not for .seq files")
    if options.properties or options.ltl or options.ctl:
        raise UsageError("--property, --ltl and --ctl: a sequential model states what to keep as `condition ...;`")
    model = parse(load_task.read(options.file), common.load_options(options)[0])
    return symmetry_of_sequential(model, Path(options.file).name)


def chosen(model: Model, options: argparse.Namespace) -> tuple[Property, ...]:
    """The properties that must be kept."""
    from coset.tasks.check import command_line_properties

    if options.no_properties and not (options.ltl or options.ctl):
        return ()
    known = [each.name for each in model.properties]
    for name in options.properties:
        if name not in known:
            raise UsageError(f"--property {name}: the model has {', '.join(known) or 'none'}")
    named = [*options.properties, *command_line_properties(model, len(options.ltl), len(options.ctl))]
    if not options.properties and not options.no_properties:
        named = known
    return tuple(each for each in model.properties if each.name in named)
