"""`coset show FILE`: the concurrent model that everything else works on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from coset.cli import options as common

if TYPE_CHECKING:
    from coset.source.diagnostics import Diagnostic

NAME = "show"
SUMMARY = "print the concurrent model that a file means"


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=f"{SUMMARY.capitalize()}: variables and automata.")
    common.add_model(parser)
    common.add_limits(parser)
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    warnings: list[Diagnostic] = []
    model = common.load_model(options, warnings.append)
    if options.json:
        from coset.formats import json_output

        print(json_output.text(json_output.model(model, warnings)))
    else:
        print(model, end="")
    return 0
