"""Refusals of a search, reported as wrong usage or as something missing in the environment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from coset.cli.errors import Missing
from coset.cli.parser import UsageError
from coset.engines.explicit.build import NoCompiler
from coset.engines.explicit.checkpoint import CheckpointBusy, CheckpointError
from coset.engines.explicit.compile import Unsupported
from coset.engines.reduction import UnusableSymmetry
from coset.engines.symbolic.runs import Refused
from coset.tasks.check import UnknownProperty


@contextmanager
def refusals_told() -> Iterator[None]:
    """Turn the refusals of a search into errors of the command line."""
    try:
        yield
    except CheckpointBusy as reason:
        raise Missing(str(reason)) from None
    except (UnknownProperty, CheckpointError, UnusableSymmetry) as reason:
        raise UsageError(str(reason)) from None
    except Refused as reason:
        raise UsageError(f"the symbolic engine does not support this model: {reason}; try --engine explicit") from None
    except NoCompiler as reason:
        raise Missing(f"{reason}; --engine reference needs none") from None
    except Unsupported as reason:
        raise UsageError(f"the explicit engine does not support this model: {reason}; try --engine reference") from None
