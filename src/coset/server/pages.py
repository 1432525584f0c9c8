"""The pages of the server: the models of a folder, one model, a running command, a failed one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import PurePosixPath
from urllib.parse import quote, urlencode

from coset.options.searching import SEARCHING
from coset.properties.kinds import BUILTIN
from coset.server.commands import COMMANDS, Field, Form, fields, first
from coset.server.folder import Entry, Folder
from coset.server.runs import Json, Run
from coset.source.printable import printable
from coset.source.text import Source
from coset.tasks.load import is_suite
from coset.views.html.parts import numbered


def document(title: str, body: Iterable[str], head: str = "") -> str:
    return printable(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n"
        '<link rel="stylesheet" href="/static/report.css">\n<link rel="stylesheet" href="/static/server.css">\n'
        f"{head}</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def bar(*links: tuple[str, str]) -> str:
    """The navigation bar at the top of every page."""
    shown = "".join(f'<a href="{escape(target)}">{escape(words)}</a>' for words, target in links)
    return f'<nav class="bar" aria-label="Coset"><a class="home" href="/">coset</a>{shown}</nav>'


# --- the folder ------------------------------------------------------------------------------------


def front(folder: Folder, runs: Sequence[Run]) -> str:
    """All models and all runs."""
    entries = list(folder.models())

    def body() -> Iterator[str]:
        yield bar()
        yield f"<h1>{escape(folder.root.name or str(folder.root))}</h1>"
        if runs:
            yield '<h2>Runs</h2>\n<ul class="runs">'
            yield from (f"<li>{linked(run)}</li>" for run in reversed(runs))
            yield "</ul>"
        yield "<h2>Models</h2>"
        if not entries:
            yield f"<p>There is no model in <code>{escape(str(folder.root))}</code>.</p>"
        for name, group in groupby(entries, key=lambda each: str(PurePosixPath(each.file).parent)):
            if name != ".":
                yield f"<h3>{escape(name)}</h3>"
            yield '<ul class="models">'
            yield from map(listed, group)
            yield "</ul>"

    return document(f"Coset: {folder.root.name}", body())


def listed(entry: Entry) -> str:
    name = PurePosixPath(entry.file).name
    return f'<li><a href="{escape(address(entry.file))}">{escape(name)}</a> <span>{escape(entry.summary)}</span></li>'


def linked(run: Run) -> str:
    return (
        f'<a href="/run/{run.number}"><code>{escape(run.command)}</code></a> '
        f'<span class="verdict {tone(run)}">{escape(run.outcome)}</span>'
    )


def tone(run: Run) -> str:
    """The colour of an outcome."""
    if run.outcome in ("holds", "violated", "unknown"):
        return run.outcome
    if run.status != "done":
        return "going"
    return "violated" if run.failure is not None and not run.cancelled else "neutral"


def address(file: str, form: Form | None = None) -> str:
    """The address of the page of a model, with its form filled in.

    >>> address("a b.pml", {"define": ["N=3"], "ltl": [""]})
    '/model?file=a%20b.pml&define=N%3D3'
    """
    filled = [(name, value) for name, values in (form or {}).items() for value in values if value and name != "file"]
    return "/model?" + urlencode([("file", file), *filled], quote_via=quote)


# --- a model ---------------------------------------------------------------------------------------


def model(source: Source, file: str, form: Form, told: Json) -> str:
    """The source with its diagnostics, and the form that starts a run."""
    failed = "error" in told
    found = told["diagnostics"] if failed else told["warnings"]

    def body() -> Iterator[str]:
        yield bar((file, address(file)))
        yield f"<h1>{escape(PurePosixPath(file).name)}</h1>"
        if failed:
            line = next((each["line"] for each in found if each["file"] == file and each["severity"] == "error"), None)
            where = "" if line is None else f', <a href="#line{line}">line {line}</a>'
            yield f'<p class="failed" role="alert">{escape(told["error"]["message"])}{where}</p>'
        yield '<div class="sides">'
        yield from start_form(file, form, [] if failed else [each["name"] for each in told["properties"]])
        yield f'<section class="text" aria-label="the text">\n{annotated(source, file, found)}\n</section>\n</div>'

    return document(f"{file}: Coset", body())


def annotated(source: Source, file: str, found: Sequence[Json]) -> str:
    """The source with numbered lines, and messages below their lines; messages without a line come first."""
    here: dict[int, list[Json]] = {}
    elsewhere = []
    for each in found:
        if each["line"] is not None and PurePosixPath(each["file"]) == PurePosixPath(file):
            here.setdefault(each["line"], []).append(each)
        else:
            elsewhere.append(each)
    rows = ""
    for place, line in enumerate(source.lines, 1):
        rows += numbered(place, line, ' class="marked"' if place in here else "")
        rows += "".join(map(remark, here.get(place, ())))
    return "".join(map(remark, elsewhere)) + f'<pre class="model">{rows}</pre>'


def remark(found: Json) -> str:
    """A diagnostic."""
    place = "" if found["file"] is None else f"{found['file']}:{found['line']}: "
    hint = "" if found["hint"] is None else f" ({found['hint']})"
    text = f"{place}{found['severity']}[{found['code']}]: {found['message']}{hint}"
    return f'<span class="remark {found["severity"]}">{escape(text)}</span>'


def start_form(file: str, form: Form, properties: Sequence[str]) -> Iterator[str]:
    """The form that starts a run.  The style sheet hides the fields that the selected command does not use."""
    chosen = first(form, "command") or "check"
    yield f'<form method="post" action="/run">\n{hidden(file)}'
    yield '<fieldset class="commands"><legend>command</legend>'
    for name, words in COMMANDS.items():
        checked = " checked" if name == chosen else ""
        yield f'<label><input type="radio" name="command" value="{name}"{checked}> {name}: {words}</label>'
    yield "</fieldset>"
    define, *others = fields()
    yield entry(define, form)
    names = [*properties, *(name for name in BUILTIN if not is_suite(file))]
    if names:
        yield f'<fieldset class="{" ".join(each for each in COMMANDS if each != "explore")}"><legend>properties (all)</legend>'
        for name in names:
            checked = " checked" if name in form.get("property", ()) else ""
            only = ' class="check"' if name in BUILTIN else ""
            yield f'<label{only}><input type="checkbox" name="property" value="{escape(name)}"{checked}> {escape(name)}</label>'
        yield "</fieldset>"
    yield from (entry(field, form) for field in others)
    yield (
        '<p class="buttons"><button type="submit" class="go">Run</button>'
        '<button type="submit" formmethod="get" formaction="/model">Reload</button></p>\n</form>'
    )


def hidden(file: str) -> str:
    """The hidden field with the file.  Names with control characters are encoded, as a page cannot contain them."""
    name, value = ("file", file) if file.isprintable() else ("encoded", quote(file))
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'


def entry(field: Field, form: Form) -> str:
    """A field with its label."""
    kinds, value, name = " ".join(field.commands), first(form, field.name), field.name
    if field.kind == "switch":
        checked = " checked" if value else ""
        return f'<label class="{kinds} switch"><input type="checkbox" name="{name}"{checked}> {field.label}</label>'
    if field.kind == "choice":
        options = "".join(f"<option{' selected' * (each == value)}>{each}</option>" for each in field.values)
        return f'<label class="{kinds}">{field.label} <select name="{name}">{options}</select></label>'
    mode = ' inputmode="numeric"' if field.kind == "number" else ""
    return (
        f'<label class="{kinds}">{field.label} <input name="{name}" value="{escape(value)}"{mode}'
        f' placeholder="{escape(field.example)}" autocomplete="off" spellcheck="false"></label>'
    )


# --- a run -----------------------------------------------------------------------------------------


def going(run: Run) -> str:
    """The page of a running command; a script updates the counts."""
    refresh = '<noscript><meta http-equiv="refresh" content="2"></noscript>\n'
    script = '<script src="/static/run.js" defer></script>\n'

    def body() -> Iterator[str]:
        yield bar((run.file, address(run.file, run.form)))
        yield f'<h1><span id="outcome">{run.outcome}</span></h1>\n<pre>{escape(run.command)}</pre>'
        yield f'<main id="run" data-state="/run/{run.number}/state">'
        yield '<progress id="bar" aria-label="how far the search is"></progress>'
        yield '<p id="told" aria-live="off"></p>\n<dl id="numbers"></dl>'
        yield f'<form method="post" action="/run/{run.number}/cancel"><button type="submit" class="go">Cancel</button></form>'
        if run.arguments[0] in SEARCHING:
            yield "<p>Cancelling keeps what was found so far. Cancelling twice ends the process.</p>"
        yield '<pre id="messages" hidden></pre>\n</main>'

    return document(f"{run.outcome}: {run.file}", body(), refresh + script)


def failed(run: Run, failure: Json) -> str:
    """The page of a failed command: the error, and all messages of the command."""
    error = failure["error"]

    def body() -> Iterator[str]:
        yield bar((run.file, address(run.file, run.form)))
        yield f'<h1>{escape(run.file)} <span class="verdict {tone(run)}">{escape(run.outcome)}</span></h1>'
        yield f'<p class="failed" role="alert">{escape(error["message"])}</p>\n<pre>{escape(run.command)}</pre>'
        yield from map(remark, failure["diagnostics"])
        if any(each["file"] == run.file for each in failure["diagnostics"]):
            yield f'<p><a href="{escape(address(run.file, run.form))}">Show it in the text</a></p>'
        if run.cancelled:
            yield from so_far(run)
        if run.messages and not failure["diagnostics"]:
            yield f"<h2>Messages</h2>\n<pre>{escape(chr(10).join(run.messages))}</pre>"
        if error["exit"] is not None:
            yield f"<p>Exit code {error['exit']}.</p>"

    return document(f"{run.outcome}: {run.file}", body())


def so_far(run: Run) -> Iterator[str]:
    """The progress of a search when it ended, from its last event."""
    if run.progress is not None:
        numbers = [f"{run.progress[name]:,} {name}" for name in ("states", "transitions") if name in run.progress]
        yield f"<p>The search had come to {' and '.join(numbers)}.</p>"


def interrupted(run: Run, result: Json) -> str:
    """The result of a command that was cancelled before it wrote its report."""

    def body() -> Iterator[str]:
        yield bar((run.file, address(run.file, run.form)))
        yield f'<h1>{escape(run.file)} <span class="verdict {tone(run)}">{escape(run.outcome)}</span></h1>'
        yield '<p class="failed">Cancelled: this is what was found so far.</p>'
        yield f"<pre>{escape(run.command)}</pre>"
        if "properties" in result:
            yield "<table><tr><th>property</th><th>kind</th><th>verdict</th></tr>"
            for each in result["properties"]:
                yield (
                    f"<tr><td>{escape(each['name'])}</td><td>{escape(each['kind'])}</td>"
                    f'<td><span class="verdict {escape(each["verdict"])}">{escape(each["verdict"])}</span></td></tr>'
                )
            yield "</table>"
        if "states" in result:
            yield f"<p>{result['states']:,} states and {result['transitions']:,} transitions.</p>"
        else:
            yield from so_far(run)

    return document(f"{run.outcome}: {run.file}", body())


def finished(run: Run, report: str) -> str:
    """The report that the command wrote, with the navigation bar and the messages of the command."""
    links = [(run.file, address(run.file, run.form)), ("save this page", f"/run/{run.number}/report")]
    top = bar(*links)
    if run.cancelled:
        top += '<p class="failed">Cancelled: this is what was found so far.</p>'
    if run.messages:
        text = escape("\n".join(run.messages))
        top += f"<details><summary>Messages</summary><pre>{text}</pre></details>"
    style = '<link rel="stylesheet" href="/static/server.css">\n</head>'
    return report.replace("</head>", style, 1).replace("<body>\n", f"<body>\n{printable(top)}\n", 1)


def refusal(title: str, words: str) -> str:
    return document(title, [bar(), f"<h1>{escape(title)}</h1>", f"<p>{escape(words)}</p>"])
