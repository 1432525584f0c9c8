"""What a front end is given: a text, and what the user said about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from coset.source.diagnostics import Diagnostics
from coset.source.records import dataclass
from coset.source.text import Source


@dataclass(frozen=True, slots=True)
class Reading:
    """A text to be read, with macros or parameters, folders for included files, and formulas that are added to its
    properties, fairness constraints among them.  Errors and warnings go to `diagnostics`."""

    source: Source
    defines: Mapping[str, str] = field(default_factory=dict)
    include_dirs: Sequence[str] = ()
    ltl: Sequence[str] = ()
    ctl: Sequence[str] = ()
    invariants: Sequence[str] = ()
    constraints: Sequence[str] = ()
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
