"""Diagrams of the automata of processes and properties."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from coset.formats.dot import Arrow, Diagram, DiagramNode, Part
from coset.model import expression as e
from coset.model import model as m
from coset.properties.automaton import Automaton, AutomatonEdge
from coset.properties.buchi import translate
from coset.properties.formula import Not

CIRCLED = "❶❷❸❹❺❻❼❽❾"


def processes(model: m.Model, kinds: Sequence[m.Kind]) -> Diagram:
    """The automaton of each kind of process: locations, and edges with statements of the source text."""
    return diagram(model.name, [process(kind) for kind in kinds])


def properties(model: m.Model, shown: Sequence[m.Claim | m.Temporal]) -> Diagram:
    """The automaton of what each property forbids: a claim as written, or the negation of a formula."""
    return diagram(model.name, [claim(each) if isinstance(each, m.Claim) else formula(each) for each in shown])


def diagram(title: str, parts: Sequence[Part]) -> Diagram:
    """A diagram with a legend of the marks that occur in it."""
    marks = {mark for part in parts for node in part.nodes for mark in node.marks}
    arrows = {mark for part in parts for arrow in part.arrows for mark in arrow.marks}
    marks |= arrows & {"hold"} | ({"marked"} if "accept" in arrows else set())
    return Diagram(title, tuple(parts), tuple(each for each in ORDER if each in marks))


ORDER = ("end", "accept", "progress", "transient", "hold", "marked")


# --- processes -----------------------------------------------------------------------------------


def process(kind: m.Kind, title: str | None = None, subtitle: str = "") -> Part:
    parameters = ", ".join(f"{each.domain} {each.name}" for each in kind.variables[: kind.parameters])
    reached = reachable(kind)
    nodes = [node(kind, number) for number in reached]
    ends = any(edge.target == m.GONE and not leaves(kind, number) for number, edge in kind.edges())
    if ends:
        nodes.append(DiagramNode("gone", "", marks=frozenset({"over"})))
    arrows = [
        arrow(number, edge) for number in reached if not leaves(kind, number) for edge in kind.locations[number].edges
    ]
    return Part(title or f"{kind.name}({parameters})", tuple(nodes), merged(arrows), subtitle)


def reachable(kind: m.Kind) -> list[int]:
    """The reachable locations, in the order of a traversal."""
    found, todo = dict.fromkeys([kind.start]), [kind.start]
    while todo:
        for edge in kind.locations[todo.pop(0)].edges:
            if edge.target not in found and edge.target != m.GONE:
                found[edge.target] = None
                todo.append(edge.target)
    return list(found)


def leaves(kind: m.Kind, number: int) -> bool:
    """Whether the process can only terminate at a location, without executing a statement."""
    edges = kind.locations[number].edges
    return bool(edges) and all(edge.target == m.GONE and edge.text == "-end-" for edge in edges)


def node(kind: m.Kind, number: int) -> DiagramNode:
    location = kind.locations[number]
    marks = {word for word in ("end", "accept", "progress", "transient") if getattr(location, word)}
    if number == kind.start:
        marks.add("start")
    if leaves(kind, number):
        return DiagramNode(str(number), "end", marks=frozenset(marks | {"end"}))
    span = next((edge.span for edge in location.edges if edge.span is not None), location.span)
    place = "" if span is None else f"line {span.line}"
    labels = ", ".join(location.labels)
    return DiagramNode(str(number), labels or place, place if labels else "", frozenset(marks))


def arrow(source: int, edge: m.Edge) -> Arrow:
    text = " ".join(edge.text.split()) or str(edge.guard)
    target = "gone" if edge.target == m.GONE else str(edge.target)
    return Arrow(str(source), target, (text,), frozenset({"hold"} if edge.hold else ()))


def merged(arrows: Iterable[Arrow]) -> tuple[Arrow, ...]:
    """Arrows between the same nodes with the same marks as one: its labels are alternatives."""
    labels: dict[tuple[str, str, frozenset[str], str], dict[str, None]] = defaultdict(dict)
    for each in arrows:
        labels[each.source, each.target, each.marks, each.badge].update(dict.fromkeys(each.labels))
    return tuple(
        Arrow(source, target, tuple(found), marks, badge) for (source, target, marks, badge), found in labels.items()
    )


# --- properties ----------------------------------------------------------------------------------


def claim(shown: m.Claim) -> Part:
    return process(shown.automaton, shown.name, "never claim: it must accept no run")


def formula(shown: m.Temporal) -> Part:
    """The automaton of the runs that violate a formula."""
    automaton = translate(Not(shown.formula))
    nodes = tuple(
        DiagramNode(str(state), str(state), marks=frozenset({"start"} if state in automaton.initial else ()))
        for state in range(automaton.states)
    )
    text = " ".join(shown.text.split()) or str(shown.formula)
    arrows = merged(condition(automaton, edge) for edge in automaton.edges)
    return Part(f"against {shown.name}", nodes, arrows, f"accepts the runs that violate {text}")


def condition(automaton: Automaton[e.Expr], edge: AutomatonEdge) -> Arrow:
    """An edge with its condition; if there are several acceptance sets, with the numbers of those that it is in."""
    literals = [
        str(automaton.atoms[atom]) if holds else negation(automaton.atoms[atom]) for atom, holds in sorted(edge.label)
    ]
    badge = "".join(CIRCLED[mark] if mark < len(CIRCLED) else f"({mark + 1})" for mark in sorted(edge.marks))
    return Arrow(
        str(edge.source),
        str(edge.target),
        (" && ".join(literals) or "true",),
        frozenset({"accept"} if edge.marks or automaton.sets == 0 else ()),
        badge if automaton.sets > 1 else "",
    )


def negation(x: e.Expr) -> str:
    """The negation of a condition in its simplest form.

    >>> negation(e.Binary("<", e.Const(1), e.Const(2))), negation(e.Self())
    ('1 >= 2', '!_pid')
    """
    match x:
        case e.Binary(operator, left, right) if operator in OPPOSITE:
            return str(e.Binary(OPPOSITE[operator], left, right))
        case e.Unary("!", operand):
            return str(operand)
    return str(e.Unary("!", x))


OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
