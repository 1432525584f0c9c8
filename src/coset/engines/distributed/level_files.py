"""The states of a level that one process has, as a file: a checkpoint, and where runs to errors are found.

    header | for each partition that has states: its number, a checksum, how many | checksum of both | the packed states

The states are ordered by partitions, so that a process that takes over some of them reads no others.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from coset.source.records import dataclass

MAGIC = b"COSETLVL"
VERSION = 1
HEADER = struct.Struct("<8sIIQQI")
ENTRY = struct.Struct("<IIQ")
SUM = struct.Struct("<I")


class DamagedLevel(Exception):
    """A file that is not what was written."""


@dataclass(frozen=True, slots=True)
class Part:
    """The states of a partition: how many, and where they are in the file."""

    partition: int
    count: int
    at: int
    checksum: int


def write_level(
    path: Path, identity: int, key_size: int, keys: memoryview, begins: Sequence[int], durable: bool
) -> None:
    """Write the states of a level; those of partition `p` begin at number `begins[p]`."""
    entries = bytearray()
    for partition, (begin, end) in enumerate(pairwise(begins)):
        if begin < end:
            checksum = zlib.crc32(keys[begin * key_size : end * key_size])
            entries += ENTRY.pack(partition, checksum, end - begin)
    head = HEADER.pack(MAGIC, VERSION, key_size, identity, begins[-1], len(entries) // ENTRY.size) + entries
    with open(path, "wb") as file:
        file.write(head + SUM.pack(zlib.crc32(head)))
        file.write(keys)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def parts_of(path: Path, identity: int, key_size: int) -> list[Part]:
    """What a file has; raises `DamagedLevel` if it is damaged or of another search."""
    with open(path, "rb") as file:
        head = file.read(HEADER.size)
        if len(head) < HEADER.size:
            raise DamagedLevel(f"{path} is not complete")
        magic, version, size, search, count, partitions = HEADER.unpack(head)
        if (magic, version, size, search) != (MAGIC, VERSION, key_size, identity):
            raise DamagedLevel(f"{path} is not a file of this search")
        entries = file.read(partitions * ENTRY.size)
        if file.read(SUM.size) != SUM.pack(zlib.crc32(head + entries)):
            raise DamagedLevel(f"{path} is damaged")
        found, at = list[Part](), file.tell()
        for partition, checksum, states in ENTRY.iter_unpack(entries):
            found.append(Part(partition, states, at, checksum))
            at += states * key_size
    if sum(each.count for each in found) != count:
        raise DamagedLevel(f"{path} is damaged")
    return found


def read_level(path: Path, identity: int, key_size: int, wanted: Container[int]) -> Iterator[bytes]:
    """The packed states of some partitions, one partition after the other."""
    parts = [each for each in parts_of(path, identity, key_size) if each.partition in wanted]
    with open(path, "rb") as file:
        for part in parts:
            yield read_part(file.fileno(), path, part, key_size)


def read_part(file: int, path: Path, part: Part, key_size: int) -> bytes:
    keys = os.pread(file, part.count * key_size, part.at)
    while len(keys) < part.count * key_size and (
        more := os.pread(file, part.count * key_size - len(keys), part.at + len(keys))
    ):
        keys += more
    if len(keys) != part.count * key_size or zlib.crc32(keys) != part.checksum:
        raise DamagedLevel(f"{path} is damaged")
    return keys
