"""Checkpoints that were damaged: refused, or the result is right; never a wrong count, never a crash."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from pathlib import Path

import pytest

import coset
from coset.engines.explicit import engine, safety
from coset.engines.explicit.checkpoint import NOTE, CheckpointError, prepare
from coset.engines.explicit.seam import Error, Stop
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.source.budget import Limits
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support.paths import MODELS

BLOCK = (1 << 20) + 8
FIELDS = [
    *("magic", "version", "size", "identity", "state_size", "storage", "seed", "bytes", "digest"),
    *("finished", "states", "transitions", *(f"errors {k}" for k in range(Error.COUNT)), "depth"),
    *("represents low", "represents high", "number_count", "half_count", "places", "keys", "bit_words"),
    *("has_parents", "left", "found", "checksum"),
]
"""`struct header` of checkpoint.c."""
HEADER = 8 * len(FIELDS)
Figures = tuple[object, ...]


def philosophers(n: int) -> Model:
    return coset.load(MODELS / "philosophers.pml", defines={"N": str(n)})


@dataclass(frozen=True)
class Case:
    """A search that is stopped and goes on."""

    name: str
    size: int = 8
    storage: str = "packed"
    stop_at: int = 0
    symmetry: bool = False


CASES = {
    case.name: case
    for case in (
        Case("packed"),
        Case("whole", 4),
        Case("states", storage="states"),
        Case("fingerprints", storage="fingerprints"),
        Case("bits", storage="bits"),
        Case("error", stop_at=1 << Error.END),
        Case("symmetry", 9, symmetry=True),
    )
}


class Paused:
    """A case whose search was stopped twice: at a checkpoint, and at an older one."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder = case, folder
        model = philosophers(case.size)
        self.settings = Settings(storage=case.storage, log_bits=22, checkpoints=Checkpoints(folder, 1000.0, True))
        symmetry = plan(detect(model)) if case.symmetry else None
        self.engine = engine.Engine(model, settings=self.settings, symmetry=symmetry)
        self.compiled = self.engine.compiled()
        self.whole = self.figures()
        for file in folder.glob("*.search"):
            file.unlink()
        self.older, self.data = self.stopped(3), self.stopped(2)
        [self.file] = folder.glob("*.search")
        self.file.write_bytes(self.data)
        assert self.figures() == self.whole, "it does not go on"

    def stopped(self, part: int) -> bytes:
        self.engine.limits = Limits(states=int(str(self.whole[1])) // part)
        self.figures()
        self.engine.limits = Limits()
        [file] = self.folder.glob("*.search")
        return file.read_bytes()

    def figures(self) -> Figures:
        """From the file that is there."""
        result, _ = safety.search_once(self.engine, self.compiled, self.case.stop_at, show=True)
        if result.stopped == Stop.OVERFLOW:
            self.engine.widen(self.compiled, result)
            self.compiled = self.engine.compiled()
            return self.figures()
        return (result.stopped, result.states, result.transitions, result.depth, tuple(result.errors), tuple(result.represents),
                result.error_kind)  # fmt: skip

    def refuses(self, data: bytes) -> bool:
        """Whether it refuses these bytes; if not, the result must be right."""
        self.file.write_bytes(data)
        try:
            found = self.figures()
        except CheckpointError as error:
            assert str(self.file) in str(error) and ("delete this file" in str(error) or "more memory" in str(error))
            return True
        assert found == self.whole
        return False


@pytest.fixture(scope="module", params=CASES)
def paused(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Paused:
    return Paused(CASES[request.param], tmp_path_factory.mktemp(request.param))


# --- damage ---------------------------------------------------------------------------------------------------------


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def blocks(data: bytes) -> list[bytes]:
    return [data[k : k + BLOCK] for k in range(HEADER, len(data), BLOCK)]


def damaged(data: bytes, older: bytes, choose: random.Random) -> bytes:
    """The bytes of a file with one of the things that happen to files."""
    at, parts = choose.randrange(len(data)), blocks(data)
    few = choose.randrange(HEADER)
    match choose.randrange(12):
        case 0:
            return flipped(data, at, choose.randrange(8))
        case 1:
            return flipped(data, few, choose.randrange(8))
        case 2:
            for _ in range(choose.randrange(2, 20)):
                data = flipped(data, choose.randrange(len(data)), choose.randrange(8))
            return data
        case 3:
            return data[:at]
        case 4:
            return data[: choose.choice([0, 8, HEADER - 8, HEADER, *range(HEADER, len(data), BLOCK)])]
        case 5:
            return data + choose.choice([b"\0", bytes(8), data[:HEADER], parts[-1], choose.randbytes(100)])
        case 6:
            a, b = choose.randrange(len(parts)), choose.randrange(len(parts))
            parts[a], parts[b] = parts[b], parts[a]
            return data[:HEADER] + b"".join(parts)
        case 7:
            length = choose.choice([1, 8, 512, 4096, len(data)])
            return data[:at] + bytes(min(length, len(data) - at)) + data[at + length :]
        case 8:  # a file system that has kept part of an older file
            return data[:at] + older[at:]
        case 9:
            return older[:HEADER] + data[HEADER:]
        case 10:
            k = choose.randrange(len(parts))
            others = blocks(older)
            parts[k] = others[min(k, len(others) - 1)]
            return data[:HEADER] + b"".join(parts)
        case _:
            other = choose.randrange(len(data))
            return data[:at] + data[other : other + 512] + data[at + 512 :]


def check_damage(paused: Paused, times: int, seed: int) -> None:
    choose = random.Random(seed)
    refused = 0
    for _ in range(times):
        data = damaged(paused.data, paused.older, choose)
        if data not in (paused.data, paused.older):
            assert paused.refuses(data)
            refused += 1
    assert refused > times // 2


def test_damage(paused: Paused) -> None:
    check_damage(paused, 15, seed=len(paused.data))


@pytest.mark.long
def test_much_damage(paused: Paused) -> None:
    check_damage(paused, 150, seed=1)


def test_every_part_of_the_header(paused: Paused) -> None:
    """One bit of each byte."""
    for at in range(0, HEADER, 7):
        assert paused.refuses(flipped(paused.data, at, at % 8))


# --- forged sizes ---------------------------------------------------------------------------------------------------


def fold(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & (1 << 64) - 1


def checksum(words: list[int]) -> int:
    """`hash_bytes` of hash.h."""
    h = 0x9E3779B97F4A7C15
    for k in range(0, len(words) - 1, 2):
        h = fold(words[k] ^ h, words[k + 1] ^ 0xA0761D6478BD642F)
    if len(words) % 2:
        h = fold(words[-1] ^ h, 0xE7037ED1A0B428DB)
    return fold(h ^ 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)


COUNTERS = {
    "transitions",
    "depth",
    "represents low",
    "represents high",
    *(f"errors {k}" for k in range(Error.COUNT)),
}
"""What no other part of the file says, so that only the checksum tells."""


def test_sizes_are_compared_with_the_file(paused: Paused) -> None:
    """Even with the right checksum."""
    words = list(struct.unpack(f"<{len(FIELDS)}Q", paused.data[:HEADER]))
    assert checksum(words[:-1]) == words[-1], "this is not the header of checkpoint.c"
    unseen = COUNTERS | {"checksum"} | ({"states"} if paused.case.storage == "bits" else set())
    for k, field in enumerate(FIELDS):
        values = {0, 1, words[k] + 1, words[k] + 8, 2 * words[k], 1 << 40, 1 << 63, (1 << 64) - 1} - {words[k]}
        for value in values if field not in unseen else ():
            forged = [*words[:k], value % (1 << 64), *words[k + 1 : -1]]
            paused.refuses(struct.pack(f"<{len(FIELDS)}Q", *forged, checksum(forged)) + paused.data[HEADER:])


# --- the note -------------------------------------------------------------------------------------------------------


def test_damage_to_the_note(tmp_path: Path) -> None:
    model = philosophers(4)
    settings = Settings(checkpoints=Checkpoints(tmp_path))
    prepare(model, settings).__exit__()
    note = tmp_path / NOTE
    data, choose = note.read_bytes(), random.Random(0)
    again = Settings(checkpoints=Checkpoints(tmp_path, resume=True))
    harmless = 0
    for _ in range(200):
        at = choose.randrange(len(data))
        note.write_bytes(
            choose.choice([flipped(data, at, choose.randrange(8)), data[:at], data[:at] + bytes(9), b"[" * 9999])
        )
        try:
            prepare(model, again).__exit__()
            harmless += 1  # white space, or a number that is written in another way
        except CheckpointError:
            pass
    assert harmless < 20
