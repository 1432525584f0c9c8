"""`coset explore FILE`: count the reachable states, without stopping at errors."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from coset.cli import options as common
from coset.cli import reports
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption
from coset.cli.parser import UsageError
from coset.source.budget import current_budget

if TYPE_CHECKING:
    from coset.model.model import Model


def run(options: argparse.Namespace) -> int:
    from coset.formats import json_output
    from coset.tasks import explore as explore_task
    from coset.views import terminal
    from coset.views.progress import listener

    reports.refuse_unwritable(options)
    settings = common.settings(options)
    model = common.load_model(options) if options.property is None else asserted_model(options)
    loading = current_budget().elapsed
    result = explore_task.explore(
        model,
        settings=settings,
        deadlock=options.deadlock,
        listener=listener(sys.stderr, options.progress),
        **common.keywords(options),
    )
    result.seconds["load"] = round(result.seconds["load"] + loading, 6)
    if options.json:
        print(json_output.text(json_output.exploration(result)))
    else:
        common.say(terminal.exploration(result, terminal.style(sys.stdout)))
    sys.stdout.flush()
    reports.write_exploration(model, result, options)
    if result.complete:
        return 0
    print(f"coset: not complete: stopped at {result.stopped}", file=sys.stderr)
    return INTERRUPTED if Interruption.seen else INCONCLUSIVE


def asserted_model(options: argparse.Namespace) -> Model:
    """The model of the process in one assertion."""
    from coset.tasks import load as load_task

    if not load_task.is_suite(options.file, options.language):
        raise UsageError("--property is for CSP#, where each assertion has a process of its own")
    suite = load_task.load_suite(options.file, dict(options.defines), options.language)
    found = next((each for each in suite.assertions if each.name == options.property), None)
    if found is None:
        names = ", ".join(f"'{each.name}'" for each in suite.assertions)
        raise UsageError(f"the model asserts no '{options.property}'; it asserts {names}")
    return suite.models[found.model]
