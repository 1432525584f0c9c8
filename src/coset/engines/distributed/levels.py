"""The levels of a search that have been saved: which files have their states, the sums up to them, the numbers of values.

A level that is saved is never changed.  In a folder that the user gives, a note beside the files of each level lets another
command go on from there.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path

from coset.engines.distributed.report import Counts, Value
from coset.engines.explicit.checkpoint import CheckpointError, write_durably
from coset.source.records import dataclass

FilesOfWorkers = dict[int, str]
"""The name of the file that each worker has written."""


def file_name(level: int, worker: int, attempt: int) -> str:
    """A level that is repeated, after a worker was lost, has other files.

    >>> file_name(7, 2, 0)
    '7-2-0.level'
    """
    return f"{level}-{worker}-{attempt}.level"


@dataclass(slots=True)
class Levels:
    """`folder` has the files; a `durable` one also has notes."""

    folder: Path
    durable: bool = False
    files: list[FilesOfWorkers] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    """The sums when the last level was saved."""
    values: list[Value] = field(default_factory=list)
    """All values that were given numbers, in that order."""
    noted: int = 0
    """How many values the notes have."""

    def add(self, files: FilesOfWorkers, counts: Counts) -> None:
        """Another level is saved."""
        self.files.append(files)
        self.counts = counts
        if self.durable:
            fresh = [(component, state.hex()) for component, state in self.values[self.noted :]]
            note = {"files": files, "counts": asdict(counts), "values": fresh}
            write_durably(self.note(len(self.files) - 1), json.dumps(note))
            self.noted = len(self.values)

    def note(self, level: int) -> Path:
        return self.folder / f"{level}.json"

    def read(self) -> bool:
        """Take what another command has saved; returns whether there is anything."""
        while (path := self.note(len(self.files))).exists():
            try:
                note = json.loads(path.read_text())
                counts = note["counts"] | {"errors": tuple(note["counts"]["errors"])}
                self.values += [(component, bytes.fromhex(state)) for component, state in note["values"]]
                self.files.append({int(worker): str(name) for worker, name in note["files"].items()})
                self.counts = Counts(**counts)
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise CheckpointError(
                    f"{path} is damaged ({error}): leave out --resume and choose another folder"
                ) from None
        self.noted = len(self.values)
        return bool(self.files)

    def remove(self) -> None:
        """Remove all files; those of levels that were not completed, too."""
        with suppress(OSError):
            for path in [*self.folder.glob("*.level"), *self.folder.glob("*.json")]:
                with suppress(OSError):
                    path.unlink()
            os.rmdir(self.folder)
