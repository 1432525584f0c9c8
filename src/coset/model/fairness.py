"""Which runs count: fairness of processes, and fairness constraints given as formulas.

*Weak fairness* of processes: each process infinitely often cannot begin a step, or takes part in the step that is
taken. *Strong fairness*: each process that can begin a step infinitely often takes part in a step infinitely often.
As in SPIN, a process that can only receive in a handshake is not able to begin a step, but it takes part when it
receives. A step that ends in a fault does not count, and a run that stops is fair to all processes.

A constraint is `[]<> p` (p holds infinitely often) or `[]<> p -> []<> q` (if p does, so does q). Each kind is a
*Streett pair*: if one thing happens infinitely often, so does another (R. S. Streett, "Propositional dynamic logic of
looping and converse is elementarily decidable", Information and Control 54, 1982).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from coset.model import expression as e
from coset.model.model import LtlProperty
from coset.model.state_formula import joined
from coset.properties.formula import Formula, Logic, Modal, Not
from coset.source.records import dataclass


class ProcessFairness(Enum):
    """How the processes are treated."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Constraint:
    """If `when` holds infinitely often, so does `then`."""

    when: e.Expr
    then: e.Expr

    @property
    def is_weak(self) -> bool:
        """Whether `then` must hold infinitely often in any case."""
        return self.when == e.TRUE

    def __str__(self) -> str:
        return f"[]<> ({self.then})" if self.is_weak else f"[]<> ({self.when}) -> []<> ({self.then})"


@dataclass(frozen=True, slots=True)
class Fairness:
    """Which runs count.  `stated` are the constraints as the properties of the model by which they were read: symmetries have to
    preserve their conditions.

    >>> bool(Fairness()), bool(Fairness(ProcessFairness.STRONG))
    (False, True)
    """

    processes: ProcessFairness = ProcessFairness.NONE
    constraints: tuple[Constraint, ...] = ()
    stated: tuple[LtlProperty, ...] = ()

    def __bool__(self) -> bool:
        return self.processes is not ProcessFairness.NONE or bool(self.constraints)

    def __str__(self) -> str:
        named = [] if self.processes is ProcessFairness.NONE else [self.processes.value]
        return ", ".join([*named, *map(str, self.constraints)])

    @property
    def is_weak_only(self) -> bool:
        """Whether it is weak fairness of processes, and nothing else."""
        return self.processes is ProcessFairness.WEAK and not self.constraints


Fair = bool | str | Sequence[str] | Fairness
"""How fairness is asked for: `True` is "weak"; "weak", "strong" and constraints, one or several."""
UNFAIR, WEAK, STRONG = Fairness(), Fairness(ProcessFairness.WEAK), Fairness(ProcessFairness.STRONG)


def fairness_of(fair: bool | str | Fairness) -> Fairness:
    """The fairness of processes that is meant: `True` is "weak".

    >>> fairness_of(True) == fairness_of("weak") == WEAK, fairness_of(False) == UNFAIR
    (True, True)
    """
    if isinstance(fair, Fairness):
        return fair
    kind, constraints = asked_for(fair)
    assert not constraints
    return Fairness(kind)


def asked_for(fair: bool | str | Sequence[str]) -> tuple[ProcessFairness, tuple[str, ...]]:
    """How the processes are to be treated, and the texts of constraints.  If several kinds are named, the strongest counts.

    >>> asked_for(["weak", "[]<> p"])
    (<ProcessFairness.WEAK: 'weak'>, ('[]<> p',))
    """
    if isinstance(fair, bool):
        return (ProcessFairness.WEAK if fair else ProcessFairness.NONE), ()
    words = [fair] if isinstance(fair, str) else list(fair)
    kinds = [kind for kind in ProcessFairness if kind.value in words]
    return (kinds or [ProcessFairness.NONE])[-1], tuple(word for word in words if word not in {k.value for k in kinds})


class NotAConstraint(ValueError):
    """A formula that is no fairness constraint; the message says what one looks like."""

    def __init__(self) -> None:
        super().__init__("a fairness constraint is `[]<> p` or `[]<> p -> []<> q`, for conditions on one state")


def constraints_of(formula: Formula[e.Expr]) -> Iterator[Constraint]:
    """The constraints that a formula states: a conjunction states several.  Raises `NotAConstraint`.

    `<>[] p` is `!([]<> !p)`, so that `<>[] p -> []<> q` is `[]<> (!p || q)`, and `<>[] p` is `[]<> !p -> []<> false`.
    """
    if isinstance(formula, Logic) and formula.operator == "&&":
        yield from constraints_of(formula.left)
        yield from constraints_of(formula.right)
        return
    try:
        yield constraint(formula)
    except TypeError:
        raise NotAConstraint from None


def constraint(formula: Formula[e.Expr]) -> Constraint:
    match formula:
        case Modal("[]", Modal("<>", p)):
            return Constraint(e.TRUE, joined(p))
        case Modal("<>", Modal("[]", p)):
            return Constraint(e.Unary("!", joined(p)), e.FALSE)
        case Logic("->", Modal("[]", Modal("<>", p)), Modal("[]", Modal("<>", q))):
            return Constraint(joined(p), joined(q))
        case Logic("->", Modal("<>", Modal("[]", p)), Modal("[]", Modal("<>", q))):
            return Constraint(e.TRUE, joined(Logic("||", Not(p), q)))
    raise NotAConstraint


def stated_by(kind: ProcessFairness, stated: Sequence[LtlProperty]) -> Fairness:
    """Fairness of processes, with the constraints that some properties of the model state.  Raises `NotAConstraint`."""
    constraints = tuple(each for property_ in stated for each in constraints_of(property_.formula))
    return Fairness(kind, constraints, tuple(stated))


def conditions_of(constraints: Sequence[Constraint]) -> list[e.Expr]:
    """The two conditions of each constraint, one constraint after the other."""
    return [condition for each in constraints for condition in (each.when, each.then)]
