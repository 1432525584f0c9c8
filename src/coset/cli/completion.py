"""Completion scripts for shells, generated from the descriptions in `coset.options`.

source <(coset --completion bash)      also zsh; in fish: coset --completion fish | source
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from coset.options.catalogue import options_of
from coset.options.commands import COMMANDS, GROUPS
from coset.options.option import Option
from coset.source.records import dataclass

FILES = ("FILE", "OUT", "DIR", "TRACE")
"""The metavariables for file names in help texts."""


@dataclass(frozen=True, slots=True)
class Level:
    """What may follow the commands in `path`: further commands with their help, and options."""

    path: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    options: tuple[Option, ...]


def levels() -> Iterator[Level]:
    """The levels of the command line and of its commands, from the top."""
    for name in ("", *(command.name for command in COMMANDS)):
        below = (
            [command for command in COMMANDS if command.name.rpartition(" ")[0] == name]
            if name in ("", *GROUPS)
            else []
        )
        options = tuple(option for option in options_of(name) if option.flags)
        yield Level(
            tuple(name.split()),
            tuple((command.name.rpartition(" ")[2], command.summary) for command in below),
            options,
        )


def script(shell: str) -> str:
    """The completion script for a shell."""
    return "".join(f"{line}\n" for line in WRITERS[shell](list(levels())))


# --- bash and zsh: a function that looks at the words before the one to be completed -----------------


def walk(found: list[Level]) -> Iterator[str]:
    """A `case` that follows the commands in `$each` down to the level `$at`."""
    yield '        case "$at/$each" in'
    for level in found[1:]:
        yield f"            {shlex.quote('/'.join(('', *level.path)))}) at={shlex.quote('/'.join(('', *level.path)))} ;;"
    yield "        esac"


def values(found: list[Level], add: str, files: str) -> Iterator[str]:
    """A `case` on the previous word: after an option that takes a value, only values are offered."""
    yield '    case "$at $before" in'
    for level in found:
        at = "/".join(("", *level.path)) if level.path else ""
        for each in level.options:
            if each.value:
                patterns = "|".join(shlex.quote(f"{at} {name}") for name in each.flags)
                action = add.format(" ".join(each.names)) if each.names else files if each.value in FILES else ":"
                yield f"        {patterns}) {action}; return ;;"
    yield "    esac"


def bash(found: list[Level]) -> Iterator[str]:
    """The script for bash, which offers file names if there are no other candidates."""
    yield from (
        "_coset() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" at= each',
    )
    yield "    COMPREPLY=()"
    yield '    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield from walk(found)
    yield "    done"
    yield from values(found, 'COMPREPLY=($(compgen -W "{}" -- "$word"))', ":")
    yield '    case "$at" in'
    for level in found:
        options = " ".join(name for each in level.options for name in each.flags)
        commands = " ".join(name for name, _ in level.commands)
        words = f'if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "{options}" -- "$word"))'
        words += f'; else COMPREPLY=($(compgen -W "{commands}" -- "$word"))' if commands else ""
        yield f"        {shlex.quote('/'.join(('', *level.path)) if level.path else '')}) {words}; fi ;;"
    yield from ("    esac", "}", "complete -o bashdefault -o default -F _coset coset")


def zsh(found: list[Level]) -> Iterator[str]:
    yield from ("#compdef coset", "_coset() {", '    local before="${words[CURRENT-1]}" at= each')
    yield "    local -a found"
    yield '    for each in "${(@)words[2,CURRENT-1]}"; do'
    yield from walk(found)
    yield "    done"
    yield from values(found, "compadd -- {}", "_files")
    yield '    case "$at" in'
    for level in found:
        at = shlex.quote("/".join(("", *level.path)) if level.path else "")
        options = " ".join(described(name, each.text) for each in level.options for name in each.flags)
        commands = " ".join(described(*each) for each in level.commands)
        yield f"        {at})"
        yield f"            if [[ $PREFIX == -* ]]; then found=({options}); _describe -o option found"
        yield (
            f"            else found=({commands}); _describe command found; fi ;;"
            if commands
            else "            else _files; fi ;;"
        )
    yield from (
        "    esac",
        "}",
        "(( $+functions[compdef] )) || { autoload -U compinit && compinit }",
        "compdef _coset coset",
    )


def described(name: str, text: str) -> str:
    """A word with its description, in the format of zsh.

    >>> described("--json", "one object: all")
    "'--json:one object\\\\: all'"
    """
    return shlex.quote(f"{name}:{text.replace(':', chr(92) + ':')}")


# --- fish: one line for each option --------------------------------------------------------------------


def fish(found: list[Level]) -> Iterator[str]:
    yield "complete -c coset -f"
    for level in found:
        where = condition(level)
        for name, text in level.commands:
            yield f"complete -c coset -n {where} -f -a {name} -d {fish_quoted(text)}"
        if not level.commands:
            yield f"complete -c coset -n {where} -F"
        for each in level.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in each.flags)
            if not each.value:
                takes = ""
            elif each.names:
                takes = f" -x -a {fish_quoted(' '.join(each.names))}"
            else:
                takes = " -r -F" if each.value in FILES else " -x"
            yield f"complete -c coset -n {where} {names}{takes} -d {fish_quoted(each.text)}"


def condition(level: Level) -> str:
    """The condition that the words so far lead to the level."""
    seen = [f"__fish_seen_subcommand_from {name}" for name in level.path]
    if level.commands:
        below = " ".join(name for name, _ in level.commands)
        seen.append(f"not __fish_seen_subcommand_from {below}")
    return fish_quoted("; and ".join(seen))


def fish_quoted(text: str) -> str:
    r"""
    >>> print(fish_quoted("don't"))
    'don\'t'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


WRITERS: dict[str, Callable[[list[Level]], Iterator[str]]] = {"bash": bash, "zsh": zsh, "fish": fish}
