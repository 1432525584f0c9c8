"""Coset: finds the symmetry of a concurrent model by itself and verifies the model on the quotient.

    >>> import coset
    >>> model = coset.parse_text("active proctype P() { skip }")
    >>> model.explore().states, model.check().verdict.value
    (3, 'holds')

Names are loaded when they are first used, so that `import coset` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coset.api import LoadedModel as LoadedModel
    from coset.api import load as load
    from coset.api import parse_text as parse_text
    from coset.api import statistics as statistics
    from coset.model.model import Model as Model
    from coset.results.exploration import Errors as Errors
    from coset.results.exploration import Exploration as Exploration
    from coset.results.proof import Proof as Proof
    from coset.results.trace import Trace as Trace
    from coset.results.verdict import Check as Check
    from coset.results.verdict import PropertyResult as PropertyResult
    from coset.results.verdict import Verdict as Verdict
    from coset.source.diagnostics import InputError as InputError
    from coset.tasks.check import check as check
    from coset.tasks.explore import explore as explore
    from coset.tasks.prove import prove as prove

__version__ = "0.1.0"

_HOMES = {
    "LoadedModel": "coset.api",
    "load": "coset.api",
    "parse_text": "coset.api",
    "statistics": "coset.api",
    "Model": "coset.model.model",
    "check": "coset.tasks.check",
    "explore": "coset.tasks.explore",
    "prove": "coset.tasks.prove",
    "Errors": "coset.results.exploration",
    "Exploration": "coset.results.exploration",
    "Proof": "coset.results.proof",
    "Trace": "coset.results.trace",
    "Check": "coset.results.verdict",
    "PropertyResult": "coset.results.verdict",
    "Verdict": "coset.results.verdict",
    "InputError": "coset.source.diagnostics",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'coset' has no attribute '{name}'")
