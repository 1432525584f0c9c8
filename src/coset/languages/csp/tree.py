"""The syntax tree of CSP#: expressions, data operations, processes, declarations.

Processes are also the *terms* of the semantics: a state of a sequential process is the term that is left to do.  So
trees are frozen, compared by what they say and not by where they stand, and can be dictionary keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from coset.source.text import Span

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    """A frozen dataclass that computes its hash once: terms are large and share most of their parts."""
    made = dataclass(frozen=True, slots=True)(cls)
    compute = made.__hash__

    def cached(self: T) -> int:
        try:
            return self._hash  # type: ignore[attr-defined,no-any-return]
        except AttributeError:
            value = compute(self)
            object.__setattr__(self, "_hash", value)
            return value

    made.__hash__ = cached  # type: ignore[method-assign,assignment]
    return made


class Hashed:
    """Room for the hash."""

    __slots__ = ("_hash",)


@node
class Node(Hashed):
    span: Span = field(compare=False, repr=False, kw_only=True)


# --- expressions ---------------------------------------------------------------------------------


@node
class Expression(Node):
    pass


@node
class Number(Expression):
    """A number; `true` is 1 and `false` is 0."""

    value: int


@node
class Name(Expression):
    """A constant, a condition, a variable, or a parameter: what was declared decides."""

    name: str


@node
class Parameter(Expression):
    """A parameter whose value differs between the instances of one kind of process, and never changes."""

    name: str


@node
class Binder(Expression):
    """A name in an input that the message gives a value to."""

    name: str


@node
class Element(Expression):
    """An element of an array."""

    name: str
    indices: tuple[Expression, ...]


@node
class Unary(Expression):
    """`!` or `-`."""

    operator: str
    operand: Expression


@node
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@node
class Query(Expression):
    """`call(cfull, c)`, `cempty` or `ccount`: about the contents of a channel."""

    question: str
    channel: str
    index: Expression | None


# --- data operations -----------------------------------------------------------------------------


@node
class Statement(Node):
    pass


@node
class Assignment(Statement):
    name: str
    indices: tuple[Expression, ...]
    value: Expression


@node
class Local(Statement):
    """`var t = 0;` inside of a data operation."""

    name: str
    value: Expression


@node
class Branch(Statement):
    condition: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


@node
class While(Statement):
    condition: Expression
    body: tuple[Statement, ...]


Operation = tuple[Statement, ...]


# --- processes -----------------------------------------------------------------------------------


@node
class Process(Node):
    pass


@node
class Skip(Process):
    pass


@node
class Stop(Process):
    pass


@node
class Ended(Process):
    """What is left after a successful end: nothing happens, and that is no deadlock."""


@node
class Event(Node):
    """`e.i.j`, or `tau`."""

    name: str
    arguments: tuple[Expression, ...] = ()


@node
class Prefix(Process):
    """`e{operation} -> rest`.  `plain` tells `e -> P` from `e{} -> P`, which never synchronises."""

    event: Event
    operation: Operation
    plain: bool
    rest: Process


@node
class Output(Process):
    channel: str
    index: Expression | None
    values: tuple[Expression, ...]
    operation: Operation
    rest: Process


@node
class Input(Process):
    """`c?x.1 -> rest`.  A name that nothing declares is bound by the message; any other pattern must equal its field."""

    channel: str
    index: Expression | None
    patterns: tuple[Expression, ...]
    guard: Expression | None
    operation: Operation
    rest: Process


@node
class Choice(Process):
    """`[]` (any event decides), `[*]` (a visible event decides) or `<>` (a silent step decides)."""

    operator: str
    parts: tuple[Process, ...]


@node
class Guard(Process):
    condition: Expression
    body: Process


@node
class If(Process):
    """`if` (a silent step first), `ifa` (none), `ifb` (a silent step, once the condition holds)."""

    keyword: str
    condition: Expression
    yes: Process
    no: Process


@node
class Case(Process):
    branches: tuple[tuple[Expression, Process], ...]
    default: Process


@node
class Parallel(Process):
    """`||`.  The alphabets of the parts are those at the start; None until then."""

    parts: tuple[Process, ...]
    alphabets: tuple[frozenset[tuple[str, tuple[int, ...]]], ...] | None = None


@node
class Interleave(Process):
    parts: tuple[Process, ...]


@node
class Counted(Process):
    """`|||{n}@P`: how many copies there are, before they are made."""

    count: Expression
    body: Process


@node
class Bag(Process):
    """Copies of which only the number is known: each term with how many stand there, in a fixed order."""

    members: tuple[tuple[Process, int], ...]


@node
class Range(Node):
    """`i:{0..n}` or `i:{1,3}`: pairs of bounds."""

    name: str
    bounds: tuple[tuple[Expression, Expression], ...]


@node
class Indexed(Process):
    operator: str
    ranges: tuple[Range, ...]
    body: Process


@node
class Sequence(Process):
    first: Process
    second: Process


@node
class Interrupt(Process):
    body: Process
    handler: Process


@node
class Hide(Process):
    body: Process
    events: tuple[Event, ...]


@node
class Atomic(Process):
    body: Process


@node
class Call(Process):
    name: str
    arguments: tuple[Expression, ...]


# --- declarations --------------------------------------------------------------------------------


@node
class Variable(Node):
    """`var x:{0..3} = 1;` or `var a[2][3] = [0(6)];`  An initial value with a count stands for so many."""

    name: str
    shape: tuple[Expression, ...]
    bounds: tuple[Expression | None, Expression | None] | None
    initial: tuple[tuple[Expression, Expression, Expression], ...]
    """Pieces `from..to(count)`."""
    boolean: bool


@node
class Channel(Node):
    name: str
    shape: Expression | None
    capacity: Expression


@node
class Definition(Node):
    """`P(i, j) = body;`"""

    name: str
    parameters: tuple[str, ...]
    body: Process


@node
class Alphabet(Node):
    name: str
    events: tuple[Event, ...]


@node
class Assertion(Node):
    """`#assert process what`: `what` is `deadlockfree`, `reaches`, `|=`, ...; the words of a formula are kept as they are,
    since events and conditions look the same."""

    process: Process
    what: str
    condition: Expression | None
    formula: object
    text: str


@node
class Program(Node):
    """Everything that a file declares, by name."""

    constants: dict[str, Expression]
    variables: dict[str, Variable]
    channels: dict[str, Channel]
    definitions: dict[str, Definition]
    alphabets: dict[str, Alphabet]
    assertions: tuple[Assertion, ...]
