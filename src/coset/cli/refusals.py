"""What a search may refuse to do, told to the user as wrong usage or as something that is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from coset.cli.errors import Missing
from coset.cli.parser import UsageError
from coset.engines.explicit.build import NoCompiler
from coset.engines.explicit.checkpoint import CheckpointBusy, CheckpointError
from coset.engines.explicit.engine import Unsupported
from coset.engines.reduction import UnusableSymmetry
from coset.engines.symbolic.runs import Refused
from coset.tasks.check import UnknownProperty


@contextmanager
def refusals_told() -> Iterator[None]:
    """Around a search: its refusals become errors that the command line knows."""
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
