"""The events that a file writes down, for lists of what never happens.

The steps of a model tell where in the text they come from.  Two cases leave it open: an event of `||` is one step of all
sides, which comes from the text of one of them, and a hidden event has lost its name.  What is left open is not said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.languages.csp import tree as t
from coset.languages.csp.lower import everywhere
from coset.model.suite import Written


def written(program: t.Program) -> Iterator[Written]:
    """The events of the definitions that some asserted process uses."""
    used = definitions(program)
    bodies = [x for definition in used for x in everywhere(definition.body)]
    bodies += [x for assertion in program.assertions for x in everywhere(assertion.process)]
    is_joined = any(isinstance(x, t.Parallel) or getattr(x, "operator", "") == "||" for x in bodies)
    hidden = {event.name for x in bodies if isinstance(x, t.Hide) for event in x.events}
    for definition in used:
        for x in everywhere(definition.body):
            name = x.event.name if isinstance(x, t.Prefix) else x.channel if isinstance(x, t.Output | t.Input) else ""
            if name and name not in hidden and name != "tau":
                yield Written(definition.name, name, beginning(x.span.text), x.span, is_joined)


def definitions(program: t.Program) -> Sequence[t.Definition]:
    """The definitions that asserted processes call, directly or not, in the order of the text."""
    pending: list[t.Process] = [assertion.process for assertion in program.assertions]
    found: set[str] = set()
    while pending:
        for x in everywhere(pending.pop()):
            if isinstance(x, t.Call) and x.name not in found and x.name in program.definitions:
                found.add(x.name)
                pending.append(program.definitions[x.name].body)
    return [definition for name, definition in program.definitions.items() if name in found]


def beginning(text: str) -> str:
    """The first event of the text of a process.

    >>> beginning("d{x = x + 1} -> P()"), beginning("c?v -> Skip")
    ('d{x = x + 1}', 'c?v')
    """
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "{([") - (letter in "})]")
        if depth == 0 and text.startswith("->", at):
            return " ".join(text[:at].split())
    return " ".join(text.split())
