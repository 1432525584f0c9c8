"""`coset plan FILE`: what a search is expected to take, and which options to use."""

from __future__ import annotations

import argparse

from coset.cli import options as common


def run(options: argparse.Namespace) -> int:
    from coset.formats import json_output, plan_json
    from coset.tasks.plan import plan
    from coset.views import plan_text

    model = common.load_model(options)
    found = plan(model, symmetry=options.symmetry, steps=options.steps, machines=options.machines)
    if options.json:
        print(json_output.text(plan_json.plan(found)))
    else:
        common.say(plan_text.plan(found))
    return 0
