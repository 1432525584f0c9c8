"""Searches in C that write checkpoints and go on from them: errors in single states, products, graphs."""

from __future__ import annotations

import os

from coset.engines.explicit.checkpoint import file_of, identity, unusable
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Request, Result, Stop


def ask_for_checkpoints(request: Request, engine: Engine, compiled: Compiled) -> None:
    """Let a search write checkpoints, and go on from the one that it finds, if the settings say so."""
    checkpoints = engine.settings.checkpoints
    if checkpoints is None or engine.settings.storage == "disk":
        return
    request.identity = identity(
        compiled.program, compiled.coding, request.stop_at, bool(request.keep_parents), engine.settings
    )
    request.checkpoint = os.fsencode(file_of(checkpoints, request.identity))
    request.checkpoint_every = round(checkpoints.every * 1000)
    request.resume = int(checkpoints.resume)


def tell_of_checkpoint(request: Request, engine: Engine, result: Result) -> None:
    """After a search: raise `CheckpointError` if it could not begin from its checkpoint, and warn if it could not write one."""
    checkpoints = engine.settings.checkpoints
    if checkpoints is None or engine.settings.storage == "disk" or not result.checkpoint_error:
        return
    if result.stopped == Stop.SYSTEM:
        raise unusable(file_of(checkpoints, request.identity), result.checkpoint_error)
    engine.tell_of_failure(result)
