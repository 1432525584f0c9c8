"""Automata on infinite words: generalised Büchi automata with marks on their edges.

A run is accepted when, for every acceptance set, it takes edges with that set's mark infinitely often; without sets,
every infinite run is accepted.  A word is accepted when some run on it is.  No initial state: no word.

    >>> edge = AutomatonEdge(0, 0, frozenset({(0, True)}), frozenset({0}))
    >>> waits = Automaton(1, (0,), (AutomatonEdge(0, 0, frozenset(), frozenset()), edge), 1, ("p",))
    >>> print(waits)
    1 state, 2 edges, 1 acceptance set, start 0
    0 -> 0  true
    0 -> 0  p  {0}
"""

from __future__ import annotations

from dataclasses import field
from typing import Generic

from coset.properties.formula import A
from coset.source.printable import printable
from coset.source.records import dataclass

Label = frozenset[tuple[int, bool]]
"""A conjunction of literals: the index of an atom, and whether it must be true.  Empty: any letter."""


@dataclass(frozen=True, slots=True)
class AutomatonEdge:
    source: int
    target: int
    label: Label
    marks: frozenset[int]


@dataclass(frozen=True)
class Automaton(Generic[A]):
    """States are `0 .. states - 1`, acceptance sets `0 .. sets - 1`; edges are in the order of their sources."""

    states: int
    initial: tuple[int, ...]
    edges: tuple[AutomatonEdge, ...]
    sets: int
    atoms: tuple[A, ...]
    outgoing: tuple[tuple[AutomatonEdge, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows: list[list[AutomatonEdge]] = [[] for _ in range(self.states)]
        for edge in self.edges:
            if not (0 <= edge.source < self.states and 0 <= edge.target < self.states):
                raise ValueError(f"{edge} is between states that are not there")
            if any(not 0 <= mark < self.sets for mark in edge.marks):
                raise ValueError(f"{edge} has a mark of no acceptance set")
            if len({atom for atom, _ in edge.label}) < len(edge.label):
                raise ValueError(f"{edge} asks for an atom and for its negation")
            if any(not 0 <= atom < len(self.atoms) for atom, _ in edge.label):
                raise ValueError(f"{edge} asks for an atom that is not there")
            rows[edge.source].append(edge)
        if any(not 0 <= state < self.states for state in self.initial):
            raise ValueError(f"there is no initial state among {self.initial}")
        object.__setattr__(self, "outgoing", tuple(tuple(row) for row in rows))

    def is_state_based(self) -> bool:
        """Whether all edges that leave a state have the same marks, so that these are the state's."""
        return all(len({edge.marks for edge in row}) <= 1 for row in self.outgoing)

    def accepting(self) -> tuple[bool, ...]:
        """Of each state of a state-based automaton with at most one set, whether it is accepting."""
        if self.sets > 1 or not self.is_state_based():
            raise ValueError("acceptance is not by states; use to_state_based")
        return tuple(self.sets == 0 or any(edge.marks for edge in row) for row in self.outgoing)

    def label_text(self, label: Label) -> str:
        """A label in words of the atoms.

        >>> Automaton(0, (), (), 0, ("p", "x > 1")).label_text(frozenset({(0, True), (1, False)}))
        'p && !(x > 1)'
        """
        if not label:
            return "true"
        names = [(str(self.atoms[atom]), value) for atom, value in sorted(label)]
        shown = [name if name.isidentifier() else f"({name})" for name, _ in names]
        return " && ".join(name if value else f"!{name}" for name, (_, value) in zip(shown, names, strict=True))

    def __str__(self) -> str:
        counts = [_count(self.states, "state"), _count(len(self.edges), "edge"), _count(self.sets, "acceptance set")]
        start = " ".join(map(str, self.initial)) or "nowhere"
        lines = [f"{', '.join(counts)}, start {start}"]
        for edge in self.edges:
            marks = f"  {{{', '.join(map(str, sorted(edge.marks)))}}}" if edge.marks else ""
            lines.append(f"{edge.source} -> {edge.target}  {self.label_text(edge.label)}{marks}")
        return "\n".join(lines)

    def to_dot(self, name: str = "automaton") -> str:
        """The automaton in the language of Graphviz; accepting states are double circles, marks on edges are in braces.

        >>> print(Automaton(1, (0,), (AutomatonEdge(0, 0, frozenset(), frozenset()),), 0, ()).to_dot())
        digraph "automaton" {
          rankdir=LR;
          node [shape=circle];
          start0 [shape=point, label=""];
          start0 -> 0;
          0 [shape=doublecircle];
          0 -> 0 [label="true"];
        }
        """
        by_state = self.sets <= 1 and self.is_state_based()
        lines = [f"digraph {_quoted(name)} {{", "  rankdir=LR;", "  node [shape=circle];"]
        for number, state in enumerate(self.initial):
            lines += [f'  start{number} [shape=point, label=""];', f"  start{number} -> {state};"]
        accepting = self.accepting() if by_state else (False,) * self.states
        lines += [f"  {state}{' [shape=doublecircle]' * double};" for state, double in enumerate(accepting)]
        for edge in self.edges:
            text = self.label_text(edge.label)
            if edge.marks and not by_state:
                text += f"\n{{{', '.join(map(str, sorted(edge.marks)))}}}"
            lines.append(f"  {edge.source} -> {edge.target} [label={_quoted(text)}];")
        return "\n".join([*lines, "}"])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _quoted(text: str) -> str:
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
