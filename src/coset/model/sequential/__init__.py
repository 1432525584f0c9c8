"""The sequential model: the flat form of a concurrent one, global variables and guarded summands.

`convert` makes it from a concurrent model, `parse` from text (`.seq`); `printer` shows it, `interpreter` says what it means.
"""

from coset.model.sequential.data import Assign, If, Inexpressible, SequentialModel, Start, Statement, Summand
from coset.model.sequential.interpreter import SequentialInterpreter

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
