"""Control flow: statements in sequence become the locations and edges of an automaton.

SPIN decides what counts as a state of a process, and this module follows it (experiments: docs/spin-control.md):

* Each basic statement is a node; a process "at" a node is about to execute it.
* `goto`, `break` and the joints after `if` and `do` are passed through when they come after a statement, but are
  steps when they are the first thing to do, or when passing through would end an atomic sequence.
* A choice takes the first statements of its options as its own edges, and those of a choice in a choice.
* `unless` puts the first edges of the escape before those of each statement that it guards.

A `Sequence` is filled by a builder (`lower_statement`); `assemble` turns the finished body into locations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from enum import Enum, auto

from coset.model.expression import TRUE, Expr
from coset.model.model import Effect
from coset.source.records import dataclass
from coset.source.text import Span


class Shape(Enum):
    """What a node is."""

    BASIC = auto()
    GOTO = auto()
    JOINT = auto()  # the point after an `if`, or before a `do`
    LEAVE = auto()  # the point after a `do`, where `break` leads
    CHOICE = auto()
    BLOCK = auto()
    D_STEP = auto()
    UNLESS = auto()
    STOP = auto()


PASSED = (Shape.GOTO, Shape.JOINT, Shape.LEAVE, Shape.UNLESS)


class FlowError(Exception):
    """Control flow without meaning; the message and the place are for a diagnostic."""

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code, self.message, self.span = code, message, span


@dataclass(slots=True)
class Action:
    """What a basic statement does."""

    guard: Expr = TRUE
    effects: tuple[Effect, ...] = ()
    text: str = ""
    is_else: bool = False
    is_skip: bool = False
    is_false: bool = False
    uses_channel: bool = False


@dataclass(slots=True)
class LabelName:
    """A label as it is declared or asked for: its name and the block that it is in."""

    name: str
    scope: tuple[int, ...]
    span: Span


@dataclass(slots=True, eq=False)
class FlowNode:
    number: int
    shape: Shape
    span: Span
    action: Action | None = None
    destination: LabelName | FlowNode | None = None  # of a goto
    options: list[Sequence] = field(default_factory=list)  # of a choice
    body: Sequence | None = None  # of a block, d_step or unless
    next: FlowNode | None = None
    escapes: list[Sequence] = field(default_factory=list)  # outermost first
    labels: list[str] = field(default_factory=list)
    atomic: bool = False  # control is held after this node
    last: bool = False  # ends an atomic sequence
    inside_d_step: bool = False
    remote: bool = False  # some expression asks whether a process is here

    def marked(self, prefix: str) -> bool:
        return any(label.startswith(prefix) for label in self.labels)


@dataclass(slots=True, eq=False)
class Sequence:
    """Nodes one after the other.  `extent` is the last node that was written; `last` may be a joint added behind it."""

    first: FlowNode | None = None
    last: FlowNode | None = None
    extent: FlowNode | None = None

    def append(self, node: FlowNode) -> None:
        if self.last is None:
            self.first = node
        else:
            self.last.next = node
        self.last = node

    def nodes(self, end: FlowNode | None) -> Iterator[FlowNode]:
        """The nodes from the first up to `end`."""
        node = self.first
        while node is not None:
            yield node
            if node is end:
                return
            node = node.next


# --- items: statements that have been read but not yet placed ------------------------------------


@dataclass(slots=True)
class Basic:
    action: Action
    span: Span


@dataclass(slots=True)
class Goto:
    destination: LabelName | FlowNode
    span: Span


@dataclass(slots=True)
class Choice:
    """`if`, or `do` when there is a place to leave it for."""

    options: list[Sequence]
    leave: FlowNode | None
    span: Span


@dataclass(slots=True)
class Braces:
    """A sequence in braces: plain, `atomic` or `d_step`."""

    body: Sequence
    control: str | None
    span: Span


@dataclass(slots=True)
class Escape:
    main: Sequence
    escape: Sequence
    span: Span


@dataclass(slots=True)
class Label:
    name: LabelName
    item: Item


Item = Basic | Goto | Choice | Braces | Escape | Label


class Flow:
    """The nodes of one body, numbered in the order of their making, and its labels.
    `base` is the number of statements in the bodies before it."""

    def __init__(self, base: int = 0) -> None:
        self.base = base
        self.nodes: list[FlowNode] = []
        self.left_out: list[int] = []
        self.labels: list[tuple[LabelName, FlowNode]] = []

    def node(self, shape: Shape, span: Span) -> FlowNode:
        node = FlowNode(len(self.nodes) + 1, shape, span)
        self.nodes.append(node)
        return node

    def leave_out(self) -> None:
        """SPIN gives the next number to something that is never a step."""
        self.left_out.append(len(self.nodes))

    @property
    def size(self) -> int:
        """How many numbers the body takes."""
        return len(self.nodes) + len(self.left_out)

    def statement(self, number: int) -> int:
        """The number of a node in the whole program, as SPIN counts statements."""
        return self.base + number - 1 + sum(place < number for place in self.left_out)

    def pending(self, span: Span) -> FlowNode:
        """The place where a loop will end.  It gets its number when the loop is placed."""
        return FlowNode(0, Shape.LEAVE, span)

    # --- placing ---------------------------------------------------------------------------------

    def place(self, item: Item, sequence: Sequence) -> FlowNode:
        """Append an item to a sequence; the node returned is the one that labels refer to."""
        match item:
            case Label(name, inner):
                node = self.place(inner, sequence)
                self.attach(name, node, sequence)
                return node
            case Basic(action, span):
                node = self.node(Shape.STOP if action.text == "-end-" else Shape.BASIC, span)
                node.action = action
                sequence.append(node)
                return node
            case Goto(destination, span):
                node = self.node(Shape.GOTO, span)
                node.destination = destination
                sequence.append(node)
                return node
            case Choice():
                return self.place_choice(item, sequence)
            case Braces(body, control, span):
                node = self.node(Shape.D_STEP if control == "d_step" else Shape.BLOCK, span)
                node.body = body
                sequence.append(node)
                return node
            case Escape(main, escape, span):
                node = self.node(Shape.UNLESS, span)
                joint = self.node(Shape.JOINT, span)
                node.body = main
                node.options = [main, escape]
                main.append(joint)
                escape.append(joint)
                attach_escape(main, escape)
                sequence.append(node)
                sequence.append(joint)
                return node

    def attach(self, name: LabelName, node: FlowNode, sequence: Sequence) -> None:
        """Give a node a label.  A marked goto gets a skip before it, as it would be passed through otherwise."""
        if node.shape is Shape.GOTO and name.name.startswith(("accept", "end", "progress")):
            skip = self.node(Shape.BASIC, node.span)
            skip.action = Action(text="(1)", is_skip=True)
            self.insert_before(skip, node, sequence)
            node = skip
        node.labels.append(name.name)
        self.labels.append((name, node))

    def insert_before(self, new: FlowNode, node: FlowNode, sequence: Sequence) -> None:
        previous = next((n for n in sequence.nodes(sequence.last) if n.next is node), None)
        new.next = node
        if previous is None:
            sequence.first = new
        else:
            previous.next = new

    def place_choice(self, choice: Choice, sequence: Sequence) -> FlowNode:
        options = order_options(choice)
        node = self.node(Shape.CHOICE, choice.span)
        joint = self.node(Shape.JOINT, choice.span)
        node.options = options
        for option in options:
            option.append(joint)
        if choice.leave is None:
            sequence.append(node)
            sequence.append(joint)
            return node
        leave = choice.leave
        leave.number = len(self.nodes) + 1
        self.nodes.append(leave)
        sequence.append(joint)
        sequence.append(node)
        sequence.append(leave)
        return node

    # --- labels ----------------------------------------------------------------------------------

    def find(self, wanted: LabelName) -> FlowNode | None:
        """The node of a label: in the same block if there is one, else in an enclosing block, else anywhere."""
        best: FlowNode | None = None
        for name, node in reversed(self.labels):
            if name.name != wanted.name:
                continue
            if name.scope == wanted.scope:
                return node
            if wanted.scope[: len(name.scope)] == name.scope or best is None:
                best = node
        return best

    def destination(self, node: FlowNode) -> FlowNode:
        if isinstance(node.destination, FlowNode):
            return node.destination
        assert node.destination is not None
        found = self.find(node.destination)
        if found is None:
            raise FlowError("N004", f"there is no label '{node.destination.name}'", node.destination.span)
        return found


def order_options(choice: Choice) -> list[Sequence]:
    """`else` comes last."""
    others = [o for o in choice.options if not starts_with_else(o)]
    elses = [o for o in choice.options if starts_with_else(o)]
    if len(elses) > 1:
        assert elses[1].first is not None
        raise FlowError("F000", "a second 'else' in one selection", elses[1].first.span)
    return others + elses


def starts_with_else(option: Sequence) -> bool:
    return option.first is not None and option.first.action is not None and option.first.action.is_else


def attach_escape(main: Sequence, escape: Sequence) -> None:
    """Every statement of `main` can be left for `escape`."""
    for node in list(main.nodes(main.extent)):
        attach_escape_to(node, escape)


def attach_escape_to(node: FlowNode, escape: Sequence) -> None:
    if any(other is escape for other in node.escapes):
        return
    for inner in node.escapes:
        attach_escape(inner, escape)
    node.escapes.insert(0, escape)
    if node.shape is Shape.CHOICE:
        for option in node.options:
            attach_escape(option, escape)
    elif node.shape in (Shape.BLOCK, Shape.UNLESS):
        assert node.body is not None
        attach_escape(node.body, escape)
    elif node.shape is Shape.D_STEP:
        assert node.body is not None and node.body.first is not None
        attach_escape_to(node.body.first, escape)


def drop_repeated_skips(options: list[Sequence]) -> None:
    """Of several `skip` in a row in an option all but the first and the last go, unless a label needs them."""
    for option in options:
        count, previous = 0, None
        for node in list(option.nodes(option.extent)):
            action = node.action
            printing = action is not None and action.text.startswith("print")
            if action is None or not (action.is_skip or printing) or node.labels:
                count = 0
            else:
                count += 1
                if count > 1 and not printing and node not in (option.first, option.last) and previous is not None:
                    previous.next = node.next
                    continue
            previous = node


def make_atomic(sequence: Sequence, d_step: bool) -> None:
    """Control is held after every node of the sequence but the last."""
    walk_atomic(sequence, d_step)
    last = sequence.last
    assert last is not None
    if last.shape is Shape.BLOCK:
        assert last.body is not None
        make_atomic(last.body, d_step)
    else:
        last.atomic, last.last = False, True


def walk_atomic(sequence: Sequence, d_step: bool) -> None:
    for node in sequence.nodes(sequence.last):
        node.atomic = True
        node.inside_d_step = node.inside_d_step or d_step
        if node.shape is Shape.D_STEP and d_step:
            node.shape = Shape.BLOCK
        if node.shape is Shape.BLOCK:
            assert node.body is not None
            walk_atomic(node.body, d_step)
        for option in node.options:
            walk_atomic(option, d_step)
