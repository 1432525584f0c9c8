"""The concurrent model: kinds of processes as automata over shared variables and channels.

A `Model` is data.  Its meaning is given by `coset.model.interpreter`; in short:

* A *state* is a value for every variable, the contents of every channel, and a row of processes.
  A process is an instance of a *kind*; its number is its place in the row.
* A process moves by taking an *edge* from its location: the guard holds, and the
  effects happen in order, as one step.
* An edge that sends to a channel of capacity 0 is taken together with one edge of another process that receives
  from it: a handshake, one step.
* A step with `hold` keeps control: the same process must move next, if it can, and the state between is not observable.
* A `transient` location is left within the same step, by the first of its edges that can be taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from coset.model.declared import DeclaredType
from coset.model.domain import Domain
from coset.model.expression import FALSE, TRUE, Expr, Pattern, Place
from coset.properties.formula import Formula
from coset.properties.kinds import PropertyKind
from coset.source.records import dataclass
from coset.source.text import Span

if TYPE_CHECKING:
    from coset.model.sequential_model import SequentialModel

# --- data ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChannelType:
    """The type of a channel.  With capacity 0 every send is a handshake."""

    name: str
    capacity: int
    fields: tuple[Domain, ...]

    def __str__(self) -> str:
        return f"[{self.capacity}] of {{{', '.join(map(str, self.fields))}}}"


@dataclass(frozen=True, slots=True)
class NewChannel:
    """An initial value: a channel of its own for the variable, or for each element of an array."""

    type: ChannelType


Initial = tuple[Expr, ...] | NewChannel


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A variable, or an array of any number of dimensions.

    Records are flattened to one variable per leaf: `t a[3]` with a field `byte b[2]` is the variable `a.b` of
    shape (3, 2).  `split` says after which dimension each part of the name ends, so that it can be printed
    as `a[i].b[j]`.  `owner` is the kind of process that it is local to, None for a global one.
    `initial` has one value (for all elements) or one for each element; none means 0.
    `hidden` variables do not distinguish states.  Variables are compared by identity.
    """

    name: str
    domain: Domain
    shape: tuple[int, ...] = ()
    owner: str | None = None
    initial: Initial = ()
    hidden: bool = False
    split: tuple[int, ...] = ()
    span: Span | None = field(default=None, repr=False)
    elements: tuple[str, ...] = ()
    """The names of the elements, if they are not named by their indices."""

    @property
    def size(self) -> int:
        """The number of elements.

        >>> from coset.model.domain import BYTE
        >>> Variable("a", BYTE, (3, 2)).size
        6
        """
        size = 1
        for length in self.shape:
            size *= length
        return size

    def element(self, offset: int) -> str:
        """The name of the element at a flat offset, as in the source text.

        >>> from coset.model.domain import BYTE
        >>> Variable("a.b", BYTE, (3, 2), split=(1, 1)).element(3)
        'a[1].b[1]'
        """
        if self.elements:
            return self.elements[offset]
        return self.subscripted([str(index) for index in self.indices(offset)])

    def indices(self, offset: int) -> tuple[int, ...]:
        """The indices of the element at a flat offset, in row order.

        >>> from coset.model.domain import BYTE
        >>> Variable("a", BYTE, (2, 3)).indices(5)
        (1, 2)
        """
        indices: list[int] = []
        for length in reversed(self.shape):
            offset, index = divmod(offset, length)
            indices.append(index)
        return tuple(reversed(indices))

    def subscripted(self, indices: list[str]) -> str:
        """The name with these subscripts in their positions."""
        parts = self.name.split(".")
        split = self.split or (len(self.shape),)
        text, taken = [], 0
        for part, count in zip(parts, split + (0,) * (len(parts) - len(split)), strict=False):
            text.append(part + "".join(f"[{i}]" for i in indices[taken : taken + count]))
            taken += count
        return ".".join(text)


# --- effects -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect:
    def __str__(self) -> str:
        from coset.model.printer import show_effect

        return show_effect(self)


@dataclass(frozen=True, slots=True)
class Assign(Effect):
    place: Place
    value: Expr


@dataclass(frozen=True, slots=True)
class Send(Effect):
    """Append a message, or with `sorted` insert it before the first greater one.  Waits for room."""

    channel: Expr
    values: tuple[Expr, ...]
    sorted: bool = False


@dataclass(frozen=True, slots=True)
class Deliver(Effect):
    """Append a message to a channel that certainly has room, if a condition holds.  No language has it: it is what sends
    inside of a loop become where the loop is read as one step (`symmetry/loop_summaries`)."""

    condition: Expr
    channel: Expr
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Receive(Effect):
    """Take the first message (with `random`: the first that matches), or with `peek` only read it."""

    channel: Expr
    patterns: tuple[Pattern, ...]
    random: bool = False
    peek: bool = False


@dataclass(frozen=True, slots=True)
class Event(Effect):
    """An event that a monitor expects: a send to (or else a receive from) a channel, with fields that match the patterns."""

    sends: bool
    channel: Expr
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Run(Effect):
    """Create a process."""

    kind: str
    arguments: tuple[Expr, ...]
    priority: int = 1


@dataclass(frozen=True, slots=True)
class Exit(Effect):
    """Remove the process, which must be the youngest, and the channels that it created."""


@dataclass(frozen=True, slots=True)
class Assert(Effect):
    """An error if the condition does not hold; `message` says which one, instead of the condition."""

    condition: Expr
    message: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Print(Effect):
    format: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SetPriority(Effect):
    process: Expr
    value: Expr


