"""What a random program has in scope, and the dice."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

INTEGERS = ("bit", "bool", "byte", "short", "int", "unsigned", "pid", "mtype", "mtype:fruit")
NUMBERS = INTEGERS[:7]
# Which variables a message field may be received in. When pan takes a receive back it restores the message from the
# variable, so that a value which did not fit comes back changed, and the counts are wrong from there on.
WIDER = {"int": ("int",), "short": ("short", "int"), "pid": ("byte", "pid", "short", "int")}
WIDER |= dict.fromkeys(("byte", "bit", "bool"), WIDER["pid"])
SYMBOLS = {"mtype": ("red", "green", "blue"), "mtype:fruit": ("apple", "pear")}
WIDE = ("-1", "-7", "127", "128", "255", "256", "300", "32767", "32768", "65535", "70000")
BUFFERED, MIXED, HANDSHAKE = "buffered", "mixed", "handshake"
KINDS = (BUFFERED, BUFFERED, BUFFERED, MIXED, HANDSHAKE)

Statement = list[str]  # lines without the separator that follows
T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """What can be read or written. In the pattern, `<n>` stands for an index below n."""

    pattern: str
    kind: str  # one of INTEGERS, "chan <signature>", or "record <typedef>"
    writable: bool = True


@dataclass(frozen=True)
class Signature:
    """What a channel carries, and whether it may be a handshake (all channels of one signature can be aliased)."""

    fields: tuple[str, ...]
    kind: str


@dataclass
class Scope:
    """What is visible. SPIN 6.5 lets no name hide another, but blocks side by side may use the same one."""

    places: list[Place] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def inner(self) -> Scope:
        return Scope(list(self.places), set(self.names))


@dataclass(frozen=True)
class Context:
    """Where a statement stands, which decides what it may be."""

    scope: Scope
    bounded: bool = True  # values written must come from a small set
    cyclic: bool = False  # endless loops allowed
    quiet: bool = False  # inside d_step: must not block, choose or jump
    breakable: bool = False
    jumps: bool = False
    declares: bool = True
    guarding: bool = False  # the first statement of an option, which must not bring a second `else`
    steady: bool = False  # indices must not depend on variables
    watches: bool = True  # may look into other processes (not in d_step, nor in initialisers)
    depth: int = 0

    def nested(self, **changes: bool) -> Context:
        """The inside of a pair of braces."""
        return replace(self, scope=self.scope.inner(), depth=self.depth + 1, guarding=False, **changes)


@dataclass
class Proctype:
    name: str
    parameters: list[Place]
    instances: int  # active ones; 0 if only `run` makes them
    cyclic: bool
    first_pid: int = -1
    labels: list[str] = field(default_factory=list)
    locals: list[Place] = field(default_factory=list)


class Writer:
    """One program in the making: the dice, and what has been declared so far."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.newlines = self.chance(0.4)  # a newline ends a statement, as SPIN allows since 6.3
        self.long_lines = not self.newlines and self.chance(0.15)  # a whole proctype on one line
        self.globals = Scope()
        self.records: dict[str, list[Place]] = {}
        self.signatures: list[Signature] = []
        self.inlines: list[str] = []
        self.proctypes: list[Proctype] = []
        self.spawned: list[Proctype] = []  # those that a running process may create
        self.priorities = self.chance(0.1)
        self.asks = self.chance(0.1)  # whether others are enabled, which SPIN does not know beside handshakes
        self.counts = self.chance(0.4 if self.priorities or self.asks else 0.1)  # who moved last, where others are
        self.buffers = self.priorities or self.asks
        self.returns = self.chance(0.1)  # use an inline that returns a value, new in SPIN 6.5
        self.current: Proctype | None = None
        self.inner_labels: list[str] = []
        self.dynamic = self.chance(0.3) and not self.asks and not self.counts

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def weighted(self, table: dict[str, float]) -> str:
        return self.random.choices(list(table), list(table.values()))[0]

    def fresh(self, scope: Scope, stem: str) -> str:
        name = next(name for name in (f"{stem}{i}" for i in range(1000)) if name not in scope.names)
        scope.names.add(name)
        return name
