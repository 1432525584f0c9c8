"""The syntax tree of Promela: what the user wrote, after preprocessing and inlining.

Data only.  Every node carries the span of source text that it came from.  Names are not resolved
here and nothing is checked beyond grammar; `types` and `lower` do that.

    byte x = 3        ->  Declaration(type=TypeName("byte"), items=(Declarator("x", initial=Number(3)),))
    c ? x, eval(y)    ->  Receive(channel=Name("c"), arguments=(Bind(Name("x")), Match(Name("y"))))
"""

from __future__ import annotations

from dataclasses import field

from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span = field(compare=False, repr=False)


# --- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression(Node):
    pass


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A literal: `3`, `true` (1), `false` and `skip` are 0 and 1, `'a'` its code."""

    value: int


@dataclass(frozen=True, slots=True)
class Reference(Expression):
    """`name`, `name[index]`, `name[index].field.field[index]`; also `_pid`, `_nr_pr`, `_last`, `_`,
    mtype constants.  `rest` is the reference after the dot, if any."""

    name: str
    index: Expression | None = None
    rest: Reference | None = None


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`operator` is `-`, `!`, `~`; in `ltl` bodies also `[]`, `<>`, `X`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`operator` is one of `+ - * / % & ^ | > < >= <= == != && || << >>`; in `ltl` bodies also
    `U`, `V` (release), `W`, `->` (implies), `<->`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`(condition -> yes : no)`"""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Run(Expression):
    """`run name(arguments) priority n`"""

    proctype: str
    arguments: tuple[Expression, ...]
    priority: Expression | None = None


@dataclass(frozen=True, slots=True)
class ChannelQuery(Expression):
    """`len(c)`, `empty(c)`, `nempty(c)`, `full(c)`, `nfull(c)`: `operator` is that word."""

    operator: str
    channel: Reference


@dataclass(frozen=True, slots=True)
class Poll(Expression):
    """`c?[arguments]` or, with `random`, `c??[arguments]`."""

    channel: Reference
    arguments: tuple[ReceiveArgument, ...]
    random: bool


@dataclass(frozen=True, slots=True)
class Builtin(Expression):
    """`enabled(e)`, `pc_value(e)`, `get_priority(e)`: `operator` is that word."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Timeout(Expression):
    pass


@dataclass(frozen=True, slots=True)
class NonProgress(Expression):
    """`np_`"""


@dataclass(frozen=True, slots=True)
class RemoteLabel(Expression):
    """`proctype[pid]@label` or `proctype@label` (pid is None)."""

    proctype: str
    pid: Expression | None
    label: str


@dataclass(frozen=True, slots=True)
class RemoteVariable(Expression):
    """`proctype[pid]:variable` or `proctype:variable` (pid is None); the variable may be indexed."""

    proctype: str
    pid: Expression | None
    variable: Reference


# --- receive arguments ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReceiveArgument(Node):
    pass


@dataclass(frozen=True, slots=True)
class Bind(ReceiveArgument):
    """A variable to receive into (`_` discards), or the name of an mtype constant: which of the
    two is only known when names are resolved."""

    target: Reference


@dataclass(frozen=True, slots=True)
class Match(ReceiveArgument):
    """A literal, `-1`, or `eval(expression)`: the message must be equal to it."""

    value: Expression


# --- declarations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """`bit bool byte short int unsigned pid chan mtype` or the name of a typedef.
    `subtype` is the name of an mtype set: `mtype:fruit`."""

    name: str
    subtype: str | None = None


@dataclass(frozen=True, slots=True)
class ChannelInitial(Node):
    """`[capacity] of { types }`"""

    capacity: Expression
    fields: tuple[TypeName, ...]


@dataclass(frozen=True, slots=True)
class ArrayInitial(Node):
    """`{ 1, 2, 3 }`"""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Declarator(Node):
    """One declared name: `x`, `x : 3` (width), `x[4]`, each with an optional initialiser."""

    name: str
    width: int | None = None
    size: Expression | None = None
    initial: Expression | ChannelInitial | ArrayInitial | None = None


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    """`visibility` is None, `hidden`, `show` or `local`."""

    type: TypeName
    items: tuple[Declarator, ...]
    visibility: str | None = None


@dataclass(frozen=True, slots=True)
class MtypeDeclaration(Node):
    """`mtype = { a, b }` or `mtype:set = { a, b }`; names in the order of the text."""

    names: tuple[tuple[str, Span], ...]
    subtype: str | None = None


@dataclass(frozen=True, slots=True)
class Typedef(Node):
    name: str
    fields: tuple[Declaration, ...]


# --- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement(Node):
    pass


@dataclass(frozen=True, slots=True)
class DeclarationStatement(Statement):
    """A declaration inside a body.  `leading` holds for those before the first statement of a
    proctype's own body: they are initialised when the process is created, the others are steps."""

    declaration: Declaration | MtypeDeclaration
    leading: bool