# --- automata ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edge:
    """One step of a process.

    Edges at a location are tried in order.  Only edges of the first `tier` with one that can be taken are taken
    (an escape comes before what it escapes from).  Of the edges with the same non-zero `group` only the first
    that can be taken is (a deterministic choice).  A send or receive, if any, is the first effect.
    """

    target: int
    guard: Expr = TRUE
    effects: tuple[Effect, ...] = ()
    hold: bool = False
    tier: int = 0
    group: int = 0
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    statement: int = field(default=-1, compare=False)
    """The number of the statement in the whole program, in the numbering of the language's own tools (SPIN trails)."""
    statements: tuple[int, ...] = field(default=(), compare=False)
    """The numbers of further statements that a never claim executes in the same step."""


@dataclass(frozen=True, slots=True)
class Location:
    """A control point.  `end`: a process may stay here forever; `accept` and `progress` mark cycles."""

    edges: tuple[Edge, ...]
    labels: tuple[str, ...] = ()
    end: bool = False
    accept: bool = False
    progress: bool = False
    transient: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    number: int = field(default=0, compare=False)
    """The number of this control point in the language's own tools (`pc_value` in Promela)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of process, such as a `proctype`.  The first `parameters` of `variables` get the
    arguments; `GONE` is the target of an edge that ends the process."""

    name: str
    variables: tuple[Variable, ...]
    parameters: int
    locations: tuple[Location, ...]
    start: int
    provided: Expr = TRUE
    priority: int = 1
    deterministic: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    detached: tuple[tuple[Span, str], ...] = field(default=(), compare=False, repr=False)
    """Statements to which no path of control leads, such as those behind an endless loop: no part of the behaviour."""

    def edges(self) -> Iterator[tuple[int, Edge]]:
        """All edges with the location that they leave."""
        for number, location in enumerate(self.locations):
            for edge in location.edges:
                yield number, edge

    def reachable(self, start: int) -> frozenset[int]:
        """The locations reachable from `start`, without edges whose guard is constantly false."""
        seen, pending = {start}, [start]
        while pending:
            for edge in self.locations[pending.pop()].edges:
                if edge.target != GONE and edge.target not in seen and edge.guard != FALSE:
                    seen.add(edge.target)
                    pending.append(edge.target)
        return frozenset(seen)


GONE = -1
"""The target of an edge that ends the process."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A process that exists at the start.  `name` is its name in the source, if it is not named by kind and number."""

    kind: str
    arguments: tuple[Expr, ...] = ()
    priority: int = 1
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Monitor:
    """An automaton that watches sends and receives: edges carry one `Event` each.

    Every send (receive) on a channel that its sends (receives) name must match an edge.  With
    `negated` it is an error to reach the end, and an unexpected event ends the monitoring.
    """

    automaton: Kind
    negated: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A property as an automaton that accepts the forbidden runs: a never claim."""

    kind: ClassVar[PropertyKind] = PropertyKind.NEVER
    name: str
    automaton: Kind


@dataclass(frozen=True, slots=True)
class LtlProperty:
    """A property as a formula of linear temporal logic over expressions of the model."""

    kind: ClassVar[PropertyKind] = PropertyKind.LTL
    name: str
    formula: Formula[Expr]
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CtlProperty:
    """A property as a formula of computation tree logic over expressions of the model."""

    kind: ClassVar[PropertyKind] = PropertyKind.CTL
    name: str
    formula: Formula[Expr]
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


Property = Claim | LtlProperty | CtlProperty


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    variables: tuple[Variable, ...]
    kinds: tuple[Kind, ...]
    processes: tuple[Instance, ...]
    properties: tuple[Property, ...] = ()
    monitor: Monitor | None = None
    prioritised: bool = False
    """Whether priorities matter: a process waits while one of higher priority can move."""
    remembers_mover: bool = False
    """Whether the number of the last mover is part of the state."""
    empty_at_end: bool = False
    """Whether a valid end state requires empty channels, too."""
    prelude: bool = False
    """Whether the first state only represents the choice of an initial state: it is not a state of the model, and not counted."""
    stuttering: bool = False
    """Whether a state all of whose steps lead back to it cannot move: it must be a valid end state."""
    counts_rules: bool = False
    """Whether transitions are counted as Murphi counts rules fired: without those that lead to initial states."""
    unseen_ends: bool = False
    """Whether no property can observe when a process that has reached its end is removed (`symmetry/passes/keep_terminated`)."""
    sequential: SequentialModel | None = field(default=None, compare=False, repr=False)
    """The sequential model that this one was made from, if any.  A pass may have changed this one since."""
    declared: tuple[DeclaredType, ...] = field(default=(), compare=False, repr=False)
    """Types that the program declares, for remarks about their symmetry."""

    def kind(self, name: str) -> Kind:
        return next(kind for kind in self.kinds if kind.name == name)

    @property
    def uncounted(self) -> int:
        """How many transitions are not counted, of those that a search takes: the start, and with a `prelude` the choices of an
        initial state."""
        if not self.counts_rules:
            return int(self.prelude)
        starts = (kind.locations[kind.start] for kind in self.kinds) if self.prelude else ()
        return 1 + sum(len(location.edges) for location in starts)

    def __str__(self) -> str:
        from coset.model.printer import show_model

        return show_model(self)
