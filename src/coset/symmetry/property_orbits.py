"""Formulas that a symmetry of the model maps to one another: one of each orbit has to be decided.

Theorem.  Let g be an automorphism of the state graph from the started states on, and let p and q be formulas with the same
temporal operators, with conditions c1, c2, ... and d1, d2, ..., such that

1. each dk is the image of ck: from the started states on, ck holds in s just if dk holds in g(s);
2. the states before are a chain p0, ..., pm, in each of which ck and dk have the same value; g permutes the successors
   of pm.

Then the model satisfies p just if it satisfies q, also under weak fairness.

Proof.  p0 ... pm s0 s1 ... -> p0 ... pm g(s0) g(s1) ... maps runs to runs, and its inverse does.  By 1 and 2, ck holds at a
position of a run just if dk holds there in its image, so the run violates p just if the image violates q; and process i
is enabled or moves just if g(i) does.  For branching time, the relation of each pk with itself and of each s with
g(s) is a bisimulation between the model labelled with ck and the model labelled with dk.

The group is that of the model without properties.  No formula has to be invariant: what a generator does to a formula is
compared with the other formulas by normal forms, which holds for 1, and then tried on reachable states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.source.records import dataclass
from coset.symmetry.action import Action, Points
from coset.symmetry.certify import NotASymmetry, certify, sample, value
from coset.symmetry.conditions import conditions, propositional
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.program.detect import program_of
from coset.symmetry.normal_form import Normal, Vocabulary
from coset.symmetry.startup import StartedStates
from coset.symmetry.symmetry import Finding

Formula = m.LtlProperty | m.CtlProperty

MOST_BEFORE = 16
"""The most states before the started ones."""
MOST_IMAGES = 3000
"""The most images of formulas that are made."""
MOST_TRIED = 60
"""Reachable states on which a formula and its image are compared."""


@dataclass(frozen=True, slots=True)
class Image:
    """A formula is the image of another one under a symmetry."""

    of: Formula
    action: Action


class PropertyOrbits:
    """How the symmetries of a model permute formulas.  `moves` is how many moves generators are certified on."""

    def __init__(self, points: Points, generators: Sequence[Permutation], moves: int) -> None:
        self.points, self.interpreter = points, points.interpreter
        self.vocabulary = Vocabulary(points)
        self.unmoved = Normal(self.vocabulary, {})
        self.before, after = chain_before(points.interpreter, points.started)
        actions = [Action(points, generator) for generator in generators] if after else []
        self.actions = [each for each in actions if {each(state) for state in after} == after]
        certify(self.actions, (), moves)
        self.images_made = 0

    @property
    def is_trivial(self) -> bool:
        return not self.actions

    @cached_property
    def sampled(self) -> list[State]:
        states = (state for state, _ in sample(self.interpreter, self.points.started.states))
        return list(islice(states, MOST_TRIED))

    def may_cut(self, property_: m.Property) -> bool:
        """Whether a conjunction may be cut, and there is a reason to.  If a condition may have no value, a conjunct before it
        may prevent that it is evaluated; if the whole is invariant, it is decided with the whole group."""
        assert not isinstance(property_, m.Claim)
        may_fail = any(map(self.vocabulary.faults.may_fail, conditions(property_.formula)))
        return not may_fail and not self.is_invariant(property_)

    def is_invariant(self, property_: Formula) -> bool:
        """Whether all symmetries leave a formula as it is."""
        same = self.key(property_, self.unmoved)
        return all(
            self.key(property_, Normal(self.vocabulary, each.tables, numbers=each.numbers)) == same
            for each in self.actions
        )

    def images(self, properties: Sequence[Formula]) -> dict[str, Image]:
        """By name, the properties that are images of earlier ones; the others represent their orbits."""
        found: dict[str, Image] = {}
        index: dict[Hashable, list[Formula]] = {}
        for each in properties:
            index.setdefault(self.key(each, self.unmoved), []).append(each)
        alike: dict[Hashable, int] = {}
        for each in properties:
            operators = self.operators(each)
            alike[operators] = alike.get(operators, 0) + 1
        for each in properties:
            if each.name not in found and alike[self.operators(each)] > 1:
                self.follow(each, index, found)
        return found

    def follow(self, first: Formula, index: dict[Hashable, list[Formula]], found: dict[str, Image]) -> None:
        """Find the images of one formula, breadth first."""
        start = Permutation.identity(len(self.points.points))
        seen = {self.key(first, self.unmoved)}
        queue = [start]
        for permutation in queue:
            for generator in self.actions:
                if self.images_made >= MOST_IMAGES:
                    return
                self.images_made += 1
                product = permutation * generator.permutation
                action = Action(self.points, product)
                key = self.key(first, Normal(self.vocabulary, action.tables, numbers=action.numbers))
                if key in seen:
                    continue
                seen.add(key)
                queue.append(product)
                for other in index.get(key, ()):
                    if other.name not in found:
                        self.compare(first, other, action)
                        found[other.name] = Image(first, action)
        for other in index[self.key(first, self.unmoved)]:
            if other is not first and other.name not in found:
                found[other.name] = Image(first, Action(self.points, start))

    def compare(self, first: Formula, other: Formula, action: Action) -> None:
        """Try an image on reachable states: a second opinion, by the meaning of the conditions."""
        evaluators = [
            (self.interpreter.evaluation.expression(one), self.interpreter.evaluation.expression(two))
            for one, two in zip(conditions(first.formula), conditions(other.formula), strict=True)
        ]
        for state in self.sampled:
            image = action(state)
            if any(value(self.interpreter, c, state) != value(self.interpreter, d, image) for c, d in evaluators):
                raise NotASymmetry(f"{action} does not map {first.name} to {other.name}")

    # --- what is compared --------------------------------------------------------------------------

    def key(self, property_: Formula, normal: Normal) -> Hashable:
        """A renamed formula in normal form, and the values of its conditions before the started states."""
        return property_.kind, shape(property_.formula, normal.condition), self.values_before(property_)

    def operators(self, property_: Formula) -> Hashable:
        return property_.kind, shape(property_.formula, lambda condition: None)

    def values_before(self, property_: Formula) -> Hashable:
        evaluators = [self.interpreter.evaluation.expression(each) for each in conditions(property_.formula)]
        return tuple(tuple(value(self.interpreter, each, state) for each in evaluators) for state in self.before)


def property_orbits(model: m.Model, properties: Iterable[Formula], moves: int) -> PropertyOrbits | None:
    """The action of the model's symmetries on formulas; None if nothing can be permuted.  Raises `NotASymmetry`."""
    program = program_of(replace(model, properties=tuple(properties)), ())  # formulas have a say in what a sort is
    if isinstance(program, Finding):
        return None
    found = PropertyOrbits(program.points, program.graph.group(program.vertices).generators, moves)
    return None if found.is_trivial else found


