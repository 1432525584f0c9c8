"""Prove properties of a model for every number of processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coset.model.family import Family
from coset.model.model import Model
from coset.results.events import Listener, ignore_events
from coset.results.proof import Proof
from coset.source.budget import Limits
from coset.tasks import every_size
from coset.tasks.check import UnknownProperty
from coset.tasks.load import Warn, ignore, is_family, load
from coset.tasks.load import load_family as load_family_file


def prove(
    model: Family | Model | str | Path,
    *,
    properties: Sequence[str] | None = None,
    weak_fair: bool = False,
    max_spotlight: int | None = None,
    shade: str = "fine",
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_seconds: float | None = None,
    listener: Listener = ignore_events,
    warn: Warn = ignore,
    language: str | None = None,
) -> Proof:
    """Decide every property for every number of processes.

    A shared-variable program has classes whose sizes are parameters; a model in another language is treated as a family if
    its processes of one kind are interchangeable.  `weak_fair` excludes runs in which a process can always move and never
    does.  `max_spotlight` limits how many processes are modelled exactly.  `shade` is "fine" or "merged".
    """
    family = load_family(model, defines, include_dirs, warn, language) if not isinstance(model, Family) else model
    known = every_size.names(family)
    if properties is not None and (unknown := [name for name in properties if name not in known]):
        raise UnknownProperty(unknown[0], known)
    return every_size.prove(
        family,
        properties=properties,
        fair=weak_fair,
        max_spotlight=max_spotlight,
        merges_shade=shade == "merged",
        limits=Limits(seconds=max_seconds),
        listener=listener,
    )


def load_family(
    model: Model | str | Path,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    warn: Warn = ignore,
    language: str | None = None,
) -> Family:
    """The family of models that a file defines, with any number of processes.  Raises `InputError`."""
    if isinstance(model, Model):
        return every_size.family_of(model)
    if is_family(model, language):
        return load_family_file(model, defines, warn, language)
    return every_size.family_of(load(model, defines, include_dirs, warn, language=language))
