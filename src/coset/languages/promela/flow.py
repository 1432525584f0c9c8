"""Control flow: statements in sequence become the locations and edges of an automaton.

SPIN decides what counts as a state of a process, and this module follows it (experiments: docs/spin-control.md):

* Each basic statement is a node; a process "at" a node is about to execute it.
* `goto`, `break` and the joints after `if` and `do` are passed through when they come after a statement, but are
  steps when they are the first thing to do, or when passing through would end an atomic sequence.
* A choice takes the first statements of its options as its own edges, and those of a choice in a choice.
* `unless` puts the first edges of the escape before those of each statement that it guards.

A `Sequence` is filled by a builder (`lower_statement`), `assemble` turns the finished body into locations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from coset.model.expression import TRUE, Expr
from coset.model.model import GONE, Edge, Effect, Location
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
class Node:
    number: int
    shape: Shape
    span: Span
    action: Action | None = None
    destination: LabelName | Node | None = None  # of a goto
    options: list[Sequence] = field(default_factory=list)  # of a choice
    body: Sequence | None = None  # of a block, d_step or unless
    next: Node | None = None
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

    first: Node | None = None
    last: Node | None = None
    extent: Node | None = None

    def append(self, node: Node) -> None:
        if self.last is None:
            self.first = node
        else:
            self.last.next = node
        self.last = node

    def nodes(self, end: Node | None) -> Iterator[Node]:
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
    destination: LabelName | Node
    span: Span


@dataclass(slots=True)
class Choice:
    """`if`, or `do` when there is a place to leave it for."""

    options: list[Sequence]
    leave: Node | None
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
    """The nodes of one body, numbered in the order of their making, and its labels."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.labels: list[tuple[LabelName, Node]] = []

    def node(self, shape: Shape, span: Span) -> Node:
        node = Node(len(self.nodes) + 1, shape, span)
        self.nodes.append(node)
        return node

    def pending(self, span: Span) -> Node:
        """The place where a loop will end.  It gets its number when the loop is placed."""
        return Node(0, Shape.LEAVE, span)

    # --- placing ---------------------------------------------------------------------------------

    def place(self, item: Item, sequence: Sequence) -> Node:
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

    def attach(self, name: LabelName, node: Node, sequence: Sequence) -> None:
        """Give a node a label.  A marked goto gets a skip before it, as it would be passed through otherwise."""
        if node.shape is Shape.GOTO and name.name.startswith(("accept", "end", "progress")):
            skip = self.node(Shape.BASIC, node.span)
            skip.action = Action(text="(1)", is_skip=True)
            self.insert_before(skip, node, sequence)
            node = skip
        node.labels.append(name.name)
        self.labels.append((name, node))

    def insert_before(self, new: Node, node: Node, sequence: Sequence) -> None:
        previous = next((n for n in sequence.nodes(sequence.last) if n.next is node), None)
        new.next = node
        if previous is None:
            sequence.first = new
        else:
            previous.next = new

    def place_choice(self, choice: Choice, sequence: Sequence) -> Node:
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

    def find(self, wanted: LabelName) -> Node | None:
        """The node of a label: in the same block if there is one, else in an enclosing block, else anywhere."""
        best: Node | None = None
        for name, node in reversed(self.labels):
            if name.name != wanted.name:
                continue
            if name.scope == wanted.scope:
                return node
            if wanted.scope[: len(name.scope)] == name.scope or best is None:
                best = node
        return best

    def destination(self, node: Node) -> Node:
        if isinstance(node.destination, Node):
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


def attach_escape_to(node: Node, escape: Sequence) -> None:
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


# --- assembling ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Transition:
    """An edge of a node before locations are numbered.  `identity` tells copies of one edge."""

    action: Action
    target: Node | None
    hold: bool
    identity: int
    span: Span
    escapes: list[Node] = field(default_factory=list)
    escape: Node | None = None
    group: int = 0


