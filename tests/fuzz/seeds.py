"""What inputs are made from: models that are there, random programs, and what real runs have left."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.fuzz.case import MEMORY, Case
from tests.fuzz.run import run
from tests.support import (
    contention_random,
    csp_random,
    featured_networks,
    ids_random,
    promela_random,
    sequential_random,
    shared_random,
    symmetric_random,
)

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "models", ROOT / "tests" / "cases", ROOT.parent / "shared" / "found")
"""The last one is not everywhere."""
LARGEST = 20_000
RANDOM: dict[str, tuple[Callable[[int], str], ...]] = {
    ".pml": (
        promela_random.generate, ids_random.generate, symmetric_random.generate, symmetric_random.varied,
        contention_random.generate,
    ),
    ".csp": (csp_random.write,),
    ".seq": (lambda seed: sequential_random.random_model(random.Random(seed)),),
    ".spl": (shared_random.write,),
}  # fmt: skip
STEADY = 5
"""Random programs of each language that are used again and again, so that they are compiled once."""
TRACED = ("philosophers.pml", "philosophers.csp", "careless.spl", "tutorial/lock_1.pml", "load_balancer.pml")
PAUSED = (
    ("philosophers.pml", "packed"),
    ("peterson.pml", "states"),
    ("philosophers.csp", "fingerprints"),
    ("msi.spl", "bits"),
)


@dataclass(frozen=True)
class Stored:
    """What a command has left behind, and how it is used: `files` are beside those of the model, `options` come first."""

    model: str
    files: dict[str, bytes]
    options: tuple[str, ...] = ()


@dataclass(eq=False)
class Corpus:
    """All that inputs are made from; `texts` by the ends of file names."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    networks: list[dict[str, str]] = field(default_factory=list)

    @cache  # noqa: B019 (there is one of them)
    def steady(self, language: str) -> tuple[str, ...]:
        """Programs that are accepted, most of them small."""
        makers = RANDOM[language]
        made = [makers[number % len(makers)](number) for number in range(STEADY)]
        written = [path.read_text() for path in sorted((ROOT / "models").glob(f"*{language}"))]
        return (*made, *(text for text in written if len(text) < 1_600))

    def text(self, chance: random.Random, language: str) -> str:
        """A text of a language: one that is there, or a random program."""
        if language in RANDOM and chance.random() < 0.4:
            return chance.choice(RANDOM[language])(chance.randrange(1 << 30))
        return chance.choice(self.texts[language])

    def network(self, chance: random.Random) -> dict[str, str]:
        """A featured network: its files."""
        if chance.random() < 0.5:
            return dict(chance.choice(self.networks))
        with tempfile.TemporaryDirectory() as folder:
            return contents(featured_networks.written(chance, Path(folder) / "net"))


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


@cache
def corpus() -> Corpus:
    found = Corpus()
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*")):
            if path.suffix in RANDOM and path.stat().st_size < LARGEST:
                found.texts.setdefault(path.suffix, []).append(path.read_text("utf-8", "surrogateescape"))
    found.networks = [contents(path) for path in sorted((ROOT / "models" / "features").iterdir())]
    for network in found.networks:
        for name, text in network.items():
            found.texts.setdefault(os.path.splitext(name)[1], []).append(text)
    return found


def model(name: str) -> tuple[str, bytes]:
    """A model, under the name that inputs have for it."""
    path = ROOT / "models" / name
    return f"model{path.suffix}", path.read_bytes()


@cache
def traces() -> tuple[Stored, ...]:
    """Counterexamples of real runs."""
    found = []
    for name in TRACED:
        file, content = model(name)
        for form in (("--trace", "/dev/stdout"), ("--json",)):
            out = run(Case("setup", ("check", file, *form), {file: content}, seconds=60, memory=2 << 30)).out
            lines = [line for line in out.splitlines() if line.startswith("{")]
            if lines:
                found.append(Stored(file, {file: content, "trace.json": lines[0].encode()}))
    return tuple(found)


@cache
def checkpoints() -> tuple[Stored, ...]:
    """Searches that were stopped half-way."""
    found = []
    for name, storage in PAUSED:
        file, content = model(name)
        options = ("--engine", "explicit", "--storage", storage, *(("--bits", "18") if storage == "bits" else ()))
        with tempfile.TemporaryDirectory() as folder:
            saved = Path(folder) / "saved"
            stop = ("--max-states", "9", "--max-memory", str(MEMORY), "--checkpoint", str(saved))
            run(Case("setup", ("explore", file, *options, *stop), {file: content}, seconds=60, memory=2 << 30))
            files = {f"saved/{path.name}": path.read_bytes() for path in sorted(saved.iterdir())}
        found.append(Stored(file, {file: content, **files}, options))
    return tuple(found)
