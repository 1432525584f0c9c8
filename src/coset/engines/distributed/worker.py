"""A process of the cluster: a share of the states, and files of its levels.

The methods are what the driver (search.py) calls, by whatever transport (cluster.py).  Those that work on a level return a
`Report`.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from coset.engines.distributed.level_files import parts_of, read_level, read_part, write_level
from coset.engines.distributed.owners import Owners
from coset.engines.distributed.program import Program
from coset.engines.distributed.report import Halt, Report, Value
from coset.engines.distributed.share import Share
from coset.engines.explicit.seam import Stop
from coset.source.records import dataclass

MOST_SOUGHT = 1 << 18
"""About how many states are expanded in one call to find a predecessor."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where files are.  `durable`: they have to survive a failure of the machine."""

    path: Path
    durable: bool = False


class Worker:
    """A process that takes part in one search after the other."""

    def __init__(self) -> None:
        self.share: Share | None = None

    def start(
        self, program: Program, own: int, owners: Owners, neighbours: int, folder: Folder, values: Sequence[Value]
    ) -> Report:
        """Begin anew; `values` have been given numbers already."""
        self.close()
        self.folder = folder
        self.share = Share(program, own, max(owners) + 1, neighbours)
        self.share.take_partitions(owners)
        self.settled = 0
        return self.mine.agree(values)

    @property
    def mine(self) -> Share:
        assert self.share is not None
        return self.share

    def begin(self) -> Report:
        self.mine.begin()
        return self.mine.report()

    def expand(self, most: int) -> Report:
        return self.mine.expand(most)

    def insert(self, block: bytes) -> Report:
        return self.mine.insert(block)

    def agree(self, values: Sequence[Value]) -> Report:
        return self.mine.agree(values)

    def settle(self, level: int, name: str) -> Report:
        """Go to a level, count what its states stand for, and write them to a file: as often as something is left."""
        if self.settled <= level:
            self.settled = level + 1
            self.mine.settle()
        report = self.mine.weigh()
        if report.left == 0 and report.halt is None:
            program, (keys, begins) = self.mine.program, self.mine.states_of_level()
            path = self.folder.path / name
            try:
                self.folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_level(path, program.identity, program.key_size, keys, begins, self.folder.durable)
            except OSError as error:
                return replace(report, halt=Halt(Stop.DISK, kind=error.errno or errno.EIO))
        return report

    def restore(self, levels: Sequence[Sequence[str]]) -> Report:
        """Take the states of its partitions from the files of all levels; the last level is expanded next."""
        share, program = self.mine, self.mine.program
        self.settled = len(levels)

        def states(names: Sequence[str]) -> list[bytes]:
            paths = (self.folder.path / name for name in names)
            return [
                keys for path in paths for keys in read_level(path, program.identity, program.key_size, share.owned)
            ]

        known = (keys for names in levels[:-1] for keys in states(names))
        return share.restore(known, states(levels[-1]))

    def clean(self) -> None:
        """Remove the files that are on this machine only."""
        with suppress(OSError):
            for path in self.folder.path.glob("*.level"):
                path.unlink(missing_ok=True)
            self.folder.path.rmdir()

    def close(self) -> None:
        if self.share is not None:
            self.share.close()
            self.share = None

    # --- runs to errors ----------------------------------------------------------------------------

    def predecessor(self, name: str, wanted: bytes, first: int) -> tuple[bytes | None, int | None]:
        """Look for a predecessor in a file, from one of its parts on; what was found, and the next part to be looked at."""
        program, path, sought = self.mine.program, self.folder.path / name, 0
        parts = parts_of(path, program.identity, program.key_size)
        with open(path, "rb") as file:
            for number in range(first, len(parts)):
                keys = read_part(file.fileno(), path, parts[number], program.key_size)
                found = self.mine.predecessor(keys, wanted)
                sought += parts[number].count
                if found is not None or sought >= MOST_SOUGHT:
                    return found, number + 1
        return None, None

    def states(self, keys: Sequence[bytes]) -> list[bytes]:
        """Packed states as they are."""
        return [self.mine.state(key) for key in keys]

    def seconds(self) -> float:
        """The processor time of this process so far, for benchmarks."""
        return time.process_time()