class Assembly:
    """Turns the nodes of a finished body into locations."""

    def __init__(self, flow: Flow, body: Sequence) -> None:
        self.flow, self.body = flow, body
        self.lists: dict[Node, list[Transition]] = {}
        self.marks: dict[Node, set[str]] = {}
        self.inner: dict[Node, list[Transition]] = {}  # nodes inside a d_step

    def run(self) -> tuple[tuple[Location, ...], int, dict[Node, int]]:
        """Locations, the start, and the location of each node that has one."""
        self.mark_remote_gotos()
        self.link_blocks()
        for node in list(self.flow.nodes):
            if node.shape in (Shape.BLOCK, Shape.D_STEP):
                assert node.body is not None
                self.patch_gotos(node.body)
        for node in self.flow.nodes:
            words = {word for word in ("end", "accept", "progress") if node.marked(word)}
            self.marks[node] = words | ({"end"} if node.shape is Shape.STOP else set())
        links = self.flatten()
        for node in self.flow.nodes:
            if node.shape in (Shape.BASIC, Shape.STOP, Shape.D_STEP, *PASSED) and node.shape is not Shape.UNLESS:
                self.lists[node] = self.own_transitions(node)
        self.pull(links)
        self.prepend_escapes()
        assert self.body.first is not None
        return self.number(self.hunt(self.body.first, self.body.first.atomic))

    def mark_remote_gotos(self) -> None:
        """A goto whose label is asked for from outside becomes a skip and a goto, so that it can be stood at."""
        for _, node in self.flow.labels:
            if node.remote and node.shape is Shape.GOTO:
                goto = self.flow.node(Shape.GOTO, node.span)
                goto.destination, goto.next = node.destination, node.next
                goto.atomic, goto.last = node.atomic, node.last
                node.shape, node.action, node.next = Shape.BASIC, Action(text="(1)", is_skip=True), goto

    def link_blocks(self) -> None:
        """What follows a block follows its last node."""
        for node in reversed(self.flow.nodes):
            if node.shape in (Shape.BLOCK, Shape.D_STEP):
                assert node.body is not None and node.body.last is not None
                node.body.last.next = node.next

    def patch_gotos(self, sequence: Sequence) -> None:
        """A jump out of an atomic sequence ends it; a jump from the end of one into another goes on."""
        for node in sequence.nodes(sequence.extent):
            if node.shape is Shape.GOTO:
                there = self.flow.destination(node)
                if node.inside_d_step != there.inside_d_step and there.inside_d_step:
                    raise FlowError("F001", "a jump into a d_step", node.span)
                inside = there.atomic or there.last
                if (node.atomic or node.last) and not inside:
                    node.atomic, node.last = False, True
                if node.last and inside:
                    node.atomic, node.last = True, False
            else:
                for option in node.options:
                    self.patch_gotos(option)

    def hunt(self, node: Node, atomic: bool) -> Node:
        """The node where a step ends that leads to `node`: jumps and joints are passed through, but
        not out of an atomic sequence."""
        for _ in range(500):
            following: Node | None
            match node.shape:
                case Shape.GOTO:
                    following = self.flow.destination(node)
                    if following is node:
                        raise FlowError("F002", "a goto to itself", node.span)
                case Shape.JOINT | Shape.LEAVE:
                    following = node.next
                case Shape.UNLESS:
                    assert node.body is not None and node.body.first is not None
                    following = self.hunt(node.body.first, atomic)
                case _:
                    return node
            if following is None or (atomic and not following.atomic):
                return node
            node = following
        raise FlowError("F002", "gotos that lead to each other for ever", node.span)

    def start_of(self, sequence: Sequence) -> Node:
        """The first node to execute in an option or block."""
        node = sequence.first
        assert node is not None
        while True:
            if node.shape is Shape.JOINT and node.next is not None:
                node = node.next
            elif node.shape is Shape.UNLESS:
                assert node.body is not None and node.body.first is not None
                node = node.body.first
            else:
                return node

    # --- choices ---------------------------------------------------------------------------------

    def links_of(self, node: Node) -> list[Node]:
        if node.shape is Shape.BLOCK:
            assert node.body is not None
            return [self.start_of(node.body)]
        starts = [self.start_of(option) for option in node.options]
        return [s for s in starts if not (s.action is not None and s.action.is_false and not s.escapes)]

    def flatten(self) -> dict[Node, list[Node]]:
        """For each choice the first statements of its options, through choices in choices."""
        links = {n: self.links_of(n) for n in self.flow.nodes if n.shape in (Shape.CHOICE, Shape.BLOCK)}
        changed = True
        while changed:
            changed = False
            for targets in links.values():
                if not any(links.get(target) for target in targets):
                    continue
                changed = True
                flat: list[Node] = []
                for target in targets:
                    inner = links.get(target)
                    flat.extend(inner or [target])
                    for first in inner or []:
                        self.marks[first] |= self.marks[target]
                targets[:] = flat
        return links

    def pull(self, links: dict[Node, list[Node]]) -> None:
        """A choice takes the edges of its first statements as its own."""
        for node, targets in links.items():
            pulled: list[Transition] = []
            for target in targets:
                for transition in self.lists.get(target, []):
                    pulled.append(transition)
                    if transition.target is not None:
                        self.marks[transition.target] |= self.marks[target]
            self.lists[node] = pulled

    # --- single steps ----------------------------------------------------------------------------

    def after(self, node: Node) -> Node | None:
        """Where a step from `node` ends."""
        if node.shape is Shape.GOTO:
            return self.hunt(self.flow.destination(node), node.atomic)
        return None if node.next is None else self.hunt(node.next, node.atomic)

    def own_transitions(self, node: Node) -> list[Transition]:
        if node.shape is Shape.D_STEP:
            return self.d_step(node)
        action = node.action if node.action is not None else Action(text="goto")
        target = None if node.shape is Shape.STOP else self.after(node)
        transition = Transition(action, target, node.atomic, node.number, node.span)
        if node.shape is not Shape.JOINT:
            transition.escapes = self.escape_starts(node)
        return [transition]

    def escape_starts(self, node: Node) -> list[Node]:
        starts = []
        for escape in node.escapes:
            assert escape.first is not None
            starts.append(self.hunt(escape.first, node.atomic))
        return starts

    def prepend_escapes(self) -> None:
        """The first edges of the escapes come before the statement's own, those of the outermost escape first."""
        for node in self.flow.nodes:
            own = self.lists.get(node)
            if not own:
                continue
            result = list(own)
            for transition in own:
                for start in reversed(transition.escapes):
                    for first in self.lists.get(start, []):
                        if all(first.identity != present.identity for present in result):
                            result.insert(0, replace(first, escape=start))
            self.lists[node] = result

    # --- d_step ----------------------------------------------------------------------------------

    def d_step(self, node: Node) -> list[Transition]:
        """A d_step is entered by the first of its possible first statements, and goes on through transient
        locations until it is left."""
        assert node.body is not None and node.body.first is not None
        exit_ = self.after(node)
        first = self.inside(node.body.first, node)
        assert first is not None
        choice = first.shape is Shape.CHOICE
        result = []
        for start in self.first_statements(first, node):
            assert start.action is not None
            result.append(
                Transition(
                    start.action,
                    self.next_inside(start, node) or exit_,
                    node.atomic,
                    node.number,
                    start.span,
                    self.escape_starts(node),
                    group=node.number if choice else 0,
                )
            )
        self.explore_inside(node, exit_)
        return result

    def explore_inside(self, step: Node, exit_: Node | None) -> None:
        """The transient locations of a d_step."""
        assert step.body is not None
        stack = [n for n in self.flow.nodes if n.inside_d_step and self.belongs(n, step)]
        for node in stack:
            if node.shape not in (Shape.BASIC, Shape.CHOICE) or node in self.inner:
                continue
            self.inner[node] = [
                Transition(s.action, self.next_inside(s, step) or exit_, False, s.number, s.span)
                for s in self.first_statements(node, step)
                if s.action is not None
            ]

    def belongs(self, node: Node, step: Node) -> bool:
        """Whether a node is written inside this d_step."""
        return node in self.members(step)

    def members(self, step: Node) -> set[Node]:
        found: set[Node] = set()

        def visit(sequence: Sequence | None) -> None:
            if sequence is None:
                return
            for n in sequence.nodes(sequence.last):
                if n in found:
                    return
                found.add(n)
                if n.shape in (Shape.BLOCK, Shape.UNLESS):
                    visit(n.body)
                for option in n.options:
                    visit(option)

        visit(step.body)
        return found

    def inside(self, node: Node | None, step: Node) -> Node | None:
        """The next basic statement or choice within the d_step; None when it is left."""
        members = self.members(step)
        for _ in range(10_000):
            if node is None or node not in members:
                return None
            match node.shape:
                case Shape.GOTO:
                    node = self.flow.destination(node)
                case Shape.JOINT | Shape.LEAVE:
                    node = node.next
                case Shape.BLOCK | Shape.UNLESS:
                    assert node.body is not None
                    node = node.body.first
                case _:
                    return node
        raise FlowError("F002", "gotos that lead to each other for ever", step.span)

    def next_inside(self, node: Node, step: Node) -> Node | None:
        return self.inside(node.next, step) if node.shape is Shape.BASIC else node

    def first_statements(self, node: Node, step: Node) -> list[Node]:
        """What a choice in a d_step tries, in order."""
        if node.shape is not Shape.CHOICE:
            return [node]
        result: list[Node] = []
        for option in node.options:
            first = option.first
            if first is not None and first.shape in (Shape.GOTO, Shape.LEAVE):
                result.append(self.jump(first))
                continue
            start = self.inside(first, step)
            if start is not None:
                result.extend(self.first_statements(start, step))
        return result

    def jump(self, goto: Node) -> Node:
        """A goto as the first statement of an option: a step that is always possible."""
        node = Node(goto.number, Shape.BASIC, goto.span)
        node.action = Action(text="goto", is_skip=True)
        node.next = self.flow.destination(goto)
        return node

    # --- numbering -------------------------------------------------------------------------------

    def number(self, start: Node) -> tuple[tuple[Location, ...], int, dict[Node, int]]:
        """The locations that can be reached, numbered in the order of the text."""
        reached = {start}
        stack = [start]
        while stack:
            node = stack.pop()
            for transition in self.transitions(node):
                if transition.target is not None and transition.target not in reached:
                    reached.add(transition.target)
                    stack.append(transition.target)
        order = sorted(reached, key=lambda node: node.number)
        index = {node: number for number, node in enumerate(order)}
        locations = tuple(self.location(node, index) for node in order)
        return locations, index[start], index

    def transitions(self, node: Node) -> list[Transition]:
        return self.inner[node] if node in self.inner else self.lists.get(node, [])

    def location(self, node: Node, index: dict[Node, int]) -> Location:
        transient = node in self.inner
        tiers: dict[Node | None, int] = {None: 0}
        edges = []
        for t in self.transitions(node):
            tier = tiers.setdefault(t.escape, len(tiers))
            target = GONE if t.target is None else index[t.target]
            edges.append(Edge(target, t.action.guard, t.action.effects, t.hold, tier, t.group, t.action.text, t.span))
        marks = self.marks[node]
        return Location(
            tuple(edges), tuple(node.labels), "end" in marks, "accept" in marks, "progress" in marks, transient, node.span
        )


def assemble(flow: Flow, body: Sequence) -> tuple[tuple[Location, ...], int, dict[Node, int]]:
    """The automaton of a finished body: its locations, the start, and where each node went."""
    return Assembly(flow, body).run()
