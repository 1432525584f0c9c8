"""The syntax tree of shared-variable programs: expressions and formulas, statements, declarations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields

from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span = field(compare=False, repr=False, kw_only=True)

    def children(self) -> Iterator[Node]:
        """The nodes right below."""
        for each in fields(self):
            yield from _nodes(getattr(self, each.name))

    def walk(self) -> Iterator[Node]:
        """This node and everything below it."""
        yield self
        for child in self.children():
            yield from child.walk()


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


# --- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression(Node):
    pass


@dataclass(frozen=True, slots=True)
class Number(Expression):
    value: int


@dataclass(frozen=True, slots=True)
class Truth(Expression):
    value: bool


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A constant, a parameter, a value of an enumeration, a variable, or a process: what was declared decides."""

    name: str


@dataclass(frozen=True, slots=True)
class Element(Expression):
    """An element of an array, or a member of a class: `P[1]`."""

    name: str
    indices: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Itself(Expression):
    """`self`"""


@dataclass(frozen=True, slots=True)
class NoProcess(Expression):
    """`none`, the reference to no process."""


@dataclass(frozen=True, slots=True)
class NumberOf(Expression):
    """`number(p)`: which member of its class a process is, from 1."""

    process: Expression


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """`p.x`, `p.x[i]`: a variable of a process."""

    process: Expression
    name: str
    indices: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class At(Expression):
    """`p@l`: whether a process stands at a label."""

    process: Expression
    label: str


@dataclass(frozen=True, slots=True)
class Deadlock(Expression):
    """Whether no process can move."""


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`!` or `-`"""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`<-> -> | & = != < <= > >= + - * / %`"""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Bound(Node):
    """`i, j in P`: variables for different members of a class (None: of the only one)."""

    names: tuple[str, ...]
    of: str | None


@dataclass(frozen=True, slots=True)
class Quantified(Expression):
    """`forall i, j in P, condition: body`, `exists`, or `count`: for how many."""

    what: str
    bound: tuple[Bound, ...]
    condition: Expression | None
    body: Expression


@dataclass(frozen=True, slots=True)
class Temporal(Expression):
    """An operator of a temporal logic: it can only be in a formula."""


@dataclass(frozen=True, slots=True)
class Path(Temporal):
    """`A` or `E` with `X`, `F` or `G`."""

    quantifier: str
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class PathUntil(Temporal):
    """`A` or `E` with `U`, `W` or `R`."""

    quantifier: str
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Modal(Temporal):
    """`[]`, `<>` or `X`"""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Until(Temporal):
    """`U`, `W` or `V`"""

    operator: str
    left: Expression
    right: Expression


# --- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    """`v := e`, or with several `values` `v := oneof {e, f}`."""

    place: Expression
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Statement(Node):
    label: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """Assignments that happen together, once the condition holds: `< await b; v := e, w := f >`."""

    condition: Expression | None
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Semaphore(Statement):
    """`request (y, c)` waits until `y >= c` and takes so much; `release (y, c)` gives it back."""

    keyword: str
    place: Expression
    amount: Expression | None


@dataclass(frozen=True, slots=True)
class Skip(Statement):
    """`skip`, `critical` or `noncritical`: a step that changes nothing."""

    keyword: str


@dataclass(frozen=True, slots=True)
class Halt(Statement):
    """To stay forever."""


@dataclass(frozen=True, slots=True)
class Goto(Statement):
    target: str


@dataclass(frozen=True, slots=True)
class If(Statement):
    condition: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """`loop forever do`"""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Choose(Statement):
    options: tuple[tuple[Statement, ...], ...]


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """Statements one after the other; with `atomic` as one step."""

    body: tuple[Statement, ...]
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class Transition(Statement):
    """`l : guard -> x := 1 || y := 2 : target`"""

    guard: Expression
    assignments: tuple[Assignment, ...]
    target: str


# --- declarations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Type(Node):
    """`bool`, `nat`, `int`, `sem`, the name of a type, of a class, or `process`; with bounds a range."""

    name: str
    bounds: tuple[Expression, Expression] | None = None


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`x[P][3]: type where x = e`"""

    name: str
    dimensions: tuple[Expression, ...]
    type: Type
    initial: Expression | None


@dataclass(frozen=True, slots=True)
class Shared(Node):
    """A variable that only some processes may use: `x{P[1], Q}`, or for each member `f[i in P]{P[i], P[i + 1]}`."""

    variable: Variable
    binder: Bound | None
    by: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A constant, or with `symbolic` a parameter, with its default."""

    name: str
    value: Expression | None
    symbolic: bool


@dataclass(frozen=True, slots=True)
class Abbreviation(Node):
    """`define NAME = e;`"""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Enumeration(Node):
    """`type T = {a, b};`, or a name for a range if there are no values."""

    name: str
    values: tuple[str, ...]
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class Class(Node):
    """A class; without a size there is one process of it."""

    name: str
    size: Expression | None
    locals: tuple[Variable, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Property(Node):
    """`what` is "property" (branching time), "ltl" or "invariant"."""

    what: str
    name: str
    formula: Expression
    text: str


@dataclass(frozen=True, slots=True)
class Program(Node):
    constants: tuple[Constant, ...]
    abbreviations: tuple[Abbreviation, ...]
    types: tuple[Enumeration, ...]
    variables: tuple[Variable, ...]
    shared: tuple[Shared, ...]
    classes: tuple[Class, ...]
    assumptions: tuple[Expression, ...]
    properties: tuple[Property, ...]
    synchronous: bool
