"""What must hold now, and what from the next letter on?

A formula becomes a *very weak alternating automaton*: its states are formulas, and a move of a state says which
letters it allows, which states must all hold from the next letter on, and which promises it puts off:

    p U q   either q now, or p now, then p U q again, and the promise of q is put off

Very weak: a state leads only to itself and to its subformulas.  A word is refused only by putting off the same promise
forever.  P. Gastin and D. Oddoux, "Fast LTL to Büchi automata translation", CAV 2001, LNCS 2102.

There the promises are read off the states; here they are written on the moves, as in J.-M. Couvreur, "On-the-fly
verification of linear temporal logic", FM 1999, LNCS 1708.  Then a move whose letters, obligations and promises are
all weaker than another's makes the other superfluous, alone and in every combination with further moves, which is what
lets `superfluous` moves be dropped as early as possible.

    >>> from coset.properties.formula import Atom, Until
    >>> print(alternating(Until("U", Atom("p"), Atom("q"))))
    start (((p) U (q)))
    ((p) U (q)):
      p  ->  (((p) U (q)))  puts off ((p) U (q))
      q  ->  true
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple

from coset.properties.automaton import Automaton
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Modal, Not, Until
from coset.properties.labels import ANY, Cube, bits, literals
from coset.properties.normal import operands, unknown
from coset.source.records import dataclass


class Move(NamedTuple):
    """`cube`: the letters.  `then`: the set of states that must hold next.  `promises`: the set of states, formulas
    `p U q` and `<> q`, that the move puts off."""

    cube: Cube
    then: int
    promises: int


@dataclass(frozen=True)
class Alternating(Generic[A]):
    """States are the indices of `formulas`; sets of states are bit sets.  All states of `initial` must hold."""

    atoms: tuple[A, ...]
    formulas: tuple[Formula[A], ...]
    moves: tuple[tuple[Move, ...], ...]
    initial: int

    def __str__(self) -> str:
        def conjunction(states: int) -> str:
            return " && ".join(f"({self.formulas[state]})" for state in bits(states)) or "true"

        names = Automaton(0, (), (), 0, self.atoms)
        lines = [f"start {conjunction(self.initial)}"]
        for formula, moves in zip(self.formulas, self.moves, strict=True):
            lines.append(f"{formula}:")
            for move in moves:
                put_off = ", ".join(str(self.formulas[state]) for state in bits(move.promises))
                text = f"  {names.label_text(literals(move.cube))}  ->  {conjunction(move.then)}"
                lines.append(text + (f"  puts off {put_off}" if put_off else ""))
        return "\n".join(lines)


def alternating(formula: Formula[A]) -> Alternating[A]:
    """The automaton of a formula in negation normal form."""
    builder = _Builder(tuple(dict.fromkeys(formula.atoms())))
    initial = builder.obligations(formula)
    for state in builder.states:  # which grows
        builder.moves(state)
    return Alternating(
        builder.atoms, tuple(builder.states), tuple(tuple(builder.moves(state)) for state in builder.states), initial
    )


def combine(ones: Iterable[Move], others: list[Move]) -> list[Move]:
    """The moves that do one of `ones` and one of `others` at once."""
    found = []
    for (positive, negative), then, promises in ones:
        for (positive2, negative2), then2, promises2 in others:
            together = (positive | positive2, negative | negative2)
            if not together[0] & together[1]:
                found.append(Move(together, then | then2, promises | promises2))
    return strongest(found)


def strongest(moves: Iterable[Move]) -> list[Move]:
    """The moves without those that another one makes superfluous: more letters, fewer obligations, fewer promises.

    >>> moves = [Move((1, 0), 4, 0), Move((3, 0), 4, 0), Move((3, 0), 0, 0), Move((0, 0), 4, 4)]
    >>> [tuple(move) for move in strongest(moves)]
    [((0, 0), 4, 4), ((1, 0), 4, 0), ((3, 0), 0, 0)]
    """

    def weight(move: Move) -> int:
        (positive, negative), then, promises = move
        return (positive.bit_count() + negative.bit_count()) + then.bit_count() + promises.bit_count()

    kept: list[Move] = []
    for move in sorted(set(moves), key=lambda move: (weight(move), move)):
        (positive, negative), then, promises = move
        for (positive2, negative2), then2, promises2 in kept:
            if not (positive2 & ~positive or negative2 & ~negative or then2 & ~then or promises2 & ~promises):
                break
        else:
            kept.append(move)
    return sorted(kept)


class _Builder(Generic[A]):
    def __init__(self, atoms: tuple[A, ...]) -> None:
        self.atoms = atoms
        self.states: list[Formula[A]] = []
        self._number: dict[Formula[A], int] = {}
        self._atom = {atom: 1 << index for index, atom in enumerate(atoms)}
        self._moves: dict[Formula[A], list[Move]] = {}

    def state(self, formula: Formula[A]) -> int:
        """The set of one state."""
        if formula not in self._number:
            self._number[formula] = len(self.states)
            self.states.append(formula)
        return 1 << self._number[formula]

    def obligations(self, formula: Formula[A]) -> int:
        """The set of states that together say the formula."""
        result = 0
        for part in operands("&&", formula):
            if part != Constant(True):
                result |= self.state(part)
        return result

    def moves(self, formula: Formula[A]) -> list[Move]:
        if formula not in self._moves:
            self._moves[formula] = strongest(self._expand(formula))
        return self._moves[formula]

    def _expand(self, formula: Formula[A]) -> list[Move]:
        match formula:
            case Constant(value):
                return [Move(ANY, 0, 0)] if value else []
            case Atom(atom):
                return [Move((self._atom[atom], 0), 0, 0)]
            case Not(Atom(atom)):
                return [Move((0, self._atom[atom]), 0, 0)]
            case Logic("&&", left, right):
                return combine(self.moves(left), self.moves(right))
            case Logic("||", left, right):
                return self.moves(left) + self.moves(right)
            case Modal("X", operand):
                return [Move(ANY, self.obligations(operand), 0)]
        again = self.state(formula)
        match formula:
            case Modal("[]", operand):
                return combine([Move(ANY, again, 0)], self.moves(operand))
            case Modal("<>", operand):
                return [*self.moves(operand), Move(ANY, again, again)]
            case Until("U", left, right):
                return self.moves(right) + combine([Move(ANY, again, again)], self.moves(left))
            case Until("W", left, right):
                return self.moves(right) + combine([Move(ANY, again, 0)], self.moves(left))
            case Until("V", left, right):
                return combine(self.moves(right), [*self.moves(left), Move(ANY, again, 0)])
        raise unknown(formula)
