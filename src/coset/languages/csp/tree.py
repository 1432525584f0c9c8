"""The syntax tree of CSP#: expressions, data operations, processes, declarations.

Processes are also the *terms* of the semantics: a state of a sequential process is the term that is left to do.  So
trees are frozen, compared by what they say and not by where they stand, and can be dictionary keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span = field(compare=False, repr=False, kw_only=True)


# --- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression(Node):
    pass


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number; `true` is 1 and `false` is 0."""

    value: int


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A constant, a condition, a variable, or a parameter: what was declared decides."""

    name: str


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """A parameter whose value differs between the instances of one kind of process, and never changes."""

    name: str


@dataclass(frozen=True, slots=True)
class Binder(Expression):
    """A name in an input that the message gives a value to."""

    name: str


@dataclass(frozen=True, slots=True)
class Element(Expression):
    """An element of an array."""

    name: str
    indices: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`!` or `-`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Query(Expression):
    """`call(cfull, c)`, `cempty` or `ccount`: about the contents of a channel."""

    question: str
    channel: str
    index: Expression | None


# --- data operations -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement(Node):
    pass


@dataclass(frozen=True, slots=True)
class Assignment(Statement):
    name: str
    indices: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Local(Statement):
    """`var t = 0;` inside of a data operation."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Branch(Statement):
    condition: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    condition: Expression
    body: tuple[Statement, ...]


Operation = tuple[Statement, ...]


# --- processes -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Process(Node):
    pass


@dataclass(frozen=True, slots=True)
class Skip(Process):
    pass


@dataclass(frozen=True, slots=True)
class Stop(Process):
    pass


@dataclass(frozen=True, slots=True)
class Ended(Process):
    """What is left after a successful end: nothing happens, and that is no deadlock."""


@dataclass(frozen=True, slots=True)
class Event(Node):
    """`e.i.j`, or `tau`."""

    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Prefix(Process):
    """`e{operation} -> rest`.  `plain` tells `e -> P` from `e{} -> P`, which never synchronises."""

    event: Event
    operation: Operation
    plain: bool
    rest: Process


@dataclass(frozen=True, slots=True)
class Output(Process):
    channel: str
    index: Expression | None
    values: tuple[Expression, ...]
    operation: Operation
    rest: Process


@dataclass(frozen=True, slots=True)
class Input(Process):
    """`c?x.1 -> rest`.  A name that nothing declares is bound by the message; any other pattern must equal its field."""

    channel: str
    index: Expression | None
    patterns: tuple[Expression, ...]
    guard: Expression | None
    operation: Operation
    rest: Process


@dataclass(frozen=True, slots=True)
class Choice(Process):
    """`[]` (any event decides), `[*]` (a visible event decides) or `<>` (a silent step decides)."""

    operator: str
    parts: tuple[Process, ...]


@dataclass(frozen=True, slots=True)
class Guard(Process):
    condition: Expression
    body: Process


@dataclass(frozen=True, slots=True)
class If(Process):
    """`if` (a silent step first), `ifa` (none), `ifb` (a silent step, once the condition holds)."""

    word: str
    condition: Expression
    yes: Process
    no: Process


@dataclass(frozen=True, slots=True)
class Case(Process):
    branches: tuple[tuple[Expression, Process], ...]
    default: Process


@dataclass(frozen=True, slots=True)
class Parallel(Process):
    """`||`.  The alphabets of the parts are those at the start; None until then."""

    parts: tuple[Process, ...]
    alphabets: tuple[frozenset[tuple[str, tuple[int, ...]]], ...] | None = None


@dataclass(frozen=True, slots=True)
class Interleave(Process):
    parts: tuple[Process, ...]


@dataclass(frozen=True, slots=True)
class Counted(Process):
    """`|||{n}@P`: how many copies there are, before they are made."""

    count: Expression
    body: Process


@dataclass(frozen=True, slots=True)
class Bag(Process):
    """Copies of which only the number is known: each term with how many stand there, in a fixed order."""

    members: tuple[tuple[Process, int], ...]


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`i:{0..n}` or `i:{1,3}`: pairs of bounds."""

    name: str
    bounds: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Indexed(Process):
    operator: str
    ranges: tuple[Range, ...]
    body: Process


@dataclass(frozen=True, slots=True)
class Sequence(Process):
    first: Process
    second: Process


@dataclass(frozen=True, slots=True)
class Interrupt(Process):
    body: Process
    handler: Process


@dataclass(frozen=True, slots=True)
class Hide(Process):
    body: Process
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Atomic(Process):
    body: Process


@dataclass(frozen=True, slots=True)
class Call(Process):
    name: str
    arguments: tuple[Expression, ...]


# --- declarations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`var x:{0..3} = 1;` or `var a[2][3] = [0(6)];`  An initial value with a count stands for so many."""

    name: str
    shape: tuple[Expression, ...]
    bounds: tuple[Expression | None, Expression | None] | None
    initial: tuple[tuple[Expression, Expression, Expression], ...]
    """Pieces `from..to(count)`."""
    boolean: bool


@dataclass(frozen=True, slots=True)
class Channel(Node):
    name: str
    shape: Expression | None
    capacity: Expression


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """`P(i, j) = body;`"""

    name: str
    parameters: tuple[str, ...]
    body: Process


@dataclass(frozen=True, slots=True)
class Alphabet(Node):
    name: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Assertion(Node):
    """`#assert process what`: `what` is `deadlockfree`, `reaches`, `|=`, ...; the words of a formula are kept as they are,
    since events and conditions look the same."""

    process: Process
    what: str
    condition: Expression | None
    formula: object
    text: str


@dataclass(frozen=True, slots=True)
class Program(Node):
    """Everything that a file declares, by name."""

    constants: dict[str, Expression]
    variables: dict[str, Variable]
    channels: dict[str, Channel]
    definitions: dict[str, Definition]
    alphabets: dict[str, Alphabet]
    assertions: tuple[Assertion, ...]
