"""Options about what is read: files, the language, macros, properties."""

from __future__ import annotations

from coset.engines.choices import DEADLOCKS
from coset.languages.registry import LANGUAGES
from coset.options.commands import NETWORK, READING
from coset.options.option import Option
from coset.options.values import definition, sized
from coset.properties.kinds import BUILTIN


def model_help() -> str:
    return "a model: " + ", ".join(f"{each.title} ({each.endings[0]})" for each in LANGUAGES.values())


def languages() -> dict[str, str]:
    return {language.name: "" for language in LANGUAGES.values()}


ARGUMENTS = (
    Option((), READING, model_help, "FILE", dest="file"),
    Option(
        (), ("replay",), "a trace, or the output of `coset check --json`; - for standard input", "TRACE", dest="trace"
    ),
    Option((), NETWORK, "the folder of the network", "DIR", dest="folder"),
    Option(
        (),
        ("serve",),
        "a folder with models, or one model",
        "DIR",
        dest="file",
        default=".",
        usual="the current folder",
    ),
)

MODEL = (
    Option(
        ("--language",), READING, "the language of the file", "NAME", choices=languages, strict=False,
        usual="by the file's extension", keyword="language",
    ),
    Option(
        ("-D",), READING, "define a macro, as for a C compiler", "NAME[=VALUE]", definition, default=[], repeatable=True,
        dest="defines", keyword="defines", label="defines (-D)", example="N=3 FAST",
    ),
    Option(
        ("-I",), READING, "search this folder for included files", "DIR", default=[], repeatable=True, dest="include_dirs",
        keyword="include_dirs",
    ),
    Option(
        ("--empty-channels",), ("check", "replay"), "a valid end state also needs empty channels, as with `pan -q`",
        default=False, keyword="empty_channels",
    ),
    Option(
        ("--deadlock",), ("check", "explore", "replay"), "what counts as an invalid end state", "NAME",
        choices=lambda: DEADLOCKS, default=None, usual="stuttering in Murphi, stuck otherwise", keyword="deadlock",
    ),
    Option(
        ("--count",), NETWORK, "override the number of components in procs.def", "TYPE=N", sized, default=[],
        repeatable=True, dest="counts",
    ),
    Option(
        ("--feature",), ("features generate", "features diagram", "features prove"),
        "enable this feature, such as `FILTER[(1,2)]`, instead of those in features.def", "F", default=[], repeatable=True,
        dest="features",
    ),
    Option(
        ("--no-features",), ("features generate", "features diagram", "features prove"),
        "no features, regardless of features.def", default=False,
    ),
    Option(
        ("--only",), ("features interactions",), "analyse only this feature", "NAME", default=[], repeatable=True,
    ),
)  # fmt: skip


def property_option(command: str, help: str, keyword: str = "") -> Option:
    """The names of properties, of which there may be several."""
    return Option(
        ("--property",), (command,), help, "NAME", default=[], repeatable=True, dest="properties", keyword=keyword
    )


BUILTIN_NAMES = " or ".join(", ".join(f"'{name}'" for name in BUILTIN).rsplit(", ", 1))
LTL = Option(
    ("--ltl",), ("check",), "verify this formula, written as in an ltl block, or with `GF p`, `R`, `M`, `=>`, `~>`, `/\\`, "
    "`\\/`, `~` as in Spot and TLA+", "FORMULA", default=[], repeatable=True, keyword="ltl", label="LTL formula",
    example="[] (x < 3)",
)  # fmt: skip
OPERATORS = "of computation tree logic: AX EX AF EF AG EG p, A[p U q], E[p U q], also W and R"
CTL = Option(
    ("--ctl",), ("check",), f"verify this formula, {OPERATORS}", "FORMULA", default=[], repeatable=True,
    keyword="ctl", label="CTL formula", example="AG EF done",
)  # fmt: skip
INVARIANT = Option(
    ("--invariant",), ("check",), "verify that this condition holds in every reachable state, and that no runtime error occurs",
    "EXPR", default=[], repeatable=True, dest="invariants", keyword="invariants", label="invariant", example="x < 3",
)  # fmt: skip
PROVED = ("features generate", "features prove")

PROPERTIES = (
    property_option(
        "check", f"verify only this one: the name of an ltl block or claim, {BUILTIN_NAMES}", keyword="properties"
    ),
    Option(
        ("--property",), ("explore",), "for CSP#: explore the process of this assertion", "NAME", usual="the first assertion"
    ),
    property_option("prove", "verify only this one", keyword="properties"),
    property_option("symmetry", "preserve only this one, instead of all properties of the model", keyword="properties"),
    property_option("draw", "with --what property: only this ltl block or claim"),
    Option(("--property",), PROVED, "the property, one of properties.def: `FILTER(1,2)`", "P"),
    LTL,
    LTL.on("symmetry", help="also preserve this formula, written as in an ltl block", label=LTL.label),
    LTL.on("replay", help="a formula that `coset check` was given"),
    LTL.on("draw", help="with --what property: this formula, written as in an ltl block"),
    Option(("--ltl",), PROVED, "the property, written as in an ltl block", "FORMULA"),
    INVARIANT,
    INVARIANT.on("replay", help="an invariant that `coset check` was given"),
    CTL,
    CTL.on("symmetry", help=f"also preserve this formula, {OPERATORS}", label=CTL.label),
    CTL.on("replay", help=f"a formula that `coset check` was given, {OPERATORS}"),
    Option(
        ("--no-properties",), ("symmetry",), "do not require symmetries to preserve any property", default=False
    ),
)  # fmt: skip
