"""`coset show FILE`: the concurrent model that everything else works on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from coset.cli import options as common
from coset.cli.parser import UsageError

if TYPE_CHECKING:
    from coset.model.model import Model
    from coset.source.diagnostics import Diagnostic


def run(options: argparse.Namespace) -> int:
    if options.output is not None and not options.c:
        raise UsageError("-o is for --c")
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
            raise UsageError(f"-o {output}: {error.strerror or error}") from None
    return found
