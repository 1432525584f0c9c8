"""The sequential model: the flat form of a concurrent one, global variables and guarded summands.

`convert` makes it from a concurrent model, `parse` from text (`.seq`); `printer` shows it, `interpreter` says what it means.
"""

from coset.model.sequential.interpreter import SequentialInterpreter
from coset.model.sequential_model import Assign, If, Inexpressible, SequentialModel, Start, Statement, Summand

__all__ = [
    "Assign",
    "If",
    "Inexpressible",
    "SequentialInterpreter",
    "SequentialModel",
    "Start",
    "Statement",
    "Summand",
]