def shape(formula: f.Formula[e.Expr], form: Callable[[e.Expr], Hashable]) -> Hashable:
    """The temporal operators of a formula, with its conditions in some form."""
    whole = propositional(formula)
    if whole is not None:
        return form(whole)
    match formula:
        case f.Not(operand):
            return "!", shape(operand, form)
        case f.Modal(operator, operand):
            return operator, shape(operand, form)
        case f.Logic(operator, left, right) | f.Until(operator, left, right):
            return type(formula).__name__, operator, shape(left, form), shape(right, form)
        case Branching(quantifier, operator, operand):
            return quantifier, operator, shape(operand, form)
        case BranchingUntil(quantifier, operator, left, right):
            return quantifier, operator, shape(left, form), shape(right, form)
    raise TypeError(f"unknown formula {type(formula).__name__}")


def chain_before(interpreter: Interpreter, started: StartedStates) -> tuple[tuple[State, ...], frozenset[State]]:
    """The states before the started ones, and the states that follow the last of them: none if they are not a chain."""
    state, before, none = interpreter.initial(), list[State](), ((), frozenset[State]())
    if started.includes(state):
        return (), frozenset({state})
    while len(before) < MOST_BEFORE:
        before.append(state)
        after = set[State]()
        for step in interpreter.steps(state):
            if any(move.errors for move in step.moves):
                return none
            after.add(step.state)
        if after and all(map(started.includes, after)):
            return tuple(before), frozenset(after)
        if len(after) != 1:
            break
        (state,) = after
    return none
