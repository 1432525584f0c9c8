"""Which automaton accepts exactly the words of a formula?

    formula -> smaller formula -> alternating automaton -> generalised Büchi automaton -> reduced
    normal.py                     alternating.py           here                           reduce.py

P. Gastin and D. Oddoux, "Fast LTL to Büchi automata translation", CAV 2001, LNCS 2102: a state of the
Büchi automaton is a set of states of the alternating one that must all hold, an edge is one move of each.  Every `U`
and `<>` is an acceptance set; an edge has its mark unless it puts off that promise.  Simplified on the fly: edges
that another edge makes superfluous are dropped while they are made, and sets with the same edges are one state.

    >>> from coset.properties.formula import Atom, Modal
    >>> print(translate(Modal("[]", Modal("<>", Atom("p")))))
    1 state, 2 edges, 1 acceptance set, start 0
    0 -> 0  true
    0 -> 0  p  {0}

For one acceptance set, and for acceptance by states as in never claims, see `degeneralise.py`.
"""

from __future__ import annotations

from coset.properties.alternating import Alternating, Move, alternating, combine
from coset.properties.automaton import Automaton, AutomatonEdge
from coset.properties.compact import Arrow, Compact, pack
from coset.properties.degeneralise import degeneralise, single_sets, to_state_based
from coset.properties.formula import A, Formula
from coset.properties.labels import ANY, bits
from coset.properties.normal import simplify
from coset.properties.reduce import reduce

__all__ = ["Automaton", "AutomatonEdge", "degeneralise", "to_state_based", "translate"]


def translate(formula: Formula[A]) -> Automaton[A]:
    """A small generalised automaton, with marks on edges, for the words of the formula.  Its `atoms` are the distinct
    atoms of the formula, from left to right, also those that the automaton does not ask for."""
    automaton = alternating(simplify(formula))
    atoms = tuple(dict.fromkeys(formula.atoms()))
    index = [atoms.index(atom) for atom in automaton.atoms]
    work = reduce(generalised(automaton))
    if work.sets > 1:  # often one set does as well
        work = min([*single_sets(work), work], key=Compact.measure)
    for row in work.rows:
        row[:] = [arrow._replace(cube=(_moved(arrow.cube[0], index), _moved(arrow.cube[1], index))) for arrow in row]
    return pack(work, atoms)


def generalised(automaton: Alternating[A]) -> Compact:
    """The Büchi automaton of an alternating one: sets of states that must all hold."""
    promised = 0
    for moves in automaton.moves:
        for move in moves:
            promised |= move.promises
    promises = bits(promised)
    absorbed = _absorbed(automaton)
    number: dict[int, int] = {}
    same: dict[tuple[Move, ...], int] = {}
    found: list[tuple[Move, ...]] = []

    def visit(states: int) -> int:
        """The number of the state for a set of obligations: that of a set with the same moves, or a new one."""
        for state in bits(states):
            states &= ~absorbed[state]
        if states not in number:
            moves = [Move(ANY, 0, 0)]
            for state in bits(states):
                moves = combine(moves, list(automaton.moves[state]))
            key = tuple(moves)
            if key not in same:
                same[key] = len(found)
                found.append(key)
            number[states] = same[key]
        return number[states]

    initial = visit(automaton.initial)
    rows: list[list[Arrow]] = []
    for moves in found:  # which grows
        rows.append(
            [
                Arrow(
                    move.cube,
                    sum(1 << mark for mark, state in enumerate(promises) if not move.promises >> state & 1),
                    visit(move.then),
                )
                for move in moves
            ]
        )
    return Compact(len(promises), [initial], rows)


def _absorbed(automaton: Alternating[A]) -> list[int]:
    """For every state those that change no moves beside it, as `<> p` beside `[] <> p`."""
    count = len(automaton.moves)
    result = [0] * count
    for one, moves in enumerate(automaton.moves):
        for other in range(count):
            if one == other or result[other] >> one & 1:
                continue
            if combine(moves, list(automaton.moves[other])) == list(moves):
                result[one] |= 1 << other
    return result


def _moved(mask: int, index: list[int]) -> int:
    return sum(1 << index[bit] for bit in bits(mask))
