"""What a model in `models/` expects of itself, read from its head comment.

* expect: states 23256 transitions 71006 assertions 0 invalid_end_states 0
* expect -DN=4: states 852641 ...        another configuration
* expect-large -DN=5: ...                too large for the reference engine
* group: 24 / candidate: 120             orders of symmetry groups
* property NAME: holds
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import coset
from tests.support.paths import MODELS

_LINE = re.compile(r"^\s*\*\s*(expect(?:-large)?)((?:\s+-D\s*\w+(?:=\w+)?)*)\s*:\s*(.*)$")


@dataclass(frozen=True)
class Expectation:
    """The counts of one configuration."""

    path: Path
    defines: tuple[tuple[str, str], ...]
    large: bool
    counts: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return " ".join([self.path.name, *(f"-D{name}={value}" for name, value in self.defines)])


def expectations(path: Path) -> list[Expectation]:
    """All configurations that a model's head comment tells of."""
    found = []
    for line in path.read_text().split("*/", 1)[0].splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        defines = tuple((n, v or "1") for n, v in re.findall(r"-D\s*(\w+)(?:=(\w+))?", match[2]))
        counts = tuple((name, int(value)) for name, value in re.findall(r"(\w+) (\d+)", match[3]))
        found.append(Expectation(path, defines, match[1] == "expect-large", counts))
    return found


def all_expectations(large: bool = False) -> list[Expectation]:
    """Of all shipped models; the large ones only if asked for."""
    return [x for path in sorted(MODELS.glob("*.pml")) for x in expectations(path) if large or not x.large]


_ORDER = re.compile(r"^\s*\*\s*(group|candidate)((?:\s+-D\s*\w+(?:=\w+)?)*)\s*:\s*(\d+)$")


@dataclass(frozen=True)
class Order:
    """The order of the group, or of the candidates, of one configuration."""

    path: Path
    defines: tuple[tuple[str, str], ...]
    what: str
    order: int

    def __str__(self) -> str:
        return " ".join([self.path.name, *(f"-D{name}={value}" for name, value in self.defines)])


def all_orders(what: str) -> list[Order]:
    """The lines `group: 24` or `candidate: 120` of all shipped models."""
    found = []
    for path in sorted(MODELS.glob("*.pml")):
        for line in path.read_text().split("*/", 1)[0].splitlines():
            match = _ORDER.match(line)
            if match is not None and match[1] == what:
                defines = tuple((n, v or "1") for n, v in re.findall(r"-D\s*(\w+)(?:=(\w+))?", match[2]))
                found.append(Order(path, defines, what, int(match[3])))
    return found


def counted(expected: Expectation, engine: str) -> dict[str, int]:
    """What an engine counts where something is expected."""
    result = coset.explore(expected.path, engine=engine, defines=dict(expected.defines), symmetry="off")
    assert result.complete
    return {
        "states": result.states,
        "transitions": result.transitions,
        "assertions": result.errors.assertions,
        "invalid_end_states": result.errors.invalid_end_states,
    }
