"""Results as rows of a table, and as a data frame if pandas is installed; Coset itself does not need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

Row = dict[str, Any]


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A `pandas.DataFrame` of the rows."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        message = "data frames need pandas, which is not installed (pip install pandas); as_dict() does without"
        raise ImportError(message) from None
    return pandas.DataFrame(list(rows))
