"""Symmetries that the user gives for a search: a wrong one is refused before anything is searched."""

from __future__ import annotations

from dataclasses import replace

from coset.engines.reduction import UnusableSymmetry
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.source.diagnostics import InputError


def refuse_wrong_generators(model: Model, settings: Settings) -> None:
    """Certify the given generators on the model without properties.  Raises `InputError` with a diagnostic for each wrong one.

    A generator may also be a symmetry of the model with merged steps only, in which processes that end are not told apart by
    the order in which they end; a search on the plain model then leaves it out, and says so.
    """
    if settings.generators is None:
        return
    if model.sequential is not None:
        raise UnusableSymmetry("generators are for models with processes, not for sequential ones")
    from coset.symmetry.passes import merged_for_symmetry
    from coset.symmetry.user_generators import user_generators

    bare = replace(model, properties=())
    try:
        user_generators(bare, settings.generators, ())
    except InputError as error:
        try:
            user_generators(merged_for_symmetry(bare, marks=False), settings.generators, ())
        except InputError:
            raise error from None
