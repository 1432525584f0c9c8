"""`coset explore FILE`: the whole reachable space, counted, stopping at nothing."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from coset.cli import options as common
from coset.cli.errors import INCONCLUSIVE, INTERRUPTED, Interruption, Missing

NAME = "explore"
SUMMARY = "count the whole reachable state space"


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=f"{SUMMARY.capitalize()}; errors are counted, too.")
    common.add_model(parser)
    common.add_search(parser)
    common.add_seed(parser)
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from coset import pipeline
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.checkpoint import CheckpointError
    from coset.engines.explicit.engine import Unsupported
    from coset.formats import json_output
    from coset.source.diagnostics import render
    from coset.views import terminal

    defines, include_dirs = common.load_options(options)
    settings = common.settings(options)
    try:
        result = pipeline.explore(
            options.file,
            steps=options.steps,
            engine=options.engine,
            settings=settings,
            defines=defines,
            include_dirs=include_dirs,
            max_states=options.max_states,
            max_seconds=options.max_seconds,
            max_memory=options.max_memory,
            listener=terminal.ProgressLine(sys.stderr),
            warn=lambda warning: print(render(warning), file=sys.stderr),
        )
    except CheckpointError as error:
        raise common.UsageError(str(error)) from None
    except NoCompiler as reason:
        raise Missing(f"{reason}; --engine reference needs none") from None
    except Unsupported as reason:
        raise common.UsageError(f"the explicit engine cannot do this model: {reason}; try --engine reference") from None
    if options.json:
        print(json_output.text(json_output.exploration(result)))
    else:
        print(terminal.exploration(result, terminal.style(sys.stdout)))
    sys.stdout.flush()
    if result.complete:
        return 0
    print(f"coset: not complete: stopped at {result.stopped}", file=sys.stderr)
    return INTERRUPTED if Interruption.seen else INCONCLUSIVE
