"""`coset draw FILE --what automata|property|channels|hypergraph|constraints|quotient -o FILE.svg`: drawn by Graphviz."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from coset.cli import options as common
from coset.cli.errors import Missing
from coset.cli.parser import UsageError

if TYPE_CHECKING:
    from coset.formats.dot import Diagram
    from coset.model.model import Model


def run(options: argparse.Namespace) -> int:
    from coset.formats import dot, json_output

    suffix = checked_suffix(options.output)
    if options.what != "property" and (options.ltl or options.properties):
        raise UsageError("--ltl and --property are for --what property")
    if options.what != "automata" and options.kinds:
        raise UsageError("--kind is for --what automata")
    if options.what != "channels" and options.shared_variables:
        raise UsageError("--shared-variables is for --what channels")
    if options.what != "quotient" and (options.symmetry or options.steps or options.max_states):
        raise UsageError("--symmetry, --steps and --max-states are for --what quotient")
    model = common.load_model(options)
    diagram = DIAGRAMS[options.what](model, options)
    text = dot.dot(diagram)
    if options.output is not None:
        write(text, options.output, suffix)
    if options.json:
        print(json_output.text(json_output.drawing(model, options.what, diagram, text, options.output)))
    elif options.output is None:
        print(text)
    return 0


def checked_suffix(output: str | None) -> str:
    """The format of the file to write."""
    from pathlib import Path

    from coset.formats.dot import PICTURES

    if output is None:
        return "dot"
    suffix = Path(output).suffix.lower().removeprefix(".")
    if suffix not in (*PICTURES, "dot", "gv"):
        known = ", ".join(f".{each}" for each in (*PICTURES, "dot"))
        raise UsageError(f"-o {output}: the name must end in {known}")
    return suffix


def write(text: str, output: str, suffix: str) -> None:
    from pathlib import Path

    from coset.formats.dot import NoGraphviz, picture

    try:
        data = f"{text}\n".encode() if suffix in ("dot", "gv") else picture(text, suffix)
    except NoGraphviz as reason:
        raise Missing(f"{reason}; -o NAME.dot needs none") from None
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise UsageError(f"-o {output}: {error.strerror or error}") from None


def automata(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.formats.automata import processes

    known = [kind.name for kind in model.kinds]
    for name in options.kinds:
        if name not in known:
            raise UsageError(f"--kind {name}: the model has {', '.join(known)}")
    return processes(model, [kind for kind in model.kinds if not options.kinds or kind.name in options.kinds])


def property_automata(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.formats.automata import properties
    from coset.model.model import CtlProperty
    from coset.tasks.check import command_line_properties

    drawn = [each for each in model.properties if not isinstance(each, CtlProperty)]
    known = [each.name for each in drawn]
    wanted = [*options.properties, *command_line_properties(model, len(options.ltl))] or known
    for name in wanted:
        if name not in known:
            raise UsageError(f"--property {name}: the model has {', '.join(known) or 'none'}")
    if not drawn:
        raise UsageError("the model has no ltl block and no never claim; try --ltl FORMULA")
    return properties(model, [each for each in drawn if each.name in wanted])


def channels(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.tasks import draw as drawing

    try:
        return drawing.channels(model, options.shared_variables)
    except drawing.Undrawable as reason:
        raise UsageError(f"--what channels: {reason}") from None


def hypergraph(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.tasks import draw as drawing

    try:
        return drawing.hypergraph(model)
    except drawing.Undrawable as reason:
        raise UsageError(f"--what hypergraph: {reason}") from None


def constraints(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.tasks import draw as drawing
    from coset.tasks.draw_constraints import constraints

    try:
        return constraints(model)
    except drawing.Undrawable as reason:
        raise UsageError(f"--what constraints: {reason}") from None


def features(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.tasks import draw as drawing

    try:
        return drawing.model_features(model)
    except drawing.Undrawable as reason:
        raise UsageError(f"--what features: {reason}") from None


def quotient(model: Model, options: argparse.Namespace) -> Diagram:
    from coset.engines.reduction import UnusableSymmetry
    from coset.engines.reference.quotient import TooManyOrbits
    from coset.formats.quotient import state_graph
    from coset.model.evaluate import Fault
    from coset.tasks import explore as explore_task

    most = options.max_states or explore_task.DRAWN_STATES
    symmetry, steps = options.symmetry or "auto", options.steps or "plain"
    try:
        found = explore_task.quotient(model, steps=steps, symmetry=symmetry, max_states=most)
    except TooManyOrbits:
        what = "states" if symmetry == "off" else "orbits of states"
        ways = ["make it smaller (-D NAME=VALUE)"]
        ways += ["leave out --symmetry off"] if symmetry == "off" else []
        ways += ["try --steps merged"] if steps == "plain" else []
        ways += ["or allow more (--max-states N)"]
        raise UsageError(f"--what quotient: the model has more than {most:,} {what}; {', '.join(ways)}") from None
    except UnusableSymmetry as reason:
        raise UsageError(f"--what quotient: {reason}; make the model smaller (-D NAME=VALUE)") from None
    except Fault as fault:
        raise UsageError(f"--what quotient: there is no first state: {fault.message}") from None
    return state_graph(found)


DIAGRAMS = {
    "automata": automata, "property": property_automata, "channels": channels, "hypergraph": hypergraph,
    "constraints": constraints, "features": features, "quotient": quotient,
}  # fmt: skip
"""What can be drawn: each is a function of the model and of the options."""
