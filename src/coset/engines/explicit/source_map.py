"""From the generated C back to the model.

The C contains no text of the model.  Its comments name steps `p3_e17` (kind 3, edge 17 of the program), and the names of its
functions end in the number of a kind.  The map gives for each name the span in the source text and the lines of model.c, so
that the output of a debugger or `perf annotate` can be related to the model.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from coset.engines.explicit.emit.processes import edge_name
from coset.engines.explicit.emit.program import GeneratedProgram
from coset.model.model import Model
from coset.source.text import Span

Json = dict[str, Any]

NAME = re.compile(r"/\* (p\d+_e\d+): ")
FUNCTION = re.compile(r"^static int ((?:start|moves|answers)_(\d+))\(.*\{$|^static void (finish_(\d+))\(.*\{$")


def source_map(program: GeneratedProgram, model: Model) -> Json:
    """What each name in model.c stands for.

    >>> from coset.engines.explicit.compile import emitted
    >>> from coset.tasks.load import parse_text
    >>> model = parse_text("byte x; active proctype P() { x = 1 }", "m.pml")
    >>> found = source_map(emitted(model), model)["steps"]["p0_e0"]
    >>> found["process"], found["file"], found["line"], found["column"], found["text"]
    ('P', 'm.pml', 1, 31, 'x = 1')
    """
    lines, functions = defaultdict[str, list[int]](list), {}
    for number, line in enumerate(program.source.split("\n"), 1):
        for name in NAME.findall(line):
            lines[name].append(number)
        if (found := FUNCTION.match(line)) is not None:
            kind = model.kinds[int(found[2] or found[4])]
            functions[found[1] or found[3]] = {"process": kind.name, **place(kind.span), "c_line": number}
    steps = {}
    for identity, (k, at, number) in enumerate(program.edges):
        kind, name = model.kinds[k], edge_name(k, identity)
        edge = kind.locations[at].edges[number]
        steps[name] = {
            "process": kind.name,
            "location": at,
            "edge": number,
            **place(edge.span),
            "text": edge.text,
            "c_lines": lines[name],
        }
    return {"schema": 1, "model": model.name, "c": "model.c", "functions": functions, "steps": steps}


def place(span: Span | None) -> Json:
    if span is None:
        return {"file": None, "line": None, "column": None}
    return {"file": span.file, "line": span.line, "column": span.column}
