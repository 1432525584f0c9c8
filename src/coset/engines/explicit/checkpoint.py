"""Checkpoints: a folder with one file per search, and a note of what they belong to.

A check makes several searches, one after the other; each has a file of its own, named after the content of its program,
so that a search that was finished is not made again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from coset.engines.explicit.build import runtime_files
from coset.engines.explicit.components import Coding
from coset.engines.explicit.emit.program import Program
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.model.printer import show_model

NOTE = "checkpoint.json"
OPTIONS = {"storage": "--storage", "log_bits": "--bits"}
"""Settings that a search cannot go on without, and how a user names them."""


class CheckpointError(Exception):
    """A folder that cannot be used; the message says why and what to do."""


def prepare(model: Model, settings: Settings) -> None:
    """Look at the folder before anything is searched: what is there must belong to this model and these settings."""
    checkpoints = settings.checkpoints
    if checkpoints is None:
        return
    note = checkpoints.folder / NOTE
    here = {
        "schema": 1,
        "model": model.name,
        "digest": hashlib.sha256(show_model(model).encode()).hexdigest(),
        **{name: getattr(settings, name) for name in OPTIONS},
    }
    if checkpoints.resume:
        compare(checkpoints.folder, read_note(note), here)
        return
    if note.exists():
        raise CheckpointError(
            f"{checkpoints.folder} already holds a checkpoint: go on with it (--resume), or choose another folder"
        )
    try:
        checkpoints.folder.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(here, indent=2) + "\n")
    except OSError as error:
        raise CheckpointError(f"{checkpoints.folder}: {error.strerror or error}") from None


def read_note(note: Path) -> dict[str, object]:
    try:
        found = json.loads(note.read_text())
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint in {note.parent}") from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{note} cannot be read: {error}") from None
    if not isinstance(found, dict) or found.get("schema") != 1:
        raise CheckpointError(f"{note} is not the note of a checkpoint")
    return found


def compare(folder: Path, found: dict[str, object], here: dict[str, object]) -> None:
    """Refuse what differs, by its name."""
    if found.get("model") != here["model"]:
        raise CheckpointError(f"{folder} holds a checkpoint of another model, {found.get('model')}")
    if found.get("digest") != here["digest"]:
        raise CheckpointError(f"{folder} holds a checkpoint of {here['model']} as it was before it was changed")
    for name, option in OPTIONS.items():
        if found.get(name) != here[name]:
            raise CheckpointError(f"{folder} holds a checkpoint made with {option} {found.get(name)}")


def identity(program: Program, coding: Coding | None, stop_at: int, keep_parents: bool, settings: Settings) -> int:
    """A number for a search: the same for the same program, the same coding of states, and the same question."""
    spots = None if coding is None else coding.spots
    content = (program.header, program.source, sorted(runtime_files().items()), spots, stop_at, keep_parents)
    digest = hashlib.sha256(repr((content, settings.storage, settings.log_bits)).encode()).digest()
    return int.from_bytes(digest[:8], "little")


def file_of(checkpoints: Checkpoints, number: int) -> Path:
    """Where a search is kept."""
    return checkpoints.folder / f"{number:016x}.search"
