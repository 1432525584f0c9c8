"""`coset features generate|diagram|interactions|prove DIR`: featured networks."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from coset.cli import options as common
from coset.cli.errors import VIOLATED
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption

if TYPE_CHECKING:
    from coset.features.properties import Property
    from coset.features.verify import Formula, Limits
    from coset.languages.features.tree import Network

NAME = "features"
SUMMARY = "featured networks: generate, draw, find interactions, prove for any size"
DESCRIPTION = f"""{SUMMARY.capitalize()}.
DIR contains procs.def (`3: client <- [1] of {{pid, pid}}`), globals.def, features.def (`FILTER[(1,2)]`), properties.def, and a
template for each proctype (client.tmpl).  See docs/features.md."""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=DESCRIPTION)
    actions = parser.add_subparsers(
        title="actions", metavar="ACTION", dest="action", parser_class=common.Parser, required=True
    )
    generate = actions.add_parser("generate", help="write the Promela specification")
    add_network(generate)
    add_formula(generate, "add this property")
    generate.add_argument("-o", dest="output", metavar="OUT", help="the file to write (standard output)")
    generate.set_defaults(run=run_generate)
    diagram = actions.add_parser("diagram", help="draw the feature configuration diagram with its symmetry")
    add_network(diagram)
    diagram.add_argument("-o", dest="output", metavar="OUT", help="the file to write: .svg, .png, .pdf or .dot")
    diagram.set_defaults(run=run_diagram)
    interactions = actions.add_parser(
        "interactions", help="check every pair of features in all cases up to symmetry (exit code 1: some interact)"
    )
    add_network(interactions, features=False)
    interactions.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="analyse only this feature; repeatable"
    )
    interactions.add_argument("--html", metavar="OUT", help="write the matrix with all counterexamples as an HTML page")
    interactions.add_argument("--runs", action="store_true", help="show the counterexamples")
    interactions.add_argument(
        "--threads", metavar="N", type=common.count, default=1, help="cases checked in parallel (1)"
    )
    add_limits(interactions)
    interactions.set_defaults(run=run_interactions)
    prove = actions.add_parser(
        "prove", help="prove a property for networks of every size, by abstraction (exit code 3: inconclusive)"
    )
    add_network(prove)
    add_formula(prove, "the property")
    prove.add_argument(
        "--keep",
        metavar="M",
        type=common.count,
        help="number of concrete components (as many as the property and features name)",
    )
    prove.add_argument(
        "--others", metavar="WHAT", type=common.choice(("none", "any"), ()), default="none",
        help="the features of all other components: none, or any (none)",
    )  # fmt: skip
    prove.add_argument("-o", dest="output", metavar="OUT", help="write abs(m) to this file")
    add_limits(prove)
    prove.set_defaults(run=run_prove)


# --- options ---------------------------------------------------------------------------------------


def sized(text: str) -> tuple[str, int]:
    """`client=4`"""
    name, _, number = text.partition("=")
    return name, common.count(number)


def add_network(parser: argparse.ArgumentParser, features: bool = True) -> None:
    parser.add_argument("folder", metavar="DIR", help="the folder of the network")
    parser.add_argument(
        "--count", dest="counts", metavar="TYPE=N", type=sized, action="append", default=[],
        help="override the number of components in procs.def; repeatable",
    )  # fmt: skip
    if features:
        parser.add_argument(
            "--feature", dest="features", metavar="F", action="append", default=[],
            help="enable this feature, such as `FILTER[(1,2)]`, instead of those in features.def; repeatable",
        )  # fmt: skip
        parser.add_argument("--no-features", action="store_true", help="no features, regardless of features.def")
    common.add_json(parser)


def add_formula(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--property", metavar="P", help=f"{what}, of properties.def: `FILTER(1,2)`")
    parser.add_argument("--ltl", metavar="FORMULA", help=f"{what}, written as in an ltl block")


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--symmetry", metavar="NAME", type=common.choice(("auto", "off", "program", "features"), ()), default="auto",
        help="how symmetries are found: program, features, auto (program), or off (auto)",
    )  # fmt: skip
    parser.add_argument("--max-states", metavar="N", type=common.count, help="each search stops after this many states")
    common.add_limits(parser)


def limits(options: argparse.Namespace) -> Limits:
    from coset.features.verify import Limits

    return Limits(options.max_states, options.symmetry)


def load(options: argparse.Namespace) -> tuple[Network, dict[str, Property]]:
    from coset.features.load import load as load_folder

    features = None
    if getattr(options, "no_features", False):
        if options.features:
            raise common.UsageError("--feature and --no-features contradict each other")
        features = []
    elif getattr(options, "features", None):
        features = options.features
    return load_folder(options.folder, dict(options.counts), features)


def formula(options: argparse.Namespace, network: Network, properties: dict[str, Property]) -> Formula | None:
    from coset.features.load import instance
    from coset.features.verify import Formula, formula_of

    if options.ltl is not None and options.property is not None:
        raise common.UsageError("--property and --ltl: one of them")
    if options.ltl is not None:
        return Formula("command_line", options.ltl)
    if options.property is None:
        return None
    found = instance(options.property, network, properties)
    return formula_of(properties[found.name], found, network)


def write(path: str, text: str) -> None:
    from pathlib import Path

    try:
        Path(path).write_text(text, "utf-8")
    except OSError as error:
        raise common.UsageError(f"{path}: {error.strerror or error}") from None


# --- actions ---------------------------------------------------------------------------------------


def run_generate(options: argparse.Namespace) -> int:
    from coset.features.report_json import generated
    from coset.features.verify import checked_specification
    from coset.formats.json_output import text as json_text

    network, properties = load(options)
    asked = formula(options, network, properties)
    text = checked_specification(network, [] if asked is None else [asked])
    if options.output is not None:
        write(options.output, text)
    if options.json:
        print(json_text(generated(network, text, options.output)))
    elif options.output is None:
        print(text, end="")
    return 0


def run_diagram(options: argparse.Namespace) -> int:
    from coset.cli import draw
    from coset.features.load import diagram
    from coset.features.report_json import drawn
    from coset.formats.dot import dot
    from coset.formats.json_output import text as json_text
    from coset.tasks import draw as drawing

    suffix = draw.checked_suffix(options.output)
    network, _ = load(options)
    text = dot(drawing.features(diagram(network), network.name))
    if options.output is not None:
        draw.write(text, options.output, suffix)
    if options.json:
        print(json_text(drawn(network, text, options.output)))
    elif options.output is None:
        print(text)
    return 0


def run_interactions(options: argparse.Namespace) -> int:
    from dataclasses import replace

    from coset.features import report_html, report_json, report_text
    from coset.features.interactions import analyse
    from coset.formats.json_output import text as json_text

    network, properties = load(options)
    known = [name for name in properties if network.feature(name) is not None]
    for name in options.only:
        if name not in known:
            raise common.UsageError(f"--only {name}: features with a property are {', '.join(known) or 'none'}")
    if not known:
        raise common.UsageError(f"{options.folder}: no feature has a property in properties.def")

    def progress(done: int, jobs: int, what: str) -> None:
        print(f"[{done}/{jobs}] {what}", file=sys.stderr, flush=True)

    began = time.monotonic()
    found = analyse(
        network, properties, features=options.only or None, limits=limits(options), threads=options.threads,
        progress=progress,
    )  # fmt: skip
    found = replace(found, seconds=round(time.monotonic() - began, 3))
    if options.html is not None:
        write(options.html, report_html.page(found))
    if options.json:
        print(json_text(report_json.analysed(found)))
    else:
        print("\n".join(report_text.analysis(found, options.runs)))
    if Interruption.seen:
        return INTERRUPTED
    if found.interactions:
        return VIOLATED
    return 0 if found.complete else INCONCLUSIVE


def run_prove(options: argparse.Namespace) -> int:
    from coset.features import report_json, report_text
    from coset.features.prove import prove, question
    from coset.formats.json_output import text as json_text
    from coset.results.verdict import Verdict

    network, properties = load(options)
    if options.property is not None and options.ltl is None:
        network, asked, extra = question(options.property, network, properties, options.others, options.keep)
    else:
        given, extra = formula(options, network, properties), ()
        if given is None:
            raise common.UsageError("say what to prove: --property 'FILTER(1,2)' or --ltl FORMULA")
        asked = given
    found = prove(network, asked, kept=options.keep, others=options.others, limits=limits(options), extra=extra)
    if options.output is not None and found.text:
        write(options.output, found.text)
    if options.json:
        print(json_text(report_json.proved(network, found)))
    else:
        print("\n".join(report_text.proof(found)))
    if Interruption.seen:
        return INTERRUPTED
    return {Verdict.HOLDS: 0, Verdict.VIOLATED: VIOLATED, Verdict.UNKNOWN: INCONCLUSIVE}[found.verdict]
