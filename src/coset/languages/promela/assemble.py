"""From control flow to an automaton: which nodes are locations, and which edges leave them.

This is the second half of what `flow` begins: jumps are resolved, choices take the first statements of their
options, escapes are put before what they escape from, and a d_step becomes a chain of transient locations.
"""

from __future__ import annotations

from dataclasses import field, replace

from coset.languages.promela.flow import PASSED, Action, Flow, FlowError, FlowNode, Sequence, Shape
from coset.languages.promela.spelling import one_line
from coset.model.model import GONE, Edge, Location
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(slots=True)
class Transition:
    """An edge of a node before locations are numbered.  `identity` tells copies of one edge."""

    action: Action
    target: FlowNode | None
    hold: bool
    identity: int
    span: Span
    escapes: list[FlowNode] = field(default_factory=list)
    escape: FlowNode | None = None
    group: int = 0


class Assembly:
    """Turns the nodes of a finished body into locations."""

    def __init__(self, flow: Flow, body: Sequence) -> None:
        self.flow, self.body = flow, body
        self.lists: dict[FlowNode, list[Transition]] = {}
        self.marks: dict[FlowNode, set[str]] = {}
        self.inner: dict[FlowNode, list[Transition]] = {}  # nodes inside a d_step
        self.inside_of: dict[FlowNode, set[FlowNode]] = {}

    def run(self) -> tuple[tuple[Location, ...], int, dict[FlowNode, int]]:
        """Locations, the start, and the location of each node that has one."""
        self.mark_remote_gotos()
        self.link_blocks()
        for node in list(self.flow.nodes):
            if node.shape in (Shape.BLOCK, Shape.D_STEP):
                assert node.body is not None
                self.patch_gotos(node.body)
        self.refuse_jumps()
        for node in self.flow.nodes:
            marks = {mark for mark in ("end", "accept", "progress") if node.marked(mark)}
            self.marks[node] = marks | ({"end"} if node.shape is Shape.STOP else set())
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
                inside = there.atomic or there.last
                if (node.atomic or node.last) and not inside:
                    node.atomic, node.last = False, True
                if node.last and inside:
                    node.atomic, node.last = True, False
            else:
                for option in node.options:
                    self.patch_gotos(option)

    def refuse_jumps(self) -> None:
        """A d_step is one step, from its beginning to its end; as in SPIN, no jump and no `break` enters or leaves it."""
        steps = {node: step for step in self.flow.nodes if step.shape is Shape.D_STEP for node in self.members(step)}
        for node in self.flow.nodes:
            if node.shape is Shape.GOTO:
                here, there = steps.get(node), steps.get(self.flow.destination(node))
                if here is not there:
                    raise FlowError("F001", f"a jump {'into' if here is None else 'out of'} a d_step", node.span)

    def hunt(self, node: FlowNode, atomic: bool) -> FlowNode:
        """The node where a step ends that leads to `node`: jumps and joints are passed through, but
        not out of an atomic sequence."""
        for _ in range(500):
            following: FlowNode | None
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
        raise FlowError("F002", "a cycle of gotos without a statement", node.span)

    def start_of(self, sequence: Sequence) -> FlowNode:
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

    def links_of(self, node: FlowNode) -> list[FlowNode]:
        if node.shape is Shape.BLOCK:
            assert node.body is not None
            return [self.start_of(node.body)]
        starts = [self.start_of(option) for option in node.options]
        return [s for s in starts if not (s.action is not None and s.action.is_false and not s.escapes)]

    def flatten(self) -> dict[FlowNode, list[FlowNode]]:
        """For each choice the first statements of its options, through choices in choices."""
        links = {n: self.links_of(n) for n in self.flow.nodes if n.shape in (Shape.CHOICE, Shape.BLOCK)}
        changed = True
        while changed:
            changed = False
            for targets in links.values():
                if not any(links.get(target) for target in targets):
                    continue
                changed = True
                flat: list[FlowNode] = []
                for target in targets:
                    inner = links.get(target)
                    flat.extend(inner or [target])
                    for first in inner or []:
                        self.marks[first] |= self.marks[target]
                targets[:] = flat
        return links

    def pull(self, links: dict[FlowNode, list[FlowNode]]) -> None:
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

    def after(self, node: FlowNode) -> FlowNode | None:
        """Where a step from `node` ends."""
        if node.shape is Shape.GOTO:
            return self.hunt(self.flow.destination(node), node.atomic)
        return None if node.next is None else self.hunt(node.next, node.atomic)

    def own_transitions(self, node: FlowNode) -> list[Transition]:
        if node.shape is Shape.D_STEP:
            return self.d_step(node)
        action = node.action if node.action is not None else Action(text=jump_text(node))
        target = None if node.shape is Shape.STOP else self.after(node)
        transition = Transition(action, target, node.atomic, node.number, node.span)
        if node.shape is not Shape.JOINT:
            transition.escapes = self.escape_starts(node)
        return [transition]

    def escape_starts(self, node: FlowNode) -> list[FlowNode]:
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

    def d_step(self, node: FlowNode) -> list[Transition]:
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

    def explore_inside(self, step: FlowNode, exit_: FlowNode | None) -> None:
        """The transient locations of a d_step."""
        assert step.body is not None
        for node in self.members(step):
            if node.shape not in (Shape.BASIC, Shape.CHOICE) or node in self.inner:
                continue
            self.inner[node] = [
                Transition(s.action, self.next_inside(s, step) or exit_, False, s.number, s.span)
                for s in self.first_statements(node, step)
                if s.action is not None
            ]

    def members(self, step: FlowNode) -> set[FlowNode]:
        """The nodes that are written inside this d_step."""
        if step not in self.inside_of:
            found: set[FlowNode] = set()
            pending = [step.body]
            while pending:
                sequence = pending.pop()
                for node in sequence.nodes(sequence.last) if sequence is not None else ():
                    if node not in found:
                        found.add(node)
                        pending.extend([node.body, *node.options])
            self.inside_of[step] = found
        return self.inside_of[step]

    def inside(self, node: FlowNode | None, step: FlowNode) -> FlowNode | None:
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
        raise FlowError("F002", "a cycle of gotos without a statement", step.span)

    def next_inside(self, node: FlowNode, step: FlowNode) -> FlowNode | None:
        return self.inside(node.next, step) if node.shape is Shape.BASIC else node

    def first_statements(self, node: FlowNode, step: FlowNode) -> list[FlowNode]:
        """What a choice in a d_step tries, in order."""
        if node.shape is not Shape.CHOICE:
            return [node]
        result: list[FlowNode] = []
        for option in node.options:
            first = option.first
            if first is not None and first.shape in (Shape.GOTO, Shape.LEAVE):
                result.append(self.jump(first))
                continue
            start = self.inside(first, step)
            if start is not None:
                result.extend(self.first_statements(start, step))
        return result

    def jump(self, goto: FlowNode) -> FlowNode:
        """A goto as the first statement of an option: a step that is always possible."""
        node = FlowNode(goto.number, Shape.BASIC, goto.span)
        node.action = Action(text=jump_text(goto), is_skip=True)
        node.next = self.flow.destination(goto)
        return node

    # --- numbering -------------------------------------------------------------------------------

    def number(self, start: FlowNode) -> tuple[tuple[Location, ...], int, dict[FlowNode, int]]:
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

    def transitions(self, node: FlowNode) -> list[Transition]:
        return self.inner[node] if node in self.inner else self.lists.get(node, [])

    def location(self, node: FlowNode, index: dict[FlowNode, int]) -> Location:
        transient = node in self.inner
        tiers: dict[FlowNode | None, int] = {None: 0}
        edges = []
        for t in self.transitions(node):
            tier = tiers.setdefault(t.escape, len(tiers))
            target = GONE if t.target is None else index[t.target]
            number = self.flow.statement(t.identity)
            action = t.action
            edges.append(Edge(target, action.guard, action.effects, t.hold, tier, t.group, action.text, t.span, number))
        marks = self.marks[node]
        end, accept, progress = (mark in marks for mark in ("end", "accept", "progress"))
        return Location(tuple(edges), tuple(node.labels), end, accept, progress, transient, node.span, node.number)


def assemble(flow: Flow, body: Sequence) -> tuple[tuple[Location, ...], int, dict[FlowNode, int]]:
    """The automaton of a finished body: its locations, the start, and where each node went."""
    return Assembly(flow, body).run()


def detached(flow: Flow, locations: tuple[Location, ...]) -> tuple[tuple[Span, str], ...]:
    """The statements that are in no edge, as no path of control leads to them; jumps and `skip` are none."""
    placed = {(edge.span, edge.text) for location in locations for edge in location.edges}
    found = {
        (node.span, node.action.text): None
        for node in flow.nodes
        if node.shape is Shape.BASIC and node.action is not None and not node.action.is_skip
        if node.action.text and (node.span, node.action.text) not in placed
    }
    return tuple(found)


def jump_text(node: FlowNode) -> str:
    """A step that only goes elsewhere, as the user wrote it: `goto L`, `break`, or the end of a `select`."""
    return one_line(node.span) if node.shape is Shape.GOTO else "goto"
