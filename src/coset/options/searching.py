"""Options about how to search, and how much that may take."""

from __future__ import annotations

from coset.engines.choices import ORDERS, REDUCTIONS, STEPS, STORAGES
from coset.engines.registry import ENGINES
from coset.options.commands import READING
from coset.options.option import Option, summaries
from coset.options.values import count, duration, is_fairness, size, whole
from coset.symmetry.canonical.strategies import STRATEGIES
from coset.symmetry.methods.registry import AUTO, METHODS

SEARCHING = ("check", "explore")
"""Commands that search the states of a model."""
NETWORK_SEARCHES = ("features interactions", "features prove")
SHADES = {"fine": "a step for each statement of the others", "merged": "one step for all of them, as in the paper"}
OTHERS = {"none": "", "any": ""}


def symmetries() -> dict[str, str]:
    """How the symmetry is found that reduces a search."""
    return {"auto": AUTO, "off": "no reduction", **summaries(METHODS)}


def network_symmetries() -> dict[str, str]:
    known = symmetries()
    return {"auto": "program", **{name: known[name] for name in ("off", "program", "features")}}


def strategies() -> dict[str, str]:
    return summaries({name: each for name, each in STRATEGIES.items() if each.offered})


SYMMETRY = Option(
    ("--symmetry",), SEARCHING, "how symmetries are found", "NAME", choices=symmetries, default="auto",
    keyword="symmetry", setting="symmetry", label="symmetry",
)  # fmt: skip
GENERATORS = Option(
    ("--generators",), ("symmetry",), "use these symmetries instead: one generator per line, such as "
    "`(1 2)(box_1 box_2)`; each is certified, or rejected with a reason", "FILE",
)  # fmt: skip
STEPS_OPTION = Option(
    ("--steps",), ("check",), "what counts as a step", "NAME", choices=lambda: STEPS, default="merged", keyword="steps",
    label="steps",
)  # fmt: skip

