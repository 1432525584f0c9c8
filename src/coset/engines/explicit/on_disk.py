"""Searches with their states on disk (runtime/disk/disk.c): their folder, their share of memory, and what a resumed search needs.

The files are temporary unless the user gives a folder: then a search that is stopped can be resumed.  A value that does not fit
into its bits makes the search begin again with more of them, so the numbers of values are kept beside the files, and a resumed
search begins with the same bits.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from coset.engines.explicit.checkpoint import identity, unusable, write_durably
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Request, Result, Stop
from coset.model.printer import show_model
from coset.source.budget import resident_memory, usable_memory
from coset.source.scratch import temporary

LEAST_BUFFERS, MOST_BUFFERS = 16 << 20, 2 << 30
"""The bytes of the buffers of a search, unless a limit of memory says otherwise."""
ASIDE = 48 << 20
"""Bytes of a limit of memory that are left for everything else."""


def is_on_disk(engine: Engine) -> bool:
    return engine.settings.storage == "disk"


def keeps_levels(engine: Engine) -> bool:
    """Whether levels of states are kept in files."""
    return is_on_disk(engine) or engine.settings.cluster is not None


@contextmanager
def files_of(request: Request, engine: Engine, compiled: Compiled) -> Iterator[None]:
    """Give a search its folder; does nothing unless states are to be on disk."""
    if not is_on_disk(engine):
        yield
        return
    checkpoints = engine.settings.checkpoints
    request.disk_memory = buffers(engine.limits.memory_limit())
    request.identity = identity(
        compiled.program, compiled.coding, request.stop_at, bool(request.keep_parents), engine.settings
    )
    request.checkpoint = None
    if checkpoints is None:
        name = f"coset-states-{os.getpid()}-{token_hex(8)}"
        with temporary(place_for_files() / name) as folder:
            folder.mkdir(mode=0o700)
            request.disk = os.fsencode(folder)
            yield
        return
    folder = checkpoints.folder / f"{request.identity:016x}.levels"
    folder.mkdir(exist_ok=True)
    write_counts(compiled, checkpoints.folder)
    request.disk, request.is_durable = os.fsencode(folder), 1
    request.checkpoint_every, request.resume = round(checkpoints.every * 1000), int(checkpoints.resume)
    try:
        yield
    finally:
        with suppress(OSError):
            folder.rmdir()  # if nothing is left in it


def place_for_files() -> Path:
    """Where large temporary files belong: /tmp is often in memory."""
    if "TMPDIR" in os.environ or not os.access("/var/tmp", os.W_OK):
        return Path(tempfile.gettempdir())
    return Path("/var/tmp")


def buffers(limit: int | None) -> int:
    """The bytes for buffers: what a limit leaves, or a quarter of the memory.

    >>> buffers(10 << 30) >> 30, buffers(1) >> 20
    (2, 16)
    """
    most = usable_memory() // 4 if limit is None else (limit - resident_memory() - ASIDE) * 9 // 10
    return max(LEAST_BUFFERS, min(most, MOST_BUFFERS))


def tell_of_disk(request: Request, engine: Engine, result: Result) -> None:
    """After a search: raise `CheckpointError` if its files cannot be used."""
    if result.stopped == Stop.SYSTEM and result.checkpoint_error:
        raise unusable(Path(os.fsdecode(request.disk)), result.checkpoint_error)
    if result.checkpoint_error:
        engine.tell_of_failure(result)


def why_stopped(result: Result) -> str:
    """What happened to the files.

    >>> why_stopped(Result(disk_error=errno.ENOSPC))
    'a full disk'
    """
    if result.disk_error in (errno.ENOSPC, errno.EDQUOT):
        return "a full disk"
    if result.disk_error == errno.EBADMSG:
        return "a damaged file of states"
    return f"a failure of the disk: {os.strerror(result.disk_error)}"


# --- the bits of a resumed search -----------------------------------------------------------------


def counts_file(compiled: Compiled, folder: Path) -> Path:
    plan, model = compiled.layout.plan, compiled.layout.interpreter.model
    text = f"{show_model(model)}{plan}{compiled.numbering is not None}"
    return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.counts"


def write_counts(compiled: Compiled, folder: Path) -> None:
    if compiled.coding is not None:
        counts = [compiled.coding.counts[each.sort] for each in compiled.coding.components.all]
        write_durably(counts_file(compiled, folder), json.dumps(counts))


def as_before(engine: Engine, compiled: Compiled) -> Compiled:
    """The program with the bits that an earlier search had, if this one resumes it."""
    checkpoints, coding = engine.settings.checkpoints, compiled.coding
    if not keeps_levels(engine) or checkpoints is None or not checkpoints.resume or coding is None:
        return compiled
    try:
        counts = json.loads(counts_file(compiled, checkpoints.folder).read_text())
    except (OSError, ValueError):
        return compiled
    components = coding.components.all
    if not isinstance(counts, list) or len(counts) != len(components) or not all(isinstance(n, int) for n in counts):
        return compiled
    wanted = {each.sort: count for each, count in zip(components, counts, strict=True)}
    if all(coding.counts[sort] == count for sort, count in wanted.items()):
        return compiled
    engine.estimate.counts |= wanted
    return engine.compiled()
