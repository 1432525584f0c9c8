"""Checkpoints: a folder with one file per search, and a note of the model and settings that they belong to.

A check makes several searches, one after the other.  Each has its own file, named after the content of its program, so that
a finished search is not repeated.

The folder is locked while a search uses it.  Files are written under another name, synced and renamed; the compiled engine
verifies the content of a file before using it (checkpoint.c).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coset.engines.explicit.build import runtime_files
from coset.engines.explicit.components import Coding
from coset.engines.explicit.emit.program import GeneratedProgram
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.model.printer import show_model
from coset.source.scratch import temporary

NOTE = "checkpoint.json"
LOCK = "checkpoint.lock"
OPTIONS = {"storage": "--storage", "log_bits": "--bits"}
"""Settings that must not change when a search is resumed, with their options."""
ADVICE = "leave out --resume and choose another folder"


class CheckpointError(Exception):
    """A folder that cannot be used; the message says why and what to do."""


class CheckpointBusy(CheckpointError):
    """Another process is using the folder."""


class Reservation(contextlib.AbstractContextManager["Reservation"]):
    """A folder reserved for one search; leaving the context releases it."""

    def __init__(self, lock: int | None = None) -> None:
        self.lock = lock

    def __exit__(self, *_: object) -> None:
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None


def prepare(model: Model, settings: Settings) -> Reservation:
    """Check and lock the folder before a search: its content must belong to this model and these settings."""
    checkpoints = settings.checkpoints
    if checkpoints is None:
        return Reservation()
    folder, note = checkpoints.folder, checkpoints.folder / NOTE
    here = {
        "schema": 1,
        "model": model.name,
        "digest": hashlib.sha256(show_model(model).encode()).hexdigest(),
        **needed(settings),
    }
    if checkpoints.resume:
        read_note(note)  # create nothing if there is nothing to resume
    with system_errors_told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        reservation = Reservation(locked(folder))
    try:
        if checkpoints.resume:
            compare(folder, read_note(note), here)
        elif note.exists():
            raise CheckpointError(
                f"{folder} already holds a checkpoint: go on with it (--resume), or choose another folder"
            )
        with system_errors_told(folder):
            for partial in folder.glob("*.new"):  # of a process that was killed
                partial.unlink(missing_ok=True)
            if not checkpoints.resume:
                write_durably(note, json.dumps(here, indent=2) + "\n")
    except BaseException:
        reservation.__exit__()
        raise
    return reservation


@contextmanager
def system_errors_told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CheckpointError(f"{folder}: {error.strerror or error}") from None


def locked(folder: Path) -> int | None:
    """The open lock file of the folder, or None if the file system has no locks.  Even then two searches do not corrupt a
    file, as each one writes its own and renames it."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise CheckpointBusy(
                f"{folder} is in use by another run of Coset: wait until it ends, or choose another folder"
            ) from None
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            return None
        raise
    return lock


def write_durably(file: Path, text: str) -> None:
    """Write a file completely or not at all, even if the machine fails meanwhile."""
    with temporary(file.with_name(f"{file.name}.{os.getpid()}.new")) as partial:
        with open(partial, "w") as output:
            output.write(text)
            output.flush()
            os.fsync(output.fileno())
        os.replace(partial, file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def unusable(file: Path, number: int) -> CheckpointError:
    """Why a file was refused, by the number of errno.h that checkpoint.c returns."""
    if number == errno.EBADMSG:
        return CheckpointError(
            f"{file} is damaged, or was written by another version: nothing of it was used; delete this file to search from "
            "the start, or leave out --resume and choose another folder"
        )
    if number == errno.ENOMEM:
        return CheckpointError(f"{file} needs more memory than there is here: resume on a larger machine")
    return CheckpointError(f"{file} cannot be read: {os.strerror(number)}")


def read_note(note: Path) -> dict[str, object]:
    try:
        found = json.loads(note.read_text())
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint in {note.parent}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{note} cannot be read ({error}): {ADVICE}") from None
    if not isinstance(found, dict) or found.get("schema") != 1:
        raise CheckpointError(f"{note} does not describe a checkpoint: {ADVICE}")
    return found


def compare(folder: Path, found: dict[str, object], here: dict[str, object]) -> None:
    """Refuse the folder if its note differs, and name the difference."""
    if found.get("model") != here["model"]:
        raise CheckpointError(f"{folder} holds a checkpoint of another model, {found.get('model')}")
    if found.get("digest") != here["digest"]:
        raise CheckpointError(f"{folder} holds a checkpoint of {here['model']} as it was before it was changed")
    for name, option in OPTIONS.items():
        if found.get(name) != here[name]:
            raise CheckpointError(f"{folder} holds a checkpoint made with {option} {found.get(name)}")


def needed(settings: Settings) -> dict[str, object]:
    """The settings that must stay the same when a search is resumed.  The number of bits matters only for the storage
    `bits`; otherwise it follows --max-memory, which may change."""
    return {"storage": settings.storage, "log_bits": settings.log_bits if settings.storage == "bits" else None}


def identity(
    program: GeneratedProgram, coding: Coding | None, stop_at: int, keep_parents: bool, settings: Settings
) -> int:
    """The identity of a search: a hash of the program, the coding of states, and the request."""
    fields = None if coding is None else coding.bit_fields
    content = (program.header, program.source, sorted(runtime_files().items()), fields, stop_at, keep_parents)
    digest = hashlib.sha256(repr((content, needed(settings))).encode()).digest()
    return int.from_bytes(digest[:8], "little")


def file_of(checkpoints: Checkpoints, number: int) -> Path:
    """The file of a search."""
    return checkpoints.folder / f"{number:016x}.search"