@dataclass(frozen=True, slots=True)
class ChannelAccess(Statement):
    """`xr c, d` and `xs c`: `mode` is `xr` or `xs`."""

    mode: str
    channels: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Labelled(Statement):
    """`name: statement`.  Several labels nest, outermost first."""

    label: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Guard(Statement):
    """An expression as a statement; `skip` is `Guard(Number(1))`."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Else(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`x = e`; `x++` and `x--` are written out as `x = x + 1` and `x = x - 1`."""

    target: Reference
    value: Expression


@dataclass(frozen=True, slots=True)
class Send(Statement):
    """`c ! arguments` or, with `sorted`, `c !! arguments`."""

    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool


@dataclass(frozen=True, slots=True)
class Receive(Statement):
    """`?`, `??` (random), `?<>` (peek), `??<>` (both)."""

    channel: Reference
    arguments: tuple[ReceiveArgument, ...]
    random: bool
    peek: bool


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    condition: Expression


@dataclass(frozen=True, slots=True)
class Print(Statement):
    """`printf("...", arguments)`; for `printm(x)` the format is None."""

    format: str | None
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class SetPriority(Statement):
    """`set_priority(pid, value)`"""

    process: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Goto(Statement):
    label: str


@dataclass(frozen=True, slots=True)
class Break(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """A sequence in braces.  `control` is None, `atomic` or `d_step`.  `inlined` names the inline
    that was expanded here, if it was one (its body is a scope of its own)."""

    body: tuple[Statement, ...]
    control: str | None = None
    inlined: str | None = None


@dataclass(frozen=True, slots=True)
class If(Statement):
    options: tuple[tuple[Statement, ...], ...]


@dataclass(frozen=True, slots=True)
class Do(Statement):
    options: tuple[tuple[Statement, ...], ...]


@dataclass(frozen=True, slots=True)
class ForRange(Statement):
    """`for (variable : first .. last) { body }`; `header` is what comes before the body."""

    variable: Reference
    first: Expression
    last: Expression
    body: tuple[Statement, ...]
    header: Span


@dataclass(frozen=True, slots=True)
class ForIn(Statement):
    """`for (variable in array_or_channel) { body }`; `header` is what comes before the body."""

    variable: Reference
    collection: Reference
    body: tuple[Statement, ...]
    header: Span


@dataclass(frozen=True, slots=True)
class Select(Statement):
    """`select (variable : first .. last)`.  `literal` holds when SPIN's lexer would write it out as
    an n-way `if`: both bounds are plain literals in the text after preprocessing, at most 32 apart, the name has
    only letters and digits, and the statement does not come from an inline."""

    variable: Reference
    first: Expression
    last: Expression
    literal: bool


@dataclass(frozen=True, slots=True)
class Unless(Statement):
    main: Statement
    escape: Statement


# --- the units of a program ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proctype(Node):
    """`active [n] proctype name(parameters) priority p provided (e) { body }`.
    `active` is None when the word is absent, Number(1) for a bare `active`.  `init` is a
    proctype named `init` with active 1.  `deterministic` is for D_proctype."""

    name: str
    active: Expression | None
    parameters: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    priority: Expression | None = None
    provided: Expression | None = None
    deterministic: bool = False


@dataclass(frozen=True, slots=True)
class Never(Node):
    """`never name { body }`; without a name SPIN calls it `never_0`, `never_1`, ..."""

    name: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Trace(Node):
    """`trace { body }`, and with `negated` `notrace { body }`."""

    body: tuple[Statement, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Ltl(Node):
    """`ltl name { formula }`; without a name SPIN calls it `ltl_0`, `ltl_1`, ..."""

    name: str
    formula: Expression


Unit = Declaration | MtypeDeclaration | Typedef | Proctype | Never | Trace | Ltl


@dataclass(frozen=True, slots=True)
class Program:
    units: tuple[Unit, ...]
