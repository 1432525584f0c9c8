"""`coset features generate|diagram|interactions|prove DIR`: featured networks."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from coset.cli.errors import VIOLATED
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption
from coset.cli.parser import UsageError

if TYPE_CHECKING:
    from coset.features.properties import Property
    from coset.features.verify import Formula, Limits
    from coset.languages.features.tree import Network


# --- options ---------------------------------------------------------------------------------------


def limits(options: argparse.Namespace) -> Limits:
    from coset.features.verify import Limits

    return Limits(options.max_states, options.symmetry)


def load(options: argparse.Namespace) -> tuple[Network, dict[str, Property]]:
    from coset.features.load import load as load_folder

    features = None
    if getattr(options, "no_features", False):
        if options.features:
            raise UsageError("--feature and --no-features contradict each other")
        features = []
    elif getattr(options, "features", None):
        features = options.features
    return load_folder(options.folder, dict(options.counts), features)


def formula(options: argparse.Namespace, network: Network, properties: dict[str, Property]) -> Formula | None:
    from coset.features.load import instance
    from coset.features.verify import Formula, formula_of

    if options.ltl is not None and options.property is not None:
        raise UsageError("--property and --ltl: one of them")
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
        raise UsageError(f"{path}: {error.strerror or error}") from None


# --- actions ---------------------------------------------------------------------------------------


def run(options: argparse.Namespace) -> int:
    return ACTIONS[options.action](options)


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
            raise UsageError(f"--only {name}: features with a property are {', '.join(known) or 'none'}")
    if not known:
        raise UsageError(f"{options.folder}: no feature has a property in properties.def")

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
            raise UsageError("say what to prove: --property 'FILTER(1,2)' or --ltl FORMULA")
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


ACTIONS = {"generate": run_generate, "diagram": run_diagram, "interactions": run_interactions, "prove": run_prove}
