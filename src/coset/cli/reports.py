"""Report files: an HTML page and, for `coset check`, the formats of continuous integration servers."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from coset.cli.errors import Missing
from coset.cli.parser import UsageError
from coset.options.catalogue import options_of
from coset.source.budget import Budget, OutOfBudget, installed, reporting

if TYPE_CHECKING:
    from coset.formats.dot import Diagram
    from coset.model.model import Model
    from coset.results.exploration import Exploration
    from coset.results.symmetry import SymmetryReport
    from coset.results.trace import Run
    from coset.results.verdict import Check
    from coset.source.diagnostics import Diagnostic
    from coset.views.html import Origin, Picture

FILES = ("html", "junit", "sarif", "trace", "svg")
LARGEST = 250
"""The most nodes and edges of a diagram; larger ones take Graphviz long and are unreadable."""


def refuse_unwritable(options: argparse.Namespace) -> None:
    """Refuse unwritable files before the search, not after it."""
    from pathlib import Path

    for name in FILES:
        output = getattr(options, name, None)
        if output is None:
            continue
        if Path(output).is_dir():
            raise UsageError(f"--{name} {output}: is a folder; expected a file")
        if not Path(output).parent.is_dir():
            raise UsageError(f"--{name} {output}: there is no folder {Path(output).parent}")


@reporting()
def write(model: Model, result: Check, runs: Mapping[str, Run], options: argparse.Namespace) -> None:
    """Write all requested files."""
    if options.html:
        put("html", options, html(model, result, runs, options))
    if options.junit:
        from coset.formats import junit
        from coset.views.lanes import lanes

        texts = {name: lanes(run, 120) for name, run in runs.items()}
        put("junit", options, junit.junit(result, options.file, texts))
    if options.sarif:
        from coset import __version__
        from coset.formats import json_output, sarif

        put("sarif", options, json_output.text(sarif.sarif(result, options.file, __version__, runs)) + "\n")


def write_rejected(diagnostics: Sequence[Diagnostic], options: argparse.Namespace) -> None:
    """Write the diagnostics of a model that cannot be loaded; servers show them at their lines."""
    from pathlib import Path

    from coset import __version__
    from coset.formats import json_output, junit, sarif

    if options.junit:
        put("junit", options, junit.rejected(Path(options.file).name, options.file, diagnostics))
    if options.sarif:
        put("sarif", options, json_output.text(sarif.rejected(options.file, __version__, diagnostics)) + "\n")


def put(name: str, options: argparse.Namespace, text: str) -> None:
    from pathlib import Path

    output = getattr(options, name)
    try:
        Path(output).write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise Missing(f"--{name} {output}: {error.strerror or error}") from None


# --- the page ------------------------------------------------------------------------------------


def html(model: Model, result: Check, runs: Mapping[str, Run], options: argparse.Namespace) -> str:
    from coset.views.html import page

    return page(result, runs, origin(model, options, settings(result.exploration, result.seconds, options)))


@reporting()
def write_exploration(model: Model, result: Exploration, options: argparse.Namespace) -> None:
    if options.html:
        from coset.views.html import exploration_page

        found = origin(model, options, settings(result, result.seconds, options))
        put("html", options, exploration_page(result, found))


@reporting()
def write_symmetry(model: Model | None, report: SymmetryReport, options: argparse.Namespace) -> None:
    """Write the page about symmetry.  `model` is None for a sequential model, which has no pictures."""
    if options.html:
        from coset.views.html import symmetry_page

        put("html", options, symmetry_page(report, origin(model, options, asked(options))))


def origin(model: Model | None, options: argparse.Namespace, told: Iterable[tuple[str, str]]) -> Origin:
    import platform
    import time

    from coset import __version__
    from coset.tasks import load as load_task
    from coset.views.html import Origin

    return Origin(
        load_task.read(options.file),
        shlex.join(["coset", *options.arguments]),
        dict(told),
        [] if model is None else list(pictures(model, options.budget)),
        f"Coset {__version__}, Python {platform.python_version()}, {time.strftime('%Y-%m-%d %H:%M %z')}",
    )


def settings(
    found: Exploration, seconds: Mapping[str, float], options: argparse.Namespace
) -> Iterator[tuple[str, str]]:
    """The options, the choices made by `auto`, and the resources used."""
    from coset.views.terminal import amount

    chosen = {"engine": found.engine, "symmetry": found.symmetry.method}
    chosen["representative"] = found.symmetry.representative or "none"
    for name, value in asked(options):
        yield name, f"{value} ({chosen[name]})" if value == "auto" and name in chosen else value
    yield "states", f"{found.states:,}"
    yield "transitions", f"{found.transitions:,}"
    yield "seconds", ", ".join(f"{name} {spent:.2f}" for name, spent in seconds.items())
    yield "memory", amount(found.peak_memory)


def asked(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The options and limits of the search, as they were given."""
    for each in options_of(options.command, "search", "limits"):
        value = getattr(options, each.attribute)
        if value is not None and value is not False:
            yield each.attribute.replace("_", " "), "yes" if value is True else str(value)
    if options.defines:
        yield "macros", ", ".join(f"{name}={value}" for name, value in options.defines)


def pictures(model: Model, budget: Budget) -> Iterator[Picture]:
    """The channel diagram and the automata, or the reasons why they are missing.  Unlike the rest of a report, they are
    subject to the limits of the command, as finding interchangeable processes may take long."""
    from coset.formats.automata import processes
    from coset.tasks import draw as drawing
    from coset.views.html import Picture

    diagrams: dict[str, Callable[[], Diagram]] = {
        "Processes, channels and shared variables": lambda: drawing.channels(model, shared_variables=True),
        "Automata": lambda: processes(model, model.kinds),
    }
    for title, diagram in diagrams.items():
        try:
            with installed(budget):
                budget.demand()
                picture = drawn(title, diagram())
            yield picture
        except drawing.Undrawable as reason:
            yield Picture(title, None, f"Not drawn: {reason}.")
        except OutOfBudget as limit:
            yield Picture(title, None, f"Not drawn: stopped at {limit}.")


def drawn(title: str, diagram: Diagram) -> Picture:
    """The picture of a diagram, by Graphviz."""
    from coset.formats.dot import NoGraphviz, dot, picture
    from coset.views.html import Picture

    size = sum(len(part.nodes) + len(part.arrows) for part in diagram.parts)
    if size > LARGEST:
        return Picture(title, None, f"Not drawn: {size:,} nodes and arrows are too many.")
    try:
        text = picture(dot(diagram), "svg").decode()
    except NoGraphviz as reason:
        return Picture(title, None, f"Not drawn: {reason}.")
    return Picture(title, text[text.index("<svg") :], "Drawn by Graphviz.")
