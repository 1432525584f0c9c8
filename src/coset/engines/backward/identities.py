"""Programs whose processes know themselves and each other, as guarded updates.

The identity of a process is a number, different from all others; no process is -1.  So `x := self` assigns a variable that the
process has and never changes, and a condition on all processes, or on some, is kept in the guard as it is, until it is known
which processes a set of states speaks of (`grounded`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from coset.engines.spotlight.context import OWN, is_own
from coset.engines.spotlight.expressions import Obstacle, substituted
from coset.engines.spotlight.program import SLOTS, FamilyProgram, Move, program_of
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import BOOL, Domain
from coset.model.family import REFERENCE, Everyone, Family, NoProcess, Quantifier, Someone
from coset.model.rewrite import exchanged, rebuild_value, rewrite

T = TypeVar("T")
IDENTITY = Domain(REFERENCE, -1, 2**31 - 1)
NONE = e.Const(-1)


def has_identities(family: Family) -> bool:
    """Whether processes know themselves or each other."""
    found = False

    def see(x: e.Expr) -> e.Expr:
        nonlocal found
        found |= isinstance(x, NoProcess | Everyone | Someone)
        return x

    rebuild_value(tuple(each.kind for each in family.classes), see)
    return found or any(variable.domain.name == REFERENCE for variable in family.variables)


def program_with_identities(family: Family) -> FamilyProgram:
    """The program, in whose guards there may be conditions on all processes.  Raises `Obstacle`."""
    own = {each.name: m.Variable("self", OWN, owner=each.name) for each in family.classes}
    own = {name: replace(variable, initial=(e.Get(variable),)) for name, variable in own.items()}
    variables = (*family.variables, *(v for each in family.classes for v in each.kind.variables))
    images = {v: replace(v, domain=IDENTITY) for v in variables if v.domain.name == REFERENCE}
    images = {v: replace(image, initial=with_numbers(image.initial, v.owner, own)) for v, image in images.items()}
    classes = tuple(
        replace(
            each,
            kind=replace(
                exchanged(with_numbers(each.kind, each.name, own), images),
                variables=(*(images.get(v, v) for v in each.kind.variables), own[each.name]),
            ),
        )
        for each in family.classes
    )
    kept: dict[e.Expr, e.Expr] = {}
    classes = tuple(replace(each, kind=without_conditions(each.kind, kept)) for each in classes)
    properties = tuple(
        replace(
            each, formula=exchanged(with_numbers(of_quantified(each.formula, each.quantifiers, own), None, own), images)
        )
        for each in family.properties
    )
    changed = tuple(images.get(v, v) for v in family.variables)
    program = program_of(replace(family, variables=changed, classes=classes, properties=properties, lemmas=()))
    back = {condition: place for place, condition in kept.items()}

    def restored(move: Move) -> Move:
        whole: e.Expr = rebuild_value(move.guard, lambda x: back.get(x, x))
        for _, value in move.updates:
            if any(part in back for part in value.walk()):
                raise Obstacle("a condition on all processes can only be waited for or tested", move.span)
        return replace(move, guard=whole)

    return replace(
        program,
        classes=tuple(
            replace(each, moves={place: tuple(map(restored, row)) for place, row in each.moves.items()})
            for each in program.classes
        ),
        initial={variable: value for variable, value in program.initial.items() if not is_own(variable)},
    )


def with_numbers(thing: T, kind: str | None, own: Mapping[str, m.Variable]) -> T:
    """A part of a program with variables for identities; those of quantified processes, too."""

    def number(x: e.Expr) -> e.Expr:
        match x:
            case e.Self() if kind is not None:
                return e.Get(own[kind])
            case NoProcess():
                return NONE
            case Everyone(of, variable, condition) | Someone(of, variable, condition):
                return replace(x, condition=identity_of(condition, variable, own[of]))
        return x

    found: T = rebuild_value(thing, number)
    return found


def identity_of(x: T, process: m.Variable, own: m.Variable) -> T:
    """The identity of a quantified process is a variable that it has, where the process is compared with others."""

    def change(part: e.Expr) -> e.Expr:
        match part:
            case e.Get(variable) if variable == process:
                return e.Remote(own.owner or "", part, own)
            case e.AtLocation(_, e.Remote(_, who, variable), _, _) if is_own(variable):
                return replace(part, process=who)
            case e.Remote(_, e.Remote(_, who, variable), _) if is_own(variable):
                return replace(part, process=who)
        return part

    found: T = rebuild_value(x, change)
    return found


def of_quantified(formula: T, quantifiers: Iterable[Quantifier], own: Mapping[str, m.Variable]) -> T:
    for quantifier in quantifiers:
        for variable in quantifier.variables:
            formula = identity_of(formula, variable, own[quantifier.of])
    return formula


def without_conditions(kind: m.Kind, kept: dict[e.Expr, e.Expr]) -> m.Kind:
    """The kind with a truth value in the place of each condition on all processes, or on some."""

    def outermost(x: e.Expr) -> e.Expr:
        if isinstance(x, Everyone | Someone):
            whole: e.Expr = rebuild_value(x, lambda part: inner.get(part, part))
            place = kept.setdefault(whole, e.Get(m.Variable(f"condition {len(kept)}", BOOL)))
            inner[place] = whole
            return place
        return x

    inner: dict[e.Expr, e.Expr] = {}
    found: m.Kind = rebuild_value(kind, outermost)
    return found


# --- conditions on listed processes ----------------------------------------------------------------


def grounded(x: e.Expr, listed: Iterable[int], program: FamilyProgram) -> e.Expr:
    """A guard in which all processes, and some, are those that are listed."""
    slots = sorted(listed)

    def known(part: e.Expr) -> e.Expr:
        if not isinstance(part, Everyone | Someone):
            return part
        operator = "&&" if isinstance(part, Everyone) else "||"
        found: e.Expr | None = None
        for slot in slots:
            if program.classes[slot // SLOTS].name == part.of:
                one = substituted(part.condition, {part.variable: e.Const(slot)})
                found = one if found is None else e.Binary(operator, found, one)
        return found if found is not None else e.Const(int(operator == "&&"))

    return rewrite(x, known)


def asks_for_others(x: e.Expr) -> bool:
    return any(isinstance(part, Everyone | Someone) for part in x.walk())
