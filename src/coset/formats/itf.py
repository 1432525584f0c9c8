"""Runs in the Informal Trace Format of Apalache and Quint, which other tools read, animate and convert to tests.

    https://apalache-mc.org/docs/adr/015adr-trace.html

There is one variable per global variable: arrays are lists, records are records.  `_channels` has the messages of every
channel, `_processes` the kind and variables of each process.  Every state of the run is included, also those in which a
process holds control; `_control` is its number, or -1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from coset.formats.json_output import Json
from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.model import Variable
from coset.model.state import State, offsets
from coset.results.trace import Run

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf(run: Run) -> Json:
    """The document of a run.  In a lasso the state after the last one is that at `loop`."""
    states = [state(run, number) for number in range(len(run.states))]
    loop = run.trace.loop_start
    if loop is not None and loop < len(run.moves):
        states.pop()  # it equals the first state of the cycle
    found: Json = {
        "#meta": {
            "format": "ITF",
            "format-description": FORMAT,
            "source": run.model.name,
            "description": f"{run.trace.kind}: {run.message}",
        },
        "vars": [name for name in states[0] if name != "#meta"],
        "states": states,
    }
    return found if loop is None else {**found, "loop": loop}


def state(run: Run, number: int) -> Json:
    """One state; its `#meta` has the move that led to it."""
    model, found = run.model, run.states[number]
    meta: Json = {"index": number}
    if number > 0:
        move = run.moves[number - 1]
        meta["action"] = move.edge.text
        meta["process"] = move.process
    holder = run.holders[number]
    return {
        "#meta": meta,
        **record(model.variables, found.values),
        "_channels": channels(run.interpreter, found),
        "_processes": [
            {
                "kind": model.kinds[process.kind].name,
                "location": integer(process.at),
                "variables": record(model.kinds[process.kind].variables, process.values),
            }
            for process in found.processes
        ],
        "_control": integer(-1 if holder is None else holder),
    }


def integer(value: int) -> Json:
    """Integers are texts, since many programs that read JSON cannot hold large ones."""
    return {"#bigint": str(value)}


def value(domain: Domain, number: int) -> Any:
    """A truth value, a name of an enumeration, or a number.

    >>> from coset.model.domain import BOOL, BYTE
    >>> value(BOOL, 1), value(BYTE, 7)
    (True, {'#bigint': '7'})
    """
    if domain.name == "bool" and number in (0, 1):
        return bool(number)
    text = domain.show(number)
    return integer(number) if text == str(number) else text


def record(variables: Sequence[Variable], row: Sequence[int]) -> Json:
    """Values under their names, with arrays and records as such.

    >>> from coset.model.domain import BIT, BYTE
    >>> inner = Variable("a.b", BYTE, (2, 2), split=(1, 1))
    >>> record((Variable("x", BIT), inner), (1, 1, 2, 3, 4))["a"][1]["b"]
    [{'#bigint': '3'}, {'#bigint': '4'}]
    """
    found: dict[str | int, Any] = {}
    for variable, start in offsets(tuple(variables)).items():
        for k in range(variable.size):
            path = [int(part) if part.isdigit() else part for part in re.findall(r"\w+", variable.element(k))]
            place = found
            for part in path[:-1]:
                place = place.setdefault(part, {})
            place[path[-1]] = value(variable.domain, row[start + k])
    return {str(name): listed(part) for name, part in found.items()}


def listed(part: Any) -> Any:
    """Convert tables with numeric names to lists; values stay as they are."""
    if not isinstance(part, dict) or "#bigint" in part:
        return part
    if all(isinstance(name, int) for name in part):
        return [listed(inner) for inner in part.values()]
    return {name: listed(inner) for name, inner in part.items()}


def channels(interpreter: Interpreter, found: State) -> list[list[Json]]:
    """The messages of each channel, as tuples; number n of the model is at n - 1."""
    return [
        [
            {"#tup": [value(d, v) for d, v in zip(interpreter.channel_types[channel.type].fields, message)]}
            for message in channel.messages
        ]
        for channel in found.channels
    ]
