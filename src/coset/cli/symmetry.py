"""`coset symmetry FILE`: the group, what it costs to keep the properties, and with --explain what breaks it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from coset.cli import options as common

if TYPE_CHECKING:
    from coset.model.model import Model, Property

NAME = "symmetry"
SUMMARY = "find the symmetry of a model, say what breaks it"
DESCRIPTION = f"""{SUMMARY.capitalize()}.  The group is that of the model together with its properties: order,
structure, and generators in cycle notation, processes by number and channels by name.  --explain gives the source lines
that tell processes of one kind apart, and what would be gained without them."""

METHODS = ("auto", "program", "channels")
LATER = ("constraints", "hypergraph")


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=DESCRIPTION)
    common.add_model(parser)
    parser.add_argument("--explain", action="store_true", help="say what breaks the symmetry, with source lines")
    parser.add_argument(
        "--symmetry", "--method", dest="method", metavar="NAME", type=common.choice(METHODS, LATER), default="auto",
        help="program (the whole text as one graph) or channels (static channel diagram, SymmExtractor); auto: program",
    )  # fmt: skip
    parser.add_argument(
        "--generators", metavar="FILE",
        help="use these symmetries instead: one generator per line, as `(1 2)(box_1 box_2)`; each is certified, or refused "
        "with the reason",
    )  # fmt: skip
    parser.add_argument(
        "--property", dest="properties", metavar="NAME", action="append", default=[],
        help="a property that the symmetries must keep; repeatable (default: all of the model)",
    )  # fmt: skip
    parser.add_argument("--no-properties", action="store_true", help="no property must be kept")
    common.add_formulas(parser, "keep this formula too")
    parser.add_argument(
        "--steps", metavar="NAME", type=common.choice(common.STEPS, ()), default="plain",
        help="plain: the model as it is written; merged: as `check` searches it, where ids that nobody reads and the ends of "
        "processes that nobody notices tell no processes apart (plain)",
    )  # fmt: skip
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from coset import pipeline
    from coset.formats import symmetry_json
    from coset.formats.json_output import text
    from coset.model.passes import merged
    from coset.symmetries import symmetry
    from coset.symmetry.death import outlive
    from coset.symmetry.neutral import neutral
    from coset.views import symmetry_text, terminal

    if options.no_properties and options.properties:
        raise common.UsageError("--property and --no-properties contradict each other")
    if options.generators is not None and options.method != "auto":
        raise common.UsageError("--generators gives the symmetries: there is no method to choose (--symmetry)")
    model = common.load_model(options)
    kept = chosen(model, options)
    if options.steps == "merged":
        names = [each.name for each in kept]
        model = outlive(merged(neutral(model)))
        kept = tuple(each for each in model.properties if each.name in names)
    report = symmetry(
        model,
        kept,
        method="program" if options.method == "auto" else options.method,
        generators=None if options.generators is None else pipeline.read(options.generators),
        explain=options.explain,
        steps=options.steps,
        listener=lambda line: print(line, file=sys.stderr) if sys.stderr.isatty() else None,
    )
    if options.json:
        print(text(symmetry_json.report(report)))
    else:
        print(symmetry_text.report(report, terminal.style(sys.stdout), options.file))
    return 0


def chosen(model: Model, options: argparse.Namespace) -> tuple[Property, ...]:
    """The properties that must be kept."""
    from coset.pipeline import names_of_last

    if options.no_properties and not (options.ltl or options.ctl):
        return ()
    known = [each.name for each in model.properties]
    for name in options.properties:
        if name not in known:
            raise common.UsageError(f"--property {name}: the model has {', '.join(known) or 'none'}")
    named = [*options.properties, *names_of_last(model, len(options.ltl), len(options.ctl))]
    if not options.properties and not options.no_properties:
        named = known
    return tuple(each for each in model.properties if each.name in named)
