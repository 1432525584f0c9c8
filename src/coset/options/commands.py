"""Every command.  A new one is an entry here, its options, and a module `coset.cli.NAME` with a function `run`."""

from __future__ import annotations

from coset.options.option import Command

COMMANDS = (
    Command(
        "check",
        "verify the properties of a model, show the counterexample",
        ": assertions, invalid end states, faults, ltl blocks, never claims.  With --property, --ltl, --ctl or --invariant, "
        "only the named properties are verified.  Exit code 0: all hold; 1: one is violated; 3: inconclusive.",
    ),
    Command("explore", "count the whole reachable state space", "; also counts errors."),
    Command(
        "plan",
        "estimate what a search takes: states, memory, time, in memory, on disk, by machines",
        ".  Searches the first levels and looks at a random sample of states; estimates are ranges, with no upper end where none "
        "is in sight.  Says which options to take.",
    ),
    Command(
        "prove",
        "verify properties for every number of processes",
        ", by spotlight abstraction: a few processes are concrete (the spotlight), the others are abstracted (the shade).  "
        "Applies to shared-variable programs (.spl) with parameters as sizes, and to models in other languages whose processes "
        "of one kind are interchangeable and share only variables.  Exit code 0: all hold; 1: one is violated; 3: inconclusive.",
    ),
    Command(
        "symmetry",
        "find the symmetry of a model, say what breaks it",
        ".  The group is that of the model together with its properties: order, structure, and generators in cycle notation, "
        "processes by number and channels by name.  --explain gives the source lines that distinguish processes of one kind, "
        "and the order of the group without them.",
    ),
    Command("simulate", "run the model once, at random or as you choose"),
    Command(
        "replay",
        "execute a stored counterexample, step by step",
        ".  Exit code 1: the run is valid and shows the error; 2: it is not a run of this model; 3: SPIN does not agree.",
    ),
    Command("show", "print the concurrent model of a file", ": variables and automata."),
    Command(
        "draw",
        "draw automata of processes and properties, channels, shared variables, or the quotient",
        ".  Interchangeable nodes have the same colour.  Without -o the text for Graphviz goes to standard output; otherwise the "
        "extension of OUT selects the format: .svg, .png, .pdf, or .dot (which needs no Graphviz).",
    ),
    Command(
        "features",
        "featured networks: generate, draw, find interactions, prove for any size",
        ".  DIR contains procs.def (`3: client <- [1] of {pid, pid}`), globals.def, features.def (`FILTER[(1,2)]`), "
        "properties.def, and a template for each proctype (client.tmpl).  See docs/features.md.",
    ),
    Command("features generate", "write the Promela specification"),
    Command("features diagram", "draw the feature configuration diagram with its symmetry"),
    Command(
        "features interactions",
        "check every pair of features in all cases up to symmetry (exit code 1: some interact)",
    ),
    Command(
        "features prove",
        "prove a property for networks of every size, by abstraction (exit code 3: inconclusive)",
    ),
    Command(
        "serve",
        "show models and run commands on a local web page",
        ": the models of a folder with their source, searches to watch and cancel, and results as written by --html.  The "
        "server listens on this machine only, and requires the token in the printed address.  Nothing is written to the folder.  "
        "Stop it with Ctrl-C.",
    ),
    Command("doctor", "say what is installed and usable", " (exit code 4: not usable)."),
)

COMMAND_NAMES = tuple(command.name for command in COMMANDS if " " not in command.name)
"""The words that may follow `coset`."""
GROUPS = tuple(
    command.name for command in COMMANDS if any(other.name.startswith(f"{command.name} ") for other in COMMANDS)
)
"""Commands that only have further commands."""
ALL = tuple(command.name for command in COMMANDS if command.name not in GROUPS)
READING = ("check", "explore", "prove", "symmetry", "simulate", "replay", "show", "draw", "plan")
"""Commands that read a model."""
NETWORK = tuple(name for name in ALL if name.startswith("features "))
"""Commands that read a featured network."""
