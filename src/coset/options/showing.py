"""Options about what is shown and written."""

from __future__ import annotations

from coset.options.commands import ALL, GROUPS
from coset.options.option import Option
from coset.options.values import port

SHELLS = {"bash": "", "zsh": "", "fish": ""}
DRAWINGS = {
    "automata": "locations and statements of each kind of process",
    "property": "for each ltl block, never claim or --ltl formula the automaton of what it forbids",
    "channels": "which process sends to and receives from which channel",
    "hypergraph": "which processes share which variables",
    "constraints": "the coloured graph of the constraints of a small model, whose automorphisms are its symmetries",
    "features": "the features of the components of a generated network",
    "quotient": "the state graph of a small model modulo symmetry: a node is an orbit of states, with its size, and an arrow the "
    "steps between two",
}
COVERED = {"statements": "of each kind of process", "transitions": "edges of the automata"}
PROGRESS = {
    "auto": "line on a terminal, log elsewhere",
    "line": "one line, updated in place",
    "log": "a line at intervals",
    "json": "one line per event",
    "off": "nothing",
}
PORT = 8321
HTML = Option(
    ("--html",), ("check",),
    "write a self-contained HTML report: verdicts, counterexamples to step through, symmetry, pictures", "OUT",
)  # fmt: skip
PICTURE = Option(
    ("-o",), ("draw", "features diagram"), "the file to write: .svg, .png, .pdf or .dot", "OUT", dest="output"
)

OUTPUT = (
    Option(("--trace",), ("check",), "write the first counterexample, for `coset replay`", "OUT"),
    Option(("--trail",), ("check",), "write FILE.trail for `spin -t`", default=False),
    Option(("--trail",), ("replay",), "write a trail for `spin -t` (spin expects FILE.trail)", "OUT"),
    Option(("--svg",), ("check",), "write the counterexample as a message sequence chart", "OUT"),
    Option(("--svg",), ("replay",), "write a message sequence chart", "OUT"),
    Option(("--itf",), ("replay",), "write the states in the Informal Trace Format", "OUT"),
    HTML,
    HTML.on("explore", help="write a self-contained HTML report: counts, symmetry, pictures"),
    HTML.on("symmetry", help="write a self-contained HTML report: the group, what breaks it (--explain), pictures"),
    HTML.on("features interactions", help="write the matrix with all counterexamples as an HTML page"),
    Option(("--junit",), ("check",), "write the verdicts as JUnit's XML: every property is a test case", "OUT"),
    Option(("--sarif",), ("check",), "write violations as SARIF 2.1.0, for code-scanning UIs", "OUT"),
    Option(
        ("--what",), ("draw",), "what to draw", "WHAT", choices=lambda: DRAWINGS, default="automata", keyword="what"
    ),
    Option(
        ("--kind",), ("draw",), "with --what automata: only this proctype", "NAME", default=[], repeatable=True, dest="kinds"
    ),
    Option(
        ("--shared-variables",), ("draw",), "with --what channels: also the shared variables that processes read and write",
        default=False,
    ),
    Option(
        ("--c",), ("show",), "print the C that the explicit engine compiles for `explore --symmetry off`; it contains no text "
        "of the model", default=False,
    ),
    Option(
        ("-o",), ("show",), "with --c: write model.h, model.c and model.map.json, which maps names to steps of the model", "DIR",
        dest="output",
    ),
    PICTURE,
    Option(
        ("--cover",), ("simulate",), "write a few short runs that together cover all that can be reached, in the Informal Trace "
        "Format", "WHAT", choices=lambda: COVERED,
    ),
    Option(("-o",), ("simulate",), "with --cover: the folder for run_1.itf.json and so on", "DIR", dest="output"),
    PICTURE.on("features generate", help="the file to write", usual="standard output"),
    PICTURE.on("features prove", help="write abs(m) to this file"),
    Option(("--runs",), ("features interactions",), "show the counterexamples", default=False),
    Option(("--no-steps",), ("prove",), "do not print how the abstraction was refined", default=False),
    Option(
        ("--progress",), ("check", "explore", "prove"), "what to report on standard error", "NAME", choices=lambda: PROGRESS,
        default="auto",
    ),
    Option(("--json",), ALL, "print one JSON object, and nothing else, on standard output", default=False),
)  # fmt: skip

OTHER = (
    Option(("-h", "--help"), ("", *ALL, *GROUPS), "show this help and exit"),
    Option(("--version",), ("",), "print the version and exit", default=False),
    Option(
        ("--completion",), ("",), "print a completion script for this shell, and exit", "SHELL",
        choices=lambda: SHELLS,
    ),
    Option(("--interactive",), ("simulate",), "choose each move interactively", default=False),
    Option(("--spin",), ("replay",), "confirm the run with `spin -t`", default=False),
    Option(("--port",), ("serve",), "the port to listen on; 0: any free port", "N", port, default=PORT),
    Option(("--open",), ("serve",), "open the page in the browser", default=False),
    Option(("--clear-cache",), ("doctor",), "delete all compiled models and print the space freed", default=False),
)  # fmt: skip
