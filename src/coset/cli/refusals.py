"""What a search may refuse to do, told to the user as wrong usage or as something that is missing."""

from __future__ import annotations

from coset.cli.errors import Missing
from coset.cli.parser import UsageError
from coset.engines.contract import NoCompiler, Unsupported
from coset.engines.distributed.cluster import NoCluster
from coset.engines.explicit.checkpoint import CheckpointBusy, CheckpointError
from coset.engines.reduction import UnusableSymmetry
from coset.engines.symbolic.runs import Refused
from coset.tasks.check import UnknownProperty


def refusal(error: Exception) -> UsageError | Missing | None:
    """The refusal of a search as an error of the command line; None for any other exception."""
    match error:
        case CheckpointBusy() | NoCluster():
            return Missing(str(error))
        case UnknownProperty() | CheckpointError() | UnusableSymmetry():
            return UsageError(str(error))
        case Refused():
            return UsageError(f"the symbolic engine does not support this model: {error}; try --engine explicit")
        case NoCompiler():
            return Missing(f"{error}; --engine reference needs none")
        case Unsupported():
            return UsageError(f"the explicit engine does not support this model: {error}; try --engine reference")
    return None