SEARCH = (
    Option(
        ("--fair",), ("check",), "only fair runs count: `weak` ignores runs in which a process is always enabled but never "
        "moves, `strong` also those in which one is enabled again and again but never moves; a formula `[]<> p` or "
        "`[]<> p -> []<> q` is a fairness constraint", "KIND", default=[],
        usual="all runs count; `--fair` by itself is `--fair weak`", repeatable=True, alone="weak", takes=is_fairness,
        keyword="fair", label="fairness", example="weak",
    ),
    Option(
        ("--weak-fair",), ("prove",), "ignore runs in which a process is always enabled but never moves; a violation of "
        "progress is then reported for single sizes, not for all", default=False, keyword="weak_fair",
    ),
    Option(
        ("--all-errors",), ("check",), "do not stop at the first error in a single state: count all (every statement is a "
        "step then), and list each different one with the shortest run to it", default=False, keyword="all_errors",
        label="all errors, not only the first",
    ),
    Option(
        ("--cross-check",), ("check",), "decide every verdict again by another engine, with plain steps, without symmetry and "
        "reductions, within the same limits; small models are always decided twice", default=False, keyword="cross_check",
        label="decide again by another engine",
    ),
    Option(
        ("--shortest",), ("check",), "show shortest runs to errors in single states, however long it takes to find them; "
        "otherwise, a run that is found quickly will do", default=False, setting="shortest",
    ),
    Option(
        ("--keep-going",), ("check",), "decide every property; otherwise, properties that take long are left open once another "
        "one is violated", default=False, keyword="keep_going",
    ),
    Option(
        ("--coverage",), ("check",), "list the statements that are never reached and the variables that are never read, however "
        "large the model; otherwise they are counted in small models", default=False, keyword="coverage",
        label="list what is never reached",
    ),
    Option(
        ("--strict",), ("check",), "exit with 1 if a property holds vacuously, which is decided however large the model is",
        default=False, keyword="strict",
    ),
    Option(("--timing",), ("check",), "show how long each phase took", default=False),
    Option(
        ("--explain",), ("symmetry",), "say what breaks the symmetry, with source lines", default=False, keyword="explain",
        label="say what breaks the symmetry",
    ),
    Option(
        ("--max-spotlight",), ("prove",), "at most this many processes in the spotlight", "N", count,
        usual="two more than the property mentions", keyword="max_spotlight",
    ),
    Option(
        ("--shade",), ("prove",), "how steps of processes in the shade are abstracted", "NAME", choices=lambda: SHADES,
        default="fine", keyword="shade",
    ),
    SYMMETRY,
    SYMMETRY.on(
        "symmetry", flags=("--symmetry", "--method"), choices=lambda: {"auto": AUTO, **summaries(METHODS)}, dest="method",
        keyword="method", label=SYMMETRY.label,
    ),
    SYMMETRY.on("plan"),
    SYMMETRY.on("draw", help="with --what quotient: how symmetries are found", default=None, usual="auto"),
    SYMMETRY.on(*NETWORK_SEARCHES, choices=network_symmetries),
    GENERATORS,
    GENERATORS._replace(commands=SEARCHING, setting="generators"),
    Option(
        ("--engine",), SEARCHING, "the engine that searches", "NAME", choices=lambda: summaries(ENGINES), default="auto",
        keyword="engine", label="engine",
    ),
    Option(
        ("--representative",), SEARCHING, "how the representative of an orbit is computed", "NAME", choices=strategies,
        default="auto", setting="representative",
    ),
    STEPS_OPTION,
    STEPS_OPTION._replace(commands=("explore",), default="plain"),
    STEPS_OPTION.on(
        "symmetry", help="which model is looked at", default="plain", label=STEPS_OPTION.label,
        choices=lambda: {
            "plain": "as it is written",
            "merged": "as `check` searches it, where ids that are never read and terminations that are invisible do not "
            "distinguish processes",
        },
    ),
    STEPS_OPTION.on("plan", help="what is planned: `merged` as `check` searches it, `plain` as `explore` does"),
    Option(("--machines",), ("plan",), "plan for so many machines of 24 processors", "N", count, default=1),
    STEPS_OPTION.on("draw", help="with --what quotient: what counts as a step", default=None, usual="plain"),
    Option(
        ("--reduction",), SEARCHING, "which orders of independent steps are explored", "NAME", choices=lambda: REDUCTIONS,
        default="auto", setting="reduction",
    ),
    Option(
        ("--threads",), SEARCHING, "threads of the explicit engine", "N", count, default=1, keyword="threads",
        setting="threads", label="threads", example="1",
    ),
    Option(("--threads",), ("features interactions",), "cases checked in parallel", "N", count, default=1),
    Option(
        ("--storage",), SEARCHING, "how the explicit engine stores states (for temporal properties always exactly)", "NAME",
        choices=lambda: summaries(STORAGES), default="packed", setting="storage",
    ),
    Option(
        ("--disk",), SEARCHING,
        "with --storage disk: the folder for the states, where a search that is stopped can be continued (--resume)", "DIR",
        usual="temporary files",
    ),
    Option(
        ("--cluster",), SEARCHING,
        "search with several processes, by Ray (`pip install 'coset[cluster]'`): local:N is N of this machine, HOST:PORT a "
        "running cluster, one process for each processor; for errors in single states", "ADDRESS", setting="cluster",
    ),
    Option(
        ("--bits",), SEARCHING, "for --storage bits: 2^LOG2 bits of memory", "LOG2", count,
        usual="32, or what --max-memory allows",
    ),
    Option(
        ("--order",), SEARCHING, "search breadth-first or depth-first", "NAME", choices=lambda: ORDERS, default="breadth",
        setting="order",
    ),
    Option(
        ("--checkpoint",), SEARCHING, "save the search to this folder at intervals, at every limit, and on Ctrl-C", "DIR",
    ),
    Option(("--checkpoint-every",), SEARCHING, "seconds between checkpoints", "S", duration, usual="60"),
    Option(("--resume",), SEARCHING, "continue from what is in --checkpoint DIR or --disk DIR", default=False),
    Option(
        ("--keep",), ("features prove",), "number of concrete components", "M", count,
        usual="as many as the property and features name",
    ),
    Option(
        ("--others",), ("features prove",), "the features of all other components", "WHAT", choices=lambda: OTHERS,
        default="none",
    ),
    Option(("--seed",), (*SEARCHING, "simulate"), "seed of the random choices", "N", whole),
)  # fmt: skip

MAX_STATES = Option(
    ("--max-states",), SEARCHING, "stop after this many states", "N", count, keyword="max_states", label="max states",
    example="no limit",
)  # fmt: skip
MAX_SECONDS = Option(
    ("--max-seconds",), (*SEARCHING, "prove"), "stop after this many seconds", "S", duration, keyword="max_seconds",
    label="time limit (seconds)", example="no limit",
)  # fmt: skip
MAX_MEMORY = Option(
    ("--max-memory",), SEARCHING, "stop at this memory use, such as 500M or 2G", "SIZE", size, keyword="max_memory",
    label="memory limit", example="2G",
)  # fmt: skip
LIMITED = (*READING, *NETWORK_SEARCHES)
"""Commands with limits on the whole of their time and memory: loading, detection, compiling, searching and drawing together."""


def elsewhere(option: Option) -> Option:
    """The option for the other commands with limits, which have no keyword for it."""
    return option.on(*(name for name in LIMITED if name not in option.commands), label=option.label)


LIMITS = (
    MAX_STATES,
    MAX_STATES.on("draw", help="with --what quotient: refuse to draw more nodes than this", usual="200"),
    MAX_STATES.on(*NETWORK_SEARCHES, help="each search stops after this many states"),
    Option(("--max-moves",), ("simulate",), "stop after this many moves", "N", count, default=10_000),
    MAX_SECONDS,
    elsewhere(MAX_SECONDS),
    MAX_MEMORY,
    elsewhere(MAX_MEMORY),
)
