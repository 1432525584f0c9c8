"""Writes docs/commands.md: every command with its arguments and options, from their descriptions in `coset.options`.

python scripts/commands_page.py            write the page
python scripts/commands_page.py --check    only say whether it is up to date (exit code 1 if not)
"""

from __future__ import annotations

import re
import sys

from page import finish, table

from coset.options.catalogue import SECTIONS, options_of
from coset.options.commands import COMMANDS
from coset.options.option import Command, Option

HEAD = """\
# Commands and options

Every command of `coset`. This page is made from the descriptions of the options by `make docs`; do not edit it.
The output of `--json` is described in [JSON](json.md).

Exit codes of all commands: 0 done or holds, 1 violated, 2 bad input or usage, 3 inconclusive (a limit was reached, not known),
4 environment (something outside is missing), 70 internal error, 130 interrupted.
"""


def section(command: Command) -> str:
    """One command."""
    options = listed(command.name)
    arguments = options_of(command.name, "arguments")
    words = ["coset", command.name, *(each.value for each in arguments)]
    words += ["[options]"] if options else ["ACTION"]
    parts = [f"## coset {command.name}\n", f"`{' '.join(words)}`\n", f"{prose(command.description)}\n"]
    parts += [table(("argument", ""), ((f"`{each.value}`", prose(each.text)) for each in arguments))]
    parts += [table(("option", ""), ((spelt(each), prose(each.text)) for each in options))]
    return "\n".join(part for part in parts if part)


def listed(command: str) -> list[Option]:
    """The options of a command, without the one that all have."""
    sections = [name for name in SECTIONS if name != "arguments"]
    return [each for each in options_of(command, *sections) if "--help" not in each.flags]


def spelt(option: Option) -> str:
    """An option as it is written, with its values if these are a few names.

    >>> spelt(Option(("-o", "--out"), (), "", "FILE")), spelt(Option(("--open",), (), ""))
    ('`-o`, `--out FILE`', '`--open`')
    """
    value = f" {'|'.join(option.names) or option.value}" if option.value else ""
    *names, last = option.flags
    return ", ".join([*(f"`{name}`" for name in names), f"`{last}{value}`"])


def prose(text: str) -> str:
    """Text of the help as Markdown: options as code, nothing taken for a tag or a link.

    >>> prose("with --ltl 'x' all [a] of <b> `--c`")
    "with `--ltl` 'x' all \\\\[a\\\\] of \\\\<b\\\\> `--c`"
    """
    pieces = re.split(r"(`[^`]*`)", " ".join(text.split()))
    for number in range(0, len(pieces), 2):
        piece = re.sub(r"([\[\]<>*_])", r"\\\1", pieces[number])
        pieces[number] = re.sub(r"(?<![\w`-])(--?[a-zA-Z][a-z-]*)", r"`\1`", piece)
    return "".join(pieces)


def page() -> str:
    """The text of the page."""
    contents = table(
        ("command", ""),
        (
            (f"[`coset {each.name}`](#{f'coset {each.name}'.replace(' ', '-')})", prose(each.summary))
            for each in COMMANDS
        ),
    )
    own = table(("option of `coset` itself", ""), ((spelt(each), prose(each.text)) for each in listed("")))
    return "\n".join([HEAD, contents, own, *map(section, COMMANDS)])


if __name__ == "__main__":
    sys.exit(finish("commands.md", page()))
