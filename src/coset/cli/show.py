"""`coset show FILE`: the concurrent model that everything else works on."""

from __future__ import annotations

import argparse
from typing import Any

from coset.cli import options as common

NAME = "show"
SUMMARY = "print the concurrent model that a file means"


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=f"{SUMMARY.capitalize()}: variables and automata.")
    common.add_model(parser)
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    model = common.load_model(options)
    if options.json:
        from coset.formats import json_output

        print(json_output.text(json_output.model(model)))
    else:
        print(model, end="")
    return 0
