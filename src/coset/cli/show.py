"""`coset show FILE`: the concurrent model that everything else works on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from coset.cli import options as common

if TYPE_CHECKING:
    from coset.model.model import Model
    from coset.source.diagnostics import Diagnostic

NAME = "show"
SUMMARY = "print the concurrent model of a file"


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=f"{SUMMARY.capitalize()}: variables and automata.")
    common.add_model(parser)
    parser.add_argument(
        "--c", action="store_true",
        help="print the C that the explicit engine compiles for `explore --symmetry off`; it contains no text of the model",
    )  # fmt: skip
    parser.add_argument(
        "-o", dest="output", metavar="DIR",
        help="with --c: write model.h, model.c and model.map.json, which maps names to steps of the model",
    )  # fmt: skip
    common.add_limits(parser)
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.output is not None and not options.c:
        raise common.UsageError("-o is for --c")
    warnings: list[Diagnostic] = []
    model = common.load_model(options, warnings.append)
    generated = generated_c(model, options.output) if options.c else None
    if options.json:
        from coset.formats import json_output

        print(json_output.text({**json_output.model(model, warnings), "c": generated}))
    elif generated is None:
        print(model, end="")
    elif options.output is None:
        print(generated["source"], end="")
    return 0


def generated_c(model: Model, output: str | None) -> dict[str, Any]:
    """The C and its map, written into a folder if there is one."""
    from pathlib import Path

    from coset.engines.explicit.compile import emitted
    from coset.engines.explicit.source_map import source_map
    from coset.formats import json_output

    program = emitted(model)
    found: dict[str, Any] = {"header": program.header, "source": program.source, "map": source_map(program, model)}
    if output is not None:
        folder = Path(output)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "model.h").write_text(program.header, "utf-8")
            (folder / "model.c").write_text(program.source, "utf-8")
            (folder / "model.map.json").write_text(json_output.text(found["map"], indent=1) + "\n", "utf-8")
        except OSError as error:
            raise common.UsageError(f"-o {output}: {error.strerror or error}") from None
    return found
