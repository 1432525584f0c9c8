"""Makes inputs: the one with a number, of a seed, is always the same.

Half of them are broken early, in the text or on the command line.  The others keep a model that is accepted and change what
comes later: formulas, options, limits, traces, checkpoints, generators.  Those mostly reach the compiled engine, and the
models are few, so that compiling them is seldom what takes the time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tests.fuzz.arguments import commands, formula, has, options
from tests.fuzz.case import MEMORY, SECONDS, UNLIMITED_SECONDS, Case
from tests.fuzz.mutate import ODD, TOKENS, bytes_changed, json_changed, mutated
from tests.fuzz.seeds import checkpoints, corpus, traces

STATES = ("50", "500", "3000")
ANSWERS = (b"0", b"1", b"2", b"", b"q", b"-1", b"\xff", b"9" * 50)
"""To `simulate --interactive`."""
PLACES = ("", ".", "missing.pml", "/dev/null", "/dev/zero", "net", "model.xyz", "-", "--", "model.pml\n", "/dev/full")
"""In the place of a model."""
CYCLES = ("(1 2)", "(0 1)(2 3)", "(box_1 box_2)", "(1 2)(box_1 box_2)", "(0 1 2 3)", "()", "# none", "(1 1)", "(1 2")
ALONE = 0.01
"""The part of the inputs that a new interpreter runs."""
Maker = Callable[[random.Random], Case]


def make(seed: int, number: int) -> Case:
    """Input `number` of a seed."""
    chance = random.Random(f"{seed} {number}")
    case = chance.choices(MAKERS, SHARES)[0](chance)
    return case if chance.random() > ALONE else Case(**{**vars(case), "by_itself": True})


def names_in(text: str) -> list[str]:
    """Some of the names in a text, for what formulas and options speak of: those of variables come more often."""
    code = re.sub(r"/\*.*?\*/|//.*", " ", text[:8000], flags=re.DOTALL if "/*" in text else 0)
    declared = re.findall(r"(?:bit|bool|byte|short|int|var|local|global|,)\s+(\w+)", code)
    return (sorted(set(declared)) * 3 + sorted(set(re.findall(r"[A-Za-z_]\w*", code))))[:60]


def limited(command: tuple[str, ...], arguments: list[str], chance: random.Random) -> tuple[list[str], float]:
    """The arguments with limits after all others, and the seconds that the command may take then."""
    if not has(command, "--max-seconds"):
        return arguments, UNLIMITED_SECONDS
    seconds = SECONDS if chance.random() < 0.95 else 0.3
    if has(command, "--max-states") and command != ("draw",) and "symbolic" not in arguments and chance.random() < 0.85:
        arguments = [*arguments, "--max-states", chance.choice(STATES)]
    return [*arguments, "--max-seconds", f"{seconds:g}", "--max-memory", str(MEMORY)], seconds


def engine(chance: random.Random, share: float = 0.65) -> list[str]:
    """An engine for a search: usually the compiled one."""
    if chance.random() < share:
        return ["--engine", "explicit", *(["--threads", "2"] if chance.random() < 0.1 else [])]
    return chance.choice(([], ["--engine", "reference"], ["--engine", "symbolic"]))


def on_model(chance: random.Random, kind: str, text: bytes, language: str, names: list[str], tame: bool = True) -> Case:
    """Some command on a model."""
    names_of_commands = ("check", "explore", "symmetry", "prove", "simulate", "draw", "show")
    command = (chance.choices(names_of_commands, (50, 20, 8, 14 if language == ".spl" else 4, 6, 6, 4))[0],)
    file = f"model{language}"
    arguments = [*command, file, *options(chance, command, names, 3, tame, language)]
    if has(command, "--engine"):
        arguments += engine(chance)
    arguments, seconds = limited(command, arguments, chance)
    stdin = b"\n".join(chance.choice(ANSWERS) for _ in range(9))
    return Case(kind, tuple(arguments), {file: text}, stdin, seconds)


def broken_text(language: str) -> Maker:
    """A text of a language, mutated."""

    def made(chance: random.Random) -> Case:
        text = corpus().text(chance, language)
        changed = mutated(chance, text, language, corpus().texts[language], chance.choice((1, 2, 6)))
        return on_model(chance, language[1:], changed, language, names_in(text))

    return made


def tweaked(chance: random.Random) -> Case:
    """A random program in which one token is another of the same sort: most are accepted."""
    language = chance.choices((".pml", ".csp", ".seq", ".spl"), (4, 2, 1, 2))[0]
    text = corpus().text(chance, language)
    words = TOKENS.findall(text)
    sort = chance.choice((r"\d", r"[a-z_]\d?", r"[<>+*&|-]"))  # names of one letter are those of variables
    found = [at for at, word in enumerate(words) if re.fullmatch(sort, word)]
    if found:
        words[chance.choice(found)] = words[chance.choice(found)]
    return on_model(chance, "tweaked", "".join(words).encode("utf-8", "surrogateescape"), language, names_in(text))


def asked(chance: random.Random) -> Case:
    """A model that is accepted, with options; these reach the engines."""
    language = chance.choices((".pml", ".csp", ".seq", ".spl"), (4, 2, 1, 2))[0]
    text = chance.choice(corpus().steady(language))
    command = (chance.choice(("check", "check", "explore")),)
    file = f"model{language}"
    arguments = [*command, file, *options(chance, command, names_in(text), 4, True, language), *engine(chance, 0.9)]
    arguments, seconds = limited(command, arguments, chance)
    return Case("options", tuple(arguments), {file: text.encode()}, seconds=seconds)


def formulas(chance: random.Random) -> Case:
    """Formulas on the command line."""
    language = chance.choices((".pml", ".spl", ".csp", ".seq"), (12, 2, 1, 1))[0]
    text = chance.choice(corpus().steady(language))
    command = (chance.choice(("check", "check", "check", "symmetry", "draw")),)
    file = f"model{language}"
    arguments = [*command, file]
    for _ in range(chance.choice((1, 1, 2))):
        branching = has(command, "--ctl") and chance.random() < 0.5
        written = formula(chance, names_in(text), branching).replace("\0", "")
        arguments.append(f"--{'ctl' if branching else 'ltl'}={written}")
    if command == ("draw",):
        arguments += ["--what", "property"]
    if has(command, "--engine"):
        arguments += [*engine(chance, 0.5), *options(chance, command, names_in(text), 1, tame=True)]
    arguments, seconds = limited(command, arguments, chance)
    return Case("formulas", tuple(arguments), {file: text.encode()}, seconds=seconds)


def values(chance: random.Random) -> Case:
    """Any value for any option of any command."""
    language = chance.choice((".pml", ".csp", ".seq", ".spl"))
    text = chance.choice(corpus().steady(language))
    command = chance.choice(sorted(commands()))
    files = {f"model{language}": text.encode()}
    what = [f"model{language}"]
    if command[0] == "features":
        files |= {f"net/{name}": content.encode() for name, content in corpus().network(chance).items()}
        what = ["net"]
    elif command == ("doctor",):
        what = []
    if chance.random() < 0.1:
        what = [chance.choice(PLACES)]
    if command == ("replay",):
        what.append(chance.choice(("-", "trace.json", f"model{language}", "", ".", "/dev/null", "/dev/zero")))
        files["trace.json"] = chance.choice(traces()).files["trace.json"]
    arguments = [*command, *what, *options(chance, command, names_in(text), 5)]
    arguments, seconds = limited(command, arguments, chance)
    return Case("values", tuple(arguments), files, b"1\nx\n", seconds)


def words(chance: random.Random) -> Case:
    """Words that are hardly a command line."""
    known = [word for command in sorted(commands()) for word in command] + [
        "model.pml",
        "--json",
        "--help",
        "--version",
    ]
    found = [
        chance.choice((*known, "--", "-", "", "--x", "-D", "--completion", *ODD)).replace("\0", "") for _ in range(4)
    ]
    text = chance.choice(corpus().steady(".pml"))
    command = chance.choice(sorted(commands()))
    if chance.random() < 0.5:
        found = [*command, *found]
    return Case("words", tuple(found), {"model.pml": text.encode()}, seconds=UNLIMITED_SECONDS)


def replays(chance: random.Random) -> Case:
    """A trace that a real run has left, changed, or with another model."""
    stored = chance.choice(traces())
    files = dict(stored.files)
    document = files["trace.json"].decode()
    if chance.random() < 0.75:
        files["trace.json"] = json_changed(chance, document)
    else:
        files["trace.json"] = mutated(chance, document, ".json", [document])
    if chance.random() < 0.1:
        language = stored.model[-4:]
        files[stored.model] = mutated(chance, files[stored.model].decode(), language, corpus().texts[language])
    arguments = ["replay", stored.model, "trace.json", *options(chance, ("replay",), [], 2, True, stored.model[-4:])]
    arguments, seconds = limited(("replay",), arguments, chance)
    return Case("traces", tuple(arguments), files, seconds=seconds)


def resumed(chance: random.Random) -> Case:
    """A checkpoint of a real run, changed."""
    stored = chance.choice(checkpoints())
    files = dict(stored.files)
    target = chance.choice([name for name in files if name.startswith("saved/")])
    match chance.randrange(8):
        case 0:
            del files[target]
        case 1:
            files["saved/checkpoint.json"] = json_changed(chance, files["saved/checkpoint.json"].decode())
        case 2:
            pass
        case _:
            target = next(name for name in files if name.endswith(".search"))
            files[target] = bytes_changed(chance, files[target])
    arguments = ["explore", stored.model, *stored.options, "--checkpoint", "saved", "--resume"]
    arguments += options(chance, ("explore",), [], 1, tame=True) if chance.random() < 0.3 else []
    return Case("checkpoints", (*arguments, "--max-seconds", f"{SECONDS:g}", "--max-memory", str(MEMORY)), files)


def generators(chance: random.Random) -> Case:
    """Symmetries that are given."""
    text = chance.choice(corpus().steady(".pml"))
    lines = chance.choice(CYCLES)
    names = names_in(text)
    lines += "".join(f"\n({chance.choice(names)} {chance.choice(names)})" for _ in range(chance.randrange(3)))
    given = lines.encode() if chance.random() < 0.3 else mutated(chance, lines, ".txt", [lines])
    files = {"model.pml": text.encode(), "given.txt": given}
    arguments = [
        "symmetry",
        "model.pml",
        "--generators",
        "given.txt",
        *options(chance, ("symmetry",), names, 2, tame=True),
    ]
    arguments, seconds = limited(("symmetry",), arguments, chance)
    return Case("generators", tuple(arguments), files, seconds=seconds)


def featured(chance: random.Random) -> Case:
    """A featured network, with a file that is changed."""
    network = corpus().network(chance)
    files = {f"net/{name}": content.encode() for name, content in network.items()}
    if chance.random() < 0.8:
        name = chance.choice(sorted(network))
        end = f".{name.rpartition('.')[2]}"
        files[f"net/{name}"] = mutated(chance, network[name], end, corpus().texts[end], 3)
    action = chance.choices(("generate", "diagram", "interactions", "prove"), (4, 3, 1, 2))[0]
    command = ("features", action)
    words = sorted({word for content in network.values() for word in re.findall(r"[A-Z]\w+", content)})
    arguments = [*command, "net", *options(chance, command, words, 3, tame=True)]
    arguments, seconds = limited(command, arguments, chance)
    return Case("features", tuple(arguments), files, seconds=seconds)


TABLE: tuple[tuple[Maker, float], ...] = (
    (broken_text(".pml"), 16),
    (broken_text(".csp"), 9),
    (broken_text(".seq"), 6),
    (broken_text(".spl"), 8),
    (tweaked, 14),
    (asked, 64),
    (formulas, 7),
    (values, 5),
    (words, 2),
    (replays, 8),
    (resumed, 14),
    (generators, 2),
    (featured, 4),
)
MAKERS = [maker for maker, _ in TABLE]
SHARES = [share for _, share in TABLE]
