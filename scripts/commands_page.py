"""Writes docs/commands.md: every command with its arguments and options, from the parser of the command line.

python scripts/commands_page.py            write the page
python scripts/commands_page.py --check    only say whether it is up to date (exit code 1 if not)
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from page import finish, table

from coset.cli import parser
from coset.cli.options import Choice

HEAD = """\
# Commands and options

Every command of `coset`. This page is made from the command line's own parser by `make docs`; do not edit it.
The output of `--json` is described in [JSON](json.md).

Exit codes of all commands: 0 done or holds, 1 violated, 2 bad input or usage, 3 inconclusive (a limit was reached, not known),
4 environment (something outside is missing), 70 internal error, 130 interrupted.
"""


def commands(
    found: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, argparse.ArgumentParser]]:
    """Each command by its words, with the sentence that its parent has on it."""
    for action in found._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._choices_actions}
            for name, child in action.choices.items():
                yield (*path, name), helps.get(name, ""), child
                yield from commands(child, (*path, name))


def section(path: tuple[str, ...], summary: str, found: argparse.ArgumentParser) -> str:
    """One command."""
    arguments = [each for each in found._actions if not each.option_strings]
    options = [each for each in found._actions if each.option_strings and each.dest != "help"]
    words = ["coset", *path, *(str(each.metavar) for each in arguments), *(["[options]"] if options else [])]
    text = found.description or f"{summary[:1].upper()}{summary[1:]}."
    parts = [f"## coset {' '.join(path)}\n", f"`{' '.join(words)}`\n", f"{prose(text)}\n"]
    plain = [each for each in arguments if not isinstance(each, argparse._SubParsersAction)]
    parts += [table(("argument", ""), ((f"`{each.metavar}`", prose(each.help or "")) for each in plain))]
    parts += [table(("option", ""), ((spelt(each), prose(each.help or "")) for each in options))]
    return "\n".join(part for part in parts if part)


def spelt(action: argparse.Action) -> str:
    """An option as it is written, with its values if these are a few names.

    >>> spelt(argparse.ArgumentParser().add_argument("-o", "--out", metavar="FILE"))
    '`-o`, `--out FILE`'
    """
    value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
    if isinstance(action.type, Choice):
        value = " " + "|".join(action.type.available)
    *names, last = action.option_strings
    return ", ".join([*(f"`{name}`" for name in names), f"`{last}{value}`"])


def prose(text: str) -> str:
    """Text of the help as Markdown: options as code, nothing taken for a tag or a link.

    >>> prose("with --ltl 'x' all [a] of <b> `--c`")
    "with `--ltl` 'x' all \\\\[a\\\\] of \\\\<b\\\\> `--c`"
    """
    pieces = re.split(r"(`[^`]*`)", " ".join(text.replace("%%", "%").split()))
    for number in range(0, len(pieces), 2):
        piece = re.sub(r"([\[\]<>*_])", r"\\\1", pieces[number])
        pieces[number] = re.sub(r"(?<![\w`-])(--?[a-zA-Z][a-z-]*)", r"`\1`", piece)
    return "".join(pieces)


def page() -> str:
    """The text of the page."""
    whole = parser()
    listed = table(
        ("command", ""),
        (
            (f"[`coset {' '.join(path)}`](#{'-'.join(('coset', *path))})", prose(summary))
            for path, summary, _ in commands(whole)
        ),
    )
    alone = [each for each in whole._actions if each.option_strings and each.dest != "help"]
    own = table(("option of `coset` itself", ""), ((spelt(each), prose(each.help or "")) for each in alone))
    return "\n".join([HEAD, listed, own, *(section(*each) for each in commands(whole))])


if __name__ == "__main__":
    sys.exit(finish("commands.md", page()))
